"""Verdicts of the checks of environments and rules, and the functions that run a check."""

from __future__ import annotations

import inspect
import logging
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

PASSED, FAILED, NOT_APPLICABLE, NOTED = "passed", "failed", "not applicable", "note"
NOT_TRIED, LITTLE_SEEN, KNOWN = "not tried", "little seen", "known"
STATUSES = (PASSED, FAILED, KNOWN, NOTED, LITTLE_SEEN, NOT_TRIED, NOT_APPLICABLE)
# Results that reports omit by default.
UNEVENTFUL = (PASSED, NOT_APPLICABLE)


class Failed(AssertionError):  # noqa: N818  # as pytest calls it
    """The subject violates the check; the message says where and how."""


class NotApplicable(Exception):  # noqa: N818  # not an error: there is nothing to check
    """The check does not apply to the subject; the message says why."""


class Noted(Exception):  # noqa: N818  # not an error: it may be intended
    """Something is unusual, but not wrong; the message says what."""


class NotTried(Exception):  # noqa: N818  # not an error of what is checked
    """The check could not run on this machine; the message says why."""


class LittleSeen(Exception):  # noqa: N818  # not an error: nothing wrong was found so far
    """The time ran out before enough was seen; the message says how much."""


class OutOfTime(BaseException):  # not an Exception: checks catch those as the environment's errors
    """The check, or the whole run, has used up its CPU time."""


# Exceptions other than failures -> their verdicts.
VERDICTS = {NotApplicable: NOT_APPLICABLE, Noted: NOTED, NotTried: NOT_TRIED, LittleSeen: LITTLE_SEEN}


@dataclass(frozen=True)
class Result:
    """The result of a check.

    Attributes:
        check: Name of the check.
        status: "passed", "failed", "known" (failed, and listed in the baseline), "not applicable", "note", "not tried"
            or "little seen".
        reason: Why; empty if the check passed.
        follows: The earlier check whose failure probably caused this one; empty if none.
        script: Python code that reproduces the failure; empty if the check did not fail.
    """

    check: str
    status: str
    reason: str = ""
    follows: str = ""
    script: str = ""

    def __str__(self) -> str:
        follows = f" (follows {self.follows})" if self.follows else ""
        return f"{self.status:<14}  {self.check}{follows}" + (f": {self.reason}" if self.reason else "")

    def advised(self, check: Callable[..., object], instead: str = "") -> str:
        """The failure, and below it what `check` demands and how to fix it, or what to do `instead`."""
        told = explained(check)
        text = f"{self}\n{'':16}must hold: {told.demanded}" + (f" Or {instead}." if instead else "")
        return text + (f"\n{'':16}to fix: {told.fix}" if told.fix else "")


class Explanation(NamedTuple):
    """What a check's docstring says, each in one line.

    Attributes:
        demanded: What must hold, its first paragraph.
        meaning: Its other paragraphs: why it matters and how it is checked.
        example: What violates it.
        fix: How to fix a violation.
    """

    demanded: str
    meaning: list[str]
    example: str
    fix: str


def explained(check: Callable[..., object]) -> Explanation:
    """The parts of a check's docstring; empty where it has none."""
    text, _, end = (inspect.getdoc(check) or "").partition("\n\nExample: ")
    demanded, *meaning = (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    example, _, fix = (" ".join(end.split())).partition(" Fix: ")
    return Explanation(demanded, meaning, example, fix)


def shortfall(results: Iterable[Result]) -> str:
    """Says so if fewer checks reached a verdict than were not tried or saw too little; empty otherwise.

    Such a run says almost nothing about the environment, even if no check failed. Checks that do not apply count for
    neither side.
    """
    statuses = [result.status for result in results if result.status != NOT_APPLICABLE]
    reached = sum(status not in (NOT_TRIED, LITTLE_SEEN) for status in statuses)
    if 2 * reached >= len(statuses):
        return ""
    return f"too little was checked: only {reached} of {len(statuses)} checks reached a verdict"


def counted(results: Iterable[Result]) -> str:
    """The number of verdicts of each kind, e.g. "3 passed, 1 failed"."""
    counts = Counter(result.status for result in results)
    return ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])


def judged(name: str, check: Callable[[], None]) -> Result:
    """Runs a check; any other exception is a failure."""
    try:
        check()
    except tuple(VERDICTS) as reason:
        return Result(name, next(VERDICTS[kind] for kind in type(reason).__mro__ if kind in VERDICTS), str(reason))
    except Failed as reason:
        return Result(name, FAILED, str(reason))
    except Exception as error:
        return Result(name, FAILED, in_a_line(error))
    return Result(name, PASSED)


@contextmanager
def failing(words: str, kind: type[Exception] = Failed) -> Iterator[None]:
    """Turns any error into one of type `kind` whose message is `words`, then the original error."""
    try:
        yield
    except Exception as error:
        raise kind(f"{words} {in_a_line(error)}") from error


def in_a_line(error: BaseException) -> str:
    """The type and the message of an error, without line breaks."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


@contextmanager
def quiet() -> Iterator[None]:
    """Suppresses warnings: PettingZoo warns at imports by module and logs at every illegal action."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
