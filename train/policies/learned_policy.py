"""What learned policies of all kinds share.

Importing this does not import torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy

if TYPE_CHECKING:
    from torch import Tensor

    from train.storage.archive import Archive

# With fewer actions a network has one output per action, which is more expressive than sums over parts.
MANY_ACTIONS = 100
# The number of steps of a run that only a budget of CPU seconds limits: the largest that files can hold.
UNLIMITED = 2**53


def has_many_actions(game: Game[Any]) -> bool:
    """Returns whether networks for the game have outputs for parts of actions and store masks as bits."""
    return game.facts.num_actions >= MANY_ACTIONS


class Unfinished(NamedTuple):
    """The progress of a run when its policy was saved.

    Attributes:
        steps: Training steps taken.
        of: Training steps that the run is to take.
    """

    steps: int
    of: int

    def __str__(self) -> str:
        of = f" of {self.of:,}" if self.of < UNLIMITED else ""  # a budget of CPU seconds has no number of steps
        return f"unfinished: {self.steps:,}{of} steps"


def labelled(name: str, policy: Policy) -> str:
    """The name of a policy, with a remark if its run has not finished."""
    found: Unfinished | None = getattr(policy, "unfinished", None)
    return name if found is None else f"{name} ({found})"


class LearnedPolicy(Policy, Protocol):
    """A policy that can be stored in a file.

    Attributes:
        kind: The key of its class in `train.policies.files.POLICY_KINDS`.
        game: The game for which it was learned.
        unfinished: The progress of its run, if `load_policy` read it from an unfinished run; else None.
    """

    kind: ClassVar[str]
    game: Game[Any]
    unfinished: Unfinished | None

    def to_archive(self) -> Archive:
        """Returns tensors and JSON data from which `from_archive` reconstructs the policy for its game."""
        ...

    @classmethod
    def from_archive(cls, game: Game[Any], tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> LearnedPolicy:
        """Reconstructs a policy from what `to_archive` returned; raises ValueError if tensors do not fit the game."""
        ...
