"""Encodings of a network's input: either one-hot with a learned memory, or scaled."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from baselines.opponents.levels.network import MOST_NUMBERS, Switches
from cardwar_envs.core.game import Game

# The memory distinguishes fractional parts of entries if they differ by at least 1 / this number.
FRACTION_STEPS = 2.0**40
# Length of a row of the memory.
ROW_SIZE = 32


class Encoding(nn.Module):
    """Encodes observations one-hot (see `Switches`), and adds a learned row that the observation's hash selects.

    A row learns features of single observations, as few observations share a row. Source: T. Müller et al., "Instant
    neural graphics primitives with a multiresolution hash encoding" (ACM Transactions on Graphics, 2022); one
    resolution here.
    """

    def __init__(self, game: Game[Any], rows: int) -> None:
        """Creates an encoding with `rows` learned rows (0: none); with two per observation, few rows are shared."""
        super().__init__()
        # Arrays, not tensors: they must contain values even if a network is built on the device "meta".
        self._switches = Switches(game)
        self._factors: NDArray[np.int64] = (
            np.random.default_rng(0).integers(2**62, size=game.facts.observation_size) | 1
        )
        # The learned rows, initially 0, with sparse gradients.
        self.memory = nn.Embedding(rows, ROW_SIZE, _weight=torch.zeros(rows, ROW_SIZE), sparse=True) if rows else None
        self.size = self._switches.size + (ROW_SIZE if rows else 0)  # length of an encoded observation

    def forward(self, observations: Tensor) -> Tensor:
        """Maps observations `[batch, observation_size]` to encodings `[batch, size]`."""
        switches = self._switches
        off = (observations[:, switches.columns] - torch.from_numpy(switches.numbers)).abs()
        scaled = observations[:, switches.others] / torch.from_numpy(switches.scales)
        learned = () if self.memory is None else (self.memory(self.rows(observations)),)
        return torch.cat(((1.0 - off).clamp(min=0.0), scaled, *learned), dim=1)

    def rows(self, observations: Tensor) -> Tensor:
        """Returns `[batch]`: each observation's row, a hash of the whole and fractional parts of its entries."""
        assert self.memory is not None
        whole = observations.to(torch.int64)
        parts = whole + ((observations - whole) * FRACTION_STEPS).to(torch.int64)  # for whole numbers this adds 0
        mixed = (parts * torch.from_numpy(self._factors)).sum(dim=1)  # the overflow is intended
        mixed = (mixed ^ (mixed >> 32)) * 0x3F58476D1CE4E5B9
        return (mixed ^ (mixed >> 32)) % self.memory.num_embeddings


class Scaling(nn.Module):
    """Divides observation entries with many possible values by their upper bound; leaves other entries unchanged.

    Without this, an entry that counts down from a thousand would saturate the first layer.
    """

    def __init__(self, game: Game[Any]) -> None:
        super().__init__()
        low, high = (np.array(b, dtype=np.float32) for b in (game.facts.observation_low, game.facts.observation_high))
        # An array, not a tensor, for the same reason as in `Encoding`.
        self._scales = np.where(high - low < MOST_NUMBERS, np.float32(1.0), np.maximum(np.abs(low), np.abs(high)))

    @property
    def needed(self) -> bool:
        """Whether any entry is divided."""
        return bool((self._scales != 1.0).any())

    def forward(self, observations: Tensor) -> Tensor:
        """Scales observations `[batch, observation_size]`."""
        return observations / torch.from_numpy(self._scales)
