"""Compiled code for `response.py`: transitions between states, and values of play, layer by layer.

A layer is all states with the same number of cards left. A pair of hands is a row of bytes: player 0's cards of each
rank, then player 1's, padded to a multiple of eight bytes. `keys` are the same rows as 64-bit integers. A place
is one of the combinations of score and carried ties possible at a pair; see `place_of`. Three ranks, two cards each,
ties carried, one trick played:

    player 0 holds 1, 3 and player 1 holds 1, 2   the row 1 0 1 1 1 0 0 0
    nothing carried, score -1 or 1                its places 0 and 1
    1 tie carried, score 0                        its place 2

`rules` is a `Rules` of `baselines.oracles.rank_games.response`.
"""

from __future__ import annotations

import numpy as np

from cardwar_envs.core.compiled import njit, wraps_around
from cardwar_envs.games.duel.kernel import pack

# Columns of values: both players' best responses and the policies' play, in payoff points to player 0; then the
# probabilities that player 0 ends with the higher and with the lower score.
RESPONSE_0, RESPONSE_1, MEAN, WIN, LOSS = range(5)
# An action within this many payoff points of the best counts as best.
ROUNDING = 1e-13


@njit()
def place_of(rules, played, ties, score):  # type: ignore[no-untyped-def]  # compiled
    """Returns the index of a score and carried ties among those possible after this many tricks."""
    if not rules.scored:
        return ties
    if not rules.carry:
        return score + played
    return ties * (played + 1) - ties * (ties - 1) // 2 + (score + played - ties) // 2


@njit()
def places(rules, played):  # type: ignore[no-untyped-def]
    """Returns the number of places after this many tricks."""
    ties = played if rules.carry else 0
    return place_of(rules, played, ties, played - ties) + 1


@njit()
def stands(rules, played):  # type: ignore[no-untyped-def]
    """Returns `[places, 2]`: carried ties and score of each place."""
    listed = np.zeros((places(rules, played), 2), dtype=np.int64)
    for ties in range(played + 1 if rules.carry else 1):
        most = played - ties if rules.scored else 0
        for score in range(-most, most + 1, 2 if rules.carry else 1):
            listed[place_of(rules, played, ties, score)] = ties, score
    return listed


# -- pairs of hands -----------------------------------------------------------------------


@njit()
@wraps_around
def slot_of(key, keys, table):  # type: ignore[no-untyped-def]
    """Returns the slot of a hash table that has the number of a pair, or the free slot where it belongs."""
    code = np.uint64(0)
    for part in key:
        code = (code ^ part) * np.uint64(0x9E3779B97F4A7C15)
        code ^= code >> np.uint64(29)
    last = len(table) - 1
    slot = np.int64(code & np.uint64(last))
    while table[slot] >= 0:
        held, same = keys[table[slot]], True
        for part in range(len(key)):
            same &= held[part] == key[part]
        if same:
            break
        slot = (slot + 1) & last
    return slot


@njit()
def fill_table(keys, count, table):  # type: ignore[no-untyped-def]
    """Enters the first `count` pairs into an empty hash table."""
    for number in range(count):
        table[slot_of(keys[number], keys, table)] = number


@njit()
def _moves(row, ranks, moves):  # type: ignore[no-untyped-def]
    """Writes the ranks that each player holds; returns how many ranks each holds."""
    rows, columns = 0, 0
    for rank in range(ranks):
        if row[rank] > 0:
            moves[0, rows] = rank
            rows += 1
        if row[ranks + rank] > 0:
            moves[1, columns] = rank
            columns += 1
    return rows, columns


@njit()
def _play(rules, row, rank_0, rank_1, after):  # type: ignore[no-untyped-def]
    """Writes what remains of a pair to `after`; returns 0 for a tie, 1 if player 0 wins, 2 if player 1 wins."""
    ranks = rules.ranks
    after[: 2 * ranks] = row[: 2 * ranks]
    after[rank_0] -= 1
    after[ranks + rank_1] -= 1
    if rules.packed:
        pack(after, ranks)
    return 0 if rank_0 == rank_1 else (1 if rank_0 > rank_1 else 2)


