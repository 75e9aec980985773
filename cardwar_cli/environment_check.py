"""Checks an environment: selects the checks, handles known findings, and reports as text, JSON, JUnit XML or script."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines.system.files import require_writable, write_atomically
from cardwar_cli.console import advancing, say

if TYPE_CHECKING:
    from cardwar_envs.conformance import Result, Subject

MOST_SECONDS = 3600
# Exit codes: too few checks reached a verdict; Ctrl-C or SIGTERM.
TOO_LITTLE, INTERRUPTED = 3, 130


@dataclass(frozen=True)
class Wanted:
    """The checks to run, the known findings, and the files to write."""

    only: Sequence[str] = field(default_factory=list)
    skip: Sequence[str] = field(default_factory=list)
    baseline: Path | None = None
    write_baseline: bool = False
    junit: Path | None = None
    reproduce: Path | None = None

    def names(self) -> list[str]:
        """The checks to run; raises an error for conflicting options and for files that cannot be written."""
        from cardwar_envs.conformance.runner import selected

        if self.reproduce is not None and (self.reproduce.is_symlink() or self.reproduce.exists()):
            raise ValueError(f"--reproduce: {self.reproduce} already exists")
        if self.write_baseline and self.baseline is None:
            raise ValueError("--write-baseline needs --baseline FILE, the file to write")
        if self.junit is not None:
            import junitparser  # noqa: F401  # a missing extra is reported before the checks run
        for path in (self.junit, self.reproduce, self.baseline if self.write_baseline else None):
            if path is not None:
                require_writable(path)
        return selected(self.only, self.skip)

    def known(self) -> dict[str, dict[str, str]]:
        """The known findings of all environments; empty if the file is still to be written."""
        from cardwar_envs.conformance.baseline import read_baseline

        if self.baseline is None or (self.write_baseline and not self.baseline.exists()):
            return {}
        return read_baseline(self.baseline)


@dataclass(frozen=True)
class Report:
    """The results of checking an environment.

    Attributes:
        name: The environment.
        results: One per check that ran.
        planned: Number of checks to run.
        versions: Package -> version.
        seen: Kind of environment -> how many games, steps and so on were played.
        stale: Known findings that no longer occur.
        seconds: CPU time of the run, with its child processes.
    """

    name: str
    results: list[Result]
    planned: int
    versions: dict[str, str]
    seen: dict[str, dict[str, int]]
    stale: list[str]
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether all planned checks ran."""
        return len(self.results) == self.planned

    def failures(self) -> list[Result]:
        """The failures that are not known."""
        from cardwar_envs.conformance.verdicts import FAILED

        return [result for result in self.results if result.status == FAILED]

    @property
    def shortfall(self) -> str:
        """Says so if too few checks reached a verdict; empty otherwise."""
        from cardwar_envs.conformance.verdicts import shortfall

        return shortfall(self.results)

    @property
    def exit_code(self) -> int:
        """1 for failures, then 130 for an interrupted run, then 3 if too little was checked, else 0."""
        if self.failures():
            return 1
        return INTERRUPTED if not self.complete else TOO_LITTLE if self.shortfall else 0


def limits_of(seed: int | None, seconds: float | None, games: int | None) -> dict[str, Any]:
    """The arguments of `load` for seed and budget; the budget is in CPU seconds, or unlimited if `games` is given."""
    from cardwar_envs.conformance.subject import SECONDS

    if seed is not None and seed < 0:
        raise ValueError(f"--seed ({seed}) must be at least 0")
    if seconds is not None and not 0 < seconds <= MOST_SECONDS:
        raise ValueError(f"--seconds ({seconds:g}) must be above 0 and at most {MOST_SECONDS}")
    if games is not None and games < 1:
        raise ValueError(f"--games ({games}) must be at least 1")
    usual = SECONDS if games is None else float(MOST_SECONDS)
    return {"seed": seed or 0, "seconds": usual if seconds is None else seconds, "games": games}


