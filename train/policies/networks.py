"""Networks, and the policies that they define."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from baselines import solve_matrices
from baselines.matches.lookahead import Lookahead, StateValues
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import sample_actions
from train.policies.action_count import has_many_actions
from train.policies.encoding import Encoding, Scaling
from train.policies.many_actions import ActionParts, LegalPairs
from train.policies.unfinished import Unfinished
from train.storage.archive import Archive

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}


class Network(nn.Sequential):
    """A multilayer perceptron on observations: raw, scaled or encoded.

    Attributes:
        architecture: The constructor's arguments besides the game, to rebuild the network.
        parts: The parts of actions that outputs stand for; None if outputs do not.
    """

    def __init__(
        self,
        game: Game[Any],
        width: int,
        layers: int,
        outputs: int,
        activation: str,
        memory: int | None = None,
        scaled: bool = False,
        parts: bool = False,
    ) -> None:
        """Sets up a network for the observations of a game, with `layers` hidden layers of `width` units.

        `activation` is a key of `ACTIVATIONS`. `memory` puts an `Encoding` with that many rows in front, else `scaled`
        a `Scaling`. With `parts`, outputs stand for parts of actions.
        """
        built: dict[str, Any] = {"width": width, "layers": layers, "outputs": outputs, "activation": activation}
        self.architecture = built | {name: True for name, used in (("scaled", scaled), ("parts", parts)) if used}
        hidden: list[nn.Module] = []
        inputs = game.facts.observation_size
        if memory is not None:
            self.architecture["memory"] = memory
            hidden, inputs = [encoding := Encoding(game, memory)], encoding.size
        elif scaled:
            hidden = [Scaling(game)]
        sizes = [inputs, *[width] * layers]
        for inputs, units in pairwise(sizes):
            hidden += [nn.Linear(inputs, units), ACTIVATIONS[activation]()]
        super().__init__(*hidden, nn.Linear(sizes[-1], outputs))
        self.parts = ActionParts(game) if parts else None

    @classmethod
    def of_actions(cls, game: Game[Any], width: int, layers: int, activation: str) -> Network:
        """Makes a network with one output per action or, if there are many, per part of an action."""
        outputs = ActionParts(game).size if has_many_actions(game) else game.facts.num_actions
        return cls.of_game(game, width, layers, outputs, activation)

    def holding(self, learned: nn.Module) -> Network:
        """Returns this network with the weights of another one that has the same layers."""
        with torch.no_grad():
            for own, other in zip(self.parameters(), learned.parameters(), strict=True):
                own.copy_(other)
        return self

    @classmethod
    def of_game(cls, game: Game[Any], width: int, layers: int, outputs: int, activation: str) -> Network:
        """Makes a network with the scaling and the parts that the game needs."""
        needed = {"scaled": Scaling(game).needed, "parts": has_many_actions(game)}
        return cls(game, width, layers, outputs, activation, **needed)

    @property
    def memory(self) -> Tensor:
        """The memory of the `Encoding` in front."""
        encoding = self[0]
        assert isinstance(encoding, Encoding)
        assert encoding.memory is not None
        return encoding.memory.weight

    def outputs(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """`[batch, observation_size]` -> `[batch, outputs]`, without gradients.

        Raises:
            ValueError: If the weights are so large that an output is not finite.
        """
        with torch.no_grad():
            seen = torch.from_numpy(np.ascontiguousarray(observations, dtype=np.float32))
            answer = self(seen.to(next(self.parameters()).dtype))
        if not torch.isfinite(answer).all():
            raise ValueError("the network's weights are so large that its outputs are not finite")
        return answer.numpy().astype(np.float64)


class NetworkPolicy:
    """A policy defined by a network."""

    kind: ClassVar[str]
    unfinished: Unfinished | None = None

    def __init__(self, game: Game[Any], network: Network) -> None:
        self.game, self.network = game, network

    @cached_property
    def _in_double(self) -> Network:
        """The network in double precision, for strategies of matrix games.

        The last bits of single-precision sums depend on the batch size. A nearly degenerate matrix game can magnify
        this until one observation has two strategies.
        """
        return deepcopy(self.network).double()

    def __repr__(self) -> str:
        built = self.network.architecture
        size = f"{built['layers']} hidden layers of {built['width']} units"
        return f"<{type(self).__name__} for {self.game.facts.name}: {size}>"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """`[batch, num_actions]` probabilities."""
        raise NotImplementedError

    def to_archive(self) -> Archive:
        return Archive(dict(self.network.state_dict()), self.network.architecture)

    @classmethod
    def from_archive(cls, game: Game[Any], tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> Self:
        if not data["layers"] < len(tensors):
            raise ValueError(f"{len(tensors)} tensors are too few for {data['layers']} hidden layers")
        with torch.device("meta"):  # allocates nothing, however large the stored architecture is
            network = Network(game, **data)
        expected = {name: (tuple(each.shape), each.dtype) for name, each in network.state_dict().items()}
        found = {name: (tuple(each.shape), each.dtype) for name, each in tensors.items()}
        if found != expected or data["outputs"] != cls.outputs_for(game, network):
            raise ValueError(f"the tensors are not those of the network {dict(data)} for {game.facts.name}")
        network.load_state_dict(tensors, assign=True)
        return cls(game, network)

    @staticmethod
    def outputs_for(game: Game[Any], network: Network) -> int:
        """The required number of outputs: by default one per action, or per part of one."""
        return game.facts.num_actions if network.parts is None else network.parts.size

    def _legal_outputs(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8] | NDArray[np.uint8]
    ) -> tuple[LegalPairs, Tensor]:
        """The legal pairs, and a float64 for each: the network's output for that action."""
        assert self.network.parts is not None
        pairs = LegalPairs.of(masks)
        return pairs, self.network.parts.logits(torch.from_numpy(self.network.outputs(observations)), pairs)


