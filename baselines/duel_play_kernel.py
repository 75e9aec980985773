"""Compiled bodies of `duel_play`: the matrix games at many states of a solved duel.

`letters`, `rules`, `layer`, `below` and `work` are those of `duel_kernel`.
"""

from __future__ import annotations

from numba import njit

from baselines.duel_kernel import matrix_at, place_of


@njit(cache=True, nogil=True)
def _word(row, ranks, letter_of, letters):  # type: ignore[no-untyped-def]  # compiled
    """The word of a pair of hands, given as cards of each rank; -1 for what cannot be spelt."""
    word, size = 0, 0
    for rank in range(ranks):
        a, b = row[rank], row[ranks + rank]
        if a > 0 and b > 0:
            if a >= letter_of.shape[0] or b >= letter_of.shape[1] or letter_of[a, b] < 0:
                return -1
            word, size = word << letters.width | letter_of[a, b], size + 1
        else:
            for _ in range(a + b):
                word, size = word << letters.width | (1 if a > 0 else 2), size + 1
    if size > letters.length:
        return -1
    return word << letters.width * (letters.length - size)


@njit(cache=True, nogil=True)
def fill_games(rows, ranks, ties, scores, letter_of, letters, rules, layer, below, work, matrices, sizes):  # type: ignore[no-untyped-def]
    """Writes the matrix games at states into `matrices`, and their rows and columns into `sizes`.

    `rows`: `[states, 2 * ranks]` cards of each rank. The sizes of a state that the layer does not have are 0.
    """
    for i in range(len(rows)):
        sizes[i] = 0, 0
        word = _word(rows[i], ranks, letter_of, letters)
        if word < 0 or place_of(word, ties[i], scores[i], letters, rules, layer)[0] < 0:
            continue
        height, width = matrix_at(word, ties[i], scores[i], letters, rules, below, work)
        sizes[i] = height, width
        for row in range(height):
            for column in range(width):
                matrices[i, row, column] = work.matrix[row, column]
