"""Compiled play of WAR. `baselines.matches.war_simulator` checks its input; `cardwar_envs.games.war` has the rules.

There are two kinds of players. A *chooser* must know its cards, so its hand is counted per rank. A *drawer* (`dummie`)
plays any card of its hand with equal probability, so its hand is a pile, in which the last card replaces the drawn one.
All hands together are counted per rank as well, so a chooser finds the others' best card in a step or two. Won cards go
to the end of the wins pile; picking up that pile swaps two offsets. The players in the game are listed with choosers
first. A game allocates nothing. Ranks are 0, 1, ... here. Some indices are unsigned to save time: numba checks the sign
of signed ones, because -1 could mean the last element.

The functions share these arrays:

* `seats`: a `SEAT` record per player.
* `counts`: `[players + 1, ranks]`, the hands of choosers, and all hands together in the last row.
* `piles`, `pot`: cards.
* `players`: the seats in the game or in a war, of which the first `count` are valid.
* `state`: the state of the game's generator, splitmix64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import config
from numba.cpython.unsafe import numbers

from cardwar_envs.core.compiled import njit, wraps_around
from cardwar_envs.core.streams import STEP
from cardwar_envs.core.streams_kernel import mixed

DUMMIE, MIN, MAX, SIMPLE_MINDED_1, SIMPLE_MINDED_2 = range(5)
NOBODY, UNFINISHED, STOPPED = -1, -2, -3

# `hand` and `won` are where the two piles of a seat begin. A chooser's `held` has a bit for each rank in
# its hand, and `chosen` is its next card. A record has its fields as attributes, in plain Python too.
_FIELDS = ("strategy", "hand", "hand_size", "won", "won_size", "held", "chosen")
SEAT = np.dtype((np.record, [(name, np.int64) for name in _FIELDS]))

HALF = np.uint64(32)


def _leading_zeros(word: int) -> int:
    return 64 - int(word).bit_length()


def _trailing_zeros(word: int) -> int:
    return (int(word) & -int(word)).bit_length() - 1


# numba's intrinsics are called with arguments that differ from their Python signatures, and only run compiled.
PLAIN = bool(config.DISABLE_JIT)  # type: ignore[attr-defined]  # numba makes it when it is imported
leading_zeros: Any = _leading_zeros if PLAIN else numbers.leading_zeros
trailing_zeros: Any = _trailing_zeros if PLAIN else numbers.trailing_zeros

# Without these options half the time goes into slicing arrays, and as much again into counting references.
# Nothing below `play` allocates, so nothing needs to be counted.
_inlined = njit(forceinline=True, _nrt=False)


@_inlined
def _deal(seats, counts, piles, players):  # type: ignore[no-untyped-def]  # compiled
    """Deals one card of each rank to every player."""
    ranks = counts.shape[1]
    capacity = len(seats) * ranks
    counts[:-1], counts[-1] = 1, len(seats)
    placed = 0
    for drawers in (False, True):
        for i in range(len(seats)):
            if (seats[i].strategy == DUMMIE) == drawers:
                players[placed] = i
                placed += 1
    for i in range(len(seats)):
        seat = seats[i]
        seat.hand, seat.hand_size = 2 * i * capacity, ranks
        seat.won, seat.won_size = (2 * i + 1) * capacity, 0
        seat.held = (1 << ranks) - 1
        for rank in range(ranks):
            piles[seat.hand + rank] = rank


# -- choices ------------------------------------------------------------------------------


@_inlined
def _highest(seats, counts, piles, i):  # type: ignore[no-untyped-def]
    """Returns the highest rank in a hand, -1 if it is empty."""
    seat = seats[i]
    best = -1
    if seat.strategy == DUMMIE:
        for at in range(seat.hand, seat.hand + seat.hand_size):
            if piles[at] > best:
                best = piles[at]
        return best
    return 63 - leading_zeros(seat.held)


@_inlined
def _two_above(seats, counts, piles, i, level):  # type: ignore[no-untyped-def]
    """Returns whether the second-best card of a hand is above a rank."""
    seat = seats[i]
    found = 0
    if seat.strategy == DUMMIE:
        for at in range(seat.hand, seat.hand + seat.hand_size):
            found += piles[at] > level
            if found == 2:
                return True
        return False
    for rank in range(level + 1, counts.shape[1]):
        found += counts[i, rank]
    return found >= 2


@_inlined
def _fears(seats, counts, piles, players, count, i, everyone):  # type: ignore[no-untyped-def]
    """Returns whether another player's second-best card is above that of seat i."""
    second, missing = counts.shape[1], 2
    while missing > 0:
        second -= 1
        missing -= counts[i, second]
    if everyone:
        above = 0
        for rank in range(second + 1, counts.shape[1]):
            above += counts[-1, rank] - counts[i, rank]
        if above < 2 or above >= count:
            return above >= 2
    for k in range(count):  # noqa: SIM110  # numba compiles loops, not generators
        if players[k] != i and _two_above(seats, counts, piles, players[k], second):
            return True
    return False


