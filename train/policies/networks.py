"""Networks, the encoding of observations in front of them, and the policies that they define."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from baselines import solve_matrices
from baselines.levels.network import MOST_NUMBERS, Switches
from baselines.lookahead import Lookahead, StateValues
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import sample_actions
from train.policies.many_actions import ActionParts, LegalPairs, has_many_actions
from train.storage.archive import Archive

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}
# The rows of the memory tell fractional parts of entries apart if they differ by at least one part in so many.
FRACTION_STEPS = 2.0**40
# Numbers in a row of the memory.
ROW_SIZE = 32


class Encoding(nn.Module):
    """Encodes observations: by switches (see `Switches`), and by a learned row of numbers.

    The learned row is looked up by a hash of the whole observation. It learns what is particular to one
    observation without disturbing others, except for the few that share the row. After T. Müller et al.,
    "Instant neural graphics primitives with a multiresolution hash encoding" (ACM Transactions on Graphics,
    2022), with one resolution.

    Attributes:
        size: The number of numbers that encode an observation.
        memory: The learned rows, all 0 at first, with sparse gradients; None if there are none.
    """

    def __init__(self, game: Game[Any], rows: int) -> None:
        """Takes the number of rows of the memory, or 0; with half as many observations few share a row."""
        super().__init__()
        # Arrays, not tensors: they must hold values even if a network is built on the device "meta".
        self._switches = Switches(game)
        self._factors: NDArray[np.int64] = (
            np.random.default_rng(0).integers(2**62, size=game.facts.observation_size) | 1
        )
        self.memory = nn.Embedding(rows, ROW_SIZE, _weight=torch.zeros(rows, ROW_SIZE), sparse=True) if rows else None
        self.size = self._switches.size + (ROW_SIZE if rows else 0)

    def forward(self, observations: Tensor) -> Tensor:
        """`[batch, observation_size]` -> `[batch, size]`."""
        switches = self._switches
        off = (observations[:, switches.columns] - torch.from_numpy(switches.numbers)).abs()
        scaled = observations[:, switches.others] / torch.from_numpy(switches.scales)
        learned = () if self.memory is None else (self.memory(self.rows(observations)),)
        return torch.cat(((1.0 - off).clamp(min=0.0), scaled, *learned), dim=1)

    def rows(self, observations: Tensor) -> Tensor:
        """`[batch]`: the row of the memory for each observation, by whole and fractional parts of its entries."""
        whole = observations.to(torch.int64)
        parts = whole + ((observations - whole) * FRACTION_STEPS).to(torch.int64)  # 0 is added to a whole number
        mixed = (parts * torch.from_numpy(self._factors)).sum(dim=1)  # overflows on purpose
        mixed = (mixed ^ (mixed >> 32)) * 0x3F58476D1CE4E5B9
        return (mixed ^ (mixed >> 32)) % self.memory.num_embeddings


class Scaling(nn.Module):
    """Divides entries of observations that can have many values by their greatest one; others stay as they are.

    Without it, an entry that counts a thousand rounds down would drive all units of the first layer to their ends.
    """

    def __init__(self, game: Game[Any]) -> None:
        super().__init__()
        low, high = (np.array(b, dtype=np.float32) for b in (game.facts.observation_low, game.facts.observation_high))
        # An array, for the same reason as in `Encoding`.
        self._scales = np.where(high - low < MOST_NUMBERS, np.float32(1.0), np.maximum(np.abs(low), np.abs(high)))

    @property
    def needed(self) -> bool:
        """Whether anything is divided."""
        return bool((self._scales != 1.0).any())

    def forward(self, observations: Tensor) -> Tensor:
        """`[batch, observation_size]` -> the same, scaled."""
        return observations / torch.from_numpy(self._scales)


class Network(nn.Sequential):
    """A multilayer perceptron on observations: raw, scaled or encoded.

    Attributes:
        architecture: The arguments, besides the game, with which it can be built again.
        parts: What the outputs stand for, if that is parts of actions; else None.
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
        """Sets up a network.

        Args:
            game: The game that is observed.
            width: Units of each hidden layer.
            layers: Hidden layers.
            outputs: Outputs.
            activation: A key of `ACTIVATIONS`.
            memory: Rows of the memory of the `Encoding` in front of it; None for none.
            scaled: Whether there is a `Scaling` in front of it.
            parts: Whether outputs stand for parts of actions.
        """
        self.architecture = {"width": width, "layers": layers, "outputs": outputs, "activation": activation}
        self.architecture |= {name: True for name, used in (("scaled", scaled), ("parts", parts)) if used}
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
        """A network with an output for each action or, if there are many, for each part of an action."""
        outputs = ActionParts(game).size if has_many_actions(game) else game.facts.num_actions
        return cls.of_game(game, width, layers, outputs, activation)

    @classmethod
    def of_game(cls, game: Game[Any], width: int, layers: int, outputs: int, activation: str) -> Network:
        """A network with the scaling and the parts that the game asks for."""
        needed = {"scaled": Scaling(game).needed, "parts": has_many_actions(game)}
        return cls(game, width, layers, outputs, activation, **needed)

    @property
    def memory(self) -> nn.Parameter:
        """The memory of the `Encoding` in front."""
        return self[0].memory.weight

    def outputs(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """`[batch, observation_size]` -> `[batch, outputs]`, without gradients.

        Raises:
            ValueError: If the weights are so large that an output is not finite.
        """
        with torch.no_grad():
            answer = self(torch.from_numpy(np.ascontiguousarray(observations, dtype=np.float32)))
        if not torch.isfinite(answer).all():
            raise ValueError("the network's weights are so large that its outputs are not finite")
        return answer.numpy().astype(np.float64)


class NetworkPolicy:
    """A policy defined by a network."""

    kind: ClassVar[str]

    def __init__(self, game: Game[Any], network: Network) -> None:
        self.game, self.network = game, network

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
        """The network's parameters and its architecture."""
        return Archive(dict(self.network.state_dict()), self.network.architecture)

    @classmethod
    def from_archive(cls, game: Game[Any], tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> NetworkPolicy:
        """The policy that `to_archive` was asked of.

        Raises:
            ValueError: If the tensors are not those of such a network for the game.
        """
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
        """The number of outputs that a network must have: by default one for each action, or for each part of one."""
        return game.facts.num_actions if network.parts is None else network.parts.size

    def _legal_outputs(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8] | NDArray[np.uint8]
    ) -> tuple[LegalPairs, Tensor]:
        """The legal pairs, and a float64 for each: the network's output for that action."""
        assert self.network.parts is not None
        pairs = LegalPairs.of(masks)
        return pairs, self.network.parts.logits(torch.from_numpy(self.network.outputs(observations)), pairs)


class SoftmaxPolicy(NetworkPolicy):
    """Plays an action with probability proportional to the exponential of the network's output for it."""

    kind = "softmax"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """`[batch, num_actions]` probabilities."""
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
            return sample_actions(self.action_probabilities(observations, masks), rng)
        pairs, probabilities = self._legal_probabilities(observations, masks)
        return pairs.sample(probabilities, torch.from_numpy(rng.random(len(masks)))).numpy()

    def _legal_probabilities(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8] | NDArray[np.uint8]
    ) -> tuple[LegalPairs, Tensor]:
        """The legal pairs and the probability of each, float64; for networks of parts."""
        pairs, logits = self._legal_outputs(observations, masks)
        return pairs, pairs.log_softmax(logits).exp()


