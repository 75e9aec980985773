"""Games against fixed policies for Stable-Baselines3: the learner has one seat of each game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.core.streams import draw, new_streams
from cardwar_envs.envs.engines.engine import chosen_actions
from cardwar_envs.envs.game_batch import GameBatch
from train.algorithms.experience.self_play import SelfPlayVecEnv


class Opponents(NamedTuple):
    """Fixed policies, one of which is drawn for each game and plays the whole game.

    Attributes:
        policies: All that can be drawn.
        weights: `[2, number of policies]`: for each seat, the probabilities of the policies.
    """

    policies: Sequence[Policy]
    weights: NDArray[np.float64]

    @classmethod
    def one(cls, policy: Policy) -> Opponents:
        """The same policy in every game."""
        return cls([policy], np.ones((2, 1)))


class AgainstVecEnv(VecEnvWrapper):
    """The learner's side of two-player games against fixed policies.

    Environment `game` is the learner's seat of that game of the batch: the first seat in even games, the
    second in odd ones. The opponents of each game draw from their own stream, not from the stream of chance.

    Attributes:
        streams: `[num_envs]`: the states of the opponents' random streams.
    """

    def __init__(self, batch: GameBatch[Any], opponents: Opponents, seed: int) -> None:
        """Takes the games, the opponents, and the seed of the batch.

        Raises:
            ValueError: If the game is not for two players.
        """
        facts, count = batch.game.facts, batch.num_games
        if facts.num_players != 2:
            raise ValueError(f"{facts.name}: a learner against one fixed policy needs a two-player game")
        super().__init__(SelfPlayVecEnv(batch))
        self.num_envs = count
        games = np.arange(count)
        self._own, self._other = 2 * games + games % 2, 2 * games + 1 - games % 2
        self._opponents, self._drawn = opponents, np.zeros(count, dtype=np.int64)
        # The batch has the first half of these, so no number is drawn twice.
        self.streams = new_streams(seed, 2 * count)[count:]
        self._seen: NDArray[np.float32] | None = None

    def reset(self) -> NDArray[np.float32]:
        """Starts new games, each against a newly drawn opponent; `[num_envs, observation_size]`."""
        self._draw_opponents(np.arange(self.num_envs))
        return self._look(self.venv.reset())

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Takes the learner's actions, `[num_envs]`, and draws those of the opponents."""
        joint = np.empty(2 * self.num_envs, dtype=np.int64)
        joint[self._own], joint[self._other] = actions, self._replies()
        self.venv.step_async(joint)

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions; returns observations, rewards `[num_envs]` float32, dones `[num_envs]`, empty infos."""
        observations, rewards, dones, _ = self.venv.step_wait()
        dones = dones[self._own]
        self._draw_opponents(np.flatnonzero(dones))
        return self._look(np.asarray(observations)), rewards[self._own], dones, [{} for _ in range(self.num_envs)]

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Only `action_masks`: one mask `[num_actions]` per environment."""
        own = self._own[list(self._get_indices(indices))]
        return self.venv.env_method(method_name, *method_args, indices=own, **method_kwargs)

    def _look(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """Keeps the observations of all seats, for the opponents, and returns the learner's."""
        own: NDArray[np.float32] = observations[self._own]
        self._seen = observations
        return own

    def _draw_opponents(self, games: NDArray[np.intp]) -> None:
        weights = self._opponents.weights[1 - games % 2]
        self._drawn[games] = chosen_actions(weights, draw(self.streams, games))

    def _replies(self) -> NDArray[np.int64]:
        """`[num_envs]`: the opponents' actions; 0 for those who wait."""
        if self._seen is None:
            raise ValueError("reset must be called before the first step")
        seen, masks = self._seen[self._other], self.venv.action_masks()[self._other]
        replies, acting = np.zeros(self.num_envs, dtype=np.int64), masks.any(axis=1)
        for drawn, policy in enumerate(self._opponents.policies):
            games = np.flatnonzero(acting & (self._drawn == drawn))
            if len(games):
                probabilities = checked_probabilities(policy, seen[games], masks[games])
                replies[games] = chosen_actions(probabilities, draw(self.streams, games))
        return replies
