"""The truth about each game: equilibria, best responses, exploitability, classic strategies."""

from typing import Any

from baselines.asking import Asked, TwoAnswersError
from baselines.best_response import best_response
from baselines.cross_play import CrossPlay, cross_play
from baselines.exploitability import exploitability, nash_conv
from baselines.head_to_head import head_to_head
from baselines.illegal import IllegalMass
from baselines.intervals import Interval, mean_interval, share_interval
from baselines.matches import Match, match, play_games
from baselines.matrix_game import (
    ExactMatrixSolution,
    MatrixSolution,
    MatrixSolutions,
    solve_matrices,
    solve_matrix,
    solve_matrix_exact,
)
from baselines.oracle import Exploit
from baselines.oracles import within_reach
from baselines.results import BestResponse, HeadToHead, NashConv, PrivateSolution, Solution, StateSolution
from baselines.solution import solve
from baselines.strategies.table import TablePolicy
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy, named_policy


def make_policy(name: str, game: Game[Any], **arguments: Any) -> Policy:
    """The policy of that name for `game`.

    Args:
        name: `uniform`, `equilibrium`, `equilibrium:max_entropy`, `highest_card` and so on, or a
            name that another distribution has added to the entry-point group `cardwar_envs.policies`.
        game: The game it is to play.
        **arguments: What that policy takes besides the game.

    Raises:
        ValueError: If there is no such policy or it does not fit the game.
    """
    return named_policy(name, game, **arguments)


__all__ = [
    "Asked",
    "BestResponse",
    "CrossPlay",
    "ExactMatrixSolution",
    "Exploit",
    "HeadToHead",
    "IllegalMass",
    "Interval",
    "Match",
    "MatrixSolution",
    "MatrixSolutions",
    "NashConv",
    "PrivateSolution",
    "Solution",
    "StateSolution",
    "TablePolicy",
    "TwoAnswersError",
    "best_response",
    "cross_play",
    "exploitability",
    "head_to_head",
    "make_policy",
    "match",
    "mean_interval",
    "nash_conv",
    "play_games",
    "share_interval",
    "solve",
    "solve_matrices",
    "solve_matrix",
    "solve_matrix_exact",
    "within_reach",
]
