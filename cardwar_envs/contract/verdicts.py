"""Verdicts of the checks of rules, the functions that run a check, and descriptions of where it fails."""

from __future__ import annotations

import inspect
import logging
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

PASSED, FAILED, NOTED, NOT_APPLICABLE = "passed", "failed", "note", "not applicable"
# Results that reports omit by default.
UNEVENTFUL = (PASSED, NOT_APPLICABLE)


class Failed(AssertionError):  # noqa: N818  # as pytest calls it
    """The rules violate the check; the message says where and how."""


class NotApplicable(Exception):  # noqa: N818  # not an error: there is nothing to check
    """The check does not apply to the game; the message says why."""


class Noted(Exception):  # noqa: N818  # not an error: it may be intended
    """Something is unusual, but not wrong; the message says what."""


@dataclass(frozen=True)
class Result:
    """The result of a check.

    Attributes:
        check: Name of the check.
        status: "passed", "failed", "note" or "not applicable".
        reason: Why; empty if the check passed.
    """

    check: str
    status: str
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.status:<14}  {self.check}" + (f": {self.reason}" if self.reason else "")

    def advised(self, check: Callable[..., object], instead: str = "") -> str:
        """The failure, and below it what must hold: the first paragraph of the check's docstring, or `instead`."""
        demanded = " ".join((inspect.getdoc(check) or "").partition("\n\n")[0].split())
        return f"{self}\n{'':16}must hold: {demanded}" + (f" Or {instead}." if instead else "")


def counted(results: Iterable[Result]) -> str:
    """The number of verdicts of each kind, e.g. "3 passed, 1 failed"."""
    counts = Counter(result.status for result in results)
    return ", ".join(
        f"{counts[status]} {status}" for status in (PASSED, FAILED, NOTED, NOT_APPLICABLE) if counts[status]
    )


def judged(name: str, check: Callable[[], None]) -> Result:
    """Runs a check; any other exception is a failure."""
    try:
        check()
    except NotApplicable as reason:
        return Result(name, NOT_APPLICABLE, str(reason))
    except Noted as reason:
        return Result(name, NOTED, str(reason))
    except Failed as reason:
        return Result(name, FAILED, str(reason))
    except Exception as error:
        return Result(name, FAILED, in_a_line(error))
    return Result(name, PASSED)


@contextmanager
def failing(words: str) -> Iterator[None]:
    """Turns any error into a failure whose message is `words`, then the original error."""
    try:
        yield
    except Exception as error:
        raise Failed(f"{words} {in_a_line(error)}") from error


def in_a_line(error: BaseException) -> str:
    """The type and the message of an error, without line breaks."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


@contextmanager
def quiet() -> Iterator[None]:
    """Suppresses warnings and logged warnings, which rules may give in every state."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)


# -- where a check fails ----------------------------------------------------------------------------

LONGEST = 240


def short(data: Any) -> str:
    """Describes data in one line, truncated."""
    try:
        text = " ".join(repr(data).split())
    except Exception as error:
        text = f"{type(data).__name__} whose repr raises {in_a_line(error)}"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def kind_of(data: Any) -> str:
    """The type of some data; for an array, its dtype and shape."""
    return f"{data.dtype}{list(data.shape)}" if isinstance(data, np.ndarray) else type(data).__name__


def where(state: Any, player: int | None = None, actions: Mapping[int, int] | None = None) -> str:
    """Describes a state with a player or a joint action (player -> action)."""
    words = [f"state {short(state)}"]
    if player is not None:
        words.append(f"player_{player}")
    if actions is not None:
        words.append(f"actions {dict(actions)}")
    return ", ".join(words)


@contextmanager
def querying(
    question: str, state: Any, player: int | None = None, actions: Mapping[int, int] | None = None
) -> Iterator[None]:
    """Turns an error of the rules into a failure that names the state and the query."""
    try:
        yield
    except (Failed, NotApplicable, Noted):
        raise
    except Exception as error:
        raise Failed(f"{where(state, player, actions)}: {question} raises {in_a_line(error)}") from error


def query(
    game: Any,
    rule: str,
    state: Any,
    player: int | None = None,
    actions: Mapping[int, int] | None = None,
    to: Callable[[Any], Any] = lambda answer: answer,
) -> Any:
    """Queries a rule at a state and converts its result by `to`; an error in either is a failure (see `querying`)."""
    with querying(rule, state, player, actions):
        return to(getattr(game, rule)(state, *(each for each in (player, actions) if each is not None)))
