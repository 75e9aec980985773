"""Small classic strategies of duels and of Goofspiel, which cite their sources."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.opponents import word_for
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Masks, Observations, Policy, Probabilities, Uniform, shares
from cardwar_envs.core.policy_names import named_policy, needs_others, policy_names
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.goofspiel import Goofspiel

# Names of solutions and of learned policies, which can take long to make.
SLOW = {"equilibrium", "level"}


class UniformActions:
    """Plays at random: every different move is equally likely, even if several equal cards can make it."""

    stationary = True

    def __init__(self, game: Game[Any]) -> None:
        self._name = game.facts.name

    def __repr__(self) -> str:
        return f"<UniformActions for {self._name}: every legal action alike>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        return np.asarray(action_masks / action_masks.sum(axis=1, keepdims=True), dtype=np.float64)

    def exact_probabilities(self, observations: Observations, action_masks: Masks) -> list[list[Fraction]]:
        """Returns the probabilities as fractions."""
        return shares(action_masks)


class _CardByIndex:
    """Plays the card at a fixed index (from 0) of the hand, sorted ascending; the last card if the hand is shorter."""

    by_words = True
    index: float

    def __init__(self, game: Game[Any]) -> None:
        if not isinstance(game, Duel):
            raise ValueError(f"{word_for(self)} plays duels such as jujitsu, not {game.facts.name}")
        self._game = game

    def __repr__(self) -> str:
        return f"<{type(self).__name__} for {self._game.facts.name}>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        up_to = self._game.action_counts(observations, action_masks).cumsum(axis=1)
        index = np.minimum(self.index, up_to[:, -1] - 1)
        rank = (up_to <= index[:, None]).sum(axis=1)
        return np.asarray(np.eye(action_masks.shape[1])[rank])


class HighestCard(_CardByIndex):
    """Plays the highest card.

    Names: "Highest Card" in Sanwal and Drechsler 2002, section 5.
    """

    index = np.inf


class LowestCard(_CardByIndex):
    """Plays the lowest card.

    Names: "Lowest Card" in Sanwal and Drechsler 2002, section 5.
    """

    index = 0


class SecondLowestCard(_CardByIndex):
    """Plays the second lowest card, or the only one.

    Names: "second lowest card" in Sanwal and Drechsler 2002, section 5.2, as the best reply to `LowestCard`. If cards
        are held twice, the two lowest cards can have the same rank.
    """

    index = 1


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


def fitting_policies(game: Game[Any]) -> dict[str, Policy]:
    """Returns the named policies that can play a game, by name.

    Omits policies that are slow to make, policies that depend on the other seats, and further names of uniform play.
    """
    found: dict[str, Policy] = {}
    for name in policy_names():
        if name in SLOW or needs_others(name):
            continue
        try:
            policy = named_policy(name, game)
        except ValueError:
            continue
        if not isinstance(policy, Uniform) or name == "uniform":
            found[name] = policy
    return found
