"""How good a policy is, exactly, and that in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from baselines import nash_conv, solve
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy, named_policy
from train.words import game_in_words, points

_points = partial(points, digits=4)


@dataclass(frozen=True)
class Evaluation:
    """A policy of a two-player zero-sum game, played in both seats; payoff points throughout.

    Attributes:
        exploitability: NashConv / 2: what a perfect opponent wins on average over both seats,
            beyond the game's value.
        nash_conv: What both players could gain by deviating, added up.
        guarantees: What the policy gets in each seat against a perfect opponent.
    """

    exploitability: float
    nash_conv: float
    guarantees: tuple[float, float]

    @property
    def guaranteed(self) -> float:
        """What the policy gets at least, in whichever seat."""
        return min(self.guarantees)


@dataclass(frozen=True)
class Reference:
    """What a learned policy is compared with; payoff points.

    Attributes:
        value: Of the game, to player 0.
        uniform_exploitability: Of playing every card alike.
    """

    value: float
    uniform_exploitability: float


def evaluate(game: Game[Any], policy: Policy) -> Evaluation:
    """Evaluates a policy exactly.

    Raises:
        ValueError: If the game is not a two-player zero-sum game of public state, or too large,
            or the policy does not answer with probabilities.
    """
    facts = game.facts
    if facts.num_players != 2 or not facts.zero_sum:
        raise ValueError(f"{facts.name}: exact evaluation is for two-player zero-sum games")
    result = nash_conv(game, policy)
    # In a zero-sum game a player is left with minus what a best response of the other takes.
    responses = [payoff + gain for payoff, gain in zip(result.payoffs, result.per_player, strict=True)]
    return Evaluation(result.total / 2, result.total, (-responses[1], -responses[0]))


@lru_cache(maxsize=8)
def reference(game: Game[Any]) -> Reference:
    """The game's value and uniform play's exploitability; kept for the next time.

    Raises:
        ValueError: As `evaluate`.
    """
    uniform = evaluate(game, named_policy("uniform", game))
    return Reference(solve(game).value, uniform.exploitability)


def verdict(game: Game[Any], learner: str, evaluation: Evaluation, steps: int, seconds: float) -> str:
    """What was achieved, in three sentences.

    Args:
        game: The rules.
        learner: Who learned, e.g. "minimax-Q".
        evaluation: Of the learned policy.
        steps: Taken in learning.
        seconds: Wall time that learning took.
    """
    known = reference(game)
    first, second = evaluation.guarantees
    return (
        f"{game_in_words(game)} has the value {_points(known.value)} to player_0. "
        f"The policy that {learner} learned in {steps:,} steps and {seconds:.0f} s guarantees "
        f"{_points(first)} as player_0 and {_points(second)} as player_1. "
        f"Its exploitability is {evaluation.exploitability:.4f} payoff points; "
        f"uniform play's is {known.uniform_exploitability:.4f}, optimal play's 0."
    )


def response_in_words(figures: Mapping[str, float]) -> str:
    """What a learned best response gets, of the figures of its run; nothing for other learners."""
    if "shortfall" not in figures:
        return ""
    got, best = ((figures[f"{name}_0"] + figures[f"{name}_1"]) / 2 for name in ("payoff", "best"))
    share = f", {figures['share']:.1%} of it" if "share" in figures else ""
    return (
        f" It was made to exploit: from its opponent it gets {_points(got)}{share}, "
        f"where a best response gets {_points(best)} (on average over the seats)."
    )
