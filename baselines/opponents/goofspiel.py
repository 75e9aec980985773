"""Strategies for Goofspiel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Masks, Observations, Probabilities
from cardwar_envs.core.policy_names import word_for
from cardwar_envs.games.goofspiel import Goofspiel


class Matching:
    """Bids the card equal to the prize.

    If it has played from the start of the game, it always holds that card. In other states it may have to replace the
    card: by its lowest card above the prize, or by its highest card if none is above.

    Names: the optimal reply to uniformly random play in Ross 1971, section 2.
    """

    stationary = True

    def __init__(self, game: Game[Any]) -> None:
        if not isinstance(game, Goofspiel) or game.view != "cards":
            view = f" with view={game.view!r}" if isinstance(game, Goofspiel) else ""
            raise ValueError(f"{word_for(self)} plays goofspiel with view='cards', not {game.facts.name}{view}")
        self._game = game

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        actions, wanted = np.arange(action_masks.shape[1]), self._wanted(observations)[:, None]
        # Order: the lowest held card at or above the wanted one, then lower cards, highest first.
        order = np.where(actions >= wanted, actions, 2 * len(actions) - actions)
        chosen = np.where(action_masks == 1, order, 3 * len(actions)).argmin(axis=1)
        return np.asarray(np.eye(len(actions))[chosen])

    def _wanted(self, observations: Observations) -> NDArray[np.int64]:
        """Returns `[batch]`: the action that plays the wanted card."""
        return self._game.prizes_seen(observations) - 1


class MatchingPlusOne(Matching):
    """Bids one card above the prize, and the lowest card for the highest prize.

    This is the best response to `Matching`. If it has played from the start of the game, it always holds that card;
    otherwise it replaces it as `Matching` does.
    """

    def _wanted(self, observations: Observations) -> NDArray[np.int64]:
        return self._game.prizes_seen(observations) % self._game.num_cards
