"""Checks declared invariances of policies on a sample of positions.

A policy that declares `stationary` is queried only with one round left. A policy with a method `choice_probabilities`
is queried through that method for the games it supports. Both must agree with `action_probabilities`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.guards import SAME_TO, difference, first_difference, state_behind
from baselines.oracles.finite_horizon.positions import choice_places, choice_starts
from cardwar_envs.core.forms import RoundsForm
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy, checked_probabilities, name_of

# Sample sizes: numbers of rounds left, and positions for each of them.
ROUNDS, POSITIONS = 4, 64
SEED = 0


def is_stationary(policy: Policy) -> bool:
    """Returns whether a policy declares that its play is independent of the rounds left."""
    return bool(getattr(policy, "stationary", False))


def known_choices(policy: Policy, form: RoundsForm[Any], rounds_left: int) -> NDArray[np.float64] | None:
    """Returns the policy's `choice_probabilities`; None if it lacks the method or the method does not support `form`.

    Raises a ValueError if the result does not have one probability per choice at every code.
    """
    direct = getattr(policy, "choice_probabilities", None)
    known: NDArray[np.float64] | None = direct(form, rounds_left) if direct is not None else None
    choices = int(choice_starts(form)[-1])
    if known is not None and not (
        known.shape == (choices,) and (known >= 0.0).all() and (known <= 1.0 + SAME_TO).all()
    ):
        name = name_of(policy)
        raise ValueError(f"policy {name}: choice_probabilities must be {choices} probabilities")
    return known


def check_rounds(game: Game[Any], form: RoundsForm[Any], policies: Iterable[Policy]) -> int:
    """Checks, at random positions, policies that are not queried everywhere; returns the number of compared answers.

    Raises a ValueError that names the state and both answers if they differ.
    """
    rng, starts, most = np.random.default_rng(SEED), choice_starts(form), game.facts.max_rounds or 1
    choices = np.flatnonzero(np.diff(starts) > 1)
    rounds = np.unique(np.append(rng.integers(1, most, ROUNDS - 1, endpoint=True), most))
    drawn = [(int(r), np.sort(rng.choice(choices, min(POSITIONS, len(choices)), replace=False))) for r in rounds]
    declaring = [each for each in policies if is_stationary(each) or hasattr(each, "choice_probabilities")]
    return sum(_check(game, form, policy, r, codes) for policy in declaring for r, codes in drawn if len(codes))


def _check(game: Game[Any], form: RoundsForm[Any], policy: Policy, rounds_left: int, codes: NDArray[np.int64]) -> int:
    observations, masks = form.seen(codes, rounds_left)
    answer = checked_probabilities(policy, observations, masks)
    relied_on = 1 if is_stationary(policy) else rounds_left
    known, expected = known_choices(policy, form, relied_on), np.zeros_like(answer)
    if known is None and not is_stationary(policy):
        return 0  # queried everywhere
    if known is None:
        expected = checked_probabilities(policy, *form.seen(codes, relied_on))
    else:
        expected[masks == 1] = known[choice_places(form, codes, choice_starts(form)[codes])]
    row = first_difference(answer, expected)
    if row is not None:
        says = "declares stationary" if known is None else "has choice_probabilities"
        raise ValueError(
            f"policy {type(policy).__name__} {says}, but plays differently at {state_behind(game, observations[row])}: "
            f"{difference(expected[row], answer[row])}"
        )
    return len(codes)
