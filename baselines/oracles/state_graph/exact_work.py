"""Forecasts how long backward induction in rational arithmetic takes, from the sizes of the fractions so far.

The value of a matrix game has about as many digits as all its entries together, so fractions grow by an order of
magnitude from layer to layer, and a game's last few matrices take nearly all the time. Short denominators share more of
their factors than long ones. In some games they share nearly all at any length, which shows only in solved layers.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.state_graph.game_graph import END, GameGraph

# Fitted to Jujitsu with 7 cards, whose last matrix game, of 46,000 bits, took 3.6 s. The seconds of a game are the
# product of its rows, columns and shorter side, times EACH + GROWTH * bits ** POWER.
EACH, GROWTH, POWER = 1.2e-5, 2.1e-11, 1.85
# Fitted to Jujitsu with 6 to 8 cards. The common denominator of entries of b bits each has b / (b + SHORT) of the bits
# of all; the denominator of the value has KEPT of the bits of the common one.
SHORT, KEPT = 12.0, 0.75
# Shorter common denominators, in bits on average, do not show how fractions grow.
TELLING = 3.0


class ExactWork:
    """The work of solving each state of a graph in rational arithmetic."""

    def __init__(self, graph: GameGraph[Any]) -> None:
        self._layers, count = graph.layers, len(graph.states)
        pairs = np.unique(graph.parents[graph.children != END] * count + graph.children[graph.children != END])
        self._parents, self._children = np.divmod(pairs, count)
        sides = [_distinct(graph.parents, graph.actions[:, player], count) for player in (0, 1)]
        self._size = sides[0] * sides[1] * np.minimum(*sides)
        self._common = np.ones(count)  # bits of the common denominator of a game's entries
        self._bits = np.ones(count)  # bits of the denominator of its value
        self._growth: float | None = None  # of the common denominators, relative to Jujitsu; None if not known yet

    def record(self, state: int, matrix: list[list[Fraction]], value: Fraction) -> None:
        """Notes the sizes of a solved game."""
        self._common[state] = lcm(*(entry.denominator for row in matrix for entry in row)).bit_length()
        self._bits[state] = value.denominator.bit_length()

    def learn(self, layer: int) -> None:
        """Learns how fractions grow from a layer that is solved."""
        states = slice(self._layers[layer], self._layers[layer + 1])
        grown = float(self._grown(states).sum())  # 0 if all moves end the game
        if grown > 0.0 and self._common[states].mean() >= TELLING:
            self._growth = min(1.0, float(self._common[states].sum()) / grown)

    def seconds(self, layer: int) -> float:
        """Forecasts the time for this layer and all later ones; all earlier layers must be solved.

        Until it is known how fractions grow, the forecast is that of short ones, which is too low.
        """
        seconds = 0.0
        for start, stop in list(zip(self._layers[:-1], self._layers[1:], strict=True))[layer:]:
            states = slice(start, stop)
            self._common[states] = np.maximum(1.0, (self._growth or 0.0) * self._grown(states))
            self._bits[states] = np.maximum(1.0, KEPT * self._common[states])
            seconds += float((self._size[states] * (EACH + GROWTH * self._common[states] ** POWER)).sum())
        return seconds

    def _grown(self, states: slice) -> NDArray[np.float64]:
        """The bits of each game's common denominator, as in Jujitsu, from the bits of its different entries."""
        first, last = np.searchsorted(self._parents, (states.start, states.stop))
        bits = self._bits[self._children[first:last]]
        games, count = self._parents[first:last] - states.start, states.stop - states.start
        sums, entries = np.bincount(games, bits, count), np.bincount(games, minlength=count)
        return np.asarray(sums * sums / np.maximum(sums + SHORT * entries, 1.0), dtype=np.float64)


def _distinct(parents: NDArray[np.int64], actions: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    """The number of different actions at each state."""
    most = int(actions.max(initial=0)) + 2
    return np.bincount(np.unique(parents * most + actions + 1) // most, minlength=count)
