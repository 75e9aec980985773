"""Compiled code for `reached.py`: the positions that policies reach; arrays as in `evaluation_kernel.py`."""

from __future__ import annotations

import numpy as np

from baselines.oracles.rank_games.evaluation_kernel import (
    any_bit,
    context_after,
    contexts_of,
    moves_of,
    play,
    slot_of,
    winner,
    with_room,
)
from cardwar_envs.core.compiled import njit


@njit()
def _follow(rules, contexts, query, moves, num_0, num_1, first, second, sets):  # type: ignore[no-untyped-def]
    """Marks in `sets`, `[pairs of moves, words]`, what follows some contexts after moves that the answers play.

    `query` is the first query of the pair; returns that of the next pair.
    """
    sets[: num_0 * num_1] = 0
    for context in contexts:
        for prize in range(rules.turned[context]):
            x, y = first[min(query, len(first) - 1)], second[min(query, len(second) - 1)]
            for i in range(num_0):
                for j in range(num_1):
                    if x[moves[0, i]] > 0.0 and y[moves[1, j]] > 0.0:
                        after, _ = context_after(rules, context, prize, winner(moves[0, i], moves[1, j]))
                        if after >= 0:
                            sets[i * num_1 + j, after >> 5] |= 1 << (after & 31)
            query += 1
    return query


@njit()
def expand(shape, rules, start, stop, rows, marks, first, second, next_rows, next_marks, table, count, most):  # type: ignore[no-untyped-def]
    """Adds the positions that can follow those of the pairs `start` to `stop` to a layer with one card fewer.

    Players play cards to which their answers, `first` and `second`, give probability (see `evaluate`). Stops at more
    than `most` pairs. Returns the layer's arrays, with room for more pairs, its hash table and its number of pairs.
    """
    ranks, query = shape.ranks, 0
    moves, contexts = np.zeros((2, ranks), np.int64), np.zeros(len(rules.turned), np.int64)
    sets = np.zeros((ranks * ranks, next_marks.shape[1]), np.int64)
    after = np.zeros(rows.shape[1], dtype=np.uint8)
    key = after.view(np.uint64)
    for pair in range(start, stop):
        num_0, num_1 = moves_of(rows[pair], ranks, moves)
        here = contexts[: contexts_of(marks, pair, contexts)]
        query = _follow(rules, here, query, moves, num_0, num_1, first, second, sets)
        next_rows, next_marks, table = with_room(next_rows, next_marks, table, count, count + num_0 * num_1)
        next_keys = next_rows.view(np.uint64)
        for cell in range(num_0 * num_1):
            if any_bit(sets[cell]):
                play(shape, rows[pair], moves[0, cell // num_1], moves[1, cell % num_1], after)
                slot = slot_of(key, next_keys, table)
                if table[slot] < 0:
                    table[slot] = count
                    next_rows[count] = after
                    count += 1
                for word in range(next_marks.shape[1]):
                    next_marks[table[slot], word] |= sets[cell, word]
        if count > most:
            break
    return next_rows, next_marks, table, count
