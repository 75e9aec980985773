"""Compiled rules of WAR for many states at once; `CompiledRules` documents the functions, `round_kernel` the rows."""

from __future__ import annotations

import numpy as np

from cardwar_envs.core.compiled import njit
from cardwar_envs.core.streams_kernel import draw, held_card
from cardwar_envs.games.war.round_kernel import OVER, ROUND, WAR, can_act, cards_in, flags_at, phase_of, play_one


@njit()
def _any_war_play(rows, g, player, streams, sets, below, chosen):  # type: ignore[no-untyped-def]  # compiled
    """Draws an action of a player at war, card by card from its hand; `chosen` is scratch space."""
    ranks, discards = below.shape[1], sets.shape[1]
    own = 2 * ranks * player
    hand, cards = rows[g, own : own + ranks], cards_in(rows, g, own, ranks)
    for k in range(discards):
        rank = held_card(hand, cards - k, draw(streams, g))
        hand[rank] -= 1.0
        place = k
        while place > 0 and chosen[place - 1] > rank:
            chosen[place] = chosen[place - 1]
            place -= 1
        chosen[place] = rank
    battle = held_card(hand, cards - discards, draw(streams, g))
    group, least = 1, 0
    for k in range(discards):
        hand[chosen[k]] += 1.0
        for rank in range(least, chosen[k]):
            group += below[k, rank]
        least = chosen[k]
    return group * ranks + battle


@njit(inline="always")
def _any_play(rows, g, player, phase, streams, sets, below, chosen):  # type: ignore[no-untyped-def]
    """Draws an action of an acting player."""
    if phase == WAR:
        return _any_war_play(rows, g, player, streams, sets, below, chosen)
    ranks, own = below.shape[1], 2 * below.shape[1] * player
    return held_card(rows[g, own : own + ranks], cards_in(rows, g, own, ranks), draw(streams, g))


@njit()
def deal(tables, rows, streams, where, random):  # type: ignore[no-untyped-def]
    players, start, sets, below, max_length, _, _ = tables
    ranks, discards = below.shape[1], sets.shape[1]
    chosen, kept, count = np.empty(discards, dtype=np.int64), np.empty_like(start), len(rows) if random else 0
    actions, rewards = np.zeros((count, players), dtype=np.int64), np.empty((count, players))
    for g in range(len(rows)):
        if not where[g]:
            continue
        rows[g] = start
        if not random:
            continue
        kept[:] = start
        phase = ROUND
        for passed in range(1, int(draw(streams, g) * max_length) + 1):
            for player in range(players):
                if can_act(rows, g, player, phase, players, ranks, discards):
                    actions[g, player] = _any_play(rows, g, player, phase, streams, sets, below, chosen)
            phase = play_one(rows, g, actions, phase, sets, ranks, rewards)
            if phase == OVER:
                rows[g] = kept
                break
            # Reservoir sampling: `kept` is each of the rows visited so far with equal probability.
            if draw(streams, g) * (passed + 1) < 1.0:
                kept[:] = rows[g]


@njit()
def _payable(rows, g, hand, action, sets, ranks):  # type: ignore[no-untyped-def]
    """Returns whether a hand holds the cards of a war choice."""
    s, fits = action // ranks - 1, True
    for k in range(sets.shape[1]):
        rows[g, hand + sets[s, k]] -= 1.0
        fits &= rows[g, hand + sets[s, k]] >= 0.0
    fits &= rows[g, hand + action % ranks] > 0.0
    for k in range(sets.shape[1]):
        rows[g, hand + sets[s, k]] += 1.0
    return fits


@njit()
def illegal(tables, rows, actions, where, flags):  # type: ignore[no-untyped-def]
    players, _, sets, below, _, _, _ = tables
    ranks, found = below.shape[1], False
    for g in range(len(rows)):
        phase = phase_of(rows, g, players, ranks) if where[g] else OVER
        for player in range(players):
            action, hand = actions[g, player], 2 * ranks * player
            fits = True
            if can_act(rows, g, player, phase, players, ranks, sets.shape[1]):
                if phase == ROUND:
                    fits = 0 <= action < ranks and rows[g, hand + action] > 0.0
                else:
                    in_war = ranks <= action < ranks * (1 + len(sets))
                    fits = in_war and _payable(rows, g, hand, action, sets, ranks)
            flags[g, player] = not fits
            found |= not fits
    return found


