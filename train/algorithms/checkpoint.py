"""What learners put into a checkpoint and take out again: optimizers, random streams, tensors by prefix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.optim import Optimizer

from cardwar_envs.envs.game_batch import GameBatch


def with_prefix(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose names start with `prefix`, under what is left of their names."""
    return {name.removeprefix(prefix): t for name, t in tensors.items() if name.startswith(prefix)}


def optimizer_tensors(optimizer: Optimizer) -> dict[str, Tensor]:
    """An optimizer's state per parameter, such as Adam's moments, for `restore_optimizer`."""
    state = optimizer.state_dict()["state"]
    return {f"optimizer.{i}.{key}": tensor for i, of_one in state.items() for key, tensor in of_one.items()}


def restore_optimizer(optimizer: Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Gives an optimizer back what `optimizer_tensors` took; its settings stay as they are."""
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in with_prefix(tensors, "optimizer.").items():
        number, key = name.split(".", 1)
        state.setdefault(int(number), {})[key] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


def stored_streams(batch: GameBatch[Any]) -> Tensor:
    """`[num_games]`: the games' random streams as a tensor that a file can hold."""
    return torch.from_numpy(batch.streams.view(np.int64))


def restore_streams(batch: GameBatch[Any], streams: Tensor) -> None:
    """Sets the games' random streams to what `stored_streams` gave."""
    batch.streams = streams.numpy().view(np.uint64)
