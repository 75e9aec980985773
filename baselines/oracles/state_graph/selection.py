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

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game import MatrixSolutions
from baselines.matrix_game.max_entropy import most_even
from baselines.matrix_game.optimal_sets import both_sides
from baselines.oracles.answers.guards import RecordingPolicies
from baselines.oracles.answers.protocol import PLAIN, Exploit, Request, Selection, Starts
from baselines.oracles.answers.results import Strategies
from baselines.oracles.state_graph.backward_induction import EquilibriumTable
from baselines.oracles.state_graph.game_graph import MAX_STATES, GameGraph, build_graph
from baselines.oracles.state_graph.matrix_games import LayerGames, cards_of
from baselines.oracles.state_graph.optimal_play import OptimalPlay
from cardwar_envs.core.arrays import observation_keys
from cardwar_envs.core.game import CERTAIN, Game, Transition
from cardwar_envs.core.policy import Policy, as_policy

SELECTIONS = ("default", "max_entropy", "exploit:POLICY")


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
