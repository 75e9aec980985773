"""Compiled body of `prizes.py`: the matrix games of a layer of Goofspiel.

`Letters` (see `interleavings.py`), `PrizeRules`, `ValueLayer` and `Work` (see `engine.py`) are tuples of numbers and
arrays; `word` is a packed interleaving.
"""

from __future__ import annotations

from baselines.matrix_game.kernel import value_bounds, workspace  # noqa: F401  # for `engine.py`
from baselines.oracles.rank_games.interleavings_kernel import first_half, mirrored, word_at
from baselines.oracles.rank_games.kernel import FAILED, GAMES, find_next, moves
from cardwar_envs.core.compiled import njit


@njit()
def first_place(first, letters, rules, layer):  # type: ignore[no-untyped-def]
    """The place in a layer's values of the first interleaving whose upper half is `first` or later."""
    contexts = len(rules.turned)
    for upper in range(first, len(layer.offsets) - 1):
        for number in range(layer.offsets[upper], layer.offsets[upper + 1]):
            if layer.row_of[number] >= 0:
                return layer.base[layer.row_of[number]] * contexts
    return len(layer.values)


@njit()
def _look_up(word, letters, rules, below, work):  # type: ignore[no-untyped-def]
    """Writes down for each pair of cards who wins and where the values that follow start; returns how many cards."""
    rows, columns = moves(word, letters, work)
    find_next(word, rows, columns, letters, below, work)
    if below.cards:
        for i in range(rows):
            for j in range(columns):
                work.row[i, j] = below.base[work.row[i, j]] * len(rules.swapped)
    return rows, columns


@njit()
def _fill(rows, columns, context, prize, rules, below, work):  # type: ignore[no-untyped-def]
    """Writes the matrix game for a prize into `work.matrix`: payoff points to go, to player 0."""
    places, signs, points = work.step, work.sign, work.points
    for kind in range(6):  # as `find_next` has them
        following = rules.following[context, prize, kind % 3]
        points[kind] = rules.paid[context, prize, kind % 3]
        signs[kind] = 0.0 if following < 0 else (-1.0 if kind > 2 else 1.0)
        places[kind] = rules.swapped[following] if kind > 2 and following >= 0 else following
    for i in range(rows):
        line, kinds, starts = work.matrix[i], work.kind[i], work.row[i]
        for j in range(columns):
            kind = kinds[j]
            line[j] = points[kind]
            if signs[kind] != 0.0:
                line[j] += signs[kind] * below.values[starts[j] + places[kind]]


@njit()
def _solve_word(word, row, letters, rules, layer, below, work, failed, counts, gap):  # type: ignore[no-untyped-def]
    rows, columns = _look_up(word, letters, rules, below, work)
    own_mirror = mirrored(word, letters) == word
    game, x, y = work.matrix[:rows, :columns], work.x[:rows], work.y[:columns]
    start = layer.base[row] * len(rules.turned)
    for context in range(len(rules.turned)):
        total, width, good = 0.0, 0.0, True
        for prize in range(rules.turned[context]):
            _fill(rows, columns, context, prize, rules, below, work)
            lower, upper = value_bounds(game, rules.tolerance, x, y, work.simplex)
            total += (lower + upper) / 2
            width += upper - lower
            good = good and upper - lower <= rules.tolerance
            counts[GAMES] += 1
        # The mean over prizes; a position that is its own mirror image is worth 0.
        layer.values[start + context] = 0.0 if own_mirror and rules.own[context] else total / rules.turned[context]
        if good or counts[FAILED] >= len(failed):
            gap[0] = max(gap[0], width / rules.turned[context])
        else:
            failed[counts[FAILED]] = word, context, 0
        counts[FAILED] += not good


@njit()
def solve_interleavings(first, last, letters, rules, layer, below, work, failed, counts, gap):  # type: ignore[no-untyped-def]
    """Solves a layer's interleavings whose upper halves are in [first, last), in all contexts.

    Positions with a game whose bounds stay too far apart are listed in `failed`: interleaving, context, 0.
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


@njit()
def matrix_at(word, context, prize, letters, rules, below, work):  # type: ignore[no-untyped-def]
    """Writes the matrix game at a state into `work.matrix`; returns its rows and columns."""
    rows, columns = _look_up(word, letters, rules, below, work)
    _fill(rows, columns, context, prize, rules, below, work)
    return rows, columns
