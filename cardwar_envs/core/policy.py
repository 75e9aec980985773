"""The policy protocol, checks of the probabilities that a policy returns, and uniform play."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game

Observations = NDArray[np.float32]
Masks = NDArray[np.int8]
Probabilities = NDArray[np.float64]


def observation_keys(observations: NDArray[np.floating]) -> list[bytes]:
    """A key for each row of `[batch, observation_size]`; rows equal in float32 have equal keys. NaN is not allowed."""
    # Adding zero turns -0.0, whose bytes differ, into 0.0.
    return [row.tobytes() for row in np.ascontiguousarray(observations, dtype=np.float32) + np.float32(0.0)]


# Single-precision probabilities, such as a network's softmax, sum to one within about this tolerance.
SUM_TOLERANCE = 1e-5
ILLEGAL_TOLERANCE = 1e-9
# A single row of at most this many probabilities is checked in plain Python.
FEW = 64


class IllegalProbabilityError(ValueError):
    """A policy gives positive probability to an illegal action."""


@runtime_checkable
class Policy(Protocol):
    """A behaviour strategy; it sees observations and action masks, never a state."""

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """Returns the probability of each action.

        Args:
            observations: `[batch, observation_size]` float32.
            action_masks: `[batch, num_actions]` int8, 1 where an action is legal.

        Returns:
            `[batch, num_actions]` float64; every row sums to one and is 0 for illegal actions.
        """
        ...


def name_of(policy: Policy) -> str:
    """Returns a policy's class name, for messages; a wrapper with `stands_for` has the name of the wrapped policy."""
    return class_of(policy).__name__


def class_of(policy: Policy) -> type:
    """Returns the class of a policy, or of the policy that a wrapper stands for."""
    while hasattr(policy, "stands_for"):
        policy = policy.stands_for
    return type(policy)


def checked_probabilities(policy: Policy, observations: Observations, action_masks: Masks) -> Probabilities:
    """Queries a policy, checks that it returns a behaviour strategy as `Policy` specifies, and normalises each row.

    Raises:
        ValueError: If the result is not an array of real numbers of that shape, has a negative or non-finite entry,
            gives probability to an illegal action (an IllegalProbabilityError), or has a row that does not sum to one.
    """
    name, answer = answer_of(policy, observations, action_masks)
    if answer.size <= FEW and len(answer) == 1 and (usual := _usual_row(answer, action_masks)) is not None:
        return usual
    legal_part = np.where(action_masks, answer, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):  # non-finite sums are rejected below
        sums, legal_sums = answer.sum(axis=1), legal_part.sum(axis=1)
    least = answer.min(initial=0.0)
    # If nothing is negative and the sums agree, illegal actions have no weight. Otherwise check each entry.
    if not (least >= 0.0 and np.isfinite(sums).all() and np.array_equal(sums, legal_sums)):
        check_signs(name, answer)
        _check_legal(name, answer, action_masks)
        np.maximum(legal_part, 0.0, out=legal_part)
        legal_sums = row_sums(legal_part)
    check_sums(name, sums)
    legal_part /= legal_sums[:, None]
    return legal_part


def _usual_row(answer: NDArray[np.float64], action_masks: Masks) -> Probabilities | None:
    """Does the work of `checked_probabilities` on one row, in less time; None if it needs the checks there."""
    for probability, legal in zip(answer[0].tolist(), action_masks[0].tolist(), strict=True):
        if not (0.0 <= probability <= 1.0 + SUM_TOLERANCE and (legal or probability == 0.0)):
            return None
    total = np.add.reduce(answer, axis=1).item()
    return answer / total if abs(total - 1.0) <= SUM_TOLERANCE else None


def answer_of(policy: Policy, observations: Observations, action_masks: Masks) -> tuple[str, NDArray[np.float64]]:
    """Queries the policy; returns its name, and its probabilities as an array of the shape of `action_masks`."""
    name = name_of(policy)
    # Copies, because a policy may modify its arguments.
    answer: Any = policy.action_probabilities(observations.copy(), action_masks.copy())
    try:
        array = np.asarray(answer)
    except (TypeError, ValueError, RuntimeError) as error:  # torch raises a RuntimeError
        raise ValueError(f"policy {name}: probabilities must be an array of numbers: {error}") from None
    if array.dtype.kind not in "fiub":
        raise ValueError(f"policy {name}: probabilities must be real numbers, not of type {array.dtype}")
    if array.shape != action_masks.shape:
        raise ValueError(f"policy {name}: probabilities have shape {array.shape}, not {action_masks.shape}")
    return name, array.astype(np.float64, copy=False)


