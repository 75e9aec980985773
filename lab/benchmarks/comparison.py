"""Shared by all benchmarks: measures candidates in turn, and compares their speeds round by round.

Candidates take turns for several rounds, so that a noisy machine disturbs all of them alike. The
ratio of two speeds is taken within each round; its median, minimum and maximum are reported.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
ROOT = Path(__file__).resolve().parents[2]
LEAST_PROCESSOR = 0.01  # seconds; the resolution of the system's clock for other processes
CLOCKS = ("wall", "processor")
FAILED = "failed"


@dataclass(frozen=True)
class Settings:
    """How much is measured.

    Attributes:
        rounds: Measurements of each candidate.
        seconds: Length of one measurement of a candidate that steps.
        games: Games in each of our batches.
        matrices: Matrix games in each batch of ours.
        singles: Matrix games that every other solver solves in a round.
        most_cards: Number of cards of the largest Jujitsu that is solved.
        limit: Seconds after which one solution by a peer is given up.
        long: Whether to include measurements that take minutes.
    """

    rounds: int = 5
    seconds: float = 0.5
    games: int = 4096
    matrices: int = 1_000_000
    singles: int = 200
    most_cards: int = 16
    limit: float = 90.0
    long: bool = False

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise ValueError(f"rounds ({self.rounds}) must be at least 1")
        if not self.seconds > 0:
            raise ValueError(f"seconds ({self.seconds}) must be positive")


QUICK = {"rounds": 1, "seconds": 0.02, "games": 64, "matrices": 1000, "singles": 5, "most_cards": 5, "limit": 10.0}


class Sample(NamedTuple):
    """One measurement.

    Attributes:
        amount: Amount of work, in the comparison's unit.
        wall: Seconds that it took.
        processor: Seconds of CPU time, all threads together.
        facts: Other numbers to show, by name.
        finished: False if the measurement was abandoned after `wall` seconds.
    """

    amount: float
    wall: float
    processor: float
    facts: Mapping[str, float] = {}
    finished: bool = True


Measure = Callable[[], Sample]
Maker = Callable[[], Measure]


@dataclass(frozen=True)
class Comparison:
    """Our candidates and others for one job.

    Attributes:
        title: The name of the job.
        unit: The unit of amounts, in the plural.
        peers: By name, functions that prepare others' candidates; a ModuleNotFoundError means "not installed".
        ours: By name, functions that prepare our candidates.
        against: The peers that ratios refer to.
        timed: Show the time for one unit instead of units per second.
        facts: The format of each fact of the samples, by name; the largest is shown.
        rounds: Maximum number of rounds.
    """

    title: str
    unit: str
    ours: Mapping[str, Maker]
    peers: Mapping[str, Maker] = field(default_factory=dict)
    against: tuple[str, ...] = ()
    timed: bool = False
    facts: Mapping[str, str] = field(default_factory=dict)
    rounds: int | None = None


@dataclass(frozen=True)
class Row:
    """All measurements of one candidate, one for each round."""

    name: str
    peer: bool
    samples: list[Sample]

    @property
    def finished(self) -> bool:
        return all(sample.finished for sample in self.samples)

    def speeds(self, clock: str = "wall") -> list[float]:
        """Amount per second, round by round."""
        return [sample.amount / getattr(sample, clock) for sample in self.samples]

    def fact(self, name: str) -> float | None:
        return max((sample.facts[name] for sample in self.samples if name in sample.facts), default=None)


@dataclass(frozen=True)
class Result:
    """The result of a comparison; `skipped` maps each peer without a row to the reason."""

    comparison: Comparison
    rows: list[Row]
    skipped: dict[str, str]

    @property
    def failed(self) -> dict[str, str]:
        """The skipped peers that are installed."""
        return {name: why for name, why in self.skipped.items() if why.startswith(FAILED)}

    @property
    def references(self) -> list[Row]:
        return [row for row in self.rows if row.name in self.comparison.against]

    def ratios(self, row: Row, reference: Row, clock: str = "wall") -> list[float]:
        """The speed as a multiple of the reference's, round by round."""
        return [own / other for own, other in zip(row.speeds(clock), reference.speeds(clock), strict=True)]


