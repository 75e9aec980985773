"""Games as arrays: optional forms of the rules that let batches and solvers run at full speed."""

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


@dataclass(frozen=True)
class CompiledRules(Generic[S]):
    """A game's rules compiled for many states at once; a property test compares them with the Python rules.

    A state is stored as a row of numbers; if the state is public, the row is player 0's observation. The functions in
    `bodies` write into the arrays that they receive. They draw from one stream per game (see `core.streams`) in the
    same order as the Python rules, so both play the same games. The first arguments of each are `tables` and `rows`,
    `[num_games, row_size]` float32; `where` `[num_games]` selects games:

    * `deal(tables, rows, streams, where, random)`: starts games; if `random`, each starts after a uniformly drawn
    number of turns, in which every card is equally likely to be played.
    * `illegal(tables, rows, actions, where, flags)`: marks in `[num_games, num_players]` the players who choose an
    illegal action; returns whether there are any.
    * `play(tables, rows, streams, actions, where, rewards, over)`: plays legal actions; writes rewards `[num_games,
    num_players]` float64 and marks ended games in `over`.
    * `acting(tables, rows, acts)`: marks in `[num_games, num_players]` the players who choose now.
    * `uniform(tables, rows, streams, where, player, actions)`: draws the player's actions under uniform play,
    `[num_games]`.
    * `observe(tables, rows, first, observations, masks)`: writes what the players `first`, `first + 1`, ... observe and
    all entries of their masks, `[num_games, number of these players, ...]`.
    * `outcomes(tables, rows, actions, after, probabilities, rewards, over)`, if `most_outcomes` is more than 1: writes
    every outcome of a joint action in each game as rows `[num_games, most_outcomes, row_size]`, with probabilities
    `[num_games, most_outcomes]` (0 where there are fewer outcomes), rewards and ends.

    Attributes:
        bodies: The module of the compiled functions.
        tables: The game's parameters in the form that these functions need.
        row_size: Length of a row.
        to_row: Converts a state to a row; by default to player 0's observation, which must show the whole state.
        from_row: Converts a row to a state; by default with `Game.state_of`.
        info: `Game.info` for observations `[num_games, observation_size]`.
        live: Maps rows to `[num_games, num_players]` bool, the players still in the game; by default all players while
            any of them acts.
        most_outcomes: The greatest number of outcomes of a joint action; 1 also if `bodies` does not list outcomes.
    """

    bodies: ModuleType
    tables: tuple[Any, ...]
    row_size: int
    to_row: Callable[[S], NDArray[np.float32]] | None = None
    from_row: Callable[[NDArray[np.float32]], S] | None = None
    info: Callable[[NDArray[np.float32]], Info] = lambda observations: {}
    live: Callable[[NDArray[np.float32]], NDArray[np.bool_]] | None = None
    most_outcomes: int = 1

    def __deepcopy__(self, memo: dict[int, Any]) -> CompiledRules[S]:
        return self  # immutable


@dataclass(frozen=True)
class BayesianForm:
    """Arrays for a two-player zero-sum game in which each player moves once, knowing only private information.

    A type is a player's private information. The arrays describe millions of deals without a `Transition` for each. A
    property test compares them with the rules.

    Attributes:
        deals: `[types of 0, types of 1]` integers, proportional to the probability of each deal.
        payoffs: `[types of 0, types of 1, actions of 0, actions of 1]` payoff points to player 0;
            Fractions (dtype object) if floats would round them.
        observations: `[types, observation_size]` per player.
        actions: Each player's actions, in the order of the last two axes of `payoffs`.
        types: A name for each type of each player.
        certain: Whether a deal and two actions determine the payoff. If not, `payoffs` are means, from which the odds
            of winning cannot be computed.
        rounded: A number in the rules that is a rounded float, so that `payoffs` are not exact; None if there is none.
    """

    deals: NDArray[np.int64]
    payoffs: NDArray[Any]
    observations: tuple[NDArray[np.float32], NDArray[np.float32]]
    actions: tuple[tuple[int, ...], tuple[int, ...]]
    types: tuple[tuple[str, ...], tuple[str, ...]]
    certain: bool = True
    rounded: float | None = None

    @property
    def weights(self) -> NDArray[np.float64]:
        """`[types of 0, types of 1]` probabilities of the deals."""
        weights: NDArray[np.float64] = self.deals / self.deals.sum()
        return weights


@dataclass(frozen=True)
class RoundsForm(ABC, Generic[S]):
    """Arrays that list every position of a two-player game of many rounds once.

    A state is a position and the number of rounds left. The game must have no chance, treat both players alike, and pay
    only at the end: the loser pays the winner 1 point, or nothing is paid. A position and its mirror image (with the
    seats swapped) are one node; code `2 * node` means the position itself, `2 * node + 1` its mirror image. Node 0 is a
    game won by player 0, node 1 a drawn game. The next position depends on each player's option (choices that put down
    the same cards are one option) and on which player is then stronger. A property test compares the arrays with the
    rules.

    Attributes:
        levels: `[levels + 1]`: nodes `levels[i]:levels[i + 1]` are level `i`. The last level holds the positions at
            which a round begins; moves to it end a round. All other levels lie within a round and are reached from
            higher levels.
        lists: `[nodes, 2]`, the list of choices of each seat.
        rows: `[lists + 1]`: list `k` is the choices `rows[k]:rows[k + 1]`, in order of their actions.
        actions: `[choices]` actions; a player who must wait has only that choice.
        options: `[choices]`, the number of the choice's option, from 0 in each list.
        strengths: `[choices]`; the player whose choice has the higher strength is stronger.
        option_counts: `[lists]`, the number of options in each list.
        first: `[nodes]`, the index of the node's first entry in `children`.
        children: `[entries]` codes of the next positions, for each pair of options of a node in row-major order (player
            0's option first). The last level has one code per pair. Other levels have three: for player 0 stronger,
            for player 1 stronger, and for neither; -1 marks an impossible case.
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
        """Number of positions at which a round begins, up to swapping the seats."""
        return int(self.levels[-1] - self.levels[-2])

    @abstractmethod
    def code(self, state: S) -> int:
        """The code of a non-terminal state, or -1 if it is not among the nodes."""

    @abstractmethod
    def rounds_left(self, state: S) -> int:
        """Rounds left, including the current one."""

    @abstractmethod
    def state(self, code: int, rounds_left: int) -> S:
        """The state of a code of at least 4."""

    @abstractmethod
    def seen(self, codes: NDArray[np.int64], rounds_left: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Player 0's observations `[k, observation_size]` and masks `[k, num_actions]`.

        Player 1's observation and mask at a position are player 0's at its mirror image.
        """

    @abstractmethod
    def codes_seen(self, observations: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Codes (or -1) and rounds left of `[k, observation_size]` observations."""
