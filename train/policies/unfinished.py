"""The label of a policy whose run has not finished."""

from __future__ import annotations

from typing import NamedTuple

from cardwar_envs.core.policy import Policy


class Unfinished(NamedTuple):
    """How far the run of a policy was when the policy was saved.

    Attributes:
        steps: Training steps taken.
        of: Training steps that the run is to take.
    """

    steps: int
    of: int

    def __str__(self) -> str:
        return f"unfinished: {self.steps:,} of {self.of:,} steps"


def unfinished(policy: Policy) -> Unfinished | None:
    """How far a policy's run was; None if it had finished, or the policy is not a run's."""
    return getattr(policy, "unfinished", None)


def labelled(name: str, policy: Policy) -> str:
    """The name of a policy, with a remark if its run has not finished."""
    found = unfinished(policy)
    return name if found is None else f"{name} ({found})"
