"""Plays all joint actions from many states in a batch, for learners that search one step ahead.

States are given by the players' observations. A state of 3-card Jujitsu has up to nine branches:

    brancher = Brancher(make_game("jujitsu", num_cards=3), 64)
    branches = brancher.all_joint(brancher.views(observations))  # [1, observation_size]: one state
    branches.rewards  # [9] payoff points to player 0, in the order of branches.joint
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game
from cardwar_envs.core.play import joint_actions
from cardwar_envs.core.rules import TooLargeError
from cardwar_envs.envs.engines.engine import Outcomes, Views
from cardwar_envs.envs.game_batch import GameBatch

# Most states that `MovesLeft` lists.
MOST_STATES = 200_000
# Number of rows hashed and compared at a time: few enough to fit into a processor's cache.
LOT = 4096


class Branches(NamedTuple):
    """The results of all joint actions from some states, ordered by state.

    Attributes:
        situations: `[branches]`, the index of the state that each branch starts from.
        joint: `[branches, 2]` actions.
        probabilities: `[branches]`, of the outcome, given the joint action; 1 if the outcome was drawn.
        rewards: `[branches]` payoff points to player 0.
        done: `[branches]`, whether the game is over after the joint action.
        after: `[branches, 2, observation_size]`, the players' next observations; meaningless if the game is over.
        masks_after: `[branches, 2, num_actions]`; meaningless if the game is over.
    """

    situations: NDArray[np.int64]
    joint: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    rewards: NDArray[np.float64]
    done: NDArray[np.bool_]
    after: NDArray[np.float32]
    masks_after: NDArray[np.int8]


class Brancher:
    """Plays joint actions from states of a two-player game with public state.

    Attributes:
        batch: The games that play the branches; chance is drawn from their streams.
    """

    def __init__(self, game: Game[Any], lot: int, seed: int = 0) -> None:
        """Sets up a batch of games.

        Args:
            game: The rules.
            lot: Number of games in the batch, and so of branches played at a time; at least 1.
            seed: Seed for chance.

        Raises:
            ValueError: If the game is not for two players.
        """
        if game.facts.num_players != 2:
            raise ValueError(f"num_players ({game.facts.num_players}) must be 2 to play all joint actions")
        self.batch = GameBatch(game, lot, seed)
        self.batch.reset()

    def views(self, observations: NDArray[np.float32]) -> Views:
        """Both players' views, `[states, 2, ...]`, from player 0's `[states, observation_size]`."""
        count, facts = len(observations), self.batch.game.facts
        views = Views(
            np.empty((count, 2, facts.observation_size), dtype=np.float32),
            np.empty((count, 2, facts.num_actions), dtype=np.int8),
        )
        for lot in self._lots(count):
            views.observations[lot], views.masks[lot] = self.batch.reset_to(observations[lot])
        return views

    def all_joint(self, situations: Views) -> Branches:
        """Plays every joint action once from each state.

        Args:
            situations: Both players' views of each state, `[states, 2, ...]`.
        """
        seen, masks = situations
        of, *actions = np.nonzero(masks[:, 0, :, None] & masks[:, 1, None, :])
        joint = np.stack(actions, axis=1)
        rewards, done = np.empty(len(of)), np.empty(len(of), dtype=np.bool_)
        after = np.empty((len(of), *seen.shape[1:]), dtype=np.float32)
        masks_after = np.empty((len(of), *masks.shape[1:]), dtype=np.int8)
        for lot in self._lots(len(of)):
            self.batch.reset_to(seen[of[lot], 0])
            step = self.batch.step(joint[lot])
            rewards[lot], done[lot] = step.rewards[:, 0], step.done
            after[lot], masks_after[lot] = step.observations, step.masks
        return Branches(of, joint, np.ones(len(of)), rewards, done, after, masks_after)

    def all_outcomes(self, situations: Views) -> Branches:
        """Lists every outcome of every joint action from each state; nothing is drawn.

        A player who does not act has the action 0.

        Args:
            situations: Both players' views of each state, `[states, 2, ...]`.
        """
        rows, columns = (choices(situations.masks[:, player]) for player in (0, 1))
        of, *actions = np.nonzero(rows[:, :, None] & columns[:, None, :])
        joint = np.stack(actions, axis=1)
        found = []
        for lot in self._lots(len(of)):
            self.batch.reset_to(situations.observations[of[lot], 0])
            listed = self._listed(joint[lot])
            kept = slice(np.searchsorted(listed.games, lot[-1] - lot[0] + 1))  # the last lot repeats its last branch
            branches, (seen, masks) = lot[listed.games[kept]], listed.views
            rewards, done = listed.rewards[kept, 0], listed.done[kept]
            found.append((branches, listed.probabilities[kept], rewards, done, seen[kept], masks[kept]))
        branches, *rest = (np.concatenate(column) for column in zip(*found, strict=True))
        return Branches(of[branches], joint[branches], *rest)

    def _listed(self, joint: NDArray[np.int64]) -> Outcomes:
        listed = self.batch.outcomes(joint)
        if listed is None:
            here = self.batch.states()
            self.batch = GameBatch(self.batch.game, self.batch.num_games, 0, engine="rules")
            self.batch.reset(here)
            listed = self.batch.outcomes(joint)
            assert listed is not None
        return listed

    def _lots(self, count: int) -> list[NDArray[np.int64]]:
        """Splits indices into chunks of the batch's size; pads the last chunk with the last index."""
        size = self.batch.num_games
        return [np.minimum(np.arange(first, first + size), count - 1) for first in range(0, count, size)]


