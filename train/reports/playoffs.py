"""Plays every policy against every other in both seats, exactly wherever the game allows it."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines import CrossPlay, cross_play, elo, exploitability, has_exact_results, head_to_head, nash_averaging
from cardwar_envs import Game, Policy
from cardwar_envs.core.constant_sum import is_constant_sum, payoff_sum
from cardwar_envs.core.policy_names import named_policy, needs_others, policy_names
from train.text.printing import points

# Two intervals with this confidence each hold simultaneously with a probability of at least 95 %.
CONFIDENCE_OF_EACH = 0.975
# Decimals in tables and pictures; of Elo points.
DIGITS, ELO_DIGITS = 3, 0
RANKINGS = (
    "Elo orders policies by wins against this field, and the Nash average by payoffs against the field's own "
    "equilibrium (0 is best); exploitability needs no field."
)


class Pairing(NamedTuple):
    """The results of two policies against each other, from the view of the policy in seat 0.

    Attributes:
        win: Probability that it gets more than the other policy.
        loss: Probability that it gets less than the other policy.
        tie: Probability that both get the same.
        mean: Its expected payoff, in payoff points.
        low: Lower end of an interval that contains the mean with a probability of at least 95 %; the mean if exact.
        high: Upper end of this interval.
    """

    win: float
    loss: float
    tie: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class PlayOffs:
    """The results of every policy against every other.

    Attributes:
        pairings: `[row][column]`: the row's policy in seat 0 against the column's policy in seat 1.
        exploitability: The exact exploitability of each policy, in payoff points; None if results are sampled.
        games: Number of games played for each pairing; None if results are exact.
    """

    game: Game[Any]
    names: tuple[str, ...]
    pairings: tuple[tuple[Pairing, ...], ...]
    exploitability: tuple[float, ...] | None
    games: int | None

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """`[row, column]`: mean payoff to the row's policy in seat 0, in payoff points."""
        return np.array([[pairing.mean for pairing in row] for row in self.pairings])

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the figures that pairings have; exact results have no interval."""
        return Pairing._fields[:4] if self.games is None else Pairing._fields

    @property
    def how(self) -> str:
        """How the results were obtained, as text."""
        return "exact" if self.games is None else f"{self.games:,} games for each pair"

    @property
    def note(self) -> str:
        """What the figures depend on, as text."""
        taken = [name for name in self.names if name.partition(":")[0] == "equilibrium"]
        if not taken:
            return RANKINGS
        return (
            f"{RANKINGS} A game can have many equilibria, and averages against other policies depend on which of them "
            f"was taken as {' and '.join(taken)}; an equilibrium can rank below policies that are exploitable."
        )

    @cached_property
    def averages(self) -> NDArray[np.float64]:
        """Mean payoff of each policy over both seats and all others, in payoff points; NaN without others."""
        others = len(self.names) - 1
        both = (self.means - self.means.T + float(payoff_sum(self.game))) / 2
        return both.sum(axis=1) / others if others else np.full(1, np.nan)

    @cached_property
    def figures(self) -> dict[str, NDArray[np.float64]]:
        """Figures of each policy, `[policies]`, by name: Elo in Elo points, the others in payoff points."""
        ahead = np.array([[pairing.win - pairing.loss for pairing in row] for row in self.pairings])
        rated = {
            "average": self.averages,
            "elo": elo(0.5 + (ahead - ahead.T) / 4),
            "nash_average": nash_averaging((self.means - self.means.T) / 2).ratings,
        }
        return rated if self.exploitability is None else {**rated, "exploitability": np.array(self.exploitability)}


def shown(name: str, figure: float) -> str:
    """Formats one of the `figures` of a policy."""
    return points(figure, ELO_DIGITS if name == "elo" else DIGITS)


def require_pairings(game: Game[Any], games: int | None) -> None:
    """Refuses invalid requests before any policy is loaded.

    Raises:
        ValueError: If the game is not two-player zero-sum, or `games` is given for a game with exact results.
    """
    if not is_constant_sum(game):
        raise ValueError(f"{game.facts.name}: play-offs are for two-player zero-sum games")
    if games is not None and has_exact_results(game):
        raise ValueError(f"--games ({games}) does not apply to {game.facts.name}: its results are exact")


def play_all(
    game: Game[Any],
    policies: dict[str, Policy],
    games: int | None = None,
    seed: int = 0,
    progress: Callable[[int], object] | None = None,
) -> PlayOffs:
    """Plays every pairing, including each policy against itself; calls `progress` with the number played so far.

    `games` is the number of games per pairing in a game without exact results; without `games`, results are exact.

    Raises:
        ValueError: In the cases of `require_pairings`, or if the game is too large for exact results.
    """
    require_pairings(game, games)
    rows: list[tuple[Pairing, ...]] = []
    try:
        for first in policies.values():
            rows.append(tuple(_pairing(game, first, second, games, seed) for second in policies.values()))
            if progress is not None:
                progress(len(rows) * len(policies))
        measured = tuple(exploitability(game, each) for each in policies.values()) if games is None else None
    except ValueError as error:
        if games is None and not has_exact_results(game):
            raise ValueError(f"{error}; --games N samples N games per pair instead") from None
        raise
    return PlayOffs(game, tuple(policies), tuple(rows), measured, games)


def ranked(result: PlayOffs) -> PlayOffs:
    """Returns the same results, sorted by average payoff, best first."""
    order = [int(place) for place in np.argsort(-result.averages, kind="stable")]
    return replace(
        result,
        names=tuple(result.names[place] for place in order),
        pairings=tuple(tuple(result.pairings[row][column] for column in order) for row in order),
        exploitability=result.exploitability and tuple(result.exploitability[place] for place in order),
    )


def _pairing(game: Game[Any], first: Policy, second: Policy, games: int | None, seed: int) -> Pairing:
    if games is None:
        exact = head_to_head(game, first, second)
        return Pairing(exact.win, exact.loss, exact.tie, exact.mean, exact.mean, exact.mean)
    played = cross_play(game, (first, second), games=games, seed=seed)
    win, loss = (wins / played.games for wins in played.wins)
    tie = (played.nobody + played.unfinished) / played.games
    mean = win - loss if played.mean_payoffs is None else played.mean_payoffs[0]
    return Pairing(win, loss, tie, mean, *_interval(game, played, mean))


def _interval(game: Game[Any], played: CrossPlay, mean: float) -> tuple[float, float]:
    """Returns an interval that contains the expected payoff with a probability of at least 95 %."""
    if played.rounds is not None:  # without chance, all games between deterministic policies are the same
        return mean, mean
    wins, losses = played.wins
    if abs(mean - (wins - losses) / played.games) > 1e-9:  # payoffs other than one point: Hoeffding's inequality
        least, most = game.facts.min_payoff, game.facts.max_payoff
        spread = (most - least) * math.sqrt(math.log(2 / 0.05) / (2 * played.games))
        return max(mean - spread, least), min(mean + spread, most)
    from scipy.stats import binomtest  # takes almost a second to import

    won, lost = (
        binomtest(number, played.games).proportion_ci(CONFIDENCE_OF_EACH, method="exact") for number in (wins, losses)
    )
    return won.low - lost.high, won.high - lost.low


def shipped_policies(game: Game[Any]) -> dict[str, Policy]:
    """Returns all named policies that can play a game without knowing the other player's policy."""
    policies = {}
    for name in policy_names():
        if not needs_others(name):
            with suppress(ValueError):  # raised by a policy for other games
                policies[name] = named_policy(name, game)
    return policies
