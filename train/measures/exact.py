"""Evaluates policies exactly, and puts the result into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from baselines import nash_conv, solve
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.policy import Policy, named_policy
from train.kinds import Figures, Kind
from train.words import game_in_words, points

_points = partial(points, digits=4)


@dataclass(frozen=True)
class Evaluation:
    """How a policy of a two-player zero-sum game does when both seats play it; all figures are payoff points.

    Attributes:
        exploitability: NashConv / 2: what a best response to the policy wins beyond the game's value, on average
            over both seats.
        nash_conv: Sum over both players of what each could gain by deviating.
        guarantees: The policy's payoff against a best response, in each seat.
    """

    exploitability: float
    nash_conv: float
    guarantees: tuple[float, float]


@dataclass(frozen=True)
class Reference:
    """Figures that a learned policy is compared with, in payoff points.

    Attributes:
        value: The game's value to player 0.
        uniform_exploitability: Exploitability of playing every legal action with the same probability.
    """

    value: float
    uniform_exploitability: float


def evaluate(game: Game[Any], policy: Policy) -> Evaluation:
    """Evaluates a policy exactly.

    Raises:
        ValueError: If the game is not a two-player zero-sum game, it is too large, or the policy does not answer
            with probabilities.
    """
    require_game(game)
    facts = game.facts
    if facts.num_players != 2 or not facts.zero_sum:
        raise ValueError(f"{facts.name}: exploitability is for two-player zero-sum games")
    result = nash_conv(game, policy)
    # In a zero-sum game a player is left with minus what a best response of the other takes.
    responses = [payoff + gain for payoff, gain in zip(result.payoffs, result.per_player, strict=True)]
    return Evaluation(result.total / 2, result.total, (-responses[1], -responses[0]))


@cached_by_game(8)
def reference(game: Game[Any]) -> Reference:
    """The game's value and uniform play's exploitability; the last few games' are remembered.

    Raises:
        ValueError: As `evaluate`.
    """
    uniform = evaluate(game, named_policy("uniform", game))
    return Reference(solve(game).value, uniform.exploitability)


def verdict(game: Game[Any], learner: str, evaluation: Evaluation, steps: int, seconds: float) -> str:
    """Says in three sentences what was achieved.

    Args:
        game: The game that was learned.
        learner: The algorithm's label, e.g. "minimax-Q".
        evaluation: Evaluation of the learned policy.
        steps: Steps taken in learning.
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


class Exploitability:
    """Exploitability in a two-player zero-sum game."""

    kind: ClassVar[Kind] = "exact"
    figure = "exploitability"

    def __init__(self, game: Game[Any]) -> None:
        """Solves the game, so that there is something to compare with.

        Raises:
            ValueError: As `evaluate`.
        """
        self._game = game
        known = reference(game)
        self.reference: Figures = {"value": known.value, "uniform_exploitability": known.uniform_exploitability}

    def __call__(self, policy: Policy, seed: int, final: bool = False) -> Figures:
        """Exploitability, NashConv and what is guaranteed in each seat, payoff points."""
        result = evaluate(self._game, policy)
        seats = {f"guaranteed_{seat}": payoff for seat, payoff in enumerate(result.guarantees)}
        return {"exploitability": result.exploitability, "nash_conv": result.nash_conv, **seats}

    def news(self, figures: Mapping[str, Any]) -> str:
        """The exploitability."""
        return f"exploitability {figures['exploitability']:.4f}"

    def verdict(self, learner: str, figures: Mapping[str, Any], steps: int, seconds: float) -> str:
        """See `verdict`; adds what a learned best response gets, where the figures say so."""
        guarantees = figures["guaranteed_0"], figures["guaranteed_1"]
        evaluation = Evaluation(figures["exploitability"], figures["nash_conv"], guarantees)
        return verdict(self._game, learner, evaluation, steps, seconds) + response_in_words(figures)


class Deviations:
    """What each player could gain by deviating, in any game within the oracles' reach."""

    kind: ClassVar[Kind] = "exact"
    figure = "nash_conv"

    def __init__(self, game: Game[Any]) -> None:
        """Measures uniform play, so that there is something to compare with.

        Raises:
            ValueError: If the game is too large.
        """
        self._game = game
        self.reference: Figures = {"uniform_nash_conv": nash_conv(game, "uniform").total}

    def __call__(self, policy: Policy, seed: int, final: bool = False) -> Figures:
        """NashConv and each player's gain, payoff points."""
        result = nash_conv(self._game, policy)
        return {"nash_conv": result.total, **{f"gain_{seat}": gain for seat, gain in enumerate(result.per_player)}}

    def news(self, figures: Mapping[str, Any]) -> str:
        """The sum of the gains."""
        return f"NashConv {figures['nash_conv']:.4f}"

    def verdict(self, learner: str, figures: Mapping[str, Any], steps: int, seconds: float) -> str:
        """NashConv beside uniform play's."""
        gains = [figures[f"gain_{seat}"] for seat in range(self._game.facts.num_players)]
        return (
            f"If all play the policy that {learner} learned for {game_in_words(self._game)} in {steps:,} steps and "
            f"{seconds:.0f} s, a player who deviates can gain {', '.join(map(_points, gains))} points "
            f"(player_0, player_1, ...). NashConv, the sum, is {figures['nash_conv']:.4f} payoff points; "
            f"uniform play's is {self.reference['uniform_nash_conv']:.4f}, an equilibrium's 0."
        )


def response_in_words(figures: Mapping[str, float]) -> str:
    """Says what a learned best response gets, from the last row of its run; "" for other learners."""
    if "shortfall" not in figures:
        return ""
    got, best = ((figures[f"{name}_0"] + figures[f"{name}_1"]) / 2 for name in ("payoff", "best"))
    share = f", {figures['share']:.1%} of it" if "share" in figures else ""
    return (
        f" It was made to exploit: from its opponent it gets {_points(got)}{share}, "
        f"where a best response gets {_points(best)} (on average over the seats)."
    )
