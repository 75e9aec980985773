"""The interleaving of two hands, which determines their value if only the order of ranks matters.

Hands are packed by renumbering their ranks from 0. Neighbouring ranks held by the same player alone beat and lose to
the same cards, so packing merges them into one rank, of which the player holds several cards:

    hands   (2, 9) and (4, 7)
    packed  (0, 2) and (1, 1)

Packing never increases the number of ranks: each packed rank comes from at least one rank of the hands dealt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import comb

Hand = tuple[int, ...]
Hands = tuple[Hand, Hand]


@lru_cache(maxsize=1 << 18)
def interleaving(hands: Hands) -> Hands:
    """Packs both hands, so that hands with the same interleaving become equal."""
    count_0, count_1 = Counter(hands[0]), Counter(hands[1])
    renumbered: tuple[list[int], list[int]] = ([], [])
    number, before = -1, (True, True)
    for rank in sorted({*count_0, *count_1}):
        holders = (rank in count_0, rank in count_1)
        if holders != before or holders == (True, True):
            number += 1
        before = holders
        renumbered[0].extend([number] * count_0[rank])
        renumbered[1].extend([number] * count_1[rank])
    return tuple(renumbered[0]), tuple(renumbered[1])


def packed_from_one(hands: Hands) -> Hands:
    """Like `interleaving`, but renumbers the ranks from 1."""
    hand_0, hand_1 = interleaving(hands)
    return tuple(number + 1 for number in hand_0), tuple(number + 1 for number in hand_1)


def interchangeable(hand: Hand, packed: Hand) -> list[tuple[int, int, Fraction]]:
    """For each rank of an ascending hand, its packed rank and its fraction of the packed rank's cards."""
    image_of, held = dict(zip(hand, packed, strict=True)), Counter(packed)
    return [(rank, image, Fraction(hand.count(rank), held[image])) for rank, image in image_of.items()]


def most_held(hands: Hands) -> tuple[int, ...]:
    """For each rank of packed hands, an upper bound on either player's cards of that rank in later states.

    A player can hold a run of neighbouring ranks alone only if the other player, who has as many cards, holds
    only cards outside the run. Packing turns the run into one rank, with no more ranks below it than the run
    had.
    """
    counts = [(hands[0].count(rank), hands[1].count(rank)) for rank in sorted({*hands[0], *hands[1]})]
    most: list[int] = []
    for first in reversed(range(len(counts))):
        best = max(most[-1] if most else 0, *counts[first])
        for player in (0, 1):
            own, other = 0, len(hands[0])
            for count in counts[first:]:
                own, other = own + count[player], other - count[1 - player]
                best = max(best, min(own, other))
                if own >= other:
                    break
        most.append(best)
    return tuple(reversed(most))


def most_ties(start: Hands, hands: Hands) -> int | None:
    """Maximum number of tied tricks, if `start` was dealt and the remaining hands interleave as `hands`.

    A tie removes a pair of equal cards. Returns None if no hands that can follow from `start` interleave like this.
    """
    code = _code(hands)
    best = {0: 0}  # length of the part of the code that is held with the ranks so far -> most ties
    for rank in sorted({*start[0], *start[1]}):
        held = (start[0].count(rank), start[1].count(rank))
        after: dict[int, int] = {}
        for done, ties in best.items():
            for more, kept in _leavable(code, done, held):
                gone = ties + min(held[0] - kept[0], held[1] - kept[1])
                after[done + more] = max(gone, after.get(done + more, 0))
        best = after
    return best.get(len(code))


def check_packed(start: Hands, hands: Hands, pack: Callable[[Hands], Hands]) -> None:
    """Raises a ValueError unless `hands` can follow from `start` and are already packed by `pack`."""
    if most_ties(start, hands) is None:
        raise ValueError(f"state has hands {hands}, but no hands that can remain in this game interleave like that")
    if (packed := pack(hands)) != hands:
        raise ValueError(f"state has hands {hands}, which must be packed: {packed}")


def _code(hands: Hands) -> list[tuple[int, int]]:
    """The numbers of cards of both players, rank by rank; a rank held by one player alone has an entry per card."""
    code: list[tuple[int, int]] = []
    for rank in sorted({*hands[0], *hands[1]}):
        a, b = hands[0].count(rank), hands[1].count(rank)
        code += [(a, b)] if a and b else [(1, 0)] * a + [(0, 1)] * b
    return code


def _leavable(code: list[tuple[int, int]], done: int, held: tuple[int, int]) -> list[tuple[int, tuple[int, int]]]:
    """How many of the next entries of a code the cards of one rank can be: each possible number, with its cards."""
    ways = [(0, (0, 0))]
    if done == len(code):
        return ways
    first = code[done]
    if min(first) > 0:
        return [*ways, (1, first)] if first[0] <= held[0] and first[1] <= held[1] else ways
    run = 0
    while done + run < len(code) and code[done + run] == first and run < held[first[1]]:
        run += 1
        ways.append((run, (run * first[0], run * first[1])))
    return ways


def count_states(hands: Hands, canonical: bool, ordinal: bool, shown: bool) -> int | None:
    """Counts the pairs of hands from which at most half of the cards have been played; see `Game.count_states`.

    With so many tricks left no score is decisive; states that differ only in their score count once.
    If ranks are not ordinal, a representative stands for at most two of these states, which differ by swapping the
    seats. Otherwise representatives are counted only for equal hands of distinct ranks: with half of the cards
    left, every interleaving of the remaining cards can occur (both keep the highest rank if the number of cards is
    odd), up to swapping the seats. None if players do not see the cards, whose `shown` is then False.
    """
    size = len(hands[0])
    if canonical and ordinal:
        half, alike = size // 2, hands[0] == hands[1] and len(set(hands[0])) == size
        return max(1, comb(2 * half, half) // 2) if alike else None
    if not shown:
        return None
    first, second = map(hands_from, hands)
    states = sum(first[left] * second[left] for left in range((size + 1) // 2, size + 1))
    return (states + 1) // 2 if canonical else states


def hands_from(cards: Hand) -> list[int]:
    """For each size 0, 1, 2, ..., the number of distinct hands of that size from these cards."""
    counts = [1]
    for copies in Counter(cards).values():
        counts = [sum(counts[max(0, size - copies) : size + 1]) for size in range(len(counts) + copies)]
    return counts
