"""Equilibria of finite two-player zero-sum games with a public state, by backward induction.

Each state is a matrix game over the values of its successors. Only canonical representatives are solved;
`Game.canonical` and `Game.canonical_actions` map states and actions to them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game import MatrixSolutions, solve_matrices, solve_matrix_exact
from baselines.matrix_game.continuation import Strategies, matrix_at
from baselines.matrix_game.optimal_sets import evenly_if_optimal, exactly_even
from baselines.oracles.answers.estimates import in_words
from baselines.oracles.answers.protocol import PLAIN, CanonicalTable, Progress, Request, SolvedState, Starts, expect
from baselines.oracles.state_graph.exact_work import ExactWork
from baselines.oracles.state_graph.game_graph import MAX_STATES, GameGraph, build_graph, require_size
from baselines.oracles.state_graph.matrix_games import LayerGames, cards_at, cards_of, values_to_go
from baselines.oracles.state_graph.soundness import require_starts
from cardwar_envs.core.game import CERTAIN, Game, Transition
from cardwar_envs.core.numbers import exactly
from cardwar_envs.core.rules import TooLargeError

# Default limit on the states of a game that is solved exactly; and a limit on its forecast, a day.
MOST_EXACTLY, MOST_EXACT_SECONDS = 100_000, 86_400.0


class EquilibriumTable(CanonicalTable):
    """Values and strategies at every state of a game, through its canonical representatives.

    Among several optimal strategies, uniform play over cards is selected if the game declares it optimal
    (`Game.uniform_is_optimal`) and the certificate confirms it. Otherwise `baselines.matrix_game` selects one at the
    representative.
    """

    def __init__(self, game: Game[Any]) -> None:
        super().__init__(game)
        self._solved: dict[Any, SolvedState] = {}
        self._exact_values: dict[Any, Fraction] | None = None

    def _value(self, state: Any) -> float:
        representative, seats = self.game.canonical(state)
        value = self._solve_state(representative).value
        return -value if seats == (1, 0) else value

    def _gap(self, state: Any) -> float:
        return self._solve_state(self.game.canonical(state).state).gap

    def solve(self, starts: Starts, request: Request = PLAIN) -> int:
        roots = [start._replace(state=self.game.canonical(start.state).state) for start in starts]
        most = request.max_states or (MOST_EXACTLY if request.exact else MAX_STATES)
        if starts == self.game.initial():
            require_size(self.game, canonical=True, max_states=most)
            require_starts(self.game)
        exploring = None if request.exact else request.progress  # few states, and counted when they are solved
        graph = build_graph(self.game, roots, canonical=True, max_states=most, progress=exploring)
        if request.exact:
            self._solve_exactly(graph, request.progress)
        else:
            self._solve_layers(graph)
        return len(graph.states)

    def _solve_layers(self, graph: GameGraph[Any]) -> None:
        # One extra entry, 0, for END (-1).
        values, gaps = np.zeros(len(graph.states) + 1), np.zeros(len(graph.states) + 1)
        for states, edges in graph.backward():
            games = LayerGames.of(graph, states, edges)
            matrices = games.sums(values_to_go(graph, edges, values), 0, 1)
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
                self._solved[state] = SolvedState(float(values[s]), float(gaps[s]), strategies[i])

    def _choose(
        self, graph: GameGraph[Any], games: LayerGames, matrices: NDArray[np.float64], solved: MatrixSolutions
    ) -> Strategies:
        """Returns optimal strategies of both players in each game of a layer, `[num_games, own actions]`."""
        if not self.game.uniform_is_optimal():
            return solved.row_strategies, solved.column_strategies
        cards = cards_of(graph, games, 0), cards_of(graph, games, 1)
        return evenly_if_optimal(matrices, solved, cards, games.masks)

    def _solve_exactly(self, graph: GameGraph[Any], progress: Progress | None) -> None:
        self._exact_values = self._exact_values or {}
        expect(progress, len(graph.states))
        work, forecast = ExactWork(graph), getattr(progress, "forecast", None)
        for layer, (states, _) in enumerate(graph.backward()):
            seconds = work.seconds(layer)
            if seconds > MOST_EXACT_SECONDS:
                raise TooLargeError(
                    f"{self.game.facts.name}: fractions get so long that solving in rational arithmetic takes "
                    f"{in_words(seconds)} or more; solve a smaller game, or use floats, which give a certified gap"
                )
            if forecast is not None:
                forecast(seconds)
            for s in range(states.start, states.stop):
                work.record(s, *self._solve_state_exactly(graph.states[s]))
                if progress is not None:
                    progress(s + 1)
            work.learn(layer)

    def _solve_state_exactly(self, state: Any) -> tuple[list[list[Fraction]], Fraction]:
        """Solves a state whose successors are solved; returns its matrix game and the value."""
        game, values = self.game, self._exact_values
        assert values is not None
        matrix = matrix_at(game, state, exactly, self.exact_value_to_go)
        solution = solve_matrix_exact(matrix)
        values[state] = solution.value
        turned = [[-payoff for payoff in column] for column in zip(*matrix, strict=True)]
        sides = (matrix, solution.value, solution.row_strategy), (turned, -solution.value, solution.column_strategy)
        strategies = np.full((2, game.facts.num_actions), Fraction(0))
        for player in game.acting_players(state):
            payoffs, value, strategy = sides[player]
            legal = list(game.legal_actions(state, player))
            if game.uniform_is_optimal():
                cards = [int(count) for count in cards_at(game, state, player)[legal]]
                strategy = exactly_even(payoffs, value, cards) or strategy
            strategies[player, legal] = strategy
        self._solved[state] = SolvedState(float(solution.value), 0.0, strategies.astype(float), strategies)
        return matrix, solution.value

    def exact_value_to_go(self, state: Any) -> Fraction:
        if self._exact_values is None:
            return super().exact_value_to_go(state)
        decided = self._decided(state)
        if decided is not None:
            return exactly(decided)
        representative, seats = self.game.canonical(state)
        self._solve_state(representative)
        value = self._exact_values[representative]
        return -value if seats == (1, 0) else value

    def _solve_state(self, representative: Any) -> SolvedState:
        if representative not in self._solved:
            # Unreachable from the solved starts: solve the game from there (without a subclass's additions).
            start = Transition(CERTAIN, representative, (0.0, 0.0))
            EquilibriumTable.solve(self, [start], Request(exact=self._exact_values is not None))
        return self._solved[representative]
