"""Exact best responses to any policy, and exact expected payoffs between policies."""

from __future__ import annotations

from typing import Any

from baselines.bayesian import bayesian_response, outcomes
from baselines.duel.response import by_layers, duel_payoffs, duel_response
from baselines.graph.response import graph_payoffs, graph_response
from baselines.oracle import BestResponse, Seats
from baselines.rounds.positions import counts_rounds
from baselines.rounds.response import rounds_payoffs, rounds_response
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import as_policies
from cardwar_envs.games.jujitsu import Jujitsu


def best_response(game: Game[Any], policy: Seats, player: int = 0) -> BestResponse:
    """The exact best response of one player.

    Args:
        game: A game of public state that always ends, small enough to list its states (in a game of
            many rounds for two, its positions), or one in which both players move once on private
            information. In a duel where only the order of ranks matters there can be some ten
            million states, words if the game shows these or the policy has an attribute `by_words`
            that is true (it plays alike in situations with the same word; see `baselines.duel.response`).
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
