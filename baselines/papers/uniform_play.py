"""Whether uniform play is optimal at every state of a duel, in rationals.

Uniform play gives every card of the hand the same probability. It is optimal wherever ties are discarded:

1. Against uniform play, all matchings of the two hands are equally likely, whatever the other player
   does. With one card left there is one matching. With n cards left, the other's first card meets each
   of the uniform player's cards with probability 1/n, and the rest is a duel of n - 1 cards (Sanwal and
   Drechsler 2002, section 4, for equal hands).
2. So any payoff that depends only on which cards met has the same expectation against any play: the
   margin, the chance of winning, and both with dice for cards.
3. Both players can fix that expectation, so it is the value.

If ties are carried to the next trick, the order of the tricks counts, and the argument fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from baselines.oracles.protocol import Progress
from baselines.oracles.results import StateSolution
from baselines.questions import solve
from cardwar_envs.games.duel import Duel, DuelState

Matrix = Sequence[Sequence[Fraction]]


@dataclass(frozen=True)
class UniformCheck:
    """How far uniform play is from optimal at a number of states.

    Attributes:
        states: How many states were checked.
        deviation: The most by which any card's payoff against uniform play differs from the
            solver's value, over both players and all states, payoff points.
    """

    states: int
    deviation: Fraction

    @property
    def optimal(self) -> bool:
        """Whether every card earns exactly the value against uniform play, at every state."""
        return self.deviation == 0


def solve_exactly(game: Duel, progress: Progress | None = None) -> StateSolution:
    """Solves a duel in rationals."""
    return cast(StateSolution, solve(game, exact=True, progress=progress))


def check_uniform_play(solution: StateSolution, states: Iterable[DuelState]) -> UniformCheck:
    """Compares what each card earns against uniform play with the value that the solver found.

    If every card of both players earns exactly the value, uniform play by both is an equilibrium.

    Args:
        solution: The solution of a duel, in rationals.
        states: States of that duel in which play goes on.
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
    """What each row pays player 0 against uniform play, and what each column pays it when it plays uniformly."""
    size = len(state.hands[0])
    row_sums, column_sums = card_sums(matrix, state)
    return [total / size for total in row_sums], [total / size for total in column_sums]


def card_sums(matrix: Matrix, state: DuelState) -> tuple[list[Fraction], list[Fraction]]:
    """Sums of the rows and of the columns. A rank that is held k times counts k times."""
    counts = [[hand.count(rank) for rank in sorted(set(hand))] for hand in state.hands]
    rows = [_weighted(row, counts[1]) for row in matrix]
    return rows, [_weighted(column, counts[0]) for column in zip(*matrix, strict=True)]


def _weighted(entries: Sequence[Fraction], counts: Sequence[int]) -> Fraction:
    return sum((entry * count for entry, count in zip(entries, counts, strict=True)), Fraction(0))
