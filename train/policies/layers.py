"""The first and the last layer of networks: encoded or scaled observations, and outputs for parts of actions.

WAR with full decks has 4,381 actions, of which 18 are legal on average. So in games with many actions, networks have
one output per part of an action. A *pair* is a row of a batch together with an action that is legal in that row; the
work is proportional to the number of pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
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


def as_bits(masks: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Packs masks `[..., num_actions]` into bytes `[..., ceil(num_actions / 8)]`, first action in the highest bit."""
    return np.packbits(masks, axis=-1)


@dataclass(frozen=True)
class LegalPairs:
    """The pairs of a batch, ordered by row, then by action."""

    rows: Tensor  # `[pairs]`: the row of each pair
    actions: Tensor  # `[pairs]`: the action of each pair
    count: int  # number of rows, including rows with no legal action

    @classmethod
    def of(cls, masks: NDArray[np.int8] | NDArray[np.uint8]) -> LegalPairs:
        """Creates the pairs from masks: `[batch, num_actions]` int8, or uint8 bits from `as_bits`."""
        if masks.dtype == np.uint8:
            rows, places = np.nonzero(masks)  # fast, because most bytes are 0
            found, ahead = np.nonzero(np.unpackbits(masks[rows, places].view(np.uint8)[:, None], axis=1))
            rows, actions = rows[found], 8 * places[found] + ahead
        else:
            legal = np.ascontiguousarray(masks == 1)
            rows, actions = np.divmod(np.flatnonzero(legal), masks.shape[1])
        return cls(torch.from_numpy(rows), torch.from_numpy(actions), len(masks))

    def sums(self, terms: Tensor) -> Tensor:
        """Sums terms `[pairs]` over the pairs of each row; returns `[batch]`, with 0 for a row with no legal action."""
        return torch.zeros(self.count, dtype=terms.dtype).index_add(0, self.rows, terms)

    def log_softmax(self, logits: Tensor) -> Tensor:
        """Returns `[pairs]`: log-probabilities, normalised in each row."""
        shifted = logits - self._highest(logits.detach())
        return shifted - self.sums(shifted.exp()).log().index_select(0, self.rows)

    def sample(self, weights: Tensor, draws: Tensor) -> Tensor:
        """Draws an action for each row, `[batch]`; 0 for a row with no legal action.

        `weights` are `[pairs]`, with a positive sum in each row; `draws` are `[batch]` numbers in [0, 1).
        """
        lengths = torch.bincount(self.rows, minlength=self.count)
        ends = lengths.cumsum(0)
        chooses = lengths > 0
        first, last = (ends - lengths)[chooses], ends[chooses] - 1
        heights = torch.nn.functional.pad(weights.double().cumsum(0), (1, 0))
        low, high = heights[first], heights[last + 1]
        places = torch.searchsorted(heights, low + draws[chooses].double() * (high - low), right=True) - 1
        actions = torch.zeros(self.count, dtype=torch.int64)
        actions[chooses] = self.actions[places.clamp(first, last)]
        return actions

    def greatest(self, logits: Tensor) -> Tensor:
        """Returns `[pairs]`: 1 for the first pair in each row that has the row's greatest logit, else 0."""
        places = torch.nonzero(logits == self._highest(logits))[:, 0]
        first = torch.full((self.count,), len(logits))
        first = first.scatter_reduce(0, self.rows[places], places, "amin")
        chosen = torch.zeros(len(logits), dtype=torch.float64)
        chosen[first[self.rows]] = 1.0
        return chosen

    def _highest(self, logits: Tensor) -> Tensor:
        """Returns `[pairs]`: the greatest logit in each pair's row."""
        highest = torch.full((self.count,), -torch.inf, dtype=logits.dtype)
        return highest.scatter_reduce(0, self.rows, logits, "amax")[self.rows]

    def places_of(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Finds the pair of one legal action per row; returns rows and indices, skipping rows without legal actions."""
        places = torch.nonzero(self.actions == actions[self.rows])[:, 0]
        return self.rows[places], places

    def dense(self, values: Tensor, num_actions: int) -> NDArray[np.float64]:
        """Returns `[batch, num_actions]`: the values `[pairs]` where actions are legal, else 0."""
        table = np.zeros((self.count, num_actions))
        table[self.rows.numpy(), self.actions.numpy()] = values.numpy()
        return table


class ActionParts:
    """The parts of a game's actions, as `Game.action_parts` declares them; `size` is the number of parts."""

    def __init__(self, game: Game[Any]) -> None:
        """Reads the game's table of counts; raises ValueError unless the table has a row for each action."""
        declared, actions = game.action_parts(), game.facts.num_actions
        self._counts: Tensor | None = None
        # Tensors are made from arrays, which have values even if a network is built on the device "meta".
        if declared is None:
            self.size, self._places = actions, torch.from_numpy(np.arange(actions)[:, None])
            return
        if declared.dtype.kind not in "iu" or declared.ndim != 2 or len(declared) != actions or declared.min() < 0:
            raise ValueError(
                f"{game.facts.name}: action_parts must be counts, with a row for each of {actions} actions"
            )
        self.size = declared.shape[1]
        # The indices of each action's parts, padded with `size`, which means no part.
        places = np.full((actions, declared.sum(axis=1).max()), self.size)
        for action, counts in enumerate(declared):
            found = np.repeat(np.arange(self.size), counts)
            places[action, : len(found)] = found
        self._places = torch.from_numpy(places)
        self._counts = torch.from_numpy(declared.astype(np.float32))

    def logits(self, outputs: Tensor, pairs: LegalPairs) -> Tensor:
        """Returns `[pairs]`: the outputs `[batch, size]` of each pair's row, summed over the parts of its action."""
        padded = torch.nn.functional.pad(outputs, (0, 1))
        cells = self._cells(pairs)
        return padded.flatten().index_select(0, cells.flatten()).view(cells.shape).sum(dim=1)

    def expected(self, weights: Tensor, pairs: LegalPairs) -> Tensor:
        """Returns `[batch, size]`: the expected count of each part, for actions with weights `[pairs]`."""
        cells = self._cells(pairs)
        sums = torch.zeros(pairs.count * (self.size + 1), dtype=weights.dtype)
        sums.index_add_(0, cells.flatten(), weights[:, None].expand(cells.shape).flatten())
        return sums.view(pairs.count, -1)[:, : self.size]

    def of(self, actions: Tensor) -> Tensor:
        """Returns `[batch, size]`: the count of each part in actions `[batch]`."""
        if self._counts is None:
            return torch.nn.functional.one_hot(actions, self.size).to(torch.float32)
        return self._counts[actions]

    def _cells(self, pairs: LegalPairs) -> Tensor:
        """Returns `[pairs, max parts of an action]`: flat indices in outputs that have an extra column for no part."""
        return pairs.rows[:, None] * (self.size + 1) + self._places[pairs.actions]
