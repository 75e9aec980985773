"""Compiled play of WAR; `baselines.war.simulator` is its checked front, `cardwar_envs.games.war` has the rules.

Two kinds of players are kept apart. A *chooser* must know what it holds, so its hand is counted
per rank. A *drawer* (`dummie`) plays each card of its hand alike, so its hand is a pile in which
the last card takes the place of the card drawn. All hands together are counted per rank as well,
so that a chooser finds the best card of the others in a step or two. Wins piles are appended to,
and picked up by exchanging two offsets. Players in the game stand in a row, choosers first.
Nothing is allocated within a game. Ranks are 0, 1, ... here. Where it saves time, places are
unsigned: numba looks at the sign of others, because -1 is to mean the last.

What the functions share: `seats` (`SEAT`, one per player), `counts` (`[players + 1, ranks]`:
choosers' hands, in the last row all hands), `piles` and `pot` (cards), `players` (seats in the
game, or in a war; the first `count` are meant), `state` (of the game's generator, splitmix64) and
`log` (of one game; without rows nothing is recorded).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.cpython.unsafe import numbers

DUMMIE, MIN, MAX, SIMPLE_MINDED_1, SIMPLE_MINDED_2 = range(5)
NOBODY, UNFINISHED, STOPPED = -1, -2, -3

# `hand` and `won` are where the two piles of a seat begin; of a chooser, `held` has a bit for each
# rank in its hand, and `chosen` is its next card.
SEAT = np.dtype([(name, np.int64) for name in ("strategy", "hand", "hand_size", "won", "won_size", "held", "chosen")])

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
HALF = np.uint64(32)

# Intrinsics, whose Python signatures are not how they are called.
leading_zeros: Any = numbers.leading_zeros
trailing_zeros: Any = numbers.trailing_zeros

# Half the time would go into passing on the parts of arrays, and as much again into counting who
# refers to them; nothing below `play` allocates, so nothing needs to be counted.
_inlined = njit(cache=True, nogil=True, forceinline=True, _nrt=False)  # type: ignore[call-overload]  # no hint for _nrt


@_inlined
def _mix(z):  # type: ignore[no-untyped-def]  # compiled
    z = (z ^ (z >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return z ^ (z >> np.uint64(31))


@_inlined
def _first_state(seed, game):  # type: ignore[no-untyped-def]
    """Where the generator of a game starts."""
    return _mix(_mix(np.uint64(seed) + GOLDEN) + np.uint64(game) * GOLDEN)


@_inlined
def _any_of(state, size):  # type: ignore[no-untyped-def]
    """A number below `size`; 32 bits keep its bias below a millionth."""
    return ((_mix(state) >> HALF) * size) >> HALF


@_inlined
def _deal(seats, counts, piles, players):  # type: ignore[no-untyped-def]
    """Every player gets one card of each rank; returns the number of choosers."""
    ranks = counts.shape[1]
    capacity = len(seats) * ranks
    for i in range(len(seats) + 1):
        for rank in range(ranks):
            counts[i, rank] = 1 if i < len(seats) else len(seats)
    choosers = 0
    for i in range(len(seats)):
        seat = seats[i]
        choosers += seat.strategy != DUMMIE
        seat.hand, seat.hand_size = 2 * i * capacity, ranks
        seat.won, seat.won_size = (2 * i + 1) * capacity, 0
        seat.held = (1 << ranks) - 1
        for rank in range(ranks):
            piles[seat.hand + rank] = rank
    first, drawer = 0, choosers
    for i in range(len(seats)):
        if seats[i].strategy == DUMMIE:
            players[drawer] = i
            drawer += 1
        else:
            players[first] = i
            first += 1
    return choosers


# -- what choosers see and choose ---------------------------------------------------------


@_inlined
def _highest(seats, counts, piles, i):  # type: ignore[no-untyped-def]
    """The highest rank in a hand, -1 if it is empty."""
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
    """Whether the second-best card of a hand is above a rank."""
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
    """Whether another player's second-best card is above that of seat i."""
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
    """The card that a chooser battles with; in a war its `discards` lowest cards are set aside before."""
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
    """A chooser's card."""
    seats[i].hand_size -= 1
    counts[i, card] -= 1
    counts[-1, card] -= 1
    if counts[i, card] == 0:
        seats[i].held ^= 1 << card
    pot[pot_size] = card
    return pot_size + 1


@_inlined
def _put_any(seats, counts, piles, pot, pot_size, i, state):  # type: ignore[no-untyped-def]
    """Any card of a drawer."""
    seat = seats[i]
    size, first = np.uint64(seat.hand_size), np.uint64(seat.hand)
    at = first + _any_of(state, size)
    card = piles[at]
    piles[at] = piles[first + size - np.uint64(1)]
    seat.hand_size -= 1
    counts[-1, card] -= 1
    pot[pot_size] = card
    return np.int64(card)


@_inlined
def _put_lowest(seats, counts, pot, pot_size, i, number):  # type: ignore[no-untyped-def]
    """A chooser's lowest cards."""
    for _ in range(number):
        pot_size = _put(seats, counts, pot, pot_size, i, trailing_zeros(seats[i].held))
    return pot_size


