"""Queries policies for probabilities as fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.continuation import exactly
from cardwar_envs.core.forms import BayesianForm
from cardwar_envs.core.policy import Masks, Observations, Policy, checked_probabilities, name_of

# Largest difference between a policy's fractions and its floats.
ROUNDING = 1e-9


def exact_probabilities(policy: Policy, observations: Observations, action_masks: Masks) -> NDArray[Any]:
    """Returns a policy's probabilities as fractions, `[batch, num_actions]`.

    They come from its method `exact_probabilities`, which takes the arguments of `action_probabilities` and returns
    rows of fractions, or else from its floats. A float is exact if its value is the decimal that it is printed as,
    as for 0, 0.5 and 1. Others were rounded.

    Raises:
        ValueError: If a float was rounded, a row does not sum to exactly one, or fractions and floats differ.
    """
    floats, name = checked_probabilities(policy, observations, action_masks), name_of(policy)
    method = getattr(policy, "exact_probabilities", None)
    rows = floats.tolist() if method is None else method(observations.copy(), action_masks.copy())
    fractions = np.array([[_fraction(entry, name) for entry in row] for row in rows], dtype=object)
    if fractions.shape != floats.shape:
        raise ValueError(f"policy {name}: exact probabilities have shape {fractions.shape}, not {floats.shape}")
    for total in fractions.sum(axis=1):
        if total != 1:
            raise ValueError(f"policy {name}: exact probabilities sum to {total}, not to 1")
    if not (np.abs(fractions.astype(float) - floats) <= ROUNDING).all():
        raise ValueError(f"policy {name}: exact_probabilities and action_probabilities differ")
    return fractions


def _fraction(entry: Any, name: str) -> Fraction:
    number = entry.item() if isinstance(entry, np.generic) else entry
    try:
        return exactly(number)
    except ValueError:
        raise ValueError(
            f"policy {name}: probability {number!r} is a rounded float, so there is no exact figure; "
            "give the policy a method exact_probabilities that returns fractions, or make it a TablePolicy of fractions"
        ) from None


def all_exactly(numbers: NDArray[Any]) -> NDArray[Any]:
    """Converts the numbers of an array to fractions; raises ValueError like `exactly`."""
    return np.asarray(np.frompyfunc(exactly, 1, 1)(numbers.astype(object)), dtype=object)


def exact_payoffs(form: BayesianForm) -> NDArray[Any]:
    """Returns a form's payoffs as fractions; raises ValueError like `exactly`, also for means of rounded floats."""
    if form.rounded is not None:
        exactly(form.rounded)
    return all_exactly(form.payoffs)
