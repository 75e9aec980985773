"""Layers and pieces of a rank game as arguments of compiled code, and the engine that solves them in threads.

A layer holds the values of all states with the same number of cards left. It has a row for each interleaving and number
of carried ties, and a row has one value for each possible score. In 4-card Jujitsu:

    layer 2, A B A B, nothing carried   values at the scores 0, 2
    layer 2, A B C, nothing carried     values at the scores 0, 2
    layer 2, A B C, 1 tie carried       a value at the score 1

If ties are carried, the scores of a row are all even or all odd. A piece is a range of upper halves of
interleavings. Its values are contiguous and depend only on the layer below. So pieces can be solved in any order, by
any process, with the same result to the last bit (unless more than `MOST_FAILURES` games of one piece fail, which then
shows in the gap).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game.limits import LANES
from baselines.oracles.rank_games.interleavings import Letters
from baselines.oracles.rank_games.positions import PrizeRules
from cardwar_envs.core.kernels import kernels, map_in_threads, processors

# At most this many games of a piece go to the slow solver, up to an hour of work; the errors of further ones enter the
# reported gap. Failures cluster: in 14-card Goofspiel, one piece has tens of thousands.
MOST_FAILURES = 1 << 20
LEAST_PER_PIECE = 4096  # to start a piece takes as long as to solve hundreds of matrix games
MOST_PER_PIECE = 1 << 18  # a larger piece could have too many failures for its list
PIECES_PER_THREAD = 24


class LayerRules(NamedTuple):
    """A start and the game's switches, for compiled code.

    Attributes:
        cards: Cards of each player at the start.
        carry: Whether ties are carried.
        win: Whether winning is paid; otherwise the margin is paid and states have no score.
        full_deck: Whether both players start with one card of each rank, nothing won and nothing carried.
        score: Score at the start.
        ties: Ties carried at the start.
        pairs: Maximum number of ties between the initial hands.
        step: Difference between neighbouring scores of a row.
        shift: log2 of `step`.
        start: `[2, ranks]`, cards of each rank at the start.
        tolerance: Accepted duality gap of a matrix game, in payoff points.
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


Rules = LayerRules | PrizeRules


class ValueLayer(NamedTuple):
    """The values of all states with the same number of cards left, for compiled code.

    Attributes:
        cards: Number of cards left in each hand.
        offsets: `[upper halves + 1]`, number of the first interleaving with each upper half.
        row_of: `[interleavings]`, first row of the interleaving; -1 - row if only its mirror image has rows.
        base: `[rows]`, the index in `values` of the row's score 0, whether stored or not; in Goofspiel, divided by the
            number of contexts.
        values: Continuation values to player 0, in payoff points; a 0 if there are none.
    """

    cards: int
    offsets: NDArray[np.int64]
    row_of: NDArray[np.int32]
    base: NDArray[np.int64]
    values: NDArray[np.float64]


class Work(NamedTuple):
    """Scratch arrays of one thread for the matrix games of a layer.

    Attributes:
        games: `[rows - 1, columns - 1, cells, lanes]`, the waiting games of each size.
        waiting: `[rows - 1, columns - 1]`, how many wait.
        states: `[rows - 1, columns - 1, lanes, 5]`, `Solved.failed` of each waiting game, and where its value goes.
        bounds: `[2, lanes]`, on the values of the games that were solved last.
        lockstep: A `Lockstep` of `baselines.matrix_game.lockstep_kernel`.
    """

    matrix: NDArray[np.float64]
    places: NDArray[np.int64]
    after: NDArray[np.int64]
    kind: NDArray[np.uint8]
    row: NDArray[np.int64]
    start: NDArray[np.int64]
    step: NDArray[np.int64]
    sign: NDArray[np.float64]
    points: NDArray[np.float64]
    games: NDArray[np.float64]
    waiting: NDArray[np.int64]
    states: NDArray[np.int64]
    bounds: NDArray[np.float64]
    lockstep: Any


