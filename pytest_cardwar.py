"""A pytest plugin: `--cardwar-env MODULE_OR_ID` and `--cardwar-game MODULE:CLASS` add the checks as tests.

It lies outside `cardwar_envs` because pytest imports it in every run, even if unused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

# Names of properties in JUnit XML.
VERSIONS, STALE = "cardwar_versions", "cardwar_stale"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("cardwar", "checks of simultaneous-move environments and games")
    again = "parameters follow the name as KEY=VALUE; can be repeated"
    group.addoption(
        "--cardwar-env",
        action="append",
        default=[],
        metavar="MODULE_OR_ID",
        help=f"check this environment; {again}",
    )
    group.addoption("--cardwar-seconds", type=float, metavar="SECONDS", help="approximate CPU seconds per environment")
    group.addoption(
        "--cardwar-games", type=int, metavar="N", help="games or situations per search, instead of a time limit"
    )
    group.addoption(
        "--cardwar-baseline",
        metavar="FILE",
        help="expect the failures listed in this file, which `cardwar check --write-baseline` writes",
    )
    group.addoption("--cardwar-zero-sum", action="store_true", help="rewards in all environments must sum to zero")
    group.addoption(
        "--cardwar-game",
        action="append",
        default=[],
        metavar="MODULE:CLASS",
        help=f"check the rules of this game; {again}",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Adds a test for each check of each environment and game that was named."""
    try:
        for text in config.getoption("--cardwar-env"):
            from cardwar_envs.conformance import CHECKS, load, versions  # only when needed: slow to import
            from cardwar_envs.conformance.baseline import read_baseline
            from cardwar_envs.conformance.guard import Guard
            from cardwar_envs.conformance.subject import SECONDS

            word, *words = text.split()
            games = config.getoption("--cardwar-games")
            seconds = config.getoption("--cardwar-seconds") or (SECONDS if games is None else 3600.0)
            zero_sum = config.getoption("--cardwar-zero-sum") or None
            subject = load(word, words, zero_sum, seconds=seconds, games=games)
            baseline = config.getoption("--cardwar-baseline")
            known = read_baseline(Path(baseline)).get(subject.name, {}) if baseline else {}
            guard = Guard(subject, len(CHECKS))
            config.add_cleanup(guard.close)
            for name in CHECKS:
                item = _item(session, subject.name, name, partial(guard.run, name))
                item.known, item.versions = name in known, partial(versions, subject)
                items.append(item)
            items.append(_item(session, subject.name, "enough_was_checked", partial(_enough, guard)))
        for text in config.getoption("--cardwar-game"):
            from cardwar_envs.conformance.subject import parameters_of
            from cardwar_envs.contract import CHECKS as RULES
            from cardwar_envs.contract import check_game
            from cardwar_envs.games import make_game

            word, *words = text.split()
            game = make_game(word, **parameters_of(words))
            report = cache(partial(check_game, game))  # made once, by the first test
            results = [partial(_result, report, place) for place in range(len(RULES))]
            items += [_item(session, text, name, result) for name, result in zip(RULES, results, strict=True)]
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


def _enough(guard: Any) -> Any:
    """Fails if too few of the checks that ran in this process reached a verdict."""
    from cardwar_envs.conformance.verdicts import FAILED, PASSED, Result, shortfall

    told = shortfall(guard.results)
    return Result("enough_was_checked", FAILED if told else PASSED, told)


def _result(report: Callable[[], Any], place: int) -> Any:
    return report().results[place]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Prints the versions of the software checked, and the known findings that no longer fail."""
    reports = [each for kind in terminalreporter.stats.values() for each in kind]
    told = [
        text for each in reports for name, text in getattr(each, "user_properties", ()) if name in (VERSIONS, STALE)
    ]
    if told:
        terminalreporter.section("cardwar")
        for text in dict.fromkeys(told):
            terminalreporter.write_line(text)


def _item(session: pytest.Session, subject: str, name: str, result: Callable[[], Any]) -> CheckItem:
    item: CheckItem = CheckItem.from_parent(
        session, name=name, nodeid=f"{subject}::{name}", subject=subject, result=result
    )
    return item


class CheckItem(pytest.Item):
    """One check of one environment or game.

    Attributes:
        known: Whether the baseline lists the check.
        versions: Returns the versions of the software checked.
    """

    known = False
    versions: Callable[[], dict[str, str]] = dict

    def __init__(self, *, subject: str, result: Callable[[], Any], **rest: Any) -> None:
        super().__init__(**rest)
        self.subject, self.result = subject, result

    def runtest(self) -> None:
        """Runs the check; skips it if it does not apply, could not be tried or saw too little."""
        result = self.result()
        if found := self.versions():
            told = ", ".join(f"{name} {version}" for name, version in found.items())
            self.user_properties.append((VERSIONS, f"{self.subject}: {told}"))
        if self.known and result.status == "failed":
            pytest.xfail(result.reason)
        if self.known and result.status in ("passed", "note", "not applicable"):
            self.user_properties.append(
                (STALE, f"{self.subject}: {self.name} no longer fails, but the baseline lists it")
            )
        if result.status in ("not applicable", "not tried", "little seen"):
            pytest.skip(f"{result.status}: {result.reason}")
        if result.status == "failed":
            pytest.fail(result.reason, pytrace=False)

    def reportinfo(self) -> tuple[Any, None, str]:
        """The name of the check in reports."""
        return self.path, None, f"{self.subject}: {self.name}"
