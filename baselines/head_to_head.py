"""Exact results of one policy against another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from baselines.asking import seated
from baselines.oracles import oracle_for
from baselines.results import HeadToHead
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.policy import Policy, seated_policies


def head_to_head(
    game: Game[Any], first: Policy | str, second: Policy | str, *, max_states: int | None = None
) -> HeadToHead:
    """Plays two policies against each other over all courses that a game can take.

    Args:
        game: A two-player game, of the kinds that `best_response` takes.
        first: The policy in seat 0.
        second: The policy in seat 1.
        max_states: As for `best_response`.

    Returns:
        Exact probabilities and the exact mean.

    Raises:
        ValueError: If the game is of another kind or too large, or a policy does not answer
            with probabilities.
    """
    require_game(game)
    if game.facts.num_players != 2:
        raise ValueError(f"{game.facts.name}: head_to_head takes two-player games")
    oracle = oracle_for(game, max_states)
    with seated(game, oracle.claims, seated_policies((first, second), game)) as seats:
        odds = oracle.odds(seats.policies)
    return replace(odds, asked=seats.asked)
