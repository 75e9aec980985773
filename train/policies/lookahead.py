"""A policy that looks one move ahead with networks of state values, one for each number of moves left."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from baselines.matrix_game.lookahead import Lookahead, StateValues
from cardwar_envs.core.game import Game
from cardwar_envs.envs.branching import MovesLeft
from cardwar_envs.envs.engines.engine import Views
from train.policies.learned_policy import Unfinished
from train.policies.networks import Network
from train.storage.archive import Archive


class ValueNetworks(nn.ModuleDict):
    """Networks of state values by the number of moves left (see `MovesLeft`); other states have the value 0."""

    def __init__(self, game: Game[Any], width: int, layers: int) -> None:
        super().__init__()
        self._game, self._moves_left = game, MovesLeft(game)
        self.architecture = {"width": width, "layers": layers}

    def add(self, moves_left: int, like: nn.Module | None) -> Network:
        """Adds a network for a number of moves left: a copy of another one or, without it, a new one."""
        width, layers = self.architecture.values()
        made = Network(self._game, width, layers, outputs=1, activation="relu", memory=0)
        self[str(moves_left)] = network = made if like is None else made.holding(like)
        return network

    def outputs(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """Maps observations `[batch, observation_size]` to values `[batch, 1]`, in payoff points to the observer."""
        values, moves_left = np.zeros((len(observations), 1)), self._moves_left(observations)
        for number in np.unique(moves_left):
            if str(number) in self:
                network, rows = self[str(number)], moves_left == number
                assert isinstance(network, Network)
                values[rows] = network.outputs(observations[rows])
        return values


class LookaheadPolicy:
    """Plays the optimal strategy of the one-step matrix game, using the networks' state values."""

    kind: ClassVar[str] = "lookahead"
    unfinished: Unfinished | None = None

    def __init__(self, game: Game[Any], networks: ValueNetworks) -> None:
        self.game, self.networks, self._lookahead = game, networks, Lookahead(game)

    @cached_property
    def _values(self) -> StateValues:
        """Values in double precision: the last bits of single-precision sums depend on the batch size."""
        return StateValues(self.game, deepcopy(self.networks).double())

    def __repr__(self) -> str:
        built = self.networks.architecture
        size = f"{len(self.networks)} networks with {built['layers']} hidden layers of {built['width']} units"
        return f"<{type(self).__name__} for {self.game.facts.name}: {size}>"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Returns probabilities `[batch, num_actions]`."""
        return self._lookahead.strategies(observations, self._values)

    def estimate(self, views: Views) -> tuple[NDArray[np.float64], None]:
        """Returns the values of states, as leaves of a search (see `baselines.search.policy.Leaf`)."""
        return self._values(views.observations), None

    def to_archive(self) -> Archive:
        return Archive(dict(self.networks.state_dict()), self.networks.architecture)

    @classmethod
    def from_archive(cls, game: Game[Any], tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> Self:
        numbers = sorted({int(name.partition(".")[0]) for name in tensors})
        if not data["layers"] * len(numbers) <= len(tensors):
            raise ValueError(f"{len(tensors)} tensors are too few for {data['layers']} hidden layers")
        with torch.device("meta"):  # allocates no memory, so a huge stored architecture does no harm
            networks = ValueNetworks(game, **data)
            for number in numbers:
                networks.add(number, like=None)
        expected = {name: (tuple(each.shape), each.dtype) for name, each in networks.state_dict().items()}
        if expected != {name: (tuple(each.shape), each.dtype) for name, each in tensors.items()}:
            raise ValueError(f"the tensors do not fit networks {dict(data)} for {game.facts.name}")
        networks.load_state_dict(tensors, assign=True)
        return cls(game, networks)
