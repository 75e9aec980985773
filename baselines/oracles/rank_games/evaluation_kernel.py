"""Compiled code for `positions.py` and `evaluation.py`: reachable positions, and values of play, layer by layer.

A pair of hands is a row of bytes: player 0's cards of each rank, then player 1's, padded to a multiple of eight bytes.
`keys` are the same rows as 64-bit integers. Two ranks, two cards each:

    player 0 holds 1, 1 and player 1 holds 1, 2   the row 2 0 1 1 0 0 0 0

`marks`, `[pairs, words]`, has a bit for each context, 32 in each word, which is 1 if the position is reached; the upper
half of a word is the number of its first position. States are numbered position by position. With `symmetric`, a pair
and its mirror image (the seats swapped) are one row. `table` is a hash table of the rows.
"""

from __future__ import annotations

import numpy as np

from cardwar_envs.core.compiled import njit, wraps_around

# Columns of values: both players' best responses and the policies' play, as continuation payoffs to player 0; then the
# probabilities that player 0 ends with the higher and with the lower score.
RESPONSE_0, RESPONSE_1, MEAN, WIN, LOSS = range(5)
# How a pair of hands is stored: as it is, with the seats swapped, or equal to its mirror image.
PLAIN, SWAPPED, OWN = range(3)
KINDS = 9  # who wins a trick, plus three times how the next pair is stored
# An action within this many payoff points of the best counts as best.
ROUNDING = 1e-13
LOW = 0xFFFFFFFF


# -- pairs of hands -----------------------------------------------------------------------


@njit()
@wraps_around
def slot_of(key, keys, table):  # type: ignore[no-untyped-def]  # compiled
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
def moves_of(row, ranks, moves):  # type: ignore[no-untyped-def]
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
def orient(row, ranks, symmetric):  # type: ignore[no-untyped-def]
    """Swaps the hands of a pair if its mirror image is stored; returns how it is stored."""
    if not symmetric:
        return PLAIN
    rank = 0
    while rank < ranks and row[rank] == row[ranks + rank]:
        rank += 1
    if rank == ranks:
        return OWN
    if row[rank] > row[ranks + rank]:
        return PLAIN
    for other in range(rank, ranks):
        row[other], row[ranks + other] = row[ranks + other], row[other]
    return SWAPPED


@njit()
def winner(rank_0, rank_1):  # type: ignore[no-untyped-def]
    """Returns 0 for a tie, 1 if player 0 wins, 2 if player 1 wins."""
    return 0 if rank_0 == rank_1 else (1 if rank_0 > rank_1 else 2)


@njit()
def _take_and_pack(row, ranks, rank_0, rank_1, after):  # type: ignore[no-untyped-def]
    """Writes what remains of a packed pair to `after`, packed as in the rules (`cardwar_envs.games.duel.kernel`)."""
    after[:] = 0
    number, before = -1, 3
    for rank in range(ranks):
        own, other = np.int64(row[rank]), np.int64(row[ranks + rank])
        if own == 0 and other == 0:
            break
        own, other = own - (rank == rank_0), other - (rank == rank_1)
        holders = (own > 0) + 2 * (other > 0)
        if holders == 0:
            continue
        if holders != before or holders == 3:
            number += 1
        before = holders
        after[number] += own
        after[ranks + number] += other


@njit()
def play(shape, row, rank_0, rank_1, after):  # type: ignore[no-untyped-def]
    """Writes the row of what remains of a pair to `after`; returns the kind: who wins, and how `after` is stored."""
    ranks = shape.ranks
    if shape.packed:
        _take_and_pack(row, ranks, rank_0, rank_1, after)
    else:
        after[: 2 * ranks] = row[: 2 * ranks]
        after[rank_0] -= 1
        after[ranks + rank_1] -= 1
    return winner(rank_0, rank_1) + 3 * orient(after, ranks, shape.symmetric)


