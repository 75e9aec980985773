"""Whether playing every card alike is optimal, in rationals, at every state of a duel.

Why it is, wherever ties are discarded: however the other player chooses, against uniform play all
matchings of the two hands are equally likely. With one card left that is plain. With more, whatever
card the other plays first, it meets each of the uniform player's cards with probability 1/n, and
the rest is a duel of n - 1 cards for which it has been shown (Sanwal and Drechsler 2002, section 4,
for equal hands). So whatever depends only on which cards met has the same expectation against any
play: the margin, the chance of winning, with dice for cards too. Both players can fix it, so it is
the value. Carried ties make the order of the tricks count, and the argument ends there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from baselines.results import StateSolution
from cardwar_envs.games.duel import DuelState

Matrix = Sequence[Sequence[Fraction]]


@dataclass(frozen=True)
class UniformCheck:
    """How far uniform play is from optimal at a number of states.

    Attributes:
        states: States looked at.
        deviation: The most by which any card's payoff against uniform play differs from the
            solver's value, over both players and all states, payoff points.
    """

    states: int
    deviation: Fraction

    @property
    def optimal(self) -> bool:
        """Whether every card earns exactly the value against uniform play, at every state."""
        return self.deviation == 0


def check_uniform_play(solution: StateSolution, states: Iterable[DuelState]) -> UniformCheck:
    """Compares what each card earns against uniform play with the value that the solver found.

    If no card of either player earns anything else, uniform play by both is an equilibrium.

    Args:
        solution: Of a duel, in rationals.
        states: Of that duel, none of them over.
    """
    count, deviation = 0, Fraction(0)
    for state in states:
        count += 1
        matrix = solution.exact_payoff_matrix(state)
        value = solution.exact_value_at(state)
        payoffs = uniform_payoffs(matrix, state)
        deviation = max([deviation, *(abs(payoff - value) for side in payoffs for payoff in side)])
    return UniformCheck(count, deviation)


def uniform_payoffs(matrix: Matrix, state: DuelState) -> tuple[list[Fraction], list[Fraction]]:
    """What each row, and each column, pays player 0 if the other player plays every card alike."""
    size = len(state.hands[0])
    row_sums, column_sums = card_sums(matrix, state)
    return [total / size for total in row_sums], [total / size for total in column_sums]


def card_sums(matrix: Matrix, state: DuelState) -> tuple[list[Fraction], list[Fraction]]:
    """Sums of the rows and of the columns, where a rank that is held k times counts k times."""
    counts = [[hand.count(rank) for rank in sorted(set(hand))] for hand in state.hands]
    rows = [_weighted(row, counts[1]) for row in matrix]
    return rows, [_weighted(column, counts[0]) for column in zip(*matrix, strict=True)]


def _weighted(entries: Sequence[Fraction], counts: Sequence[int]) -> Fraction:
    return sum((entry * count for entry, count in zip(entries, counts, strict=True)), Fraction(0))
