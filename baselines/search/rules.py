"""A game's rules for the search kernel: tables of all its states, or its compiled rules."""

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

# A game with compiled rules is listed up to so many states: tables are two to three times as fast. Other games must be
# listed, which takes a second for several thousand states.
MOST_STATES, MOST_STATES_OTHERWISE = 5_000, 50_000
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


@cached_by_game(8)
def search_rules(game: Game[Any]) -> SearchRules:
    """Returns the quickest form of the rules; raises a ValueError for a large game without compiled rules."""
    compiled, count = game.compiled_rules(), game.count_states(False)
    entries = MOST_ENTRIES // game.facts.num_actions**2
    if compiled is None:
        try:
            return ListedRules(full_graph(game, min(MOST_STATES_OTHERWISE, entries)))
        except TooLargeError as error:
            raise ValueError(f"{error}; search lists the states of a game without compiled rules") from None
    if count is not None and count <= min(MOST_STATES, entries):
        with suppress(TooLargeError):
            return ListedRules(full_graph(game, MOST_STATES))
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
