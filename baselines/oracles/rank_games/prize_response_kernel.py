"""Compiled code for `prize_response.py`: values of play and of best responses in Goofspiel, layer by layer.

`Letters`, `PrizeRules`, `ValueLayer` and `Work` are as in `prize_kernel.py`. A layer has a row for each interleaving or
its mirror image, and values `[rows * contexts, pairings, columns]`. In pairing 0 each policy plays in its own seat; in
pairing 1, if there is one, they exchange seats. At a mirror image the seats and the pairings are swapped.
"""

from __future__ import annotations

import numpy as np

from baselines.matrix_game.kernel import normalise, solve_with, value_bounds, workspace  # noqa: F401  # the last for `engine.py`
from baselines.oracles.rank_games.interleavings_kernel import first_half, letter_at, number_of, spell, word_at
from baselines.oracles.rank_games.kernel import NO_ROW
from baselines.oracles.rank_games.prize_kernel import find_stakes, look_up
from cardwar_envs.core.compiled import njit

# Columns of values: both players' best responses and the policies' play, as continuation payoffs to player 0 before a
# prize is turned up; then, if wanted, the probability that the payoff is not 0.
RESPONSE_0, RESPONSE_1, MEAN, DECIDED = range(4)
# Sources of strategies: answers of policies, uniform play over cards, or the equilibrium, recomputed along the way.
ASKED, UNIFORM, SOLVED = range(3)
# An action within this many payoff points of the best counts as best.
ROUNDING = 1e-13


@njit()
def list_words(letters, layer, words):  # type: ignore[no-untyped-def]  # compiled
    """Writes the interleaving of each row of a layer."""
    for upper in range(len(layer.offsets) - 1):
        number = layer.offsets[upper]
        if number == layer.offsets[upper + 1]:
            continue
        half = first_half(upper, letters, layer.cards)
        for i in range(layer.offsets[upper + 1] - number):
            if layer.row_of[number + i] >= 0:
                words[layer.row_of[number + i]] = word_at(upper, half + i, letters)


@njit()
def spell_out(words, letters, counts):  # type: ignore[no-untyped-def]
    """Writes `[words, 2, ranks]`, each player's cards of each rank of the packed hands."""
    counts[:] = 0
    for i in range(len(words)):
        rank, before = -1, 0
        for place in range(letters.length):
            letter = letter_at(words[i], place, letters)
            if letter == 0:
                break
            if letter > 2 or letter != before:
                rank += 1
            before = letter
            for player in range(2):
                counts[i, player, rank] += letters.cards[player, letter]


@njit()
def reach(words, letters, rules, below, work, reached, reached_below):  # type: ignore[no-untyped-def]
    """Marks the successors of reached places; both arrays are `[rows * contexts]` uint8."""
    contexts = len(rules.turned)
    for row in range(len(words)):
        rows, columns = look_up(words[row], letters, rules, below, work)
        for context in range(contexts):
            if not reached[row * contexts + context]:
                continue
            for prize in range(rules.turned[context]):
                find_stakes(context, prize, rules, work)
                for i in range(rows):
                    for j in range(columns):
                        kind = work.kind[i, j]
                        if work.sign[kind] != 0.0:
                            reached_below[work.row[i, j] + work.step[kind]] = 1


@njit()
def _cells(rows, columns, pairing, work, below, cells):  # type: ignore[no-untyped-def]
    """Writes `[rows, columns, columns of values]`: continuation payoffs of each pair of cards."""
    other, known = below.shape[1] - 1 - pairing, below.shape[2]
    for i in range(rows):
        for j in range(columns):
            kind, cell = work.kind[i, j], cells[i, j]
            cell[:] = work.points[kind]
            if known > DECIDED:
                cell[DECIDED] = abs(work.points[kind])
            if work.sign[kind] == 0.0:
                continue
            place = work.row[i, j] + work.step[kind]
            if work.sign[kind] > 0.0:
                for column in range(known):
                    cell[column] += below[place, pairing, column]
            else:
                cell[RESPONSE_0] -= below[place, other, RESPONSE_1]
                cell[RESPONSE_1] -= below[place, other, RESPONSE_0]
                cell[MEAN] -= below[place, other, MEAN]
                if known > DECIDED:
                    cell[DECIDED] += below[place, other, DECIDED]


