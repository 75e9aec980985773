"""Many games at once: batches of self-play in which one caller chooses for every seat.

What a state shows and where its moves lead is worked out by the rules once and then looked
up, so small games run fast; the table of known states is bounded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game, IllegalActionError, S, Transition
from cardwar_envs.core.policy import sample_actions

STARTS = ("initial", "random")
# Known states, and known moves of all states together, are forgotten beyond so many.
MAX_STATES = 1 << 16
MAX_MOVES = 1 << 18


class BatchStep(NamedTuple):
    """What a joint action in every game led to; every array is fresh.

    Attributes:
        observations: `[num_games, num_players, observation_size]` float32: of the state after
            the move or, where the game is over, of the first state of the next game.
        masks: `[num_games, num_players, num_actions]` int8, 1 where an action is legal in the
            state that `observations` show.
        rewards: `[num_games, num_players]` float64, payoff points paid for the move.
        done: `[num_games]` bool: whether the move ended its game. What is still to be paid
            after such a move is 0, whatever `observations` show.
    """

    observations: NDArray[np.float32]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float64]
    done: NDArray[np.bool_]


class SelfPlayBatch(Generic[S]):
    """Independent games of one kind, stepped together; a finished game restarts in the same step.

    Attributes:
        game: The rules.
        num_games: Number of games in the batch.
        rng: The generator of all chance; setting the state of its bit generator and calling
            `reset` makes what follows repeat itself.
    """

    def __init__(self, game: Game[S], num_games: int, seed: int, start: str = "initial") -> None:
        """Sets up the games; `reset` must be called before `step`.

        Args:
            game: The rules.
            num_games: Number of games, at least 1.
            seed: Seed of `rng`.
            start: "initial", or "random": from a state reached by uniform play (every card
                alike) to a uniformly drawn depth.

        Raises:
            ValueError: If an argument is out of its range, or a deal pays something by itself.
        """
        if num_games < 1:
            raise ValueError(f"num_games ({num_games}) must be at least 1")
        if start not in STARTS:
            raise ValueError(f"start ({start}) must be {' or '.join(STARTS)}")
        if any(any(deal.rewards) for deal in game.initial()):
            # There is no move that such a reward could be given for.
            raise ValueError(f"{game.facts.name}: games whose deal pays something cannot be played in batches")
        self.game, self.num_games = game, num_games
        self.rng = np.random.default_rng(seed)
        self._start = start
        self._book = _Book(game)
        self._positions: list[_Position[S]] = []

    def reset(self) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Starts every game anew.

        Returns:
            Observations `[num_games, num_players, observation_size]` float32 and masks
            `[num_games, num_players, num_actions]` int8.
        """
        self._positions = self._starts(self.num_games)
        return _views(self._positions)

    def step(self, actions: NDArray[np.integer]) -> BatchStep:
        """Plays a joint action in every game.

        Args:
            actions: `[num_games, num_players]`; what a player who does not act chooses is ignored.

        Raises:
            ValueError: If `reset` was not called or `actions` has another shape.
            IllegalActionError: If an action is illegal; no game has moved then.
        """
        expected = (self.num_games, self.game.facts.num_players)
        if not self._positions:
            raise ValueError("reset must be called before the first step")
        if actions.shape != expected:
            raise ValueError(f"actions of shape {actions.shape} must have shape {expected}")
        if self._book.is_full():
            states = [position.state for position in self._positions]
            self._book = _Book(self.game)
            self._positions = [self._book.position(state) for state in states]
        outcomes = self._play(self._positions, actions)
        after = [outcome.position for outcome in outcomes]
        done = np.array([position is None for position in after])
        starts = iter(self._starts(int(done.sum())))
        self._positions = [next(starts) if position is None else position for position in after]
        rewards = np.array([outcome.rewards for outcome in outcomes], dtype=np.float64)
        return BatchStep(*_views(self._positions), rewards, done)

    def _play(self, positions: Sequence[_Position[S]], actions: NDArray[np.integer]) -> list[_Outcome[S]]:
        moves = [
            position.moves.get(choice) or self._book.move(position, choice)
            for position, choice in zip(positions, map(tuple, actions.tolist()), strict=True)
        ]
        return [move[0] if len(move) == 1 else self._draw(move) for move in moves]

    def _draw(self, outcomes: Sequence[_Outcome[S]]) -> _Outcome[S]:
        if len(outcomes) == 1:
            return outcomes[0]
        place = bisect_right(outcomes, self.rng.random(), key=_up_to)
        return outcomes[min(place, len(outcomes) - 1)]  # the last sum can be an ulp below one

    def _starts(self, count: int) -> list[_Position[S]]:
        deals = self._book.deals()
        positions = [_undecided(self._draw(deals)) for _ in range(count)]
        if self._start == "random" and count:
            self._walk(positions)
        return positions

    def _walk(self, positions: list[_Position[S]]) -> None:
        """Plays every card alike to a depth drawn for each game; should it end before, to any state on the way."""
        depths = self.rng.integers(self.game.facts.max_length, size=len(positions))
        passed = [[position] for position in positions]
        for depth in range(int(depths.max())):
            walking = np.flatnonzero(depths > depth)
            if not len(walking):
                break
            here = [positions[i] for i in walking]
            for i, outcome in zip(walking, self._play(here, self._uniform_actions(here)), strict=True):
                if outcome.position is None:
                    depths[i] = 0
                    positions[i] = passed[i][int(self.rng.integers(len(passed[i])))]
                else:
                    positions[i] = outcome.position
                    passed[i].append(outcome.position)

    def _uniform_actions(self, positions: Sequence[_Position[S]]) -> NDArray[np.int64]:
        facts = self.game.facts
        observations, masks = _views(positions)
        counts = self.game.action_counts(
            observations.reshape(-1, facts.observation_size), masks.reshape(-1, facts.num_actions)
        )
        return sample_actions(counts, self.rng).reshape(len(positions), facts.num_players)


