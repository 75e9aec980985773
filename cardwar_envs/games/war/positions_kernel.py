"""Compiled enumeration of WAR's positions for two players, called through `cardwar_envs.games.war.positions`.

A pile is a number: digit `rank` to base 25 counts its cards of that rank (0 to 2). A position is the sum of its piles
times `WEIGHTS`. The pairwise sums of the weights are distinct, so every digit of the sum shows in which piles the two
cards of a rank are. A position in a war is the bitwise complement of that sum, a negative number.
"""

from __future__ import annotations

import numpy as np

from cardwar_envs.core.compiled import njit, wraps_around
from cardwar_envs.games.war.positions import BASE, WEIGHTS

# Node 0 is a game won by player 0, node 1 a draw; a code is twice the node, plus one if the seats are swapped.
WON, LOST, DRAWN = 0, 1, 2
EMPTY = np.int64(-(2**63) + 1)


@njit()
def _key(hand_0, wins_0, hand_1, wins_1, pot):  # type: ignore[no-untyped-def]  # compiled
    return hand_0 * WEIGHTS[0] + wins_0 * WEIGHTS[1] + hand_1 * WEIGHTS[2] + wins_1 * WEIGHTS[3] + pot * WEIGHTS[4]


@njit()
def split(key, ranks, piles):  # type: ignore[no-untyped-def]
    """Writes the five piles of a position into `piles`."""
    left = ~key if key < 0 else key
    piles[:] = 0
    power = np.int64(1)
    for _ in range(ranks):
        digit = left % BASE
        left //= BASE
        for p in range(5):
            for q in range(p, 5):
                if WEIGHTS[p] + WEIGHTS[q] == digit:
                    piles[p] += power
                    piles[q] += power
        power *= BASE


@njit()
@wraps_around
def _slot(table, key):  # type: ignore[no-untyped-def]
    mask = len(table) - 1
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(mask))
    while table[place] != key and table[place] != EMPTY:
        place = (place + 1) & mask
    return place


@njit()
def canonical_key(key, ranks, piles):  # type: ignore[no-untyped-def]
    """The lower of the keys of a position and of its mirror image, and whether it is the mirror image's key."""
    split(key, ranks, piles)
    mirrored = _key(piles[2], piles[3], piles[0], piles[1], piles[4])
    if key < 0:
        mirrored = ~mirrored
    return (mirrored, True) if mirrored < key else (key, False)


@njit()
def find_all(table, nodes, keys, ranks):  # type: ignore[no-untyped-def]
    """The code of each key, or -1."""
    codes = np.empty(len(keys), dtype=np.int64)
    piles = np.empty(5, dtype=np.int64)
    for i in range(len(keys)):
        key, swapped = canonical_key(keys[i], ranks, piles)
        place = _slot(table, key)
        codes[i] = 2 * nodes[place] + swapped if table[place] == key else -1
    return codes


@njit()
def hash_table(keys, least):  # type: ignore[no-untyped-def]
    """An open-addressing hash table of size at least `least`, with all nodes but the first two (which are final)."""
    size = 1024
    while size < max(least, 2 * len(keys)):
        size *= 2
    table, nodes = np.full(size, EMPTY), np.empty(size, dtype=np.int32)
    for node in range(2, len(keys)):
        place = _slot(table, keys[node])
        table[place], nodes[place] = keys[node], node
    return table, nodes


# -- the positions that follow a joint choice --------------------------------------------------------------


@njit()
def _arrive(key, mirrored, book):  # type: ignore[no-untyped-def]
    """The code of a position; adds the position as a new node if it is not one yet."""
    table, nodes, keys, count = book
    swapped = mirrored < key
    least = mirrored if swapped else key
    place = _slot(table, least)
    if table[place] != least:
        table[place], nodes[place], keys[count[0]] = least, count[0], least
        count[0] += 1
    return 2 * nodes[place] + swapped


@njit()
def _begin_round(hand_0, wins_0, hand_1, wins_1, pot, book):  # type: ignore[no-untyped-def]
    if hand_0 == 0:
        hand_0, wins_0 = wins_0, 0
    if hand_1 == 0:
        hand_1, wins_1 = wins_1, 0
    if hand_0 == 0:
        return DRAWN if hand_1 == 0 else LOST
    if hand_1 == 0:
        return WON
    return _arrive(
        _key(hand_0, wins_0, hand_1, wins_1, pot),
        _key(hand_1, wins_1, hand_0, wins_0, pot),
        book,
    )


@njit()
def _tie(hand_0, wins_0, hand_1, wins_1, pot, can_pay, book):  # type: ignore[no-untyped-def]
    if can_pay:
        return _arrive(
            ~_key(hand_0, wins_0, hand_1, wins_1, pot),
            ~_key(hand_1, wins_1, hand_0, wins_0, pot),
            book,
        )
    return _begin_round(0, wins_0, 0, wins_1, pot + hand_0 + hand_1, book)


@njit()
def _digits(pile, ranks):  # type: ignore[no-untyped-def]
    """The number of cards in a hand, and the hand as a number to base 3."""
    total, index, power = 0, 0, 1
    for _ in range(ranks):
        digit = pile % BASE
        pile //= BASE
        total += digit
        index += digit * power
        power *= 3
    return total, index


@njit()
def list_of(war, hand, ranks, discards):  # type: ignore[no-untyped-def]
    """The number of a hand's list of choices: 0 (wait), then all hands in a round, then all hands in a war."""
    total, index = _digits(hand, ranks)
    if not war:
        return 1 + index
    return 1 + 3**ranks + index if total > discards else 0


