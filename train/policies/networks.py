"""Networks, and the policies that they define."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from baselines import solve_matrices
from baselines.matrix_game.lookahead import one_view
from cardwar_envs.core.game import Game
from cardwar_envs.core.kernels import map_in_threads
from cardwar_envs.core.policy import sample_actions
from cardwar_envs.envs.branching import Brancher, choices
from cardwar_envs.envs.engines.engine import Views
from train.policies.functions import masked_softmax
from train.policies.layers import ActionParts, Encoding, LegalPairs, Scaling
from train.policies.learned_policy import Unfinished, has_many_actions
from train.storage.archive import Archive

# The sizes of the batches that derive the other player's view.
FEW, MANY = 64, 4096
# Rows of a forward pass, whose activations then fit into a processor's cache.
ROWS = 512
A = TypeVar("A", Tensor, NDArray[np.float64])

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}


class Network(nn.Sequential):
    """A multilayer perceptron on observations, which can be raw, scaled or encoded.

    Attributes:
        architecture: The constructor's arguments other than the game, from which the network can be rebuilt.
        parts: The parts of actions to which the outputs belong; None if outputs do not belong to parts.
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
        """Creates a network for the observations of a game, with `layers` hidden layers of `width` units.

        `activation` is a key of `ACTIVATIONS`. The input passes through an `Encoding` with `memory` rows, if given, or
        a `Scaling` if `scaled`. With `parts`, outputs belong to parts of actions.
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
    def of_actions(
        cls, game: Game[Any], width: int, layers: int, activation: str, memory: int | None = None
    ) -> Network:
        """Creates a network with one output per action or, in games with many actions, per part of an action."""
        outputs = ActionParts(game).size if has_many_actions(game) else game.facts.num_actions
        return cls.of_game(game, width, layers, outputs, activation, memory)

    def holding(self, learned: nn.Module) -> Network:
        """Returns this network with the weights of another network that has the same layers."""
        with torch.no_grad():
            for own, other in zip(self.parameters(), learned.parameters(), strict=True):
                own.copy_(other)
        return self

    @classmethod
    def of_game(
        cls, game: Game[Any], width: int, layers: int, outputs: int, activation: str, memory: int | None = None
    ) -> Network:
        """Creates a network with the scaling and the parts that the game needs.

        With `memory`, observations are encoded instead, except in games with many actions.
        """
        if memory is not None and not has_many_actions(game):
            return cls(game, width, layers, outputs, activation, memory)
        needed = {"scaled": Scaling(game).needed, "parts": has_many_actions(game)}
        return cls(game, width, layers, outputs, activation, **needed)

    @property
    def memory(self) -> Tensor:
        """The memory of the `Encoding` before the first layer."""
        (memory,) = self.memories
        return memory

    @property
    def memories(self) -> list[Tensor]:
        """The memory of the `Encoding` before the first layer, in a list, which is empty if there is none."""
        encoding = self[0]
        return [encoding.memory.weight] if isinstance(encoding, Encoding) and encoding.memory is not None else []

    def rows(self, observations: Tensor) -> Tensor:
        """Returns `[batch]`: the rows of the memory that observations `[batch, observation_size]` use."""
        encoding = self[0]
        assert isinstance(encoding, Encoding)
        return encoding.rows(observations)

    @property
    def dense(self) -> list[Tensor]:
        """All parameters but the memory, whose gradients are sparse."""
        memories = self.memories
        return [each for each in self.parameters() if not any(each is memory for memory in memories)]

    def outputs(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """Maps observations `[batch, observation_size]` to outputs `[batch, outputs]`, without gradients.

        The last bits of a sum depend on how many rows and threads compute it. So each forward pass takes one thread and
        the same rows, however many threads torch may use; the passes share them.

        Raises:
            ValueError: If the weights are so large that an output is not finite.
        """
        seen = torch.from_numpy(np.ascontiguousarray(observations, dtype=np.float32))
        with one_thread() as threads:
            answer = torch.cat(list(map_in_threads(self._forward, seen.split(ROWS), threads)))
        if not torch.isfinite(answer).all():
            raise ValueError("the network's weights are so large that its outputs are not finite")
        return answer.numpy()

    def _forward(self, observations: Tensor) -> Tensor:
        with torch.no_grad():  # applies to one thread only
            outputs: Tensor = self(observations.to(next(self.parameters()).dtype)).double()
            return outputs


@contextmanager
def one_thread() -> Iterator[int]:
    """Limits torch to one thread for each operation, as networks are small; yields how many it used before."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield before
    finally:
        torch.set_num_threads(before)


