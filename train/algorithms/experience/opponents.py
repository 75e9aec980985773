"""The policies that a learner plays against. When a run resumes, they are checked for changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from baselines import best_response, head_to_head, within_reach
from cardwar_envs.core.constant_sum import is_constant_sum, payoff_sum
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.sb3.against import Opponents, one_seat_each
from train.learner.checkpoint import with_prefix
from train.policies.by_word import policy_from, split_policies
from train.policies.networks import SoftmaxPolicy

# How much random play is used to fingerprint policies.
GAMES, MOVES = 16, 16
# Differences between fingerprints up to this are treated as rounding errors.
ROUNDING = 1e-5
# A best-response value below this is treated as rounding error, so no share of it is reported.
LEAST_VALUE = 1e-6
# The name that stands for the run's earlier checkpoints, and the maximum number of them.
PAST, MOST_PAST = "past", 10


class NamedPolicies:
    """Policies given by name, as for `policy_from`, with their fingerprints."""

    def __init__(self, game: Game[Any], names: Sequence[str]) -> None:
        """Loads the policies; raises the same errors as `policy_from`."""
        self.policies = [policy_from(name, game) for name in names]
        self._answers = {name: answers(game, policy) for name, policy in zip(names, self.policies, strict=True)}

    def state(self) -> tuple[dict[str, Tensor], dict[str, list[float]]]:
        """Returns no tensors, and JSON data with the fingerprints by name."""
        return {}, self._answers

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Sequence[float]]) -> None:
        """Raises ValueError if a policy has changed since `state` was called."""
        for name, now in self._answers.items():
            if not np.allclose(now, data[name], rtol=0.0, atol=ROUNDING):
                raise ValueError(f"opponent {name} has changed since the run started: it plays differently now")


def answers(game: Game[Any], policy: Policy) -> list[float]:
    """Returns a policy's fingerprint: `[MOVES]` weighted sums of its probabilities in fixed random games."""
    batch, sums = GameBatch(game, GAMES, seed=0), []
    weights = np.random.default_rng(0).random(game.facts.num_actions)
    observations, masks = batch.reset()
    for _ in range(MOVES):
        acting = batch.acting()
        sums.append(float((checked_probabilities(policy, observations[acting], masks[acting]) @ weights).sum()))
        observations, masks, *_ = batch.step(batch.uniform_actions())
    return sums


class LineUp:
    """The policies in the other seats, with exact figures of a learned response to them where feasible."""

    def __init__(self, game: Game[Any], words: str) -> None:
        """Loads policies by comma-separated names: one for all other seats, or one each, starting with the next seat.

        Raises:
            ValueError: If the number of names is wrong, or a policy is unknown or cannot play the game.
        """
        names, others = split_policies(words), game.facts.num_players - 1
        if len(names) not in (1, others):
            needed = "one" if others == 1 else f"one for all {others} other seats, or one for each"
            raise ValueError(f"opponent ({words}) names {len(names)} policies; {game.facts.name} needs {needed}")
        self._game, self.named = game, NamedPolicies(game, names)
        policies = self.named.policies
        self.opponents = Opponents.of(policies if len(names) > 1 else policies[0], game)  # for the environments
        exact = is_constant_sum(game) and within_reach(game)
        self._best = [best_response(game, policies[0], seat).value for seat in (0, 1)] if exact else []

    def figures(self, greedy: Policy, sampled: Policy | None = None) -> dict[str, float]:
        """Returns exact payoffs against the opponent, in payoff points; empty if no oracle supports the game.

        `payoff_0` and `payoff_1` are the greedy policy's payoffs in each seat, `sampled_0` and `sampled_1` the
        stochastic policy's, `best_0` and `best_1` those of the exact best response. `shortfall` is the mean difference
        between best response and greedy policy. `share` and `sampled_share` are fractions of the best response's
        value, omitted unless that is positive.
        """
        if not self._best:
            return {}
        payoffs = {"payoff": self._payoffs(greedy)}
        if sampled is not None:
            payoffs["sampled"] = self._payoffs(sampled)
        payoffs["best"] = self._best
        figures = {f"{name}_{seat}": payoff for name, both in payoffs.items() for seat, payoff in enumerate(both)}
        best = sum(self._best)
        figures["shortfall"] = (best - sum(payoffs["payoff"])) / 2
        if best / 2 > LEAST_VALUE:
            shares = {"payoff": "share", "sampled": "sampled_share"}
            figures |= {shares[name]: sum(both) / best for name, both in payoffs.items() if name in shares}
        return figures

    def _payoffs(self, policy: Policy) -> list[float]:
        """Returns a policy's exact payoff against the opponent in each seat."""
        (opponent,) = self.named.policies
        first, second = (head_to_head(self._game, *seats).mean for seats in ((policy, opponent), (opponent, policy)))
        return [first, float(payoff_sum(self._game)) - second]


class League:
    """The opponents in part of the self-play games: named policies, and earlier checkpoints of the learner."""

    def __init__(self, game: Game[Any], num_games: int, words: str, share: float) -> None:
        """Loads policies by names separated by commas; `share` is the fraction of games with opponents.

        Raises:
            ValueError: If a policy is unknown or cannot play the game, or the fraction amounts to less than one game.
        """
        names, players = split_policies(words), game.facts.num_players
        count = round(share * num_games)
        if not count:
            raise ValueError(f"opponent_share ({share}) of num_games ({num_games}) must be at least one game")
        # The learner plays all seats in the first games, and one seat in each of the other games.
        self.learns = np.ones((num_games, players), dtype=np.bool_)
        self.learns[num_games - count :] = one_seat_each(count, players)
        self._game, self._past_weight = game, float(names.count(PAST))
        self.has_past = self._past_weight > 0.0
        self._named = NamedPolicies(game, [name for name in names if name != PAST])
        self._past: list[SoftmaxPolicy] = []
        self.remembered = 0  # checkpoints so far, with those that were dropped

    def remember(self, policy: SoftmaxPolicy) -> None:
        """Adds a checkpoint and drops the oldest beyond `MOST_PAST`."""
        self._past = [*self._past, policy][-MOST_PAST:]
        self.remembered += 1

    def opponents(self) -> Opponents:
        """Returns all opponents; each name has the same probability, which the checkpoints of `past` share."""
        policies = [*self._named.policies, *self._past]
        weights = np.ones(len(policies))
        weights[len(self._named.policies) :] = self._past_weight / max(1, len(self._past))
        return Opponents(policies, weights[None] / max(1.0, weights.sum()))

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Returns the earlier checkpoints, and fingerprints of the named policies."""
        archives = [policy.to_archive() for policy in self._past]
        tensors = {
            f"past.{i}.{name}": each for i, of_one in enumerate(archives) for name, each in of_one.tensors.items()
        }
        past = [archive.data for archive in archives]
        return tensors, {"named": self._named.state()[1], "past": past, "remembered": self.remembered}

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        """Restores what `state` returned; raises ValueError if a named policy has changed since then."""
        self._named.restore({}, data["named"])
        self.remembered = data["remembered"]
        self._past = [
            SoftmaxPolicy.from_archive(self._game, with_prefix(tensors, f"past.{i}."), built)
            for i, built in enumerate(data["past"])
        ]
