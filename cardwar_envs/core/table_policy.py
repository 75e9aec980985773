"""Policies given as a table of observations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import SUM_TOLERANCE, Masks, Observations, Probabilities, observation_keys


class TablePolicy:
    """Plays the probabilities listed for an observation, and uniformly at observations that are not in the table.

    Exact measures warn if a table lacks some of the queried observations, and reject it if it contains none of them,
    since they would measure uniform play. Each measure resets the counts `asked` and `known`.

    Attributes:
        warns: Whether measures warn.
        name: What messages call the table; by default its `repr`.
    """

    warns: bool = True
    name: str = ""

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

    def contains(self, observation: NDArray[np.float32]) -> bool:
        """Returns whether an observation `[observation_size]` is in the table."""
        return observation_keys(observation[None])[0] in self._table

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
        """The counts in words."""
        return (
            f"{self.name or repr(self)} has {self.known:,} of the {self.asked:,} observations queried that leave a "
            "choice, and plays uniformly over legal actions at the others"
        )

    def count_anew(self) -> None:
        """Resets the counts."""
        self._asked.clear()

    def require_known(self) -> None:
        """Raises a ValueError if the table was queried but contained none of the observations."""
        if self.asked and not self.known:
            raise ValueError(
                f"{self.name or repr(self)} contains none of the {self.asked:,} observations queried that leave a "
                "choice; a table must have those of its seats in this game (in Python by observation.tobytes(), of "
                "float32)"
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


def checked_rows(
    game: Game[Any], observations: NDArray[np.float32], probabilities: NDArray[np.float64]
) -> dict[bytes, NDArray[np.float64]]:
    """Returns a table of distinct observations `[rows, observation_size]` and probabilities `[rows, num_actions]`.

    Raises:
        ValueError: If a shape does not fit the game, a number is not finite, a row is not a probability distribution,
            or an observation has two rows.
    """
    facts, rows = game.facts, len(observations)
    shapes = (rows, facts.observation_size), (rows, facts.num_actions)
    if (observations.shape, probabilities.shape) != shapes:
        raise ValueError(
            f"a table of shapes {observations.shape} and {probabilities.shape} does not fit "
            f"{facts.name}, which needs shapes {shapes[0]} and {shapes[1]}"
        )
    if not np.isfinite(observations).all():
        raise ValueError("an observation of its table is not finite")
    valid = (probabilities >= 0.0).all(axis=1) & (np.abs(probabilities.sum(axis=1) - 1.0) <= SUM_TOLERANCE)
    if not valid.all():
        raise ValueError(f"row {valid.argmin() + 1} of its table is not a probability distribution")
    table = dict(zip(observation_keys(observations), probabilities, strict=True))
    if len(table) < rows:
        raise ValueError("an observation has two rows in its table")
    return table


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
