"""A simple league: in some games of self-play, other policies have all seats but one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from torch import Tensor

from cardwar_envs.core.game import Game
from cardwar_envs.sb3.against import Opponents, one_seat_each
from train.algorithms.checkpoint import with_prefix
from train.algorithms.experience.named_policies import NamedPolicies
from train.policies.by_word import split_policies
from train.policies.networks import SoftmaxPolicy

# The name of earlier checkpoints of the run, and how many of them are kept.
PAST, MOST_PAST = "past", 10


class League:
    """The opponents: named policies, and earlier checkpoints of the learner.

    Attributes:
        learns: `[num_games, num_players]`: the learner's seats: all in the first games, one in each of the last ones.
        has_past: Whether earlier checkpoints take part.
    """

    def __init__(self, game: Game[Any], num_games: int, words: str, share: float) -> None:
        """Takes the game, the number of games, names separated by commas, and the fraction of games with opponents.

        Raises:
            ValueError: If a policy is unknown or cannot play the game, or the fraction is less than one game.
        """
        names, players = split_policies(words), game.facts.num_players
        count = round(share * num_games)
        if not count:
            raise ValueError(f"opponent_share ({share}) of num_games ({num_games}) must be at least one game")
        self.learns = np.ones((num_games, players), dtype=np.bool_)
        self.learns[num_games - count :] = one_seat_each(count, players)
        self._game, self._past_weight = game, float(names.count(PAST))
        self.has_past = self._past_weight > 0.0
        self._named = NamedPolicies(game, [name for name in names if name != PAST])
        self._past: list[SoftmaxPolicy] = []

    def remember(self, policy: SoftmaxPolicy) -> None:
        """Adds a checkpoint and drops the oldest beyond `MOST_PAST`."""
        self._past = [*self._past, policy][-MOST_PAST:]

    def opponents(self) -> Opponents:
        """All opponents. Each name has equal probability, which earlier checkpoints share."""
        policies = [*self._named.policies, *self._past]
        weights = np.ones(len(policies))
        weights[len(self._named.policies) :] = self._past_weight / max(1, len(self._past))
        return Opponents(policies, weights[None] / max(1.0, weights.sum()))

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """The earlier checkpoints, and fingerprints of the named policies."""
        archives = [policy.to_archive() for policy in self._past]
        tensors = {
            f"past.{i}.{name}": each for i, of_one in enumerate(archives) for name, each in of_one.tensors.items()
        }
        return tensors, {"named": self._named.state(), "past": [archive.data for archive in archives]}

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        """Takes back what `state` returned.

        Raises:
            ValueError: If a named policy has changed since.
        """
        self._named.check(data["named"])
        self._past = [
            SoftmaxPolicy.from_archive(self._game, with_prefix(tensors, f"past.{i}."), built)
            for i, built in enumerate(data["past"])
        ]
