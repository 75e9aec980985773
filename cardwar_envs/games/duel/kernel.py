"""Compiled rules of the duel family for many states at once; `CompiledRules` documents each function.

A row is player 0's observation: own cards per rank, the other player's cards per rank, the score, the carried ties.
"""

from __future__ import annotations

from cardwar_envs.core.compiled import njit
from cardwar_envs.core.streams_kernel import draw, held_card

# Of `play`, `uniform` and `observe`; see `compiled.bound`.
ALLOCATES_NOTHING = True

# Functions take all rows and the index of one: to pass slices or `tables` on costs more than the rest of a trick.


@njit(inline="always")
def _winner(wins, wins_or_ties, streams, g, action_0, action_1):  # type: ignore[no-untyped-def]  # compiled
    """Draws the winner of a trick: 1 for player 0, -1 for player 1, 0 for a tie."""
    win, win_or_tie = wins[action_0, action_1], wins_or_ties[action_0, action_1]
    certain = win > 1.0 or win_or_tie > 1.0 or win_or_tie < 0.0
    drawn = 0.5 if certain else draw(streams, g)
    return int(drawn < win) - int(drawn >= win_or_tie)  # no branch: processors would mispredict it


@njit(inline="always")
def _decided(kind, rows, g, ranks, action_0, action_1, winner):  # type: ignore[no-untyped-def]
    """Plays a trick with this winner; returns the points that player 0 wins."""
    carry, margin, packs = kind
    rows[g, action_0] -= 1.0
    rows[g, ranks + action_1] -= 1.0
    ties = rows[g, 2 * ranks + 1]
    won = winner * (1.0 + ties)
    ties = ties + 1.0 if winner == 0 and carry else 0.0
    if packs:
        pack(rows, g, ranks)
    if not (packs and margin):
        rows[g, 2 * ranks] += won
    rows[g, 2 * ranks + 1] = ties
    return won


@njit()
def pack(rows, g, ranks):  # type: ignore[no-untyped-def]
    """Renumbers ranks, merging neighbouring ranks that the same player holds alone."""
    number, before = -1, 3
    for rank in range(ranks):
        own, other = rows[g, rank], rows[g, ranks + rank]
        holders = (own > 0.0) + 2 * (other > 0.0)
        if holders == 0:
            continue
        rows[g, rank] = rows[g, ranks + rank] = 0.0
        if holders != before or holders == 3:
            number += 1
        before = holders
        rows[g, number] += own
        rows[g, ranks + number] += other


@njit()
def deal(tables, rows, streams, where, random):  # type: ignore[no-untyped-def]
    start, wins, wins_or_ties, carry, margin, packs = tables
    ranks = len(wins)
    cards = 0.0
    for i in range(ranks):
        cards += start[i]
    for g in range(len(rows)):
        if not where[g]:
            continue
        rows[g] = start
        if random:
            for played in range(int(draw(streams, g) * cards)):
                action_0 = held_card(rows[g, :ranks], cards - played, draw(streams, g))
                action_1 = held_card(rows[g, ranks : 2 * ranks], cards - played, draw(streams, g))
                winner = _winner(wins, wins_or_ties, streams, g, action_0, action_1)
                _decided((carry, margin, packs), rows, g, ranks, action_0, action_1, winner)


@njit()
def illegal(tables, rows, actions, where, flags):  # type: ignore[no-untyped-def]
    ranks = len(tables[1])
    found = False
    for g in range(len(rows)):
        for player in range(2):
            action = actions[g, player]
            fits = 0 <= action < ranks and rows[g, player * ranks + action] > 0.0
            flags[g, player] = where[g] and not fits
            found |= flags[g, player]
    return found


