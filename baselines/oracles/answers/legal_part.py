"""Removes and reports the probability of illegal actions, which policies trained without masks have."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import cardwar_envs
from cardwar_envs.core.policy import (
    ILLEGAL_TOLERANCE,
    IllegalProbabilityError,
    Masks,
    Observations,
    Policy,
    Probabilities,
    answer_of,
    check_signs,
    check_sums,
    row_sums,
)

# A warning names the first line outside these folders, where the user called a public function.
ROOT = Path(cardwar_envs.__file__).parents[1]
INSIDE = (
    *(f"{ROOT / package}{os.sep}" for package in ("cardwar_envs", "baselines", "train", "cardwar_play", "cardwar_cli")),
    contextlib.__file__,
)


class IllegalMass(NamedTuple):
    """The probability of illegal actions that was removed from a policy before it was measured.

    Attributes:
        most: The maximum over the queried information states.
        mean: The mean over all queries.
    """

    most: float
    mean: float

    def __str__(self) -> str:
        mean, most = (f"{100 * share:.3g} %" for share in (self.mean, self.most))
        return f"{mean} of the probability on average over information states, at most {most}"

    @property
    def any(self) -> bool:
        """True if more than rounding errors was removed."""
        return self.most > ILLEGAL_TOLERANCE


class LegalPart:
    """A policy conditioned on legal actions, which records the probability removed.

    Attributes:
        stands_for: The original policy, whose `by_words` and `stationary` hold here too.
        rows: Number of queries.
        removed: The total probability removed.
        most: The largest probability removed from one answer.
    """

    def __init__(self, policy: Policy) -> None:
        self.stands_for = policy
        self.by_words = bool(getattr(policy, "by_words", False))
        self.stationary = bool(getattr(policy, "stationary", False))
        self.rows, self.removed, self.most = 0, 0.0, 0.0

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """Returns the renormalised answer of the policy, `[batch, num_actions]`."""
        probabilities, removed = renormalised_probabilities(self.stands_for, observations, action_masks)
        self.rows += len(removed)
        self.removed += float(removed.sum())
        self.most = max(self.most, float(np.max(removed, initial=0.0)))
        return probabilities


def renormalised_probabilities(
    policy: Policy, observations: Observations, action_masks: Masks
) -> tuple[Probabilities, NDArray[np.float64]]:
    """Like `checked_probabilities`, but conditions on legal actions; also returns the removed probability, `[batch]`.

    Raises:
        ValueError: As for `checked_probabilities`, except that illegal actions may have probability as long as each row
            gives some to legal actions.
    """
    name, answer = answer_of(policy, observations, action_masks)
    check_signs(name, answer)
    answer = np.maximum(answer, 0.0)
    sums = row_sums(answer)
    check_sums(name, sums)
    removed = row_sums(np.where(action_masks == 0, answer, 0.0)) / sums
    legal_part = np.where(action_masks == 0, 0.0, answer)
    left = row_sums(legal_part)
    if (left <= ILLEGAL_TOLERANCE).any():
        legal = np.flatnonzero(action_masks[left.argmin()]).tolist()
        raise IllegalProbabilityError(
            f"policy {name}: all probability is on illegal actions; legal actions are {legal}"
        )
    return legal_part / left[:, None], removed


def warn(message: str) -> None:
    """Warns with the number of the user's line that called a public function."""
    frame: FrameType | None = sys._getframe()
    level = 0
    while frame is not None and frame.f_code.co_filename.startswith(INSIDE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level + 1)
