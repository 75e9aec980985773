"""Self-play for Stable-Baselines3: each seat of each game in a batch is one environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from cardwar_envs.core.game import Game, IllegalActionError
from cardwar_envs.core.streams import new_streams
from cardwar_envs.envs.game_batch import GameBatch, checked_actions
from cardwar_envs.envs.session import MASKED_EVALUATION, require_paid_in_time, resolved_game


def make_self_play(
    game: str | Game[Any], num_games: int = 64, *, seed: int | None = None, start: str = "initial", **parameters: Any
) -> SelfPlayVecEnv:
    """Makes environments in which one model has every seat and trains against its current self.

    Args:
        game: A game or its name.
        num_games: Games played in parallel; each seat of each game is one environment.
        seed: Seed for chance; SB3's own `seed` replaces it.
        start: As for `GameBatch`.
        **parameters: Parameters of the game, if it is given by name.

    Raises:
        ValueError: If an argument is invalid; the error for an unknown parameter is also a TypeError.
    """
    return SelfPlayVecEnv(GameBatch(resolved_game(game, parameters), num_games, seed, start))


Played = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]


class SelfPlayVecEnv(VecEnv):
    """A `GameBatch` as an SB3 `VecEnv`.

    Environment `game * num_players + seat` is one seat of one game. Observations are the game's arrays, not dicts.
    sb3-contrib gets masks through `env_method("action_masks")`. A seat is done when it goes out or the game ends. The
    mask of a seat that is out is all zeros until the next game; such rows are not decisions and must be excluded from
    training. These rows occur only in games for more than two players, and never in `AgainstVecEnv` with one seat per
    game.
    """

    def __init__(self, batch: GameBatch[Any]) -> None:
        facts = batch.game.facts
        self._batch, self._num_players = batch, facts.num_players
        self._actions: NDArray[np.int64] | None = None
        self._masks: NDArray[np.int8] | None = None
        low, high = (np.array(bound, dtype=np.float32) for bound in (facts.observation_low, facts.observation_high))
        super().__init__(
            batch.num_games * facts.num_players, Box(low, high, dtype=np.float32), Discrete(facts.num_actions)
        )

    def reset(self) -> NDArray[np.float32]:
        """Starts new games, seeded if `seed` was called before; returns observations `[num_envs, observation_size]`."""
        if self._seeds[0] is not None:
            self._batch.streams = new_streams(self._seeds[0], self._batch.num_games)
            self._reset_seeds()
        observations, self._masks = self._batch.reset()
        return self._by_env(observations)

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Stores one action per environment, `[num_envs]`; raises a ValueError for anything else."""
        chosen = checked_actions(actions, self.num_envs)
        self._actions = chosen.reshape(self._batch.num_games, self._num_players)

    def step_wait(self) -> Played:
        """Plays the actions; returns observations, rewards `[num_envs]` float32, dones `[num_envs]`, empty infos."""
        if self._actions is None:
            raise ValueError("step_async must be called before step_wait")
        out = self._out()
        try:
            step = self._batch.step(self._actions)
        except IllegalActionError as error:
            raise IllegalActionError(f"{error}{MASKED_EVALUATION}") from None
        self._actions, self._masks = None, step.masks
        for game in np.flatnonzero((step.rewards * out).any(axis=1)):
            require_paid_in_time(self._batch.game, np.flatnonzero(~out[game]).tolist(), step.rewards[game])
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return (
            self._by_env(step.observations),
            step.rewards.reshape(-1).astype(np.float32),
            (step.done[:, None] | self._out()).reshape(-1),
            infos,
        )

    def look(self) -> NDArray[np.float32]:
        """Returns the observations of the games as they stand, for example after the batch was restored."""
        observations, self._masks = self._batch.views()
        return self._by_env(observations)

    def restart(self, where: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Restarts the games where `where` `[num_games]` is true; returns all observations."""
        observations, self._masks = self._batch.restart(where)
        return self._by_env(observations)

    def _out(self) -> NDArray[np.bool_]:
        """Returns `[num_games, num_players]`: the players who are out of the game."""
        assert self._masks is not None
        return np.asarray(~np.any(self._masks.view(np.bool_), axis=2))

    def action_masks(self) -> NDArray[np.int8]:
        """Returns the action masks, `[num_envs, num_actions]`."""
        if self._masks is None:
            raise ValueError("reset must be called first")
        return self._by_env(self._masks)

    def _by_env(self, views: NDArray[Any]) -> NDArray[Any]:
        return views.reshape(self.num_envs, -1)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Supports `action_masks`; `game`; and `render_mode`, which is None."""
        attributes = {"action_masks": self.action_masks, "game": self._batch.game, "render_mode": None}
        if attr_name not in attributes:
            raise AttributeError(f"self-play environments have no attribute {attr_name!r}")
        return [attributes[attr_name] for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Always raises: no attribute can be set."""
        raise AttributeError(f"self-play environments have no attribute {attr_name!r}")

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Supports only `action_masks`: one mask `[num_actions]` per environment."""
        if method_name != "action_masks":
            raise AttributeError(f"self-play environments have no method {method_name!r}")
        masks = self.action_masks()
        return [masks[i] for i in self._get_indices(indices)]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Returns False for every environment."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Does nothing."""