@njit()
def _follow(rules, cards, ties, score, leads, points):  # type: ignore[no-untyped-def]
    """Writes the next place for each winner of a trick, or -1 if that decides the game.

    `points`, `[3, 2]`, receives the payment of the trick and the sign of the score after it.
    """
    played = rules.cards - cards + 1
    for winner in range(3):
        won = 0 if winner == 0 else (1 + ties if winner == 1 else -1 - ties)
        carried = ties + 1 if winner == 0 and rules.carry else 0
        after = score + won if rules.scored else 0
        leads[winner] = place_of(rules, played, carried, after)
        points[winner, 0] = 0.0 if rules.win else float(won)
        points[winner, 1] = np.sign(after)
        if cards == 1 or (rules.win and abs(after) > cards - 1 + carried):
            leads[winner] = -1
            points[winner, 0] += points[winner, 1] if rules.win else 0.0


# -- from the start to the end -----------------------------------------------------------------


@njit()
def _with_room(rows, reached, table, count, most):  # type: ignore[no-untyped-def]
    """Moves pairs, places and hash table to larger arrays if there is no room for `most` pairs."""
    capacity = len(rows)
    if most <= capacity:
        return rows, reached, table
    while capacity < most:
        capacity *= 2
    more_rows = np.zeros((capacity, rows.shape[1]), dtype=np.uint8)
    more_reached = np.zeros((capacity, reached.shape[1]), dtype=np.uint8)
    more_rows[:count], more_reached[:count] = rows[:count], reached[:count]
    table = np.full(2 * capacity, -1, dtype=np.int32)
    fill_table(more_rows.view(np.uint64), count, table)
    return more_rows, more_reached, table


@njit()
def _places_reached(reached, here):  # type: ignore[no-untyped-def]
    """Writes the places of a pair that have a state; returns their number."""
    states = 0
    for place in range(len(reached)):
        if reached[place]:
            here[states] = place
            states += 1
    return states


@njit()
def expand(rules, cards, rows, reached):  # type: ignore[no-untyped-def]
    """Returns the pairs with one card fewer, and which of their places are reachable and undecided.

    `rows`, `[pairs, width]`, and `reached`, `[pairs, places]` uint8, describe the layer with `cards` cards left.
    """
    ranks, width = rules.ranks, rows.shape[1]
    standing = stands(rules, rules.cards - cards)
    leads, points = np.zeros((len(standing), 3), np.int64), np.zeros((3, 2))
    for place in range(len(standing)):
        _follow(rules, cards, standing[place, 0], standing[place, 1], leads[place], points)
    next_rows, count = np.zeros((1024, width), dtype=np.uint8), 0
    next_reached = np.zeros((1024, places(rules, rules.cards - cards + 1)), dtype=np.uint8)
    table = np.full(2048, -1, dtype=np.int32)
    moves, here = np.zeros((2, ranks), np.int64), np.zeros(len(standing), np.int64)
    after = np.zeros(width, dtype=np.uint8)
    key = after.view(np.uint64)
    for pair in range(len(rows)):
        states = _places_reached(reached[pair], here)
        num_0, num_1 = _moves(rows[pair], ranks, moves)
        next_rows, next_reached, table = _with_room(next_rows, next_reached, table, count, count + num_0 * num_1)
        next_keys = next_rows.view(np.uint64)
        for i in range(num_0 if states else 0):
            for j in range(num_1):
                winner = _play(rules, rows[pair], moves[0, i], moves[1, j], after)
                slot = slot_of(key, next_keys, table)
                if table[slot] < 0:
                    table[slot] = count
                    next_rows[count] = after
                    count += 1
                marks = next_reached[table[slot]]
                for s in range(states):
                    lead = leads[here[s], winner]
                    if lead >= 0:
                        marks[lead] = 1
    return next_rows[:count].copy(), next_reached[:count].copy()


@njit()
def number_states(reached, numbers):  # type: ignore[no-untyped-def]
    """Numbers the states of a layer pair by pair, place by place; -1 where there is none."""
    count = 0
    for pair in range(reached.shape[0]):
        for place in range(reached.shape[1]):
            numbers[pair, place] = -1
            if reached[pair, place]:
                numbers[pair, place] = count
                count += 1


@njit()
def mirror(rules, cards, rows, numbers, table, mirrored):  # type: ignore[no-untyped-def]
    """Writes for each state the number of its mirror image, which must be a state too."""
    ranks, width, played = rules.ranks, rows.shape[1], rules.cards - cards
    keys, standing = rows.view(np.uint64), stands(rules, played)
    swapped = np.zeros(width, dtype=np.uint8)
    key = swapped.view(np.uint64)
    for pair in range(len(rows)):
        swapped[:ranks] = rows[pair, ranks : 2 * ranks]
        swapped[ranks : 2 * ranks] = rows[pair, :ranks]
        there = table[slot_of(key, keys, table)]
        for place in range(len(standing)):
            if numbers[pair, place] >= 0:
                turned = place_of(rules, played, standing[place, 0], -standing[place, 1])
                mirrored[numbers[pair, place]] = numbers[there, turned]


