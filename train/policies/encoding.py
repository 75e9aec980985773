"""What a network can be given instead of an observation's numbers: switches, and a memory for each observation."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from cardwar_envs.core.game import Game

# An entry that can be more than so many numbers is given as it is, as a share of its greatest.
MOST_NUMBERS = 64
# Numbers that a row of the memory holds.
ROW_SIZE = 32


class Encoding(nn.Module):
    """A switch for each number that each entry of an observation can be, and a learned row for the whole of it.

    With switches a network tells three cards of a rank from two as easily as some from none. A
    row is looked up under a hash of the observation: what is particular to one situation is
    learned there and disturbs nothing else, but for the few observations that share the row.
    After T. Müller et al., "Instant neural graphics primitives with a multiresolution hash
    encoding" (ACM Transactions on Graphics, 2022), with one resolution.

    Attributes:
        size: How many numbers come out for each observation.
        memory: The rows, all 0 at first; their gradients are sparse. None if there are none.
    """

    def __init__(self, game: Game[Any], rows: int) -> None:
        """Takes the number of rows, or 0; half as many observations as that seldom meet in one."""
        super().__init__()
        facts = game.facts
        low, high = (np.array(bound, dtype=np.float32) for bound in (facts.observation_low, facts.observation_high))
        self._counted = np.flatnonzero((high - low < MOST_NUMBERS) & (low == np.round(low)))
        ranges = [np.arange(low[i], high[i] + 1.0, dtype=np.float32) for i in self._counted]
        # No tensors, so that they are there whatever device a network is built on.
        self._columns = np.repeat(self._counted, [len(numbers) for numbers in ranges])
        self._numbers = np.concatenate([np.zeros(0, dtype=np.float32), *ranges])
        self._others = np.setdiff1d(np.arange(len(low)), self._counted)
        self._scales = np.maximum(np.abs(low), np.abs(high))[self._others]
        self._factors: NDArray[np.int64] = np.random.default_rng(0).integers(2**62, size=len(low)) | 1
        self.memory = nn.Embedding(rows, ROW_SIZE, _weight=torch.zeros(rows, ROW_SIZE), sparse=True) if rows else None
        self.size = len(self._numbers) + len(self._others) + (ROW_SIZE if rows else 0)

    def forward(self, observations: Tensor) -> Tensor:
        """`[batch, observation_size]` -> `[batch, size]`."""
        switches = observations[:, self._columns] == torch.from_numpy(self._numbers)
        scaled = observations[:, self._others] / torch.from_numpy(self._scales)
        learned = () if self.memory is None else (self.memory(self.rows(observations)),)
        return torch.cat((switches.float(), scaled, *learned), dim=1)

    def rows(self, observations: Tensor) -> Tensor:
        """`[batch]`: which row each observation is kept in; whole numbers tell observations apart."""
        mixed = (observations.to(torch.int64) * torch.from_numpy(self._factors)).sum(dim=1)  # overflows on purpose
        mixed = (mixed ^ (mixed >> 32)) * 0x3F58476D1CE4E5B9
        return (mixed ^ (mixed >> 32)) % self.memory.num_embeddings
