"""What a learning algorithm is to the rest of the package, and the one list of them.

Importing this does not import torch: each algorithm's module is loaded when it is asked for.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, get_type_hints

from cardwar_envs.core.game import Game

if TYPE_CHECKING:
    from torch import Tensor

    from train.networks import LearnedPolicy


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


@dataclass(frozen=True)
class Algorithm:
    """An entry of `ALGORITHMS`.

    Attributes:
        name: Its key.
        label: How it is written in pictures and sentences.
        summary: One line on what it is.
        module: Where its classes `Args` and `Learner` are.
        step: What it counts as steps, in the plural.
    """

    name: str
    label: str
    summary: str
    module: str
    step: str = "joint actions"

    def args(self, **values: int | float | str) -> CommonArgs:
        """Its arguments; those not given have their defaults.

        Raises:
            ValueError: If there is no such argument or a value is out of range.
        """
        kind = self.args_type()
        names = [each.name for each in dataclasses.fields(kind)]
        for name in values:
            if name not in names:
                raise ValueError(f"{self.name} has no argument {name!r}; it has {', '.join(names)}")
        return kind(**values)  # type: ignore[arg-type]  # the dataclass checks its types itself

    def args_type(self) -> type[CommonArgs]:
        """The dataclass of its arguments; `field.metadata["help"]` says what each one is."""
        kind: type[CommonArgs] = import_module(self.module).Args
        return kind

    def learner(self, game: Game[Any], args: CommonArgs, seed: int) -> Learner:
        """A learner that has not played yet.

        Raises:
            ValueError: If the algorithm cannot learn this kind of game.
        """
        learner: Learner = import_module(self.module).Learner(game, args, seed)
        return learner


ALGORITHMS: dict[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm("minimax_q", "minimax-Q", "deep minimax-Q with exact matrix games", "train.minimax_q"),
        Algorithm(
            "fitted_value",
            "fitted value iteration",
            "values of states by a network, matrix games one move ahead",
            "train.fitted_value",
        ),
        Algorithm("ppo", "PPO", "maskable PPO in self-play", "train.ppo"),
        Algorithm("mmd", "MMD", "maskable PPO pulled to a moving magnet, weights averaged", "train.mmd"),
        Algorithm("nfsp", "NFSP", "neural fictitious self-play: DQN and the average of its policies", "train.nfsp"),
        Algorithm("joint_critic", "joint critic", "actor with a critic of joint actions", "train.joint_critic"),
        Algorithm("best_response", "PPO best response", "maskable PPO against one policy", "train.best_response"),
        Algorithm("psro", "PSRO", "PPO best responses to their own equilibrium", "train.psro", "best responses"),
        Algorithm(
            "fictitious_play",
            "fictitious play",
            "fictitious play on all states, without a network",
            "train.fictitious_play",
            "iterations",
        ),
        Algorithm(
            "cfr_plus",
            "CFR+",
            "regret matching+ on all states, averaged linearly, without a network",
            "train.cfr_plus",
            "iterations",
        ),
        Algorithm(
            "tabular_mmd",
            "tabular MMD",
            "magnetic mirror descent on all states with a moving magnet, without a network",
            "train.tabular_mmd",
            "iterations",
        ),
    )
}


def algorithm_named(name: str) -> Algorithm:
    """The algorithm of that name.

    Raises:
        ValueError: If there is none.
    """
    if name not in ALGORITHMS:
        raise ValueError(f"unknown algorithm {name!r}; known are {', '.join(ALGORITHMS)}")
    return ALGORITHMS[name]
