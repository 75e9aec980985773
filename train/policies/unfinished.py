"""The label of a policy whose run has not finished."""

from __future__ import annotations

from typing import NamedTuple

from cardwar_envs.core.policy import Policy


class Unfinished(NamedTuple):
    """The progress of a run when its policy was saved.

    Attributes:
        steps: Training steps taken.
        of: Training steps that the run is to take.
    """

    steps: int
    of: int

    def __str__(self) -> str:
        return f"unfinished: {self.steps:,} of {self.of:,} steps"


def unfinished(policy: Policy) -> Unfinished | None:
    """Returns the progress of a policy's run; None if the run had finished, or if the policy belongs to no run."""
    return getattr(policy, "unfinished", None)


def labelled(name: str, policy: Policy) -> str:
    """The name of a policy, with a remark if its run has not finished."""
    found = unfinished(policy)
    return name if found is None else f"{name} ({found})"
