"""Verdicts of the checks, the functions that run a check, and the CPU time allowed to a run."""

import inspect
import logging
import math
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

PASSED, FAILED, NOT_APPLICABLE, NOTED = "passed", "failed", "not applicable", "note"
SKIPPED, INCONCLUSIVE, KNOWN, WARNED = "skipped", "inconclusive", "known", "warning"
STATUSES = (PASSED, FAILED, WARNED, KNOWN, NOTED, INCONCLUSIVE, SKIPPED, NOT_APPLICABLE)
# Maximum number of steps per episode, unless a check has to reach the end.
STEPS = 120
# A run ends after `MOST` times its seconds, plus `MORE` seconds for rendering and starting processes. A check may use
# `FAIR` times its equal part of the remaining time, at most 1 / `PARTS` of that time, and for each of its searches
# `MARGIN` times the search's share.
MOST, MORE, FAIR, PARTS, MARGIN = 1.5, 8.0, 2.0, 4, 1.5
# In slow environments, compared episodes are shortened to the steps that fit into these seconds, and their number is
# reduced in the same proportion, but neither below a minimum.
EPISODE_SECONDS, FEWEST_STEPS, FEWEST_GAMES = 0.08, 8, 4


class Failed(AssertionError):  # noqa: N818  # as pytest calls it
    """The subject violates the check; the message says where and how."""


class NotApplicable(Exception):  # noqa: N818  # like the next three, not an error of what is checked
    """The check does not apply to the subject; the message says why."""


class Noted(Exception):  # noqa: N818
    """Something is unusual, but not wrong; the message says what."""


class Skipped(Exception):  # noqa: N818
    """The check could not run on this machine; the message says why."""


class Inconclusive(Exception):  # noqa: N818
    """The time ran out before enough was seen; the message says how much."""


class OutOfTime(BaseException):  # not an Exception: checks catch those as the environment's errors
    """The check, or the whole run, has used up its CPU time."""


# Exceptions other than failures -> their verdicts.
VERDICTS = {NotApplicable: NOT_APPLICABLE, Noted: NOTED, Skipped: SKIPPED, Inconclusive: INCONCLUSIVE}


@dataclass(frozen=True)
class Result:
    """The result of a check."""

    check: str
    status: str  # one of `STATUSES`; "known" is a failure in the baseline, "warning" one of a milder severity
    reason: str = ""
    follows: str = ""  # the earlier check whose failure probably caused this one
    script: str = ""  # Python code that reproduces the failure

    def __str__(self) -> str:
        follows = f" (follows {self.follows})" if self.follows else ""
        return f"{self.status:<14}  {self.check}{follows}" + (f": {self.reason}" if self.reason else "")


class Explanation(NamedTuple):
    """What a check's docstring says, each paragraph in one line."""

    demanded: str
    meaning: list[str]
    example: str
    fix: str


def explained(check: Callable[..., object]) -> Explanation:
    """The parts of a check's docstring."""
    *text, end = (" ".join(paragraph.split()) for paragraph in (inspect.getdoc(check) or "\n\n").split("\n\n"))
    example, _, fix = end.removeprefix("Example: ").partition(" Fix: ")
    return Explanation(text[0], text[1:], example, fix)


def shortfall(results: Iterable[Result]) -> str:
    """Says so if fewer checks reached a verdict than did not, of those that apply; empty otherwise."""
    statuses = [result.status for result in results if result.status != NOT_APPLICABLE]
    reached = sum(status not in (SKIPPED, INCONCLUSIVE) for status in statuses)
    if 2 * reached >= len(statuses):
        return ""
    return f"too little was checked: only {reached} of {len(statuses)} checks reached a verdict"


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


@dataclass
class Budget:
    """Deadlines, in CPU time, of a check and of the whole run; unlimited until `start`."""

    end: float = math.inf  # of the run
    deadline: float = math.inf  # of the current check
    to_come: int = 1  # the number of checks that have not begun
    longest: int = STEPS  # maximum number of steps of compared episodes
    spent: float = 0.0  # CPU seconds of earlier processes of the run
    careful: bool = False  # invalid calls only in the checks that test them: one has ended an earlier process
    draws: bool = True  # not after that has ended an earlier process on a machine without a display

    def start(self, seconds: float, whole: bool) -> None:
        """Starts a check and, if it is the first, a run of `seconds`; `whole` gives the check all remaining time."""
        now = processor_seconds()
        self.end = min(self.end, now + MOST * seconds + MORE - self.spent)
        self.deadline = self.end if whole else now + (self.end - now) / max(PARTS, self.to_come / FAIR)
        self.to_come -= 1

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Allows up to 1 / `PARTS` of the remaining time for a shared result, without charging this check."""
        began, own = processor_seconds(), self.deadline
        self.deadline = max(own, began + (self.end - began) / PARTS)
        try:
            yield
        finally:
            self.deadline = min(self.end, own + processor_seconds() - began)

    def extend(self, seconds: float) -> None:
        """Extends the check's deadline for a search that may take `seconds`."""
        self.deadline = min(self.end, self.deadline + MARGIN * seconds)

    def pace(self, seconds: float) -> None:
        """Limits the length of episodes, given the seconds per step."""
        self.longest = max(FEWEST_STEPS, min(self.longest, int(EPISODE_SECONDS / max(seconds, 1e-9))))

    def fewer(self, games: int) -> int:
        """The number of games to compare instead of `games`, fewer in slow environments."""
        return max(min(games, FEWEST_GAMES), games * self.longest // STEPS)

    def left(self) -> float:
        """The seconds until the deadline; infinite if there is none."""
        return max(0.0, self.deadline - processor_seconds())

    def alarm(self) -> None:
        """Raises OutOfTime after the deadline."""
        if processor_seconds() > self.deadline:
            raise OutOfTime


def processor_seconds() -> float:
    """CPU time of this process and its finished children."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system
