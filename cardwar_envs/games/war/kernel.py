"""Compiled rules of WAR for many states at once; `CompiledRules` documents the functions, `round_kernel` the rows."""

from __future__ import annotations

import numpy as np

from cardwar_envs.core.compiled import njit
from cardwar_envs.core.streams_kernel import draw, held_card
from cardwar_envs.games.war.round_kernel import OVER, ROUND, WAR, can_act, cards_in, flags_at, phase_of, play_one


@njit()
def _any_play(row, player, phase, streams, g, sets, below, chosen):  # type: ignore[no-untyped-def]
    """Draws an action of an acting player, card by card from its hand; `chosen` is scratch space."""
    ranks, discards = below.shape[1], sets.shape[1]
    hand = row[2 * ranks * player : 2 * ranks * player + ranks]
    cards = cards_in(row, 2 * ranks * player, ranks)
    if phase == ROUND:
        return held_card(hand, cards, draw(streams, g))
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


@njit()
def deal(tables, rows, streams, where, random):  # type: ignore[no-untyped-def]
    players, start, sets, below, max_length = tables
    ranks, discards = below.shape[1], sets.shape[1]
    chosen, kept = np.empty(discards, dtype=np.int64), np.empty_like(start)
    actions, rewards = np.zeros(players, dtype=np.int64), np.empty(players)
    for g in range(len(rows)):
        if not where[g]:
            continue
        row = rows[g]
        row[:] = start
        if not random:
            continue
        kept[:] = start
        phase = ROUND
        for passed in range(1, int(draw(streams, g) * max_length) + 1):
            for player in range(players):
                if can_act(row, player, phase, players, ranks, discards):
                    actions[player] = _any_play(row, player, phase, streams, g, sets, below, chosen)
            phase = play_one(row, actions, phase, sets, ranks, rewards)
            if phase == OVER:
                row[:] = kept
                break
            # Reservoir sampling: `kept` is each of the rows visited so far with equal probability.
            if draw(streams, g) * (passed + 1) < 1.0:
                kept[:] = row


@njit()
def _payable(row, hand, action, sets, ranks):  # type: ignore[no-untyped-def]
    """Returns whether a hand holds the cards of a play."""
    if action < ranks:
        return row[hand + action] > 0.0
    chosen, fits = sets[action // ranks - 1], True
    for k in range(len(chosen)):
        row[hand + chosen[k]] -= 1.0
        fits &= row[hand + chosen[k]] >= 0.0
    fits &= row[hand + action % ranks] > 0.0
    for k in range(len(chosen)):
        row[hand + chosen[k]] += 1.0
    return fits


@njit()
def illegal(tables, rows, actions, where, flags):  # type: ignore[no-untyped-def]
    players, _, sets, below, _ = tables
    ranks, found = below.shape[1], False
    for g in range(len(rows)):
        row = rows[g]
        phase = phase_of(row, players, ranks)
        least, most = (ranks, ranks * (1 + len(sets))) if phase == WAR else (0, ranks)
        for player in range(players):
            action = actions[g, player]
            flags[g, player] = (
                where[g]
                and can_act(row, player, phase, players, ranks, sets.shape[1])
                and not (least <= action < most and _payable(row, 2 * ranks * player, action, sets, ranks))
            )
            found |= flags[g, player]
    return found


@njit()
def play(tables, rows, streams, actions, where, rewards, over):  # type: ignore[no-untyped-def]
    players, _, sets, below, _ = tables
    ranks = below.shape[1]
    for g in range(len(rows)):
        over[g] = False
        if where[g]:
            row = rows[g]
            phase = phase_of(row, players, ranks)
            over[g] = play_one(row, actions[g], phase, sets, ranks, rewards[g]) == OVER
        else:
            for player in range(players):
                rewards[g, player] = 0.0


@njit()
def acting(tables, rows, acts):  # type: ignore[no-untyped-def]
    players, _, sets, below, _ = tables
    ranks = below.shape[1]
    for g in range(len(rows)):
        phase = phase_of(rows[g], players, ranks)
        for player in range(players):
            acts[g, player] = can_act(rows[g], player, phase, players, ranks, sets.shape[1])


@njit()
def uniform(tables, rows, streams, where, player, actions):  # type: ignore[no-untyped-def]
    players, _, sets, below, _ = tables
    ranks, discards = below.shape[1], sets.shape[1]
    _, live = flags_at(players, ranks)
    chosen = np.empty(discards, dtype=np.int64)
    for g in range(len(rows)):
        phase = phase_of(rows[g], players, ranks)
        if not where[g] or phase == OVER or rows[g, live + player] == 0.0:
            actions[g] = 0
        elif can_act(rows[g], player, phase, players, ranks, discards):
            actions[g] = _any_play(rows[g], player, phase, streams, g, sets, below, chosen)
        else:
            actions[g] = ranks * (1 + len(sets))


@njit()
def _mark_wars(hand, sets, below, mask):  # type: ignore[no-untyped-def]
    ranks, discards = len(hand), sets.shape[1]
    s = paid = 0  # the first cards of set `s` that the hand has paid
    while s < len(sets):
        while paid < discards and hand[sets[s, paid]] > 0.0:
            hand[sets[s, paid]] -= 1.0
            paid += 1
        if paid == discards:
            marked = mask[ranks * (1 + s) : ranks * (2 + s)]
            for i in range(ranks):
                marked[i] = hand[i] > 0.0
        # Skip the following sets that begin with the same unaffordable cards.
        following = s + (1 if paid == discards else below[paid, sets[s, paid]])
        shared = 0
        while following < len(sets) and shared < paid and sets[s, shared] == sets[following, shared]:
            shared += 1
        while paid > shared:
            paid -= 1
            hand[sets[s, paid]] += 1.0
        s = following


@njit()
def _mask(row, player, phase, players, sets, below, mask):  # type: ignore[no-untyped-def]
    ranks = below.shape[1]
    mask[:] = 0
    _, live = flags_at(players, ranks)
    if phase == OVER or row[live + player] == 0.0:
        return
    hand = row[2 * ranks * player : 2 * ranks * player + ranks]
    if not can_act(row, player, phase, players, ranks, sets.shape[1]):
        mask[len(mask) - 1] = 1
    elif phase == WAR:
        _mark_wars(hand, sets, below, mask)
    else:
        for i in range(ranks):
            mask[i] = hand[i] > 0.0


@njit()
def _observe(row, player, players, ranks, seen):  # type: ignore[no-untyped-def]
    """Writes a player's observation: the row with the player's own seat first, then the others in seating order."""
    own, pot, (at_war, live) = 2 * ranks * player, 2 * ranks * players, flags_at(players, ranks)
    _copy(row[own:pot], seen)
    _copy(row[:own], seen[pot - own :])
    _copy(row[pot:at_war], seen[pot:])
    for flags in (at_war, live):
        _copy(row[flags + player : flags + players], seen[flags:])
        _copy(row[flags : flags + player], seen[flags + players - player :])
    seen[-1] = row[-1]


@njit(inline="always")
def _copy(source, target):  # type: ignore[no-untyped-def]
    for i in range(len(source)):
        target[i] = source[i]


@njit()
def observe(tables, rows, first, observations, masks):  # type: ignore[no-untyped-def]
    players, _, sets, below, _ = tables
    ranks = below.shape[1]
    for g in range(len(rows)):
        row = rows[g]
        phase = phase_of(row, players, ranks)
        for k in range(observations.shape[1]):
            _observe(row, first + k, players, ranks, observations[g, k])
            _mask(row, first + k, phase, players, sets, below, masks[g, k])