class GreedyPolicy(NetworkPolicy):
    """Plays the legal action with the greatest output, the first of them if there are several."""

    kind = "greedy"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """`[batch, num_actions]` probabilities, all of them 0 or 1."""
        if self.network.parts is not None:
            pairs, logits = self._legal_outputs(observations, action_masks)
            return pairs.dense(pairs.greatest(logits), action_masks.shape[1])
        logits = np.where(action_masks == 1, self.network.outputs(observations), -np.inf)
        return np.eye(action_masks.shape[1])[logits.argmax(axis=1)]


class MatrixPolicy(NetworkPolicy):
    """Plays the row player's optimal strategy of the matrix game that the network predicts.

    The outputs are payoff points to the observer for `[own action, opponent's action]`. The observation shows
    the state, and so which actions are legal for the opponent.
    """

    kind = "matrix_game"

    @staticmethod
    def outputs_for(game: Game[Any], network: Network) -> int:
        """One for each joint action."""
        return game.facts.num_actions**2

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """`[batch, num_actions]` probabilities."""
        matrices = joint_values(self.network, observations)
        return solve_matrices(matrices, action_masks, self.game.opponent_masks(observations)).row_strategies


class LookaheadPolicy(NetworkPolicy):
    """Plays the row player's optimal strategy of the matrix game one move ahead; the network values states."""

    kind = "lookahead"

    def __init__(self, game: Game[Any], network: Network) -> None:
        super().__init__(game, network)
        self._lookahead, self._values = Lookahead(game), StateValues(game, network)

    @staticmethod
    def outputs_for(game: Game[Any], network: Network) -> int:
        """The state's value."""
        return 1

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """`[batch, num_actions]` probabilities."""
        return self._lookahead.strategies(observations, action_masks, self._values)


def joint_values(network: Network, observations: NDArray[np.float32]) -> NDArray[np.float64]:
    """`[batch, num_actions, num_actions]`: the outputs as matrix games, in payoff points to the observer."""
    outputs = network.outputs(observations)
    actions = round(outputs.shape[1] ** 0.5)
    return outputs.reshape(len(outputs), actions, actions)
