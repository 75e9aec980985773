"""Our policies as a policy of OpenSpiel; imports pyspiel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from open_spiel.python.policy import Policy as BasePolicy

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.openspiel.rules import OpenSpielGame


def seen_at(game: Game[Any], state: Any, player: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Returns what a player sees at a state of OpenSpiel's game: our observation and mask of legal actions."""
    together = state.simultaneous_game_state() if hasattr(state, "simultaneous_game_state") else state
    ours = game.listed.find(together) if isinstance(game, OpenSpielGame) else together.position
    return game.observation(ours, player), game.action_mask(ours, player)


class SpielPolicy(BasePolicy):  # type: ignore[misc]  # open_spiel has no types
    """A policy per seat, queried at the observation that the game shows the player at a state of OpenSpiel."""

    def __init__(self, spiel: Any, game: Game[Any], seats: Sequence[Policy]) -> None:
        super().__init__(spiel, list(range(len(seats))))
        self._rules, self._seats = game, seats

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """Returns the probabilities of the legal actions; a player who waits has only action 0, as in OpenSpiel.

        Raises:
            ValueError: If several players move at the state, and `player_id` is not given.
        """
        player = state.current_player() if player_id is None else player_id
        if player not in self.player_ids:
            raise ValueError(f"player_id ({player_id}) must be a player in 0..{len(self._seats) - 1} at {state}")
        observation, mask = seen_at(self._rules, state, player)
        if not mask.any():
            return {0: 1.0}
        mix = checked_probabilities(self._seats[player], observation[None], mask[None])[0]
        return {action: mix.item(action) for action in np.flatnonzero(mask).tolist()}
