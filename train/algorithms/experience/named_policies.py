"""Opponents that the user names, and how a resumed run knows them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.envs.game_batch import GameBatch
from train.policies.by_word import policy_from

# The games and moves of random play in which policies are asked what they would do.
GAMES, MOVES = 16, 16
# Sums of answers that differ by less, differ by rounding only.
ROUNDING = 1e-5


class NamedPolicies:
    """Policies by their names, known again by their answers.

    Attributes:
        policies: The policies in order of the names.
    """

    def __init__(self, game: Game[Any], names: Sequence[str]) -> None:
        """Takes what `policy_from` takes.

        Raises:
            ValueError: If there is no such policy, or it cannot play the game.
        """
        self.policies = [policy_from(name, game) for name in names]
        self._answers = {name: answers(game, policy) for name, policy in zip(names, self.policies, strict=True)}

    def state(self) -> dict[str, list[float]]:
        """What JSON can hold of the policies: their answers by name."""
        return self._answers

    def check(self, kept: Mapping[str, Sequence[float]]) -> None:
        """Checks that the policies are those that `state` was asked of.

        Raises:
            ValueError: If one of them answers otherwise now.
        """
        for name, now in self._answers.items():
            if not np.allclose(now, kept[name], rtol=0.0, atol=ROUNDING):
                raise ValueError(f"opponent {name} has changed since: it plays otherwise now")


def names_in(words: str) -> list[str]:
    """The names in a list with commas.

    Raises:
        ValueError: If there is none before or after a comma.
    """
    names = [name.strip() for name in words.split(",")]
    if not all(names):
        raise ValueError(f"a name is missing in the policies {words!r}")
    return names


def answers(game: Game[Any], policy: Policy) -> list[float]:
    """What a policy would do in some positions of random play, always the same: `[MOVES]` weighted sums."""
    batch, sums = GameBatch(game, GAMES, seed=0), []
    weights = np.random.default_rng(0).random(game.facts.num_actions)
    observations, masks = batch.reset()
    for _ in range(MOVES):
        acting = batch.acting()
        sums.append(float((checked_probabilities(policy, observations[acting], masks[acting]) @ weights).sum()))
        observations, masks, *_ = batch.step(batch.uniform_actions())
    return sums
