"""The policy protocol, checks of the probabilities that a policy returns, and policies given as a table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

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
    name, answer = _answer(policy, observations, action_masks)
    legal_part = np.where(action_masks == 0, 0.0, answer)
    sums, legal_sums = _row_sums(answer), _row_sums(legal_part)
    least = answer.min(initial=0.0)
    # If nothing is negative and the sums agree, illegal actions have no weight. Otherwise check each entry.
    if not (least >= 0.0 and np.isfinite(sums).all() and np.array_equal(sums, legal_sums)):
        _check_signs(name, answer)
        _check_legal(name, answer, action_masks)
        np.maximum(legal_part, 0.0, out=legal_part)
        legal_sums = _row_sums(legal_part)
    _check_sums(name, sums)
    legal_part /= legal_sums[:, None]
    return legal_part


def renormalised_probabilities(
    policy: Policy, observations: Observations, action_masks: Masks
) -> tuple[Probabilities, NDArray[np.float64]]:
    """Like `checked_probabilities`, but conditions on legal actions; also returns the removed probability, `[batch]`.

    Raises:
        ValueError: As for `checked_probabilities`, except that illegal actions may have probability as long as each row
            gives some to legal actions.
    """
    name, answer = _answer(policy, observations, action_masks)
    _check_signs(name, answer)
    answer = np.maximum(answer, 0.0)
    sums = _row_sums(answer)
    _check_sums(name, sums)
    removed = _row_sums(np.where(action_masks == 0, answer, 0.0)) / sums
    legal_part = np.where(action_masks == 0, 0.0, answer)
    left = _row_sums(legal_part)
    if (left <= ILLEGAL_TOLERANCE).any():
        legal = np.flatnonzero(action_masks[left.argmin()]).tolist()
        raise IllegalProbabilityError(
            f"policy {name}: all probability is on illegal actions; legal actions are {legal}"
        )
    return legal_part / left[:, None], removed


def _answer(policy: Policy, observations: Observations, action_masks: Masks) -> tuple[str, NDArray[np.float64]]:
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


def _row_sums(answer: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):  # non-finite sums are rejected later
        sums: NDArray[np.float64] = answer.sum(axis=1)
    return sums


def _check_sums(name: str, sums: NDArray[np.float64]) -> None:
    if not (np.abs(sums - 1.0) <= SUM_TOLERANCE).all():
        worst = sums[np.abs(sums - 1.0).argmax()]
        raise ValueError(f"policy {name}: probabilities sum to {worst:.6g}, not to 1 (within {SUM_TOLERANCE:g})")


def _check_signs(name: str, answer: NDArray[np.float64]) -> None:
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


class TablePolicy:
    """Plays the probabilities listed for an observation, and uniformly at observations that are not in the table.

    Exact measures warn if a table lacks some of the queried observations, and reject it if it contains none of them,
    since they would measure uniform play. Each measure resets the counts `asked` and `known`.

    Attributes:
        warns: Whether exact measures warn.
    """

    warns: ClassVar[bool] = True

    def __init__(self, table: Mapping[bytes, NDArray[np.float64] | Sequence[Fraction]]) -> None:
        """Takes a mapping from `observation.tobytes()` (float32) to `[num_actions]` probabilities, floats or fractions.

        Raises:
            ValueError: If it is not a mapping, a key is not bytes, keys are not float32 observations of one size, or
                two keys differ only in the sign of a zero.
        """
        wrong = table if not isinstance(table, Mapping) else next((k for k in table if not isinstance(k, bytes)), None)
        if wrong is not None:
            raise ValueError(f"table ({wrong!r}) must be a mapping from observation.tobytes() to probabilities")
        self._exact = dict(zip(_equal_keys(table), table.values(), strict=True))
        self._table = {key: np.asarray(row, dtype=np.float64) for key, row in self._exact.items()}
        if len(self._table) < len(table):
            raise ValueError("two keys of the table are the same observation: 0.0 and -0.0 are equal")
        self._asked: set[bytes] = set()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self._table):,} observations>"

    @property
    def asked(self) -> int:
        """Number of distinct observations queried that leave a choice between legal actions."""
        return len(self._asked)

    @property
    def known(self) -> int:
        """Number of the queried observations that are in the table."""
        return len(self._asked & self._table.keys())

    @property
    def coverage(self) -> str:
        """The counts in words, after the name of a policy."""
        return (
            f"is in the table at {self.known:,} of the {self.asked:,} observations queried that leave a choice, "
            "and elsewhere plays uniformly over legal actions"
        )

    def count_anew(self) -> None:
        """Resets the counts."""
        self._asked.clear()

    def require_known(self) -> None:
        """Raises a ValueError if the table was queried but contained none of the observations."""
        if self.asked and not self.known:
            raise ValueError(
                f"{self!r} contains none of the {self.asked:,} observations queried; "
                "its keys must be observation.tobytes() of what its seats observe in this game, which are float32"
            )

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        probabilities: Probabilities = action_masks / action_masks.sum(axis=1, keepdims=True)
        keys = self._count(observations, action_masks)
        for row, key in enumerate(keys):
            listed = self._table.get(key)
            if listed is not None:
                probabilities[row] = listed
        return probabilities

    def exact_probabilities(self, observations: Observations, action_masks: Masks) -> list[Any]:
        """Like `action_probabilities`: rows as they were given, others as fractions."""
        others = ([Fraction(int(legal), int(mask.sum())) for legal in mask] for mask in action_masks)
        keys = self._count(observations, action_masks)
        return [self._exact.get(key, other) for key, other in zip(keys, others, strict=True)]

    def _count(self, observations: Observations, action_masks: Masks) -> list[bytes]:
        """Counts the queried observations that leave a choice; returns the keys of all."""
        keys = observation_keys(observations)
        self._asked.update(key for key, legal in zip(keys, action_masks.sum(axis=1).tolist(), strict=True) if legal > 1)
        return keys


def _equal_keys(keys: Collection[bytes]) -> list[bytes]:
    """Converts the bytes of observations to keys as made by `observation_keys`."""
    sizes = sorted({len(key) for key in keys} or {0})
    if len(sizes) > 1 or sizes[0] % np.dtype(np.float32).itemsize:
        raise ValueError(
            f"keys of a table have {' and '.join(map(str, sizes))} bytes; they must be observation.tobytes() of one "
            "game's observations, which are float32"
        )
    rows = np.frombuffer(b"".join(keys), dtype=np.float32).reshape(len(keys), sizes[0] // 4)
    return observation_keys(rows)
