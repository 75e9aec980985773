"""The interface of engines, which step many games at once for batches and vector environments.

All engines draw from the same streams in the same order, so a seed produces the same games with every engine. The only
exception is uniform play of WAR: see `CompiledEngine`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.forms import Info
from cardwar_envs.core.game import Game, IllegalActionError, S
from cardwar_envs.core.kernels import kernels
from cardwar_envs.core.rules import illegal_action_error


class Views(NamedTuple):
    """The observations and masks of all players in some games.

    Attributes:
        observations: `[games, num_players, observation_size]` float32.
        masks: `[games, num_players, num_actions]` int8, all 0 for players who are out of their game.
    """

    observations: NDArray[np.float32]
    masks: NDArray[np.int8]

    def of(self, games: Any) -> Views:
        """The views of some games: indices, a slice or a mask."""
        return Views(self.observations[games], self.masks[games])


class Outcomes(NamedTuple):
    """Every outcome of a joint action in some games, ordered by game.

    Attributes:
        games: `[outcomes]`, the index of the game.
        probabilities: `[outcomes]`, given the joint action.
        rewards: `[outcomes, num_players]` payoff points.
        done: `[outcomes]`, whether the game is over.
        views: The players' views, `[outcomes, num_players, ...]`; meaningless if the game is over.
    """

    games: NDArray[np.intp]
    probabilities: NDArray[np.float64]
    rewards: NDArray[np.float64]
    done: NDArray[np.bool_]
    views: Views


class Engine(ABC, Generic[S]):
    """Independent games of one kind.

    The argument `where`, `[num_games]` bool, selects games.

    Attributes:
        game: The rules.
        streams: `[num_games]` uint64, each game's stream of chance.
    """

    def __init__(self, game: Game[S], streams: NDArray[np.uint64]) -> None:
        self.game, self.streams = game, streams
        self.shape = len(streams), game.facts.num_players

    @abstractmethod
    def deal(self, where: NDArray[np.bool_], random: bool) -> NDArray[np.float64]:
        """Restarts games; returns `[num_games, num_players]` payoff points paid by the deals."""

    @abstractmethod
    def place(self, states: Sequence[S], where: NDArray[np.bool_]) -> None:
        """Puts the games into states that have been checked: one per game, or one for all."""

    @abstractmethod
    def place_seen(self, observations: NDArray[np.float32]) -> None:
        """Puts every game into the state that player 0 observes, `[num_games, observation_size]`, if it is public."""

    @abstractmethod
    def states(self, places: NDArray[np.intp] | None = None) -> list[S]:
        """The states of the games at `places`, or of all."""

    @abstractmethod
    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The states of all games as arrays by name, without pickled objects; see `restore`."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Puts the games into the states of a snapshot; raises a ValueError if it is not one of such games."""

    def keep(self, where: NDArray[np.bool_]) -> None:
        """Drops all games outside `where`."""
        self.streams = self.streams[where]
        self.shape = len(self.streams), self.shape[1]

    @abstractmethod
    def acting(self) -> NDArray[np.bool_]:
        """`[num_games, num_players]`: which players choose now."""

    @abstractmethod
    def live(self) -> NDArray[np.bool_]:
        """`[num_games, num_players]`: which players are still in their game."""

    def asked(self, player: int, places: NDArray[np.intp] | None = None) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether the player chooses now, and whether it is still in its game, in the games at `places` or in all."""
        which: Any = slice(None) if places is None else places
        return self.acting()[which, player], self.live()[which, player]

    @abstractmethod
    def illegal(self, actions: NDArray[np.int64], where: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        """`[num_games, num_players]`: which acting players choose an illegal action; None if there are none."""

    def illegal_action_error(self, place: int, player: int, action: int, hint: str = "") -> IllegalActionError:
        """The error for an action that `illegal` has marked; its message ends with `hint`."""
        legal = self.game.legal_actions(self.states()[place], player)
        return illegal_action_error(f"game {place}: player_{player}", action, legal, hint)

    @abstractmethod
    def play(self, actions: NDArray[np.int64], where: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Plays legal joint actions, `[num_games, num_players]`.

        Returns:
            Payoff points `[num_games, num_players]` float64, and `[num_games]` whether each game has ended.
        """

    @abstractmethod
    def outcomes(self, actions: NDArray[np.int64]) -> Outcomes | None:
        """Every outcome of legal joint actions, `[num_games, num_players]`; None if the engine cannot list them."""

    @abstractmethod
    def views(self, places: NDArray[np.intp] | None = None, player: int | None = None) -> Views:
        """The players' views of the games at `places`, or of all games, in fresh arrays; or those of one player.

        The views of one player are `[games, observation_size]` and `[games, num_actions]`.
        """

    @abstractmethod
    def uniform(self, player: int, where: NDArray[np.bool_]) -> NDArray[np.int64]:
        """`[num_games]` actions of uniform play; meaningless where the player does not act."""

    @abstractmethod
    def info(self, player: int, places: NDArray[np.intp], observations: NDArray[np.float32]) -> Info:
        """`Game.info` for a player with these `observations` in the games at `places`."""


# Plain Python's time per entry of `weights`.
SECONDS_PER_WEIGHT = 2e-7


def chosen_actions(weights: NDArray[np.float64], drawn: NDArray[np.float64]) -> NDArray[np.int64]:
    """Draws one action per row of `weights` `[rows, num_actions]` (any positive sums), from numbers in [0, 1)."""
    actions = np.empty(len(weights), dtype=np.int64)
    kernels("cardwar_envs.core.streams_kernel", SECONDS_PER_WEIGHT * weights.size).choose(weights, drawn, actions)
    return actions
