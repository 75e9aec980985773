"""Infos of a vector environment whose final observations are made only if they are read.

Gymnasium wants one dictionary per finished game. To make 4,096 of them takes several times as long as a step, and most
callers never read them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FINAL_OBS = "final_obs"


class Ends(NamedTuple):
    """The last observations of finished games.

    Attributes:
        num_envs: Number of games.
        places: `[finished games]`, their indices.
        observations: `[finished games, observation_size]` float32.
        num_actions: Number of actions, all of them illegal now.
    """

    num_envs: int
    places: NDArray[np.intp]
    observations: NDArray[np.float32]
    num_actions: int

    def listed(self) -> NDArray[np.object_]:
        """`[num_envs]`: the observation of each finished game, None for the others."""
        masks = np.zeros((len(self.observations), self.num_actions), dtype=np.int8)
        ends = [{"observation": seen, "action_mask": mask} for seen, mask in zip(self.observations, masks, strict=True)]
        listed = np.full(self.num_envs, None, dtype=object)
        listed[self.places] = np.fromiter(ends, dtype=object, count=len(ends))
        return listed


class Infos(dict[str, Any]):
    """A dictionary whose entry `final_obs`, given as `Ends`, is listed when a value is first read.

    Copies and pickles are plain dictionaries.
    """

    def _list_ends(self) -> None:
        ends = super().get(FINAL_OBS)
        if isinstance(ends, Ends):
            self[FINAL_OBS] = ends.listed()

    def __getitem__(self, key: str) -> Any:
        if key == FINAL_OBS:
            self._list_ends()
        return super().__getitem__(key)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return dict, (dict(self),)


def _reading(name: str) -> Callable[..., Any]:
    method = getattr(dict, name)

    def read(self: Infos, *arguments: Any) -> Any:
        self._list_ends()
        return method(self, *arguments)

    return read


# The other methods that read values. With an `__iter__` of its own, a copy of any kind goes through `__getitem__`.
for _name in ("__iter__", "__repr__", "get", "items", "values", "copy", "pop", "popitem", "setdefault"):
    setattr(Infos, _name, _reading(_name))
