"""Makes optimal play at a state from solved values: the matrix game, both strategies, the range of all optimal ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from baselines.display.at_state import Mix, PlayAt
from baselines.matrix_game import solve_matrix_exact
from baselines.matrix_game.continuation import ExactPlay, ExactStrategies, Strategies, equal_actions, matrix_at
from baselines.matrix_game.optimal_sets import (
    EPSILON,
    NEGLIGIBLE,
    distances_if_unique,
    exact_ranges,
    proves_unique,
)
from cardwar_envs.core.constant_sum import Sums, zero_sum_form
from cardwar_envs.core.game import Game
from cardwar_envs.core.numbers import exactly

# By rounding, a strategy selected in floats may leave the range of all optimal ones by this much.
ROUNDING = 1e-9
# Rounding adds at most this fraction of the largest payoff to the error of a value, for each move that is left.
ROUNDING_OF_MOVE = 1e-14
# A player's legal actions, described, and their probabilities; both empty if it does not act.
Seat = tuple[list[str], list[Any]]


class StatePlay(Protocol):
    """The lookups that a `StateSolution` needs from a solved `Table`."""

    def value_to_go(self, state: Any) -> float: ...
    def gap_at(self, state: Any) -> float: ...
    def exact_value_to_go(self, state: Any) -> Fraction: ...
    def strategies(self, state: Any) -> Strategies: ...
    def exact_strategies(self, state: Any) -> ExactStrategies: ...


class ConstantSumPlay:
    """The lookups in a constant-sum game, from those in its zero-sum form."""

    def __init__(self, solved: StatePlay, sums: Sums) -> None:
        self._solved, self._sums = solved, sums
        self.gap_at, self.strategies, self.exact_strategies = solved.gap_at, solved.strategies, solved.exact_strategies

    def value_to_go(self, state: Any) -> float:
        return self._solved.value_to_go(state) + float(self._sums(state) / 2)

    def exact_value_to_go(self, state: Any) -> Fraction:
        return self._solved.exact_value_to_go(state) + exactly(self._sums(state) / 2)


def strategies_of(game: Game[Any], state: Any, solved: StatePlay, exact: bool) -> tuple[Seat, Seat]:
    """Returns both players' strategies at a state, in floats, or in fractions if `exact`."""
    strategies: Any = solved.exact_strategies(state) if exact else [each.tolist() for each in solved.strategies(state)]

    def seat(player: int) -> Seat:
        legal = game.legal_actions(state, player) if player in game.acting_players(state) else ()
        return [game.describe_action(a, player) for a in legal], [strategies[player][a] for a in legal]

    return seat(0), seat(1)


def play_at(game: Game[Any], state: Any, solved: StatePlay, exact: bool) -> PlayAt:
    """Returns optimal play at a possible state in which a player acts, solved in floats, or exactly if `exact`."""
    seats, acting = strategies_of(game, state, solved, exact), game.acting_players(state)
    numbered = {
        pair: None
        for player, (names, _) in enumerate(seats)
        for pair in zip(game.legal_actions(state, player) if player in acting else (), names, strict=True)
    }
    actions = tuple(dict.fromkeys(name for _, name in sorted(numbered)))
    matrix: NDArray[np.float64] = np.array(matrix_at(game, state, float, solved.value_to_go))
    value = solved.value_to_go(state)
    if not exact:
        mixes = _mixes_in_floats(game, state, matrix, seats, solved.gap_at(state))
        return PlayAt(game.describe(state), value, None, matrix, mixes, actions)
    fraction = solved.exact_value_to_go(state)
    payoffs = tuple(map(tuple, matrix_at(game, state, Fraction, solved.exact_value_to_go)))
    mixes = _exact_mixes(seats, payoffs, fraction)
    return PlayAt(game.describe(state), value, fraction, matrix, mixes, actions, payoffs)


def _mixes_in_floats(
    game: Game[Any], state: Any, matrix: NDArray[np.float64], seats: tuple[Seat, Seat], gap: float
) -> tuple[Mix, Mix]:
    first, second = seats
    same = equal_actions(game, state)
    if (distances := _distances(game, matrix, seats, same, gap)) is not None:
        return proven_mix(*first, same[0], distances[0]), proven_mix(*second, same[1], distances[1])
    try:
        payoffs = ExactPlay(zero_sum_form(game)).matrix(state)
    except ValueError:  # too large, or rounded floats in the rules
        return rounded_mix(*first), rounded_mix(*second)
    solved = solve_matrix_exact(payoffs)
    exact = (first[0], list(solved.row_strategy)), (second[0], list(solved.column_strategy))
    one, other = _exact_mixes(exact, payoffs, solved.value)
    return rounded_mix(*first, one), rounded_mix(*second, other)


