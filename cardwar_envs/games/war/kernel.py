"""WAR for two players over many states at once, compiled; `CompiledRules` says what each body does.

A row is what player 0 sees: of each rank the cards in its hand, in its wins pile, in the other's
hand, in the other's wins pile and in the pot; who is at war; who is in the game; the rounds left.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cardwar_envs.core.streams_kernel import draw, held_card

# Places after the five piles.
AT_WAR, LIVE, ROUNDS = 0, 2, 4
# What `written` says of a mask: it is all 0, or a card or the wait may be set, or anything may be set.
BLANK, CARDS, ANYTHING = 0, 1, 2


@njit(cache=True, nogil=True)
def _size(row, pile, ranks):  # type: ignore[no-untyped-def]  # compiled
    cards = 0.0
    for i in range(ranks):
        cards += row[pile + i]
    return cards


@njit(cache=True, nogil=True)
def _move(row, source, target, ranks):  # type: ignore[no-untyped-def]
    for i in range(ranks):
        row[target + i] += row[source + i]
        row[source + i] = 0.0


@njit(cache=True, nogil=True)
def _over(row, flags):  # type: ignore[no-untyped-def]
    return row[flags + ROUNDS] == 0.0 or row[flags + LIVE] == 0.0 or row[flags + LIVE + 1] == 0.0


@njit(cache=True, nogil=True)
def _acts(row, player, ranks, discards):  # type: ignore[no-untyped-def]
    if row[5 * ranks + AT_WAR] > 0.0:
        return _size(row, 2 * ranks * player, ranks) > discards
    return not _over(row, 5 * ranks)


@njit(cache=True, nogil=True)
def _put_down(row, player, action, sets, ranks):  # type: ignore[no-untyped-def]
    """Moves the cards of a play to the pot; returns the rank that battles."""
    hand, pot, battle = 2 * ranks * player, 4 * ranks, action % ranks
    if action >= ranks:
        chosen = sets[action // ranks - 1]
        for k in range(len(chosen)):
            row[hand + chosen[k]] -= 1.0
            row[pot + chosen[k]] += 1.0
    row[hand + battle] -= 1.0
    row[pot + battle] += 1.0
    return battle


@njit(cache=True, nogil=True)
def _play_one(row, action_0, action_1, sets):  # type: ignore[no-untyped-def]
    """Plays a round up to its end or its first war, or a war; returns what player 0 is paid."""
    ranks, discards = (len(row) - 5) // 5, sets.shape[1]
    pot, flags = 4 * ranks, 5 * ranks
    acts_0, acts_1 = _acts(row, 0, ranks, discards), _acts(row, 1, ranks, discards)
    battle_0 = battle_1 = -1
    if acts_0:
        battle_0 = _put_down(row, 0, action_0, sets, ranks)
    else:
        _move(row, 0, pot, ranks)
    if acts_1:
        battle_1 = _put_down(row, 1, action_1, sets, ranks)
    else:
        _move(row, 2 * ranks, pot, ranks)
    if battle_0 == battle_1:
        if _size(row, 0, ranks) > discards or _size(row, 2 * ranks, ranks) > discards:
            row[flags + AT_WAR] = row[flags + AT_WAR + 1] = 1.0
            return 0.0
        _move(row, 0, pot, ranks)
        _move(row, 2 * ranks, pot, ranks)
    else:
        _move(row, pot, ranks if battle_0 > battle_1 else 3 * ranks, ranks)
    return _end_of_round(row, ranks)


@njit(cache=True, nogil=True)
def _end_of_round(row, ranks):  # type: ignore[no-untyped-def]
    flags = 5 * ranks
    for player in range(2):
        hand = 2 * ranks * player
        if _size(row, hand, ranks) == 0.0:
            _move(row, hand + ranks, hand, ranks)
        row[flags + LIVE + player] = _size(row, hand, ranks) > 0.0
        row[flags + AT_WAR + player] = 0.0
    row[flags + ROUNDS] -= 1.0
    return float(row[flags + LIVE]) - float(row[flags + LIVE + 1])


@njit(cache=True, nogil=True)
def _any_play(row, player, streams, g, sets, below, chosen):  # type: ignore[no-untyped-def]
    """An action of a player that acts; each card is drawn from the cards held; `chosen` is scratch space."""
    ranks, discards = (len(row) - 5) // 5, sets.shape[1]
    hand = row[2 * ranks * player : 2 * ranks * player + ranks]
    cards = _size(row, 2 * ranks * player, ranks)
    if row[5 * ranks + AT_WAR] == 0.0:
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


@njit(cache=True, nogil=True)
def deal(tables, rows, streams, where, random):  # type: ignore[no-untyped-def]
    """Starts games anew."""
    start, sets, below, max_length = tables
    ranks, discards = (len(start) - 5) // 5, sets.shape[1]
    chosen, kept = np.empty(discards, dtype=np.int64), np.empty_like(start)
    for g in range(len(rows)):
        if not where[g]:
            continue
        row = rows[g]
        row[:] = start
        if not random:
            continue
        kept[:] = start
        for passed in range(1, int(draw(streams, g) * max_length) + 1):
            actions = [0, 0]
            for player in range(2):
                if _acts(row, player, ranks, discards):
                    actions[player] = _any_play(row, player, streams, g, sets, below, chosen)
            _play_one(row, actions[0], actions[1], sets)
            if _over(row, 5 * ranks):
                row[:] = kept
                break
            # Each state passed so far is the one kept with the same probability.
            if draw(streams, g) * (passed + 1) < 1.0:
                kept[:] = row


@njit(cache=True, nogil=True)
def _payable(row, hand, action, sets, ranks):  # type: ignore[no-untyped-def]
    """Whether a hand holds the cards of a play."""
    fits = True
    chosen = sets[max(action // ranks - 1, 0)]
    held = len(chosen) if action >= ranks else 0
    for k in range(held):
        row[hand + chosen[k]] -= 1.0
        fits &= row[hand + chosen[k]] >= 0.0
    fits &= row[hand + action % ranks] > 0.0
    for k in range(held):
        row[hand + chosen[k]] += 1.0
    return fits


@njit(cache=True, nogil=True)
def illegal(tables, rows, actions, where, flags):  # type: ignore[no-untyped-def]
    """Marks which players choose an illegal action."""
    start, sets = tables[:2]
    ranks, discards = (len(start) - 5) // 5, sets.shape[1]
    found = False
    for g in range(len(rows)):
        row = rows[g]
        at_war = row[5 * ranks + AT_WAR] > 0.0
        least, most = (ranks, ranks * (1 + len(sets))) if at_war else (0, ranks)
        for player in range(2):
            action = actions[g, player]
            flags[g, player] = (
                where[g]
                and _acts(row, player, ranks, discards)
                and not (least <= action < most and _payable(row, 2 * ranks * player, action, sets, ranks))
            )
            found |= flags[g, player]
    return found


@njit(cache=True, nogil=True)
def play(tables, rows, streams, actions, where, rewards, over):  # type: ignore[no-untyped-def]
    """Plays legal joint actions."""
    start, sets = tables[:2]
    for g in range(len(rows)):
        rewards[g, 0], rewards[g, 1], over[g] = 0.0, 0.0, False
        if where[g]:
            paid = _play_one(rows[g], actions[g, 0], actions[g, 1], sets)
            over[g] = _over(rows[g], len(start) - 5)
            rewards[g, 0], rewards[g, 1] = paid, 0.0 - paid


@njit(cache=True, nogil=True)
def acting(tables, rows, acts):  # type: ignore[no-untyped-def]
    """Marks which players choose now."""
    start, sets = tables[:2]
    for g in range(len(rows)):
        for player in range(2):
            acts[g, player] = _acts(rows[g], player, (len(start) - 5) // 5, sets.shape[1])


@njit(cache=True, nogil=True)
def uniform(tables, rows, streams, where, player, actions):  # type: ignore[no-untyped-def]
    """Draws actions of uniform play in one seat."""
    start, sets, below, _ = tables
    ranks, discards = (len(start) - 5) // 5, sets.shape[1]
    chosen = np.empty(discards, dtype=np.int64)
    for g in range(len(rows)):
        if not where[g] or _over(rows[g], 5 * ranks):
            actions[g] = 0
        elif _acts(rows[g], player, ranks, discards):
            actions[g] = _any_play(rows[g], player, streams, g, sets, below, chosen)
        else:
            actions[g] = ranks * (1 + len(sets))


@njit(cache=True, nogil=True)
def _wipe(mask, ranks, written):  # type: ignore[no-untyped-def]
    if written == ANYTHING:
        mask[:] = 0
    elif written == CARDS:
        mask[:ranks] = 0
        mask[len(mask) - 1] = 0


@njit(cache=True, nogil=True)
def _mark_wars(hand, sets, below, mask):  # type: ignore[no-untyped-def]
    ranks, discards = len(hand), sets.shape[1]
    s = 0
    while s < len(sets):
        chosen, paid = sets[s], 0
        while paid < discards and hand[chosen[paid]] > 0.0:
            hand[chosen[paid]] -= 1.0
            paid += 1
        if paid == discards:
            marked = mask[ranks * (1 + s) : ranks * (2 + s)]
            for i in range(ranks):
                marked[i] = hand[i] > 0.0
        for k in range(paid):
            hand[chosen[k]] += 1.0
        # The sets that begin like one that cannot be paid come next and can be skipped.
        s += 1 if paid == discards else below[paid, chosen[paid]]


@njit(cache=True, nogil=True)
def _mask(row, player, sets, below, mask, written):  # type: ignore[no-untyped-def]
    """Writes a mask over the one that is there; returns what is written now."""
    ranks = (len(row) - 5) // 5
    hand = row[2 * ranks * player : 2 * ranks * player + ranks]
    _wipe(mask, ranks, written)
    if _over(row, 5 * ranks):
        return BLANK
    if not _acts(row, player, ranks, sets.shape[1]):
        mask[len(mask) - 1] = 1
        return CARDS
    if row[5 * ranks + AT_WAR] > 0.0:
        _mark_wars(hand, sets, below, mask)
        return ANYTHING
    for i in range(ranks):
        mask[i] = hand[i] > 0.0
    return CARDS


@njit(cache=True, nogil=True)
def observe(tables, rows, observations, masks, written):  # type: ignore[no-untyped-def]
    """Writes what both players see."""
    start, sets, below, _ = tables
    ranks = (len(start) - 5) // 5
    for g in range(len(rows)):
        row = rows[g]
        for player in range(2):
            seen, own, other = observations[g, player], 2 * ranks * player, 2 * ranks * (1 - player)
            for i in range(2 * ranks):
                seen[i] = row[own + i]
            for i in range(2 * ranks):
                seen[2 * ranks + i] = row[other + i]
            for i in range(4 * ranks, len(start)):
                seen[i] = row[i]
            for flags in (5 * ranks + AT_WAR, 5 * ranks + LIVE):
                seen[flags], seen[flags + 1] = row[flags + player], row[flags + 1 - player]
            written[g, player] = _mask(row, player, sets, below, masks[g, player], written[g, player])
