"""The interface of a learning algorithm: its arguments and its learner.

Importing this does not import torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Protocol

from pydantic.dataclasses import dataclass

from train.text.validation import MAX_INT, STRICT

if TYPE_CHECKING:
    from torch import Tensor

    from cardwar_envs.core.rules import GameFacts
    from train.policies.learned_policy import LearnedPolicy

WAYS = ("auto", "exact", "cce_gap", "bound", "matches")
# Key in a field's metadata: the default in games with many actions; None if it is the usual default.
WITH_MANY_ACTIONS = "with_many_actions"


def option(
    default: int | float | str,
    text: str,
    low: float | None = None,
    high: float | None = None,
    with_many_actions: float | None = None,
) -> Any:
    """Defines a field of an algorithm's arguments.

    Args:
        default: The default, which determines the type of the field.
        text: Help text of one line.
        low: Lower bound of a number.
        high: Upper bound of a number.
        with_many_actions: Default in games with many actions, if different.
    """
    if isinstance(default, str):
        # Empty strings are allowed only if the default is empty.
        return field(default=default, metadata={"description": text, "min_length": min(1, len(default))})
    high = MAX_INT if high is None and isinstance(default, int) else high
    limits = {"ge": low, "le": high}
    return field(default=default, metadata={"description": text, **limits, WITH_MANY_ACTIONS: with_many_actions})


def refusal(reason: object) -> ValueError:
    """Returns the error for a game that a learner does not support; `reason` must name the game."""
    return ValueError(f"{reason}; ppo, mmd and nfsp learn any game")


@dataclass(frozen=True, config=STRICT)
class CommonArgs:
    """Arguments common to all algorithms; subclasses add their own.

    Create instances with `Algorithm.args`, which raises one-line errors.
    """

    steps: int = option(1_000_000, "training steps", low=1)
    evaluate_every: int = option(50_000, "steps between evaluations, each with a checkpoint", low=1)
    cpu_seconds: float = option(0.0, "budget in CPU seconds of learning; 0: no limit", low=0.0)
    evaluations: int = option(10, "evaluations of a run with a budget of CPU seconds", low=1)
    measure: str = option("auto", "exact, cce_gap, bound, matches, or auto: exact if the game is small, else matches")
    against: str = option("auto", "opponents in matches, separated by commas; auto: uniform")
    matches: int = option(1_000, "games per match, or for a bound; ten times as many in the final evaluation", low=10)
    bound_steps: int = option(100_000, "training steps (joint actions) of the exploiter, for a bound", low=1)

    def __post_init__(self) -> None:
        if self.measure not in WAYS:
            raise ValueError(f"measure ({self.measure!r}) must be one of {', '.join(WAYS)}")

    def batch(self, facts: GameFacts) -> int:
        """Returns an upper bound on the number of steps between two moments at which training can stop."""
        return 1

    def schedules(self) -> dict[str, float]:
        """Returns the arguments that spread a change over all `steps`, so that a longer run differs from its start."""
        return {name: value for name, value in vars(self).items() if name.startswith("final_") and value != 1.0}


@dataclass(frozen=True)
class SelfPlayArgs(CommonArgs):
    """Arguments common to algorithms that train a network on games that they play."""

    steps: int = option(1_000_000, "joint actions to play, summed over all games", low=1)
    num_games: int = option(250, "games played in parallel", low=1)

    def batch(self, facts: GameFacts) -> int:
        return self.num_games


class Learner(Protocol):
    """The state of an algorithm that learns one game.

    A method `figures()` is optional: a run calls it at each evaluation, outside of its CPU seconds, and records the
    figures by name, always the same names.

    Attributes:
        steps: Number of steps so far, in units of `Algorithm.step`.
        spent: CPU seconds of learning so far, which a run sets before each `advance`; for schedules. A learner that
            has nothing left to learn can set it to `cpu_seconds`, which ends the run.
    """

    steps: int
    spent: float

    def advance(self, steps: int) -> dict[str, float]:
        """Trains until at least `steps`; two calls learn the same as one call with the steps of the second.

        Returns:
            Training figures by name, such as losses; every call returns the same names. A run with a budget of CPU
            seconds makes many calls between evaluations, and records the means, weighted by steps.
        """
        ...

    def policy(self) -> LearnedPolicy:
        """Returns the current policy; later training does not change it."""
        ...

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Returns everything on which the next `advance` depends, except torch's and numpy's global generators.

        Returns:
            Tensors, and JSON data.
        """
        ...

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        """Restores what `state` returned."""
        ...
