"""Strategies for the duel family; each looks only at its own hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Masks, Observations, Probabilities
from cardwar_envs.core.policy_names import word_for
from cardwar_envs.games.duel import Duel


class _CardByPlace:
    """Plays the card at a fixed index (from 0) of the hand, sorted ascending; the last card if the hand is shorter."""

    by_words = True
    place: float

    def __init__(self, game: Game[Any]) -> None:
        if not isinstance(game, Duel):
            raise ValueError(f"{word_for(self)} plays duels such as jujitsu, not {game.facts.name}")
        self._game = game

    def __repr__(self) -> str:
        return f"<{type(self).__name__} for {self._game.facts.name}>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        up_to = self._game.action_counts(observations, action_masks).cumsum(axis=1)
        place = np.minimum(self.place, up_to[:, -1] - 1)
        rank = (up_to <= place[:, None]).sum(axis=1)
        return np.asarray(np.eye(action_masks.shape[1])[rank])


class HighestCard(_CardByPlace):
    """Plays the highest card.

    Names: "Highest Card" in Sanwal and Drechsler 2002, section 5.
    """

    place = np.inf


class LowestCard(_CardByPlace):
    """Plays the lowest card.

    Names: "Lowest Card" in Sanwal and Drechsler 2002, section 5.
    """

    place = 0


class SecondLowestCard(_CardByPlace):
    """Plays the second lowest card, or the only one.

    Names: "second lowest card" in Sanwal and Drechsler 2002, section 5.2, as the best reply to `LowestCard`. If cards
        are held twice, the two lowest cards can have the same rank.
    """

    place = 1