@njit()
def _value(rows, columns, x, y, cells, share, values):  # type: ignore[no-untyped-def]
    """Adds the values at a state, times `share`, to `values`; returns the lowest best move of each player."""
    best_0, best_1, most, least = 0, 0, -np.inf, np.inf
    for i in range(rows):
        worth = 0.0
        for j in range(columns):
            worth += y[j] * cells[i, j, RESPONSE_0]
            for column in range(MEAN, len(values)):
                values[column] += share * x[i] * y[j] * cells[i, j, column]
        if worth > most + ROUNDING:
            best_0 = i
        most = max(most, worth)
    for j in range(columns):
        worth = 0.0
        for i in range(rows):
            worth += x[i] * cells[i, j, RESPONSE_1]
        if worth < least - ROUNDING:
            best_1 = j
        least = min(least, worth)
    values[RESPONSE_0] += share * most
    values[RESPONSE_1] += share * least
    return best_0, best_1


@njit()
def _ranks(counts, ranks):  # type: ignore[no-untyped-def]
    """Writes the rank of each move, `[2, moves]`; `counts` come from `spell_out`."""
    for player in range(2):
        move = 0
        for rank in range(counts.shape[1]):
            if counts[player, rank] > 0:
                ranks[player, move] = rank
                move += 1


@njit()
def _mix(mode, pairing, query, counts, cards, ranks, answers, cells, tolerance, work, x, y):  # type: ignore[no-untyped-def]
    """Writes both players' strategies at a state to `x` and `y`, a probability per move."""
    if mode == SOLVED:
        game = work.matrix[: len(x), : len(y)]
        game[:] = cells[: len(x), : len(y), MEAN]
        lower, upper = solve_with(game, x, y, work.simplex)
        if upper - lower > tolerance:  # tries another pivoting rule, which seldom fails where the first one does
            value_bounds(game, tolerance, x, y, work.simplex)
            normalise(x)
            normalise(y)
        return
    for player in range(2):
        mix = y if player else x
        policy = len(answers) - 1 - pairing if player else pairing
        for move in range(len(mix)):
            rank = ranks[player, move]
            mix[move] = counts[player, rank] / cards if mode == UNIFORM else answers[policy, player, query, rank]


@njit()
def evaluate(mode, first, words, letters, rules, below, work, values_below, answers, values, best):  # type: ignore[no-untyped-def]
    """Evaluates a layer's rows, starting at `first`, whose interleavings are `words`.

    `answers`: `[policies, 2 seats, queries, ranks]`, one query for each interleaving, context and prize; empty unless
    `mode` is ASKED. `best`: `[queries, pairings, 2]`, filled with the lowest best ranks unless empty.
    """
    contexts, query = len(rules.turned), 0
    counts = np.zeros((1, 2, letters.length), dtype=np.int64)
    ranks = np.zeros((2, letters.length), dtype=np.int64)
    cells = np.zeros((*work.matrix.shape, values.shape[2]))
    for row in range(len(words)):
        rows, columns = look_up(words[row], letters, rules, below, work)
        spell_out(words[row : row + 1], letters, counts)
        _ranks(counts[0], ranks)
        x, y = work.x[:rows], work.y[:columns]
        for context in range(contexts):
            place, share = (first + row) * contexts + context, 1.0 / rules.turned[context]
            values[place] = 0.0
            for prize in range(rules.turned[context]):
                find_stakes(context, prize, rules, work)
                for pairing in range(values.shape[1]):
                    _cells(rows, columns, pairing, work, values_below, cells)
                    _mix(
                        mode,
                        pairing,
                        query,
                        counts[0],
                        below.cards + 1,
                        ranks,
                        answers,
                        cells,
                        rules.tolerance,
                        work,
                        x,
                        y,
                    )
                    best_0, best_1 = _value(rows, columns, x, y, cells, share, values[place, pairing])
                    if len(best):
                        best[query, pairing, 0], best[query, pairing, 1] = ranks[0, best_0], ranks[1, best_1]
                query += 1


@njit()
def find(rows, ranks, letter_of, letters, layer, places, swapped):  # type: ignore[no-untyped-def]
    """Writes the row of each pair of hands, `[states, 2 * ranks]`, -1 if there is none, and whether it is mirrored."""
    for i in range(len(rows)):
        places[i], swapped[i] = -1, False
        word = spell(rows[i], ranks, letter_of, letters)
        if word >= 0:
            row = layer.row_of[number_of(word, letters, layer)]
            if row != NO_ROW:
                places[i], swapped[i] = (row, False) if row >= 0 else (-1 - row, True)