def clocked(work: Callable[[], T], facts: Callable[[T], Mapping[str, float]] | None = None) -> Sample:
    """Measures one call; the amount of work is the number that the call returns, or 1 for any other result.

    Args:
        work: The work to measure.
        facts: Computes the sample's facts from the result of `work`.
    """
    wall, processor = time.perf_counter(), time.process_time()
    done = work()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    return Sample(done if isinstance(done, int) else 1, wall, processor, facts(done) if facts else {})


def for_seconds(seconds: float, once: Callable[[], int]) -> int:
    """Calls `once` until `seconds` have passed; returns the sum of the results."""
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        done += once()
    return done


def measure(comparison: Comparison, rounds: int) -> Result:
    """Prepares the candidates and measures them in turns; peers that fail are skipped and named."""
    peers, skipped = _installed(comparison.peers)
    candidates = peers | {name: make() for name, make in comparison.ours.items()}
    samples: dict[str, list[Sample]] = {name: [] for name in candidates}
    for _ in range(min(rounds, comparison.rounds or rounds)):
        for name in list(samples):
            try:
                samples[name].append(_next(candidates[name], samples[name]))
            except Exception as error:
                if name not in peers:
                    raise
                skipped[name] = reason(error)
                del samples[name]
    rows = [Row(name, name in peers, measured) for name, measured in samples.items()]
    return Result(comparison, rows, skipped)


def _installed(makers: Mapping[str, Maker]) -> tuple[dict[str, Measure], dict[str, str]]:
    found, skipped = {}, {}
    for name, make in makers.items():
        try:
            found[name] = make()
        except ModuleNotFoundError as error:
            skipped[name] = f"not installed ({error})"
        except Exception as error:
            skipped[name] = reason(error)
    return found, skipped


def _next(candidate: Measure, before: list[Sample]) -> Sample:
    """Measures a candidate; does not repeat a measurement that was abandoned."""
    return candidate() if not before or before[-1].finished else before[-1]


def reason(error: Exception) -> str:
    return f"{FAILED}: {' '.join(str(error).split()) or type(error).__name__}"


def in_child(target: str, *arguments: Any, limit: float | None = None, needs: tuple[str, ...] = ()) -> Maker:
    """Measures in a fresh process each time, without caches or memory of earlier measurements.

    Args:
        target: `module:function`; the function returns a `Sample`.
        *arguments: Numbers and strings, the function's arguments.
        limit: Seconds for the whole process; after that the sample is unfinished.
        needs: Modules that must be installed.
    """

    def make() -> Measure:
        for module in needs:
            import_module(module)
        return run

    def run() -> Sample:
        module, function = target.split(":")
        code = f"import json, {module} as m; print(json.dumps(m.{function}(*{arguments!r})))"
        before = os.times()
        try:
            done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired as expired:
            after = os.times()
            used = after.children_user + after.children_system - before.children_user - before.children_system
            return Sample(1, expired.timeout, max(used, LEAST_PROCESSOR), finished=False)
        if done.returncode:
            raise RuntimeError((done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1])
        return Sample(*json.loads(done.stdout.splitlines()[-1]))

    return make


def by_cards(target: str, sizes: Iterable[int], most: int, *arguments: Any) -> dict[str, Maker]:
    """Candidates by name, each a fresh process that calls the function with a number of cards, at most `most`."""
    return {f"{size} cards": in_child(target, size, *arguments) for size in sizes if size <= most}


def as_data(result: Result) -> dict[str, Any]:
    """A result as data for JSON: all measurements, and all ratios round by round."""
    comparison = result.comparison
    return {
        "title": comparison.title,
        "unit": comparison.unit,
        "rows": [
            {
                "name": row.name,
                "peer": row.peer,
                "finished": row.finished,
                "amounts": [sample.amount for sample in row.samples],
                **{f"{clock}_seconds": [getattr(sample, clock) for sample in row.samples] for clock in CLOCKS},
                "median_per_second": median(row.speeds()),
                "ratios": {
                    reference.name: {clock: result.ratios(row, reference, clock) for clock in CLOCKS}
                    for reference in result.references
                },
                "facts": {name: row.fact(name) for name in comparison.facts if row.fact(name) is not None},
            }
            for row in result.rows
        ],
        "skipped": result.skipped,
    }
