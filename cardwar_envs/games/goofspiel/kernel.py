"""Compiled rules of Goofspiel for many states at once; `CompiledRules` documents each function.

A row is player 0's observation: own cards per rank, the other player's cards per rank, 1 for each later prize, the
prize and, if they are part of the state, the score and the carried points. The kernels of duels handle the hands.
"""

from __future__ import annotations

import numpy as np

from cardwar_envs.core.compiled import njit
from cardwar_envs.core.streams_kernel import draw, held_card
from cardwar_envs.games.duel.kernel import acting, illegal, pack, show_hands, uniform  # noqa: F401  # used for this game too

# Of `play`, `uniform` and `observe`; see `compiled.bound`.
ALLOCATES_NOTHING = True

RANDOM, DESCENDING, ASCENDING = range(3)


@njit(inline="always")
def _turn_up(ranks, order, rows, g, streams):  # type: ignore[no-untyped-def]  # compiled
    """Turns up one of the later prizes; sets the prize to 0 if there is none."""
    left, later = 0, rows[g, 2 * ranks : 3 * ranks]
    for i in range(ranks):  # sums of integers are vectorised
        left += int(later[i])
    prize = -1
    if left > 1 and order == RANDOM:
        prize = held_card(later, float(left), draw(streams, g))
    elif left > 0:
        for i in range(ranks):
            if later[i] > 0.0 and (prize < 0 or order != ASCENDING):
                prize = i
    if prize >= 0:
        rows[g, 2 * ranks + prize] = 0.0
    rows[g, 3 * ranks] = prize + 1.0


@njit(inline="always")
def _bid(kind, ranks, rows, g, action_0, action_1):  # type: ignore[no-untyped-def]
    """Plays both bids; returns the points that player 0 wins."""
    carry, margin, packs = kind
    rows[g, action_0] -= 1.0
    rows[g, ranks + action_1] -= 1.0
    if packs:
        pack(rows, g, ranks)
    stake = rows[g, 3 * ranks]
    if carry:
        last = rows.shape[1] - 1
        stake += rows[g, last]
        rows[g, last] = stake if action_0 == action_1 else 0.0
    won = stake * (int(action_0 > action_1) - int(action_0 < action_1))  # no branch: processors would mispredict it
    if not margin:
        rows[g, 3 * ranks + 1] += won
    return won


@njit(inline="always")
def _paid(margin, ranks, rows, g, won):  # type: ignore[no-untyped-def]
    """Returns what player 0 is paid for a bid that wins these points, once the next prize is turned up."""
    if margin:
        return won
    score = rows[g, 3 * ranks + 1]
    return float(int(score > 0.0) - int(score < 0.0)) if rows[g, 3 * ranks] == 0.0 else 0.0


@njit()
def deal(tables, rows, streams, where, random):  # type: ignore[no-untyped-def]
    start, wins, order, carry, margin, packs = tables
    ranks = len(wins)
    for g in range(len(rows)):
        if not where[g]:
            continue
        rows[g] = start
        _turn_up(ranks, order, rows, g, streams)
        if random and ranks > 1:
            for played in range(int(draw(streams, g) * ranks)):
                action_0 = held_card(rows[g, :ranks], float(ranks - played), draw(streams, g))
                action_1 = held_card(rows[g, ranks : 2 * ranks], float(ranks - played), draw(streams, g))
                _bid((carry, margin, packs), ranks, rows, g, action_0, action_1)
                _turn_up(ranks, order, rows, g, streams)


@njit()
def play(tables, rows, streams, actions, where, rewards, over):  # type: ignore[no-untyped-def]
    _, wins, order, carry, margin, packs = tables
    ranks = len(wins)
    for g in range(len(rows)):
        rewards[g, 0], rewards[g, 1], over[g] = 0.0, 0.0, False
        if not where[g]:
            continue
        won = _bid((carry, margin, packs), ranks, rows, g, actions[g, 0], actions[g, 1])
        _turn_up(ranks, order, rows, g, streams)
        over[g] = rows[g, 3 * ranks] == 0.0
        paid = _paid(margin, ranks, rows, g, won)
        rewards[g, 0], rewards[g, 1] = paid, 0.0 - paid


@njit()
def outcomes(tables, rows, actions, after, probabilities, rewards, over):  # type: ignore[no-untyped-def]
    """Lists the prizes that can be turned up next, in random order."""
    _, wins, _, carry, margin, packs = tables
    ranks, most = len(wins), after.shape[1]
    bid, listed = np.empty_like(rows[:1]), after.reshape((len(rows) * most, rows.shape[1]))
    for g in range(len(rows)):
        bid[0] = rows[g]
        won = _bid((carry, margin, packs), ranks, bid, 0, actions[g, 0], actions[g, 1])
        left = int(bid[0, 2 * ranks : 3 * ranks].sum())
        bid[0, 3 * ranks] = 0.0
        probabilities[g] = 0.0
        over[g] = left == 0
        found = 0
        for prize in range(ranks):
            if bid[0, 2 * ranks + prize] > 0.0:
                after[g, found] = bid[0]
                after[g, found, 2 * ranks + prize] = 0.0
                after[g, found, 3 * ranks] = prize + 1.0
                probabilities[g, found] = 1.0 / left
                found += 1
        if found == 0:
            after[g, 0] = bid[0]
            probabilities[g, 0] = 1.0
        for k in range(max(found, 1)):
            paid = _paid(margin, ranks, listed, g * most + k, won)
            rewards[g, k, 0], rewards[g, k, 1] = paid, 0.0 - paid


@njit()
def observe(tables, rows, first, observations, masks):  # type: ignore[no-untyped-def]
    ranks, margin = len(tables[1]), tables[4]
    for g in range(len(rows)):
        for k in range(observations.shape[1]):
            show_hands(rows[g], ranks, first + k, observations[g, k], masks[g, k])
            rest, shown = rows[g, 2 * ranks :], observations[g, k, 2 * ranks :]
            for i in range(len(rest)):
                shown[i] = rest[i]
            if first + k == 1 and not margin:
                observations[g, k, 3 * ranks + 1] = 0.0 - rows[g, 3 * ranks + 1]
