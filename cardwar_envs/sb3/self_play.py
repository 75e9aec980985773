"""Self-play for Stable-Baselines3: each seat of each game in a batch is one environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from cardwar_envs.core.game import Game, IllegalActionError
from cardwar_envs.core.streams import new_streams
from cardwar_envs.envs import spaces
from cardwar_envs.envs.engines.engine import Views
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


class SelfPlayVecEnv(VecEnv):
    """A `GameBatch` as an SB3 `VecEnv`.

    Environment `game * num_players + seat` is one seat of one game. Observations are the game's arrays, not dicts.
    sb3-contrib gets masks through `env_method("action_masks")`. A seat is done when it goes out or the game ends. The
    mask of a seat that is out is all zeros until the next game; such rows are not decisions and must be excluded from
    training. These rows occur only in games for more than two players, and never in `AgainstVecEnv` with one seat per
    game.
    """

    def __init__(self, batch: GameBatch[Any], own: NDArray[np.intp] | None = None) -> None:
        """Sets up the environments.

        Args:
            batch: The games.
            own: The seats that are environments, as numbers `game * num_players + seat`; by default all.
        """
        self._batch, self._own = batch, slice(None) if own is None else own
        self._views: Views | None = None
        self._actions: NDArray[np.int64] | None = None
        space: Any = spaces.observation_space(batch.game)
        count = batch.num_games * batch.game.facts.num_players if own is None else len(own)
        super().__init__(count, space["observation"], spaces.action_space(batch.game))

    def reset(self) -> NDArray[np.float32]:
        """Starts new games, seeded if `seed` was called before; returns observations `[num_envs, observation_size]`."""
        if self._seeds[0] is not None:
            self._batch.streams = new_streams(self._seeds[0], self._batch.num_games)
            self._reset_seeds()
        self._views = self._batch.reset()
        return self._of_own(self._views.observations)

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Stores one action per environment, `[num_envs]`; raises a ValueError for anything else."""
        chosen = checked_actions(actions, self.num_envs)
        self._actions = chosen.reshape(self._batch.num_games, -1)

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions; returns observations, rewards `[num_envs]` float32, dones `[num_envs]`, empty infos."""
        return self._seen(*self._play())

    def _play(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Plays the actions; returns rewards and who is done, both `[num_games, num_players]`."""
        if self._actions is None:
            raise ValueError("step_async must be called before step_wait")
        out = self._out()
        try:
            step = self._batch.step(self._actions)
        except IllegalActionError as error:
            raise IllegalActionError(f"{error}{MASKED_EVALUATION}") from None
        self._actions, self._views = None, Views(step.observations, step.masks)
        for game in np.flatnonzero((step.rewards * out).any(axis=1)):
            require_paid_in_time(self._batch.game, np.flatnonzero(~out[game]).tolist(), step.rewards[game])
        return step.rewards, step.done[:, None] | self._out()

    def _seen(self, rewards: NDArray[np.float64], dones: NDArray[np.bool_]) -> VecEnvStepReturn:
        """What `step_wait` returns."""
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        observations = self._of_own(self._started().observations)
        return observations, self._of_own(rewards).astype(np.float32), self._of_own(dones), infos

    def look(self) -> NDArray[np.float32]:
        """Returns the observations of the games as they stand, for example after the batch was restored."""
        self._views = self._batch.views()
        return self._of_own(self._views.observations)

    def _out(self) -> NDArray[np.bool_]:
        """Returns `[num_games, num_players]`: the players who are out of the game."""
        return np.asarray(~np.any(self._started().masks.view(np.bool_), axis=2))

    def _started(self) -> Views:
        if self._views is None:
            raise ValueError("reset must be called before the first step")
        return self._views

    def action_masks(self) -> NDArray[np.int8]:
        """Returns the action masks, `[num_envs, num_actions]`."""
        return self._of_own(self._started().masks)

    def _of_own(self, array: NDArray[Any]) -> NDArray[Any]:
        """Returns `[num_envs, ...]`, the entries of an array `[num_games, num_players, ...]`."""
        return array.reshape(-1, *array.shape[2:])[self._own]

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
