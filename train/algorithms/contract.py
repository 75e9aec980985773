"""What a learning algorithm is to the rest of the package: its arguments, and the learner at work.

Importing this does not import torch.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, get_type_hints

if TYPE_CHECKING:
    from torch import Tensor

    from train.policies.learned_policy import LearnedPolicy


def option(default: int | float | str, text: str, low: float = -math.inf, high: float = math.inf) -> Any:
    """A field of an algorithm's arguments: default, one line of help and, for numbers, the range allowed."""
    return field(default=default, metadata={"help": text, "low": low, "high": high})


@dataclass(frozen=True)
class CommonArgs:
    """Arguments that every algorithm takes; subclasses add their own.

    Raises:
        ValueError: If a value is of another type than its field or out of its range.
    """

    steps: int = option(1_000_000, "steps to learn for", low=1)
    evaluate_every: int = option(50_000, "steps from one exact evaluation and checkpoint to the next", low=1)

    def __post_init__(self) -> None:
        types = get_type_hints(type(self))
        for each in dataclasses.fields(self):
            value, low, high = getattr(self, each.name), each.metadata["low"], each.metadata["high"]
            if types[each.name] is str:
                if not isinstance(value, str) or not value:
                    raise ValueError(f"{each.name} ({value!r}) must be a word")
                continue
            kinds = (int,) if types[each.name] is int else (int, float)
            if isinstance(value, bool) or not isinstance(value, kinds):
                raise ValueError(f"{each.name} ({value!r}) must be {'an integer' if kinds == (int,) else 'a number'}")
            if not (low <= value <= high and math.isfinite(value)):
                bounds = f"at least {low:g}" if math.isinf(high) else f"in [{low:g}, {high:g}]"
                raise ValueError(f"{each.name} ({value!r}) must be {bounds}")


@dataclass(frozen=True)
class SelfPlayArgs(CommonArgs):
    """Arguments that every algorithm takes that learns a network from games it plays."""

    steps: int = option(1_000_000, "joint actions to play in all games together", low=1)
    num_games: int = option(250, "games played side by side", low=1)
    threads: int = option(1, "threads of torch (networks are too small to gain from more)", low=1)


class Learner(Protocol):
    """An algorithm at work on one game.

    Attributes:
        steps: Steps taken so far; what a step is, `Algorithm.step` says.
    """

    steps: int

    def advance(self, steps: int) -> dict[str, float]:
        """Starts all games anew, if it plays any, then learns until `steps` is reached or just passed.

        Because the games start anew, what `state` returns between two calls is all that the
        next call depends on.

        Returns:
            Figures of the learning itself by name, such as losses; always the same names.
        """
        ...

    def policy(self) -> LearnedPolicy:
        """The policy learned so far; later learning does not change it."""
        ...

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Everything that the next `advance` depends on: tensors, and data that JSON can hold.

        The states of torch's and numpy's own generators are not in it.
        """
        ...

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        """Continues from what `state` returned."""
        ...
