"""The command `zoocheck ENVIRONMENT`: runs the checks and reports as text, JSON, JUnit XML or script."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Annotated, Any
from xml.etree import ElementTree

import typer
from rich.console import Console
from rich.progress import track

from zoocheck.guard import Guard
from zoocheck.report import read_baseline, stale, updated, versions
from zoocheck.runner import CHECKS, selected, with_causes
from zoocheck.subject import SECONDS, Subject, load
from zoocheck.verdicts import (
    FAILED,
    KNOWN,
    NOTED,
    PASSED,
    UNEVENTFUL,
    Result,
    counted,
    processor_seconds,
    shortfall,
)

MOST_SECONDS = 3600
# Exit codes: bad input; too few checks reached a verdict; Ctrl-C or SIGTERM.
BAD_INPUT, TOO_LITTLE, INTERRUPTED = 2, 3, 130
# The name of the first JUnit test case if too little was checked.
ENOUGH = "enough_was_checked"


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

    @property
    def failures(self) -> list[Result]:
        """The failures that are not known."""
        return [result for result in self.results if result.status == FAILED]

    @property
    def exit_code(self) -> int:
        """1 for failures, then 130 for an interrupted run, then 3 if too little was checked, else 0."""
        if self.failures:
            return 1
        return INTERRUPTED if not self.complete else TOO_LITTLE if shortfall(self.results) else 0

    def as_data(self) -> dict[str, Any]:
        """The report as plain data for JSON."""
        return {
            "environment": self.name,
            "passed": self.exit_code == 0,
            "shortfall": shortfall(self.results),
            "complete": self.complete,
            "seen": self.seen,
            "versions": self.versions,
            "stale": self.stale,
            "seconds": round(self.seconds, 1),
            "checks": [dataclasses.asdict(result) for result in self.results],
        }

    def as_junit(self) -> bytes:
        """The report as JUnit XML: one test suite, with the versions as properties and one test case per check.

        A note counts as passed; known findings, and checks that do not apply or saw too little, count as skipped. If
        too few checks reached a verdict, the first test case is an error that says so.
        """
        suite = ElementTree.Element("testsuite", name=self.name)
        properties = ElementTree.SubElement(suite, "properties")
        for name, version in self.versions.items():
            ElementTree.SubElement(properties, "property", name=name, value=version)
        if too_little := shortfall(self.results):
            _case(suite, self.name, ENOUGH, "error", too_little)
        for result in self.results:
            reason = printable(result.reason)
            if result.status == FAILED:
                text = f"{result.advised(CHECKS[result.check])}\n\n{result.script}"
                _case(suite, self.name, result.check, "failure", reason, printable(text))
            elif result.status == NOTED:
                _case(suite, self.name, result.check, "system-out", text=reason)
            elif result.status != PASSED:
                _case(suite, self.name, result.check, "skipped", f"{result.status}: {reason}")
            else:
                _case(suite, self.name, result.check)
        for kind, attribute in (("error", "errors"), ("failure", "failures"), ("skipped", "skipped")):
            suite.set(attribute, str(len(suite.findall(f"testcase/{kind}"))))
        suite.set("tests", str(len(suite.findall("testcase"))))
        suites = ElementTree.Element("testsuites")
        suites.append(suite)
        return bytes(ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True))


def _case(suite: Any, subject: str, check: str, kind: str = "", message: str = "", text: str = "") -> None:
    """Adds a test case with a result of this kind, if any, to a test suite."""
    case = ElementTree.SubElement(suite, "testcase", name=check, classname=subject)
    if kind:
        ElementTree.SubElement(case, kind, {"message": message} if message else {}).text = text or None


def check(
    environment: Annotated[
        str,
        typer.Argument(
            help="A module with env or parallel_env (pettingzoo.classic.rps_v2), a callable that makes an environment "
            "(my_package.my_env:make), or a PettingZoo id (classic/rps-v2)."
        ),
    ],
    parameters: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE ...]", help="Parameters of the environment.")
    ] = None,
    zero_sum: Annotated[
        bool, typer.Option("--zero-sum", help="Require zero-sum rewards even if not declared.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Random seed for the games played.")] = 0,
    seconds: Annotated[
        float | None, typer.Option(help=f"Approximate CPU seconds for all checks; default {SECONDS:g}.")
    ] = None,
    games: Annotated[
        int | None, typer.Option(help="Games or situations per search, so that results do not depend on speed.")
    ] = None,
    reproduce: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a script that reproduces the first failure to this file."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="CHECK", help="Run this check; can be given more than once.")
    ] = None,
    skip: Annotated[
        list[str] | None, typer.Option(metavar="CHECK", help="Skip this check; can be given more than once.")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of known findings, which do not count as failures.")
    ] = None,
    write_baseline: Annotated[
        bool, typer.Option("--write-baseline", help="Write the current failures to the file of --baseline.")
    ] = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the verdicts to this file as JUnit XML.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also print the checks that passed or do not apply.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Check any PettingZoo environment, AEC or Parallel, beyond PettingZoo's own tests.

    Prints failures last, each with the property that must hold. The exit code is 0 if no check fails, apart from known
    findings, 1 if any fails, 2 for bad input, 3 if fewer than half of the applicable checks reached a verdict, and 130
    if interrupted before any failure.
    """
    if reproduce is not None and (reproduce.is_symlink() or reproduce.exists()):
        raise ValueError(f"--reproduce: {reproduce} already exists")
    if write_baseline and baseline is None:
        raise ValueError("--write-baseline needs --baseline FILE, the file to write")
    names, limits = selected(only or [], skip or []), limits_of(seed, seconds, games)
    for path in (reproduce, junit, baseline if write_baseline else None):
        _require_writable(path)
    unwritten = baseline is None or (write_baseline and not baseline.exists())
    known = {} if baseline is None or unwritten else read_baseline(baseline)
    with contextlib.redirect_stdout(sys.stderr):  # some environments print
        subject = load(environment, parameters or [], zero_sum or None, **limits)
    report = _checked(subject, names, known.get(subject.name, {}))
    found = report.results
    if write_baseline:
        results = [
            dataclasses.replace(each, status=KNOWN) if each.status == FAILED else each for each in report.results
        ]
        report = dataclasses.replace(report, results=results, stale=[])
    if as_json:
        print(json.dumps(report.as_data()))
    else:
        _say_results(report, everything, baseline, write_baseline, reproduce)
    # After the results are printed: the disk may be full.
    if write_baseline and baseline is not None:
        _write(baseline, updated(known, subject.name, found, CHECKS).encode())
    if reproduce is not None and report.failures:
        _write(reproduce, report.failures[0].script.encode())
    if junit is not None:
        _write(junit, report.as_junit())
    return report.exit_code


