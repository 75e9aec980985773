"""Evaluates policies exactly, and reports the results in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from baselines import average_play, cce_gap, ce_gap, nash_conv, solve
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.constant_sum import payoff_sum, require_constant_sum
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from cardwar_envs.core.policy_names import named_policy
from train.measures.measure import effort
from train.storage.formats import Figures, Kind
from train.text.game_names import game_in_words
from train.text.printing import points

_points = partial(points, digits=4)
# The most joint actions whose average play is measured: each is a figure of every row.
MOST_JOINT_ACTIONS = 500
GAPS = {"cce_gap": cce_gap, "ce_gap": ce_gap}


@dataclass(frozen=True)
class Evaluation:
    """Exact figures of a policy in a two-player constant-sum game, in payoff points.

    Attributes:
        exploitability: NashConv / 2: the payoff of a best response beyond the game's value, averaged over the seats.
        nash_conv: Sum over both players of the gain of a best response.
        guarantees: The policy's payoff against a best response, in each seat.
    """

    exploitability: float
    nash_conv: float
    guarantees: tuple[float, float]


def evaluate(game: Game[Any], policy: Policy) -> Evaluation:
    """Evaluates a policy exactly.

    Raises:
        ValueError: If the game is not two-player constant-sum, or too large; or the policy returns no probabilities.
    """
    require_constant_sum(game, "exploitability")
    result = nash_conv(game, policy)
    # What a player guarantees is what the other player's best response leaves of the sum of both payoffs.
    total = float(payoff_sum(game))
    responses = [payoff + gain for payoff, gain in zip(result.payoffs, result.per_player, strict=True)]
    return Evaluation(result.total / 2, result.total, (total - responses[1], total - responses[0]))


@cached_by_game(8)
def reference(game: Game[Any]) -> Mapping[str, float]:
    """Returns the game's `value` and `uniform_exploitability`, cached; raises the same errors as `evaluate`."""
    uniform = evaluate(game, named_policy("uniform", game))
    return MappingProxyType({"value": solve(game).value, "uniform_exploitability": uniform.exploitability})


def verdict(game: Game[Any], learner: str, evaluation: Evaluation, used: str) -> str:
    """Reports a learned policy's evaluation in three sentences; `used` says in how many steps and seconds."""
    known = reference(game)
    first, second = evaluation.guarantees
    other = f" and {_points(float(total) - known['value'])} to player_1" if (total := payoff_sum(game)) else ""
    return (
        f"{game_in_words(game)} has the value {_points(known['value'])} to player_0{other}. "
        f"The policy that {learner} learned in {used} guarantees "
        f"{_points(first)} as player_0 and {_points(second)} as player_1. "
        f"Its exploitability is {evaluation.exploitability:.4f} payoff points; "
        f"uniform play's is {known['uniform_exploitability']:.4f}, optimal play's 0."
    )


class Exploitability:
    """Measures exploitability in a two-player zero-sum game."""

    kind: ClassVar[Kind] = "exact"
    figure = "exploitability"

    def __init__(self, game: Game[Any]) -> None:
        """Solves the game for reference figures; raises the same errors as `evaluate`."""
        self._game = game
        self.reference: Figures = dict(reference(game))

    def __call__(self, policy: Policy, seed: int, final: bool = False) -> Figures:
        """Returns exploitability, NashConv and the guaranteed payoff in each seat, in payoff points."""
        result = evaluate(self._game, policy)
        seats = {f"guaranteed_{seat}": payoff for seat, payoff in enumerate(result.guarantees)}
        return {"exploitability": result.exploitability, "nash_conv": result.nash_conv, **seats}

    def news(self, figures: Mapping[str, Any]) -> str:
        return f"exploitability {figures['exploitability']:.4f}"

    def verdict(self, learner: str, figures: Mapping[str, Any]) -> str:
        guarantees = figures["guaranteed_0"], figures["guaranteed_1"]
        evaluation = Evaluation(figures["exploitability"], figures["nash_conv"], guarantees)
        return verdict(self._game, learner, evaluation, effort(figures)) + response_in_words(figures)