@_inlined
def _highest_of_others(seats, counts, piles, players, count, i, everyone):  # type: ignore[no-untyped-def]
    """Returns the highest rank that the others hold; `everyone` means that `players` are all who are in the game."""
    if everyone:
        best = counts.shape[1] - 1
        while best >= 0 and counts[-1, best] == counts[i, best]:
            best -= 1
        return best
    best = -1
    for k in range(count):
        if players[k] != i:
            best = max(best, _highest(seats, counts, piles, players[k]))
    return best


@_inlined
def _choose(seats, counts, piles, players, count, i, discards, at_war, everyone):  # type: ignore[no-untyped-def]
    """Returns the battle card of a chooser; in a war it sets aside its `discards` lowest cards first."""
    strategy = seats[i].strategy
    highest = _highest(seats, counts, piles, i)
    if strategy == MAX:
        return highest
    lowest, aside = trailing_zeros(seats[i].held), 0
    if at_war:
        aside, seen = discards, counts[i, lowest]
        while seen <= discards:
            lowest += 1
            seen += counts[i, lowest]
    if strategy == MIN:
        return lowest
    others = _highest_of_others(seats, counts, piles, players, count, i, everyone)
    if highest > others:
        card = max(lowest, others + 1)
        return card + trailing_zeros(seats[i].held >> card)
    if highest < others or seats[i].hand_size - aside < discards + 2:
        return lowest
    careful = at_war or strategy == SIMPLE_MINDED_1
    return lowest if careful and _fears(seats, counts, piles, players, count, i, everyone) else highest


# -- cards into the pot -------------------------------------------------------------------


@_inlined
def _put(seats, counts, pot, pot_size, i, card):  # type: ignore[no-untyped-def]
    """Puts a chooser's card into the pot."""
    seats[i].hand_size -= 1
    counts[i, card] -= 1
    counts[-1, card] -= 1
    if counts[i, card] == 0:
        seats[i].held ^= 1 << card
    pot[pot_size] = card
    return pot_size + 1


@_inlined
def _put_any(seats, counts, piles, pot, pot_size, i, state):  # type: ignore[no-untyped-def]
    """Puts a random card of a drawer into the pot."""
    seat = seats[i]
    size, first = np.uint64(seat.hand_size), np.uint64(seat.hand)
    at = first + (((mixed(state) >> HALF) * size) >> HALF)  # of 32 bits: its bias is below a millionth
    card = piles[at]
    piles[at] = piles[first + size - np.uint64(1)]
    seat.hand_size -= 1
    counts[-1, card] -= 1
    pot[pot_size] = card
    return np.int64(card)


@_inlined
def _put_lowest(seats, counts, pot, pot_size, i, number):  # type: ignore[no-untyped-def]
    """Puts a chooser's lowest cards into the pot."""
    for _ in range(number):
        pot_size = _put(seats, counts, pot, pot_size, i, trailing_zeros(seats[i].held))
    return pot_size


@_inlined
def _put_all(seats, counts, piles, pot, pot_size, i):  # type: ignore[no-untyped-def]
    """Puts the hand of a player who cannot pay for a war into the pot."""
    seat = seats[i]
    if seat.strategy != DUMMIE:
        return _put_lowest(seats, counts, pot, pot_size, i, seat.hand_size)
    for at in range(seat.hand, seat.hand + seat.hand_size):
        counts[-1, piles[at]] -= 1
        pot[pot_size] = piles[at]
        pot_size += 1
    seat.hand_size = 0
    return pot_size


# -- rounds -------------------------------------------------------------------------------


