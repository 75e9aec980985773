"""A game as arrays: what a game can offer beside its rules, so that batches and solvers run at full speed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

S = TypeVar("S", bound=Hashable)
Info = dict[str, NDArray[Any]]


def _no_info(observations: NDArray[np.float32]) -> Info:
    return {}


@dataclass(frozen=True)
class CompiledRules(Generic[S]):
    """A game's rules over many states at once, compiled; a property test compares them with the rules themselves.

    A state is a row of numbers: what player 0 sees, if the state is public. The bodies write into the
    arrays that they are given. They draw from one stream per game (see `core.streams`), in the same
    order as play by the rules does, so that both play the same games. All take the tables and `rows`
    `[num_games, row_size]` float32 first; `where` `[num_games]` says for which games:

    * `deal(tables, rows, streams, where, random)`: starts games; if `random`, from a state reached
      by uniform play (every card alike) to a uniformly drawn depth.
    * `illegal(tables, rows, actions, where, flags)`: marks in `[num_games, num_players]` which players
      choose an illegal action; returns whether any does.
    * `play(tables, rows, streams, actions, where, rewards, over)`: plays legal actions; rewards are
      `[num_games, num_players]` float64, and `over` says which games have ended by it.
    * `acting(tables, rows, acts)`: marks in `[num_games, num_players]` which players choose now.
    * `uniform(tables, rows, streams, where, player, actions)`: draws an action of uniform play for
      that player, `[num_games]`.
    * `observe(tables, rows, observations, masks, written)`: writes what the players see, `[num_games,
      num_players, ...]`. `masks` and `written` (`[num_games, num_players]` int8) are all 0 in the first
      call; later calls may pass them as the last call left them, which saves clearing the masks.

    Attributes:
        bodies: The module of the compiled bodies.
        tables: The game's parameters, as the bodies need them.
        row_size: Length of a row.
        to_row: Turns a state into a row.
        from_row: Turns a row into a state.
        info: Turns observations `[num_games, observation_size]` into what `Game.info` says of each.
        live: Turns rows into `[num_games, num_players]` bool, who is still in the game; if not given, all
            players are as long as one of them acts.
    """

    bodies: ModuleType
    tables: tuple[Any, ...]
    row_size: int
    to_row: Callable[[S], NDArray[np.float32]]
    from_row: Callable[[NDArray[np.float32]], S]
    info: Callable[[NDArray[np.float32]], Info] = _no_info
    live: Callable[[NDArray[np.float32]], NDArray[np.bool_]] | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> CompiledRules[S]:
        return self  # nothing in it changes


@dataclass(frozen=True)
class BayesianForm:
    """A two-player zero-sum game in which both players move once, on private information, as arrays.

    A type is what a player is told in private. Solvers need millions of deals, which these arrays hold
    without a `Transition` for each; a property test compares them with the rules.

    Attributes:
        deals: `[types of 0, types of 1]` whole numbers, proportional to the probability of each deal.
        payoffs: `[types of 0, types of 1, actions of 0, actions of 1]` payoff points to player 0.
        observations: What each player sees, `[types, observation_size]` per player.
        actions: The actions of each player that the last two axes of `payoffs` stand for.
        types: A word for each type of each player.
    """

    deals: NDArray[np.int64]
    payoffs: NDArray[np.float64]
    observations: tuple[NDArray[np.float32], NDArray[np.float32]]
    actions: tuple[tuple[int, ...], tuple[int, ...]]
    types: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def weights(self) -> NDArray[np.float64]:
        """`[types of 0, types of 1]` probabilities of the deals."""
        weights: NDArray[np.float64] = self.deals / self.deals.sum()
        return weights


@dataclass(frozen=True)
class RoundsForm(ABC, Generic[S]):
    """The positions of a two-player game of many rounds, each once, as arrays.

    A state is a position and the number of rounds left. The form is for games without chance that treat
    both players alike and pay only at the end: 1 point to the winner from the loser, or nothing.
    A position and its mirror image (the seats swapped) are one node; the code `2 * node` stands for the
    position as it is, `2 * node + 1` for its image. Node 0 is a game that player 0 has won, node 1 a game
    that nobody has won. Where a joint choice leads depends on the option that each player takes (choices
    that put down the same cards are one option) and on which player is then the stronger. A property
    test compares the form with the rules.

    Attributes:
        levels: `[levels + 1]`: nodes `levels[i]:levels[i + 1]` are level `i`. The last level holds the
            positions at which a round begins; moves to it end a round. All other levels lie within a round
            and are reached from higher levels.
        lists: `[nodes, 2]`, for each seat the list of choices that it has.
        rows: `[lists + 1]`: list `k` is the choices `rows[k]:rows[k + 1]`, in order of their actions.
        actions: `[choices]` actions; a player who waits has that one choice.
        options: `[choices]`, the number of the option that the choice takes, from 0 in each list.
        strengths: `[choices]`; the player with the higher one is the stronger.
        option_counts: `[lists]`.
        first: `[nodes]`, where the node's entries in `children` begin.
        children: `[entries]` codes for each pair of options (player 0's first) of a node: one in the last
            level; three elsewhere, if player 0 is the stronger, if player 1 is, and if neither is; -1 if
            that cannot be.
    """

    levels: NDArray[np.int64]
    lists: NDArray[np.int32]
    rows: NDArray[np.int64]
    actions: NDArray[np.int32]
    options: NDArray[np.int32]
    strengths: NDArray[np.int32]
    option_counts: NDArray[np.int64]
    first: NDArray[np.int64]
    children: NDArray[np.int32]

    @property
    def positions(self) -> int:
        """Positions at which a round begins, up to swapping the seats."""
        return int(self.levels[-1] - self.levels[-2])

    @abstractmethod
    def code(self, state: S) -> int:
        """The code of a state in which the game goes on, -1 if it is not among the nodes."""

    @abstractmethod
    def rounds_left(self, state: S) -> int:
        """Rounds that can still be played, the one going on included."""

    @abstractmethod
    def state(self, code: int, rounds_left: int) -> S:
        """The state of a code from 4 on."""

    @abstractmethod
    def seen(self, codes: NDArray[np.int64], rounds_left: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """What player 0 sees: `[k, observation_size]` observations and `[k, num_actions]` masks.

        Player 1 sees at a position what player 0 sees at its mirror image.
        """

    @abstractmethod
    def codes_seen(self, observations: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The codes, or -1, and the rounds left that `[k, observation_size]` observations show."""