def limits_of(seed: int, seconds: float | None, games: int | None) -> dict[str, Any]:
    """The arguments of `load` for seed and budget; the budget is in CPU seconds, or unlimited if `games` is given.

    Raises:
        ValueError: If one is out of range.
    """
    if seed < 0:
        raise ValueError(f"--seed ({seed}) must be at least 0")
    if seconds is not None and not 0 < seconds <= MOST_SECONDS:
        raise ValueError(f"--seconds ({seconds:g}) must be above 0 and at most {MOST_SECONDS}")
    if games is not None and games < 1:
        raise ValueError(f"--games ({games}) must be at least 1")
    usual = SECONDS if games is None else float(MOST_SECONDS)
    return {"seed": seed, "seconds": usual if seconds is None else seconds, "games": games}


def _checked(subject: Subject, names: list[str], known: dict[str, str]) -> Report:
    results: list[Result] = []
    console = Console(stderr=True)
    options: dict[str, Any] = {"console": console, "transient": True, "disable": not console.is_terminal}
    with Guard(subject, len(names)) as guard, _ended_by_signals():
        for result in track(with_causes(map(guard.run, names), known), "checks", len(names), **options):
            results.append(result)  # so that an interrupt leaves those so far
    seen = guard.seen if len(results) == len(names) == len(CHECKS) else {}
    with contextlib.redirect_stdout(sys.stderr):
        found = versions(subject)
    return Report(subject.name, results, len(names), found, seen, stale(results, known, CHECKS), processor_seconds())


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


def _require_writable(path: Path | None) -> None:
    """Raises an error, before the work, unless `_write` can make this file or replace it."""
    if path is None:
        return
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise ValueError(f"{path} is a link, a device, a pipe or a folder; give a plain file or a new one")
    try:
        with NamedTemporaryFile(prefix=f".{path.name}.", dir=path.parent):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _write(path: Path, content: bytes) -> None:
    """Replaces a file in one step, so that readers see either the old or the new content."""
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.unlink(missing_ok=True)
        with open(beside, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink()  # it would waste space on a full disk
        raise OSError(error.errno, error.strerror, str(path)) from None


def printable(text: str) -> str:
    """Escapes control and hidden characters, except newlines and tabs."""
    return "".join(each if each.isprintable() or each in "\n\t" else ascii(each)[1:-1] for each in text)


def _say(line: str) -> None:
    print(printable(line))


def _say_results(
    report: Report, everything: bool, baseline: Path | None, write_baseline: bool, reproduce: Path | None
) -> None:
    """Prints if too little was checked, notes, versions, how much was played, failures, and a count per verdict."""
    if too_little := shortfall(report.results):
        _say(f"{too_little}; see --seconds and --games")
    for result in report.results:
        if result.status != FAILED and (everything or result.status not in UNEVENTFUL):
            _say(str(result))
    for name in report.stale:
        _say(f"{'stale':<14}  {name}: no longer found, but listed in {baseline}; --write-baseline removes it")
    _say(f"versions: {', '.join(f'{name} {version}' for name, version in report.versions.items())}")
    kinds = [f"{kind} {', '.join(f'{n:,} {what}' for what, n in seen.items())}" for kind, seen in report.seen.items()]
    if kinds:
        _say(f"seen: {'; '.join(kinds)}")
    for result in report.failures:
        _say(result.advised(CHECKS[result.check]))
    if report.failures:
        again = "--reproduce FILE writes a script" if reproduce is None else f"{reproduce} is a script"
        _say(f"{again} that repeats the first failure")
    if write_baseline:
        _say(f"{baseline} lists the known findings")
    left = "" if report.complete else f"; interrupted after {len(report.results)} of {report.planned} checks"
    _say(f"{counted(report.results)}{left}")


def main(arguments: list[str] | None = None, program: str = "zoocheck") -> None:
    """Runs the command; an error is one line on stderr and exit code 2. `program` is its name in messages."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # last, so that its files cannot replace installed modules
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(epilog="Example: zoocheck pettingzoo.classic.rps_v2")(check)
    try:
        code = app(sys.argv[1:] if arguments is None else arguments, prog_name=program, standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:  # as after `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (KeyboardInterrupt, typer.Abort):
        code, message = INTERRUPTED, "interrupted"
    except (ValueError, OSError) as error:
        code, message = BAD_INPUT, str(error)
    except Exception as error:
        if not hasattr(error, "format_message"):  # an error of the command line
            raise
        code, message = BAD_INPUT, error.format_message()
    else:
        sys.exit(code if isinstance(code, int) else 0)
    print(f"{program.split()[0]}: {printable(' '.join(message.split()))}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
