"""Measures policies by games against policies with names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from baselines.matches import match
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from train.kinds import Figures, Kind
from train.policies.by_word import policy_from
from train.words import game_in_words, points


class Matches:
    """Mean payoffs and shares of games won against policies, each of which sits in all other seats."""

    kind: ClassVar[Kind] = "matches"

    def __init__(self, game: Game[Any], opponents: Sequence[str], games: int) -> None:
        """Takes the opponents as `policy_from` understands them, and the number of games against each.

        Raises:
            ValueError: If one of them cannot play the game, or there are none.
        """
        if not opponents:
            raise ValueError("there must be at least one policy to play matches against")
        self._game, self._games = game, games
        self._opponents = {name: policy_from(name, game) for name in opponents}
        self.figure = f"payoff_{opponents[0]}"
        self.reference: Figures = {}

    def __call__(self, policy: Policy, seed: int) -> Figures:
        """For each opponent the mean payoff and the share of games won, with both ends of their 99 % intervals."""
        figures: Figures = {}
        for name, opponent in self._opponents.items():
            result = match(self._game, policy, opponent, games=self._games, seed=seed)
            for what, interval in (("payoff", result.payoff), ("wins", result.wins)):
                ends = (("", interval.mean), ("_low", interval.low), ("_high", interval.high))
                figures |= {f"{what}_{name}{end}": number for end, number in ends}
        return figures

    def news(self, figures: Mapping[str, Any]) -> str:
        """The payoff against the first opponent."""
        name = next(iter(self._opponents))
        return f"against {name} {_with_interval(figures, f'payoff_{name}')}"

    def verdict(self, learner: str, figures: Mapping[str, Any], steps: int, seconds: float) -> str:
        """What it gets from each opponent, and how to learn more about it."""
        seats = "the other seat" if self._game.facts.num_players == 2 else "all other seats"
        results = "; ".join(
            f"{_with_interval(figures, f'payoff_{name}')} points against {name} in {seats}, "
            f"and it wins {figures[f'wins_{name}']:.1%} of these games"
            for name in self._opponents
        )
        return (
            f"The policy that {learner} learned for {game_in_words(self._game)} in {steps:,} steps and {seconds:.0f} s "
            f"gets {results}. These are samples of {self._games:,} games each, with 99 % intervals: the game is too "
            "large to measure the policy exactly. For a lower bound on what can be won from it: cardwar exploit "
            "--approximate."
        )


def _with_interval(figures: Mapping[str, Any], name: str) -> str:
    mean, low, high = (points(figures[f"{name}{end}"], 4) for end in ("", "_low", "_high"))
    return mean if low == high else f"{mean} ({low}..{high})"