@_inlined
def _put_all(seats, counts, piles, pot, pot_size, i):  # type: ignore[no-untyped-def]
    """The hand of a player who cannot pay for a war."""
    seat = seats[i]
    if seat.strategy != DUMMIE:
        return _put_lowest(seats, counts, pot, pot_size, i, seat.hand_size)
    for at in range(seat.hand, seat.hand + seat.hand_size):
        counts[-1, piles[at]] -= 1
        pot[pot_size] = piles[at]
        pot_size += 1
    seat.hand_size = 0
    return pot_size


# -- the course of the game ---------------------------------------------------------------


@_inlined
def _record(log, i, pot, first, last):  # type: ignore[no-untyped-def]
    """A row of the log: step, seat, battle card, discards; the first row counts rows and steps."""
    row = log[0, 0] = log[0, 0] + 1
    if row < len(log):
        log[row, 0] = log[0, 1]
        log[row, 1] = i
        log[row, 2] = pot[last - 1]
        for k in range(first, last - 1):
            log[row, 3 + k - first] = pot[k]


@_inlined
def _battle(seats, counts, piles, pot, pot_size, players, count, choosers, tied, discards, state, log):  # type: ignore[no-untyped-def]
    """All in the game play a card; the best of them are in `tied`, and their number is returned."""
    for k in range(choosers):
        i = players[k]
        seats[i].chosen = _choose(seats, counts, piles, players, count, i, discards, False, True)
    best, ties = -1, 0
    for k in range(count):
        i = players[k]
        if k < choosers:
            card = seats[i].chosen
            _put(seats, counts, pot, pot_size, i, card)
        else:
            state += GOLDEN
            card = _put_any(seats, counts, piles, pot, pot_size, i, state)
        pot_size += 1
        if len(log) > 0:
            _record(log, i, pot, pot_size - 1, pot_size)
        ties = 0 if card > best else ties
        tied[ties] = i
        ties += card >= best
        best = max(best, card)
    return ties, pot_size, state


@_inlined
def _war(seats, counts, piles, pot, pot_size, tied, count, in_game, discards, state, log):  # type: ignore[no-untyped-def]
    """Those tied pay or lose their hands; the best are in `tied` again."""
    for k in range(count):
        i = tied[k]
        if seats[i].strategy != DUMMIE and seats[i].hand_size > discards:
            seats[i].chosen = _choose(seats, counts, piles, tied, count, i, discards, True, count == in_game)
    best, ties = -1, 0
    for k in range(count):
        i = tied[k]
        if seats[i].hand_size <= discards:
            pot_size = _put_all(seats, counts, piles, pot, pot_size, i)
            continue
        first = pot_size
        if seats[i].strategy == DUMMIE:
            card = 0
            for _ in range(discards + 1):
                state += GOLDEN
                card = _put_any(seats, counts, piles, pot, pot_size, i, state)
                pot_size += 1
        else:
            card = seats[i].chosen
            pot_size = _put_lowest(seats, counts, pot, pot_size, i, discards)
            pot_size = _put(seats, counts, pot, pot_size, i, card)
        if len(log) > 0:
            _record(log, i, pot, first, pot_size)
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
def _end_round(seats, counts, piles, players, count, choosers):  # type: ignore[no-untyped-def]
    """Empty hands are filled from wins piles; returns how many players and choosers are left."""
    left, choosers_left = 0, 0
    for k in range(count):
        i = players[k]
        if seats[i].hand_size == 0:
            if seats[i].won_size == 0:
                continue
            _pick_up(seats, counts, piles, i)
        players[left] = i
        left += 1
        choosers_left += k < choosers
    return left, choosers_left


@_inlined
def _play(seats, counts, piles, pot, players, tied, discards, max_rounds, focus, state, log):  # type: ignore[no-untyped-def]
    """One game: the winner, or why there is none, and its rounds."""
    choosers = _deal(seats, counts, piles, players)
    count, pot_size, rounds = len(seats), 0, 0
    while count > 1:
        if rounds == max_rounds:
            return UNFINISHED, rounds
        if focus >= 0 and seats[focus].hand_size == 0:
            return STOPPED, rounds
        rounds += 1
        ties, pot_size, state = _battle(
            seats, counts, piles, pot, pot_size, players, count, choosers, tied, discards, state, log
        )
        while ties > 1:
            if len(log) > 0:
                log[0, 1] += 1
            ties, pot_size, state = _war(seats, counts, piles, pot, pot_size, tied, ties, count, discards, state, log)
        if ties == 1:
            _win(seats[tied[0]], piles, pot, pot_size)
            pot_size = 0
        count, choosers = _end_round(seats, counts, piles, players, count, choosers)
        if len(log) > 0:
            log[0, 1] += 1
    return (np.int64(players[0]) if count == 1 else NOBODY), rounds


@njit(cache=True, nogil=True)
def play(line_up, ranks, discards, max_rounds, focus, seed, first_game, winners, rounds, log):  # type: ignore[no-untyped-def]
    """Plays the games `first_game`, ... into `winners` and `rounds`; focus -1: none, max_rounds -1: no limit."""
    n = len(line_up)
    seats = np.zeros(n, dtype=SEAT)
    for i in range(n):
        seats[i].strategy = line_up[i]
    counts = np.empty((n + 1, ranks), dtype=np.int64)
    piles = np.empty(2 * n * n * ranks, dtype=np.uint8)
    pot = np.empty(n * ranks, dtype=np.uint8)
    players, tied = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    for g in range(len(winners)):
        state = _first_state(seed, first_game + g)
        winners[g], rounds[g] = _play(seats, counts, piles, pot, players, tied, discards, max_rounds, focus, state, log)
