"""Runs side by side: which belong together, what they came to, and how certain that is.

Read from `config.json` and `metrics.csv` of run folders alone; `train.reports.page` writes it down.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from train.storage.run_folder import METRICS_FILE, Row, RunFolder

CONFIDENCE = 0.95
NEEDED = {
    "game": str,
    "parameters": dict,
    "algorithm": str,
    "args": dict,
    "seed": int,
    "title": str,
    "label": str,
    "step": str,
    "reference": dict,
}
FIGURES = ("steps", "seconds", "exploitability", "guaranteed_0", "guaranteed_1")


@dataclass(frozen=True)
class Run:
    """What a run folder holds.

    Attributes:
        folder: The folder.
        config: As `RunFolder.config`.
        rows: One per evaluation; none if the run was stopped before its first.
        commit: Of the code that it began with, if that is known.
    """

    folder: Path
    config: dict[str, Any]
    rows: list[Row]
    commit: str | None

    @property
    def seed(self) -> int:
        """The seed of everything random in it."""
        seed: int = self.config["seed"]
        return seed

    @property
    def finished(self) -> bool:
        """Whether it has come to the steps that were asked for."""
        return bool(self.rows) and self.rows[-1]["steps"] >= self.config["args"]["steps"]

    @property
    def command(self) -> str:
        """What makes it again, all arguments written out."""
        words = ["cardwar", "train", *self.config["title"].split(), "--algorithm", self.config["algorithm"]]
        for name, value in self.config["args"].items():
            words += [f"--{name.replace('_', '-')}", str(value)]
        return shlex.join([*words, "--seed", str(self.seed), "--out", str(self.folder)])


@dataclass(frozen=True)
class MedianInterval:
    """Figures of several seeds in three numbers.

    Attributes:
        middle: Their median.
        low: The lower end of a confidence interval for the median of all seeds.
        high: Its upper end.
        confidence: The probability that such an interval holds the median, at least; 0 for one seed.
    """

    middle: float
    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Group:
    """Runs that differ in nothing but the seed.

    Attributes:
        runs: In order of seed.
        differs: The arguments in which it is unlike other runs of its algorithm and label on its game.
    """

    runs: tuple[Run, ...]
    differs: dict[str, Any]

    @property
    def config(self) -> dict[str, Any]:
        """What the runs have in common, and the first one's seed."""
        return self.runs[0].config

    @property
    def name(self) -> str:
        """The algorithm, with what sets this group apart."""
        return " ".join([self.config["label"], *(f"{name}={value}" for name, value in self.differs.items())])

    @property
    def counted(self) -> list[Run]:
        """The finished runs; if there are none, those that have been evaluated at all."""
        return [run for run in self.runs if run.finished] or [run for run in self.runs if run.rows]

    def last(self, figure: str) -> MedianInterval | None:
        """A figure of the last rows of the runs that count; None if nothing has been evaluated yet."""
        return median_interval([run.rows[-1][figure] for run in self.counted]) if self.counted else None

    @cached_property
    def curve(self) -> list[tuple[float, float, MedianInterval]]:
        """Median steps, median seconds and exploitability at every evaluation that all runs have come to."""
        by_turn = [{self._turn(row): row for row in run.rows} for run in self.runs if run.rows]
        if not by_turn:
            return []
        common = sorted(set(by_turn[0]).intersection(*by_turn[1:]))
        rows = [[each[turn] for each in by_turn] for turn in common]
        return [
            (
                median(row["steps"] for row in each),
                median(row["seconds"] for row in each),
                median_interval([row["exploitability"] for row in each]),
            )
            for each in rows
        ]

    def _turn(self, row: Mapping[str, float]) -> float:
        """Which evaluation a row is of: learners that take many steps at a time go past the one that is due."""
        args = self.config["args"]
        return math.inf if row["steps"] >= args["steps"] else row["steps"] // args["evaluate_every"]