@_inlined
def _clash(seats, counts, piles, pot, pot_size, players, count, tied, in_game, discards, at_war, state):  # type: ignore[no-untyped-def]
    """Plays the battle cards, in a war after the discards; writes the players of the best to `tied` and counts them.

    A player who cannot pay for a war loses its hand. In a war `tied` is the array `players`: entries are overwritten
    only after they have been read.
    """
    cost = discards if at_war else 0
    for k in range(count):
        i = players[k]
        if seats[i].strategy == DUMMIE:
            break  # choosers come first
        if not at_war or seats[i].hand_size > discards:
            seats[i].chosen = _choose(seats, counts, piles, players, count, i, discards, at_war, count == in_game)
    best, ties = -1, 0
    for k in range(count):
        i = players[k]
        if at_war and seats[i].hand_size <= discards:
            pot_size = _put_all(seats, counts, piles, pot, pot_size, i)
            continue
        if seats[i].strategy == DUMMIE:
            card = 0
            for _ in range(cost + 1):
                state += STEP
                card = _put_any(seats, counts, piles, pot, pot_size, i, state)
                pot_size += 1
        else:
            card = seats[i].chosen
            pot_size = _put_lowest(seats, counts, pot, pot_size, i, cost)
            pot_size = _put(seats, counts, pot, pot_size, i, card)
        ties = 0 if card > best else ties
        tied[ties] = i
        ties += card >= best
        best = max(best, card)
    return ties, pot_size, state


@_inlined
def _win(seat, piles, pot, pot_size):  # type: ignore[no-untyped-def]
    first = np.uint64(seat.won + seat.won_size)
    for k in range(np.uint64(pot_size)):
        piles[first + k] = pot[k]
    seat.won_size += pot_size


@_inlined
def _pick_up(seats, counts, piles, i):  # type: ignore[no-untyped-def]
    seat = seats[i]
    for at in range(seat.won, seat.won + seat.won_size):
        counts[-1, piles[at]] += 1
    if seat.strategy != DUMMIE:
        for at in range(seat.won, seat.won + seat.won_size):
            counts[i, piles[at]] += 1
            seat.held |= 1 << np.int64(piles[at])
    first = seat.hand
    seat.hand, seat.hand_size = seat.won, seat.won_size
    seat.won, seat.won_size = first, 0


@_inlined
def _end_round(seats, counts, piles, players, count):  # type: ignore[no-untyped-def]
    """Fills empty hands from wins piles; returns how many players are left."""
    left = 0
    for k in range(count):
        i = players[k]
        if seats[i].hand_size == 0:
            if seats[i].won_size == 0:
                continue
            _pick_up(seats, counts, piles, i)
        players[left] = i
        left += 1
    return left


@_inlined
def _play(seats, counts, piles, pot, players, tied, discards, max_rounds, focus, state):  # type: ignore[no-untyped-def]
    """Plays one game; returns the winner, or why there is none, and the rounds."""
    _deal(seats, counts, piles, players)
    count, pot_size, rounds = len(seats), 0, 0
    while count > 1:
        if rounds == max_rounds:
            return UNFINISHED, rounds
        if focus >= 0 and seats[focus].hand_size == 0:
            return STOPPED, rounds
        rounds += 1
        ties, pot_size, state = _clash(
            seats, counts, piles, pot, pot_size, players, count, tied, count, discards, False, state
        )
        while ties > 1:
            ties, pot_size, state = _clash(
                seats, counts, piles, pot, pot_size, tied, ties, tied, count, discards, True, state
            )
        if ties == 1:
            _win(seats[tied[0]], piles, pot, pot_size)
            pot_size = 0
        count = _end_round(seats, counts, piles, players, count)
    return (np.int64(players[0]) if count == 1 else NOBODY), rounds


@njit()
@wraps_around
def play(line_up, ranks, discards, max_rounds, focus, seed, first_game, winners, rounds):  # type: ignore[no-untyped-def]
    """Plays games, starting at `first_game`, into `winners` and `rounds`; -1 means no focus, or no round limit."""
    n = len(line_up)
    seats = np.zeros(n, dtype=SEAT)
    for i in range(n):
        seats[i].strategy = line_up[i]
    counts = np.empty((n + 1, ranks), dtype=np.int64)
    piles = np.empty(2 * n * n * ranks, dtype=np.uint8)
    pot = np.empty(n * ranks, dtype=np.uint8)
    players, tied = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    for g in range(len(winners)):
        state = mixed(mixed(np.uint64(seed) + STEP) + np.uint64(first_game + g) * STEP)
        winners[g], rounds[g] = _play(seats, counts, piles, pot, players, tied, discards, max_rounds, focus, state)