def row_sums(answer: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns `[batch]` sums of probabilities."""
    with np.errstate(over="ignore", invalid="ignore"):  # non-finite sums are rejected later
        sums: NDArray[np.float64] = answer.sum(axis=1)
    return sums


def check_sums(name: str, sums: NDArray[np.float64]) -> None:
    """Raises a ValueError unless all sums of a policy's probabilities are 1."""
    if not (np.abs(sums - 1.0) <= SUM_TOLERANCE).all():
        worst = sums[np.abs(sums - 1.0).argmax()]
        raise ValueError(f"policy {name}: probabilities sum to {worst:.6g}, not to 1 (within {SUM_TOLERANCE:g})")


def check_signs(name: str, answer: NDArray[np.float64]) -> None:
    """Raises a ValueError if a policy's probabilities are negative or not finite."""
    if not np.isfinite(answer).all():
        raise ValueError(f"policy {name}: probabilities must be finite")
    if answer.min(initial=0.0) < -ILLEGAL_TOLERANCE:
        raise ValueError(f"policy {name}: probability {answer.min():.6g} is negative")


def _check_legal(name: str, answer: NDArray[np.float64], action_masks: NDArray[np.int8]) -> None:
    illegal = np.where(action_masks == 0, answer, 0.0)
    if illegal.max(initial=0.0) > ILLEGAL_TOLERANCE:
        row, action = np.unravel_index(int(illegal.argmax()), illegal.shape)
        legal = np.flatnonzero(action_masks[row]).tolist()
        raise IllegalProbabilityError(
            f"policy {name}: probability {illegal[row, action]:.6g} on illegal action {action}; "
            f"legal actions are {legal}"
        )


def sample_actions(weights: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draws one action per row: weights `[batch, num_actions]` (any positive sums) -> `[batch]`."""
    cumulative = weights.cumsum(axis=1)
    total = cumulative[:, -1:]
    draws = rng.random((len(weights), 1)) * total
    # The second condition ensures that a draw that rounds up to the total selects an action of positive weight.
    actions: NDArray[np.int64] = ((cumulative <= draws) & (cumulative < total)).sum(axis=1)
    return actions


def sample_action(weights: NDArray[np.float64], rng: np.random.Generator) -> int:
    """Draws one action by `[num_actions]` weights, the same as `sample_actions` would draw, in less time."""
    cumulative = weights.cumsum()
    total = cumulative.item(-1)
    return min(bisect_right(cumulative, rng.random() * total), bisect_left(cumulative, total))


class Uniform:
    """Plays at random: every card or move is equally likely.

    So a rank held twice is twice as likely.

    Names: "Random" in Sanwal and Drechsler 2002, section 5; "playing all options with uniform
    randomness" in Fetterman 2023, section 3, where it is an equilibrium of Dinosaur War.
    """

    stationary = True
    by_words = True

    def __init__(self, game: Game[Any]) -> None:
        self._game = game

    def __repr__(self) -> str:
        return f"<{type(self).__name__} for {self._game.facts.name}: every card alike>"

    @property
    def plays_uniformly(self) -> bool:
        """True if a batch of games may draw this policy's actions itself; False for subclasses that play otherwise."""
        return getattr(self.action_probabilities, "__func__", None) is Uniform.action_probabilities

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        counts = self._game.action_counts(observations, action_masks)
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def exact_probabilities(self, observations: Observations, action_masks: Masks) -> list[list[Fraction]]:
        """Returns the probabilities as fractions."""
        return shares(self._game.action_counts(observations, action_masks))


def shares(counts: NDArray[Any]) -> list[list[Fraction]]:
    """Returns each row's counts as fractions of their sum."""
    return [[Fraction(count) / Fraction(sum(row)) for count in row] for row in counts.tolist()]
