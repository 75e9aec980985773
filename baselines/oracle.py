"""What every oracle answers: the tables that solvers fill, and the results of the public functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy

Progress = Callable[[int], None]


# Observations go to a policy in batches of this size.
BATCH = 1 << 15


Strategies = tuple[NDArray[np.float64], NDArray[np.float64]]


class _Solved(NamedTuple):
    """A representative's solution; strategies are `[2, num_actions]`, value and gap payoff points."""

    value: float
    gap: float
    strategies: NDArray[np.float64]


def joint_choices(game: Game[Any], state: Any) -> list[list[dict[int, int]]]:
    """What each of two players can add to a joint action: nothing, where it does not act."""
    acting = game.acting_players(state)
    return [
        [{player: action} for action in game.legal_actions(state, player)] if player in acting else [{}]
        for player in (0, 1)
    ]


class Table(Protocol):
    """Equilibrium play at every state of a game of public state."""

    def all_seen(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """The strategies of those who see `[batch, observation_size]`: `[batch, num_actions]` probabilities."""


class EquilibriumPolicy:
    """Plays the equilibrium of a game of public state, from either seat."""

    by_words = True

    def __init__(self, table: Table) -> None:
        self._table = table

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Equilibrium strategies at the states that the observations show, `[batch, num_actions]`."""
        return self._table.all_seen(observations)


@dataclass(frozen=True)
class NashConv:
    """What the players could gain by deviating, each alone.

    Attributes:
        total: The sum over players, payoff points; 0 at an equilibrium.
        per_player: The gain of each player's best response over its payoff, payoff points.
        payoffs: What each player gets when nobody deviates, payoff points.
    """

    total: float
    per_player: tuple[float, ...]
    payoffs: tuple[float, ...]


Seats = Policy | str | Sequence[Policy | str]


@dataclass(frozen=True)
class BestResponse:
    """The best that one player can do against fixed policies of the others.

    Attributes:
        value: Its expected payoff, payoff points.
        policy: A deterministic best response (the lowest of the best actions), for that seat.
    """

    value: float
    policy: Policy


@dataclass(frozen=True)
class HeadToHead:
    """What happens between two policies, from the first one's side.

    Attributes:
        win: Probability that the first gets more than the second.
        loss: Probability that it gets less.
        tie: Probability that both get the same.
        mean: Expected payoff to the first, payoff points.
    """

    win: float
    loss: float
    tie: float
    mean: float
