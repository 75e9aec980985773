"""Policies that give probability to illegal actions, as learners without masks do: refused, or measured without it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from baselines.results import IllegalMass
from cardwar_envs.core.arrays import Masks, Observations, Probabilities
from cardwar_envs.core.parameters import one_of
from cardwar_envs.core.policy import IllegalProbabilityError, Policy, renormalised_probabilities

ILLEGAL = ("raise", "renormalise")


class LegalPart:
    """A policy's play given that it chooses a legal action, and what that removes.

    Attributes:
        by_words: As the policy's.
        stationary: As the policy's.
        rows: How many answers were asked for.
        removed: The probability that was removed from all of them together.
        most: The most that was removed from one.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.by_words = bool(getattr(policy, "by_words", False))
        self.stationary = bool(getattr(policy, "stationary", False))
        self.rows, self.removed, self.most = 0, 0.0, 0.0

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """The renormalised answer of the policy, `[batch, num_actions]`."""
        probabilities, removed = renormalised_probabilities(self._policy, observations, action_masks)
        self.rows += len(removed)
        self.removed += float(removed.sum())
        self.most = max(self.most, float(np.max(removed, initial=0.0)))
        return probabilities


class Seated:
    """The policies that an oracle is asked about.

    Attributes:
        policies: One per seat.
    """

    def __init__(self, policies: Sequence[Policy], illegal: str) -> None:
        """Takes the policies, and what to do about illegal actions.

        Raises:
            ValueError: If that is neither "raise" nor "renormalise".
        """
        one_of("illegal", illegal, ILLEGAL)
        self._parts = {id(policy): LegalPart(policy) for policy in policies} if illegal == "renormalise" else {}
        self.policies: list[Policy] = [self._parts.get(id(policy), policy) for policy in policies]

    @property
    def removed(self) -> IllegalMass | None:
        """What was removed so far; None if nothing is to be removed."""
        if not self._parts:
            return None
        parts = self._parts.values()
        rows = max(1, sum(part.rows for part in parts))
        return IllegalMass(max(part.most for part in parts), sum(part.removed for part in parts) / rows)


@contextmanager
def seated(policies: Sequence[Policy], illegal: str) -> Iterator[Seated]:
    """The policies to ask an oracle about; afterwards a warning says how much probability was removed, if any was.

    Raises:
        ValueError: If `illegal` is neither "raise" nor "renormalise".
        IllegalProbabilityError: If a policy gives probability to an illegal action and that is not to be removed, or
            gives it to illegal actions only.
    """
    asked = Seated(policies, illegal)
    try:
        yield asked
    except IllegalProbabilityError as error:
        hint = "" if illegal == "renormalise" else '; illegal="renormalise" measures its legal part'
        raise IllegalProbabilityError(f"{error}{hint}") from None
    removed = asked.removed
    if removed is not None and removed.any:
        warnings.warn(
            f"this is not the exact figure of the policy as it was given: illegal actions had {removed}. "
            "That was removed, and the rest renormalised",
            stacklevel=4,  # the caller of the public function
        )
