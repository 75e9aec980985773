"""How agents choose: by chance, all alike, or one high and another low; always what their masks allow."""

from __future__ import annotations

import copy
import zlib
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from cardwar_envs.conformance.verdicts import Failed


class Chooser:
    """Random legal choices, which depend on the seed, the agent and how often the agent had a choice."""

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
                raise Failed(f"the action mask of {agent}, who is to choose, is all zero")
            return legal[0] if len(legal) == 1 else legal[int(rng.integers(len(legal)))]
        own = self._spaces.setdefault(agent, copy.deepcopy(space))  # sampling changes a space
        own.seed(int(rng.integers(2**31)))
        return own.sample()


def legal_actions(space: Any, mask: NDArray[Any] | None) -> list[int]:
    """The actions of a Discrete space that a mask allows; all of them if there is no mask."""
    numbers = range(int(space.n)) if mask is None else np.flatnonzero(mask)
    return [int(number + space.start) for number in numbers]


class Driver(Chooser):
    """Choices in a style of the game: by chance, all alike, or each agent high or low."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._rng = np.random.default_rng([seed, 1])
        self._style = seed % 4
        self._shared: tuple[int, float] = (0, 0.0)
        self._asked: dict[Any, int] = {}

    def choose(self, agent: Any, space: gymnasium.Space[Any], mask: Any) -> Any:
        """One of the actions that the mask allows."""
        legal = legal_actions(space, mask) if isinstance(space, gymnasium.spaces.Discrete) else []
        if not legal or self._style < 2:
            return super().choose(agent, space, mask)
        return legal[int(self._place(agent) * len(legal))]

    def _place(self, agent: Any) -> float:
        if self._style == 2:  # the same for all in a turn
            turn = self._asked[agent] = self._asked.get(agent, 0) + 1
            if turn != self._shared[0]:
                self._shared = turn, float(self._rng.random())
            return self._shared[1]
        number = float(self._rng.random())
        tendency = zlib.crc32(f"{self.seed} {agent}".encode()) % 3
        return (number, number**4, 1 - number**4 - 1e-9)[tendency]
