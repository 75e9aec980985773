"""Saves and restores the state of learners, for checkpoints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.optim import Optimizer

from cardwar_envs.core.game import Game
from cardwar_envs.envs.game_batch import GameBatch
from train.learner.contract import CommonArgs, refusal
from train.policies.learned_policy import MANY_ACTIONS, has_many_actions
from train.storage.formats import share_used


@runtime_checkable
class HasSnapshot(Protocol):
    """An object whose state consists of arrays, such as a `GameBatch`."""

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Returns the object's arrays by name."""

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> object:
        """Restores the result of `snapshot`."""


class Streams:
    """The random streams of games that start anew before every use; a checkpoint needs nothing else of them."""

    def __init__(self, games: GameBatch[Any]) -> None:
        self._games = games

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Returns `[num_games]` uint64 states."""
        return {"streams": self._games.streams}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restores the result of `snapshot`."""
        self._games.streams = arrays["streams"]


@runtime_checkable
class HasState(Protocol):
    """An object whose state consists of tensors and JSON data, such as a `Learner`."""

    def state(self) -> tuple[dict[str, Tensor], Any]:
        """Returns the object's tensors and JSON data."""

    def restore(self, tensors: Mapping[str, Tensor], data: Any) -> None:
        """Restores the result of `state`."""


Part = nn.Module | Optimizer | np.random.Generator | list[Tensor] | HasState | HasSnapshot


class Resumable:
    """A learner whose state consists of the number of steps and the states of its parts.

    Attributes:
        steps: Number of steps so far.
        spent: CPU seconds of learning so far, as of the start of the last `advance` in a run.
        parts: Name -> an object that changes in training; subclasses add anything else to `state`.
    """

    parts: dict[str, Part]

    def __init__(self, game: Game[Any], args: CommonArgs) -> None:
        self.steps, self.spent, self._game, self._args = 0, 0.0, game, args

    def _require_few_actions(self, reason: str) -> None:
        """Raises a ValueError if the game has many actions; `reason` says what the learner does with each of them."""
        if has_many_actions(self._game):
            facts = self._game.facts
            raise refusal(
                f"{facts.name}: {reason}, so it supports fewer than {MANY_ACTIONS} actions per player; "
                f"this game has {facts.num_actions:,}"
            )

    def _falling(self, start: float, final_share: float) -> float:
        """Returns a quantity that decays linearly from `start` to `start * final_share` over the run."""
        progress = min(1.0, share_used(vars(self._args), self.steps, self.spent))
        return start * (1.0 - (1.0 - final_share) * progress)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors: dict[str, Tensor] = {}
        data: dict[str, Any] = {"steps": self.steps}
        for name, part in self.parts.items():
            of_part, data[name] = _state(part)
            tensors |= {f"{name}.{key}": tensor for key, tensor in of_part.items()}
        return tensors, data

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        self.steps = data["steps"]
        for name, part in self.parts.items():
            _restore(part, with_prefix(tensors, f"{name}."), data[name])


@torch.no_grad()
def follow(slow: Iterable[Tensor], fast: Iterable[Tensor], rate: float) -> None:
    """Moves the weights `slow` by a fraction `rate` of the way towards the weights `fast`."""
    torch._foreach_lerp_(list(slow), list(fast), rate)


def with_prefix(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Returns the tensors whose names start with `prefix`, with the prefix removed."""
    return {name.removeprefix(prefix): t for name, t in tensors.items() if name.startswith(prefix)}


def _state(part: Part) -> tuple[dict[str, Tensor], Any]:
    """Returns a part's tensors and its JSON-compatible data."""
    match part:
        case nn.Module():
            return part.state_dict(), None
        case Optimizer():
            moments = part.state_dict()["state"].items()
            return {f"{i}.{key}": torch.as_tensor(each) for i, of_one in moments for key, each in of_one.items()}, None
        case np.random.Generator():
            return {}, part.bit_generator.state
        case list():
            return {str(i): tensor.detach() for i, tensor in enumerate(part)}, None
        case HasState():
            return part.state()
        case _:
            return {name: torch.from_numpy(array) for name, array in part.snapshot().items()}, None


def _restore(part: Part, tensors: dict[str, Tensor], data: Any) -> None:
    match part:
        case nn.Module():
            part.load_state_dict(tensors)
        case Optimizer():
            _restore_optimizer(part, tensors)
        case np.random.Generator():
            part.bit_generator.state = data
        case list():
            for i, tensor in enumerate(part):
                tensor.data.copy_(tensors[str(i)])
        case HasState():
            part.restore(tensors, data)
        case _:
            part.restore({name: tensor.numpy() for name, tensor in tensors.items()})


def _restore_optimizer(optimizer: Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Restores an optimizer's moments; its settings stay unchanged."""
    state: dict[int, dict[str, Any]] = {}
    for name, tensor in tensors.items():
        number, key = name.split(".", 1)
        state.setdefault(int(number), {})[key] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
    if isinstance(optimizer, torch.optim.SparseAdam):
        for moments in optimizer.state.values():
            moments["step"] = int(moments["step"])  # a tensor would round differently
