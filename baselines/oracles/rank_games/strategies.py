"""Computes equilibrium play at many states of a solved duel or Goofspiel in one batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game import solve_matrices
from baselines.matrix_game.optimal_sets import evenly_if_optimal
from baselines.oracles.rank_games.engine import LayerRules, ValueLayer, Work, kernel
from baselines.oracles.rank_games.interleavings import Letters
from baselines.oracles.rank_games.word_policy import packed_counts

# Maps `[states, 2 * ranks]` cards of each rank and `[states]` scores to matrices, padded with 0, and their sizes,
# `[states, 2]`, which are 0 for states not in the layer.
Games = Callable[[NDArray[np.int64], NDArray[np.int64]], tuple[NDArray[np.float64], NDArray[np.int64]]]


class SolvedLayer(NamedTuple):
    """The inputs of the compiled matrix games of one layer; `below` is the layer with one card fewer."""

    letters: Letters
    rules: LayerRules
    layer: ValueLayer
    below: ValueLayer
    work: Work


def strategies_at(
    games_at: Games,
    own: NDArray[np.float32],
    other: NDArray[np.float32],
    scores: NDArray[np.int64],
    evenly: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Computes equilibrium strategies at undecided states of one layer.

    Among several equilibria, the choice is made at the canonical representative: the state itself, or the state with
    the seats swapped if its hands come first lexicographically.

    Args:
        games_at: Returns the matrix games at states of the layer.
        own: `[batch, ranks]` cards that the observer holds of each rank.
        other: `[batch, ranks]` cards of the other player.
        scores: `[batch]` the observer's lead, 0 where it does not matter.
        evenly: Whether to play all cards with equal probability where that is optimal.

    Returns:
        `[batch, ranks]` probabilities, and `[batch]` whether the layer has the state.
    """
    packed_own, packed_other, number_of = packed_counts(own, other)
    swapped = _reads_lower_swapped(packed_own, packed_other, scores)
    rows = np.concatenate((packed_own, packed_other), axis=1).astype(np.int64)
    rows[swapped] = np.roll(rows[swapped], own.shape[1], axis=1)
    matrices, sizes = games_at(rows, np.where(swapped, -scores, scores))
    known = sizes[:, 0] > 0
    answers = np.zeros(own.shape)
    if known.any():
        most = sizes.max(axis=0)
        masks = [np.arange(most[seat]) < sizes[known, seat, None] for seat in (0, 1)]
        games = matrices[known, : most[0], : most[1]]
        play = solve_matrices(games, masks[0], masks[1])
        both = play.row_strategies, play.column_strategies
        if evenly:
            halves = np.split(rows[known], 2, axis=1)
            cards = _held(halves[0], masks[0]), _held(halves[1], masks[1])
            both = evenly_if_optimal(games, play, cards, (masks[0], masks[1]))
        share = np.zeros(own.shape)  # per card, by packed rank
        for seat, strategies in enumerate(both):
            mine = swapped[known] == bool(seat)
            holds = packed_own[known][mine] > 0
            dealt = np.zeros(holds.shape)
            dealt[holds] = strategies[mine][masks[seat][mine]]
            share[np.flatnonzero(known)[mine]] = dealt
        np.divide(share, packed_own, out=share, where=packed_own > 0)
        answers = np.take_along_axis(share, np.clip(number_of, 0, None), axis=1) * own
    return answers, known


def _held(counts: NDArray[np.int64], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Moves the counts of held ranks, `[batch, ranks]`, to where a mask `[batch, actions]` is true."""
    held = np.zeros(mask.shape)
    held[mask] = counts[counts > 0]
    return held


def _reads_lower_swapped(
    own: NDArray[np.float32], other: NDArray[np.float32], scores: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Returns `[batch]`: whether the representative has the seats swapped, by the rule of `Duel.canonical`."""
    # The hand with more cards of the lowest rank in which the hands differ comes first.
    more = np.sign(other - own)
    first = (more != 0).argmax(axis=1)
    decided = np.take_along_axis(more, first[:, None], axis=1)[:, 0]
    return np.asarray((decided > 0) | ((decided == 0) & (scores > 0)))


def letter_numbers(letters: Letters) -> NDArray[np.int64]:
    """Returns `[cards + 1, cards + 1]`: the letter of a rank with these card counts of each player, -1 if none."""
    pairs = letters.cards
    numbers = np.full(pairs.max(axis=1) + 1, -1, dtype=np.int64)
    numbers[pairs[0, 1:], pairs[1, 1:]] = np.arange(1, pairs.shape[1])
    return numbers


def games_of(solved: SolvedLayer, ties: NDArray[np.int64]) -> Games:
    """Returns the matrix games of a duel's layer at states with these carried ties, `[batch]`."""

    def games(rows: NDArray[np.int64], scores: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        cards = solved.layer.cards
        matrices, sizes = np.zeros((len(rows), cards, cards)), np.zeros((len(rows), 2), dtype=np.int64)
        kernel(1e-5 * matrices.size).fill_games(
            rows, rows.shape[1] // 2, np.ascontiguousarray(ties), np.ascontiguousarray(scores),
            letter_numbers(solved.letters), *solved, matrices, sizes,
        )  # fmt: skip
        return matrices, sizes

    return games