class NetworkPolicy:
    """A policy defined by a network."""

    kind: ClassVar[str]
    unfinished: Unfinished | None = None

    def __init__(self, game: Game[Any], network: Network) -> None:
        self.game, self.network = game, network

    @cached_property
    def _in_double(self) -> Network:
        """A copy of the network in double precision, for strategies of matrix games.

        The last bits of single-precision sums depend on the batch size. In a nearly degenerate matrix game this can
        lead to different strategies for the same observation.
        """
        return deepcopy(self.network).double()

    def __repr__(self) -> str:
        built = self.network.architecture
        size = f"{built['layers']} hidden layers of {built['width']} units"
        return f"<{type(self).__name__} for {self.game.facts.name}: {size}>"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Returns probabilities `[batch, num_actions]`."""
        raise NotImplementedError

    def to_archive(self) -> Archive:
        return Archive(dict(self.network.state_dict()), self.network.architecture)

    @classmethod
    def from_archive(cls, game: Game[Any], tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> Self:
        if not data["layers"] < len(tensors):
            raise ValueError(f"{len(tensors)} tensors are too few for {data['layers']} hidden layers")
        with torch.device("meta"):  # allocates no memory, so a huge stored architecture does no harm
            network = Network(game, **data)
        expected = {name: (tuple(each.shape), each.dtype) for name, each in network.state_dict().items()}
        found = {name: (tuple(each.shape), each.dtype) for name, each in tensors.items()}
        if found != expected or data["outputs"] != cls.outputs_for(game, network):
            raise ValueError(f"the tensors do not fit the network {dict(data)} for {game.facts.name}")
        network.load_state_dict(tensors, assign=True)
        return cls(game, network)

    @staticmethod
    def outputs_for(game: Game[Any], network: Network) -> int:
        """Returns the required number of outputs: by default one per action, or per part of an action."""
        return game.facts.num_actions if network.parts is None else network.parts.size

    def _legal_outputs(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8] | NDArray[np.uint8]
    ) -> tuple[LegalPairs, Tensor]:
        """Returns the legal pairs, and the network's output for the action of each pair, float64."""
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
        return masked_softmax(self.network.outputs(observations), action_masks)

    def sample(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8] | NDArray[np.uint8], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Draws an action for each row, `[batch]`; masks of many actions may be packed as bits."""
        if self.network.parts is None:
            return sample_actions(self.action_probabilities(observations, masks.view(np.int8)), rng)
        pairs, probabilities = self._legal_probabilities(observations, masks)
        return pairs.sample(probabilities, torch.from_numpy(rng.random(len(masks)))).numpy()

    def _legal_probabilities(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8] | NDArray[np.uint8]
    ) -> tuple[LegalPairs, Tensor]:
        """Returns the legal pairs and their probabilities, float64, for networks with outputs for parts."""
        pairs, logits = self._legal_outputs(observations, masks)
        return pairs, pairs.log_softmax(logits).exp()


class GreedyPolicy(NetworkPolicy):
    """Plays the legal action with the highest output; if several are tied, the first of them."""

    kind = "greedy"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        if self.network.parts is not None:
            pairs, logits = self._legal_outputs(observations, action_masks)
            return pairs.dense(pairs.greatest(logits), action_masks.shape[1])
        outputs = np.where(action_masks == 1, self.network.outputs(observations), -np.inf)
        return np.eye(action_masks.shape[1])[outputs.argmax(axis=1)]


class PolicyValue(NetworkPolicy):
    """Plays the softmax of the network's outputs but the last, which is the observer's value, in payoff points.

    As a leaf of a search it estimates values and the strategies by which the search explores.
    """

    kind = "policy_value"

    @staticmethod
    def outputs_for(game: Game[Any], network: Network) -> int:
        return game.facts.num_actions + 1

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        return masked_softmax(self._in_double.outputs(observations)[:, :-1], action_masks)

    def estimate(self, views: Views) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Returns values and strategies of both players (see `baselines.search.policy.Leaf`)."""
        facts, masks = self.game.facts, views.masks.reshape(-1, self.game.facts.num_actions)
        outputs = self._in_double.outputs(views.observations.reshape(-1, facts.observation_size))
        values = outputs[:, -1].reshape(-1, 2) @ (0.5, -0.5)  # both players' views of what player 0 gets
        strategies = masked_softmax(outputs[:, :-1], choices(masks)).reshape(views.masks.shape)
        return np.clip(values, facts.min_payoff, facts.max_payoff), strategies


