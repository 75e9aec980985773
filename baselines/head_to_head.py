"""Exact results of one policy against another."""

from __future__ import annotations

from typing import Any

from baselines.bayesian import outcomes
from baselines.duel.response import by_layers, duel_outcomes
from baselines.graph.response import graph_head_to_head
from baselines.oracle import HeadToHead
from baselines.rounds.positions import counts_rounds
from baselines.rounds.response import rounds_outcomes
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy, seated_policies


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