@njit()
def play(tables, rows, streams, actions, where, rewards, over):  # type: ignore[no-untyped-def]
    _, wins, wins_or_ties, carry, margin, packs = tables
    ranks = len(wins)
    for g in range(len(rows)):
        rewards[g, 0], rewards[g, 1], over[g] = 0.0, 0.0, False
        if not where[g]:
            continue
        action_0, action_1 = actions[g, 0], actions[g, 1]
        winner = _winner(wins, wins_or_ties, streams, g, action_0, action_1)
        won = _decided((carry, margin, packs), rows, g, ranks, action_0, action_1, winner)
        over[g] = not _acts(rows, g, ranks)
        paid = _paid(margin, rows[g, 2 * ranks], won, over[g])
        rewards[g, 0], rewards[g, 1] = paid, 0.0 - paid


@njit(inline="always")
def _paid(margin, score, won, over):  # type: ignore[no-untyped-def]
    """Returns what player 0 is paid for a trick that wins these points."""
    if margin:
        return won
    return float(int(score > 0.0) - int(score < 0.0)) if over else 0.0


@njit()
def outcomes(tables, rows, actions, after, probabilities, rewards, over):  # type: ignore[no-untyped-def]
    """Lists the winners of a trick: player 0, neither, player 1."""
    _, wins, wins_or_ties, carry, margin, packs = tables
    ranks, listed = len(wins), after.reshape((3 * len(rows), rows.shape[1]))
    for g in range(len(rows)):
        action_0, action_1 = actions[g, 0], actions[g, 1]
        win = min(max(wins[action_0, action_1], 0.0), 1.0)
        win_or_tie = min(max(wins_or_ties[action_0, action_1], 0.0), 1.0)
        probabilities[g, 0], probabilities[g, 1], probabilities[g, 2] = win, win_or_tie - win, 1.0 - win_or_tie
        for k in range(3):
            after[g, k] = rows[g]
            won = _decided((carry, margin, packs), listed, 3 * g + k, ranks, action_0, action_1, 1 - k)
            over[g, k] = not _acts(listed, 3 * g + k, ranks)
            paid = _paid(margin, after[g, k, 2 * ranks], won, over[g, k])
            rewards[g, k, 0], rewards[g, k, 1] = paid, 0.0 - paid


@njit(inline="always")
def _acts(rows, g, ranks):  # type: ignore[no-untyped-def]
    held, hand = 0, rows[g, :ranks]
    for i in range(ranks):
        held += hand[i] > 0.0
    return held > 0


@njit()
def acting(tables, rows, acts):  # type: ignore[no-untyped-def]
    for g in range(len(rows)):
        acts[g, 0] = acts[g, 1] = _acts(rows, g, len(tables[1]))


@njit()
def uniform(tables, rows, streams, where, player, actions):  # type: ignore[no-untyped-def]
    ranks = len(tables[1])
    for g in range(len(rows)):
        actions[g] = 0
        if not where[g]:
            continue
        hand = rows[g, player * ranks : (player + 1) * ranks]
        cards = 0  # sums of integers are vectorised
        for i in range(ranks):
            cards += int(hand[i])
        if cards > 0:
            actions[g] = held_card(hand, float(cards), draw(streams, g))


@njit(inline="always")
def show_hands(row, ranks, player, seen, mask):  # type: ignore[no-untyped-def]
    """Writes both hands as `player` observes them, that player's hand first, and the mask of that player's cards."""
    # Slices, because indices that may be negative cannot be vectorised.
    own, other = row[player * ranks : (player + 1) * ranks], row[(1 - player) * ranks : (2 - player) * ranks]
    for i in range(ranks):
        seen[i] = own[i]
    for i in range(ranks):
        seen[ranks + i] = other[i]
    for i in range(ranks):
        mask[i] = own[i] > 0.0


@njit()
def observe(tables, rows, first, observations, masks):  # type: ignore[no-untyped-def]
    ranks = len(tables[1])
    for g in range(len(rows)):
        for k in range(observations.shape[1]):
            show_hands(rows[g], ranks, first + k, observations[g, k], masks[g, k])
            score = rows[g, 2 * ranks]
            observations[g, k, 2 * ranks] = score if first + k == 0 else 0.0 - score
            observations[g, k, 2 * ranks + 1] = rows[g, 2 * ranks + 1]
