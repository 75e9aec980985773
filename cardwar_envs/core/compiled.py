"""What a game that has compiled rules for two players hands over, for batches at full speed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import S

Info = dict[str, NDArray[Any]]


def _no_info(observations: NDArray[np.float32]) -> Info:
    return {}


@dataclass(frozen=True)
class CompiledRules(Generic[S]):
    """A game's rules over many states at once; a property test holds them to the rules themselves.

    A state is a row of numbers, the same that player 0 sees if the state is public. The bodies write
    into the arrays that they are given and draw from one stream per game (see `core.streams`), in
    the order in which the rules are drawn from, so that both go the same way. All take the tables
    and `rows` `[num_games, row_size]` float32 first; `where` `[num_games]` says for which games:

    * `deal(tables, rows, streams, where, random)`: a start; if `random`, one from a state reached
      by uniform play (every card alike) to a uniformly drawn depth.
    * `illegal(tables, rows, actions, where, flags)`: marks in `[num_games, 2]` who chooses what is
      not allowed; returns whether anyone does.
    * `play(tables, rows, streams, actions, where, rewards, over)`: plays legal actions; rewards are
      `[num_games, 2]` float64, and `over` says which games have ended by it.
    * `acting(tables, rows, acts)`: marks in `[num_games, 2]` who is to choose.
    * `uniform(tables, rows, streams, where, player, actions)`: draws what uniform play puts down in
      that player's seat, `[num_games]`.
    * `observe(tables, rows, observations, masks, written)`: what both players see, `[num_games, 2,
      ...]`. `masks` are all 0, or are as the last call left them together with `written`
      `[num_games, 2]` int8, which is all 0 at first.

    Attributes:
        bodies: The module of the compiled bodies.
        tables: What they must know of the game's parameters.
        row_size: Length of a row.
        to_row: A state as a row.
        from_row: The state of a row.
        info: Observations `[num_games, observation_size]` -> what `Game.info` says of each.
    """

    bodies: ModuleType
    tables: tuple[Any, ...]
    row_size: int
    to_row: Callable[[S], NDArray[np.float32]]
    from_row: Callable[[NDArray[np.float32]], S]
    info: Callable[[NDArray[np.float32]], Info] = _no_info

    def __deepcopy__(self, memo: dict[int, Any]) -> CompiledRules[S]:
        return self  # nothing in it changes
