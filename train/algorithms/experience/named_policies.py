"""Named opponents, and the check that they have not changed when a run is resumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.envs.game_batch import GameBatch
from train.policies.by_word import policy_from

# Size of the random play in which policies are fingerprinted.
GAMES, MOVES = 16, 16
# Differences between fingerprints up to this are rounding errors.
ROUNDING = 1e-5


class NamedPolicies:
    """Named policies with fingerprints.

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
        """The fingerprints by name, as JSON data."""
        return self._answers

    def check(self, kept: Mapping[str, Sequence[float]]) -> None:
        """Raises ValueError if a policy has changed since `state`."""
        for name, now in self._answers.items():
            if not np.allclose(now, kept[name], rtol=0.0, atol=ROUNDING):
                raise ValueError(f"opponent {name} has changed since: it now plays differently")


def answers(game: Game[Any], policy: Policy) -> list[float]:
    """A policy's fingerprint: `[MOVES]` weighted sums of its probabilities in fixed random games."""
    batch, sums = GameBatch(game, GAMES, seed=0), []
    weights = np.random.default_rng(0).random(game.facts.num_actions)
    observations, masks = batch.reset()
    for _ in range(MOVES):
        acting = batch.acting()
        sums.append(float((checked_probabilities(policy, observations[acting], masks[acting]) @ weights).sum()))
        observations, masks, *_ = batch.step(batch.uniform_actions())
    return sums