def check_environment(
    name: str, words: list[str], looks: dict[str, Any], wanted: Wanted, everything: bool, as_json: bool
) -> int:
    """Runs `cardwar check ENVIRONMENT`: prints and writes the results; returns the exit code."""
    from cardwar_envs.conformance import load

    names, known = wanted.names(), wanted.known()
    with contextlib.redirect_stdout(sys.stderr):  # some environments print
        subject = load(name, words, **looks)
    report = _checked(subject, names, known, wanted)
    if as_json:
        print(json.dumps(_as_data(report)))
    else:
        _say_results(report, everything, wanted)
    if wanted.reproduce is not None and (failures := report.failures()):
        write_atomically(wanted.reproduce, failures[0].script.encode())
    if wanted.junit is not None:
        from cardwar_cli.junit import as_junit

        write_atomically(wanted.junit, as_junit(report.name, report.versions, report.results))
    return report.exit_code


def _checked(subject: Subject, names: list[str], known: dict[str, dict[str, str]], wanted: Wanted) -> Report:
    """Runs the checks; if requested, writes the failures to the baseline file, after which they count as known."""
    from cardwar_envs.conformance import CHECKS, versions
    from cardwar_envs.conformance.baseline import stale, updated
    from cardwar_envs.conformance.budget import processor_seconds
    from cardwar_envs.conformance.guard import Guard
    from cardwar_envs.conformance.runner import with_causes
    from cardwar_envs.conformance.verdicts import FAILED, KNOWN

    here = known.get(subject.name, {})
    results: list[Result] = []
    with Guard(subject, len(names)) as guard, _ended_by_signals(), advancing("checks", len(names)) as progress:
        for result in with_causes(map(guard.run, names), here):
            results.append(result)
            progress(len(results))
    gone = stale(results, here, CHECKS)
    if wanted.write_baseline and wanted.baseline is not None:
        write_atomically(wanted.baseline, updated(known, subject.name, results, CHECKS).encode())
        results = [dataclasses.replace(each, status=KNOWN) if each.status == FAILED else each for each in results]
        gone = []
    seen = guard.seen if len(results) == len(names) and len(names) == len(CHECKS) else {}
    with contextlib.redirect_stdout(sys.stderr):
        found = versions(subject)
    return Report(subject.name, results, len(names), found, seen, gone, processor_seconds())


def _as_data(report: Report) -> dict[str, Any]:
    told = {"environment": report.name, "passed": report.exit_code == 0, "shortfall": report.shortfall}
    told |= {"complete": report.complete, "seen": report.seen}
    checks = [dataclasses.asdict(result) for result in report.results]
    more = {"versions": report.versions, "stale": report.stale, "seconds": round(report.seconds, 1)}
    return {**told, **more, "checks": checks}


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """A context that Ctrl-C or SIGTERM leaves early; the program then continues."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


def _say_results(report: Report, everything: bool, wanted: Wanted) -> None:
    """Prints if too little was checked, notes, versions, how much was played, failures, and a count per verdict."""
    from cardwar_envs.conformance.runner import CHECKS
    from cardwar_envs.conformance.verdicts import FAILED, UNEVENTFUL, counted

    if report.shortfall:
        say(f"{report.shortfall}; see --seconds and --games")
    for result in report.results:
        if result.status != FAILED and (everything or result.status not in UNEVENTFUL):
            say(str(result))
    for check in report.stale:
        say(f"{'stale':<14}  {check}: no longer found, but listed in {wanted.baseline}; --write-baseline removes it")
    say(f"versions: {', '.join(f'{name} {version}' for name, version in report.versions.items())}")
    kinds = [f"{kind} {', '.join(f'{n:,} {what}' for what, n in seen.items())}" for kind, seen in report.seen.items()]
    if kinds:
        say(f"seen: {'; '.join(kinds)}")
    failures = report.failures()
    for result in failures:
        say(result.advised(CHECKS[result.check]))
    if failures:
        script = wanted.reproduce
        again = "--reproduce FILE writes a script" if script is None else f"{script} is a script"
        say(f"{again} that repeats the first failure")
    if wanted.write_baseline:
        say(f"{wanted.baseline} lists the known findings")
    left = "" if report.complete else f"; interrupted after {len(report.results)} of {report.planned} checks"
    say(f"{counted(report.results)}{left}")
