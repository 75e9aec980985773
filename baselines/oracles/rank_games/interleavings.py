"""Interleavings of two hands, packed into integers: all that matters about the hands if only the order of ranks does.

An interleaving (a "word" in public names) lists the held ranks in ascending order. It has the letter `A` for each card
of a rank held only by player 0, `B` for each card of a rank held only by player 1, and one letter for each rank held by
both:

    player 0 holds 2, 5, 9 and player 1 holds 3, 5, 6  ->  A B C B A, where C stands for one card of each
    player 0 holds 1, 4, 8 and player 1 holds 2, 4, 7  ->  A B C B A, so both pairs have the same value
    player 0 holds 2, 2, 5 and player 1 holds 1, 3, 3  ->  B A A B B A

If one player alone holds two cards of a rank, they are two letters, like two neighbouring ranks: both cards beat and
lose to the same cards.

An interleaving is packed into an integer, first letter in the highest bits, zeros after the last. The interleavings of
the same number of cards are numbered in ascending order. The number is the sum of two table entries, one for the upper
half and one for the lower half, so no list is stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.kernels import kernels

MOST_ROWS = 2**31 - 1  # ValueLayer.row_of holds 32 bits

Hands = tuple[tuple[int, ...], tuple[int, ...]]
Arrays = TypeVar("Arrays", bound=tuple[Any, ...])

# Tables over all half interleavings must stay small; 24 letters of two bits, or 16 of three.
MAX_HALF_BITS = 24


class Letters(NamedTuple):
    """The alphabet of a game and the numbering of its interleavings; arrays for compiled code.

    Attributes:
        width: Bits of a letter.
        length: Maximum number of letters in an interleaving.
        cut: Bits of the lower half.
        cards: `[2, letters]`, cards of each player in a letter; letter 0 means no letter.
        swapped: `[letters]`, the letter with the players swapped.
        rest: `[3, letters]`, the packed letters that remain of a letter after player 0, player 1 or both have played a
            card of it.
        rest_length: `[3, letters]`, the number of letters in `rest`.
        rank: `[2 ** cut]`, number of a lower half among those with the same number of cards of each player.
        halves: Lower halves ordered by cards of player 0, cards of player 1, number.
        halves_start: `[cards + 1, cards + 1]`, the index in `halves` at which each pair of card counts starts.
        halves_count: `[cards + 1, cards + 1]`, the number of lower halves with each pair of card counts.
    """

    width: int
    length: int
    cut: int
    cards: NDArray[np.int64]
    swapped: NDArray[np.int64]
    rest: NDArray[np.int64]
    rest_length: NDArray[np.int64]
    rank: NDArray[np.int32]
    halves: NDArray[np.int32]
    halves_start: NDArray[np.int64]
    halves_count: NDArray[np.int64]


Pairs = Sequence[tuple[int, int]]


def rank_counts(hands: Hands) -> list[tuple[int, int]]:
    """Returns card counts of players 0 and 1 for each held rank, ascending."""
    counts = Counter(hands[0]), Counter(hands[1])
    return [(counts[0][rank], counts[1][rank]) for rank in sorted({*hands[0], *hands[1]})]


def fits(hands: Hands) -> bool:
    """Returns whether the interleavings of these hands are short enough for tables of halves."""
    counts = rank_counts(hands)
    return _width(_pairs(counts)) * -(-_length(counts) // 2) <= MAX_HALF_BITS


def plain_seconds(hands: Hands) -> float:
    """Estimates the time to solve the duel from these hands in plain Python; fitted to Jujitsu with 4 to 8 cards."""
    counts = rank_counts(hands)
    return 1e-5 * 2.0 ** (_width(_pairs(counts)) * _length(counts))


def interleavings_kernel(hands: Hands) -> Any:
    """Returns the kernels for the interleavings of these hands, compiled only if plain Python would be slow."""
    return kernels("baselines.oracles.rank_games.interleavings_kernel", plain_seconds(hands) / 10)


def letters_of(hands: Hands) -> Letters:
    """Returns the alphabet of all interleavings reachable from two hands."""
    counts = rank_counts(hands)
    pairs = _pairs(counts)
    width, length, most = _width(pairs), _length(counts), len(hands[0])
    cut = width * (length // 2)
    cards = np.array([(0, 0), *pairs], dtype=np.int64).T.copy()
    swapped = np.array([0, *(pairs.index((b, a)) + 1 for a, b in pairs)], dtype=np.int64)
    rest, rest_length = np.zeros((2, 3, len(pairs) + 1), dtype=np.int64)
    for letter, (a, b) in enumerate(pairs, start=1):
        for by, left in enumerate([(a - 1, b), (a, b - 1), (a - 1, b - 1)]):
            if min(left) >= 0:
                spelt = _spell(left, pairs)
                rest[by, letter], rest_length[by, letter] = _pack(spelt, width), len(spelt)
    rank = np.full(1 << cut, -1, dtype=np.int32)
    counted = np.zeros((most + 1, most + 1), dtype=np.int64)
    compute = interleavings_kernel(hands)
    compute.rank_halves(rank, counted, width, cards)
    starts = (np.cumsum(counted.ravel()) - counted.ravel()).reshape(counted.shape)
    halves = np.empty(counted.sum(), dtype=np.int32)
    compute.list_halves(halves, rank, starts, width, cards)
    letters = Letters(width, length, cut, cards, swapped, rest, rest_length, rank, halves, starts, counted)
    return read_only(letters)


def packed_interleaving(hands: Hands, letters: Letters) -> int:
    """Returns the interleaving of two hands.

    Raises a ValueError if the hands cannot follow from those that `letters` was made for.
    """
    pairs = [(int(a), int(b)) for a, b in letters.cards.T[1:]]
    spelt = [letter for count in rank_counts(hands) for letter in _spell(count, pairs)]
    return _pack(spelt, letters.width) << letters.width * (letters.length - len(spelt))


def _pairs(counts: Pairs) -> list[tuple[int, int]]:
    # Closed under taking cards away and under swapping the players.
    shared = {pair for a, b in counts for pair in product(range(1, a + 1), range(1, b + 1))}
    return [(1, 0), (0, 1), *sorted(shared | {pair[::-1] for pair in shared})]


def _length(counts: Pairs) -> int:
    return sum(max(count) for count in counts)


def _width(pairs: Pairs) -> int:
    return len(pairs).bit_length()


def _spell(count: tuple[int, int], pairs: Pairs) -> list[int]:
    a, b = count
    if a and b:
        return [pairs.index(count) + 1]
    return [1] * a + [2] * b


def _pack(spelt: Sequence[int], width: int) -> int:
    word = 0
    for letter in spelt:
        word = word << width | letter
    return word


def read_only(arrays: Arrays) -> Arrays:
    """Returns the same named tuple, with read-only views of its arrays.

    Numba compiles a function separately for writable and for read-only arrays, and arrays that Ray shares between
    processes are read-only. So finished arrays are read-only in every process: functions are compiled only once, and no
    bug can change a solved value.
    """
    return type(arrays)(*(_sealed(each) if isinstance(each, np.ndarray) else each for each in arrays))


def _sealed(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
