"""Pieces of a layer of a duel: what compiled code needs for one, and the engine that runs them as threads.

A piece is a range of upper halves of words. Its values depend on the layer below alone and lie
together, so pieces can be solved in any order, by any process, with the same result to the last bit
(unless more than `MOST_FAILURES` games of one piece fail, which the gap then shows).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from baselines.duel.words import Letters

# Games of a piece of work that may go to the slow solver; more stay in the reported gap.
MOST_FAILURES = 256
LEAST_WORDS_PER_PIECE = 256
MOST_WORDS_PER_PIECE = 1 << 18  # so few fail in one that the list of failures holds them
PIECES_PER_THREAD = 24


class Rules(NamedTuple):
    """A start and the switches, for compiled code.

    Attributes:
        cards: Cards of each player at the start.
        carry: Whether ties are carried.
        win: Whether winning is paid; else the margin, and scores are left out.
        full_deck: Whether the start is one card of each rank for both, nothing won or carried.
        score: At the start.
        ties: Carried at the start.
        pairs: How many ties the hands at the start allow.
        step: Between the scores of a row.
        shift: `step` as a power of two.
        start: `[2, ranks]`, cards of each rank at the start.
        tolerance: Duality gap that a matrix game may have, payoff points.
    """

    cards: int
    carry: bool
    win: bool
    full_deck: bool
    score: int
    ties: int
    pairs: int
    step: int
    shift: int
    start: NDArray[np.int64]
    tolerance: float


class Layer(NamedTuple):
    """The values of all states with equally many cards left, for compiled code.

    Attributes:
        cards: Cards left of each player.
        offsets: `[upper halves + 1]`, number of the first word with each upper half.
        row_of: `[words]`, first row of a word, or of its mirror image as -1 - row.
        base: `[rows]`, where in `values` score 0 of a row is or would be.
        values: To player 0, to go, payoff points.
    """

    cards: int
    offsets: NDArray[np.int64]
    row_of: NDArray[np.int32]
    base: NDArray[np.int64]
    values: NDArray[np.float64]


class Work(NamedTuple):
    """Scratch of one thread, for matrix games of up to so many cards."""

    matrix: NDArray[np.float64]
    tableau: NDArray[np.float64]
    basis: NDArray[np.int64]
    outside: NDArray[np.int64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    sums: NDArray[np.float64]
    places: NDArray[np.int64]
    kind: NDArray[np.int64]
    row: NDArray[np.int64]
    step: NDArray[np.int64]
    sign: NDArray[np.float64]
    points: NDArray[np.float64]


class Solved(NamedTuple):
    """What is known of a piece besides its values.

    Attributes:
        counts: Matrix games, those with saddle points, and those that the simplex failed on.
        gap: Greatest duality gap of the others, payoff points.
        failed: `[failures, 3]`, word, carried ties and score of games that are still to be solved.
    """

    counts: NDArray[np.int64]
    gap: float
    failed: NDArray[np.int64]


class Engine(Protocol):
    """Where the pieces of a layer are solved."""

    def solve(self, letters: Letters, rules: Rules, layer: Layer, below: Layer) -> Iterator[Solved]:
        """Fills `layer.values` piece by piece, and says of each what came out once its values are there."""


def kernel() -> Any:
    """The compiled bodies."""
    # numba takes most of a second to import, and not every solution needs it.
    from baselines.duel import kernel as duel_kernel

    return duel_kernel


class Threads:
    """Solves pieces on the processors that this process may use."""

    def solve(self, letters: Letters, rules: Rules, layer: Layer, below: Layer) -> Iterator[Solved]:
        """See `Engine`."""
        # Not all systems know which processors a process may use.
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        pieces = pieces_of(layer, PIECES_PER_THREAD * threads, LEAST_WORDS_PER_PIECE)
        if threads == 1 or len(pieces) == 1:
            yield from (solve_piece(*piece, letters, rules, layer, below) for piece in pieces)
            return
        with ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(solve_piece, *piece, letters, rules, layer, below) for piece in pieces]
            try:
                yield from (future.result() for future in as_completed(futures))
            finally:  # an interrupt should not wait for what has not begun
                pool.shutdown(wait=False, cancel_futures=True)


def pieces_of(layer: Layer, pieces: int, least_words: int) -> list[tuple[int, int]]:
    """Cuts a layer into some `pieces` of about equally many words; fewer of a small layer, more of a huge one."""
    words = min(max(len(layer.row_of) // pieces, least_words), MOST_WORDS_PER_PIECE)
    # A piece has whole upper halves; some pieces of a small layer would be empty.
    cuts = np.unique(np.searchsorted(layer.offsets, np.arange(0, len(layer.row_of), words)))
    return list(pairwise([0, *cuts[1:].tolist(), len(layer.offsets) - 1]))


def solve_piece(first: int, last: int, letters: Letters, rules: Rules, layer: Layer, below: Layer) -> Solved:
    """Fills `layer.values` for the words whose upper halves are in [first, last)."""
    failed, counts, gap = np.zeros((MOST_FAILURES, 3), dtype=np.int64), np.zeros(3, dtype=np.int64), np.zeros(1)
    kernel().solve_words(first, last, letters, rules, layer, below, work_for(layer.cards), failed, counts, gap)
    return Solved(counts, float(gap[0]), failed[: counts[kernel().FAILED]])


def work_for(cards: int) -> Work:
    """Scratch for matrix games of up to so many cards."""
    block = kernel().BLOCK
    width = (cards // block + 1) * block
    integers = np.int64
    return Work(
        matrix=np.zeros((cards, width)),
        tableau=np.zeros((cards + 1, width)),
        basis=np.zeros(cards, integers),
        outside=np.zeros(cards, integers),
        x=np.zeros(cards),
        y=np.zeros(cards),
        sums=np.zeros(width),
        places=np.zeros((2, cards), integers),
        kind=np.zeros((cards, cards), integers),
        row=np.zeros((cards, cards), integers),
        step=np.zeros(6, integers),
        sign=np.zeros(6),
        points=np.zeros(6),
    )
