"""The protocol of learned policies that can be stored in files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from torch import Tensor

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from train.policies.unfinished import Unfinished
from train.storage.archive import Archive


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
