"""Networks, the policies read from them, and how policies are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from baselines import solve_matrices
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from train.encoding import Encoding
from train.files import Archive, read_archive, write_archive
from train.learned_table import LearnedTable

POLICY_FILE = "policy.safetensors"
FORMAT = "cardwar policy 1"
RENEWED = "to resume its run (--resume) writes it anew"
ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}


class Network(nn.Sequential):
    """A multilayer perceptron on observations, as they are or encoded.

    Attributes:
        architecture: What, besides the game, is needed to build it again.
    """

    def __init__(
        self, game: Game[Any], width: int, layers: int, outputs: int, activation: str, memory: int = 0
    ) -> None:
        """Sets up a network.

        Args:
            game: What is observed.
            width: Units of each hidden layer.
            layers: Hidden layers.
            outputs: Outputs.
            activation: A key of `ACTIVATIONS`.
            memory: Rows of the `Encoding` in front of it; without any, observations come in as they are.
        """
        self.architecture = {"width": width, "layers": layers, "outputs": outputs, "activation": activation}
        hidden: list[nn.Module] = []
        inputs = game.facts.observation_size
        if memory:
            self.architecture["memory"] = memory
            hidden, inputs = [encoding := Encoding(game, memory)], encoding.size
        sizes = [inputs, *[width] * layers]
        for inputs, units in pairwise(sizes):
            hidden += [nn.Linear(inputs, units), ACTIVATIONS[activation]()]
        super().__init__(*hidden, nn.Linear(sizes[-1], outputs))

    @property
    def memory(self) -> nn.Parameter:
        """Of the `Encoding` in front."""
        return self[0].memory.weight

    def outputs(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """`[batch, observation_size]` -> `[batch, outputs]`, without gradients."""
        with torch.no_grad():
            answer = self(torch.from_numpy(np.ascontiguousarray(observations, dtype=np.float32)))
        result: NDArray[np.float64] = answer.numpy().astype(np.float64)
        return result


class LearnedPolicy(Policy, Protocol):
    """A policy that can be kept in a file.

    Attributes:
        kind: Its key in `POLICY_KINDS`.
        game: The game that it was learned for.
    """

    kind: ClassVar[str]
    game: Game[Any]

    def stored(self) -> Archive:
        """Tensors, and data that JSON can hold, to make it again for its game."""
        ...

    @classmethod
    def restored(cls, game: Game[Any], tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> LearnedPolicy:
        """The policy that `stored` was asked of."""
        ...


class NetworkPolicy:
    """A policy read from a network."""

    kind: ClassVar[str]

    def __init__(self, game: Game[Any], network: Network) -> None:
        self.game, self.network = game, network

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """`[batch, num_actions]` probabilities."""
        raise NotImplementedError

    def stored(self) -> Archive:
        """The network's parameters and its architecture."""
        return Archive(dict(self.network.state_dict()), self.network.architecture)

    @classmethod
    def restored(cls, game: Game[Any], tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> NetworkPolicy:
        """The policy that `stored` was asked of.

        Raises:
            ValueError: If the tensors are not those of such a network for the game.
        """
        if not data["layers"] < len(tensors):
            raise ValueError(f"{len(tensors)} tensors are too few for {data['layers']} hidden layers")
        with torch.device("meta"):  # where nothing is allocated, whatever the architecture says
            network = Network(game, **data)
        expected = {name: (tuple(each.shape), each.dtype) for name, each in network.state_dict().items()}
        found = {name: (tuple(each.shape), each.dtype) for name, each in tensors.items()}
        if found != expected or data["outputs"] != cls.outputs_for(game):
            raise ValueError(f"the tensors are not those of the network {dict(data)} for {game.facts.name}")
        network.load_state_dict(tensors, assign=True)
        return cls(game, network)

    @staticmethod
    def outputs_for(game: Game[Any]) -> int:
        """How many outputs a network must have: by default one per action."""
        return game.facts.num_actions


class SoftmaxPolicy(NetworkPolicy):
    """Plays an action with probability proportional to the exponential of the network's output for it."""

    kind = "softmax"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """`[batch, num_actions]` probabilities."""
        logits = np.where(action_masks == 1, self.network.outputs(observations), -np.inf)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
        return probabilities


class GreedyPolicy(NetworkPolicy):
    """Plays the legal action with the network's greatest output, the lowest of them if there are several."""

    kind = "greedy"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """`[batch, num_actions]` probabilities, all of them 0 or 1."""
        logits = np.where(action_masks == 1, self.network.outputs(observations), -np.inf)
        probabilities: NDArray[np.float64] = np.eye(action_masks.shape[1])[logits.argmax(axis=1)]
        return probabilities


class MatrixPolicy(NetworkPolicy):
    """Plays the row player's optimal strategy of the matrix game that the network sees.

    The outputs are `[own action, opponent's action]`, payoff points to the observer; which
    actions the opponent may play is read off the observation, which shows the state.
    """

    kind = "matrix_game"

    @staticmethod
    def outputs_for(game: Game[Any]) -> int:
        """One per joint action."""
        return game.facts.num_actions**2

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """`[batch, num_actions]` probabilities."""
        matrices = joint_values(self.network, observations)
        return solve_matrices(matrices, action_masks, self.game.opponent_masks(observations)).row_strategies


def joint_values(network: Network, observations: NDArray[np.float32]) -> NDArray[np.float64]:
    """`[batch, num_actions, num_actions]`: the outputs as matrix games, payoff points to the observer."""
    outputs = network.outputs(observations)
    actions = round(outputs.shape[1] ** 0.5)
    return outputs.reshape(len(outputs), actions, actions)


POLICY_KINDS: dict[str, type[LearnedPolicy]] = {
    kind.kind: kind for kind in (SoftmaxPolicy, GreedyPolicy, MatrixPolicy, LearnedTable)
}


def save_policy(path: Path, policy: LearnedPolicy) -> None:
    """Writes a policy and its game to a safetensors file, atomically."""
    tensors, architecture = policy.stored()
    data = {
        "format": FORMAT,
        "game": policy.game.facts.name,
        "version": policy.game.facts.version,
        "parameters": plain_parameters(policy.game),
        "kind": policy.kind,
        "architecture": architecture,
    }
    write_archive(path, Archive(tensors, data))


def load_policy(path: str | Path, game: Game[Any]) -> Policy:
    """Reads a learned policy.

    Args:
        path: A policy file, or the folder of a finished run.
        game: The game it is to play.

    Returns:
        The policy.

    Raises:
        ValueError: If there is no policy, the file is damaged or the policy was learned for
            another game.
    """
    path = Path(path)
    if path.is_dir():
        path = path / POLICY_FILE
        if not path.exists():
            raise ValueError(f"{path.parent} holds no learned policy; an unfinished run must be resumed first")
    try:
        tensors, data = read_archive(path)
    except ValueError as error:
        raise ValueError(f"{error}; {RENEWED}") from None
    if data.get("format") != FORMAT:
        raise ValueError(
            f"{path} does not hold a policy of format {FORMAT!r}, but of {data.get('format')!r}; {RENEWED}"
        )
    learned = (data.get("game"), data.get("version"), data.get("parameters"))
    wanted = (game.facts.name, game.facts.version, plain_parameters(game))
    if learned != wanted:
        raise ValueError(f"{path} was learned for {_in_words(*learned)}, not for {_in_words(*wanted)}")
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in POLICY_KINDS:
        raise ValueError(f"{path} holds a policy of the unknown kind {kind!r}; known are {', '.join(POLICY_KINDS)}")
    try:
        if not all(torch.isfinite(tensor).all() for tensor in tensors.values()):
            raise ValueError("there are numbers in it that are not finite")
        return POLICY_KINDS[kind].restored(game, tensors, data["architecture"])
    except Exception as error:  # whatever is wrong with what is in there
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"{path} does not hold what a policy needs ({reason}); {RENEWED}") from None


def plain_parameters(game: Game[Any]) -> dict[str, Any]:
    """A game's parameters as JSON gives them back (lists for tuples)."""
    parameters: dict[str, Any] = json.loads(json.dumps(game.parameters()))
    return parameters


def _in_words(name: Any, version: Any, parameters: Any) -> str:
    if isinstance(parameters, dict):
        parameters = ", ".join(f"{key}={value}" for key, value in parameters.items())
    return f"{name} v{version} with {parameters}"
