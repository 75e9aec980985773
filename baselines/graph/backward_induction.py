"""Equilibria of finite two-player zero-sum games of public state, from the end to the start.

Each state is one matrix game over the values of the states that follow. Only canonical
representatives are solved; the game says which they are and how actions map back.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.graph.game_graph import MAX_STATES, GameGraph, build_graph
from baselines.graph.matrix_games import LayerGames, values_to_go
from baselines.matrix_game import MatrixSolutions, solve_matrices, solve_matrix_exact
from baselines.oracle import Progress, Strategies, _Solved, joint_choices
from cardwar_envs.core.game import CERTAIN, Game, Transition


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

    def seen(self, observation: NDArray[np.float32]) -> NDArray[np.float64]:
        """The strategy of the player who sees `observation`, `[num_actions]`."""
        state, player = self.game.state_of(observation)
        return self.strategies(state)[player]

    def all_seen(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """`seen` of many observations, `[batch, num_actions]`."""
        answers = np.zeros((len(observations), self.game.facts.num_actions))
        for row, observation in enumerate(observations):
            answers[row] = self.seen(observation)
        return answers

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
            games = LayerGames.of(graph, states, edges)
            matrices = games.joint_sums(values_to_go(graph, edges, values))
            solved = solve_matrices(matrices, *games.masks)
            values[states] = solved.values
            np.maximum.at(gaps, graph.parents[edges], gaps[graph.children[edges]])
            gaps[states] += solved.gaps
            chosen = self._choose(graph, games, matrices, solved)
            strategies = np.stack(
                [games.spread_out(chosen[seat], seat, self.game.facts.num_actions) for seat in (0, 1)], axis=1
            )
            for i, state in enumerate(graph.states[states]):
                s = states.start + i
                self._solved[state] = _Solved(float(values[s]), float(gaps[s]), strategies[i])

    def _choose(
        self, graph: GameGraph[Any], games: LayerGames, matrices: NDArray[np.float64], solved: MatrixSolutions
    ) -> Strategies:
        """Optimal strategies of both players in each game of a layer, `[num_games, own actions]`."""
        return solved.row_strategies, solved.column_strategies

    def _solve_exactly(self, graph: GameGraph[Any]) -> None:
        game = self.game
        for state in graph.states:
            actions = joint_choices(game, state)
            solution = solve_matrix_exact(
                [[self.exact_worth(state, {**row, **column}) for column in actions[1]] for row in actions[0]]
            )
            self.exact_values[state] = solution.value
            strategies = np.zeros((2, game.facts.num_actions))
            for player, strategy in enumerate((solution.row_strategy, solution.column_strategy)):
                for choice, probability in zip(actions[player], strategy, strict=True):
                    strategies[player, list(choice.values())] = float(probability)
            self._solved[state] = _Solved(float(solution.value), 0.0, strategies)

    def exact_worth(self, state: Any, actions: dict[int, int]) -> Fraction:
        """What player 0 is paid for a joint action and from then on, where `solve` was asked for rationals."""
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
        if representative not in self.exact_values:
            self._at(representative)  # which solves the game from there
        value = self.exact_values[representative]
        return -value if seats == (1, 0) else value

    def _at(self, representative: Any) -> _Solved:
        if representative not in self._solved:
            settled = self.game.settled(representative)
            if settled is None:
                # Off the ways that have been solved: solve the game from there (nothing more than that,
                # whatever a subclass adds to it).
                EquilibriumTable.solve(self, [Transition(CERTAIN, representative, (0.0, 0.0))], exact=self._exact)
            else:
                self._solved[representative] = _Solved(settled[0], 0.0, self._lowest_actions(representative))
        return self._solved[representative]

    def _lowest_actions(self, state: Any) -> NDArray[np.float64]:
        # Where the game is settled every strategy is optimal; this one is as good as any.
        strategies = np.zeros((2, self.game.facts.num_actions))
        for player in self.game.acting_players(state):
            strategies[player, self.game.legal_actions(state, player)[0]] = 1.0
        return strategies
