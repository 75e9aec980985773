"""Policies that give probability to illegal actions, as learners without masks do: refused, or measured without it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cardwar_envs.core.arrays import Masks, Observations, Probabilities
from cardwar_envs.core.policy import ILLEGAL_TOLERANCE, Policy, renormalised_probabilities


class IllegalMass(NamedTuple):
    """The probability of illegal actions that was removed from a policy before it was measured.

    Attributes:
        most: The most at any information state that the oracle asked about.
        mean: The mean over these, each counted as often as it was asked about.
    """

    most: float
    mean: float

    def __str__(self) -> str:
        mean, most = (f"{100 * share:.3g} %" for share in (self.mean, self.most))
        return f"{mean} of the probability on average over information states, at most {most}"

    @property
    def any(self) -> bool:
        """Whether it was more than policies that keep to legal actions may have by rounding."""
        return self.most > ILLEGAL_TOLERANCE


class LegalPart:
    """A policy's play given that it chooses a legal action, and what that removes.

    Attributes:
        stands_for: The policy.
        by_words: As the policy's.
        stationary: As the policy's.
        rows: How many answers were asked for.
        removed: The probability that was removed from all of them together.
        most: The most that was removed from one.
    """

    def __init__(self, policy: Policy) -> None:
        self.stands_for = policy
        self.by_words = bool(getattr(policy, "by_words", False))
        self.stationary = bool(getattr(policy, "stationary", False))
        self.rows, self.removed, self.most = 0, 0.0, 0.0

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """The renormalised answer of the policy, `[batch, num_actions]`."""
        probabilities, removed = renormalised_probabilities(self.stands_for, observations, action_masks)
        self.rows += len(removed)
        self.removed += float(removed.sum())
        self.most = max(self.most, float(np.max(removed, initial=0.0)))
        return probabilities
