"""The matrix games of one layer of a game's graph, side by side as padded arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.state_graph.game_graph import END, GameGraph, group_sums
from cardwar_envs.core.game import Game


@dataclass(frozen=True)
class LayerGames:
    """The matrix games of one layer: which edge belongs to which entry.

    A player who does not act has one row or column, at action 0.

    Attributes:
        states: Their states in the graph.
        edges: Their edges.
        actions: Per player `[num_games, most legal actions]`: the legal actions, padded with `END`.
        indices: Per player `[num_edges]`: the index of the edge's action among them.
        game_of: `[num_edges]` the game that each edge belongs to, from 0.
    """

    states: slice
    edges: slice
    actions: tuple[NDArray[np.int64], NDArray[np.int64]]
    indices: tuple[NDArray[np.int64], NDArray[np.int64]]
    game_of: NDArray[np.int64]

    @classmethod
    def of(cls, graph: GameGraph[Any], states: slice, edges: slice) -> LayerGames:
        """Returns the games of one run of states and their edges, as yielded by `graph.backward()`."""
        game_of = graph.parents[edges] - states.start
        legal = [_legal(game_of, np.maximum(graph.actions[edges, seat], 0)) for seat in (0, 1)]
        return cls(states, edges, (legal[0][0], legal[1][0]), (legal[0][1], legal[1][1]), game_of)

    @property
    def masks(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Per player `[num_games, most legal actions]`: False at the padding."""
        return self.actions[0] != END, self.actions[1] != END

    def sums(self, worth: NDArray[np.float64], *seats: int) -> NDArray[np.float64]:
        """Sums `worth`, `[num_edges]`, by the actions of the players in `seats`: `[num_games, actions, ...]`."""
        shape = (len(self.actions[0]), *(self.actions[seat].shape[1] for seat in seats))
        cells = np.ravel_multi_index((self.game_of, *(self.indices[seat] for seat in seats)), shape)
        return group_sums(cells, worth, math.prod(shape)).reshape(shape)

    def spread_out(self, strategies: NDArray[np.float64], seat: int, num_actions: int) -> NDArray[np.float64]:
        """Returns `[num_games, own actions]` probabilities as `[num_games, num_actions]`."""
        spread = np.zeros((len(strategies), num_actions + 1))  # the padding goes into the last column
        np.put_along_axis(spread, self.actions[seat], strategies, axis=1)
        return spread[:, :-1]


def cards_at(game: Game[Any], state: Any, player: int) -> NDArray[np.float64]:
    """Returns `[num_actions]`: the number of cards behind each action of a player at a state."""
    observation, mask = game.observation(state, player), game.action_mask(state, player)
    counts: NDArray[np.float64] = game.action_counts(observation[None], mask[None])[0]
    return counts


def cards_of(graph: GameGraph[Any], games: LayerGames, seat: int) -> NDArray[np.float64]:
    """Returns `[num_games, own actions]`: the number of cards behind each action; 1 for the padding."""
    cards = np.ones(games.actions[seat].shape)
    for row, state in enumerate(graph.states[games.states]):
        if seat in graph.game.acting_players(state):
            counts = cards_at(graph.game, state, seat)
            cards[row] = np.append(counts, 1.0)[games.actions[seat][row]]  # the padding, -1, finds 1
    return cards


def values_to_go(graph: GameGraph[Any], edges: slice, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns `[num_edges]`: player 0's reward on each edge plus its value after it, times the edge's probability.

    `values`, `[num_states + 1]`, are continuation values to player 0; the last entry, 0, is for `END`.
    """
    children = graph.children[edges]
    to_go = np.where(graph.swapped[edges], -values[children], values[children])
    worth: NDArray[np.float64] = graph.probabilities[edges] * (graph.rewards[edges, 0] + to_go)
    return worth


def _legal(local: NDArray[np.int64], actions: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the legal actions of each state, `[num_states, most]`, padded with END, and each edge's index in them.

    `local`, `[num_edges]`, are states numbered from 0.
    """
    mask = np.zeros((int(local.max()) + 1, int(actions.max()) + 1), dtype=np.bool_)
    mask[local, actions] = True
    index = mask.cumsum(axis=1) - 1
    legal = np.full((len(mask), int(index.max()) + 1), END, dtype=np.int64)
    states, legal_actions = np.nonzero(mask)
    legal[states, index[states, legal_actions]] = legal_actions
    return legal, index[local, actions]
