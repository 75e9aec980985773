"""The oracle of games with a public state that always end and are small enough to enumerate; floats or fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.guards import exact_probabilities
from baselines.oracles.answers.protocol import BATCH, ExactPayoffs, Payoffs, lead
from baselines.oracles.answers.results import BestResponse, HeadToHead
from baselines.oracles.state_graph.game_graph import END, MAX_STATES, GameGraph, full_graph, group_sums
from cardwar_envs.core.game import Game, Transition
from cardwar_envs.core.numbers import exactly
from cardwar_envs.core.policy import Policy, observation_keys
from cardwar_envs.core.table_policy import TablePolicy


class GraphOracle:
    """The `Oracle` of games whose states are enumerated."""

    def __init__(self, game: Game[Any], max_states: int | None = None) -> None:
        self._game, self._max_states = game, MAX_STATES if max_states is None else max_states

    def response(self, policies: Sequence[Policy], player: int) -> BestResponse:
        graph = full_graph(self._game, self._max_states)
        strategies = [
            None if seat == player else graph.action_probabilities(each, seat) for seat, each in enumerate(policies)
        ]
        value, worth = _respond(graph, strategies, player)
        states, observations, masks = graph.seen_by(player)
        best = np.where(masks == 1, worth[states], -np.inf).argmax(axis=1)
        choices = np.eye(self._game.facts.num_actions)[best]
        return BestResponse(value, TablePolicy(dict(zip(observation_keys(observations), choices, strict=True))))

    def payoffs(self, policies: Sequence[Policy]) -> tuple[Payoffs, Payoffs]:
        graph = full_graph(self._game, self._max_states)
        strategies = [graph.action_probabilities(each, seat) for seat, each in enumerate(policies)]
        responses = []
        for player in range(self._game.facts.num_players):
            others = [None if seat == player else each for seat, each in enumerate(strategies)]
            responses.append(_respond(graph, others, player)[0])
        return _evaluate(graph, strategies), tuple(responses)

    def exact_response(self, policies: Sequence[Policy], player: int) -> BestResponse:
        graph = full_graph(self._game, self._max_states)
        mixes = [{} if seat == player else exact_mixes(graph, each, seat) for seat, each in enumerate(policies)]
        found = ExactWorth(graph, mixes, player, responds=True)
        states, observations, _ = graph.seen_by(player)
        choices = np.eye(self._game.facts.num_actions)[[found.best[graph.states[s]] for s in states]]
        policy = TablePolicy(dict(zip(observation_keys(observations), choices, strict=True)))
        return BestResponse(float(found.at_start), policy, exact=found.at_start)

    def exact_payoffs(self, policies: Sequence[Policy]) -> tuple[ExactPayoffs, ExactPayoffs]:
        graph = full_graph(self._game, self._max_states)
        mixes = [exact_mixes(graph, each, seat) for seat, each in enumerate(policies)]
        followed, responses = (
            tuple(ExactWorth(graph, mixes, player, responds).at_start for player in range(len(policies)))
            for responds in (False, True)
        )
        return followed, responses

    def check_invariances(self, policies: Sequence[Policy | None]) -> int:
        return 0

    def odds(self, policies: Sequence[Policy]) -> HeadToHead:
        graph = full_graph(self._game, self._max_states)
        strategies = [graph.action_probabilities(each, seat) for seat, each in enumerate(policies)]
        payoffs, probabilities = _final_payoffs(graph, graph.edge_weights(strategies))
        ahead = lead(payoffs[:, 0], payoffs[:, 1])
        win, loss = float(probabilities[ahead > 0].sum()), float(probabilities[ahead < 0].sum())
        return HeadToHead(win, loss, float(probabilities[ahead == 0].sum()), float(probabilities @ payoffs[:, 0]))


def _respond(
    graph: GameGraph[Any], strategies: Sequence[NDArray[np.float64] | None], player: int
) -> tuple[float, NDArray[np.float64]]:
    """Returns the best-response value, and each action's worth to go, `[num_states, num_actions]`."""
    weights = graph.edge_weights(strategies)
    actions = np.maximum(graph.actions[:, player], 0)  # where the player does not act, everything is in column 0
    num_actions = graph.game.facts.num_actions
    values = np.zeros(len(graph.states) + 1)  # the last entry, 0, is for END
    worth = np.full((len(graph.states), num_actions), -np.inf)
    for states, edges in graph.backward():
        to_go = weights[edges] * (graph.rewards[edges, player] + values[graph.children[edges]])
        cells = (graph.parents[edges] - states.start) * num_actions + actions[edges]
        size = (states.stop - states.start) * num_actions
        sums, possible = group_sums(cells, to_go, size), np.bincount(cells, minlength=size) > 0
        worth[states] = np.where(possible, sums, -np.inf).reshape(-1, num_actions)
        values[states] = worth[states].max(axis=1)
    return _at_start(graph, values, player), worth


