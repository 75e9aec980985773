"""The command `zoocheck ENVIRONMENT`: runs the checks and reports."""

import contextlib
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import track
from typer import Argument, Option

from zoocheck import verdicts
from zoocheck.grounds import SEVERITIES, Ground, grounds, is_milder
from zoocheck.guard import Guard
from zoocheck.kinds import NAME
from zoocheck.report import known_findings, stale, versions
from zoocheck.runner import CHECKS, advice, selected, with_causes
from zoocheck.subject import SECONDS, Subject, load
from zoocheck.verdicts import FAILED, STATUSES, WARNED, Result, shortfall

# Exit codes: a check failed; bad input; too few checks reached a verdict; Ctrl-C or SIGTERM.
FAILURE, BAD_INPUT, TOO_LITTLE, INTERRUPTED = 1, 2, 3, 130
MOST_SECONDS = 3600


@dataclass(frozen=True)
class Report:
    """The results of checking an environment."""

    name: str  # of the environment
    results: list[Result]  # one per check that ran
    planned: int  # number of checks to run
    seen: dict[str, dict[str, int]]  # kind of environment -> how many games, steps and so on were played
    stale: list[str]  # known findings that no longer occur
    seconds: float  # CPU time of the run, with its child processes
    grounds: dict[str, Ground]  # check -> what it rests on, for those that apply to this kind of environment
    versions: dict[str, str]  # package -> version

    @property
    def complete(self) -> bool:
        """Whether all planned checks ran."""
        return len(self.results) == self.planned

    @property
    def failures(self) -> list[Result]:
        """The failures that count."""
        return [result for result in self.results if result.status == FAILED]

    @property
    def exit_code(self) -> int:
        """`FAILURE`, else `INTERRUPTED`, else `TOO_LITTLE`, else 0."""
        rest = INTERRUPTED if not self.complete else TOO_LITTLE if shortfall(self.results) else 0
        return FAILURE if self.failures else rest

    def as_data(self) -> dict[str, Any]:
        """The report as plain data for JSON."""
        data: dict[str, Any] = {
            "environment": self.name,
            "passed": self.exit_code == 0,
            "shortfall": shortfall(self.results),
        }
        data |= {name: getattr(self, name) for name in ("complete", "seen", "versions", "stale")}
        data |= {"seconds": round(self.seconds, 1), "checks": [asdict(result) for result in self.results]}
        for each in data["checks"]:
            if ground := self.grounds.get(each["check"]):
                each |= {"severity": ground.severity, "page": ground.page, "sentence": ground.sentence}
        return data

    def as_text(self, everything: bool) -> list[str]:
        """Notes, versions, how much was played, and violations, each below the one that explains it."""
        quiet = () if everything else (verdicts.PASSED, verdicts.NOT_APPLICABLE)
        lines = [str(each) for each in self.results if each.status not in (FAILED, WARNED, *quiet)]
        lines.append(f"versions: {', '.join(f'{name} {version}' for name, version in self.versions.items())}")
        seen = [f"{kind} {', '.join(f'{n:,} {what}' for what, n in each.items())}" for kind, each in self.seen.items()]
        lines += [f"seen: {'; '.join(seen)}"] * bool(seen)
        place = {result.check: number for number, result in enumerate(self.results)}
        found = [result for status in (WARNED, FAILED) for result in self.results if result.status == status]
        found.sort(key=lambda each: place.get(each.follows or each.check, 0))
        for each in found:
            lines += [str(each), *(f"{'':16}{line}" for line in advice(each, self.grounds.get(each.check)))]
        return lines

    def summary(self) -> str:
        """The number of verdicts of each kind, e.g. "3 passed, 1 failed"."""
        counts = Counter(result.status for result in self.results)
        said = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
        return said + f"; interrupted after {len(self.results)} of {self.planned} checks" * (not self.complete)

    def annotations(self) -> list[str]:
        """The violations as commands of GitHub's workflows, which show them with the run."""
        lines = []
        for result in (each for each in self.results if each.status in (FAILED, WARNED)):
            ground = self.grounds[result.check]
            text = printable("\n".join([result.reason, *advice(result, ground)]))
            text = text.replace("%", "%25").replace("\n", "%0A")
            lines.append(f"::{ground.severity} title=zoocheck {result.check}::{text}")
        return lines


def printable(text: str) -> str:
    """Escapes control and hidden characters, except newlines and tabs."""
    return "".join(each if each.isprintable() or each in "\n\t" else ascii(each)[1:-1] for each in text)


class Severity(StrEnum):  # noqa: D101  # for the option
    ERROR, WARNING = SEVERITIES


