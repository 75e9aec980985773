"""Encoding of observations for networks, and a network evaluated in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game

# Entries with more possible values are scaled instead of one-hot encoded.
MOST_NUMBERS = 64
# Decimals of outputs. The last bits of sums depend on the batch size; rounded outputs do not.
DECIMALS = 6


class Switches:
    """Encodes observations: one-hot for entries with few integer values; other entries are scaled.

    For example, an entry that counts 0 to 2 cards becomes three switches, one of which is on: 2 becomes 0, 0, 1. A
    network then distinguishes two cards of a rank from one as easily as one from none. A number between two integers is
    split between their switches: 1.25 becomes 0, 0.75, 0.25. An entry whose bounds are not integers or are too far
    apart becomes one number, scaled by its bounds.
    """

    def __init__(self, game: Game[Any]) -> None:
        facts = game.facts
        low, high = (np.array(bound, dtype=np.float32) for bound in (facts.observation_low, facts.observation_high))
        counted = np.flatnonzero((high - low < MOST_NUMBERS) & (low == np.round(low)))
        ranges = [np.arange(low[i], high[i] + 1.0, dtype=np.float32) for i in counted]
        # `[switches]`: the entry that each switch reads, and the value that turns it on.
        self.columns = np.repeat(counted, [len(numbers) for numbers in ranges])
        self.numbers: NDArray[np.float32] = np.concatenate([np.zeros(0, dtype=np.float32), *ranges])
        # The scaled entries and their divisors.
        self.others = np.setdiff1d(np.arange(len(low)), counted)
        self.scales: NDArray[np.float32] = np.maximum(np.abs(low), np.abs(high))[self.others]
        self.size = len(self.numbers) + len(self.others)  # length of an encoded observation

    def encode(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """`[batch, observation_size]` -> `[batch, size]`."""
        on = np.maximum(1.0 - np.abs(observations[:, self.columns] - self.numbers), 0.0)
        return np.concatenate((on, observations[:, self.others] / self.scales), axis=1).astype(np.float64)


class NumpyNetwork:
    """A multilayer perceptron with rectified linear units on encoded observations."""

    def __init__(self, game: Game[Any], layers: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> None:
        """Takes a weight matrix `[outputs, inputs]` and a bias `[outputs]` for each layer.

        Raises:
            ValueError: If the layers do not fit each other or the game's observations.
        """
        self._switches = Switches(game)
        self._layers = [(weights.T.astype(np.float64), bias.astype(np.float64)) for weights, bias in layers]
        inputs = self._switches.size
        for weights, bias in self._layers:
            if weights.shape != (inputs, len(bias)):
                raise ValueError(f"a layer of shape {weights.shape[::-1]} does not fit {inputs} inputs")
            inputs = len(bias)

    def outputs(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """`[batch, observation_size]` -> `[batch, outputs]`, rounded to `DECIMALS`."""
        units = self._switches.encode(observations)
        for layer, (weights, bias) in enumerate(self._layers):
            units = (np.maximum(units, 0.0) if layer else units) @ weights + bias
        return np.round(units, DECIMALS)
