"""A pytest plugin: `pytest --cardwar-env MODULE_OR_ID` runs the conformance checks as further tests.

It lies outside of `cardwar_envs` because pytest imports it in every run, also if nobody uses it.
"""

from __future__ import annotations

from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("cardwar", "conformance of simultaneous-move environments")
    group.addoption(
        "--cardwar-env",
        action="append",
        default=[],
        metavar="MODULE_OR_ID",
        help="check this environment; can be given more than once, parameters follow the name as KEY=VALUE",
    )
    group.addoption("--cardwar-zero-sum", action="store_true", help="rewards of these environments must sum to zero")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Adds a test for each check of each environment that was named."""
    for text in config.getoption("--cardwar-env"):
        from cardwar_envs.conformance import CHECKS, load  # only when needed: it imports much

        word, *words = text.split()
        try:
            subject = load(word, words, config.getoption("--cardwar-zero-sum") or None)
        except ValueError as error:
            raise pytest.UsageError(str(error)) from None
        for name in CHECKS:
            nodeid = f"{subject.name}::{name}"
            items.append(ConformanceItem.from_parent(session, name=name, nodeid=nodeid, subject=subject))


class ConformanceItem(pytest.Item):
    """One check of one environment."""

    def __init__(self, *, subject: Any, **rest: Any) -> None:
        super().__init__(**rest)
        self.subject = subject

    def runtest(self) -> None:
        """Runs the check; one that does not apply is skipped."""
        from cardwar_envs.conformance import run

        result = run(self.name, self.subject)
        if result.status == "not applicable":
            pytest.skip(result.reason)
        if result.status == "failed":
            pytest.fail(result.reason, pytrace=False)

    def reportinfo(self) -> tuple[Any, None, str]:
        """The name of the check in reports."""
        return self.path, None, f"{self.subject.name}: {self.name}"