@njit()
def play(tables, rows, streams, actions, where, rewards, over):  # type: ignore[no-untyped-def]
    players, _, sets, below, _, _, _ = tables
    ranks = below.shape[1]
    for g in range(len(rows)):
        over[g] = False
        if where[g]:
            phase = phase_of(rows, g, players, ranks)
            over[g] = play_one(rows, g, actions, phase, sets, ranks, rewards) == OVER
        else:
            for player in range(players):
                rewards[g, player] = 0.0


@njit()
def acting(tables, rows, acts):  # type: ignore[no-untyped-def]
    players, _, sets, below, _, _, _ = tables
    ranks = below.shape[1]
    for g in range(len(rows)):
        phase = phase_of(rows, g, players, ranks)
        for player in range(players):
            acts[g, player] = can_act(rows, g, player, phase, players, ranks, sets.shape[1])


@njit()
def uniform(tables, rows, streams, where, player, actions):  # type: ignore[no-untyped-def]
    players, _, sets, below, _, _, _ = tables
    ranks, discards = below.shape[1], sets.shape[1]
    _, live = flags_at(players, ranks)
    chosen = np.empty(discards, dtype=np.int64)
    for g in range(len(rows)):
        actions[g] = 0
        if not where[g]:
            continue
        phase = phase_of(rows, g, players, ranks)
        if can_act(rows, g, player, phase, players, ranks, discards):
            actions[g] = _any_play(rows, g, player, phase, streams, sets, below, chosen)
        elif phase != OVER and rows[g, live + player] > 0.0:
            actions[g] = ranks * (1 + len(sets))


@njit()
def _mark_wars(rows, g, own, needs, enough, masks, k):  # type: ignore[no-untyped-def]
    """Marks every set of discards that the hand at index `own` can pay, with each battle card that it has left."""
    ranks, payable = needs.shape[1], np.ones(len(needs), dtype=np.int8)
    hand, mask = rows[g, own : own + ranks], masks[g, k]
    for rank in range(ranks):
        held = min(int(hand[rank]), enough.shape[1] - 1)
        for s in range(len(payable)):
            payable[s] &= enough[rank, held, s]
    for s in range(len(payable)):
        if payable[s]:
            for i in range(ranks):
                mask[ranks * (1 + s) + i] = hand[i] > needs[s, i]


@njit()
def _orders(first, count, players, ranks):  # type: ignore[no-untyped-def]
    """`[count, row size]`: the row's entries in the order in which the players from `first` observe them.

    The player's own seat comes first, then the others in seating order.
    """
    (at_war, live), piles = flags_at(players, ranks), 2 * ranks
    orders = np.empty((count, live + players + 1), dtype=np.int64)
    for k in range(count):
        orders[k] = np.arange(orders.shape[1])
        for seat in range(players):
            player = (first + k + seat) % players
            for i in range(piles):
                orders[k, piles * seat + i] = piles * player + i
            orders[k, at_war + seat], orders[k, live + seat] = at_war + player, live + player
    return orders


@njit()
def observe(tables, rows, first, observations, masks):  # type: ignore[no-untyped-def]
    players, _, sets, _, _, needs, enough = tables
    ranks, shown, wait = needs.shape[1], observations.shape[1], masks.shape[2] - 1
    _, live = flags_at(players, ranks)
    orders = _orders(first, shown, players, ranks)
    masks[:] = 0  # all at once: stores into a row that was just cleared would have to wait
    for g in range(len(rows)):
        phase = phase_of(rows, g, players, ranks)
        for k in range(shown):
            for i in range(orders.shape[1]):
                observations[g, k, i] = rows[g, orders[k, i]]
            own = 2 * ranks * (first + k)
            if phase == OVER or rows[g, live + first + k] == 0.0:
                continue
            if phase == ROUND:
                hand, mask = rows[g, own : own + ranks], masks[g, k]
                for i in range(ranks):
                    mask[i] = hand[i] > 0.0
            elif can_act(rows, g, first + k, phase, players, ranks, sets.shape[1]):
                _mark_wars(rows, g, own, needs, enough, masks, k)
            else:
                masks[g, k, wait] = 1