@njit()
def context_after(rules, context, prize, kind):  # type: ignore[no-untyped-def]
    """Returns the next context, -1 if the game is settled, and whether the seats are swapped there."""
    following = rules.following[context, prize, kind % 3]
    if following < 0 or kind < 3 * SWAPPED:
        return following, 0
    swapped = rules.swapped[following]
    if kind >= 3 * OWN and following <= swapped:
        return following, 0
    return swapped, 1


# -- positions ----------------------------------------------------------------------------


@njit()
def _ones(bits):  # type: ignore[no-untyped-def]
    """Counts the ones of 32 bits."""
    bits -= bits >> 1 & 0x55555555
    bits = (bits & 0x33333333) + (bits >> 2 & 0x33333333)
    bits = bits + (bits >> 4) & 0x0F0F0F0F
    return bits * 0x01010101 >> 24 & 0xFF


@njit()
def position_of(marks, pair, context):  # type: ignore[no-untyped-def]
    """Returns the number of a position, -1 if it is not reached."""
    if pair < 0:
        return -1
    word, bit = marks[pair, context >> 5], context & 31
    if not word >> bit & 1:
        return -1
    return (word >> 32) + _ones(word & ((1 << bit) - 1))


@njit()
def number_positions(marks):  # type: ignore[no-untyped-def]
    """Numbers the marked positions; returns how many there are."""
    count = 0
    for pair in range(marks.shape[0]):
        for word in range(marks.shape[1]):
            low = marks[pair, word] & LOW
            marks[pair, word] = count << 32 | low
            count += _ones(low)
    return count


@njit()
def contexts_of(marks, pair, contexts):  # type: ignore[no-untyped-def]
    """Writes the contexts in which a pair is reached; returns how many there are."""
    count = 0
    for word in range(marks.shape[1]):
        low = marks[pair, word] & LOW
        for bit in range(32 if low else 0):
            if low >> bit & 1:
                contexts[count] = 32 * word + bit
                count += 1
    return count


@njit()
def list_positions(marks, start, stop, pairs, contexts):  # type: ignore[no-untyped-def]
    """Writes the pair and the context of each position of the pairs `start` to `stop`."""
    count = 0
    for pair in range(start, stop):
        more = contexts_of(marks, pair, contexts[count:])
        pairs[count : count + more] = pair
        count += more


# -- from the start to the end ------------------------------------------------------------


@njit()
def with_room(rows, marks, table, count, most):  # type: ignore[no-untyped-def]
    """Moves pairs, marks and hash table to larger arrays if there is no room for `most` pairs."""
    capacity = len(rows)
    if most <= capacity:
        return rows, marks, table
    while capacity < most:
        capacity *= 2
    more_rows = np.zeros((capacity, rows.shape[1]), dtype=np.uint8)
    more_marks = np.zeros((capacity, marks.shape[1]), dtype=np.int64)
    more_rows[:count], more_marks[:count] = rows[:count], marks[:count]
    table = np.full(2 * capacity, -1, dtype=np.int32)
    fill_table(more_rows.view(np.uint64), count, table)
    return more_rows, more_marks, table


@njit()
def any_bit(words):  # type: ignore[no-untyped-def]
    """Returns whether any bit is 1; NumPy's method is slow for so few words."""
    bits = 0
    for word in words:
        bits |= word
    return bits != 0


@njit()
def _follow(rules, contexts, kinds, sets):  # type: ignore[no-untyped-def]
    """Marks in `sets`, `[kinds, words]`, what can follow some contexts after tricks of the first `kinds` kinds."""
    sets[:] = 0
    for context in contexts:
        for prize in range(rules.turned[context]):
            for kind in range(kinds):
                after, _ = context_after(rules, context, prize, kind)
                if after >= 0:
                    sets[kind, after >> 5] |= 1 << (after & 31)


