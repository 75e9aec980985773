"""Chooses the oracle for a game: the first that supports it, for measuring policies or for solving."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

from baselines.oracles.answers.protocol import Oracle, Request
from baselines.oracles.answers.results import Solution
from baselines.oracles.bayesian.solver import BayesianOracle, form_of, moves_once, solve_bayesian
from baselines.oracles.finite_horizon.positions import counts_rounds
from baselines.oracles.finite_horizon.response import RoundsOracle
from baselines.oracles.finite_horizon.value_iteration import solve_rounds
from baselines.oracles.rank_games.oracle import RankOracle
from baselines.oracles.rank_games.sizes import quick_states, ranks_matter
from baselines.oracles.rank_games.solver import solve_ranks, solves_ranks
from baselines.oracles.state_graph.response import GraphOracle
from baselines.oracles.state_graph.selection import solve_graph
from baselines.oracles.tree.oracle import TreeOracle
from baselines.oracles.tree.solver import solve_tree
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.constant_sum import require_constant_sum
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.policy import Masks, Observations

# Default limit on the states where policies are measured exactly, about a millisecond each.
EXACT_STATES = 30_000
# Limit on the states where measuring a policy takes seconds.
QUICK_STATES = 100_000

# Each oracle that measures policies, after the test of which games it takes; the last one takes the rest.
ORACLES: tuple[tuple[Callable[[Game[Any]], bool], Any], ...] = (
    (moves_once, BayesianOracle),
    (lambda game: not game.facts.public_state, TreeOracle),
    (counts_rounds, RoundsOracle),
    (ranks_matter, RankOracle),
    (lambda game: True, GraphOracle),
)
# Each function that solves games, after the test of which games and requests it takes; the last one takes the rest.
Solver = Callable[[Game[Any], Request], Solution]
SOLVERS: tuple[tuple[Callable[[Game[Any], Request], bool], Solver], ...] = (
    (lambda game, request: moves_once(game), solve_bayesian),
    (lambda game, request: not game.facts.public_state, solve_tree),
    (lambda game, request: request.plain and counts_rounds(game), solve_rounds),
    (solves_ranks, solve_ranks),
    (lambda game, request: True, solve_graph),
)


@cached_by_game(8)
def oracle_for(game: Game[Any], max_states: int | None = None, exact: bool = False, question: str = "") -> Oracle:
    """Returns the oracle that measures policies, cached; an `ExactOracle` if `exact`.

    Raises a ValueError if `game` is not a game, `max_states` does not apply to it, or the question, "exploitability" or
    "head_to_head", is not defined for it.
    """
    require_game(game)
    if question == "exploitability":
        require_constant_sum(game, question, "; use nash_conv")
    if question == "head_to_head" and game.facts.num_players != 2:
        raise ValueError(f"{game.facts.name}: {question} supports only two-player games")
    if max_states is not None:
        max_states = whole_number("max_states", max_states, range(1, sys.maxsize))
    family = next(family for takes, family in ORACLES if takes(game))
    if family is BayesianOracle:
        if max_states is not None:
            raise ValueError(
                f"max_states ({max_states}) does not apply to {game.facts.name}: its states are not enumerated"
            )
        return BayesianOracle(game)
    if exact and family is not TreeOracle:
        family, max_states = GraphOracle, max_states or EXACT_STATES
    oracle: Oracle = family(game, max_states)
    return oracle


def solver_for(game: Game[Any], request: Request) -> Solver:
    """Returns the function that solves a game; raises a ValueError if it does not support an option."""
    if request.max_states is not None:
        whole_number("max_states", request.max_states, range(1, sys.maxsize))
    solver = next(solver for takes, solver in SOLVERS if takes(game, request))
    options = {"engine": request.engine, "keep_layers": request.keep_layers, "cache": request.cache}
    for option, value in options.items():
        stores = option == "cache" and solver is solve_tree
        if value is not None and solver is not solve_ranks and not stores:
            raise ValueError(
                f"{option} ({value}) does not apply here: it needs a duel or Goofspiel in which only the order of "
                "ranks matters, hands that are not too long, and solving in floats"
                + ("; or hidden information over several moves" if option == "cache" else "")
            )
    return solver


def has_exact_results(game: Game[Any]) -> bool:
    """Returns whether `head_to_head` supports the game, if it is not too large, and its histories are few enough."""
    require_game(game)
    # Enumerating the histories of a game with a round limit could take practically forever.
    if game.facts.num_players != 2 or game.facts.max_rounds is not None:
        return False
    try:
        return not moves_once(game) or form_of(game).certain
    except ValueError:  # the rules fail a check
        return False


def within_reach(game: Game[Any]) -> bool:
    """Returns whether any policy can be measured exactly and quickly, within the default limits.

    Oracles that enumerate states, or query a policy state by state, accept fewer states here than in `nash_conv`.
    """
    return _within_reach(game)


@cached_by_game(32)
def _within_reach(game: Game[Any]) -> bool:
    oracle = oracle_for(game)
    if isinstance(oracle, GraphOracle | RankOracle | TreeOracle):
        oracle = oracle_for(game, quick_states(game) if isinstance(oracle, RankOracle) else QUICK_STATES)
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
