"""Enumerates the histories of a game layer by layer, and numbers the players' information states.

An information state of a player is the sequence of its own observations and actions, so players have perfect recall
whatever an observation shows. An observation that repeats while the player does not act adds nothing to it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.protocol import BATCH
from baselines.oracles.state_graph.game_graph import END, MAX_STATES, GameGraph, full_graph
from baselines.oracles.state_graph.soundness import require_shape
from baselines.oracles.tree.sequence_form import Decisions, Floats, Numbers, SequenceForm
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import observation_keys
from cardwar_envs.core.rules import TooLargeError

# Enumeration takes about 100 bytes per outcome.
MAX_OUTCOMES = 20_000_000


def sequence_form(game: Game[Any], max_states: int | None = None) -> SequenceForm:
    """Returns the sequence form of a game, cached.

    Raises:
        TooLargeError: If players act after more than `max_states` histories (a million by default), or there are more
            than `MAX_OUTCOMES` outcomes.
        ValueError: If equal observations have different legal actions, or the rules fail the checks of
            `state_graph/soundness.py`.
    """
    limit, kept = MAX_STATES if max_states is None else max_states, _kept(game)
    if not kept:
        with _without_collection():
            kept.append(form_of(full_graph(game, limit), limit))
    elif kept[0].histories > limit:
        raise _too_many(game, limit)
    return kept[0]


def form_of(graph: GameGraph[Any], limit: int) -> SequenceForm:
    """Returns the sequence form of an enumerated game; its numbers are of the same kind as the graph's."""
    return _Histories(graph, limit).form()


