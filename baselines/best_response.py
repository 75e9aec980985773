"""Exact best responses to any policy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from baselines.oracle import Seats
from baselines.oracles import oracle_for
from baselines.results import BestResponse
from baselines.seated import seated
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.policy import as_policies


def best_response(
    game: Game[Any], policy: Seats, player: int = 0, *, max_states: int | None = None, illegal: str = "raise"
) -> BestResponse:
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
        max_states: Give up beyond so many states, or positions in a game of many rounds; a million, or four million,
            if None. It is for games whose states are listed: neither duels in which only the order of ranks matters
            nor games on private information.
        illegal: What to do about probability that a policy gives to illegal actions, as one that was learned without
            masks may. "raise" is an error. "renormalise" removes it and scales the rest, which is another policy than
            the one given: a warning says how much was removed, and so does the result.

    Returns:
        Its value and policy.

    Raises:
        ValueError: If the game is of another kind or too large, the player does not exist, or
            a policy does not answer with probabilities. With "renormalise" also if a policy gives all
            probability to illegal actions somewhere.
    """
    require_game(game)
    player = whole_number("player", player, range(game.facts.num_players))
    oracle = oracle_for(game, max_states)
    with seated(game, oracle, as_policies(policy, game), illegal, responder=player) as seats:
        response = oracle.response(seats.policies, player)
    return replace(response, removed=seats.removed, asked=seats.asked)
