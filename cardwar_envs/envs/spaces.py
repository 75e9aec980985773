"""The spaces of a game, the same in every API."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from cardwar_envs.core.game import Game

Observation = dict[str, NDArray[Any]]


def observation_space(game: Game[Any]) -> spaces.Space[Observation]:
    """The observation space: `{"observation": float32[observation_size], "action_mask": int8[num_actions]}`."""
    facts = game.facts
    low, high = (np.array(b, dtype=np.float32) for b in (facts.observation_low, facts.observation_high))
    return spaces.Dict(  # type: ignore[return-value]  # gymnasium types Dict spaces loosely
        {
            "observation": spaces.Box(low, high, dtype=np.float32),
            "action_mask": spaces.Box(0, 1, (facts.num_actions,), dtype=np.int8),
        }
    )


def action_space(game: Game[Any]) -> spaces.Space[int]:
    """The action space, with one integer per action."""
    return spaces.Discrete(game.facts.num_actions)  # type: ignore[return-value]  # typed as Space[np.int64]; it takes any integer


def state_space(game: Game[Any]) -> spaces.Box:
    """The space of global states, the concatenated observations of all players; float32."""
    facts = game.facts
    bounds = facts.observation_low, facts.observation_high
    low, high = (np.tile(np.asarray(bound, dtype=np.float32), facts.num_players) for bound in bounds)
    return spaces.Box(low, high, dtype=np.float32)