class MovesLeft:
    """Bounds the number of joint actions left, as `Game.moves_left` declares or as the rules show.

    If the game declares nothing, all states that can follow a state are listed once.
    """

    def __init__(self, game: Game[Any]) -> None:
        self._game, self._longest = game, dict[Any, int]()

    def __deepcopy__(self, memo: dict[int, Any]) -> MovesLeft:
        return self  # only a cache changes

    def __call__(self, observations: NDArray[np.float32]) -> NDArray[np.int64]:
        """Returns `[batch]`: at least 1, and more than after any joint action.

        Raises:
            TooLargeError: If nothing is declared and there are too many states to list.
        """
        declared = self._game.moves_left(observations)
        if declared is not None:
            return declared
        states = [self._game.state_of(observation)[0] for observation in observations]
        for state in states:
            self._list(state)
        return np.array([self._longest[state] for state in states], dtype=np.int64)

    def _list(self, start: Any) -> None:
        """Finds the longest play from a state, and from all that can follow it."""
        waiting = [start]
        while waiting:
            state = waiting[-1]
            if state in self._longest:
                waiting.pop()
                continue
            if max(len(waiting), len(self._longest)) > MOST_STATES:
                name = self._game.facts.name
                raise TooLargeError(f"{name} has more than {MOST_STATES:,} states and must declare moves_left")
            moves = [self._game.transitions(state, joint) for joint in joint_actions(self._game, state)]
            after = {outcome.state for outcomes in moves for outcome in outcomes}
            unknown = after - self._longest.keys()
            waiting += unknown
            if not unknown:
                self._longest[state] = 1 + max(self._longest[each] for each in after) if moves else 0


def choices(masks: NDArray[np.int8]) -> NDArray[np.int8]:
    """The masks `[states, num_actions]`, with the action 0 for a player who has none because others act."""
    chosen = masks.copy()
    chosen[~masks.any(axis=1), 0] = 1
    return chosen


def distinct(rows: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Finds the distinct rows (two in `[[1, 2], [1, 2], [0, 3]]`); 0.0 and -0.0 are equal.

    Args:
        rows: `[count, size]`, without NaN.

    Returns:
        The index of the first row of each group of equal rows, and `[count]` the number of each row's group.
    """
    lots = [slice(start, start + LOT) for start in range(0, len(rows), LOT)]
    hashes = np.concatenate([np.zeros(0, dtype=np.uint64), *(row_hashes(rows[lot]) for lot in lots)])
    _, first, groups = np.unique(hashes, return_index=True, return_inverse=True)
    found = first[groups]
    if not all(np.array_equal(rows[lot], rows.take(found[lot], axis=0)) for lot in lots):
        # Two different rows share a hash, so compare all entries instead, although this is slow.
        _, first, groups = np.unique(rows + np.float32(0.0), axis=0, return_index=True, return_inverse=True)
    return first, groups.reshape(len(rows))


def row_hashes(rows: NDArray[np.float32]) -> NDArray[np.uint64]:
    """`[count]` hashes modulo 2**64; equal rows have equal hashes."""
    count, size = rows.shape
    words = np.zeros((count, size + size % 2), dtype=np.float32)
    np.add(rows, 0.0, out=words[:, :size])  # turns -0.0, whose bits differ, into 0.0
    factors = np.random.default_rng(0).integers(2**63, size=(2, words.shape[1] // 2), dtype=np.uint64) | np.uint64(1)
    mixed = words.view(np.uint64) * factors[0]
    mixed ^= mixed >> np.uint64(32)  # floats of small integers differ only in their upper bits
    hashes: NDArray[np.uint64] = mixed @ factors[1]
    return hashes
