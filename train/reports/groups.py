"""Reads run folders, groups runs that differ only in the seed, and summarises results with confidence intervals.

All data come from the files in run folders; `train.reports.page` writes the report.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

from train.storage.formats import OWN, share_used
from train.storage.run_folder import CONFIG_FILE, IDENTITY, METRICS_FILE, RESUME, MetricsRow, RunFolder

CONFIDENCE = 0.95
# Suffixes of the names of an interval's ends.
ENDS = ("_low", "_high")


@dataclass(frozen=True)
class Run:
    """The content of a run folder; `config` is the result of `RunFolder.config`.

    Attributes:
        rows: One per evaluation; empty if the run was stopped before the first evaluation.
        commit: Commit of the code when the run started, if known.
    """

    folder: Path
    config: dict[str, Any]
    rows: list[MetricsRow]
    commit: str | None

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self.config["seed"]

    @property
    def is_log(self) -> bool:
        """Whether the run is an `ExploitabilityLog`, which does not know when training ends."""
        return self.config["algorithm"] == OWN

    @property
    def finished(self) -> bool:
        """Whether the run has used its steps or its CPU seconds."""
        return bool(self.rows) and (self.is_log or share_of(self.config, self.rows[-1]) >= 1.0)


@dataclass(frozen=True)
class MedianInterval:
    """The median over a few seeds, with a confidence interval for the median over all possible seeds.

    `confidence` is a lower bound on the probability that the interval contains the latter median; 0 for one seed.
    """

    middle: float
    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Group:
    """Runs that differ only in the seed, ordered by seed.

    `differs` describes the arguments in which the group differs from other runs of the same algorithm and label on the
    game.
    """

    runs: tuple[Run, ...]
    differs: dict[str, str]

    @property
    def config(self) -> dict[str, Any]:
        """The first run's configuration; the others differ only in the seed."""
        return self.runs[0].config

    @property
    def name(self) -> str:
        """The algorithm's label, and the arguments that distinguish this group."""
        return " ".join([self.config["label"], *(f"{name}={value}" for name, value in self.differs.items())])

    @property
    def counted(self) -> list[Run]:
        """The finished runs; if there are none, the runs that were evaluated at least once."""
        return [run for run in self.runs if run.finished] or [run for run in self.runs if run.rows]

    @property
    def rank(self) -> float:
        """The sort key: the best group comes first, groups without an evaluation come last."""
        last = self.last(self.config["figure"])
        if last is None:
            return math.inf
        return -last.middle if self.config["measured"] == "matches" else last.middle

    def last(self, figure: str) -> MedianInterval | None:
        """Returns the median of a figure in the last rows of `counted`; None without an evaluation or such a figure."""
        figures = [run.rows[-1][figure] for run in self.counted if figure in run.rows[-1]]
        return median_interval(figures) if figures and len(figures) == len(self.counted) else None

    @cached_property
    def curve(self) -> list[tuple[float, float, MedianInterval]]:
        """Median steps, median CPU seconds and the game's figure, at every evaluation that all runs have reached."""
        by_turn = [{self._turn(row): row for row in run.rows} for run in self.runs if run.rows]
        if not by_turn:
            return []
        common = sorted(set(by_turn[0]).intersection(*by_turn[1:]))
        rows = [[each[turn] for each in by_turn] for turn in common]
        return [
            (
                median(row["steps"] for row in each),
                median(row["cpu_seconds"] for row in each),
                median_interval([row[self.config["figure"]] for row in each]),
            )
            for each in rows
        ]

    def _turn(self, row: Mapping[str, float]) -> float:
        """Returns the number of a row's evaluation.

        Steps cannot identify evaluations: a learner that takes many steps at a time overshoots the step at which one is
        due.
        """
        args = self.config["args"]
        if self.runs[0].is_log:
            return row["steps"]
        if (share := share_of(self.config, row)) >= 1.0:
            return math.inf
        timed = args.get("cpu_seconds")
        return share * args.get("evaluations", 1) // 1 if timed else row["steps"] // args["evaluate_every"]


@dataclass(frozen=True)
class GameReport:
    """All groups of one game whose figures are of one kind, best group first."""

    groups: tuple[Group, ...]

    @property
    def config(self) -> dict[str, Any]:
        """The first run's configuration; title, reference, and name and kind of the figure are the same in all runs."""
        return self.groups[0].config


