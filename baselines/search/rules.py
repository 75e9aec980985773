"""A game's rules for the search kernel: its compiled rules, tables of all its states, or else the rules in Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.state_graph.game_graph import END, GameGraph, build_graph, full_graph
from baselines.search import table_kernel
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.game import Game, Transition
from cardwar_envs.core.policy import Uniform
from cardwar_envs.core.rules import CERTAIN, TooLargeError
from cardwar_envs.core.streams import draw
from cardwar_envs.envs.engines.engine import chosen_actions

# A game with compiled rules is listed up to so many states: tables are two to three times as fast.
MOST_STATES = 5_000
# Other games are listed up to so many, since rules in Python are a hundred times slower; listing takes seconds.
MOST_STATES_OTHERWISE = 20_000
MOST_ENTRIES = 20_000_000


class Placed(NamedTuple):
    """Some observed states as rows for the kernel.

    Attributes:
        where: The indices of the observations.
        rules: The rules as functions on rows.
        rows: `[len(where), row_size]`.
        seats: `[len(where)]`, the observers' seats in these states.
    """

    where: NDArray[np.int64]
    rules: SearchRules
    rows: NDArray[np.float32]
    seats: NDArray[np.int64]


class SearchRules:
    """Rules as functions on rows of numbers, as in `CompiledRules`.

    Attributes:
        bodies: Has the functions `play`, `uniform` and `observe`.
        tables: Their first argument.
        row_size: Numbers in a row.
        width: The most legal actions that a player has in a state, or more.
        most_states: A bound on the number of states, if there is one.
    """

    def __init__(self, game: Game[Any], bodies: Any, tables: Any, row_size: int) -> None:
        self.game, self.bodies, self.tables, self.row_size = game, bodies, tables, row_size
        self.width, self.most_states = game.facts.num_actions, np.inf

    def place(self, observations: NDArray[np.float32]) -> Iterator[Placed]:
        """Yields the observed states in groups; leaves out states in which no action matters any more."""
        everything = np.arange(len(observations))
        if self.game.facts.seat_symmetric:  # each observer is player 0
            yield Placed(everything, self, observations, np.zeros_like(everything))
            return
        states, seats = zip(*map(self.game.state_of, observations), strict=True)
        rows = np.stack([self.game.observation(state, 0) for state in states])
        yield Placed(everything, self, rows, np.array(seats))


class ListedRules(SearchRules):
    """Tables of the states that can follow some states."""

    def __init__(self, graph: GameGraph[Any]) -> None:
        super().__init__(graph.game, table_kernel, _tables(graph), 1)
        self.most_states = len(graph.states)
        self.width = int(self.tables[6].sum(axis=2).max(initial=1))
        self._numbers = {state: number for number, state in enumerate(graph.states)}

    def place(self, observations: NDArray[np.float32]) -> Iterator[Placed]:
        """Lists what can follow a state that the game does not reach."""
        states, seats = zip(*map(self.game.state_of, observations), strict=True)
        numbers = np.array([self._numbers.get(state, END) for state in states])
        known = np.flatnonzero(numbers != END)
        if len(known):
            yield Placed(known, self, numbers[known, None].astype(np.float32), np.array(seats)[known])
        for place in np.flatnonzero(numbers == END):
            if self.game.settled(states[place]) is None:
                start = Transition(CERTAIN, states[place], (0.0, 0.0))
                rules = ListedRules(build_graph(self.game, [start], max_states=MOST_STATES_OTHERWISE))
                rows = np.array([[rules._numbers[states[place]]]], dtype=np.float32)
                yield Placed(np.array([place]), rules, rows, np.array(seats)[[place]])


class PythonRules(SearchRules):
    """Rules in Python, with numbers for the states that searches reach."""

    def __init__(self, game: Game[Any]) -> None:
        super().__init__(game, self, (), 1)
        self._states: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def place(self, observations: NDArray[np.float32]) -> Iterator[Placed]:
        """Forgets all states afterwards."""
        states, seats = zip(*map(self.game.state_of, observations), strict=True)
        rules = PythonRules(self.game)
        rows = np.array([[rules._number(state)] for state in states], dtype=np.float32)
        yield Placed(np.arange(len(rows)), rules, rows, np.array(seats))

    def _number(self, state: Any) -> int:
        number = self._numbers.setdefault(state, len(self._states))
        if number == len(self._states):
            self._states.append(state)
        return number

    def play(self, tables: Any, rows: Any, streams: Any, actions: Any, where: Any, rewards: Any, over: Any) -> None:
        for g in np.flatnonzero(where):
            state = self._states[int(rows[g, 0])]
            joint = {player: int(actions[g, player]) for player in self.game.acting_players(state)}
            outcomes = self.game.transitions(state, joint)
            shares = np.array([float(outcome.probability) for outcome in outcomes])
            drawn = draw(streams, np.array([g])) if len(outcomes) > 1 else np.zeros(1)
            outcome = outcomes[int(chosen_actions(shares[None], drawn)[0])]
            rewards[g] = [float(reward) for reward in outcome.rewards]
            over[g] = not self.game.acting_players(outcome.state)
            rows[g, 0] = self._number(outcome.state)

    def uniform(self, tables: Any, rows: Any, streams: Any, where: Any, player: int, actions: Any) -> None:
        seen, masks = np.empty((len(rows), 1, self.game.facts.observation_size), np.float32), self._no_masks(rows)
        self.observe(tables, rows, player, seen, masks)
        for g in np.flatnonzero(where):
            counts = self.game.action_counts(seen[g], masks[g])
            actions[g] = chosen_actions(counts, draw(streams, np.array([g])))[0] if masks[g].any() else 0

    def _no_masks(self, rows: Any) -> NDArray[np.int8]:
        return np.zeros((len(rows), 1, self.width), dtype=np.int8)

    def observe(self, tables: Any, rows: Any, first: int, observations: Any, masks: Any) -> None:
        for g, row in enumerate(rows):
            state = self._states[int(row[0])]
            for k in range(masks.shape[1]):
                observations[g, k] = self.game.observation(state, first + k)
                acts = first + k in self.game.acting_players(state)
                masks[g, k] = self.game.action_mask(state, first + k) if acts else 0


@cached_by_game(8)
def search_rules(game: Game[Any]) -> SearchRules:
    """Returns the quickest form of the rules."""
    compiled, count = game.compiled_rules(), game.count_states(False)
    most = MOST_STATES_OTHERWISE if compiled is None else MOST_STATES if count is not None else 0
    most = min(most, MOST_ENTRIES // game.facts.num_actions**2)
    if most and not (count or 0) > most:
        with suppress(TooLargeError):
            return ListedRules(full_graph(game, most))
    if compiled is None:
        return PythonRules(game)
    return SearchRules(game, compiled.bodies, compiled.tables, compiled.row_size)


def _tables(graph: GameGraph[Any]) -> tuple[NDArray[Any], ...]:
    """Lists the outcomes of each joint action one after the other; see `table_kernel`."""
    facts, states = graph.game.facts, len(graph.states)
    actions, count = np.maximum(graph.actions, 0), facts.num_actions
    keys = (graph.parents * count + actions[:, 0]) * count + actions[:, 1]
    order = np.argsort(keys, kind="stable")
    listed, first = np.unique(keys[order], return_index=True)
    places = np.full(states * count * count, END, dtype=np.int32)
    places[listed] = first
    observations = np.zeros((states, 2, facts.observation_size), dtype=np.float32)
    masks, shares = np.zeros((states, 2, count), dtype=np.int8), np.zeros((states, 2, count))
    for player in (0, 1):
        acts, seen, legal = graph.seen_by(player)
        masks[acts, player] = legal
        shares[acts, player] = Uniform(graph.game).action_probabilities(seen, legal)
        for s, state in enumerate(graph.states):
            observations[s, player] = graph.game.observation(state, player)
    return (
        places.reshape(states, count, count),
        graph.probabilities[order],
        graph.children[order],
        graph.rewards[order, 0],
        shares,
        observations,
        masks,
    )
