"""Compiled sweeps over the positions of a `RoundsForm`; called by `value_iteration` and `response`.

`form` is the tuple made by `arrays_of`. A node is a position, or a war within a round. A node's code is twice its
number, plus 1 if the seats are swapped. Values are indexed by code, so a child is looked up in one step.
"""

from __future__ import annotations

import numpy as np

from baselines.matrix_game.double_double_kernel import solve_carefully
from cardwar_envs.core.compiled import njit


@njit()
def _entry(form, node, i, j):  # type: ignore[no-untyped-def]  # compiled
    """Returns the code that follows choice `i` of player 0 and choice `j` of player 1."""
    lists, rows, options, strengths, option_counts, first, children, last = form
    a, b = rows[lists[node, 0]] + i, rows[lists[node, 1]] + j
    pair = options[a] * option_counts[lists[node, 1]] + options[b]
    if node >= last:
        return children[first[node] + pair]
    difference = strengths[a] - strengths[b]
    return children[first[node] + 3 * pair + (0 if difference > 0 else 1 if difference < 0 else 2)]


@njit()
def shape(form, node):  # type: ignore[no-untyped-def]
    """Returns the number of choices of each player."""
    lists, rows = form[0], form[1]
    own, other = lists[node]
    return rows[own + 1] - rows[own], rows[other + 1] - rows[other]


@njit()
def fill(form, node, values, matrix):  # type: ignore[no-untyped-def]
    """Writes the matrix game of a node with unswapped seats."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            matrix[i, j] = values[_entry(form, node, i, j)]


@njit()
def _room(form, nodes):  # type: ignore[no-untyped-def]
    """Returns arrays for the largest matrix, row strategy and column strategy among the nodes."""
    cells, most_rows, most_columns = 1, 1, 1
    for node in nodes:
        m, n = shape(form, node)
        cells, most_rows, most_columns = max(cells, m * n), max(most_rows, m), max(most_columns, n)
    return np.empty(cells), np.empty(most_rows), np.empty(most_columns)


@njit()
def _pure_bounds(matrix, greatest):  # type: ignore[no-untyped-def]
    """Returns the maximin over rows and the minimax over columns; they are equal at a saddle point."""
    lower, greatest[:] = -np.inf, -np.inf
    for i in range(matrix.shape[0]):
        least = np.inf
        for j in range(matrix.shape[1]):
            entry = matrix[i, j]
            least = min(least, entry)
            greatest[j] = max(greatest[j], entry)
        lower = max(lower, least)
    return lower, greatest.min()


@njit()
def solve_nodes(form, nodes, values, lower, upper):  # type: ignore[no-untyped-def]
    """Writes certified bounds on the value of each node."""
    buffer, x, y = _room(form, nodes)
    for k in range(len(nodes)):
        m, n = shape(form, nodes[k])
        matrix = buffer[: m * n].reshape(m, n)
        fill(form, nodes[k], values, matrix)
        low, high = _pure_bounds(matrix, y[:n])
        if low != high:
            low, high, _ = solve_carefully(matrix, x[:m], y[:n])
        lower[k], upper[k] = low, high


@njit()
def mark_wars(form, nodes, needed):  # type: ignore[no-untyped-def]
    """Marks the wars reachable from `nodes` in one step."""
    lists, option_counts, first, children, last = form[0], form[4], form[5], form[6], form[7]
    for node in nodes:
        pairs = option_counts[lists[node, 0]] * option_counts[lists[node, 1]]
        for edge in range(first[node], first[node] + (pairs if node >= last else 3 * pairs)):
            child = children[edge] >> 1
            if 1 < child < last:
                needed[child] = True


@njit()
def strategies_of(form, codes, values, starts, probabilities, gaps):  # type: ignore[no-untyped-def]
    """Writes player 0's equilibrium strategy at each code to `probabilities[starts[k]:]`."""
    buffer, x, y = _room(form, codes >> 1)
    for k in range(len(codes)):
        node = codes[k] >> 1
        m, n = shape(form, node)
        matrix = buffer[: m * n].reshape(m, n)
        fill(form, node, values, matrix)
        low, high, _ = solve_carefully(matrix, x[:m], y[:n])
        gaps[k] = high - low
        own = y[:n] if codes[k] & 1 else x[:m]
        probabilities[starts[k] : starts[k] + len(own)] = own


@njit()
def respond_range(form, start, stop, values, probabilities, starts, worth, best):  # type: ignore[no-untyped-def]
    """Writes player 0's lowest best choice and its value at the nodes' codes, given the opponent's `probabilities`."""
    for code in range(2 * start, 2 * stop):
        node, swapped = code >> 1, code & 1
        m, n = shape(form, node)
        if swapped:
            m, n = n, m
        other = starts[code ^ 1]
        most, chosen = -np.inf, -1
        for i in range(m):
            total = 0.0
            for j in range(n):
                probability = probabilities[other + j]
                if probability != 0.0:
                    child = _entry(form, node, j, i) ^ 1 if swapped else _entry(form, node, i, j)
                    total += probability * values[child]
            if total > most:
                most, chosen = total, i
        worth[code - 2 * start], best[code - 2 * start] = most, chosen


@njit()
def play_range(form, start, stop, values, first, second, starts, chances):  # type: ignore[no-untyped-def]
    """Writes to `chances`, `[codes, 3]`, the outcome probabilities at the nodes' codes if `first` and `second` play."""
    for code in range(2 * start, 2 * stop):
        node, swapped = code >> 1, code & 1
        m, n = shape(form, node)
        if swapped:
            m, n = n, m
        own, other, row = starts[code], starts[code ^ 1], code - 2 * start
        chances[row] = 0.0
        for i in range(m):
            if first[own + i] == 0.0:
                continue
            for j in range(n):
                weight = first[own + i] * second[other + j]
                if weight != 0.0:
                    child = _entry(form, node, j, i) ^ 1 if swapped else _entry(form, node, i, j)
                    for k in range(3):
                        chances[row, k] += weight * values[child, k]