def check(
    environment: str = Argument(
        help="A module with env or parallel_env (pettingzoo.classic.rps_v2), a callable that makes an environment "
        "(my_package.my_env:make), or an id of PettingZoo (classic/rps-v2) or Gymnasium (CartPole-v1)."
    ),
    parameters: list[str] = Argument([], metavar="[KEY=VALUE ...]", help="Parameters of the environment."),
    zero_sum: bool = Option(False, "--zero-sum", help="Require zero-sum rewards even if not declared."),
    seed: int = Option(0, help="Random seed for the games played."),
    seconds: float | None = Option(None, help=f"Approximate CPU seconds for all checks; default {SECONDS:g}."),
    games: int | None = Option(None, help="Games or situations per search, so that results do not depend on speed."),
    reproduce: Path | None = Option(None, metavar="FILE", help="Write a script that reproduces the first failure."),
    only: list[str] = Option([], metavar="CHECK", help="Run this check; can be given more than once."),
    skip: list[str] = Option([], metavar="CHECK", help="Skip this check; can be given more than once."),
    severity: Severity = Option(Severity.WARNING, help="Fail only for violations of this severity or above."),
    baseline: Path | None = Option(None, metavar="FILE", help="A JSON report, whose failures do not count."),
    github: bool = Option(False, "--github", help="Also print annotations for GitHub's workflows."),
    everything: bool = Option(False, "--all", help="Also print the checks that passed or do not apply."),
    as_json: bool = Option(False, "--json", help="Print one JSON object and nothing else."),
) -> int:
    """Check any environment of PettingZoo, AEC or Parallel, or Gymnasium, beyond the tests of these libraries.

    Prints failures last, each with the property that must hold and the sentence of the documents that it breaks. The
    exit code is 0 if no check fails, apart from known findings, 1 if any fails, 2 for bad input, 3 if fewer than half
    of the applicable checks reached a verdict, and 130 if interrupted before any failure.
    """
    names, limits = selected(only, skip), limits_of(seed, seconds, games)
    known = known_findings([] if baseline is None else [baseline])
    with contextlib.redirect_stdout(sys.stderr):  # some environments print
        subject = load(environment, parameters, zero_sum or None, **limits)
    if reproduce is not None:
        reproduce.open("x").close()  # so that a file that exists, or cannot be written, is refused before the work
    report = _checked(subject, names, known.get(subject.name, []), severity)
    if as_json:
        print(json.dumps(report.as_data()))
    else:
        _say_results(report, everything, github, baseline, reproduce)
    if reproduce is not None and report.failures:
        reproduce.write_text(report.failures[0].script, encoding="utf-8")
    elif reproduce is not None:
        reproduce.unlink()
    return report.exit_code


def limits_of(seed: int, seconds: float | None, games: int | None) -> dict[str, Any]:
    """The arguments of `load` for seed and budget; raises a ValueError if one is out of range."""
    if seed < 0:
        raise ValueError(f"--seed ({seed}) must be at least 0")
    if seconds is not None and not 0 < seconds <= MOST_SECONDS:
        raise ValueError(f"--seconds ({seconds:g}) must be above 0 and at most {MOST_SECONDS}")
    if games is not None and games < 1:
        raise ValueError(f"--games ({games}) must be at least 1")
    return {"seed": seed, "seconds": seconds or (SECONDS if games is None else float(MOST_SECONDS)), "games": games}


def _checked(subject: Subject, names: list[str], known: list[str], severity: str) -> Report:
    console, rests = Console(stderr=True), grounds(subject.gymnasium)
    milder = [check for check in rests if is_milder(rests[check], severity)]
    options: dict[str, Any] = {"console": console, "transient": True, "disable": not console.is_terminal}
    results: list[Result] = []
    with Guard(subject, len(names)) as guard, _ended_by_signals():
        found = with_causes(map(guard.run, names), known, milder)
        for result in track(found, "checks", len(names), **options):
            results.append(result)  # so that an interrupt leaves those so far
    seen = guard.seen if len(results) == len(names) == len(CHECKS) else {}
    if subject.gymnasium:
        seen = dict(zip([NAME], seen.values(), strict=False))
    with contextlib.redirect_stdout(sys.stderr):
        found_versions = versions(subject)
    gone, spent = stale(results, known, CHECKS), verdicts.processor_seconds()
    return Report(subject.name, results, len(names), seen, gone, spent, rests, found_versions)


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


def _say_results(report: Report, everything: bool, github: bool, baseline: Path | None, reproduce: Path | None) -> None:
    """Prints if too little was checked, the report, what to do next, and a count per verdict."""
    lines = [f"{too_little}; see --seconds and --games"] if (too_little := shortfall(report.results)) else []
    gone = f"no longer fails, as it does in {baseline}"
    lines += [f"{'stale':<14}  {name}: {gone}" for name in report.stale] + report.as_text(everything)
    if report.failures:
        again = "--reproduce FILE writes a script" if reproduce is None else f"{reproduce} is a script"
        lines.append(f"{again} that repeats the first failure")
    lines += report.annotations() if github else []
    print(printable("\n".join([*lines, report.summary()])))


def main(arguments: list[str] | None = None, program: str = "zoocheck") -> None:
    """Runs the command; an error is one line on stderr and exit code 2. `program` is its name in messages."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # last, so that its files cannot replace installed modules
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(epilog="Example: zoocheck CartPole-v1")(check)
    try:
        code = app(sys.argv[1:] if arguments is None else arguments, prog_name=program, standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:  # as after `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (KeyboardInterrupt, typer.Abort):
        code, message = INTERRUPTED, "interrupted"
    except Exception as error:
        if not isinstance(error, ValueError | OSError) and not hasattr(error, "format_message"):
            raise
        code, message = BAD_INPUT, getattr(error, "format_message", error.__str__)()
    else:
        sys.exit(code if isinstance(code, int) else 0)
    print(f"{program.split()[0]}: {printable(' '.join(message.split()))}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
