"""What a check can say, of an environment or of a game's rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

PASSED, FAILED, NOT_APPLICABLE, NOTED = "passed", "failed", "not applicable", "note"
NOT_TRIED, LITTLE_SEEN = "not tried", "little seen"
STATUSES = (PASSED, FAILED, NOTED, LITTLE_SEEN, NOT_TRIED, NOT_APPLICABLE)


class Failed(AssertionError):  # noqa: N818  # as pytest calls it
    """What is checked does what a check forbids; the message says where and what."""


class NotApplicable(Exception):  # noqa: N818  # not an error: there is nothing to check
    """What is checked lacks what a check is about; the message says what."""


class Noted(Exception):  # noqa: N818  # not an error: whoever wrote it may mean it so
    """Something is unusual, but not wrong; the message says what."""


class NotTried(Exception):  # noqa: N818  # not an error of what is checked
    """Something could not be tried on this machine; the message says why."""


class LittleSeen(Exception):  # noqa: N818  # not an error: nothing wrong was found so far
    """The time was over before much was seen; the message says how much."""


# What a check raises other than a failure -> its verdict.
VERDICTS = {NotApplicable: NOT_APPLICABLE, Noted: NOTED, NotTried: NOT_TRIED, LittleSeen: LITTLE_SEEN}


@dataclass(frozen=True)
class Result:
    """What a check has found.

    Attributes:
        check: Name of the check.
        status: "passed", "failed", "not applicable", "note", "not tried" or "little seen".
        reason: Why; empty if the check passed.
        follows: The earlier check whose failure probably brought this one about; empty if there is none.
        script: Python that does again what was done when the check failed; empty if it did not fail.
    """

    check: str
    status: str
    reason: str = ""
    follows: str = ""
    script: str = ""


def judged(name: str, check: Callable[[], None]) -> Result:
    """Runs a check; any error that is raised is a failure."""
    try:
        check()
    except tuple(VERDICTS) as reason:
        return Result(name, next(VERDICTS[kind] for kind in type(reason).__mro__ if kind in VERDICTS), str(reason))
    except Failed as reason:
        return Result(name, FAILED, str(reason))
    except Exception as error:
        return Result(name, FAILED, in_a_line(error))
    return Result(name, PASSED)


def in_a_line(error: BaseException) -> str:
    """The type and the message of an error, without line breaks."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