class MatrixPolicy(NetworkPolicy):
    """Plays the row player's optimal strategy of the matrix game that the network predicts.

    The outputs are payoff points to the observer for `[own action, opponent's action]`. The observation determines the
    state and thus the opponent's legal actions.
    """

    kind = "matrix_game"

    @staticmethod
    def outputs_for(game: Game[Any], network: Network) -> int:
        return game.facts.num_actions**2

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        masks = self.game.opponent_masks(observations)
        return solve_matrices(self.payoffs(observations), action_masks, masks).row_strategies

    def estimate(self, views: Views) -> tuple[NDArray[np.float64], None]:
        """Returns the values of states, as leaves of a search (see `baselines.search.policy.Leaf`)."""
        rows, columns = (choices(views.masks[:, player]) for player in (0, 1))
        return solve_matrices(self.payoffs(views.observations[:, 0]), rows, columns).values, None

    def payoffs(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """Returns `[batch, num_actions, num_actions]`: predicted payoff points to the observer."""
        return joint_values(self._in_double, observations)


class MirroredMatrixPolicy(MatrixPolicy):
    """A `MatrixPolicy` for symmetric seats, whose network evaluates one of the two views of a state (`one_view`).

    The other player's payoffs are the opposite, so both players solve the same matrix game.
    """

    kind = "mirrored_matrix_game"

    def __init__(self, game: Game[Any], network: Network) -> None:
        super().__init__(game, network)
        self._few, self._many = Brancher(game, FEW), Brancher(game, MANY)

    def payoffs(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        both = (self._few if len(observations) <= FEW else self._many).views(observations).observations
        picked, signs = one_view(both)
        return mirrored(joint_values(self._in_double, picked), signs)


def mirrored(payoffs: A, signs: A) -> A:
    """Converts payoffs to the player whose view was picked to payoffs to player 0.

    Args:
        payoffs: `[batch, num_actions, num_actions]`, payoff points to the observer for own and opponent's actions.
        signs: `[batch]`, as from `one_view`: 1 and -1 for the views of players 0 and 1, 0 if both see the same.
    """
    signs = signs[:, None, None]
    return (1 + signs) / 2 * payoffs - (1 - signs) / 2 * payoffs.swapaxes(1, 2)


def joint_values(network: Network, observations: NDArray[np.float32]) -> NDArray[np.float64]:
    """Returns outputs as matrix games `[batch, num_actions, num_actions]`, in payoff points to the observer."""
    outputs = network.outputs(observations)
    actions = round(outputs.shape[1] ** 0.5)
    return outputs.reshape(len(outputs), actions, actions)