def _distances(
    game: Game[Any],
    matrix: NDArray[np.float64],
    seats: tuple[Seat, Seat],
    same: Sequence[Sequence[int]],
    gap: float,
) -> tuple[float, float] | None:
    """Returns `distances_if_unique`, where actions that are the same by the rules count as one."""
    facts = game.facts
    size = max(abs(facts.min_payoff), abs(facts.max_payoff), float(np.abs(matrix).max()))
    error = gap + ROUNDING_OF_MOVE * (facts.max_length + 1) * size
    kept = [sorted({*alike}) for alike in same]
    first, second = (
        np.bincount(alike, np.array(likely or [1.0], dtype=np.float64))[rows].astype(np.float64)
        for alike, rows, (_, likely) in zip(same, kept, seats, strict=True)
    )
    return distances_if_unique(matrix[np.ix_(*kept)], (first, second), error)


def _exact_mixes(seats: tuple[Seat, Seat], payoffs: Sequence[Sequence[Fraction]], value: Fraction) -> tuple[Mix, Mix]:
    """Returns both players' mixes from their strategies and player 0's payoff matrix."""
    turned = [[-payoff for payoff in column] for column in zip(*payoffs, strict=True)]
    first, second = (probabilities for _, probabilities in seats)
    return exact_mix(*seats[0], payoffs, value, second), exact_mix(*seats[1], turned, -value, first)


def proven_mix(actions: Sequence[str], probabilities: Sequence[float], same: Sequence[int], distance: float) -> Mix:
    """Returns a mix of a game solved in floats that is provably unique, but for actions that are the same by the rules.

    Args:
        actions: Empty if the player does not act.
        probabilities: The selected strategy.
        same: For each action, the first that is the same by the rules: only the sum of their probabilities matters.
        distance: A bound on the error of these sums.
    """
    likely = np.array(probabilities, dtype=np.float64)
    if not actions:
        return Mix((), likely, likely, likely, 0.0)
    pooled = np.bincount(same, likely)[same]
    free = (np.bincount(same)[same] > 1) & (pooled > NEGLIGIBLE)
    return Mix(tuple(actions), likely, np.where(free, 0.0, likely), np.where(free, pooled, likely), distance)


def rounded_mix(actions: Sequence[str], probabilities: Sequence[float], exact: Mix | None = None) -> Mix:
    """Returns a mix of a game solved in floats, with the ranges of the mix at the same state in rational arithmetic.

    Without `exact`, or if rounding made the solver select a strategy that is not optimal, no range is determined.
    """
    likely = np.array(probabilities, dtype=np.float64)
    if len(actions) < 2:
        return Mix(tuple(actions), likely, likely, likely, 0.0)
    if exact is None or exact.low is None or exact.high is None:
        return Mix(tuple(actions), likely, None, None, 1.0)
    if not ((exact.low - ROUNDING <= likely) & (likely <= exact.high + ROUNDING)).all():
        return Mix(tuple(actions), likely, None, None, 1.0)
    return replace(exact, probabilities=likely, slack=EPSILON, chosen=None)


def exact_mix(
    actions: Sequence[str],
    probabilities: Sequence[Fraction],
    matrix: Sequence[Sequence[Fraction]],
    value: Fraction,
    other: Sequence[Fraction],
) -> Mix:
    """Returns a mix of a game solved in rational arithmetic, with the range of all optimal ones.

    `matrix` are the player's payoffs, `value` is the value of the matrix game to this player, `other` an optimal
    strategy of the other player. `actions` is empty if the player does not act.
    """
    if not actions:
        return rounded_mix((), ())
    if other and proves_unique(matrix, value, other):  # much quicker than the ranges
        ranges = [(probability, probability) for probability in probabilities]
    else:
        ranges = exact_ranges(matrix, value)
    low, high = (np.array([float(bounds[side]) for bounds in ranges]) for side in (0, 1))
    return Mix(
        tuple(actions), np.array(probabilities, dtype=float), low, high, 0.0, tuple(ranges), tuple(probabilities)
    )
