"""A pytest plugin: `--cardwar-game MODULE:CLASS` adds the checks of a game's rules as tests.

It lies outside `cardwar_envs` because pytest imports it in every run, even if unused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    parser.getgroup("cardwar", "checks of games").addoption(
        "--cardwar-game",
        action="append",
        default=[],
        metavar="MODULE:CLASS",
        help="check the rules of this game; parameters follow the name as KEY=VALUE; can be repeated",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Adds a test for each check of each game that was named."""
    try:
        for text in config.getoption("--cardwar-game"):
            from cardwar_envs.contract import CHECKS, check_game  # only when needed: slow to import
            from cardwar_envs.games import make_game

            word, *words = text.split()
            game = make_game(word, **_parameters(words))
            report = cache(partial(check_game, game))  # made once, by the first test
            for place, name in enumerate(CHECKS):
                result = partial(_result, report, place)
                item: CheckItem = CheckItem.from_parent(
                    session, name=name, nodeid=f"{text}::{name}", subject=text, result=result
                )
                items.append(item)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


def _parameters(words: list[str]) -> dict[str, Any]:
    """Parses `KEY=VALUE` words; values are Python literals if possible."""
    parameters: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name.isidentifier():
            raise ValueError(f"{word!r} must read KEY=VALUE, a parameter")
        try:
            parameters[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            parameters[name] = text
    return parameters


def _result(report: Callable[[], Any], place: int) -> Any:
    return report().results[place]


class CheckItem(pytest.Item):
    """One check of one game."""

    def __init__(self, *, subject: str, result: Callable[[], Any], **rest: Any) -> None:
        super().__init__(**rest)
        self.subject, self.result = subject, result

    def runtest(self) -> None:
        """Runs the check; skips it if it does not apply."""
        result = self.result()
        if result.status == "not applicable":
            pytest.skip(f"{result.status}: {result.reason}")
        if result.status == "failed":
            pytest.fail(result.reason, pytrace=False)

    def reportinfo(self) -> tuple[Any, None, str]:
        """The name of the check in reports."""
        return self.path, None, f"{self.subject}: {self.name}"
