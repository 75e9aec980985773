"""Batches of games for fast self-play: the caller chooses the actions of all seats."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game, S, require_game
from cardwar_envs.core.parameters import ArgumentError, one_of, whole_number
from cardwar_envs.core.play import require_playable
from cardwar_envs.core.streams import new_streams
from cardwar_envs.envs.engines import new_engine
from cardwar_envs.envs.engines.engine import Engine, Outcomes, Views
from cardwar_envs.envs.engines.rules import RulesEngine
from cardwar_envs.envs.session import START, checked_seed

# More games than any machine steps at once; most often such a number is a typing error.
MOST_GAMES = 10**7


def checked_count(name: str, count: object) -> int:
    """Converts a number of games to an int; raises a ValueError unless it is in `1..MOST_GAMES`."""
    return whole_number(name, count, range(1, MOST_GAMES + 1))


def checked_mask(name: str, mask: Any, *shape: int) -> NDArray[np.bool_]:
    """Returns a copy, as bools, of a mask of games or of their seats.

    A mask is an array of bools, or of 0 and 1 as int8, the type of action masks. NumPy would take other integers as
    indices, which select other games.

    Raises:
        ValueError: If the mask is not such an array of this shape. The error is also a TypeError, because Gymnasium's
            own vector environments raise either.
    """
    is_mask = isinstance(mask, np.ndarray) and mask.dtype in (np.bool_, np.int8) and mask.shape == shape
    if not is_mask or not np.isin(mask, (0, 1)).all():
        raise ArgumentError(
            f"{name} ({_kind_of(mask)}) must be a NumPy array of bools, or of int8 0 and 1, of shape {shape}"
        )
    checked: NDArray[np.bool_] = mask.astype(np.bool_)
    return checked


def checked_actions(actions: Any, *shape: int) -> NDArray[np.int64]:
    """Converts actions to an int64 array; raises a ValueError if they are not integers of this shape."""
    try:
        given = np.asarray(actions)
    except ValueError:  # lists of different lengths
        given = np.empty(0, dtype=object)
    if given.shape != shape or given.dtype.kind not in "iu":
        raise ValueError(f"actions ({_kind_of(actions)}) must be integers of shape {shape}")
    return np.ascontiguousarray(given, dtype=np.int64)


def _kind_of(given: Any) -> str:
    return f"{given.dtype} of shape {given.shape}" if isinstance(given, np.ndarray) else reprlib.repr(given)


class BatchStep(NamedTuple):
    """The result of a joint action in every game.

    Attributes:
        observations: `[num_games, num_players, observation_size]` float32, after the move or, if the game is over, at
            the start of the next game.
        masks: `[num_games, num_players, num_actions]` int8, 1 where an action is legal in the
            observed state.
        rewards: `[num_games, num_players]` float64, in payoff points paid for the move.
        done: `[num_games]` bool: whether the move ended the game. If so, `observations` show the next game, so do not
            bootstrap from them.
    """

    observations: NDArray[np.float32]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float64]
    done: NDArray[np.bool_]


class GameBatch(Generic[S]):
    """Independent games of one kind, stepped together; a finished game restarts in the same step.

    Every game has its own random stream, so the course of a game depends neither on the number of games nor on the use
    of compiled or Python rules.

    Attributes:
        game: The rules.
        num_games: Number of games in the batch.
    """

    def __init__(
        self,
        game: Game[S],
        num_games: int,
        seed: int | None = None,
        start: str = "initial",
        engine: str = "auto",
    ) -> None:
        """Sets up the games; `reset` must be called before `step`.

        Args:
            game: The rules.
            num_games: Number of games, from 1 to 10 million.
            seed: Seed for chance.
            start: "initial", or "random": a state reached by uniform play to a uniformly
                drawn depth.
            engine: "compiled", "rules", or "auto", which means "compiled" if the game has compiled rules.

        Raises:
            ValueError: If an argument is invalid, or the game's deal can pay something or end the game.
        """
        require_game(game)
        self.game, self.num_games = game, checked_count("num_games", num_games)
        self._random = one_of("start", start, START) == "random"
        self._everywhere = np.ones(self.num_games, dtype=np.bool_)
        self._engine: Engine[S] = new_engine(game, new_streams(checked_seed(seed), self.num_games), engine)
        if isinstance(self._engine, RulesEngine):
            _check_deals(game)
        self._started = False

    @property
    def streams(self) -> NDArray[np.uint64]:
        """`[num_games]` uint64: the states of the games' random streams.

        To replay from a saved copy, assign the copy and call `reset`. Assigning an array of another shape or
        type raises a ValueError.
        """
        return self._engine.streams.copy()

    @streams.setter
    def streams(self, streams: NDArray[np.uint64]) -> None:
        streams = np.asarray(streams)
        if streams.dtype != np.uint64 or streams.shape != (self.num_games,):
            given = f"streams of shape {streams.shape} and type {streams.dtype}"
            raise ValueError(f"{given} must be {self.num_games} uint64 integers")
        self._engine.streams[:] = streams

    def reset(self, states: Sequence[S] | None = None) -> Views:
        """Starts a new game in every slot.

        Args:
            states: One start state per game, for this reset only; by default `start` determines the start states.

        Returns:
            Observations `[num_games, num_players, observation_size]` float32 and masks
            `[num_games, num_players, num_actions]` int8.

        Raises:
            ValueError: If the number of states is wrong, or a state is impossible or terminal.
        """
        if states is None:
            self._engine.deal(self._everywhere, self._random)
        else:
            if not isinstance(states, Sequence):
                raise ValueError(f"states ({states!r}) must be a sequence")
            if len(states) != self.num_games:
                raise ValueError(f"{len(states)} states given for {self.num_games} games")
            for state in states:
                require_playable(self.game, state)
            self._engine.place(states, self._everywhere)
        self._started = True
        return self._engine.views()

    def reset_to(self, observations: NDArray[np.float32]) -> Views:
        """Starts every game from the state in player 0's observation, for this reset only; useful for search.

        Args:
            observations: `[num_games, observation_size]`, player 0's observations. In a seat-symmetric game they can be
                another player's, who then becomes player 0. Only shape and bounds are checked, not whether the state is
                reachable or non-terminal.

        Returns:
            The same as `reset`.

        Raises:
            ValueError: If observations do not determine the state, have the wrong shape or are out of bounds; no game
                is then started.
        """
        facts, observations = self.game.facts, np.asarray(observations, dtype=np.float32)
        if not facts.public_state:
            raise ValueError(f"{facts.name}: an observation does not show the whole state")
        expected = (self.num_games, facts.observation_size)
        if observations.shape != expected:
            raise ValueError(f"observations of shape {observations.shape} must have shape {expected}")
        low, high = (np.array(bound, dtype=np.float32) for bound in (facts.observation_low, facts.observation_high))
        outside = ~((observations >= low) & (observations <= high))  # NaN counts as outside
        if outside.any():
            place, entry = np.argwhere(outside)[0]
            raise ValueError(
                f"observations: entry {entry} of row {place} ({observations[place, entry]:g}) "
                f"must be in {low[entry]:g}..{high[entry]:g}"
            )
        self._engine.place_seen(observations)
        self._started = True
        return self._engine.views()

    def step(self, actions: NDArray[np.integer]) -> BatchStep:
        """Plays a joint action in every game.

        Args:
            actions: `[num_games, num_players]`; the entries of players who do not act are ignored.

        Returns:
            `observations`, `masks`, `rewards` and `done`; see `BatchStep` in this module for their shapes.

        Raises:
            ValueError: If `reset` was not called, or `actions` has another shape or is not integer.
            IllegalActionError: If an action is illegal; all games are then unchanged.
        """
        chosen = self._checked(actions)
        rewards, done = self._engine.play(chosen, self._everywhere)
        self._engine.deal(done, self._random)
        return BatchStep(*self._engine.views(), rewards, done)

    def outcomes(self, actions: NDArray[np.integer]) -> Outcomes | None:
        """Lists every outcome of a joint action in every game, and plays none; see `Outcomes` for its arrays.

        Args:
            actions: `[num_games, num_players]`; the entries of players who do not act are ignored.

        Returns:
            The outcomes; None if the game's compiled rules draw chance but cannot list it (`engine="rules"` can).

        Raises:
            The same as `step`.
        """
        return self._engine.outcomes(self._checked(actions))

    def restart(self, where: NDArray[np.bool_]) -> Views:
        """Restarts the games in the mask `where` `[num_games]`, finished or not; returns the views of all games.

        Raises:
            ValueError: If `reset` was not called, or `where` is not a mask, `[num_games]` bools (or int8, 0 and 1).
        """
        self._require_start()
        self._engine.deal(checked_mask("where", where, self.num_games), self._random)
        return self._engine.views()

    def keep(self, where: NDArray[np.bool_]) -> Views:
        """Drops the games where `where` `[num_games]` is false, without changing the others; returns their views.

        Raises:
            ValueError: If `reset` was not called, or `where` is not a mask, `[num_games]` bools (or int8, 0 and 1).
        """
        self._require_start()
        where = checked_mask("where", where, self.num_games)
        self._engine.keep(where)
        self._everywhere = self._everywhere[where]
        self.num_games = len(self._everywhere)
        return self._engine.views()

    def views(self) -> Views:
        """The players' views of all games as they stand, in the shapes of `reset`."""
        self._require_start()
        return self._engine.views()

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The running games as arrays by name, to go on from later; nothing is pickled.

        Raises:
            ValueError: If `reset` was not called, or Python rules play games that `reset` started from given states.
        """
        self._require_start()
        return {"streams": self.streams, **self._engine.snapshot()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Puts the games back to where they were at a `snapshot`.

        Raises:
            ValueError: If the snapshot is one of another number of games, or does not fit the rules.
        """
        self._engine.restore(arrays)
        self.streams = arrays["streams"]
        self._started = True

    def acting(self) -> NDArray[np.bool_]:
        """`[num_games, num_players]`: the players who choose now; actions of other players are ignored."""
        self._require_start()
        return self._engine.acting()

    def live(self) -> NDArray[np.bool_]:
        """`[num_games, num_players]`: the players still in the game."""
        self._require_start()
        return self._engine.live()

    def uniform_actions(self) -> NDArray[np.int64]:
        """`[num_games, num_players]` actions of uniform play, drawn from each game's own stream."""
        self._require_start()
        seats = range(self.game.facts.num_players)
        return np.stack([self._engine.uniform(player, self._everywhere) for player in seats], axis=1)

    def states(self) -> list[S]:
        """The state of every game."""
        self._require_start()
        return self._engine.states()

    def _require_start(self) -> None:
        if not self._started:
            raise ValueError("reset must be called before the first step")

    def _checked(self, actions: NDArray[np.integer]) -> NDArray[np.int64]:
        self._require_start()
        chosen = checked_actions(actions, self.num_games, self.game.facts.num_players)
        flags = self._engine.illegal(chosen, self._everywhere)
        if flags is not None:
            game, player = np.argwhere(flags)[0].tolist()
            raise self._engine.illegal_action_error(game, player, int(chosen[game, player]))
        return chosen


def _check_deals(game: Game[Any]) -> None:
    for deal in game.initial():
        if any(deal.rewards):
            # No move could be credited with the reward.
            raise ValueError(f"{game.facts.name}: games whose deal pays a reward cannot be played in batches")
        if not game.acting_players(deal.state):
            raise ValueError(f"{game.facts.name}: games that can be over when they start cannot be played in batches")
