"""A cache, as arrays, of the results of a game's rules.

Every visited state has a number. A play is a joint action in a state; every play also has a number. The outcomes of a
play are adjacent, with cumulative probabilities `up_to`: for probabilities 1/4 and 3/4 they are 0.25 and 1.0.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import accumulate
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game, S, Transition
from cardwar_envs.core.play import listed

NOT_REACHED = -1
# Limits of a table: bytes for the views of states, and numbers of joint actions and of outcomes.
MOST_BYTES, MOST_PLAYS, MOST_OUTCOMES = 1 << 28, 400_000, 2_000_000


class Rows:
    """An array that grows."""

    def __init__(self, dtype: Any, *shape: int) -> None:
        self.array = np.zeros((64, *shape), dtype=dtype)

    def __getitem__(self, places: Any) -> NDArray[Any]:
        found: NDArray[Any] = self.array[places]
        return found

    def put(self, place: int, row: Any) -> None:
        """Writes a row at most one place past the end, which may reallocate the array.

        Raises:
            ValueError: If the row's shape contradicts the game's facts; unchecked, NumPy would broadcast the row.
        """
        if np.shape(row) != self.array.shape[1:]:
            raise ValueError(f"the rules return {row!r}; by the game's facts its shape must be {self.array.shape[1:]}")
        if place == len(self.array):
            self.array = np.concatenate([self.array, np.zeros_like(self.array)])
        self.array[place] = row


class Remembered(Generic[S]):
    """The states visited so far and the joint actions played in them.

    Nothing is ever removed, so copies of an engine share the table. Additions are atomic, so an error in the rules, or
    an interrupt, leaves the table consistent.

    Attributes:
        states: The states, indexed by number, as all rows are.
        observations: `[states, num_players, observation_size]` float32.
        masks: `[states, num_players, num_actions]` int8, all 0 for players who are out of the game.
        acting: `[states, num_players]` bool: the players who choose an action.
        live: `[states, num_players]` bool: the players still in the game.
    """

    def __init__(self, game: Game[S], least: int) -> None:
        """Sets up an empty table, which does not count as full before it holds `least` states."""
        facts = game.facts
        self._game, players = game, facts.num_players
        self.states: list[S] = []
        self._numbers: dict[Hashable, int] = {}
        self.observations = Rows(np.float32, players, facts.observation_size)
        self.masks = Rows(np.int8, players, facts.num_actions)
        self.acting, self.live = Rows(np.bool_, players), Rows(np.bool_, players)
        self._plays: dict[tuple[int, ...], int] = {}  # (state, an action per player) -> number
        self._first, self._outcomes = Rows(np.int64), Rows(np.int64)  # by number of the play
        # Indexed by outcome. A state gets its number, and the rules are queried about it, when a game first reaches it.
        self._targets: list[S] = []
        self._child, self._up_to = Rows(np.int64), Rows(np.float64)
        self._rewards = Rows(np.float64, players)
        bytes_of_state = players * (4 * facts.observation_size + facts.num_actions)
        self._most_states = max(least, MOST_BYTES // bytes_of_state)

    def __deepcopy__(self, memo: dict[int, Any]) -> Remembered[S]:
        return self

    @property
    def full(self) -> bool:
        """Whether the table is full, so that a new one should be started."""
        many_plays = len(self._plays) >= MOST_PLAYS or len(self._targets) >= MOST_OUTCOMES
        return many_plays or len(self.states) >= self._most_states

    def numbers(self, states: Iterable[S]) -> NDArray[np.int64]:
        """The numbers of states; new states receive one."""
        return np.array([self._number(state) for state in states], dtype=np.int64)

    def _number(self, state: S) -> int:
        number = self._numbers.get(state)
        if number is None:
            number = len(self.states)
            self._see(number, state)
            self.states.append(state)
            self._numbers[state] = number
        return number

    def _see(self, number: int, state: S) -> None:
        game, players = self._game, range(self._game.facts.num_players)
        acting, live = game.acting_players(state), game.live_players(state)
        self.acting.put(number, [player in acting for player in players])
        self.live.put(number, [player in live for player in players])
        self.observations.put(number, [game.observation(state, player) for player in players])
        nothing = np.zeros(game.facts.num_actions, dtype=np.int8)
        self.masks.put(number, [game.action_mask(state, player) if player in live else nothing for player in players])

    def plays(self, states: NDArray[np.int64], actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of joint actions, `[games, num_players]`, in states, `[games]`.

        Actions of players who do not act are ignored.
        """
        chosen = np.where(self.acting[states], actions, 0)
        keys = list(zip(states.tolist(), *chosen.T.tolist(), strict=True))
        known = self._plays
        return np.array([known[key] if key in known else self._play(key) for key in keys], dtype=np.int64)

    def _play(self, key: tuple[int, ...]) -> int:
        number, (state_number, *actions) = len(self._plays), key
        state = self.states[state_number]
        joint = {player: actions[player] for player in self._game.acting_players(state)}
        first, count = self.add_outcomes(self._game.transitions(state, joint))
        self._first.put(number, first)
        self._outcomes.put(number, count)
        self._plays[key] = number
        return number

    def add_outcomes(self, outcomes: Sequence[Transition[S]]) -> tuple[int, int]:
        """Adds the outcomes of one play; returns the index of the first and their number."""
        first, outcomes = len(self._targets), listed(self._game, outcomes)
        for outcome, up_to in zip(outcomes, accumulate(each.probability for each in outcomes), strict=True):
            place = len(self._targets)
            self._child.put(place, NOT_REACHED)
            self._up_to.put(place, float(up_to))
            self._rewards.put(place, outcome.rewards)
            self._targets.append(outcome.state)
        return first, len(outcomes)

    def outcomes_of(self, plays: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The index of each play's first outcome, and the number of outcomes."""
        return self._first[plays], self._outcomes[plays]

    def drawn(
        self, first: NDArray[np.int64], count: NDArray[np.int64], draws: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Draws one outcome per row: the index of the first outcome whose `up_to` exceeds the number in [0, 1)."""
        offsets = np.arange(count.max(initial=1))
        places = first[:, None] + np.minimum(offsets, count[:, None] - 1)
        passed = (self._up_to[places] <= draws[:, None]) & (offsets < count[:, None])
        chosen: NDArray[np.int64] = first + np.minimum(passed.sum(axis=1), count - 1)
        return chosen

    def reached(self, outcomes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The states that outcomes lead to, and their payments, `[outcomes, num_players]` payoff points."""
        for place in outcomes[self._child[outcomes] == NOT_REACHED].tolist():
            self._child.array[place] = self._number(self._targets[place])
        return self._child[outcomes], self._rewards[outcomes]
