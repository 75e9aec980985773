"""Exact results of one policy against another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.bayesian import outcomes
from baselines.duel_response import by_layers, duel_outcomes
from baselines.game_graph import END, GameGraph, full_graph, group_sums
from baselines.rounds_play import rounds_outcomes
from baselines.sweeps import counts_rounds
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy, seated_policies


@dataclass(frozen=True)
class HeadToHead:
    """What happens between two policies, from the first one's side.

    Attributes:
        win: Probability that the first gets more than the second.
        loss: Probability that it gets less.
        tie: Probability that both get the same.
        mean: Expected payoff to the first, payoff points.
    """

    win: float
    loss: float
    tie: float
    mean: float


def head_to_head(game: Game[Any], first: Policy | str, second: Policy | str) -> HeadToHead:
    """Plays two policies against each other over all courses that a game can take.

    Args:
        game: A two-player game of public state that always ends, small enough to list its states (in a
            game of many rounds, its positions), or one in which both players move once on private
            information.
        first: Who sits in seat 0.
        second: Who sits in seat 1.

    Returns:
        Exact probabilities and the exact mean.

    Raises:
        ValueError: If the game is of another kind or too large, or a policy does not answer
            with probabilities.
    """
    if game.facts.num_players != 2:
        raise ValueError(f"{game.facts.name}: head_to_head takes two-player games")
    if not game.facts.public_state:
        worth, odds = outcomes(game, (first, second))
        win, loss, tie = (float(odds[sign].sum()) for sign in (worth > 0, worth < 0, worth == 0))
        return HeadToHead(win, loss, tie, float((worth * odds).sum()))
    policies = seated_policies((first, second), game)
    if counts_rounds(game):
        win, loss, tie = rounds_outcomes(game, policies[0], policies[1])
        return HeadToHead(win, loss, tie, win - loss)
    if by_layers(game):
        win, loss, mean = duel_outcomes(game, policies)
        return HeadToHead(min(win, 1.0), min(loss, 1.0), max(1.0 - win - loss, 0.0), mean)
    return graph_head_to_head(game, policies)


def graph_head_to_head(game: Game[Any], policies: Sequence[Policy]) -> HeadToHead:
    """`head_to_head` in any game of public state that always ends, small enough to list its states."""
    graph = full_graph(game)
    strategies = [graph.action_probabilities(each, seat) for seat, each in enumerate(policies)]
    payoffs, probabilities = _final_payoffs(graph, graph.edge_weights(strategies))
    ahead = payoffs[:, 0] - payoffs[:, 1]
    win, loss = float(probabilities[ahead > 0].sum()), float(probabilities[ahead < 0].sum())
    return HeadToHead(win, loss, float(probabilities[ahead == 0].sum()), float(probabilities @ payoffs[:, 0]))


def _final_payoffs(
    graph: GameGraph[Any], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The distribution of whole-game payoffs: `[k, players]` payoff points and `[k]` probabilities.

    Walks from the start to the end with one row for each state and payoffs so far.
    """
    rows = _merged(graph.roots.astype(np.int64), graph.root_rewards, graph.root_probabilities)
    for states, _ in reversed(list(graph.backward())):
        places, paid, probabilities = rows
        here = places >= states.start  # END is below every state
        if not here.any():
            continue
        first, last = graph.first_edge[places[here]], graph.first_edge[places[here] + 1]
        source = np.repeat(np.flatnonzero(here), last - first)
        edges = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
        onward = probabilities[source] * weights[edges]
        kept = onward > 0.0
        source, edges = source[kept], edges[kept]
        rows = _merged(
            np.concatenate([places[~here], graph.children[edges]]),
            np.concatenate([paid[~here], paid[source] + graph.rewards[edges]]),
            np.concatenate([probabilities[~here], onward[kept]]),
        )
    assert (rows[0] == END).all()  # every layer has been walked through
    return rows[1], rows[2]


def _merged(
    places: NDArray[np.int64], paid: NDArray[np.float64], probabilities: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Adds up the probabilities of rows with the same state and payoffs."""
    keys, group = np.unique(np.column_stack([places, paid]), axis=0, return_inverse=True)
    sums = group_sums(group.ravel(), probabilities, len(keys))
    return keys[:, 0].astype(np.int64), keys[:, 1:], sums
