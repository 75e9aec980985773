"""What the rest of the package needs to know of a learning algorithm: its arguments, and the learner at work.

Importing this does not import torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Protocol

from pydantic.dataclasses import dataclass

from train.validation import MAX_INT, STRICT

if TYPE_CHECKING:
    from torch import Tensor

    from train.policies.learned_policy import LearnedPolicy

# Key of a field's metadata: its default in games of many actions, or None if that is no other one.
WITH_MANY_ACTIONS = "with_many_actions"


def option(
    default: int | float | str,
    text: str,
    low: float | None = None,
    high: float | None = None,
    with_many_actions: float | None = None,
) -> Any:
    """A field of an algorithm's arguments.

    Args:
        default: Value that it has if none is given; its type is the field's.
        text: One line of help.
        low: Least value allowed, of a number.
        high: Greatest value allowed, of a number.
        with_many_actions: Default in games of many actions, if it is another there.
    """
    if isinstance(default, str):
        # A text that is empty by default may be so.
        return field(default=default, metadata={"description": text, "min_length": min(1, len(default))})
    high = MAX_INT if high is None and isinstance(default, int) else high
    limits = {"ge": low, "le": high}
    return field(default=default, metadata={"description": text, **limits, WITH_MANY_ACTIONS: with_many_actions})


def refusal(reason: object) -> ValueError:
    """The error of a learner that cannot take a game, for a reason that names the game."""
    return ValueError(f"{reason}; ppo, mmd and nfsp learn any game")


@dataclass(frozen=True, config=STRICT)
class CommonArgs:
    """Arguments that every algorithm takes; subclasses add their own.

    Make them with `Algorithm.args`, which says in one line what is wrong with a value.
    """

    steps: int = option(1_000_000, "training steps", low=1)
    evaluate_every: int = option(50_000, "steps between evaluations, each with a checkpoint", low=1)
    measure: str = option("auto", "exact, bound, matches, or auto: exact where the game is small enough, else matches")
    against: str = option("auto", "opponents in matches, separated by commas; auto: uniform")
    matches: int = option(1_000, "games per match, or for a bound; ten times as many in the final evaluation", low=10)
    bound_steps: int = option(100_000, "training steps (joint actions) of the exploiter, for a bound", low=1)


@dataclass(frozen=True)
class SelfPlayArgs(CommonArgs):
    """Arguments of every algorithm that learns a network from games it plays."""

    steps: int = option(1_000_000, "joint actions to play, summed over all games", low=1)
    num_games: int = option(250, "games played in parallel", low=1)
    threads: int = option(1, "PyTorch threads (the networks are too small to benefit from more)", low=1)


class Learner(Protocol):
    """An algorithm at work on one game.

    Attributes:
        steps: Steps taken so far; `Algorithm.step` says what a step is.
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
