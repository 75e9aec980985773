"""Chooses the oracle for a game: the first that supports it, for measuring policies or for solving."""

from __future__ import annotations

import sys
from typing import Any, NoReturn, cast

from baselines.oracles.answers.protocol import Oracle, Request
from baselines.oracles.bayesian.solver import BayesianOracle, form_of
from baselines.oracles.finite_horizon.response import RoundsOracle
from baselines.oracles.rank_games.oracle import RankOracle
from baselines.oracles.state_graph.response import GraphOracle
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.game import Game, require_game, require_two_zero_sum
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.policy import Masks, Observations

# Default limit on the states where policies are measured exactly, about a millisecond each.
EXACT_STATES = 30_000

# The last one accepts every game with a public state.
ORACLES: tuple[type[Oracle], ...] = (BayesianOracle, RoundsOracle, RankOracle, GraphOracle)


@cached_by_game(8)
def oracle_for(game: Game[Any], max_states: int | None = None, exact: bool = False, question: str = "") -> Oracle:
    """Returns the oracle that measures policies, cached; an `ExactOracle` if `exact`.

    Raises a ValueError if `game` is not a game, `max_states` does not apply to it, or the question, "exploitability" or
    "head_to_head", is not defined for it.
    """
    require_game(game)
    if question == "exploitability":
        require_two_zero_sum(game, question, "; use nash_conv")
    if question == "head_to_head" and game.facts.num_players != 2:
        raise ValueError(f"{game.facts.name}: {question} supports only two-player games")
    if max_states is not None:
        max_states = whole_number("max_states", max_states, range(1, sys.maxsize))
    family = next(family for family in ORACLES if family.takes(game))
    if family is BayesianOracle:
        if max_states is not None:
            raise ValueError(
                f"max_states ({max_states}) does not apply to {game.facts.name}: its states are not enumerated"
            )
        return family(game)
    return GraphOracle(game, max_states or EXACT_STATES) if exact else cast(Any, family)(game, max_states)


def solver_for(game: Game[Any], request: Request) -> Oracle:
    """Returns the oracle for the requested equilibrium; raises a ValueError if it does not support an option."""
    if request.max_states is not None:
        whole_number("max_states", request.max_states, range(1, sys.maxsize))
    family = next(family for family in ORACLES if family.solves(game, request))
    options = {"engine": request.engine, "keep_layers": request.keep_layers, "cache": request.cache}
    for option, value in options.items():
        if value is not None and family is not RankOracle:
            raise ValueError(
                f"{option} ({value}) does not apply here: it needs a duel or Goofspiel in which only the order of "
                "ranks matters, hands that are not too long, and solving in floats"
            )
    return family(game)


def has_exact_results(game: Game[Any]) -> bool:
    """Returns whether `head_to_head` supports the game, if it is not too large, and its histories are few enough."""
    require_game(game)
    # Enumerating the histories of a game with a round limit could take practically forever.
    if game.facts.num_players != 2 or game.facts.max_rounds is not None:
        return False
    try:
        return game.facts.public_state or form_of(game).certain
    except ValueError:  # private information, but not one move each
        return False


@cached_by_game(32)
def within_reach(game: Game[Any]) -> bool:
    """Returns whether any policy can be measured exactly and quickly, within the default limits.

    Oracles that enumerate states, or query a policy state by state, accept fewer states here than in `nash_conv`.
    """
    oracle = oracle_for(game)
    if isinstance(oracle, GraphOracle | RankOracle):
        oracle = oracle_for(game, oracle.quick_states(game))
    try:
        oracle.payoffs([_QueriedPolicy()] * game.facts.num_players)
    except _QueriedError:
        return True
    except ValueError:
        return False
    return True  # no player has a choice anywhere


class _QueriedError(Exception):
    """Signals that an oracle accepted the game and began to query policies."""


class _QueriedPolicy:
    """Raises an error when it is first queried."""

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> NoReturn:
        raise _QueriedError
