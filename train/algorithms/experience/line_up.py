"""The opponents of a learned best response, and exact figures of the response where feasible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from baselines import best_response, head_to_head, within_reach
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from cardwar_envs.sb3.against import Opponents
from train.algorithms.experience.named_policies import NamedPolicies
from train.policies.by_word import split_policies

OPPONENT_HELP = "policy to exploit: a name, run folder or policy file; or one per other seat, separated by commas"
# A best-response value below this is rounding error, and no share of it is reported.
LEAST_VALUE = 1e-6


class LineUp:
    """The policies of the other seats.

    Attributes:
        opponents: The same policies, for the learner's environments.
    """

    def __init__(self, game: Game[Any], words: str) -> None:
        """Takes names separated by commas: one for all other seats, or one per seat, from the one after the learner's.

        Raises:
            ValueError: If their number is wrong, or a policy is unknown or cannot play the game.
        """
        names, others = split_policies(words), game.facts.num_players - 1
        if len(names) not in (1, others):
            needed = "one" if others == 1 else f"one for all {others} other seats, or one for each"
            raise ValueError(f"opponent ({words}) names {len(names)} policies; {game.facts.name} needs {needed}")
        self._game, self._named = game, NamedPolicies(game, names)
        policies = self._named.policies
        self.opponents = Opponents.of(policies if len(names) > 1 else policies[0], game)
        exact = game.facts.num_players == 2 and game.facts.zero_sum and within_reach(game)
        self._best = [best_response(game, policies[0], seat).value for seat in (0, 1)] if exact else []

    def figures(self, greedy: Policy, sampled: Policy | None = None) -> dict[str, float]:
        """Exact payoffs against the opponent, in payoff points; none if no oracle supports the game.

        `payoff_0` and `payoff_1` are the greedy policy's payoffs in each seat, `sampled_0` and `sampled_1` those of the
        stochastic policy, `best_0` and `best_1` the exact best response's. `shortfall` is the greedy policy's mean loss
        over the seats. `share` and `sampled_share` are fractions of the exact value, omitted unless it is positive.
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
        """A policy's exact payoff against the opponent in each seat."""
        (opponent,) = self._named.policies
        first, second = (policy, opponent), (opponent, policy)
        return [head_to_head(self._game, *first).mean, -head_to_head(self._game, *second).mean]

    def state(self) -> dict[str, Any]:
        """Fingerprints of the opponents."""
        return self._named.state()

    def check(self, kept: Mapping[str, Any]) -> None:
        """Raises ValueError if an opponent has changed since `state`."""
        self._named.check(kept)
