"""Opponents in the other seats: one policy, one policy per seat, or a pool from which each game draws a policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from cardwar_envs.core.policy_names import as_policy

UNIFORM = "uniform"
# If a game ends before the agent acts, a new game starts, at most this many times.
MAX_STARTS = 100


@dataclass(frozen=True, eq=False)
class Pool:
    """Policies, one of which is drawn for each game and seat and plays the whole game in that seat.

    `opponent=Pool(["uniform", "highest_card"])` plays one of the two policies throughout each game. In contrast, a
    policy that draws one of them at every move is a single opponent with a mixed strategy.

    Attributes:
        policies: Policies or names of policies; at least one.
        weights: One non-negative weight per policy, proportional to its probability; None draws uniformly.

    Raises:
        ValueError: If there is no policy, the weights are invalid, or there are not as many weights as policies.
    """

    policies: Sequence[Policy | str]
    weights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.policies, str) or not isinstance(self.policies, Sequence) or not self.policies:
            raise ValueError(f"policies ({self.policies!r}) of a pool must be a list of at least one policy")
        object.__setattr__(self, "policies", tuple(self.policies))
        if self.weights is None:
            return
        weights = np.asarray(self.weights, dtype=np.float64)
        if weights.shape != (len(self.policies),):
            raise ValueError(f"weights ({self.weights}) must be {len(self.policies)} numbers, one per policy")
        if not (np.isfinite(weights).all() and (weights >= 0.0).all() and weights.sum() > 0.0):
            raise ValueError(f"weights ({self.weights}) of a pool must not be negative, and one must be positive")
        object.__setattr__(self, "weights", tuple(weights.tolist()))

    def for_game(self, game: Game[Any]) -> SeatPool:
        """Resolves the policies to objects.

        Raises:
            ValueError: If a policy is unknown or cannot play the game.
        """
        policies = [as_policy(each, game) for each in self.policies]
        weights = np.ones(len(policies)) if self.weights is None else np.array(self.weights)
        return SeatPool(policies, weights / weights.sum())


class SeatPool(NamedTuple):
    """The policies of one seat, from which one is drawn for each game.

    Attributes:
        policies: The policies.
        shares: `[number of policies]` probabilities.
    """

    policies: list[Policy]
    shares: NDArray[np.float64]

    def drawn(self, numbers: NDArray[np.float64]) -> NDArray[np.intp]:
        """Maps random numbers in [0, 1) to the indices of the policies that they draw."""
        heights = self.shares.cumsum()
        return np.searchsorted(heights / heights[-1], numbers, side="right")

    def sitting(self, rng: np.random.Generator) -> Policy:
        """Draws the policy for one game; uses the generator only if there are several."""
        return self.policies[int(self.drawn(rng.random(1))[0])] if len(self.policies) > 1 else self.policies[0]


Opponent = str | Policy | Pool


def opponent_pools(opponent: Opponent | Sequence[Opponent], game: Game[Any]) -> list[SeatPool]:
    """Returns the pool of each seat other than the agent's, in order; a single policy becomes a pool of one.

    Args:
        opponent: A policy, its name, or a pool, for all other seats; or a sequence with one of these per seat.
        game: The game.

    Raises:
        ValueError: If the number of opponents is wrong, or one is neither a policy nor the name of one.
    """
    others = game.facts.num_players - 1
    if isinstance(opponent, str | Policy | Pool) or not isinstance(opponent, Sequence):
        return [_pool(opponent).for_game(game)] * others
    if len(opponent) != others:
        raise ValueError(
            f"{len(opponent)} opponents given for {others} other seats; to draw an opponent per game, pass a Pool"
        )
    return [_pool(each).for_game(game) for each in opponent]


def _pool(opponent: Any) -> Pool:
    return opponent if isinstance(opponent, Pool) else Pool([opponent])


def seated_opponents(opponent: Opponent | Sequence[Opponent], game: Game[Any], seat: int) -> dict[int, SeatPool]:
    """Maps every seat except the agent's to its pool; arguments and errors are those of `opponent_pools`."""
    others = [player for player in range(game.facts.num_players) if player != seat]
    return dict(zip(others, opponent_pools(opponent, game), strict=True))