@dataclass(frozen=True)
class GameReport:
    """All groups of one game, in order of algorithm."""

    groups: tuple[Group, ...]

    @property
    def title(self) -> str:
        """The game and its parameters."""
        title: str = self.groups[0].config["title"]
        return title

    @property
    def reference(self) -> dict[str, float]:
        """The game's value to player 0 and uniform play's exploitability."""
        reference: dict[str, float] = self.groups[0].config["reference"]
        return reference


def median_interval(figures: Sequence[float]) -> MedianInterval:
    """The median, and the narrowest interval between order statistics that is certain enough.

    For any distribution the k-th smallest and the k-th largest of n independent figures enclose
    its median with at least the probability that a fair coin, thrown n times, shows either side k
    times or more (H. A. David and H. N. Nagaraja, "Order Statistics", 2003, section 7.1). That
    reaches 95 % from 6 seeds on; with fewer the interval is from the least to the greatest, and
    its lower confidence is said.

    Args:
        figures: One per seed, at least one.
    """
    ordered, count = sorted(figures), len(figures)

    def confidence(k: int) -> float:
        outside: float = 2.0 * sum(math.comb(count, i) for i in range(k)) / 2**count
        return 1.0 - outside

    k = max((k for k in range(2, count // 2 + 1) if confidence(k) >= CONFIDENCE), default=1)
    return MedianInterval(median(ordered), ordered[k - 1], ordered[count - k], max(confidence(k), 0.0))


def read_run(path: str | Path) -> Run:
    """Reads a run folder.

    Raises:
        ValueError: If it holds no run, or a damaged one.
    """
    folder = RunFolder(Path(path))
    config = folder.config()
    for name, kind in NEEDED.items():
        if not isinstance(config.get(name), kind):
            raise ValueError(f"{path}: its settings are damaged: {name} is {config.get(name)!r}")
    _check_numbers(path, config["reference"], ("value", "uniform_exploitability"))
    _check_numbers(path, config["args"], ("steps",))
    rows = folder.read_metrics() if (folder.path / METRICS_FILE).exists() else []
    for row in rows:
        _check_numbers(path, row, FIGURES)
    commit = folder.metadata().get("commit")
    return Run(folder.path, config, rows, None if commit is None else str(commit))


def _check_numbers(path: str | Path, holder: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in names:
        value = holder.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ValueError(f"{path} is damaged: {name} is {value!r}, not a number")


def arrange(runs: Sequence[Run]) -> list[GameReport]:
    """Sorts runs by game, and groups those that differ in nothing but the seed.

    Raises:
        ValueError: If there are none, or two are of the same configuration and seed.
    """
    if not runs:
        raise ValueError("there must be at least one run to report on")
    games: dict[str, dict[str, list[Run]]] = {}
    for run in runs:
        config = run.config
        of_game = games.setdefault(_key(config["game"], config["parameters"]), {})
        of_game.setdefault(_key(config["algorithm"], config["args"]), []).append(run)
    return [GameReport(_groups(list(of_game.values()))) for of_game in games.values()]


def _key(*parts: Any) -> str:
    return json.dumps(parts, sort_keys=True)


def _groups(grouped: list[list[Run]]) -> tuple[Group, ...]:
    groups = []
    for runs in sorted(grouped, key=lambda runs: str(runs[0].config["label"])):
        runs = sorted(runs, key=lambda run: run.seed)
        for one, next_one in pairwise(runs):
            if one.seed == next_one.seed:
                raise ValueError(
                    f"{one.folder} and {next_one.folder} are runs of one configuration with one seed "
                    f"({one.seed}); give one of them"
                )
        args, names = runs[0].config["args"], _names(runs[0])
        alike = [other[0].config["args"] for other in grouped if _names(other[0]) == names]
        unlike = {name: args[name] for name in args if any(other.get(name) != args[name] for other in alike)}
        groups.append(Group(tuple(runs), unlike))
    return tuple(groups)


def _names(run: Run) -> tuple[str, str]:
    return run.config["algorithm"], run.config["label"]
