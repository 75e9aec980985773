"""Compiled code for `prizes.py`: the matrix games of a layer of Goofspiel.

`Letters` (see `interleavings.py`), `PrizeRules`, `ValueLayer` and `Work` (see `engine.py`) are tuples of numbers and
arrays; `word` is a packed interleaving.
"""

from __future__ import annotations

from baselines.matrix_game.lockstep_kernel import lockstep  # noqa: F401  # for `engine.py`
from baselines.oracles.rank_games.games_kernel import bound_waiting, enqueue, fill, inlined
from baselines.oracles.rank_games.interleavings_kernel import first_half, mirrored, number_of, spell, word_at
from baselines.oracles.rank_games.kernel import FAILED, GAMES, NO_ROW, find_next, moves
from cardwar_envs.core.compiled import njit


@njit()
def first_place(first, letters, rules, layer):  # type: ignore[no-untyped-def]
    """Returns the index in a layer's values of the first interleaving whose upper half is `first` or later."""
    contexts = len(rules.turned)
    for upper in range(first, len(layer.offsets) - 1):
        for number in range(layer.offsets[upper], layer.offsets[upper + 1]):
            if layer.row_of[number] >= 0:
                return layer.base[layer.row_of[number]] * contexts
    return len(layer.values)


@njit()
def look_up(word, letters, rules, below, work):  # type: ignore[no-untyped-def]
    """Records, for each pair of cards, who wins and where the next values start; returns how many cards each has."""
    rows, columns = moves(word, letters, work)
    find_next(word, rows, columns, letters, below, work)
    for cell in range(rows * columns if below.cards else 0):
        work.start[cell] = below.base[work.row[cell]] * len(rules.swapped)
    return rows, columns


@inlined
def find_stakes(context, prize, rules, work):  # type: ignore[no-untyped-def]
    """Records, for each kind of trick in `find_next`, the payment and the next context.

    The sign of the next value is 0 if the game is settled, -1 if the next context has the seats swapped, else 1.
    """
    for kind in range(6):
        following = rules.following[context, prize, kind % 3]
        work.points[kind] = rules.paid[context, prize, kind % 3]
        work.sign[kind] = 0.0 if following < 0 else (-1.0 if kind > 2 else 1.0)
        work.step[kind] = rules.swapped[following] if kind > 2 and following >= 0 else following


@njit()
def _settle(rows, columns, rules, layer, work, failed, counts, gap):  # type: ignore[no-untyped-def]
    """Solves the waiting games of this size; averages over the prizes of a context, which come in order."""
    states = work.states[rows - 1, columns - 1]
    for lane in range(bound_waiting(rows, columns, rules.tolerance, work)):
        lower, upper = work.bounds[0, lane], work.bounds[1, lane]
        context, prize, place = states[lane, 1], states[lane, 2], states[lane, 3]
        total = layer.values[place] if prize > 0 else 0.0
        good = upper - lower <= rules.tolerance
        if good or counts[FAILED] >= len(failed):
            total += (lower + upper) / 2
            gap[0] = max(gap[0], upper - lower)
        else:
            failed[counts[FAILED]] = states[lane, :3]
        counts[GAMES] += 1
        counts[FAILED] += not good
        layer.values[place] = total / rules.turned[context] if prize == rules.turned[context] - 1 else total


@njit()
def _solve_word(word, row, letters, rules, layer, below, work, failed, counts, gap):  # type: ignore[no-untyped-def]
    rows, columns = look_up(word, letters, rules, below, work)
    own_mirror = mirrored(word, letters) == word
    for context in range(len(rules.turned)):
        place = layer.base[row] * len(rules.turned) + context
        if own_mirror and rules.own[context]:  # symmetric under swapping the seats: all its games have value 0
            layer.values[place] = 0.0
            counts[GAMES] += rules.turned[context]
            continue
        for prize in range(rules.turned[context]):
            find_stakes(context, prize, rules, work)
            if enqueue(rows, columns, (word, context, prize, place), below, work):
                _settle(rows, columns, rules, layer, work, failed, counts, gap)


@njit()
def solve_interleavings(first, last, letters, rules, layer, below, work, failed, counts, gap):  # type: ignore[no-untyped-def]
    """Solves a layer's interleavings whose upper halves are in [first, last), in all contexts.

    Skips games whose bounds stay too far apart, and lists them in `failed`: interleaving, context, prize.
    """
    for upper in range(first, last):
        number = layer.offsets[upper]
        if number == layer.offsets[upper + 1]:
            continue
        half = first_half(upper, letters, layer.cards)
        for i in range(layer.offsets[upper + 1] - number):
            row = layer.row_of[number + i]
            if row >= 0:
                word = word_at(upper, half + i, letters)
                _solve_word(word, row, letters, rules, layer, below, work, failed, counts, gap)
    for rows in range(1, layer.cards + 1):
        for columns in range(1, layer.cards + 1):
            _settle(rows, columns, rules, layer, work, failed, counts, gap)


@njit()
def matrix_at(word, context, prize, letters, rules, below, work):  # type: ignore[no-untyped-def]
    """Writes the matrix game at a state into `work.matrix`; returns how many rows and columns it has."""
    rows, columns = look_up(word, letters, rules, below, work)
    find_stakes(context, prize, rules, work)
    fill(work.matrix[: rows * columns], below, work)
    return rows, columns


@njit()
def fill_games(rows, ranks, contexts, prizes, letter_of, letters, rules, layer, below, work, matrices, sizes):  # type: ignore[no-untyped-def]
    """Writes the matrix games at states into `matrices`, and their shapes into `sizes`.

    `rows`: `[states, 2 * ranks]` cards of each rank. A state that is not in the layer (context -1) gets the sizes 0, 0.
    """
    for i in range(len(rows)):
        sizes[i] = 0, 0
        word = spell(rows[i], ranks, letter_of, letters)
        if word < 0 or contexts[i] < 0 or layer.row_of[number_of(word, letters, layer)] == NO_ROW:
            continue
        height, width = matrix_at(word, contexts[i], prizes[i], letters, rules, below, work)
        sizes[i] = height, width
        for row in range(height):
            for column in range(width):
                matrices[i, row, column] = work.matrix[row * width + column]
