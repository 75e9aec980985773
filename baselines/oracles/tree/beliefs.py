"""What players of an equilibrium can expect at their information states, given only what they have seen.

Player 0's belief at an information state is the distribution of the states that it cannot tell apart, if player 1 has
played its equilibrium strategy. The worth of an action is the expected payoff to go under this belief, against the same
strategy, if player 0's own continuation is optimal. Where its own strategy never leads, an equilibrium may play
anything; there, its moves are replaced by those of a best response, which changes no payoff of the equilibrium.

Settled states are not listed: all expectations are given that the rest of the game still matters.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from baselines.oracles.state_graph.game_graph import END, full_graph, group_sums
from baselines.oracles.tree.histories import sequence_form
from baselines.oracles.tree.oracle import behaviour_of, best_behaviour, table_rows
from baselines.oracles.tree.sequence_form import Floats
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy, observation_keys
from cardwar_envs.core.table_policy import TablePolicy

# Smaller probabilities of an information state count as 0: they are rounding errors of a solver.
NEGLIGIBLE = 1e-12


class Expectations(NamedTuple):
    """What a player can expect at an information state.

    Attributes:
        actions: The legal actions, ascending.
        mix: `[actions]` probabilities in the equilibrium.
        worth: `[actions]` expected payoff points to go.
        reach: Probability that chance and the opponent's strategy lead here if the player itself wants to come here; 0
            if they never do, or if the payoffs are decided. Then `worth` is 0 throughout.
    """

    actions: tuple[int, ...]
    mix: Floats
    worth: Floats
    reach: float


class Beliefs:
    """Computes `Expectations` of both players of a solved game, on the graph of all states.

    Observations hold everything that players have seen, otherwise the game is not solved; so information states are
    observations.
    """

    def __init__(self, game: Game[Any], equilibrium: Policy) -> None:
        self._game, self._graph = game, full_graph(game, sys.maxsize)
        self._numbers = {state: number for number, state in enumerate(self._graph.states)}
        completed = _completed(game, equilibrium)
        self._mixes = [self._graph.action_probabilities(each, player) for player, each in enumerate(completed)]
        self._to_go = self._swept()
        self._expectations = [self._expected(player) for player in (0, 1)]

    def to_go(self, state: Any, player: int) -> float:
        """Returns the expected payoff to go if both players play the equilibrium and know the state."""
        number = self._numbers.get(state)
        if number is not None:
            return float(self._to_go[number, player])
        settled = self._game.settled(state) if self._game.acting_players(state) else None
        return 0.0 if settled is None else float(settled[player])

    def at(self, state: Any, player: int) -> Expectations:
        """Returns what an acting player can expect; it is the same in all states that the player cannot tell apart."""
        actions, (seen,) = [*self._game.legal_actions(state, player)], self._keys([state], player)
        groups, reach, mixes, worths = self._expectations[player]
        group = groups.get(seen)
        if group is None:  # settled
            return Expectations((*actions,), np.full(len(actions), 1.0 / len(actions)), np.zeros(len(actions)), 0.0)
        return Expectations((*actions,), mixes[group, actions], worths[group, actions], float(reach[group]))

    def _keys(self, states: list[Any], player: int) -> list[bytes]:
        return observation_keys(np.array([self._game.observation(state, player) for state in states]))

    def _swept(self) -> Floats:
        """Returns `[states + 1, players]` payoffs to go; the last row, 0, is for `END`."""
        graph, values = self._graph, np.zeros((len(self._graph.states) + 1, 2))
        weights = graph.edge_weights(self._mixes)
        for states, edges in graph.backward():
            paid = weights[edges, None] * (graph.rewards[edges] + values[graph.children[edges]])
            local, size = graph.parents[edges] - states.start, states.stop - states.start
            values[states] = np.column_stack([group_sums(local, column, size) for column in paid.T])
        return values

    def _expected(self, player: int) -> tuple[dict[bytes, int], Floats, Floats, Floats]:
        """Returns a number for each of a player's observations, and by number the reach, the mixes and the worths."""
        graph, num_actions = self._graph, self._game.facts.num_actions
        weights = graph.edge_weights([None if seat == player else mix for seat, mix in enumerate(self._mixes)])
        reach = np.zeros(len(graph.states) + 1)
        np.add.at(reach, graph.roots, graph.root_probabilities)
        for _, edges in reversed([*graph.backward()]):
            np.add.at(reach, graph.children[edges], reach[graph.parents[edges]] * weights[edges])
        acts, observations, _ = graph.seen_by(player)
        numbers: dict[bytes, int] = {}
        groups = np.full(len(graph.states), END, dtype=np.int64)
        groups[acts] = [numbers.setdefault(key, len(numbers)) for key in observation_keys(observations)]
        total, mixes = group_sums(groups[acts], reach[acts], len(numbers)), np.zeros((len(numbers), num_actions))
        total[total <= NEGLIGIBLE] = 0.0
        mixes[groups[acts]] = self._mixes[player][acts]
        chosen = np.flatnonzero(graph.actions[:, player] != END)
        paid = graph.rewards[chosen, player] + self._to_go[graph.children[chosen], player]
        cells = groups[graph.parents[chosen]] * num_actions + graph.actions[chosen, player]
        sums = group_sums(cells, reach[graph.parents[chosen]] * weights[chosen] * paid, len(total) * num_actions)
        sums = sums.reshape(-1, num_actions)
        worths = np.divide(sums, total[:, None], out=np.zeros_like(sums), where=total[:, None] > 0.0)
        return numbers, total, mixes, worths


def _completed(game: Game[Any], equilibrium: Policy) -> list[Policy]:
    """Returns each player's strategy, with a best response where the strategy never leads."""
    form = sequence_form(game, sys.maxsize)
    behaviours = [behaviour_of(own, equilibrium) for own in form.decisions]
    plans = [own.plan(each) for own, each in zip(form.decisions, behaviours, strict=True)]
    completed: list[Policy] = []
    for player, own in enumerate(form.decisions):
        never = np.concatenate([[False], (plans[player][own.parents] <= NEGLIGIBLE)[own.owners]])
        best = best_behaviour(own, own.best(form.worth(player, plans)))
        completed.append(TablePolicy(table_rows(own, np.where(never, best, behaviours[player]))))
    return completed