def _evaluate(graph: GameGraph[Any], strategies: Sequence[NDArray[np.float64]]) -> tuple[float, ...]:
    weights = graph.edge_weights(strategies)
    payoffs = []
    for player in range(graph.game.facts.num_players):
        values = np.zeros(len(graph.states) + 1)
        for states, edges in graph.backward():
            to_go = weights[edges] * (graph.rewards[edges, player] + values[graph.children[edges]])
            local = graph.parents[edges] - states.start
            values[states] = group_sums(local, to_go, states.stop - states.start)
        payoffs.append(_at_start(graph, values, player))
    return tuple(payoffs)


def _at_start(graph: GameGraph[Any], values: NDArray[np.float64], player: int) -> float:
    worth = graph.root_rewards[:, player] + values[graph.roots]
    return float(graph.root_probabilities @ worth)


def _final_payoffs(
    graph: GameGraph[Any], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the distribution of whole-game payoffs: `[k, players]` payoff points and `[k]` probabilities.

    Walks forward with one row for each state and payoffs so far.
    """
    rows = _merged(graph.roots.astype(np.int64), graph.root_rewards, graph.root_probabilities)
    for states, _ in reversed(list(graph.backward())):
        numbers, paid, probabilities = rows
        in_layer = numbers >= states.start  # END is below every state
        if not in_layer.any():
            continue
        first, last = graph.first_edge[numbers[in_layer]], graph.first_edge[numbers[in_layer] + 1]
        source = np.repeat(np.flatnonzero(in_layer), last - first)
        edges = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
        onward = probabilities[source] * weights[edges]
        kept = onward > 0.0
        source, edges = source[kept], edges[kept]
        rows = _merged(
            np.concatenate([numbers[~in_layer], graph.children[edges]]),
            np.concatenate([paid[~in_layer], paid[source] + graph.rewards[edges]]),
            np.concatenate([probabilities[~in_layer], onward[kept]]),
        )
    assert (rows[0] == END).all()
    return rows[1], rows[2]


def _merged(
    numbers: NDArray[np.int64], paid: NDArray[np.float64], probabilities: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Adds up the probabilities of rows with the same state and payoffs."""
    keys, group = np.unique(np.column_stack([numbers, paid]), axis=0, return_inverse=True)
    sums = group_sums(group.ravel(), probabilities, len(keys))
    return keys[:, 0].astype(np.int64), keys[:, 1:], sums


# For each state in which a player acts: the probability of each action.
Mixes = dict[Any, Sequence[Fraction]]


def exact_mixes(graph: GameGraph[Any], policy: Policy, player: int) -> Mixes:
    """Queries a policy at every state in which a player acts; raises ValueError like `exact_probabilities`."""
    states, observations, masks = graph.seen_by(player)
    mixes: Mixes = {}
    for start in range(0, len(states), BATCH):
        rows = slice(start, start + BATCH)
        answers = exact_probabilities(policy, observations[rows], masks[rows]).tolist()
        mixes |= {graph.states[s]: answer for s, answer in zip(states[rows], answers, strict=True)}
    return mixes


class ExactWorth:
    """A player's continuation payoff at every state: of its own policy, or of a best response to the other policies.

    Attributes:
        at_start: The payoff of the whole game, in points.
        best: A best response: state -> action, the lowest one in case of ties. Empty for the player's own policy.
    """

    def __init__(self, graph: GameGraph[Any], mixes: Sequence[Mixes], player: int, responds: bool) -> None:
        """Takes one mix per player; ignores the mix of `player` if it responds."""
        self._game, self._mixes, self._player, self._responds = graph.game, mixes, player, responds
        self._to_go: dict[Any, Fraction] = {}
        self.best: dict[Any, int] = {}
        for state in graph.states:  # those closest to the end come first
            worth = self._worth(state)
            own = max(worth, key=lambda action: worth[action])
            self._to_go[state] = worth[own]
            if own is not None:
                self.best[state] = own
        self.at_start = self._mean(graph.game.initial())

    def _worth(self, state: Any) -> dict[int | None, Fraction]:
        """Returns each action's continuation payoff; under None if the player has no choice or does not respond."""
        acting, worth = self._game.acting_players(state), dict[int | None, Fraction]()
        chooses = self._responds and self._player in acting
        for choice in product(*(self._game.legal_actions(state, seat) for seat in acting)):
            actions = dict(zip(acting, choice, strict=True))
            own = actions[self._player] if chooses else None
            fixed = (seat for seat in acting if not (chooses and seat == self._player))
            weight = prod((self._mixes[seat][state][actions[seat]] for seat in fixed), start=Fraction(1))
            worth.setdefault(own, Fraction(0))
            if weight:
                worth[own] += weight * self._mean(self._game.transitions(state, actions))
        return worth

    def _mean(self, outcomes: Sequence[Transition[Any]]) -> Fraction:
        return sum(
            (exactly(each.probability) * (exactly(each.rewards[self._player]) + self._after(each.state))
             for each in outcomes),
            Fraction(0),
        )  # fmt: skip

    def _after(self, state: Any) -> Fraction:
        if state in self._to_go:
            return self._to_go[state]
        settled = self._game.settled(state) if self._game.acting_players(state) else None
        return Fraction(0) if settled is None else exactly(settled[self._player])
