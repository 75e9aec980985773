"""Games against fixed policies for Stable-Baselines3: the learner has some seats, and policies have the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.core.streams import draw, new_streams
from cardwar_envs.envs.engines.engine import chosen_actions
from cardwar_envs.envs.game_batch import GameBatch, checked_actions, checked_mask
from cardwar_envs.envs.opponents import Opponent, opponent_pools
from cardwar_envs.envs.session import refuse_late_payments, resolved_game
from cardwar_envs.sb3.self_play import SelfPlayVecEnv

# With this many actions or more, batches draw uniform play directly: rows of probabilities would take most of the time.
MANY_ACTIONS = 100


def make_against(
    game: str | Game[Any],
    num_games: int = 64,
    *,
    opponent: Opponent | Sequence[Opponent] = "uniform",
    seed: int | None = None,
    start: str = "initial",
    **parameters: Any,
) -> AgainstVecEnv:
    """Makes environments in which the model has one seat of each game, in rotation, and policies the other seats.

    Args:
        game: A game or its name.
        num_games: Games played in parallel; each is one environment.
        opponent: As in `Opponents.of`: a policy, its name, a `Pool`, or one of these per other seat.
        seed: Seed for chance and the opponents' draws; SB3's own `seed` replaces it.
        start: As for `GameBatch`.
        **parameters: Parameters of the game, if it is given by name.

    Raises:
        ValueError: If an argument is invalid; the error for an unknown parameter is also a TypeError.
    """
    rules = resolved_game(game, parameters)
    batch = GameBatch(rules, num_games, seed, start)
    return AgainstVecEnv(batch, Opponents.of(opponent, rules), seed)


class Opponents(NamedTuple):
    """Fixed policies, one of which is drawn for each game and seat and plays the whole game in that seat.

    Attributes:
        policies: The policies to draw from.
        weights: `[num_players, number of policies]`: the probabilities of the policies in each seat; or
            `[num_players, num_players, number of policies]`, if they also depend on the learner's seat (first axis).
    """

    policies: Sequence[Policy]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, opponent: Opponent | Sequence[Opponent], game: Game[Any]) -> Opponents:
        """Makes opponents from the argument `opponent` of environments.

        Args:
            opponent: For all other seats, a policy, its name, or a `Pool`; or a sequence with one per other seat, in
                seating order from the seat after the learner's.
            game: The game.

        Raises:
            ValueError: If the number of opponents is wrong, or one is neither a policy nor the name of one.
        """
        pools, count = opponent_pools(opponent, game), game.facts.num_players
        if all(pool is pools[0] for pool in pools):
            return cls(pools[0].policies, np.tile(pools[0].shares, (count, 1)))
        policies = [policy for pool in pools for policy in pool.policies]
        weights, place = np.zeros((count, count, len(policies))), 0
        for other, pool in enumerate(pools, start=1):
            here = slice(place, place + len(pool.policies))
            for own in range(count):
                weights[own, (own + other) % count, here] = pool.shares
            place = here.stop
        return cls(policies, weights)


def one_seat_each(num_games: int, num_players: int) -> NDArray[np.bool_]:
    """Returns `[num_games, num_players]`: the learner's seats if it has one seat in each game, in rotation."""
    own: NDArray[np.bool_] = np.arange(num_games)[:, None] % num_players == np.arange(num_players)
    return own


