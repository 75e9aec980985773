"""Forecasts how long backward induction in rational arithmetic takes, from the sizes of the fractions so far.

The value of a matrix game has about as many digits as all its entries together, so fractions grow by an order of
magnitude from layer to layer, and a game's last few matrices take nearly all the time.
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
# Growth is learned from the layer before, so further forecasts would be guesses.
LAYERS_AHEAD = 4


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
        # Ratio of the common denominator's bits to the sum of the entries' bits, and of the value's bits to the former.
        self._spread, self._kept = 0.3, 0.75

    def record(self, state: int, matrix: list[list[Fraction]], value: Fraction) -> None:
        """Notes the sizes of a solved game."""
        self._common[state] = lcm(*(entry.denominator for row in matrix for entry in row)).bit_length()
        self._bits[state] = value.denominator.bit_length()

    def learn(self, layer: int) -> None:
        """Learns how fractions grow from a layer that is solved."""
        there = slice(self._layers[layer], self._layers[layer + 1])
        if (entries := self._entries(there).sum()) > 0.0:
            self._spread = self._common[there].sum() / entries
            self._kept = self._bits[there].sum() / self._common[there].sum()

    def seconds(self, layer: int) -> float:
        """Forecasts the time for this layer and the next few; all earlier layers must be solved."""
        seconds = 0.0
        for start, stop in list(zip(self._layers[:-1], self._layers[1:], strict=True))[layer : layer + LAYERS_AHEAD]:
            there = slice(start, stop)
            self._common[there] = np.maximum(1.0, self._spread * self._entries(there))
            self._bits[there] = np.maximum(1.0, self._kept * self._common[there])
            seconds += float((self._size[there] * (EACH + GROWTH * self._common[there] ** POWER)).sum())
        return seconds

    def _entries(self, states: slice) -> NDArray[np.float64]:
        """The bits of all different entries of each game."""
        first, last = np.searchsorted(self._parents, (states.start, states.stop))
        bits = self._bits[self._children[first:last]]
        sums = np.bincount(self._parents[first:last] - states.start, bits, states.stop - states.start)
        return sums.astype(np.float64)  # bincount of nothing returns integers


def _distinct(parents: NDArray[np.int64], actions: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    """The number of different actions at each state."""
    most = int(actions.max(initial=0)) + 2
    return np.bincount(np.unique(parents * most + actions + 1) // most, minlength=count)
