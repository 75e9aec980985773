"""Groups of runs: which belong together, their results, and how certain these are.

All of it is read from the files of run folders; `train.reports.page` writes it down.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

from train.storage.formats import OWN
from train.storage.run_folder import IDENTITY, METRICS_FILE, RESUME, MetricsRow, RunFolder

CONFIDENCE = 0.95
# Name suffixes of the ends of a sample's interval.
ENDS = ("_low", "_high")


@dataclass(frozen=True)
class Run:
    """The content of a run folder; `config` is as `RunFolder.config`.

    Attributes:
        rows: One per evaluation; none if the run was stopped before its first.
        commit: Commit of the code that it began with, if that is known.
    """

    folder: Path
    config: dict[str, Any]
    rows: list[MetricsRow]
    commit: str | None

    @property
    def seed(self) -> int:
        """The run's seed."""
        return self.config["seed"]

    @property
    def is_log(self) -> bool:
        """Whether it is an `ExploitabilityLog`, for which the end of training is unknown."""
        return self.config["algorithm"] == OWN

    @property
    def finished(self) -> bool:
        """Whether it has taken all requested steps."""
        return bool(self.rows) and (self.is_log or self.rows[-1]["steps"] >= self.config["args"]["steps"])


@dataclass(frozen=True)
class MedianInterval:
    """The median over a few seeds, and a confidence interval for the median over all seeds.

    `confidence` is a lower bound on the probability that such an interval contains that median; 0 for one seed.
    """

    middle: float
    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Group:
    """Runs that differ only in the seed, ordered by it.

    `differs` describes the arguments in which it differs from other runs of its algorithm and label on this game.
    """

    runs: tuple[Run, ...]
    differs: dict[str, str]

    @property
    def config(self) -> dict[str, Any]:
        """The first run's configuration; the others differ only in the seed."""
        return self.runs[0].config

    @property
    def name(self) -> str:
        """The algorithm's label, and the arguments that set this group apart."""
        return " ".join([self.config["label"], *(f"{name}={value}" for name, value in self.differs.items())])

    @property
    def counted(self) -> list[Run]:
        """The finished runs; if there are none, those evaluated at least once."""
        return [run for run in self.runs if run.finished] or [run for run in self.runs if run.rows]

    @property
    def rank(self) -> float:
        """The sort key, best first; groups without an evaluation come last."""
        last = self.last(self.config["figure"])
        if last is None:
            return math.inf
        return -last.middle if self.config["measured"] == "matches" else last.middle

    def last(self, figure: str) -> MedianInterval | None:
        """A figure in the last rows of `counted`; None without an evaluation or without that figure."""
        figures = [run.rows[-1][figure] for run in self.counted if figure in run.rows[-1]]
        return median_interval(figures) if figures and len(figures) == len(self.counted) else None

    @cached_property
    def curve(self) -> list[tuple[float, float, MedianInterval]]:
        """Median steps, median seconds and the game's figure at every evaluation reached by all runs."""
        by_turn = [{self._turn(row): row for row in run.rows} for run in self.runs if run.rows]
        if not by_turn:
            return []
        common = sorted(set(by_turn[0]).intersection(*by_turn[1:]))
        rows = [[each[turn] for each in by_turn] for turn in common]
        return [
            (
                median(row["steps"] for row in each),
                median(row["seconds"] for row in each),
                median_interval([row[self.config["figure"]] for row in each]),
            )
            for each in rows
        ]

    def _turn(self, row: Mapping[str, float]) -> float:
        """The number of a row's evaluation.

        Steps are no guide: a learner that takes many steps at a time overshoots the step at which one is due.
        """
        args = self.config["args"]
        if self.runs[0].is_log:
            return row["steps"]
        return math.inf if row["steps"] >= args["steps"] else row["steps"] // args["evaluate_every"]


@dataclass(frozen=True)
class GameReport:
    """All groups of one game whose figures are of one kind, the best first."""

    groups: tuple[Group, ...]

    @property
    def config(self) -> dict[str, Any]:
        """The first run's; of all runs its title, reference, and name and kind of the figure are the same."""
        return self.groups[0].config


def median_interval(figures: Sequence[float]) -> MedianInterval:
    """The median, with the narrowest interval between order statistics whose confidence is at least 95 %.

    For any distribution, the k-th smallest and the k-th largest of n independent figures enclose its median with at
    least the probability that each side of a fair coin comes up k times or more in n throws (H. A. David and H. N.
    Nagaraja, "Order Statistics", 2003, section 7.1). With fewer than 6 figures no interval reaches 95 %: it then spans
    all figures, with its own lower confidence.

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
    """Reads a run folder; a ValueError if it holds no run, a damaged one, or one of another format."""
    folder = RunFolder(Path(path))
    config, metadata = folder.config(), folder.metadata()
    config = {"measured": "exact", "figure": "exploitability", **config}  # older folders lack both
    rows = folder.read_metrics()
    needed = [config["figure"], *(f"{config['figure']}{end}" for end in ENDS if config["measured"] == "matches")]
    for number, row in enumerate(rows):
        row.setdefault("measured", "exact")
        if row["measured"] != config["measured"] or not all(name in row for name in needed):
            wanted = f"{', '.join(needed)} of the kind {config['measured']!r}"
            raise ValueError(
                f"{folder.path / METRICS_FILE} cannot be read: rows[{number}] must have {wanted}; {RESUME}"
            )
    return Run(folder.path, config, rows, metadata["commit"])


def refuse_twins(run: Run, others: Sequence[Run]) -> None:
    """Raises a ValueError if another run has the same configuration and seed."""
    for other in others:
        if all(run.config[name] == other.config[name] for name in (*IDENTITY, "measured", "figure")):
            raise ValueError(
                f"{other.folder} and {run.folder} are runs of one configuration with one seed ({run.seed}); "
                "give one of them"
            )


def arrange(runs: Sequence[Run]) -> list[GameReport]:
    """Sorts runs by game and kind of figures, and groups those that differ only in the seed.

    Raises:
        ValueError: If there are no runs.
    """
    if not runs:
        raise ValueError("there must be at least one run to report on")
    games: defaultdict[str, defaultdict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        config = run.config
        of_game = games[_key(config["game"], config["parameters"], config["measured"], config["figure"])]
        of_game[_key(config["algorithm"], config["args"])].append(run)
    return [GameReport(_groups(list(of_game.values()))) for of_game in games.values()]


def _key(*parts: Any) -> str:
    return json.dumps(parts, sort_keys=True)


def _groups(grouped: list[list[Run]]) -> tuple[Group, ...]:
    groups = []
    for runs in sorted(grouped, key=lambda runs: str(runs[0].config["label"])):
        runs = sorted(runs, key=lambda run: run.seed)
        args, names = runs[0].config["args"], _names(runs[0])
        alike = [other[0].config["args"] for other in grouped if _names(other[0]) == names]
        unlike = [name for name in args if any(other.get(name) != args[name] for other in alike)]
        if len(unlike) > 1 and "evaluate_every" in unlike:  # it follows from the steps, or matters less
            unlike.remove("evaluate_every")
        groups.append(Group(tuple(runs), {name: _in_words(args[name]) for name in unlike}))
    return tuple(sorted(groups, key=lambda group: group.rank))


def _in_words(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _names(run: Run) -> tuple[str, str]:
    return run.config["algorithm"], run.config["label"]
