"""The states of Goofspiel that policies reach: the game is explored while they are queried."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.estimates import WORTH_SAYING
from baselines.oracles.rank_games.positions import SECONDS_PER_JOINT_ACTION, Layer, Piece, Shape, nothing_yet
from cardwar_envs.core.kernels import kernels
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.goofspiel import Goofspiel

# Limits on the states, and on the cards, which bound the number of contexts.
MOST_REACHED, MOST_REACHED_CARDS = 100_000_000, 16

Answers = tuple[NDArray[np.float64], NDArray[np.float64]]


def reached_limit(game: Duel | Goofspiel) -> int:
    """Returns the limit on states; raises a ValueError if there are too many cards."""
    assert isinstance(game, Goofspiel)
    if game.num_cards > MOST_REACHED_CARDS:
        raise ValueError(
            f"num_cards ({game.num_cards}) must be at most {MOST_REACHED_CARDS} to measure a policy on cards exactly"
        )
    return MOST_REACHED


class Explorer:
    """Explores a game layer by layer, and holds the answers, without their zeros, until they are read again.

    Args:
        shape: How pairs of hands are stored.
        most: Stops at more pairs of hands.
        ask: Returns both players' answers at the states of some pairs.
    """

    def __init__(self, shape: Shape, most: int, ask: Callable[[Layer, Piece], Answers]) -> None:
        self._shape, self._most, self._ask = shape, most, ask
        self._held: dict[tuple[int, int], list[Any]] = {}
        self._begin, self._states = time.perf_counter(), 0

    def answers(self, layer: Layer, piece: Piece) -> Answers:
        """Returns the answers at the states of some pairs."""
        held = self._held.pop((layer.cards, piece[0]), None)
        if held is not None:
            first, second = (_unpacked(*each) for each in held)
            return first, second
        answers = self._ask(layer, piece)
        self._held[layer.cards, piece[0]] = list(map(_packed, answers))
        return answers

    def expanded(self, layer: Layer, words: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Returns the rows and marks that follow a layer."""
        self._states += layer.states
        if (seconds := time.perf_counter() - self._begin) > WORTH_SAYING:
            progress = f"{layer.cards} cards left: {self._states:,} states reached, {seconds:.0f} s"
            print(progress, file=sys.stderr, flush=True)
        grown = *nothing_yet(layer.rows.shape[1], words), 0
        for piece in layer.pieces():
            answers = self.answers(layer, piece)
            compute = kernels(
                "baselines.oracles.rank_games.reached_kernel",
                SECONDS_PER_JOINT_ACTION * layer.states * layer.cards**2,
            )
            grown = compute.expand(
                self._shape, layer.rules, *piece, layer.rows, layer.marks, *answers, *grown, self._most
            )
        rows, marks, _, count = grown
        return rows[:count].copy(), marks[:count].copy()


def _packed(answers: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.float64], tuple[int, ...]]:
    """Stores answers without their zeros."""
    places = np.flatnonzero(answers)
    return places.astype(np.int32), answers.ravel()[places], answers.shape


def _unpacked(places: NDArray[np.int32], probabilities: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[Any]:
    answers = np.zeros(shape)
    answers.ravel()[places] = probabilities
    return answers
