"""Selects among equilibria: which optimal strategy is played at a state that has several.

Each selection picks, at every state, one strategy from the polytope of optimal strategies, so it guarantees the game's
value.

* `default`: uniform over cards if the game declares this optimal at every state (`Game.uniform_is_optimal`) and the
  state's certificate confirms it; else the choice of `baselines.matrix_game`.
* `max_entropy`: the strategy of greatest entropy over cards (two cards of one rank share its probability), to within
  `ENTROPY_GAP`.
* `exploit:POLICY`: the strategy that earns most against that policy, given the same choice at later states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game import MatrixSolutions, solve_matrices
from baselines.matrix_game.continuation import Strategies
from baselines.matrix_game.max_entropy import most_even
from baselines.matrix_game.optimal_sets import Faces, best_optimal, both_sides
from baselines.oracles.answers.guards import RecordingPolicies
from baselines.oracles.answers.protocol import PLAIN, Exploit, Request, Selection, Starts, solve_table
from baselines.oracles.answers.results import StateSolution
from baselines.oracles.state_graph.backward_induction import EquilibriumTable
from baselines.oracles.state_graph.game_graph import MAX_STATES, GameGraph, build_graph
from baselines.oracles.state_graph.matrix_games import LayerGames, cards_of, values_to_go
from cardwar_envs.core.game import CERTAIN, Game, Transition
from cardwar_envs.core.policy import Policy, observation_keys
from cardwar_envs.core.policy_names import as_policy

Array = NDArray[np.float64]
# Per seat `[num_states, num_actions]` probabilities.
BySeat = Sequence[Array] | Array
# From the games of a layer, a player's optimal strategies, its seat and the worth of each action: the strategies that
# it plays, `[num_games, own actions]`, and a bound on what they miss, `[num_games]`.
Choice = Callable[[LayerGames, Faces, int, Array], tuple[Array, Array]]
SELECTIONS = ("default", "max_entropy", "exploit:POLICY")


def solve_graph(game: Game[Any], request: Request) -> StateSolution:
    """Returns the equilibrium of a game with a public state."""
    if request.exact and request.selection != "default":
        raise ValueError(f"selection ({request.selection!r}) must be 'default' for an exact solution (--exact)")
    method = "backward induction in rationals" if request.exact else "backward induction"
    return solve_table(table_for(game, request.selection), method, request)


def table_for(game: Game[Any], selection: Selection) -> EquilibriumTable:
    """Returns an empty table with that selection; raises a ValueError if there is none, or its policy does not fit."""
    if selection == "default":
        return EquilibriumTable(game)
    if selection == "max_entropy":
        return MaxEntropyTable(game)
    if isinstance(selection, str):
        kind, _, name = selection.partition(":")
        if kind != "exploit" or not name:
            raise ValueError(f"selection ({selection!r}) must be one of {', '.join(SELECTIONS)}")
        selection = Exploit(name)
    if not isinstance(selection, Exploit):
        raise ValueError(f"selection ({selection!r}) must be a name or an Exploit")
    return ExploitTable(game, as_policy(selection.policy, game))


class MaxEntropyTable(EquilibriumTable):
    """Plays the optimal strategy of greatest entropy over cards."""

    def _choose(
        self, graph: GameGraph[Any], games: LayerGames, matrices: NDArray[np.float64], solved: MatrixSolutions
    ) -> Strategies:
        faces = both_sides(matrices, solved, games.masks)
        return most_even(faces[0], cards_of(graph, games, 0)), most_even(faces[1], cards_of(graph, games, 1))


class ExploitTable(EquilibriumTable):
    """Plays the optimal strategy that earns most against one policy.

    That policy sees raw observations and may play differently in states with the same canonical form, so the choice is
    made separately for every state and stored under its observation.
    """

    by_words = False

    def __init__(self, game: Game[Any], opponent: Policy) -> None:
        super().__init__(game)
        self._opponent = opponent
        self._chosen: dict[bytes, NDArray[np.float64]] = {}

    def solve(self, starts: Starts, request: Request = PLAIN) -> int:
        solved = super().solve(starts, request)
        self._choose_from(starts, request.max_states or MAX_STATES)
        return solved

    def seen(self, observation: NDArray[np.float32]) -> NDArray[np.float64]:
        chosen = self._chosen.get(observation_keys(observation[None])[0])
        return super().seen(observation) if chosen is None else chosen

    def _strategy(self, state: Any, player: int) -> NDArray[np.float64]:
        if player not in self.game.acting_players(state) or self.game.settled(state) is not None:
            return super()._strategy(state, player)
        (key,) = observation_keys(self.game.observation(state, player)[None])
        if key not in self._chosen:  # unreachable from the solved starts
            self._choose_from([Transition(CERTAIN, state, (0.0,) * 2)], MAX_STATES)
        return self._chosen[key].copy()

    def _choose_from(self, starts: Starts, max_states: int) -> None:
        graph = build_graph(self.game, starts, max_states=max_states)
        recorded = RecordingPolicies(self.game, [self._opponent] * 2)
        opponent = [graph.action_probabilities(each, seat) for seat, each in enumerate(recorded.seats)]
        recorded.repeat_queries()
        chosen = OptimalPlay(graph).extreme(opponent, graph.rewards).strategies
        for seat in (0, 1):
            states, observations, _ = graph.seen_by(seat)
            for key, strategy in zip(observation_keys(observations), chosen[seat, states], strict=True):
                self._chosen.setdefault(key, strategy)  # seat 0 decides for an observation that both seats share


class Extreme(NamedTuple):
    """The maximum of an objective over one player's optimal strategies, by its seat, against an opponent.

    `worth` is `[2, num_states + 1]`, with 0 in the last column; `strategies` is `[2, num_states, num_actions]`.
    `slack` bounds the error of the maximum at the start, by rounding.
    """

    worth: Array
    strategies: Array
    slack: float


class OptimalPlay:
    """The optimal strategies at all states of a graph, and the extremes of an objective over them against an opponent.

    At every state each player has a polytope of optimal strategies. Picking one of them at each state gives an
    equilibrium strategy. The picks are independent, so backward induction finds the extremes over all of them.
    Strategies that are optimal at the start but err at states that an optimal opponent never reaches are not included.

    Attributes:
        graph: The states of a two-player zero-sum game with a public state.
        values: `[num_states + 1]` continuation values to player 0, in payoff points; the last entry is 0.
    """

    def __init__(self, graph: GameGraph[Any]) -> None:
        self.graph = graph
        self.values = np.zeros(len(graph.states) + 1)
        self._layers = [self._solved(states, edges) for states, edges in graph.backward()]

    def _solved(self, states: slice, edges: slice) -> tuple[LayerGames, tuple[Faces, Faces]]:
        games = LayerGames.of(self.graph, states, edges)
        matrices = games.sums(values_to_go(self.graph, edges, self.values), 0, 1)
        solved = solve_matrices(matrices, *games.masks)
        self.values[states] = solved.values
        return games, both_sides(matrices, solved, games.masks)

    def extreme(self, opponent: BySeat, paid: Array) -> Extreme:
        """Maximises an objective over optimal play against an opponent.

        The objective `paid`, `[num_edges, 2]`, is each edge's worth to the player in either seat, e.g. its rewards,
        or 1 where the game is won. Negate it to minimise.
        """
        return self._induce(opponent, paid, lambda games, faces, seat, objectives: best_optimal(faces, objectives))

    def _induce(self, opponent: BySeat, paid: Array, choose: Choice) -> Extreme:
        graph, count = self.graph, len(self.graph.states)
        num_actions = graph.game.facts.num_actions
        weights = [graph.edge_weights([None, opponent[1]]), graph.edge_weights([opponent[0], None])]
        worth, slack = np.zeros((2, count + 1)), np.zeros((2, count + 1))
        strategies = np.zeros((2, count, num_actions))
        for games, faces in self._layers:
            edges, children = games.edges, graph.children[games.edges]
            for seat in (0, 1):
                after = np.where(graph.swapped[edges], 1 - seat, seat)
                to_go = weights[seat][edges] * (paid[edges, seat] + worth[after, children])
                objectives = games.sums(to_go, seat)
                chosen, missed = choose(games, faces[seat], seat, objectives)
                strategies[seat, games.states] = games.spread_out(chosen, seat, num_actions)
                np.maximum.at(slack[seat], graph.parents[edges], slack[after, children])
                slack[seat, games.states] += missed
                worth[seat, games.states] = (chosen * objectives).sum(axis=1)
        return Extreme(worth, strategies, float(slack[:, graph.roots].max()))
