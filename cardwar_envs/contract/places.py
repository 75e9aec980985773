"""Texts for places of failures, and a context manager that locates errors of the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from cardwar_envs.conformance.verdicts import Failed, NotApplicable, Noted, in_a_line

LONGEST = 240


def short(data: Any) -> str:
    """The data as one line of text, truncated."""
    try:
        text = " ".join(repr(data).split())
    except Exception as error:
        text = f"{type(data).__name__} whose repr raises {in_a_line(error)}"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def kind_of(data: Any) -> str:
    """The type of some data; of an array its dtype and shape."""
    return f"{data.dtype}{list(data.shape)}" if isinstance(data, np.ndarray) else type(data).__name__


def place(state: Any, player: int | None = None, actions: Mapping[int, int] | None = None) -> str:
    """A text for a state with a player or a joint action (player -> action)."""
    words = [f"state {short(state)}"]
    if player is not None:
        words.append(f"player_{player}")
    if actions is not None:
        words.append(f"actions {dict(actions)}")
    return ", ".join(words)


@contextmanager
def asking(
    question: str, state: Any, player: int | None = None, actions: Mapping[int, int] | None = None
) -> Iterator[None]:
    """Turns an error of the rules into a failure that names the state and the query."""
    try:
        yield
    except (Failed, NotApplicable, Noted):
        raise
    except Exception as error:
        raise Failed(f"{place(state, player, actions)}: {question} raises {in_a_line(error)}") from error


def ask(
    game: Any,
    rule: str,
    state: Any,
    player: int | None = None,
    actions: Mapping[int, int] | None = None,
    to: Callable[[Any], Any] = lambda answer: answer,
) -> Any:
    """A rule's answer at a state, converted by `to`; an error of either is a failure (see `asking`)."""
    with asking(rule, state, player, actions):
        return to(getattr(game, rule)(state, *(each for each in (player, actions) if each is not None)))
