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

import cardwar_envs
from cardwar_envs.core.policy import (
    ILLEGAL_TOLERANCE,
    Masks,
    Observations,
    Policy,
    Probabilities,
    renormalised_probabilities,
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


def warn(message: str) -> None:
    """Warns with the number of the user's line that called a public function."""
    frame: FrameType | None = sys._getframe()
    level = 0
    while frame is not None and frame.f_code.co_filename.startswith(INSIDE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level + 1)
