"""What a learned policy is: a policy that a file can keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from torch import Tensor

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from train.storage.archive import Archive


class LearnedPolicy(Policy, Protocol):
    """A policy that can be kept in a file.

    Attributes:
        kind: Its key in `policy_files.POLICY_KINDS`.
        game: The game that it was learned for.
    """

    kind: ClassVar[str]
    game: Game[Any]

    def to_archive(self) -> Archive:
        """Tensors, and data that JSON can hold, to make it again for its game."""
        ...

    @classmethod
    def from_archive(cls, game: Game[Any], tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> LearnedPolicy:
        """The policy that `to_archive` was asked of."""
        ...