@njit()
def find(rules, cards, rows, numbers, table, asked, ties, scores, found):  # type: ignore[no-untyped-def]
    """Writes the numbers of states given as rows, ties and scores; -1 if there is no such state."""
    played = rules.cards - cards
    keys, asked_keys = rows.view(np.uint64), asked.view(np.uint64)
    for i in range(len(asked)):
        found[i] = -1
        score = scores[i] if rules.scored else 0
        lost = ties[i] if rules.carry else 0
        if not (0 <= ties[i] <= played) or lost != ties[i] or abs(score) > played - lost:
            continue
        pair = table[slot_of(asked_keys[i], keys, table)]
        if pair >= 0 and not (rules.scored and rules.carry and (score + played - lost) % 2):
            found[i] = numbers[pair, place_of(rules, played, ties[i], score)]


# -- from the end to the start -----------------------------------------------------------------


@njit()
def _value(  # type: ignore[no-untyped-def]
    num_0, num_1, moves, x, y, winners, pairs, leads, points, numbers, below, work, out
):
    """Writes the values at one state to `out`; returns the lowest best action of each player."""
    outcomes = len(out) > WIN
    work[:num_1] = 0.0
    best_0, best, mean, win, loss = -1, -np.inf, 0.0, 0.0, 0.0
    for i in range(num_0):
        worth, share = 0.0, x[moves[0, i]]
        for j in range(num_1):
            winner = winners[i, j]
            paid, sign, lead = points[winner, 0], points[winner, 1], leads[winner]
            weight = y[moves[1, j]]
            if lead < 0:
                worth += weight * paid
                work[j] += share * paid
                mean += share * weight * paid
                win += share * weight * (sign > 0.0)
                loss += share * weight * (sign < 0.0)
            else:
                there = numbers[pairs[i, j], lead]
                worth += weight * (paid + below[there, RESPONSE_0])
                work[j] += share * (paid + below[there, RESPONSE_1])
                mean += share * weight * (paid + below[there, MEAN])
                if outcomes:
                    win += share * weight * below[there, WIN]
                    loss += share * weight * below[there, LOSS]
        if worth > best + ROUNDING:
            best_0 = moves[0, i]
        best = max(best, worth)
    out[RESPONSE_0], out[MEAN] = best, mean
    if outcomes:
        out[WIN], out[LOSS] = win, loss
    best_1, best = -1, np.inf
    for j in range(num_1):
        if work[j] < best - ROUNDING:
            best_1 = moves[1, j]
        best = min(best, work[j])
    out[RESPONSE_1] = best
    return best_0, best_1


@njit()
def evaluate(  # type: ignore[no-untyped-def]
    rules, cards, start, stop, rows, numbers, next_rows, next_numbers, next_table, below, first, second, values, best
):
    """Evaluates the states of the pairs `start` to `stop`, with `cards` cards left.

    `below` (one card fewer) and `values`: `[states, 3]`, or `[states, 5]` if outcomes are wanted.
    `first` and `second`: the players' answers `[rows, ranks]`, and for each state its row there.
    `best`: `[states, 2]` lowest best actions.
    """
    ranks = rules.ranks
    standing = stands(rules, rules.cards - cards)
    leads, points = np.zeros((len(standing), 3), np.int64), np.zeros((len(standing), 3, 2))
    for place in range(len(standing)):
        _follow(rules, cards, standing[place, 0], standing[place, 1], leads[place], points[place])
    moves, work = np.zeros((2, ranks), np.int64), np.zeros(ranks)
    winners, pairs = np.zeros((ranks, ranks), np.int64), np.zeros((ranks, ranks), np.int64)
    after = np.zeros(rows.shape[1], dtype=np.uint8)
    key, next_keys = after.view(np.uint64), next_rows.view(np.uint64)
    for pair in range(start, stop):
        num_0, num_1 = _moves(rows[pair], ranks, moves)
        for i in range(num_0):
            for j in range(num_1):
                winners[i, j] = _play(rules, rows[pair], moves[0, i], moves[1, j], after)
                pairs[i, j] = next_table[slot_of(key, next_keys, next_table)]
        for place in range(len(standing)):
            s = numbers[pair, place]
            if s < 0:
                continue
            x, y = first[0][first[1][s]], second[0][second[1][s]]
            best[s] = _value(
                num_0, num_1, moves, x, y, winners, pairs, leads[place], points[place],
                next_numbers, below, work, values[s],
            )  # fmt: skip