@njit()
def _grown(array):  # type: ignore[no-untyped-def]
    larger = np.empty((2 * len(array),) + array.shape[1:], dtype=array.dtype)  # noqa: RUF005  # numba does not unpack
    larger[: len(array)] = array
    return larger


@njit()
def _expand(piles, war, pair, choices, rules, book, children):  # type: ignore[no-untyped-def]
    """Writes the children of each option pair: in a war three (win, loss and tie; -1: impossible), otherwise one."""
    hand_0, wins_0, hand_1, wins_1, pot = piles
    (own, other), (option_starts, option_piles, option_bits), (ranks, discards) = pair, choices, rules
    place = 0
    for i in range(option_starts[own], option_starts[own + 1]):
        put_0 = hand_0 if own == 0 else option_piles[i]
        for j in range(option_starts[other], option_starts[other + 1]):
            put_1 = hand_1 if other == 0 else option_piles[j]
            rest_0, rest_1, stake = hand_0 - put_0, hand_1 - put_1, pot + put_0 + put_1
            bits_0, bits_1 = option_bits[i], option_bits[j]
            # Compare the highest card of one player with the lowest of the other; a waiting player has no card.
            higher = bits_1 == 0 or bits_0 >= 2 * (bits_1 & -bits_1)
            lower = bits_0 == 0 or bits_1 >= 2 * (bits_0 & -bits_0)
            equal = bits_0 & bits_1 != 0
            won = lost = tied = np.int64(-1)
            if higher:
                won = _begin_round(rest_0, wins_0 + stake, rest_1, wins_1, 0, book)
            if lower:
                lost = _begin_round(rest_0, wins_0, rest_1, wins_1 + stake, 0, book)
            if equal:
                can_pay = max(_digits(rest_0, ranks)[0], _digits(rest_1, ranks)[0]) > discards
                tied = _tie(rest_0, wins_0, rest_1, wins_1, stake, can_pay, book)
            if war:
                children[place], children[place + 1], children[place + 2] = won, lost, tied
                place += 3
            else:  # the outcome can be any of the three
                children[place] = max(won, lost, tied)
                place += 1


@njit()
def explore(roots, ranks, discards, option_starts, option_piles, option_bits, most):  # type: ignore[no-untyped-def]
    """Enumerates all nodes that can follow `roots`, breadth first, and the children of their joint choices.

    Returns:
        Keys, both lists of choices, the start in `children` of each node, and the children. If there are too many
        nodes, returns more than `most` keys and incomplete arrays.
    """
    keys = np.empty(1 << 16, dtype=np.int64)
    lists = np.zeros((1 << 16, 2), dtype=np.int32)
    first = np.zeros(1 << 16, dtype=np.int64)
    children = np.empty(1 << 20, dtype=np.int32)
    table, nodes = np.full(1 << 17, EMPTY), np.empty(1 << 17, dtype=np.int32)
    count = np.array([2])
    piles = np.empty(5, dtype=np.int64)
    for root in roots:
        key, _ = canonical_key(root, ranks, piles)
        _arrive(key, key, (table, nodes, keys, count))
    node, used = 2, 0
    while node < count[0] and count[0] <= most:
        split(keys[node], ranks, piles)
        war = keys[node] < 0
        own, other = list_of(war, piles[0], ranks, discards), list_of(war, piles[2], ranks, discards)
        pairs = (option_starts[own + 1] - option_starts[own]) * (option_starts[other + 1] - option_starts[other])
        width = 3 if war else 1
        while len(keys) < count[0] + width * pairs:
            keys = _grown(keys)
        while len(first) < node + 2:
            first, lists = _grown(first), _grown(lists)
        while len(children) < used + width * pairs:
            children = _grown(children)
        if len(table) < 2 * (count[0] + width * pairs):
            table, nodes = hash_table(keys[: count[0]], 2 * len(table))
        lists[node, 0], lists[node, 1], first[node] = own, other, used
        _expand(
            piles,
            war,
            (own, other),
            (option_starts, option_piles, option_bits),
            (ranks, discards),
            (table, nodes, keys, count),
            children[used : used + width * pairs],
        )
        used += width * pairs
        node += 1
    return keys[: count[0]].copy(), lists[:node].copy(), first[:node].copy(), children[:used].copy()


@njit()
def hands_in(keys, ranks):  # type: ignore[no-untyped-def]
    """`[keys]`: the number of cards in both hands."""
    cards = np.empty(len(keys), dtype=np.int64)
    piles = np.empty(5, dtype=np.int64)
    for i in range(len(keys)):
        split(keys[i], ranks, piles)
        cards[i] = _digits(piles[0], ranks)[0] + _digits(piles[2], ranks)[0]
    return cards


@njit()
def count_cards(keys, swapped, ranks, counts, war):  # type: ignore[no-untyped-def]
    """Writes `[keys, 5, ranks]` counts of the five piles, own piles first, and whether there is a war."""
    piles = np.empty(5, dtype=np.int64)
    for i in range(len(keys)):
        split(keys[i], ranks, piles)
        war[i] = keys[i] < 0
        for p in range(5):
            place = (p + 2) % 4 if swapped[i] and p < 4 else p
            left = piles[p]
            for rank in range(ranks):
                counts[i, place, rank] = left % BASE
                left //= BASE


@njit()
def write_masks(lists, rows, actions, masks):  # type: ignore[no-untyped-def]
    """Sets `masks[i, action]` to 1 for every action on list `lists[i]`."""
    for i in range(len(lists)):
        for row in range(rows[lists[i]], rows[lists[i] + 1]):
            masks[i, actions[row]] = 1
