"""Cheap checks of an enumerated game: probabilities sum to one, payments are finite, acting players have actions.

`cardwar_envs.check_game` checks a game's declarations.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game.limits import LARGEST_PAYOFF
from cardwar_envs.core.game import Game
from cardwar_envs.core.play import listed
from cardwar_envs.core.policy import observation_keys

# Tolerance for rounding in sums of probabilities and payments.
ROUNDING = 1e-9


def legal_actions(game: Game[Any], state: Any, player: int) -> tuple[int, ...]:
    """Returns an acting player's actions; raises a ValueError unless they are valid, ascending and at least one."""
    legal = game.legal_actions(state, player)
    if not legal or not _ascending(tuple(legal)) or legal[0] < 0 or legal[-1] >= game.facts.num_actions:
        raise ValueError(
            f"{game.facts.name}: player_{player} acts in {state!r}, and its legal actions are {legal}; "
            f"they must be ascending numbers in 0..{game.facts.num_actions - 1}, at least one"
        )
    return legal


@lru_cache(maxsize=1024)  # most states share few lists
def _ascending(numbers: tuple[int, ...]) -> bool:
    return all(one < other for one, other in pairwise(numbers))


def require_shape(game: Game[Any], what: str, row: Any, size: int) -> None:
    """Raises a ValueError unless a row of numbers has the size that the game's facts give."""
    if np.shape(row) != (size,):
        raise ValueError(f"{game.facts.name}: {what} must have {size} numbers, as its facts say, but is {row!r}")


def require_starts(game: Game[Any]) -> None:
    """Raises a ValueError unless the probabilities of a game's starts sum to one."""
    _require_chances(game, "the starts", np.array([float(start.probability) for start in listed(game, game.initial())]))


def _require_chances(game: Game[Any], of: str, chances: NDArray[np.float64]) -> None:
    if not ((chances >= 0.0).all() and abs(chances.sum() - 1.0) <= ROUNDING):
        shown = chances.tolist()
        raise ValueError(
            f"{game.facts.name}: the probabilities of {of} are {shown}; they must be at least 0 and sum to 1"
        )


def require_outcomes(
    game: Game[Any],
    states: Sequence[Any],
    parents: NDArray[np.int64],
    outcomes: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    actions: NDArray[np.int32],
) -> None:
    """Raises a ValueError, which names the state and actions, if probabilities of outcomes do not sum to one.

    `parents` and `probabilities` are `[edges]`. `outcomes`, `[joint actions]`, counts the consecutive edges of each
    joint action; `actions` is `[joint actions, players]`.
    """
    ends = np.cumsum(outcomes)
    sums = np.diff(np.concatenate([[0.0], np.cumsum(probabilities)])[np.concatenate([[0], ends])])
    # Differences of long sums are exact to about ROUNDING; the few doubtful ones are summed again.
    doubtful = ~(np.abs(sums - 1.0) <= ROUNDING) | (outcomes == 0)
    doubtful[np.searchsorted(ends, np.flatnonzero(~(probabilities >= 0.0)), side="right")] = True
    for joint in np.flatnonzero(doubtful):
        edges = slice(ends[joint] - outcomes[joint], ends[joint])
        if not outcomes[joint]:
            raise ValueError(f"{game.facts.name}: a joint action, {actions[joint].tolist()}, has no outcome")
        of = f"what follows {actions[joint].tolist()} in {states[parents[edges.start]]!r}"
        _require_chances(game, of, probabilities[edges])


def require_payments(game: Game[Any], rewards: NDArray[np.float64], longest: int) -> None:
    """Raises a ValueError for payments, `[edges, players]` points, that cannot be those of `longest` joint actions.

    They must be finite, their sum must not overflow, and in a two-player zero-sum game each must sum to zero.
    """
    most = LARGEST_PAYOFF / max(longest, 1)
    if not (np.abs(rewards) <= most).all():
        worst = rewards.flat[int(np.argmax(~(np.abs(rewards) <= most)))]
        raise ValueError(
            f"{game.facts.name}: a payment is {worst:g}; payments must be finite, at most {most:g} in absolute value"
        )
    if game.facts.zero_sum and game.facts.num_players == 2:
        sums, size = rewards.sum(axis=1), np.abs(rewards).max(axis=1, initial=0.0)
        wrong = ~(np.abs(sums) <= ROUNDING * np.maximum(size, 1.0))
        if wrong.any():
            paid = rewards[int(wrong.argmax())].tolist()
            raise ValueError(f"{game.facts.name} declares that it is zero-sum, but one outcome pays {paid}")


def require_distinct(game: Game[Any], player: int, states: Sequence[Any], observations: NDArray[np.float32]) -> None:
    """Raises a ValueError, which names the states, if two have the same observation or an observation has a NaN."""
    if np.isnan(observations).any():
        state = states[int(np.isnan(observations).any(axis=1).argmax())]
        raise ValueError(f"{game.facts.name}: player_{player} sees NaN in {state!r}; observations must be numbers")
    first: dict[bytes, int] = {}
    for row, key in enumerate(observation_keys(observations)):
        other = first.setdefault(key, row)
        if other != row:
            raise ValueError(
                f"{game.facts.name} declares that players see the state, but player_{player} has the same observation "
                f"in {states[other]!r} and in {states[row]!r}"
            )
