"""Games against fixed policies for Stable-Baselines3: the learner has some seats of each game, policies the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from baselines.strategies.generic import Uniform
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.core.streams import draw, new_streams
from cardwar_envs.envs.engines.engine import chosen_actions
from cardwar_envs.envs.game_batch import GameBatch
from train.algorithms.experience.self_play import SelfPlayVecEnv
from train.policies.many_actions import has_many_actions


class Opponents(NamedTuple):
    """Fixed policies, one of which is drawn for each game and seat and plays the whole game there.

    Attributes:
        policies: All that can be drawn.
        weights: `[num_players, number of policies]`: for each seat, the probabilities of the policies. With
            `[num_players, num_players, number of policies]` they depend on the learner's seat, which comes first.
    """

    policies: Sequence[Policy]
    weights: NDArray[np.float64]

    @classmethod
    def one(cls, policy: Policy) -> Opponents:
        """The same policy in every game and seat."""
        return cls([policy], np.ones((1, 1)))

    @classmethod
    def line_up(cls, policies: Sequence[Policy]) -> Opponents:
        """A policy for each other seat: the first for the seat after the learner's, and so on round the table."""
        count = len(policies) + 1
        weights = np.zeros((count, count, count - 1))
        for own in range(count):
            for other in range(1, count):
                weights[own, (own + other) % count, other - 1] = 1.0
        return cls(policies, weights)


def one_seat_each(num_games: int, num_players: int) -> NDArray[np.bool_]:
    """`[num_games, num_players]`: the learner's seats if it has one in each game, the seats taken in turns."""
    return np.arange(num_games)[:, None] % num_players == np.arange(num_players)


class AgainstVecEnv(VecEnvWrapper):
    """The learner's seats of games in which fixed policies have the other seats.

    Its environments are the learner's seats, game by game: by default one seat of each game, seat number
    `game % num_players`. A game in which none of the learner's seats is in play any more starts anew. The opponents
    of each game draw from that game's own stream, not from the stream of chance.

    Attributes:
        opponents: Those of the games that begin from now on.
        streams: `[num_games]`: the states of the opponents' random streams.
    """

    def __init__(
        self, batch: GameBatch[Any], opponents: Opponents, seed: int, learns: NDArray[np.bool_] | None = None
    ) -> None:
        """Sets up the environments.

        Args:
            batch: The games.
            opponents: The policies of the other seats.
            seed: Seed of the batch.
            learns: `[num_games, num_players]`: the learner's seats, at least one in each game.
        """
        super().__init__(SelfPlayVecEnv(batch))
        count, players = batch.num_games, batch.game.facts.num_players
        self._batch, self.opponents = batch, opponents
        self._learns = one_seat_each(count, players) if learns is None else learns
        self._own = np.flatnonzero(self._learns)
        self.num_envs = len(self._own)
        self._drawn = np.zeros((count, players), dtype=np.int64)
        # The batch has the first half of these, so no number is drawn twice.
        self.streams = new_streams(seed, 2 * count)[count:]
        self._seen: NDArray[np.float32] | None = None

    def reset(self) -> NDArray[np.float32]:
        """Starts new games, each against newly drawn opponents; `[num_envs, observation_size]`."""
        self._draw_opponents(np.ones(len(self._learns), dtype=np.bool_))
        return self._look(self.venv.reset())

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Takes the learner's actions, `[num_envs]`, and draws those of the opponents."""
        joint = self._replies().reshape(-1)
        joint[self._own] = actions
        self.venv.step_async(joint)

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions; returns observations, rewards `[num_envs]` float32, dones `[num_envs]`, empty infos."""
        observations, rewards, dones, _ = self.venv.step_wait()
        dones = dones.reshape(self._learns.shape)
        without = ~(self._batch.live() & self._learns).any(axis=1)
        if without.any():
            observations = self.venv.restart(without)
            dones[without] = True
        self._draw_opponents(dones.all(axis=1))
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return self._look(np.asarray(observations)), rewards[self._own], dones.reshape(-1)[self._own], infos

    def action_masks(self) -> NDArray[np.int8]:
        """`[num_envs, num_actions]`: what is legal now."""
        masks: NDArray[np.int8] = self.venv.action_masks()[self._own]
        return masks

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

    def _draw_opponents(self, begins: NDArray[np.bool_]) -> None:
        """Draws a policy for each seat that the learner does not have of the games that begin."""
        players = self._learns.shape[1]
        weights = np.broadcast_to(self.opponents.weights, (players, players, len(self.opponents.policies)))
        own = self._learns.argmax(axis=1)
        for seat in range(players):
            games = np.flatnonzero(begins & ~self._learns[:, seat])
            self._drawn[games, seat] = chosen_actions(weights[own[games], seat], draw(self.streams, games))

    def _replies(self) -> NDArray[np.int64]:
        """`[num_games, num_players]`: the opponents' actions; 0 for the learner and for those who do not choose."""
        if self._seen is None:
            raise ValueError("reset must be called before the first step")
        shape = self._learns.shape
        seen, masks = self._seen.reshape(*shape, -1), self.venv.action_masks().reshape(*shape, -1)
        acting, numbers = self._batch.acting() & ~self._learns, np.zeros(shape)
        for seat in range(shape[1]):
            games = np.flatnonzero(acting[:, seat])
            numbers[games, seat] = draw(self.streams, games)
        replies = np.zeros(shape, dtype=np.int64)
        for place, policy in enumerate(self.opponents.policies):
            where = acting & (self._drawn == place)
            if isinstance(policy, Uniform) and has_many_actions(self._batch.game):
                # Batches play it themselves. Rows of so many probabilities would take most of the time.
                replies[where] = self._batch.uniform_actions()[where]
            elif where.any():
                probabilities = checked_probabilities(policy, seen[where], masks[where])
                replies[where] = chosen_actions(probabilities, numbers[where])
        return replies
