"""Verdicts of the checks, the functions that run a check, and the CPU time allowed to a run."""

from __future__ import annotations

import inspect
import logging
import math
import os
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

PASSED, FAILED, NOT_APPLICABLE, NOTED = "passed", "failed", "not applicable", "note"
SKIPPED, INCONCLUSIVE, KNOWN, WARNED = "skipped", "inconclusive", "known", "warning"
STATUSES = (PASSED, FAILED, WARNED, KNOWN, NOTED, INCONCLUSIVE, SKIPPED, NOT_APPLICABLE)
# Results that reports omit by default.
UNEVENTFUL = (PASSED, NOT_APPLICABLE)


class Failed(AssertionError):  # noqa: N818  # as pytest calls it
    """The subject violates the check; the message says where and how."""


class NotApplicable(Exception):  # noqa: N818  # not an error: there is nothing to check
    """The check does not apply to the subject; the message says why."""


class Noted(Exception):  # noqa: N818  # not an error: it may be intended
    """Something is unusual, but not wrong; the message says what."""


class Skipped(Exception):  # noqa: N818  # not an error of what is checked
    """The check could not run on this machine; the message says why."""


class Inconclusive(Exception):  # noqa: N818  # not an error: nothing wrong was found so far
    """The time ran out before enough was seen; the message says how much."""


class OutOfTime(BaseException):  # not an Exception: checks catch those as the environment's errors
    """The check, or the whole run, has used up its CPU time."""


# Exceptions other than failures -> their verdicts.
VERDICTS = {NotApplicable: NOT_APPLICABLE, Noted: NOTED, Skipped: SKIPPED, Inconclusive: INCONCLUSIVE}


@dataclass(frozen=True)
class Result:
    """The result of a check.

    Attributes:
        check: Name of the check.
        status: "passed", "failed", "known" (failed, and listed in the baseline), "warning" (failed, but milder than
            the severity asked for), "not applicable", "note", "skipped" or "inconclusive".
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


class Explanation(NamedTuple):
    """What a check's docstring says, each in one line."""

    demanded: str  # what must hold, its first paragraph
    meaning: list[str]  # its other paragraphs: why it matters and how it is checked
    example: str  # what violates it
    fix: str  # how to fix a violation


def explained(check: Callable[..., object]) -> Explanation:
    """The parts of a check's docstring; empty where it has none."""
    text, _, end = (inspect.getdoc(check) or "").partition("\n\nExample: ")
    demanded, *meaning = (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    example, _, fix = (" ".join(end.split())).partition(" Fix: ")
    return Explanation(demanded, meaning, example, fix)


def shortfall(results: Iterable[Result]) -> str:
    """Says so if fewer checks reached a verdict than were skipped or inconclusive; empty otherwise.

    Such a run says almost nothing about the environment, even if no check failed. Checks that do not apply count for
    neither side.
    """
    statuses = [result.status for result in results if result.status != NOT_APPLICABLE]
    reached = sum(status not in (SKIPPED, INCONCLUSIVE) for status in statuses)
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
    except (Failed, *VERDICTS) as reason:
        status = next((VERDICTS[kind] for kind in type(reason).__mro__ if kind in VERDICTS), FAILED)
        return Result(name, status, in_words(str(reason)))
    except Exception as error:
        return Result(name, FAILED, in_a_line(error))
    return Result(name, PASSED)


# The place of a difference in visible data, as in "[3].observations.bob.hand[0]: 1 and 2", and what it consists of.
PLACE = re.compile(
    r"(?<!\S)(?:\[(\d+)\]\.)?(?:told\.)?(observation|reward|termination|truncation|info|last|agents|agent_selection|render\(\))?(s\b)?"
    r"((?:\.'[^']*'|\.[^:.[\]]+|\[[\d, ]+\])*)(?=: )"
)
PART = re.compile(r"\.'([^']*)'|\.([^:.[\]]+)|\[([\d, ]+)\]")
OF_LAST = ("observation", "reward", "termination", "truncation", "info")


def in_words(reason: str) -> str:
    """The reason with the places of differences in words: "after step 3, observation of bob, key 'hand', entry 0"."""
    return PLACE.sub(_place_in_words, reason)


def _place_in_words(found: re.Match[str]) -> str:
    step, what, plural, rest = found.groups()
    parts = [(quoted or key, place) for quoted, key, place in PART.findall(rest)]
    words = [] if step is None else [f"after step {step}" if int(step) else "after reset"]
    if plural and parts:
        words.append(f"{what} of {parts.pop(0)[0]}")
    elif what == "last" and parts:
        words.append(f"{OF_LAST[int(parts.pop(0)[1])]} of last()")
    elif what == "render()" and parts:
        words.append(("the picture of render()", "what render() prints")[int(parts.pop(0)[1])])
    elif what:
        words.append(what + (plural or ""))
    for key, place in parts:
        words.append(f"key {key!r}" if key else f"entry [{place}]" if "," in place else f"entry {place}")
    return ", ".join(words)


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


# Maximum number of steps per episode, unless a check has to reach the end.
STEPS = 120
# A run ends after `MOST` times its seconds, plus `MORE` seconds for rendering and starting processes. A check may use
# `FAIR` times its equal part of the remaining time, at most 1 / `PARTS` of that time, and for each of its searches
# `MARGIN` times the search's share.
MOST, MORE, FAIR, PARTS, MARGIN = 1.5, 8.0, 2.0, 4, 1.5
# In slow environments, compared episodes are shortened to the steps that fit into these seconds, and their number is
# reduced in the same proportion, but neither below a minimum.
EPISODE_SECONDS, FEWEST_STEPS, FEWEST_GAMES = 0.08, 8, 4


@dataclass
class Budget:
    """Deadlines of a check and of the whole run; unlimited until `start`.

    Attributes:
        end: CPU time at which the run ends.
        deadline: CPU time at which the current check ends.
        to_come: The number of checks of the run that have not begun.
        longest: Maximum number of steps of compared episodes.
        spent: CPU seconds that earlier processes of the run have used.
        careful: Whether to make invalid calls only in the checks that test them: one has ended an earlier process.
        draws: Whether to draw pictures; not after that has ended an earlier process on a machine without a display.
    """

    end: float = math.inf
    deadline: float = math.inf
    to_come: int = 1
    longest: int = STEPS
    spent: float = 0.0
    careful: bool = False
    draws: bool = True

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

    def left(self) -> float | None:
        """The seconds until the deadline; None if there is none."""
        return None if self.deadline == math.inf else max(0.0, self.deadline - processor_seconds())

    def alarm(self) -> None:
        """Raises OutOfTime after the deadline."""
        if processor_seconds() > self.deadline:
            raise OutOfTime


def processor_seconds() -> float:
    """CPU time of this process and its finished children."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system
