"""The oracle of Goofspiel: equilibria on interleavings, at sizes far beyond those whose states can be enumerated."""

from __future__ import annotations

import itertools
from math import comb
from typing import Any

from baselines.oracles.protocol import Request, solve_table
from baselines.oracles.rank_games.interleavings import fits
from baselines.oracles.rank_games.solver import ENGINES, GoofspielTable
from baselines.oracles.results import StateSolution
from baselines.oracles.state_graph.response import GraphOracle
from cardwar_envs.core.game import Game, same_rules_as
from cardwar_envs.games.goofspiel import Goofspiel

# Matrix games: 13 cards in random order have 1.3 thousand million, 14 cards 7.7.
MAX_GAMES = 10_000_000_000


class GoofspielOracle(GraphOracle):
    """The `Oracle` of Goofspiel for equilibria. Policies are measured on the graph, as in other games."""

    @staticmethod
    def takes(game: Game[Any]) -> bool:
        """None: policies are measured by the graph's oracle."""
        return False

    @staticmethod
    def solves(game: Game[Any], request: Request) -> bool:
        """Games with the rules of `Goofspiel`, in floats, any equilibrium."""
        return request.plain and same_rules_as(game, Goofspiel)

    def solve(self, request: Request) -> StateSolution:
        assert isinstance(self._game, Goofspiel)  # see `solves`
        require_solvable(self._game, request.max_states or MAX_GAMES)
        table = GoofspielTable(
            self._game, keep_layers=request.keep_layers, folder=request.cache, engine=request.engine or ENGINES[0]
        )
        return solve_table(table, "backward induction over words", request)


def require_solvable(game: Goofspiel, most: int) -> None:
    """Raises a ValueError if a game has more matrix games than that; the error names the largest size that works."""

    def possible(size: int) -> bool:
        sized = game.with_size(size)
        return fits((sized.cards, sized.cards)) and matrix_games(sized) <= most

    if possible(game.num_cards):
        return
    largest = next(size for size in itertools.count(0) if not possible(size + 1))
    raise ValueError(
        f"{game.facts.name} has about {matrix_games(game):,} matrix games; at most {most:,} can be solved, so the "
        f"largest size that works with these other parameters is {largest}"
    )


def matrix_games(game: Goofspiel) -> int:
    """About how many matrix games there are: exact if neither the score nor carried points matter."""
    plain = Goofspiel(game.num_cards, game.prizes)
    n, total = game.num_cards, 0
    for left in range(1, n + 1):
        words = plain.interleavings(left)
        prizes = comb(n, left) * left if game.prizes == "random" else 1
        gone = (n - left) * (n + 1) // 2  # on average
        scores = 2 * min(gone, left * (n + 1) // 2) + 1 if game.keeps_score else 1
        carried = 1 + (n - left) if game.ties == "carry" else 1
        total += words * prizes * scores * carried
    return (total + 1) // 2
