"""Equilibria of finite two-player zero-sum games of public state, from the end to the start.

Each state is one matrix game over the values of the states that follow. Only canonical
representatives are solved; the game says which they are and how actions map back.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.game_graph import END, MAX_STATES, GameGraph, Progress, build_graph, group_sums
from baselines.matrix_game import solve_matrices, solve_matrix_exact
from cardwar_envs.core.game import CERTAIN, Game, Transition

Strategies = tuple[NDArray[np.float64], NDArray[np.float64]]


class _Solved(NamedTuple):
    """A representative's solution; strategies are `[2, num_actions]`, value and gap payoff points."""

    value: float
    gap: float
    strategies: NDArray[np.float64]


class EquilibriumTable:
    """Values and strategies at every state of a game, through its canonical representatives.

    Where a state has several optimal strategies, the choice is the one that
    `baselines.matrix_game` documents, taken at the representative; interchangeable cards share
    their probability by number.
    """

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self._solved: dict[Any, _Solved] = {}
        self._exact = False
        self.exact_values: dict[Any, Fraction] = {}

    def value_to_go(self, state: Any) -> float:
        """What player 0 is still to be paid from `state` on, payoff points."""
        if not self.game.acting_players(state):
            return 0.0
        settled = self.game.settled(state)
        if settled is not None:
            return settled[0]
        representative, seats = self.game.canonical(state)
        value = self._at(representative).value
        return -value if seats == (1, 0) else value

    def gap_at(self, state: Any) -> float:
        """Certified bound on the error of `value_to_go(state)`, payoff points."""
        if not self.game.acting_players(state) or self.game.settled(state) is not None:
            return 0.0
        return self._at(self.game.canonical(state).state).gap

    def strategies(self, state: Any) -> Strategies:
        """Equilibrium strategies of both players, each `[num_actions]`; all 0 for one who does not act."""
        if not self.game.acting_players(state):
            raise ValueError(f"the game is over in {state!r}")
        representative, seats = self.game.canonical(state)
        solved = self._at(representative).strategies
        mapped = np.zeros_like(solved)
        for player in self.game.acting_players(state):
            for action, image, share in self.game.canonical_actions(state, player):
                mapped[player, action] = solved[seats[player], image] * float(share)
        return mapped[0], mapped[1]

    def solve(
        self,
        starts: Sequence[Transition[Any]],
        *,
        exact: bool = False,
        max_states: int = MAX_STATES,
        progress: Progress | None = None,
    ) -> int:
        """Solves everything that can follow `starts`; returns the number of matrix games."""
        roots = [start._replace(state=self.game.canonical(start.state).state) for start in starts]
        self._exact = exact  # so that what is asked for later is computed alike
        graph = build_graph(self.game, roots, canonical=True, max_states=max_states, progress=progress)
        if exact:
            self._solve_exactly(graph)
        else:
            self._solve_layers(graph)
        return len(graph.states)

    def _solve_layers(self, graph: GameGraph[Any]) -> None:
        # One entry more than there are states: what END (-1) finds there is 0.
        values, gaps = np.zeros(len(graph.states) + 1), np.zeros(len(graph.states) + 1)
        for states, edges in graph.backward():
            local = graph.parents[edges] - states.start
            children = graph.children[edges]
            to_go = np.where(graph.swapped[edges], -values[children], values[children])
            worth = graph.probabilities[edges] * (graph.rewards[edges, 0] + to_go)
            # A player who does not act has one row or column, at action 0.
            rows, row_of = _legal(local, np.maximum(graph.actions[edges, 0], 0))
            columns, column_of = _legal(local, np.maximum(graph.actions[edges, 1], 0))
            shape = (len(rows), rows.shape[1], columns.shape[1])
            cells = np.ravel_multi_index((local, row_of, column_of), shape)
            matrices = group_sums(cells, worth, int(np.prod(shape))).reshape(shape)
            solved = solve_matrices(matrices, rows != END, columns != END)
            values[states] = solved.values
            np.maximum.at(gaps, graph.parents[edges], gaps[children])
            gaps[states] += solved.gaps
            strategies = np.zeros((len(rows), 2, self.game.facts.num_actions + 1))
            np.put_along_axis(strategies[:, 0], rows, solved.row_strategies, axis=1)
            np.put_along_axis(strategies[:, 1], columns, solved.column_strategies, axis=1)
            for i, state in enumerate(graph.states[states]):
                s = states.start + i
                self._solved[state] = _Solved(float(values[s]), float(gaps[s]), strategies[i, :, :-1])

    def _solve_exactly(self, graph: GameGraph[Any]) -> None:
        game = self.game
        for state in graph.states:
            actions = joint_choices(game, state)
            solution = solve_matrix_exact(
                [[self._exact_worth(state, {**row, **column}) for column in actions[1]] for row in actions[0]]
            )
            self.exact_values[state] = solution.value
            strategies = np.zeros((2, game.facts.num_actions))
            for player, strategy in enumerate((solution.row_strategy, solution.column_strategy)):
                for choice, probability in zip(actions[player], strategy, strict=True):
                    strategies[player, list(choice.values())] = float(probability)
            self._solved[state] = _Solved(float(solution.value), 0.0, strategies)

    def _exact_worth(self, state: Any, actions: dict[int, int]) -> Fraction:
        return sum(
            (
                outcome.probability * (Fraction(outcome.rewards[0]) + self.exact_value_to_go(outcome.state))
                for outcome in self.game.transitions(state, actions)
            ),
            Fraction(0),
        )

    def exact_value_to_go(self, state: Any) -> Fraction:
        """`value_to_go` as a fraction, where `solve` was asked for rationals."""
        if not self.game.acting_players(state):
            return Fraction(0)
        settled = self.game.settled(state)
        if settled is not None:
            return Fraction(settled[0])
        representative, seats = self.game.canonical(state)
        value = self.exact_values[representative]
        return -value if seats == (1, 0) else value

    def _at(self, representative: Any) -> _Solved:
        if representative not in self._solved:
            settled = self.game.settled(representative)
            if settled is None:
                # Off the ways that have been solved: solve the game from there.
                self.solve([Transition(CERTAIN, representative, (0.0, 0.0))], exact=self._exact)
            else:
                self._solved[representative] = _Solved(settled[0], 0.0, self._lowest_actions(representative))
        return self._solved[representative]

    def _lowest_actions(self, state: Any) -> NDArray[np.float64]:
        # Where the game is settled every strategy is optimal; this one is as good as any.
        strategies = np.zeros((2, self.game.facts.num_actions))
        for player in self.game.acting_players(state):
            strategies[player, self.game.legal_actions(state, player)[0]] = 1.0
        return strategies


def joint_choices(game: Game[Any], state: Any) -> list[list[dict[int, int]]]:
    """What each of two players can add to a joint action: nothing, where it does not act."""
    acting = game.acting_players(state)
    return [
        [{player: action} for action in game.legal_actions(state, player)] if player in acting else [{}]
        for player in (0, 1)
    ]


def _legal(local: NDArray[np.int64], actions: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The legal actions of each state in a layer, and where each edge's action stands among them.

    Args:
        local: `[num_edges]` states, numbered from 0.
        actions: `[num_edges]`.

    Returns:
        `[num_states, most legal actions]`, padded with END, and `[num_edges]`.
    """
    mask = np.zeros((int(local.max()) + 1, int(actions.max()) + 1), dtype=np.bool_)
    mask[local, actions] = True
    place = mask.cumsum(axis=1) - 1
    legal = np.full((len(mask), int(place.max()) + 1), END, dtype=np.int64)
    states, legal_actions = np.nonzero(mask)
    legal[states, place[states, legal_actions]] = legal_actions
    return legal, place[local, actions]