@contextmanager
def _without_collection() -> Iterator[None]:
    """Disables garbage collection, which takes a third of the time: states are many small objects without cycles."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@cached_by_game(8)
def _kept(game: Game[Any]) -> list[SequenceForm]:
    """Returns a cache of one sequence form, independent of the limit; empty at first."""
    return []


def _too_many(game: Game[Any], limit: int) -> TooLargeError:
    return TooLargeError(f"{game.facts.name} has more than {limit:,} histories in which players act (max_states)")


class _Views:
    """What one player sees in each state: distinct pairs of an observation and, if the player acts, its actions.

    Attributes:
        of_state: `[states]` the number of the view.
        ranks: `[edges]` the position of the player's action among its legal actions; 0 if it does not act.
        sizes: `[views]` the number of legal actions; 0 if the player does not act.
        examples: `[views]` a state with this view.
    """

    def __init__(self, graph: GameGraph[Any], player: int) -> None:
        self._game, self._player = graph.game, player
        numbers: dict[tuple[bytes, tuple[int, ...]], int] = {}
        self.of_state = np.empty(len(graph.states), dtype=np.int64)
        for start in range(0, len(graph.states), BATCH):
            states = graph.states[start : start + BATCH]
            keys = observation_keys(self._seen_in(states))
            legal = [self._legal_in(state) for state in states]
            found = [numbers.setdefault(view, len(numbers)) for view in zip(keys, legal, strict=True)]
            self.of_state[start : start + BATCH] = found
        self.keys, self.legal = ([*part] for part in zip(*numbers, strict=True)) if numbers else ([], [])
        self.sizes = np.array([len(each) for each in self.legal], dtype=np.int64)
        self._require_sound()
        self.examples = [graph.states[state] for state in np.unique(self.of_state, return_index=True)[1]]
        self.ranks = self._ranks_on(graph)

    def _seen_in(self, states: Sequence[Any]) -> NDArray[np.float32]:
        rows = [self._game.observation(state, self._player) for state in states]
        size = (self._game.facts.observation_size,)
        for row in rows:
            if getattr(row, "shape", None) != size:
                require_shape(self._game, "an observation", row, *size)
        return np.array(rows, dtype=np.float32).reshape(len(rows), *size)

    def _legal_in(self, state: Any) -> tuple[int, ...]:
        acts = self._player in self._game.acting_players(state)
        return tuple(self._game.legal_actions(state, self._player)) if acts else ()

    def _require_sound(self) -> None:
        """Raises a ValueError for NaN, or if one observation has different legal actions."""
        known: dict[bytes, tuple[int, ...]] = {}
        for key, legal in zip(self.keys, self.legal, strict=True):
            name, seen = self._game.facts.name, np.frombuffer(key, dtype=np.float32)
            if np.isnan(seen).any():
                raise ValueError(f"{name}: player_{self._player} sees NaN; observations must be numbers")
            if legal and known.setdefault(key, legal) != legal:
                raise ValueError(
                    f"{name}: player_{self._player} has the legal actions {known[key]} and {legal} at the same "
                    f"observation, {seen.tolist()}; a policy cannot tell them apart, so the observation must"
                )

    def _ranks_on(self, graph: GameGraph[Any]) -> Numbers:
        """Uses that the edges of a state list all its legal actions."""
        codes = graph.parents * (graph.game.facts.num_actions + 1) + graph.actions[:, self._player] + 1
        found, inverse = np.unique(codes, return_inverse=True)
        firsts = np.searchsorted(found, np.arange(len(graph.states)) * (graph.game.facts.num_actions + 1))
        return np.asarray(inverse.ravel() - firsts[graph.parents], dtype=np.int64)


class _Recall:
    """The information states of one player, in the order in which the enumeration reaches them."""

    def __init__(self, views: _Views) -> None:
        self.views = views
        self._numbers: dict[int, int] = {}
        self._view, self._first, self._parent = [-1], [0], [0]  # number 0 is the time before the first observation
        self._sequences, self._depths = 1, [0]  # depth: number of own moves of each sequence

    def arrive(self, before: Numbers, own: Numbers, acted: NDArray[np.bool_], view: Numbers) -> Numbers:
        """Returns the information states after an observation.

        Takes `[histories]` the states before, the last sequences, whether the player has just acted, and the views.
        """
        codes = np.where(acted, 2 * own + 1, 2 * before) * max(len(self.views.keys), 1) + view
        found, index, inverse = np.unique(codes, return_index=True, return_inverse=True)
        rows = zip(found.tolist(), *(each[index].tolist() for each in (before, own, acted, view)), strict=True)
        numbers = np.array([self._number(*row) for row in rows], dtype=np.int64)
        return numbers[inverse.ravel()]

    def _number(self, code: int, before: int, own: int, acted: bool, view: int) -> int:
        if not acted and self._view[before] == view:
            return before
        known = self._numbers.get(code)
        if known is None:
            known = self._numbers[code] = len(self._view)
            size = len(self.views.legal[view])
            self._view.append(view)
            self._first.append(self._sequences)
            self._parent.append(own)
            self._sequences += size
            self._depths += [self._depths[own] + 1] * size
        return known

    def sequence(self, state: Numbers, rank: Numbers) -> Numbers:
        """Returns the sequences that end with the action of the given rank."""
        return np.array(self._first, dtype=np.int64)[state] + rank

    def decisions(self, num_actions: int) -> tuple[Decisions, Numbers]:
        """Returns the decisions, sorted by level, and the new number of each sequence."""
        views = np.array(self._view, dtype=np.int64)
        sizes = np.where(views >= 0, self.views.sizes[views] if len(self.views.sizes) else 0, 0)
        acting = np.flatnonzero(sizes)
        parents, depths = np.array(self._parent)[acting], np.array(self._depths)
        order = np.argsort(depths[parents], kind="stable")
        acting, parents = acting[order], parents[order]
        first = np.concatenate([[1], 1 + np.cumsum(sizes[acting])])
        old = np.concatenate([[0], _ranges(np.array(self._first)[acting], sizes[acting])])
        new = np.empty(len(old), dtype=np.int64)
        new[old] = np.arange(len(old))
        levels = np.concatenate([[0], np.cumsum(np.bincount(depths[parents]))]) if len(acting) else np.array([0])
        shown, seen = np.unique(views[acting], return_inverse=True)
        actions = np.array([-1] + [action for view in views[acting] for action in self.views.legal[view]])
        observations = np.frombuffer(b"".join(self.views.keys[view] for view in shown), dtype=np.float32)
        masks = np.zeros((len(shown), num_actions), dtype=np.int8)
        for row, view in enumerate(shown):
            masks[row, list(self.views.legal[view])] = 1
        rows = observations.reshape(len(shown), -1) if len(shown) else observations.reshape(0, 1)
        examples = [self.views.examples[view] for view in shown]
        return Decisions(levels, first, new[parents], actions, seen.ravel(), rows, masks, examples), new


class _Histories:
    """One pass from the start to the end of the game, with a row per history in which players act."""

    def __init__(self, graph: GameGraph[Any], limit: int) -> None:
        self._graph, self._limit = graph, limit
        self._players = range(graph.game.facts.num_players)
        self._recalls = [_Recall(_Views(graph, player)) for player in self._players]
        self._ended: list[tuple[Numbers, Floats, Floats]] = []
        self._histories = self._outcomes = 0

    def form(self) -> SequenceForm:
        graph, starts = self._graph, len(self._graph.roots)
        nothing = np.zeros((starts, len(self._players)), dtype=np.int64)
        chances, paid = graph.root_probabilities, graph.root_rewards
        rows = self._arrive(graph.roots.astype(np.int64), nothing, nothing, nothing > 0, chances, paid)
        while len(rows[0]):
            rows = self._play(*rows)
        sequences, chances, payoffs = (np.concatenate(parts) for parts in zip(*self._ended, strict=True))
        found = [recall.decisions(graph.game.facts.num_actions) for recall in self._recalls]
        renumbered = np.column_stack([new[sequences[:, player]] for player, (_, new) in enumerate(found)])
        return SequenceForm(tuple(each for each, _ in found), renumbered, chances, payoffs, self._histories)

    def _play(self, states: Numbers, infos: Numbers, own: Numbers, chances: Floats, paid: Floats) -> Any:
        """Plays every joint action after every history of a layer."""
        graph = self._graph
        self._histories += len(states)
        counts = graph.first_edge[states + 1] - graph.first_edge[states]
        self._outcomes += int(counts.sum())
        if self._histories > self._limit:
            raise _too_many(graph.game, self._limit)
        if self._outcomes > MAX_OUTCOMES:
            raise TooLargeError(f"{graph.game.facts.name} has more than {MAX_OUTCOMES:,} histories")
        rows, edges = np.repeat(np.arange(len(states)), counts), _ranges(graph.first_edge[states], counts)
        after, acted = own[rows], graph.actions[edges] != END
        for player, recall in enumerate(self._recalls):
            chosen = recall.sequence(infos[rows, player], recall.views.ranks[edges])
            after[:, player] = np.where(acted[:, player], chosen, after[:, player])
        chances, paid = chances[rows] * graph.probabilities[edges], paid[rows] + graph.rewards[edges]
        return self._arrive(graph.children[edges].astype(np.int64), infos[rows], after, acted, chances, paid)

    def _arrive(
        self, states: Numbers, infos: Numbers, own: Numbers, acted: NDArray[np.bool_], chances: Floats, paid: Floats
    ) -> Any:
        """Stores finished histories; returns the others, with the players' new information states."""
        over, possible = states == END, chances > 0.0
        self._ended.append((own[over & possible], chances[over & possible], paid[over & possible]))
        going = ~over & possible
        states, own, acted, infos = states[going], own[going], acted[going], infos[going]
        columns = [
            recall.arrive(infos[:, player], own[:, player], acted[:, player], recall.views.of_state[states])
            for player, recall in enumerate(self._recalls)
        ]
        return states, np.column_stack(columns), own, chances[going], paid[going]


def _ranges(starts: Numbers, counts: Numbers) -> Numbers:
    """Returns the numbers `starts[i], ..., starts[i] + counts[i] - 1` for every i, concatenated."""
    ends = np.cumsum(counts)
    return np.asarray(np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts))
