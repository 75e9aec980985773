"""Ways in which agents choose legal actions: at random, all the same, or some high and others low."""

from __future__ import annotations

import copy
import zlib
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from cardwar_envs.conformance.verdicts import Failed


class Chooser:
    """Draws random legal actions, which depend only on the seed, the agent and the number of its earlier actions."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._rngs: dict[Any, np.random.Generator] = {}
        self._spaces: dict[Any, gymnasium.Space[Any]] = {}

    def choose(self, agent: Any, space: gymnasium.Space[Any], mask: NDArray[Any] | None) -> Any:
        """One of the actions that the mask allows."""
        if agent not in self._rngs:
            self._rngs[agent] = np.random.default_rng([self.seed, zlib.crc32(str(agent).encode())])
        rng = self._rngs[agent]
        if isinstance(space, gymnasium.spaces.Discrete):
            legal = legal_actions(space, mask)
            if not legal:
                raise Failed(f"the action mask of {agent}, which must choose an action, is all zero")
            return legal[0] if len(legal) == 1 else legal[int(rng.integers(len(legal)))]
        own = self._spaces.setdefault(agent, copy.deepcopy(space))  # sampling changes a space
        own.seed(int(rng.integers(2**31)))
        return own.sample()


def legal_actions(space: Any, mask: NDArray[Any] | None) -> Sequence[int]:
    """The actions of a Discrete space that a mask allows; all of them, not listed one by one, if there is no mask."""
    start = int(space.start)
    if mask is None:
        return range(start, start + int(space.n))
    return [start + int(number) for number in np.flatnonzero(mask)]


class Driver(Chooser):
    """Chooses actions in one style per game: at random, all the same, or each agent high or low."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._rng = np.random.default_rng([seed, 1])
        self._style = seed % 4
        self._shared: tuple[int, float] = (0, 0.0)
        self._asked: dict[Any, int] = {}

    def choose(self, agent: Any, space: gymnasium.Space[Any], mask: Any) -> Any:
        """One of the actions that the mask allows."""
        legal = legal_actions(space, mask) if isinstance(space, gymnasium.spaces.Discrete) else []
        if self._style >= 2 and legal:
            return legal[int(self._place(agent) * len(legal))]
        action = super().choose(agent, space, mask)
        return action if self._style < 2 else at_bounds(space, action, self._place(agent), self._rng)

    def _place(self, agent: Any) -> float:
        if self._style == 2:  # all agents alike in a turn
            turn = self._asked[agent] = self._asked.get(agent, 0) + 1
            if turn != self._shared[0]:
                self._shared = turn, float(self._rng.random())
            return self._shared[1]
        number = float(self._rng.random())
        tendency = zlib.crc32(f"{self.seed} {agent}".encode()) % 3
        return (number, number**4, 1 - number**4 - 1e-9)[tendency]


def at_bounds(space: Any, action: Any, place: float, rng: np.random.Generator) -> Any:
    """Moves the bounded entries of a random action to the bounds of its space.

    All move to the lower bounds if `place` is below 0.3, and to the upper bounds if it is above 0.7; otherwise each
    entry moves to a bound or stays, at random.
    """
    if isinstance(space, gymnasium.spaces.Dict):
        return {key: at_bounds(part, action[key], place, rng) for key, part in space.spaces.items()}
    if isinstance(space, gymnasium.spaces.Tuple):
        pairs = zip(space.spaces, action, strict=True)
        return tuple(at_bounds(part, each, place, rng) for part, each in pairs)
    low, high = _bounds(space)
    if low is None:
        return action
    number = np.full(np.shape(action), place) if abs(place - 0.5) > 0.2 else rng.random(np.shape(action))
    moved = np.where((number < 0.3) & np.isfinite(low), low, action)
    return np.where((number > 0.7) & np.isfinite(high), high, moved).astype(space.dtype)[()]


def _bounds(space: Any) -> tuple[Any, Any]:
    """The lower and upper bounds of a space's entries; None and None if it has no bounds."""
    if isinstance(space, gymnasium.spaces.Box):
        return space.low, space.high
    if isinstance(space, gymnasium.spaces.Discrete):
        return space.start, space.start + space.n - 1
    if isinstance(space, gymnasium.spaces.MultiDiscrete):
        return space.start, space.start + space.nvec - 1
    return (0, 1) if isinstance(space, gymnasium.spaces.MultiBinary) else (None, None)