class SoftmaxPolicy(NetworkPolicy):
    """Plays actions with the softmax probabilities of the network's outputs."""

    kind = "softmax"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        if self.network.parts is not None:
            pairs, probabilities = self._legal_probabilities(observations, action_masks)
            return pairs.dense(probabilities, action_masks.shape[1])
        logits = np.where(action_masks == 1, self.network.outputs(observations), -np.inf)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    def sample(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8] | NDArray[np.uint8], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """`[batch]`: an action drawn for each row; masks of many actions can be bits."""
        if self.network.parts is None:
            return sample_actions(self.action_probabilities(observations, masks.view(np.int8)), rng)
        pairs, probabilities = self._legal_probabilities(observations, masks)
        return pairs.sample(probabilities, torch.from_numpy(rng.random(len(masks)))).numpy()

    def _legal_probabilities(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8] | NDArray[np.uint8]
    ) -> tuple[LegalPairs, Tensor]:
        """The legal pairs and the probability of each, float64; for networks of parts."""
        pairs, logits = self._legal_outputs(observations, masks)
        return pairs, pairs.log_softmax(logits).exp()


class GreedyPolicy(NetworkPolicy):
    """Plays the legal action with the highest output, the first one in case of ties."""

    kind = "greedy"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        if self.network.parts is not None:
            pairs, logits = self._legal_outputs(observations, action_masks)
            return pairs.dense(pairs.greatest(logits), action_masks.shape[1])
        outputs = np.where(action_masks == 1, self.network.outputs(observations), -np.inf)
        return np.eye(action_masks.shape[1])[outputs.argmax(axis=1)]


class MatrixPolicy(NetworkPolicy):
    """Plays the row player's optimal strategy of the matrix game that the network predicts.

    The outputs are payoff points to the observer for `[own action, opponent's action]`. The observation determines the
    state, and so the opponent's legal actions.
    """

    kind = "matrix_game"

    @staticmethod
    def outputs_for(game: Game[Any], network: Network) -> int:
        return game.facts.num_actions**2

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        matrices = joint_values(self._in_double, observations)
        return solve_matrices(matrices, action_masks, self.game.opponent_masks(observations)).row_strategies


class LookaheadPolicy(NetworkPolicy):
    """Plays the row player's optimal strategy of the one-step matrix game; the network predicts state values."""

    kind = "lookahead"

    def __init__(self, game: Game[Any], network: Network) -> None:
        super().__init__(game, network)
        self._lookahead = Lookahead(game)

    @staticmethod
    def outputs_for(game: Game[Any], network: Network) -> int:
        return 1

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        return self._lookahead.strategies(observations, action_masks, StateValues(self.game, self._in_double))


def joint_values(network: Network, observations: NDArray[np.float32]) -> NDArray[np.float64]:
    """`[batch, num_actions, num_actions]`: the outputs as matrix games, in payoff points to the observer."""
    outputs = network.outputs(observations)
    actions = round(outputs.shape[1] ** 0.5)
    return outputs.reshape(len(outputs), actions, actions)
