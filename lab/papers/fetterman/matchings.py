"""Duels with ties discarded, computed without a solver: exact sums over the matchings of two hands.

These check the solver's figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

Hand = tuple[int, ...]
Pairs = frozenset[tuple[int, int]]


def trick(card_0: int, card_1: int) -> int:
    """T of Fetterman 2023, section 2: +1 if the first card is higher, -1 if lower, 0 for a tie."""
    return (card_0 > card_1) - (card_0 < card_1)


def dominance(hand_0: Sequence[int], hand_1: Sequence[int]) -> int:
    """D of Fetterman 2023, section 2: the sum of T over all pairs of cards."""
    return sum(trick(a, b) for a in hand_0 for b in hand_1)


def without(hand: Hand, place: int) -> Hand:
    """Returns the hand after the card at an index was played."""
    return hand[:place] + hand[place + 1 :]


@cache
def value_by_recursion(hand_0: Hand, hand_1: Hand) -> Fraction:
    """Returns player 0's expected payoff if both play uniformly, trick by trick as in Fetterman's section 5."""
    if not hand_0:
        return Fraction(0)
    total = sum(
        trick(a, b) + value_by_recursion(without(hand_0, i), without(hand_1, j))
        for i, a in enumerate(hand_0)
        for j, b in enumerate(hand_1)
    )
    return Fraction(total, len(hand_0) ** 2)


def margin_shares(hand_0: Hand, hand_1: Hand) -> dict[int, Fraction]:
    """Returns the probability of each final margin if all matchings of the hands are equally likely."""
    margins = {0: Counter({0: 1})}  # cards of hand_1 that are used, as bits -> margin -> ways
    for a in hand_0:
        after: dict[int, Counter[int]] = {}
        for used, ways in margins.items():
            for j, b in enumerate(hand_1):
                if not used >> j & 1:
                    counts = after.setdefault(used | 1 << j, Counter())
                    for margin, number in ways.items():
                        counts[margin + trick(a, b)] += number
        margins = after
    (counts,) = margins.values()
    return {margin: Fraction(number, counts.total()) for margin, number in sorted(counts.items())}


def replies_to_uniform(size: int, payoff: Callable[[Pairs], Fraction]) -> tuple[Fraction, Fraction]:
    """Returns the lowest and highest payoff that any play can earn against uniform play.

    Args:
        size: Cards in each hand, numbered from 0.
        payoff: The final payoff, given which cards met. The payoff need not be a sum over tricks.
    """

    @cache
    def bounds(pairs: Pairs) -> tuple[Fraction, Fraction]:
        if len(pairs) == size:
            return payoff(pairs), payoff(pairs)
        own = set(range(size)) - {a for a, _ in pairs}
        other = set(range(size)) - {b for _, b in pairs}
        per_card = [[bounds(pairs | {(a, b)}) for b in other] for a in own]
        return (
            min(sum((low for low, _ in replies), Fraction(0)) for replies in per_card) / len(other),
            max(sum((high for _, high in replies), Fraction(0)) for replies in per_card) / len(other),
        )

    return bounds(frozenset())
