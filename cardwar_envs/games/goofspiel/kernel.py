"""Compiled rules of Goofspiel for many states at once; `CompiledRules` documents each function.

A row is player 0's observation: own cards per rank, the other player's cards per rank, 1 for each later prize, the
prize and, if they are part of the state, the score and the carried points. The kernels of duels handle the hands.
"""

from __future__ import annotations

import numpy as np

from cardwar_envs.core.compiled import njit
from cardwar_envs.core.streams_kernel import draw, held_card
from cardwar_envs.games.duel.kernel import acting, illegal, pack, show_hands, uniform  # noqa: F401  # used for this game too

RANDOM, DESCENDING, ASCENDING = range(3)


@njit()
def _turn_up(tables, row, streams, g):  # type: ignore[no-untyped-def]  # compiled
    """Turns up one of the later prizes; sets the prize to 0 if there is none."""
    ranks, order = len(tables[1]), tables[2]
    left = 0.0
    for i in range(2 * ranks, 3 * ranks):
        left += row[i]
    prize = -1
    if left > 1.0 and order == RANDOM:
        prize = held_card(row[2 * ranks : 3 * ranks], left, draw(streams, g))
    elif left > 0.0:
        for i in range(ranks):
            if row[2 * ranks + i] > 0.0 and (prize < 0 or order != ASCENDING):
                prize = i
    if prize >= 0:
        row[2 * ranks + prize] = 0.0
    row[3 * ranks] = prize + 1.0


@njit()
def _bid(tables, row, action_0, action_1):  # type: ignore[no-untyped-def]
    """Plays both bids; returns the points that player 0 wins."""
    ranks, carry, margin, packs = len(tables[1]), tables[3], tables[4], tables[5]
    row[action_0] -= 1.0
    row[ranks + action_1] -= 1.0
    if packs:
        pack(row, ranks)
    stake = row[3 * ranks]
    if carry:
        stake += row[-1]
        row[-1] = stake if action_0 == action_1 else 0.0
    won = 0.0
    if action_0 != action_1:
        won = stake if action_0 > action_1 else 0.0 - stake
    if not margin:
        row[3 * ranks + 1] += won
    return won


@njit()
def _paid(tables, row, won):  # type: ignore[no-untyped-def]
    """Returns what player 0 is paid for a bid that wins these points, once the next prize is turned up."""
    ranks, margin = len(tables[1]), tables[4]
    if margin:
        return won
    score = row[3 * ranks + 1]
    return float(int(score > 0.0) - int(score < 0.0)) if row[3 * ranks] == 0.0 else 0.0


@njit()
def deal(tables, rows, streams, where, random):  # type: ignore[no-untyped-def]
    start, ranks = tables[0], len(tables[1])
    for g in range(len(rows)):
        if not where[g]:
            continue
        row = rows[g]
        row[:] = start
        _turn_up(tables, row, streams, g)
        if random and ranks > 1:
            for played in range(int(draw(streams, g) * ranks)):
                action_0 = held_card(row[:ranks], float(ranks - played), draw(streams, g))
                action_1 = held_card(row[ranks : 2 * ranks], float(ranks - played), draw(streams, g))
                _bid(tables, row, action_0, action_1)
                _turn_up(tables, row, streams, g)


@njit()
def play(tables, rows, streams, actions, where, rewards, over):  # type: ignore[no-untyped-def]
    ranks = len(tables[1])
    for g in range(len(rows)):
        rewards[g, 0], rewards[g, 1], over[g] = 0.0, 0.0, False
        if not where[g]:
            continue
        won = _bid(tables, rows[g], actions[g, 0], actions[g, 1])
        _turn_up(tables, rows[g], streams, g)
        over[g] = rows[g, 3 * ranks] == 0.0
        paid = _paid(tables, rows[g], won)
        rewards[g, 0], rewards[g, 1] = paid, 0.0 - paid


@njit()
def outcomes(tables, rows, actions, after, probabilities, rewards, over):  # type: ignore[no-untyped-def]
    """Lists the prizes that can be turned up next, in random order."""
    ranks = len(tables[1])
    bid = np.empty_like(rows[0])
    for g in range(len(rows)):
        bid[:] = rows[g]
        won = _bid(tables, bid, actions[g, 0], actions[g, 1])
        left = int(bid[2 * ranks : 3 * ranks].sum())
        bid[3 * ranks] = 0.0
        probabilities[g] = 0.0
        over[g] = left == 0
        found = 0
        for prize in range(ranks):
            if bid[2 * ranks + prize] > 0.0:
                after[g, found] = bid
                after[g, found, 2 * ranks + prize] = 0.0
                after[g, found, 3 * ranks] = prize + 1.0
                probabilities[g, found] = 1.0 / left
                found += 1
        if found == 0:
            after[g, 0] = bid
            probabilities[g, 0] = 1.0
        for k in range(max(found, 1)):
            paid = _paid(tables, after[g, k], won)
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
