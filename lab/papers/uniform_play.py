"""Checks exactly whether uniform play is optimal at every state of a duel.

Uniform play gives every card of the hand the same probability. It is optimal wherever ties are discarded:

1. Against uniform play, all matchings of the two hands are equally likely, whatever the other player does. With one
card left there is one matching. With n cards left, the other player's first card meets each of the uniform player's
cards with probability 1/n, and the rest is a duel of n - 1 cards (Sanwal and Drechsler 2002, section 4, for equal
hands).
2. So any payoff that depends only on which cards met has the same expectation against any play: the
   margin, the chance of winning, and both with dice for cards.
3. Both players can fix that expectation, so it is the value.

If ties are carried to the next trick, the order of the tricks matters, and the argument fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import cast

from baselines.oracles.answers.protocol import Progress
from baselines.oracles.answers.results import StateSolution
from baselines.solving import solve
from cardwar_envs.games.duel import Duel, DuelState

Matrix = Sequence[Sequence[Fraction]]


@dataclass(frozen=True)
class UniformCheck:
    """The distance of uniform play from optimal play over a number of states."""

    states: int  # number of states checked
    deviation: Fraction  # most by which a card's payoff against uniform play differs from the solver's value, points

    @property
    def optimal(self) -> bool:
        """True if every card earns exactly the value against uniform play, at every state."""
        return self.deviation == 0


def solve_exactly(game: Duel, progress: Progress | None = None) -> StateSolution:
    """Solves a duel in rational arithmetic."""
    return cast(StateSolution, solve(game, exact=True, progress=progress))


def check_uniform_play(solution: StateSolution, states: Iterable[DuelState]) -> UniformCheck:
    """At each non-terminal state, checks whether each card's payoff against uniform play equals the value.

    If every card of both players earns exactly the value, uniform play by both is an equilibrium.
    """
    deviations = [_deviation(solution, state) for state in states]
    return UniformCheck(len(deviations), max(deviations, default=Fraction(0)))


def _deviation(solution: StateSolution, state: DuelState) -> Fraction:
    value, size = solution.exact_value_at(state), len(state.hands[0])
    return max(abs(total / size - value) for total in card_sums(solution.exact_payoff_matrix(state), state))


def card_sums(matrix: Matrix, state: DuelState) -> list[Fraction]:
    """Returns sums of the rows, then of the columns; a rank that is held k times counts k times.

    Divided by the number of cards, a row sum is a card's payoff against uniform play, and a column sum is player 0's
    payoff when it plays uniformly against that card.
    """
    counts = [[hand.count(rank) for rank in sorted(set(hand))] for hand in state.hands]
    lines = [*((row, counts[1]) for row in matrix), *((column, counts[0]) for column in zip(*matrix, strict=True))]
    return [sum(map(mul, entries, weights), Fraction(0)) for entries, weights in lines]
