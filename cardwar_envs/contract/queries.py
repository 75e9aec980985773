"""Queries of rules, whose results many checks share, and descriptions of where a check fails."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from operator import index
from random import Random
from typing import Any

import numpy as np

from cardwar_envs.contract.verdicts import Failed, NotApplicable, Noted, in_a_line
from cardwar_envs.core.game import Game, GameFacts, Transition

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


Actions = tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """What the rules return for a state."""

    state: Any
    acting: tuple[int, ...]  # the players who choose
    live: tuple[int, ...]  # the players still in the game
    legal: Mapping[int, Actions]  # legal actions of each live player, ascending
    moves: Mapping[Actions, Sequence[Transition[Any]]]  # outcomes of each joint action, in the order of `acting`
    whole: bool  # True if `moves` contains all joint actions

    def chosen(self, actions: Actions) -> dict[int, int]:
        """A joint action as player -> action."""
        return dict(zip(self.acting, actions, strict=True))

    def at(self, actions: Actions) -> str:
        """Describes the state and a joint action."""
        return where(self.state, actions=self.chosen(actions))

    def children(self) -> list[Any]:
        """The states that the listed moves lead to."""
        return [outcome.state for outcomes in self.moves.values() for outcome in outcomes]


class BadSeats(Failed):
    """Impossible acting or live players."""


class BadActions(Failed):
    """Impossible legal actions."""


def node_at(game: Game[Any], facts: GameFacts, state: Any, most: int, rng: Random) -> Node:
    """Queries the rules at a state; lists all joint actions, or a random sample if there are more than `most`.

    Raises:
        Failed: If a rule raises an error or returns something impossible.
    """
    acting, live = (query(game, rule, state, to=tuple) for rule in ("acting_players", "live_players"))
    if fault := seats_fault(facts, acting, live):
        raise BadSeats(f"{where(state)}: {fault}")
    legal = {player: _distinct(facts, state, player, query(game, "legal_actions", state, player)) for player in live}
    choices = [legal[player] for player in acting]
    count = math.prod(map(len, choices)) if acting else 0
    if count <= most:
        joint = list(product(*choices)) if acting else []
    else:
        joint = sorted({tuple(rng.choice(each) for each in choices) for _ in range(most)})
    moves = {actions: _outcomes(game, state, dict(zip(acting, actions, strict=True))) for actions in joint}
    return Node(state, acting, live, legal, moves, whole=count <= most)


def seats_fault(facts: GameFacts, acting: Sequence[Any], live: Sequence[Any]) -> str | None:
    """Describes a fault of the acting and live players, if any."""
    seats = range(facts.num_players)
    for what, players in (("acting_players", acting), ("live_players", live)):
        if not all(player in seats for player in players) or list(players) != sorted(set(players)):
            return f"{what} are {short(players)}, which must be seats 0..{seats[-1]}, ascending"
    if not set(acting) <= set(live):
        return f"acting_players are {acting}, but live_players are {live}: only live players can act"
    if bool(acting) != bool(live):
        return f"no player acts, but live_players are {live}: if the game is over, no player is live"
    return None


def _distinct(facts: GameFacts, state: Any, player: int, given: Any) -> Actions:
    at = where(state, player)
    try:
        numbers = [index(action) for action in given]
    except TypeError:
        raise BadActions(f"{at}: legal_actions are {short(given)}, which must be whole numbers") from None
    if not numbers:
        raise BadActions(f"{at}: there is no legal action, but the player is in the game")
    if not all(0 <= number < facts.num_actions for number in numbers):
        raise BadActions(f"{at}: legal_actions are {short(given)}, which must be in 0..{facts.num_actions - 1}")
    return tuple(sorted(set(numbers)))


def _outcomes(game: Game[Any], state: Any, actions: dict[int, int]) -> tuple[Transition[Any], ...]:
    outcomes: tuple[Any, ...] = query(game, "transitions", state, actions=dict(actions), to=tuple)
    for outcome in outcomes:
        if not isinstance(outcome, Transition):
            raise Failed(f"{where(state, actions=actions)}: {short(outcome)} is not a Transition")
    return outcomes