class Solved(NamedTuple):
    """The results of a piece besides its values.

    Attributes:
        counts: Number of matrix games, and number of games on which the simplex failed.
        gap: Largest duality gap of the games that it solved, in payoff points.
        failed: `[failures, 3]`, interleaving, carried ties and score of each failure.
    """

    counts: NDArray[np.int64]
    gap: float
    failed: NDArray[np.int64]


class Engine(Protocol):
    """Solves the pieces of a layer."""

    def solve(
        self, letters: Letters, rules: Rules, layer: ValueLayer, below: ValueLayer, seconds: float
    ) -> Iterator[Solved]:
        """Fills `layer.values` piece by piece and yields the other results of each piece.

        `seconds` estimates how long the layer would take in plain Python.
        """


def kernel(seconds: float = np.inf) -> Any:
    """Returns the kernels of duels, compiled only if the work would take plain Python (about `seconds`) too long."""
    return kernels("baselines.oracles.rank_games.kernel", seconds)


def kernel_for(rules: Rules, seconds: float = np.inf) -> Any:
    """Returns the kernels for a layer with these rules; `seconds` is as in `kernel`."""
    if isinstance(rules, PrizeRules):
        return kernels("baselines.oracles.rank_games.prize_kernel", seconds)
    return kernel(seconds)


class Threads:
    """Solves pieces on the processors that this process may use."""

    def solve(
        self, letters: Letters, rules: Rules, layer: ValueLayer, below: ValueLayer, seconds: float
    ) -> Iterator[Solved]:
        compute = kernel_for(rules, seconds)
        least = max(LEAST_PER_PIECE * len(layer.base) // max(len(layer.values), 1), 1)
        pieces = pieces_of(layer.offsets, PIECES_PER_THREAD * processors(), least)
        return map_in_threads(lambda piece: solve_piece(*piece, letters, rules, layer, below, compute), pieces)


def pieces_of(offsets: NDArray[np.int64], pieces: int, least: int) -> list[tuple[int, int]]:
    """Cuts a layer into about `pieces` equal pieces: fewer if the layer is small, more if it is huge.

    `offsets` are those of the layer; a piece has at least `least` interleavings.
    """
    size = min(max(int(offsets[-1]) // pieces, least), MOST_PER_PIECE)
    # Pieces consist of whole upper halves, so without `unique` some pieces of a small layer would be empty.
    cuts = np.unique(np.searchsorted(offsets, np.arange(0, offsets[-1], size)))
    return list(pairwise([0, *cuts[1:].tolist(), len(offsets) - 1]))


def solve_piece(
    first: int, last: int, letters: Letters, rules: Rules, layer: ValueLayer, below: ValueLayer, compute: Any
) -> Solved:
    """Fills `layer.values` for the interleavings whose upper halves are in [first, last)."""
    # Not zeros: the allocator would clear the whole array for every piece, which takes longer than a small layer.
    failed, counts, gap = np.empty((MOST_FAILURES, 3), dtype=np.int64), np.zeros(2, dtype=np.int64), np.zeros(1)
    work = work_for(layer.cards, compute)
    compute.solve_interleavings(first, last, letters, rules, layer, below, work, failed, counts, gap)
    return Solved(counts, float(gap[0]), failed[: counts[compute.FAILED]].copy())


def work_for(cards: int, compute: Any) -> Work:
    """Makes scratch arrays for matrix games of up to this many cards."""
    return Work(
        matrix=np.zeros(cards * cards),
        places=np.zeros((2, cards + 1), np.int64),  # `moves` writes one more
        after=np.zeros(cards, np.int64),
        kind=np.zeros(cards * cards, np.uint8),  # unsigned, so that indexing needs no check for negative numbers
        row=np.zeros(cards * cards, np.int64),
        start=np.zeros(cards * cards, np.int64),
        step=np.zeros(6, np.int64),
        sign=np.zeros(6),
        points=np.zeros(6),
        games=np.empty((cards, cards, cards * cards, LANES)),
        waiting=np.zeros((cards, cards), np.int64),
        states=np.zeros((cards, cards, LANES, 5), np.int64),
        bounds=np.zeros((2, LANES)),
        lockstep=compute.lockstep(cards, cards),
    )
