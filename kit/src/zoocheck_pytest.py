"""A pytest plugin: `--zoocheck-env MODULE_OR_ID` adds the checks of an environment as tests.

It lies outside `zoocheck` because pytest imports it in every run, even if unused.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

# Names of properties in JUnit XML.
VERSIONS, STALE = "zoocheck_versions", "zoocheck_stale"
# The name of the last test of an environment, which fails if too little was checked.
ENOUGH = "enough_was_checked"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    add = parser.getgroup("zoocheck", "checks of environments of PettingZoo and Gymnasium").addoption
    named = "check this environment; parameters follow the name as KEY=VALUE; can be repeated"
    add("--zoocheck-env", action="append", default=[], metavar="MODULE_OR_ID", help=named)
    add("--zoocheck-seconds", type=float, metavar="SECONDS", help="approximate CPU seconds per environment")
    add("--zoocheck-games", type=int, metavar="N", help="games or situations per search, instead of a time limit")
    known = "expect the failures in this report, which `zoocheck --json` has written; can be repeated"
    add("--zoocheck-baseline", action="append", default=[], metavar="FILE", help=known)
    severity = "fail only for violations of this severity or above"
    add("--zoocheck-severity", choices=("error", "warning"), default="warning", help=severity)
    add("--zoocheck-zero-sum", action="store_true", help="rewards in all environments must sum to zero")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Adds a test for each check of each environment that was named."""
    try:
        for text in config.getoption("--zoocheck-env"):
            items += _items(session, config, *text.split())
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


def _items(session: pytest.Session, config: pytest.Config, word: str, *words: str) -> list[pytest.Item]:
    from zoocheck import CHECKS, command, grounds, guard, load, report  # only when needed: slow to import

    limits = command.limits_of(0, config.getoption("--zoocheck-seconds"), config.getoption("--zoocheck-games"))
    subject = load(word, words, config.getoption("--zoocheck-zero-sum") or None, **limits)
    known = report.known_findings(map(Path, config.getoption("--zoocheck-baseline"))).get(subject.name, [])
    runs, rests = guard.Guard(subject, len(CHECKS)), grounds.grounds(subject.gymnasium)
    config.add_cleanup(runs.close)
    results = {name: partial(runs.run, name) for name in CHECKS} | {ENOUGH: partial(_enough, runs)}
    told = {name: {"result": run, "known": name in known, "ground": rests.get(name)} for name, run in results.items()}
    return [CheckItem.from_parent(session, name=name, subject=subject, **more) for name, more in told.items()]


def _enough(guard: Any) -> Any:
    """Returns a failed result if too few of the checks that ran in this process reached a verdict."""
    from zoocheck import verdicts

    too_little = verdicts.shortfall(guard.results)
    return verdicts.Result(ENOUGH, verdicts.FAILED if too_little else verdicts.PASSED, too_little)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Prints the versions of the software checked, and the known findings that no longer fail."""
    reports = [each for kind in terminalreporter.stats.values() for each in kind]
    properties = [each for report in reports for each in getattr(report, "user_properties", ())]
    if lines := dict.fromkeys(text for name, text in properties if name in (VERSIONS, STALE)):
        terminalreporter.section("zoocheck")
        terminalreporter.write_line("\n".join(lines))


class CheckItem(pytest.Item):
    """One check of one environment; `known` if the baseline lists it, `ground` is what it rests on, if it applies."""

    def __init__(self, *, name: str, subject: Any, result: Any, known: bool, ground: Any, **rest: Any) -> None:
        super().__init__(name, nodeid=f"{subject.name}::{name}", **rest)
        self.subject, self.result, self.known, self.ground = subject, result, known, ground

    def runtest(self) -> None:
        """Runs the check; skips it if it does not apply, was skipped or is inconclusive."""
        from zoocheck import grounds, report, runner
        from zoocheck.verdicts import FAILED, INCONCLUSIVE, NOT_APPLICABLE, NOTED, PASSED, SKIPPED

        result = self.result()
        found = ", ".join(f"{name} {version}" for name, version in report.versions(self.subject).items())
        self.user_properties.append((VERSIONS, f"{self.subject.name}: {found}"))
        if self.known and result.status in (PASSED, NOTED, NOT_APPLICABLE):
            gone = f"{self.subject.name}: {self.name} no longer fails, but the baseline lists it"
            self.user_properties.append((STALE, gone))
        if result.status in (NOT_APPLICABLE, SKIPPED, INCONCLUSIVE):
            pytest.skip(f"{result.status}: {result.reason}")
        if result.status != FAILED:
            return
        if self.known:
            pytest.xfail(result.reason)
        if self.ground is not None and grounds.is_milder(self.ground, self.config.getoption("--zoocheck-severity")):
            pytest.skip(f"warning: {result.reason}")
        pytest.fail("\n".join([result.reason, *runner.advice(result, self.ground)]), pytrace=False)

    def reportinfo(self) -> tuple[Any, None, str]:
        """The name of the check in reports."""
        return self.path, None, f"{self.subject.name}: {self.name}"
