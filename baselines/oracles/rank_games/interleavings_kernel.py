"""Compiled code for `interleavings.py`: assigns numbers to packed interleavings (`word`) and removes cards.

`letters` is a `Letters`.
"""

from __future__ import annotations

import numpy as np

from cardwar_envs.core.compiled import njit


@njit()
def _cards_in(code, width, cards):  # type: ignore[no-untyped-def]  # compiled
    """Counts both players' cards in a half interleaving; -1, -1 if a letter is unknown or follows the end."""
    mask, a, b = (1 << width) - 1, 0, 0
    ended = False
    while code:  # from the last letter to the first
        letter = code & mask
        if letter >= cards.shape[1] or (letter == 0 and ended):
            return -1, -1
        ended = ended or letter != 0
        a += cards[0, letter]
        b += cards[1, letter]
        code >>= width
    return a, b


@njit()
def _is_flush(code, width, bits):  # type: ignore[no-untyped-def]
    """Returns whether a half interleaving is empty or has its first letter in the highest bits."""
    return code == 0 or code >> (bits - width) != 0


@njit()
def rank_halves(rank, counted, width, cards):  # type: ignore[no-untyped-def]
    """Numbers, in `rank`, the half interleavings with equal card counts, and counts them in `counted`."""
    bits, most = _bits(rank), len(counted)
    for code in range(len(rank)):
        if _is_flush(code, width, bits):
            a, b = _cards_in(code, width, cards)
            if 0 <= a < most and 0 <= b < most:
                rank[code] = counted[a, b]
                counted[a, b] += 1


@njit()
def list_halves(halves, rank, starts, width, cards):  # type: ignore[no-untyped-def]
    """Writes to `halves` the half interleavings, by card counts and number: the inverse of `rank`."""
    for code in range(len(rank)):
        if rank[code] >= 0:
            a, b = _cards_in(code, width, cards)
            halves[starts[a, b] + rank[code]] = code


@njit()
def _bits(table):  # type: ignore[no-untyped-def]
    bits = 0
    while 1 << bits < len(table):
        bits += 1
    return bits


@njit()
def number_interleavings(letters, cards_left, offsets):  # type: ignore[no-untyped-def]
    """Fills `offsets`: for each upper half, the number of the first interleaving of `cards_left` cards with it."""
    bits = letters.width * letters.length - letters.cut
    low = (1 << letters.width) - 1
    total = 0
    for upper in range(1 << bits):
        offsets[upper] = total
        if _is_flush(upper, letters.width, bits):
            a, b = _cards_in(upper, letters.width, letters.cards)
            a, b = cards_left - a, cards_left - b
            if 0 <= a <= cards_left and 0 <= b <= cards_left:
                if upper & low:
                    total += letters.halves_count[a, b]
                elif a == 0 and b == 0:
                    total += 1
    offsets[1 << bits] = total
    return total


@njit()
def number_of(word, letters, layer):  # type: ignore[no-untyped-def]
    """Returns the number of an interleaving in its layer."""
    return layer.offsets[word >> letters.cut] + letters.rank[word & ((1 << letters.cut) - 1)]


@njit()
def word_at(upper, place, letters):  # type: ignore[no-untyped-def]
    """Joins an upper half and the lower half at index `place` of `letters.halves`."""
    return upper << letters.cut | np.int64(letters.halves[place])


@njit()
def first_half(upper, letters, cards_left):  # type: ignore[no-untyped-def]
    """Returns the index in `letters.halves` of the first lower half that fits an upper half."""
    a, b = _cards_in(upper, letters.width, letters.cards)
    return letters.halves_start[cards_left - a, cards_left - b]


@njit()
def letter_at(word, place, letters):  # type: ignore[no-untyped-def]
    """Returns the letter at a position of an interleaving, 0 after its end."""
    return word >> letters.width * (letters.length - 1 - place) & ((1 << letters.width) - 1)


@njit()
def mirrored(word, letters):  # type: ignore[no-untyped-def]
    """Returns the interleaving with the players swapped."""
    image = 0
    for place in range(letters.length):
        image = image << letters.width | letters.swapped[letter_at(word, place, letters)]
    return image


@njit()
def without(word, place, by, letters):  # type: ignore[no-untyped-def]
    """Returns the interleaving after player 0, player 1 or both (`by` 0, 1, 2) play a card of the letter at `place`."""
    width = letters.width
    shift = width * (letters.length - 1 - place)
    letter = word >> shift & ((1 << width) - 1)
    above, below = word >> (shift + width) << (shift + width), word & ((1 << shift) - 1)
    grown = width * (letters.rest_length[by, letter] - 1)
    moved = below << width if grown < 0 else below >> grown
    return above | (letters.rest[by, letter] << (shift - grown) if grown >= 0 else 0) | moved


@njit()
def follows(word, letters, start):  # type: ignore[no-untyped-def]
    """Returns whether `word` can follow from `start`, `[2, ranks]` cards of each rank.

    Spelling each letter with the lowest possible cards leaves the most cards for the rest.
    """
    at, run, used = -1, 0, 0
    for place in range(letters.length):
        letter = letter_at(word, place, letters)
        if letter == 0:
            break
        a, b = letters.cards[0, letter], letters.cards[1, letter]
        if letter == run and used < start[letter - 1, at]:
            used += 1
            continue
        at += 1
        while at < start.shape[1] and (start[0, at] < a or start[1, at] < b):
            at += 1
        if at == start.shape[1]:
            return False
        run, used = (letter, 1) if letter <= 2 else (0, 0)
    return True


@njit()
def spell(row, ranks, letter_of, letters):  # type: ignore[no-untyped-def]
    """Returns the interleaving of a pair of hands, given as cards of each rank; -1 if the letters cannot spell it."""
    word, size = 0, 0
    for rank in range(ranks):
        a, b = row[rank], row[ranks + rank]
        if a > 0 and b > 0:
            if a >= letter_of.shape[0] or b >= letter_of.shape[1] or letter_of[a, b] < 0:
                return -1
            word, size = word << letters.width | letter_of[a, b], size + 1
        else:
            for _ in range(a + b):
                word, size = word << letters.width | (1 if a > 0 else 2), size + 1
    if size > letters.length:
        return -1
    return word << letters.width * (letters.length - size)
