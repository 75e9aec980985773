"""What a check can say."""

from __future__ import annotations

from dataclasses import dataclass

PASSED, FAILED, NOT_APPLICABLE = "passed", "failed", "not applicable"


class Failed(AssertionError):  # noqa: N818  # as pytest calls it
    """An environment does what a check forbids; the message says where and what."""


class NotApplicable(Exception):  # noqa: N818  # not an error: there is nothing to check
    """An environment lacks what a check is about; the message says what."""


@dataclass(frozen=True)
class Result:
    """What a check has found.

    Attributes:
        check: Name of the check.
        status: "passed", "failed" or "not applicable".
        reason: Why; empty if the check passed.
    """

    check: str
    status: str
    reason: str = ""


def in_a_line(error: BaseException) -> str:
    """The type and the message of an error, without line breaks."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
