"""A game as arrays: what a game can hand over beside its rules, for batches and solvers at full speed."""

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
    """A game's rules over many states at once; a property test holds them to the rules themselves.

    A state is a row of numbers, the same that player 0 sees if the state is public. The bodies write
    into the arrays that they are given and draw from one stream per game (see `core.streams`), in
    the order in which the rules are drawn from, so that both go the same way. All take the tables
    and `rows` `[num_games, row_size]` float32 first; `where` `[num_games]` says for which games:

    * `deal(tables, rows, streams, where, random)`: a start; if `random`, one from a state reached
      by uniform play (every card alike) to a uniformly drawn depth.
    * `illegal(tables, rows, actions, where, flags)`: marks in `[num_games, 2]` who chooses what is
      not allowed; returns whether anyone does.
    * `play(tables, rows, streams, actions, where, rewards, over)`: plays legal actions; rewards are
      `[num_games, 2]` float64, and `over` says which games have ended by it.
    * `acting(tables, rows, acts)`: marks in `[num_games, 2]` who is to choose.
    * `uniform(tables, rows, streams, where, player, actions)`: draws what uniform play puts down in
      that player's seat, `[num_games]`.
    * `observe(tables, rows, observations, masks, written)`: what both players see, `[num_games, 2,
      ...]`. `masks` are all 0, or are as the last call left them together with `written`
      `[num_games, 2]` int8, which is all 0 at first.

    Attributes:
        bodies: The module of the compiled bodies.
        tables: What they must know of the game's parameters.
        row_size: Length of a row.
        to_row: A state as a row.
        from_row: The state of a row.
        info: Observations `[num_games, observation_size]` -> what `Game.info` says of each.
    """

    bodies: ModuleType
    tables: tuple[Any, ...]
    row_size: int
    to_row: Callable[[S], NDArray[np.float32]]
    from_row: Callable[[NDArray[np.float32]], S]
    info: Callable[[NDArray[np.float32]], Info] = _no_info

    def __deepcopy__(self, memo: dict[int, Any]) -> CompiledRules[S]:
        return self  # nothing in it changes


@dataclass(frozen=True)
class BayesianForm:
    """A two-player zero-sum game in which both players move once, on private information, as arrays.

    A type is what a player is told in private. What solvers need of millions of deals stands in
    here without a `Transition` for each; a property test holds it and the rules together.

    Attributes:
        deals: `[types of 0, types of 1]` whole numbers, in proportion to the probability of each deal.
        payoffs: `[types of 0, types of 1, actions of 0, actions of 1]` payoff points to player 0.
        observations: Per player `[types, observation_size]`, what it sees.
        actions: Per player, the actions that the last two axes of `payoffs` stand for.
        types: Per player, a word for each type.
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

    A state is a position and the rounds left. For two players whom the rules treat alike, without
    chance, who win a point from the other (1), lose it (-1) or end with nothing (0), when the game ends.
    A position and its mirror image, the seats swapped, are one node; the code `2 * node` stands for the
    position as it is, `2 * node + 1` for its image. Node 0 is a game that player 0 has won, node 1 one
    that nobody has won. What a joint choice leads to depends on the option that each player takes and on
    who is then the stronger. A property test holds this and the rules together.

    Attributes:
        levels: `[levels + 1]`: nodes `levels[i]:levels[i + 1]` are level `i`. The last level is the
            positions at which a round begins, reached with one round less; all others lie within a round
            and are reached from the last level and from higher ones.
        lists: `[nodes, 2]`, for each seat the list of choices that it has.
        rows: `[lists + 1]`: list `k` is the choices `rows[k]:rows[k + 1]`, in order of their actions.
        actions: `[choices]` actions; a player who waits has that one choice.
        options: `[choices]`, the number of the option that the choice takes, from 0 in each list.
        strengths: `[choices]`, who has the higher is the stronger.
        option_counts: `[lists]`.
        first: `[nodes]`, where the node's entries in `children` begin.
        children: `[entries]` codes, for each pair of options (player 0's first) of a node: one in the
            last level, elsewhere three, for player 0 the stronger, player 1, and neither; -1: that cannot be.
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