@njit()
def expand(shape, rules, start, stop, rows, marks, next_rows, next_marks, table, most):  # type: ignore[no-untyped-def]
    """Finds the positions that can follow those of the pairs `start` to `stop`; stops at more than `most` pairs.

    Takes empty arrays of the layer with one card fewer. Returns them with room for all pairs, the hash table, and the
    number of pairs.
    """
    ranks, count = shape.ranks, 0
    moves, contexts = np.zeros((2, ranks), np.int64), np.zeros(len(rules.turned), np.int64)
    sets = np.zeros((KINDS, next_marks.shape[1]), np.int64)
    after = np.zeros(rows.shape[1], dtype=np.uint8)
    key = after.view(np.uint64)
    for pair in range(start, stop):
        num_0, num_1 = moves_of(rows[pair], ranks, moves)
        if pair == start or ((marks[pair] ^ marks[pair - 1]) & LOW).any():
            here = contexts[: contexts_of(marks, pair, contexts)]
            _follow(rules, here, KINDS if shape.symmetric else 3, sets)
        next_rows, next_marks, table = with_room(next_rows, next_marks, table, count, count + num_0 * num_1)
        next_keys = next_rows.view(np.uint64)
        for cell in range(num_0 * num_1):
            reached = sets[play(shape, rows[pair], moves[0, cell // num_1], moves[1, cell % num_1], after)]
            if any_bit(reached):
                slot = slot_of(key, next_keys, table)  # a function for these lines would take half as long again
                if table[slot] < 0:
                    table[slot] = count
                    next_rows[count] = after
                    count += 1
                for word in range(len(reached)):
                    next_marks[table[slot], word] |= reached[word]
        if count > most:
            break
    return next_rows, next_marks, table, count


@njit()
def merge(more_rows, more_marks, rows, marks, table, count):  # type: ignore[no-untyped-def]
    """Adds pairs and their marks to a layer; returns its arrays, its hash table and its number of pairs."""
    rows, marks, table = with_room(rows, marks, table, count, count + len(more_rows))
    keys, more_keys = rows.view(np.uint64), more_rows.view(np.uint64)
    for pair in range(len(more_rows)):
        slot = slot_of(more_keys[pair], keys, table)
        if table[slot] < 0:
            table[slot] = count
            rows[count] = more_rows[pair]
            count += 1
        for word in range(marks.shape[1]):
            marks[table[slot], word] |= more_marks[pair, word]
    return rows, marks, table, count


# -- from the end to the start ------------------------------------------------------------


@njit()
def _locate(rules, context, prize, kinds, pairs, marks, leads, swaps, at):  # type: ignore[no-untyped-def]
    """Writes to `at`, for each pair of moves, the next position, -1 if there is none; to `swaps` if it is swapped."""
    for kind in range(KINDS):
        leads[kind], swaps[kind] = context_after(rules, context, prize, kind)
    for i in range(at.shape[0]):
        for j in range(at.shape[1]):
            lead = leads[kinds[i, j]]
            at[i, j] = position_of(marks, pairs[i, j], lead) if lead >= 0 else -1


@njit()
def _value(x, y, share, paid, ahead, kinds, swaps, at, below, work, out):  # type: ignore[no-untyped-def]
    """Adds the values at one state, times `share`, to `out`; returns the lowest best move of each player."""
    outcomes = len(out) > WIN
    work[: len(y)] = 0.0
    best_0, best, mean, win, loss = 0, -np.inf, 0.0, 0.0, 0.0
    for i in range(len(x)):
        worth = 0.0
        for j in range(len(y)):
            kind, there, weight = kinds[i, j], at[i, j], x[i] * y[j]
            to_0 = to_1 = to_mean = paid[kind % 3]
            swap = swaps[kind]
            if there >= 0:
                sign = 1.0 - 2.0 * swap
                to_0 += sign * below[there, swap]
                to_1 += sign * below[there, 1 - swap]
                to_mean += sign * below[there, MEAN]
            worth += y[j] * to_0
            work[j] += x[i] * to_1
            mean += weight * to_mean
            if outcomes:
                win += weight * (below[there, WIN + swap] if there >= 0 else 1.0 * (ahead[kind % 3] > 0.0))
                loss += weight * (below[there, LOSS - swap] if there >= 0 else 1.0 * (ahead[kind % 3] < 0.0))
        if worth > best + ROUNDING:
            best_0 = i
        best = max(best, worth)
    out[RESPONSE_0] += share * best
    out[MEAN] += share * mean
    if outcomes:
        out[WIN] += share * win
        out[LOSS] += share * loss
    best_1, best = 0, np.inf
    for j in range(len(y)):
        if work[j] < best - ROUNDING:
            best_1 = j
        best = min(best, work[j])
    out[RESPONSE_1] += share * best
    return best_0, best_1


@njit()
def _shares(weights, moves, total, shares):  # type: ignore[no-untyped-def]
    """Writes the weight of each move, as a fraction of `total`."""
    for i in range(len(shares)):
        shares[i] = weights[moves[i]] / total


@njit()
def evaluate(shape, uniform, rules, rows, marks, next_rows, next_marks, table, below, values, best, task):  # type: ignore[no-untyped-def]
    """Evaluates the positions of some pairs of hands; `task` is a range of pairs, `start` and `stop`, and the answers.

    The players' answers are `[states of these pairs, ranks]`, or one row for all; they are not read if `uniform`.
    `next_rows`, `next_marks`, `table` and `below` are of the layer with one card fewer. `below` and `values` are
    `[positions, 3]`, or `[positions, 5]` if outcomes are wanted.
    `best`: `[states, 2]`, filled with the lowest best ranks unless empty; states of the whole layer.
    """
    start, stop, first, second = task
    ranks, query = shape.ranks, 0
    moves, contexts, work = np.zeros((2, ranks), np.int64), np.zeros(len(rules.turned), np.int64), np.zeros(ranks)
    kinds, pairs = np.zeros((ranks, ranks), np.int64), np.zeros((ranks, ranks), np.int64)
    at, mix = np.zeros((ranks, ranks), np.int64), np.zeros((2, ranks))
    leads, swaps = np.zeros(KINDS, np.int64), np.zeros(KINDS, np.int64)
    after, keys = np.zeros(rows.shape[1], dtype=np.uint8), next_rows.view(np.uint64)
    key = after.view(np.uint64)
    for pair in range(start, stop):
        row, position = rows[pair], marks[pair, 0] >> 32
        num_0, num_1 = moves_of(row, ranks, moves)
        for i in range(num_0):
            for j in range(num_1):
                kinds[i, j] = play(shape, row, moves[0, i], moves[1, j], after)
                pairs[i, j] = table[slot_of(key, keys, table)]  # -1 if it is not reached
        x, y = mix[0, :num_0], mix[1, :num_1]
        if uniform:
            _shares(row, moves[0], row[:ranks].sum(), x)
            _shares(row[ranks:], moves[1], row[:ranks].sum(), y)
        for context in contexts[: contexts_of(marks, pair, contexts)]:
            values[position] = 0.0
            prizes = rules.turned[context]
            for prize in range(prizes):
                paid, ahead = rules.paid[context, prize], rules.ahead[context, prize]
                _locate(rules, context, prize, kinds, pairs, next_marks, leads, swaps, at[:num_0, :num_1])
                if not uniform:
                    _shares(first[min(query, len(first) - 1)], moves[0], 1.0, x)
                    _shares(second[min(query, len(second) - 1)], moves[1], 1.0, y)
                best_0, best_1 = _value(
                    x, y, 1.0 / prizes, paid, ahead, kinds, swaps, at, below, work, values[position]
                )
                if len(best):
                    best[position * prizes + prize] = moves[0, best_0], moves[1, best_1]
                query += 1
            position += 1
