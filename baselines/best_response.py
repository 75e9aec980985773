"""Exact best responses to any policy, and exact expected payoffs between policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.bayesian import bayesian_response, outcomes
from baselines.duel_response import by_layers, duel_payoffs, duel_response
from baselines.game_graph import GameGraph, as_policies, full_graph, group_sums
from baselines.rounds_play import rounds_payoffs, rounds_response
from baselines.sweeps import counts_rounds
from baselines.table_policy import TablePolicy
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from cardwar_envs.games.jujitsu import Jujitsu

Seats = Policy | str | Sequence[Policy | str]


@dataclass(frozen=True)
class BestResponse:
    """The best that one player can do against fixed policies of the others.

    Attributes:
        value: Its expected payoff, payoff points.
        policy: A deterministic best response (the lowest of the best actions), for that seat.
    """

    value: float
    policy: Policy


def best_response(game: Game[Any], policy: Seats, player: int = 0) -> BestResponse:
    """The exact best response of one player.

    Args:
        game: A game of public state that always ends, small enough to list its states (in a game of
            many rounds for two, its positions), or one in which both players move once on private
            information. In a duel where only the order of ranks matters there can be some ten
            million states, words if the game shows these or the policy has an attribute `by_words`
            that is true (it plays alike in situations with the same word; see `baselines.duel_response`).
        policy: What the others play: one policy for all seats, or one per seat (the one in
            `player`'s seat is not used). In a game of many rounds it is asked once for every number
            of rounds left, or once altogether if it has an attribute `stationary` that is true.
        player: Who responds.

    Returns:
        Its value and policy.

    Raises:
        ValueError: If the game is of another kind or too large, the player does not exist, or
            a policy does not answer with probabilities.
    """
    if player not in range(game.facts.num_players):
        raise ValueError(f"player ({player}) must be in 0..{game.facts.num_players - 1}")
    if not game.facts.public_state:
        return BestResponse(*bayesian_response(game, policy, player))
    if counts_rounds(game):
        return BestResponse(*rounds_response(game, as_policies(policy, game)[1 - player], player))
    if by_layers(game):
        return BestResponse(*duel_response(game, as_policies(policy, game), player))
    return graph_response(game, as_policies(policy, game), player)


def load_kernels(game: Game[Any]) -> None:
    """Lets the kernels for such a game be compiled or loaded, so that what is timed afterwards is work."""
    if by_layers(game):
        smallest = Jujitsu(num_cards=2)
        duel_payoffs(smallest, as_policies("uniform", smallest))


def graph_response(game: Game[Any], policies: Sequence[Policy], player: int) -> BestResponse:
    """`best_response` in any game of public state that always ends, small enough to list its states."""
    graph = full_graph(game)
    strategies = [
        None if seat == player else graph.action_probabilities(each, seat) for seat, each in enumerate(policies)
    ]
    value, worth = _respond(graph, strategies, player)
    states, observations, masks = graph.seen_by(player)
    best = np.where(masks == 1, worth[states], -np.inf).argmax(axis=1)
    choices = np.eye(game.facts.num_actions)[best]
    table = {row.tobytes(): choice for row, choice in zip(observations, choices, strict=True)}
    return BestResponse(value, TablePolicy(table))


def payoffs_and_responses(game: Game[Any], policy: Seats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """What each player gets when all follow `policy`, and what its best response would get.

    Args:
        game: As for `best_response`.
        policy: One policy for all seats, or one per seat.

    Returns:
        Expected payoffs and best-response values, payoff points, one per player.

    Raises:
        ValueError: As for `best_response`.
    """
    if not game.facts.public_state:
        worth, probabilities = outcomes(game, policy)
        payoff = float((worth * probabilities).sum())
        return (payoff, -payoff), (bayesian_response(game, policy, 0)[0], bayesian_response(game, policy, 1)[0])
    if counts_rounds(game):
        first, second = as_policies(policy, game)
        return rounds_payoffs(game, first, second)
    if by_layers(game):
        return duel_payoffs(game, as_policies(policy, game))
    return graph_payoffs(game, as_policies(policy, game))


def graph_payoffs(game: Game[Any], policies: Sequence[Policy]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """`payoffs_and_responses` in any game of public state that always ends, small enough to list its states."""
    graph = full_graph(game)
    strategies = [graph.action_probabilities(each, seat) for seat, each in enumerate(policies)]
    responses = []
    for player in range(game.facts.num_players):
        others = [None if seat == player else each for seat, each in enumerate(strategies)]
        responses.append(_respond(graph, others, player)[0])
    return _evaluate(graph, strategies), tuple(responses)


def _respond(
    graph: GameGraph[Any], strategies: Sequence[NDArray[np.float64] | None], player: int
) -> tuple[float, NDArray[np.float64]]:
    """Best-response value and `[num_states, num_actions]` worth of each action, to go."""
    weights = graph.edge_weights(strategies)
    actions = np.maximum(graph.actions[:, player], 0)  # where the player waits, all is in column 0
    num_actions = graph.game.facts.num_actions
    values = np.zeros(len(graph.states) + 1)  # the last entry, 0, is what END finds
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