class Deviations:
    """Measures NashConv and each player's gain from deviating, in any game that an oracle supports."""

    kind: ClassVar[Kind] = "exact"
    figure = "nash_conv"

    def __init__(self, game: Game[Any]) -> None:
        """Measures uniform play for reference; raises ValueError if the game is too large."""
        self._game = game
        self.reference: Figures = {"uniform_nash_conv": nash_conv(game, "uniform").total}

    def __call__(self, policy: Policy, seed: int, final: bool = False) -> Figures:
        """Returns NashConv and each player's gain, in payoff points."""
        result = nash_conv(self._game, policy)
        return {"nash_conv": result.total, **{f"gain_{seat}": gain for seat, gain in enumerate(result.per_player)}}

    def news(self, figures: Mapping[str, Any]) -> str:
        return f"NashConv {figures['nash_conv']:.4f}"

    def verdict(self, learner: str, figures: Mapping[str, Any]) -> str:
        gains = [figures[f"gain_{seat}"] for seat in range(self._game.facts.num_players)]
        return (
            f"If all play the policy that {learner} learned for {game_in_words(self._game)} in "
            f"{effort(figures)}, a player who deviates can gain {', '.join(map(_points, gains))} points "
            f"(player_0, player_1, ...). NashConv, the sum, is {figures['nash_conv']:.4f} payoff points; "
            f"uniform play's is {self.reference['uniform_nash_conv']:.4f}, an equilibrium's 0."
        )


class AveragePlay:
    """Measures the average joint play of all evaluations so far, in a game in which all players choose once.

    Policies that do not converge can still approach a coarse correlated equilibrium on average. The joint probabilities
    are figures too, from which a resumed run goes on.
    """

    kind: ClassVar[Kind] = "exact"
    figure = "cce_gap"

    def __init__(self, game: Game[Any]) -> None:
        """Measures uniform play for reference; raises ValueError if the game is of another kind or too large."""
        self._game = game
        self._average = average_play(game, ["uniform"])
        if (size := self._average.size) > MOST_JOINT_ACTIONS:
            raise ValueError(
                f"{game.facts.name} has {size:,} joint actions; cce_gap takes at most {MOST_JOINT_ACTIONS}"
            )
        self.reference: Figures = {"uniform_cce_gap": float(cce_gap(game, self._average).total)}
        self._count = 0

    def resume(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Goes on after the rows of an earlier part of the run."""
        self._count = len(rows)
        if rows:
            self._average = np.reshape([rows[-1][f"joint_{k}"] for k in range(self._average.size)], self._average.shape)

    def __call__(self, policy: Policy, seed: int, final: bool = False) -> Figures:
        """Returns the gaps of the average, NashConv of the newest policy, in payoff points, and the average itself."""
        self._count += 1
        share = 1.0 / self._count
        self._average = (1.0 - share) * self._average + share * average_play(self._game, [policy])
        gaps = {name: float(gap(self._game, self._average).total) for name, gap in GAPS.items()}
        joint = {f"joint_{k}": probability for k, probability in enumerate(self._average.ravel().tolist())}
        return {**gaps, "nash_conv": nash_conv(self._game, policy).total, **joint}

    def news(self, figures: Mapping[str, Any]) -> str:
        return f"CCE gap {figures['cce_gap']:.4f}"

    def verdict(self, learner: str, figures: Mapping[str, Any]) -> str:
        return (
            f"The average play of the policies that {learner} learned for {game_in_words(self._game)} in "
            f"{effort(figures)}, over all evaluations, has a CCE gap of {_points(figures['cce_gap'])} payoff points: "
            "the sum of what players gain by committing to one action. Uniform play's gap is "
            f"{self.reference['uniform_cce_gap']:.4f}. NashConv of the newest policy is {figures['nash_conv']:.4f}."
        )


def response_in_words(figures: Mapping[str, float]) -> str:
    """Reports the payoff of a learned best response, from its last row of metrics; "" for other learners."""
    if "shortfall" not in figures:
        return ""
    got, best = ((figures[f"{name}_0"] + figures[f"{name}_1"]) / 2 for name in ("payoff", "best"))
    share = f", {figures['share']:.1%} of it" if "share" in figures else ""
    return (
        f" It was trained as an exploiter: against its opponent it gets {_points(got)}{share}, "
        f"where a best response gets {_points(best)} (averaged over the seats)."
    )