class AgainstVecEnv(SelfPlayVecEnv):
    """An SB3 `VecEnv` of games in which fixed policies have the seats that the learner does not have.

    Each environment is one of the learner's seats, ordered by game: by default seat `game % num_players` of each game.
    A game restarts once all of the learner's seats are out. In each game, the opponents' draws and chance have separate
    random streams.

    Attributes:
        opponents: The opponents in games that start after this attribute is set.
        streams: `[num_games]`: the states of the opponents' random streams.
    """

    def __init__(
        self, batch: GameBatch[Any], opponents: Opponents, seed: int | None, learns: NDArray[np.bool_] | None = None
    ) -> None:
        """Sets up the environments.

        Args:
            batch: The games.
            opponents: The policies of the other seats.
            seed: Seed for the batch.
            learns: `[num_games, num_players]`: the learner's seats, at least one in each game.

        Raises:
            ValueError: If `learns` is not such a mask, or the game pays players who have left.
        """
        refuse_late_payments(batch.game)
        count, players = batch.num_games, batch.game.facts.num_players
        learns = one_seat_each(count, players) if learns is None else learns
        self._learns = checked_mask("learns", learns, count, players)
        if not (seated := self._learns.any(axis=1)).all():
            raise ValueError(f"learns must be true for a seat of each game; it is not for game {seated.argmin()}")
        super().__init__(batch, np.flatnonzero(self._learns))
        self.opponents = opponents
        self._drawn = np.zeros((count, players), dtype=np.int64)
        self.streams = _second_half(seed, count)

    def reset(self) -> NDArray[np.float32]:
        """Starts new games with newly drawn opponents; returns observations `[num_envs, observation_size]`."""
        if self._seeds[0] is not None:
            self.streams = _second_half(self._seeds[0], len(self._learns))
        self._draw_opponents(np.ones(len(self._learns), dtype=np.bool_))
        return super().reset()

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Returns the opponents' streams, and which of them plays in each seat; the batch has a snapshot of its own."""
        return {"streams": self.streams.copy(), "drawn": self._drawn.copy()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restores the result of `snapshot`."""
        self.streams[:], self._drawn[:] = arrays["streams"], arrays["drawn"]

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Stores the learner's actions, `[num_envs]`, and draws the opponents' actions.

        Raises:
            ValueError: If `reset` was not called, or `actions` are not integers of that shape.
        """
        actions = checked_actions(actions, self.num_envs)
        self._actions = self._replies()
        self._actions[self._learns] = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions; returns observations, rewards `[num_envs]` float32, dones `[num_envs]`, empty infos."""
        rewards, dones = self._play()
        without = ~np.any(self._batch.live() & self._learns, axis=1)
        if without.any():
            self._views = self._batch.restart(without)
            dones[without] = True
        self._draw_opponents(np.asarray(np.all(dones, axis=1)))
        return self._seen(rewards, dones)

    def _draw_opponents(self, begins: NDArray[np.bool_]) -> None:
        """Draws a policy for each opponent seat of the games that start."""
        players = self._learns.shape[1]
        weights = np.broadcast_to(self.opponents.weights, (players, players, len(self.opponents.policies)))
        own = self._learns.argmax(axis=1)
        for seat in range(players):
            games = np.flatnonzero(begins & ~self._learns[:, seat])
            self._drawn[games, seat] = chosen_actions(weights[own[games], seat], draw(self.streams, games))

    def _replies(self) -> NDArray[np.int64]:
        """Returns `[num_games, num_players]`: the opponents' actions; 0 for the learner and for waiting players."""
        (seen, masks), shape = self._started(), self._learns.shape
        acting, numbers = self._batch.acting() & ~self._learns, np.zeros(shape)
        for seat in range(shape[1]):
            games = np.flatnonzero(acting[:, seat])
            numbers[games, seat] = draw(self.streams, games)
        replies = np.zeros(shape, dtype=np.int64)
        for place, policy in enumerate(self.opponents.policies):
            where = acting & (self._drawn == place)
            if getattr(policy, "plays_uniformly", False) and self._batch.game.facts.num_actions >= MANY_ACTIONS:
                replies[where] = self._batch.uniform_actions()[where]
            elif where.any():
                probabilities = checked_probabilities(policy, seen[where], masks[where])
                replies[where] = chosen_actions(probabilities, numbers[where])
        return replies


def _second_half(seed: int | None, count: int) -> NDArray[np.uint64]:
    """Returns `[count]` streams that differ from those of a `GameBatch` of `count` games with the same seed."""
    return new_streams(seed, 2 * count)[count:]
