"""Steps many games with the Python rules, for games without compiled rules and for tests of compiled rules.

The rules are queried once per state and joint action, and the results are cached as arrays. Every visited state has a
number. A play is a joint action in a state; every play also has a number. The outcomes of a play are adjacent, with
cumulative probabilities `up_to`: for probabilities 1/4 and 3/4 they are 0.25 and 1.0.

States can be any objects, so a snapshot of a game is its course since the deal, from which `restore` plays it again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.forms import Info
from cardwar_envs.core.game import Game, S, Transition
from cardwar_envs.core.play import listed
from cardwar_envs.core.streams import draw
from cardwar_envs.envs.engines.engine import Engine, Outcomes, Views, chosen_actions

NOT_REACHED = -1
# Limits of a table: bytes for the views of states, and numbers of joint actions and of outcomes.
MOST_BYTES, MOST_PLAYS, MOST_OUTCOMES = 1 << 28, 400_000, 2_000_000
# Plays are looked up in an array if a state has at most this many joint actions, else in a dictionary.
MOST_JOINT = 4096


class Rows:
    """An array that grows."""

    def __init__(self, dtype: Any, *shape: int) -> None:
        self.array = np.zeros((64, *shape), dtype=dtype)

    def __getitem__(self, places: Any) -> NDArray[Any]:
        # `take` is faster than an index.
        found: NDArray[Any] = self.array[places] if isinstance(places, tuple) else self.array.take(places, axis=0)
        return found

    def of(self, places: NDArray[np.int64], players: Any) -> NDArray[Any]:
        """`self[places, players]`, faster: the entries on the second axis of each row, one or one per place."""
        rows, seats = self.array.shape[:2]
        flat = self.array.reshape(rows * seats, *self.array.shape[2:])  # -1 could not be inferred of an empty array
        found: NDArray[Any] = flat.take(places * seats + players, axis=0)
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


class TransitionCache(Generic[S]):
    """The states visited so far and the joint actions played in them.

    Nothing is ever removed, so copies of an engine share the table. Additions are atomic, so an error in the rules, or
    an interrupt, leaves the table consistent.

    Attributes:
        states: The states, indexed by number, as all rows are.
        observations: `[states, num_players, observation_size]` float32.
        masks: `[states, num_players, num_actions]` int8, all 0 for players who are out of the game.
        acting: `[states, num_players]` bool: the players who choose an action.
        live: `[states, num_players]` bool: the players still in the game.
        over: `[states]` bool: whether nobody chooses an action.
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
        self.over = Rows(np.bool_)
        self._plays: dict[tuple[int, ...], int] = {}  # (state, an action per player) -> number
        joint = facts.num_actions**players
        self._joint = joint if joint <= MOST_JOINT else 0
        self._strides = facts.num_actions ** np.arange(players if self._joint else 0)
        self._looked_up = Rows(np.int32, self._joint)  # by state and joint action: 1 + number, 0 if not yet played
        self._first_outcome, self._outcome_counts = Rows(np.int64), Rows(np.int64)  # by number of the play
        # Indexed by outcome. A state gets its number, and the rules are queried about it, when a game first reaches it.
        self._targets: list[S] = []
        self._child, self._up_to = Rows(np.int64), Rows(np.float64)
        self._rewards = Rows(np.float64, players)
        bytes_of_state = players * (4 * facts.observation_size + facts.num_actions) + 4 * self._joint
        self._most_states = max(least, MOST_BYTES // bytes_of_state)

    def __deepcopy__(self, memo: dict[int, Any]) -> TransitionCache[S]:
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
        self.over.put(number, not acting)
        self._looked_up.put(number, np.zeros(self._joint))
        self.live.put(number, [player in live for player in players])
        self.observations.put(number, [game.observation(state, player) for player in players])
        nothing = np.zeros(game.facts.num_actions, dtype=np.int8)
        self.masks.put(number, [game.action_mask(state, player) if player in live else nothing for player in players])

    def plays(self, states: NDArray[np.int64], actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of joint actions, `[games, num_players]`, in states, `[games]`.

        Actions of players who do not act are ignored.
        """
        chosen = np.where(self.acting[states], actions, 0)
        if not self._joint:
            return self._listed(states, chosen)
        joint = chosen @ self._strides
        found = self._looked_up.of(states, joint).astype(np.int64) - 1
        new = np.flatnonzero(found < 0)
        if len(new):
            found[new] = self._listed(states[new], chosen[new])
            self._looked_up.array[states[new], joint[new]] = found[new] + 1
        return found

    def _listed(self, states: NDArray[np.int64], chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        keys = list(zip(states.tolist(), *chosen.T.tolist(), strict=True))
        known = self._plays
        return np.array([known[key] if key in known else self._play(key) for key in keys], dtype=np.int64)

    def _play(self, key: tuple[int, ...]) -> int:
        number, (state_number, *actions) = len(self._plays), key
        state = self.states[state_number]
        joint = {player: actions[player] for player in self._game.acting_players(state)}
        first, count = self.add_outcomes(self._game.transitions(state, joint))
        self._first_outcome.put(number, first)
        self._outcome_counts.put(number, count)
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
        return self._first_outcome[plays], self._outcome_counts[plays]

    def drawn(
        self, first: NDArray[np.int64], count: NDArray[np.int64], draws: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Draws one outcome per row: the index of the first outcome whose `up_to` exceeds the number in [0, 1)."""
        offsets = np.arange(count.max(initial=1))
        places = first[:, None] + np.minimum(offsets, count[:, None] - 1)
        passed = (self._up_to[places] <= draws[:, None]) & (offsets < count[:, None])
        chosen: NDArray[np.int64] = first + np.minimum(passed.sum(axis=1), count - 1)
        return chosen

    def probabilities(self, outcomes: NDArray[np.int64], first: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The probability of each outcome; `first` marks those that are the first of their play."""
        before = np.where(first, 0.0, self._up_to[np.maximum(outcomes - 1, 0)])
        found: NDArray[np.float64] = self._up_to[outcomes] - before
        return found

    def reached(self, outcomes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The states that outcomes lead to, and their payments, `[outcomes, num_players]` payoff points."""
        states = self._child[outcomes]
        new = states == NOT_REACHED
        if new.any():
            for place in outcomes[new].tolist():
                self._child.array[place] = self._number(self._targets[place])
            states = self._child[outcomes]
        return states, self._rewards[outcomes]


class RulesEngine(Engine[S]):
    """Stores each game as the number of its state in a table, and steps it with the Python rules.

    Without `records` of the games' courses it is faster, and cannot make a snapshot.
    """

    def __init__(self, game: Game[S], streams: NDArray[np.uint64], records: bool = True) -> None:
        super().__init__(game, streams)
        self._records = records
        # Each game's course: `[length, num_games, 1 + num_players]`, an outcome's index and the actions before it; and
        # how many of these rows count, 0 for a game that was placed in a state.
        self._course = np.zeros((8, self.shape[0], 1 + self.shape[1]), dtype=np.int64)
        self._length = np.zeros(self.shape[0], dtype=np.int64)
        self._begin_table([listed(game, game.initial())[0].state] * len(streams))

    def _begin_table(self, states: Sequence[S]) -> None:
        table = TransitionCache(self.game, least=4 * len(states))
        deals, now = table.add_outcomes(self.game.initial()), table.numbers(states)
        self._table, self._deals, self._now = table, deals, now  # not before the rules have succeeded

    def deal(self, where: NDArray[np.bool_], random: bool) -> NDArray[np.float64]:
        paid, places = np.zeros(self.shape), np.flatnonzero(where)
        first, count = (np.full(len(places), number) for number in self._deals)
        which = slice(None) if len(places) == len(where) else places  # slices are faster
        self._now[which], dealt, drawn = self._follow(first, count, places)
        if self._records:
            self._course[0, which, 0] = drawn
            self._length[which] = 1
        if random:
            self._walk(places)
        else:
            paid[which] = dealt
        return paid

    def keep(self, where: NDArray[np.bool_]) -> None:
        super().keep(where)
        self._now, self._course, self._length = self._now[where], self._course[:, where], self._length[where]

    def snapshot(self) -> dict[str, NDArray[Any]]:
        if not self._length.all():
            raise ValueError(f"{self.game.facts.name}: a game that was placed in a state has no course since its deal")
        return {"course": self._course[: self._length.max()].copy(), "length": self._length.copy()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        course, length = (arrays[name].astype(np.int64, copy=False) for name in ("course", "length"))
        if course.shape[1:] != self._course.shape[1:] or length.shape != self._length.shape or not length.all():
            raise ValueError(f"{self.game.facts.name}: a snapshot of other games, or of fewer")
        for turn, moves in enumerate(course):
            where = length > turn
            places, actions = np.flatnonzero(where), moves[:, 1:]
            if turn and self.illegal(actions, where) is not None:
                raise ValueError(f"{self.game.facts.name}: a snapshot with an illegal action")
            if turn == 0:
                first, count = (np.full(len(places), number) for number in self._deals)
            else:
                first, count = self._table.outcomes_of(self._table.plays(self._now[places], actions[places]))
            outcomes = moves[places, 0]
            if not ((outcomes >= 0) & (outcomes < count)).all():
                raise ValueError(f"{self.game.facts.name}: a snapshot with an outcome that the rules do not list")
            self._now[places], _ = self._table.reached(first + outcomes)
        self._course, self._length = course.copy(), length.copy()

    def _walk(self, places: NDArray[np.intp]) -> None:
        """Plays uniformly to a drawn depth; a game that ends earlier stops at a random state that it has visited."""
        longest = self.game.facts.max_length
        if longest <= 1 or not len(places):
            return
        depths = (draw(self.streams, places) * longest).astype(np.int64)
        passed, moving = [self._now.copy()], depths > 0
        while moving.any():
            walkers = places[moving]
            actions = np.zeros((len(walkers), self.shape[1]), dtype=np.int64)
            for player in range(self.shape[1]):
                acts = self._table.acting[self._now[walkers], player]
                actions[acts, player] = self._any_actions(player, walkers[acts])
            self._now[walkers], _ = self._step(walkers, actions)
            over = walkers[self._table.over[self._now[walkers]]]
            if len(over):
                chosen = (draw(self.streams, over) * len(passed)).astype(np.int64)
                self._now[over] = np.stack(passed)[chosen, over]
                self._length[over] = 1 + chosen if self._records else 0
            passed.append(self._now.copy())
            moving &= (depths > len(passed) - 1) & ~np.isin(places, over)

    def _step(
        self, places: NDArray[np.intp], actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The outcomes of joint actions, `[places, num_players]`, in the current states, and their payments."""
        first, count = self._table.outcomes_of(self._table.plays(self._now[places], actions))
        states, rewards, drawn = self._follow(first, count, places)
        if self._records:
            self._record(places, drawn, actions)
        return states, rewards

    def _record(self, places: NDArray[np.intp], drawn: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Adds a move to the course of each game at `places` that started with a deal."""
        known = self._length[places] > 0
        if not known.all():
            places, drawn, actions = places[known], drawn[known], actions[known]
        turns = self._length[places]
        if turns.max(initial=0) == len(self._course):
            self._course = np.concatenate([self._course, np.zeros_like(self._course)])
        self._course[turns, places] = np.column_stack([drawn, actions])
        self._length[places] = turns + 1

    def _follow(
        self, first: NDArray[np.int64], count: NDArray[np.int64], places: NDArray[np.intp]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Draws one of `count` outcomes, starting at index `first`, per place; draws no number if `count` is 1.

        Returns:
            The states, their payments, and the indices of the outcomes among those of their play.
        """
        outcomes, chance = first.copy(), count > 1
        if chance.any():
            draws = draw(self.streams, places[chance])
            outcomes[chance] = self._table.drawn(first[chance], count[chance], draws)
        return *self._table.reached(outcomes), outcomes - first

    def place(self, states: Sequence[S], where: NDArray[np.bool_]) -> None:
        places = np.flatnonzero(where)
        self._now[places] = self._table.numbers(states[i % len(states)] for i in range(len(places)))
        self._length[places] = 0

    def place_seen(self, observations: NDArray[np.float32]) -> None:
        self._now = self._table.numbers(self.game.state_of(observation)[0] for observation in observations)
        self._length[:] = 0

    def states(self, places: NDArray[np.intp] | None = None) -> list[S]:
        return [self._table.states[number] for number in (self._now if places is None else self._now[places]).tolist()]

    def acting(self) -> NDArray[np.bool_]:
        return self._table.acting[self._now]

    def live(self) -> NDArray[np.bool_]:
        return self._table.live[self._now]

    def asked(self, player: int, places: NDArray[np.intp] | None = None) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        now = self._now if places is None else self._now[places]
        return self._table.acting.of(now, player), self._table.live.of(now, player)

    def illegal(self, actions: NDArray[np.int64], where: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        players, most = self.shape[1], self.game.facts.num_actions
        outside = actions.view(np.uint64) >= most  # negative numbers become large ones
        entries = (self._now * players)[:, None] + np.arange(players)
        legal = self._table.masks.array.ravel().take(entries * most + np.where(outside, 0, actions))
        flags: NDArray[np.bool_] = outside | (legal == 0)
        if not flags.any():
            return None
        flags &= self.acting() & where[:, None]
        return flags if flags.any() else None

    def play(self, actions: NDArray[np.int64], where: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        if self._table.full:
            self._begin_table(self.states())
        rewards, over, places = np.zeros(self.shape), np.zeros(len(where), dtype=np.bool_), np.flatnonzero(where)
        which = slice(None) if len(places) == len(where) else places  # slices are faster
        self._now[which], rewards[which] = self._step(places, actions[which])
        over[which] = self._table.over[self._now[which]]
        return rewards, over

    def outcomes(self, actions: NDArray[np.int64]) -> Outcomes:
        if self._table.full:
            self._begin_table(self.states())
        first, count = self._table.outcomes_of(self._table.plays(self._now, actions))
        games = np.repeat(np.arange(len(count)), count)
        numbers = np.arange(len(games)) + np.repeat(first - np.cumsum(count) + count, count)
        probabilities = self._table.probabilities(numbers, numbers == first[games])
        after, rewards = self._table.reached(numbers)
        views = Views(self._table.observations[after], self._table.masks[after])
        return Outcomes(games, probabilities, rewards, self._table.over[after], views)

    def views(self, places: NDArray[np.intp] | None = None, player: int | None = None) -> Views:
        now = self._now if places is None else self._now[places]
        if player is None:
            return Views(self._table.observations[now], self._table.masks[now])
        return Views(self._table.observations.of(now, player), self._table.masks.of(now, player))

    def uniform(self, player: int, where: NDArray[np.bool_]) -> NDArray[np.int64]:
        acts = where & self._table.acting.of(self._now, player)
        if acts.all():
            return self._any_actions(player, slice(None))
        # A player who does not act has only the action to wait, or none.
        actions: NDArray[np.int64] = self._table.masks.of(self._now, player).argmax(axis=1).astype(np.int64)
        places = np.flatnonzero(acts)
        actions[places] = self._any_actions(player, places)
        return actions

    def _any_actions(self, player: int, places: Any) -> NDArray[np.int64]:
        """Actions of uniform play at `places`, an array or a slice."""
        counts = self.game.action_counts(*self.views(places, player))
        return chosen_actions(counts, draw(self.streams, places))

    def info(self, player: int, places: NDArray[np.intp], observations: NDArray[np.float32]) -> Info:
        if type(self.game).info is Game.info:
            return {}
        told = [self.game.info(self._table.states[number], player) for number in self._now[places].tolist()]
        return {key: np.array([info[key] for info in told]) for key in (told[0] if told else ())}