class _Outcome(NamedTuple, Generic[S]):
    """One way in which a move turns out; `up_to` is the probability of this and all earlier ways."""

    up_to: float
    position: _Position[S] | None  # None where the game is over
    rewards: tuple[float, ...]


class _Position(NamedTuple, Generic[S]):
    """A state with what its players see, `[num_players, ...]`, and the moves tried so far."""

    state: S
    observations: NDArray[np.float32]
    masks: NDArray[np.int8]
    moves: dict[tuple[int, ...], list[_Outcome[S]]]


class _Book(Generic[S]):
    """Every state and move met so far."""

    def __init__(self, game: Game[S]) -> None:
        self._game = game
        self._positions: dict[S, _Position[S]] = {}
        self._deals: list[_Outcome[S]] = []
        self._num_moves = 0

    def is_full(self) -> bool:
        return len(self._positions) > MAX_STATES or self._num_moves > MAX_MOVES

    def deals(self) -> list[_Outcome[S]]:
        if not self._deals:
            self._deals = self._outcomes(self._game.initial())
        return self._deals

    def position(self, state: S) -> _Position[S]:
        known = self._positions.get(state)
        if known is None:
            players = range(self._game.facts.num_players)
            known = self._positions[state] = _Position(
                state,
                np.stack([self._game.observation(state, player) for player in players]),
                np.stack([self._game.action_mask(state, player) for player in players]),
                {},
            )
        return known

    def move(self, position: _Position[S], choice: tuple[int, ...]) -> list[_Outcome[S]]:
        """The outcomes of a joint action that has not been tried here before, after checking it."""
        state = position.state
        acting = {player: choice[player] for player in self._game.acting_players(state)}
        for player, action in acting.items():
            legal = self._game.legal_actions(state, player)
            if action not in legal:
                raise IllegalActionError(
                    f"player_{player}: action {action} is illegal in {state!r}; legal are {list(legal)}"
                )
        self._num_moves += 1
        outcomes = position.moves[choice] = self._outcomes(self._game.transitions(state, acting))
        return outcomes

    def _outcomes(self, transitions: Sequence[Transition[S]]) -> list[_Outcome[S]]:
        sums = accumulate(transition.probability for transition in transitions)
        return [
            _Outcome(
                float(up_to),
                self.position(after) if self._game.acting_players(after) else None,
                rewards,
            )
            for up_to, (_, after, rewards) in zip(sums, transitions, strict=True)
        ]


def _up_to(outcome: _Outcome[S]) -> float:
    return outcome.up_to


def _undecided(outcome: _Outcome[S]) -> _Position[S]:
    if outcome.position is None:
        raise ValueError("a game that is over when it starts cannot be played in batches")
    return outcome.position


def _views(positions: Sequence[_Position[S]]) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """What the players see, `[len(positions), num_players, ...]` each."""
    return (
        np.array([position.observations for position in positions]),
        np.array([position.masks for position in positions]),
    )