def share_of(config: Mapping[str, Any], row: Mapping[str, Any]) -> float:
    """Returns the share of a run's budget that is used at a row."""
    return share_used(config["args"], row["steps"], row["cpu_seconds"])


def median_interval(figures: Sequence[float]) -> MedianInterval:
    """Returns the median, with the narrowest interval between order statistics of at least 95 % confidence.

    For any distribution, the k-th smallest and the k-th largest of n independent figures enclose the median with at
    least the probability that each side of a fair coin comes up k or more times in n tosses (H. A. David and H. N.
    Nagaraja, "Order Statistics", 2003, section 7.1). With fewer than 6 figures no interval reaches 95 %; the result is
    then the range of all figures, with its lower confidence.

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
    """Reads a run folder; raises ValueError if it contains no run, a damaged run, or a run of another format."""
    folder = RunFolder(Path(path))
    config, metadata = folder.config(), folder.metadata()
    rows = folder.read_metrics()
    needed = [config["figure"], *(f"{config['figure']}{end}" for end in ENDS if config["measured"] == "matches")]
    for number, row in enumerate(rows):
        if row["measured"] != config["measured"] or not all(name in row for name in needed):
            wanted = f"the columns {', '.join(needed)}, with measured={config['measured']!r}"
            raise ValueError(
                f"{folder.path / METRICS_FILE} cannot be read: rows[{number}] must have {wanted}; {RESUME}"
            )
    return Run(folder.path, config, rows, metadata["commit"])


def refuse_twins(run: Run, others: Sequence[Run]) -> None:
    """Raises ValueError if two runs have the same configuration and seed."""
    for other in others:
        if all(run.config[name] == other.config[name] for name in (*IDENTITY, "measured", "figure")):
            raise ValueError(
                f"{other.folder} and {run.folder} have the same configuration and seed ({run.seed}); "
                "give only one of them"
            )


def arrange(runs: Sequence[Run]) -> list[GameReport]:
    """Sorts runs by game and kind of figures, and groups runs that differ only in the seed.

    Raises:
        ValueError: If there are no runs.
    """
    if not runs:
        raise ValueError("no run to report on: give at least one run")
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
        if len(unlike) > 1 and "evaluate_every" in unlike:  # it follows from the steps, or is less important
            unlike.remove("evaluate_every")
        groups.append(Group(tuple(runs), {name: _in_words(args[name]) for name in unlike}))
    return tuple(sorted(groups, key=lambda group: group.rank))


def _in_words(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _names(run: Run) -> tuple[str, str]:
    return run.config["algorithm"], run.config["label"]


def run_folders(path: str | Path) -> list[Path]:
    """Returns the run folders in a folder, at any depth, without following links; other paths are returned as given.

    Raises:
        ValueError: If the path is a folder without a run.
    """
    path = Path(path)
    found = []
    for folder, inner, files in os.walk(path):
        inner.sort()
        if {CONFIG_FILE, METRICS_FILE} & set(files):
            found.append(Path(folder))
            inner.clear()
    if path.is_dir() and not found:
        raise ValueError(f"{path} contains no run: there is no {CONFIG_FILE} in it or in its subfolders")
    return found or [path]


def unmeasured(folder: str | Path) -> Run:
    """Reads a run without its results; raises ValueError if its configuration cannot be read."""
    return Run(Path(folder), RunFolder(Path(folder)).config(), [], None)


def short_paths(folders: Sequence[Path]) -> list[str]:
    """Returns the paths of different folders without their common part."""
    whole = [Path(os.path.abspath(folder)) for folder in folders]
    shared = os.path.commonpath([folder.parent for folder in whole])
    return [str(folder.relative_to(shared)) for folder in whole]


def run_names(runs: Sequence[Run]) -> list[str]:
    """Returns a short name for each run: its algorithm and its differences from other runs, or else its folder."""
    names = {}
    for game in arrange(runs):
        for group in game.groups:
            seeds = {run.seed for run in group.runs}
            for run in group.runs:
                names[run.folder] = group.name + (f" seed={run.seed}" if len(seeds) > 1 else "")
    counts, paths = Counter(names.values()), short_paths([run.folder for run in runs])
    found = [names[run.folder] for run in runs]
    return [name if counts[name] == 1 else f"{name} ({path})" for name, path in zip(found, paths, strict=True)]
