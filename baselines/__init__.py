"""Ground truth for each game: equilibria, best responses, exploitability, classic strategies."""

from typing import Any

from baselines.matches.against import Match, match
from baselines.matches.games import play_games
from baselines.matches.intervals import Interval, mean_interval, share_interval
from baselines.matches.line_ups import CrossPlay, cross_play
from baselines.matrix_game import (
    ExactMatrixSolution,
    MatrixSolution,
    MatrixSolutions,
    solve_matrices,
    solve_matrix,
    solve_matrix_exact,
)
from baselines.opponents.table import TablePolicy
from baselines.oracles.choice import within_reach
from baselines.oracles.consistency import Asked, TwoAnswersError
from baselines.oracles.legal_part import IllegalMass
from baselines.oracles.protocol import Exploit
from baselines.oracles.results import BestResponse, HeadToHead, NashConv, PrivateSolution, Solution, StateSolution
from baselines.questions import best_response, exploitability, head_to_head, nash_conv, solve
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy, named_policy


def make_policy(name: str, game: Game[Any], **arguments: Any) -> Policy:
    """Makes a named policy for `game`.

    Args:
        name: `uniform`, `equilibrium`, `equilibrium:max_entropy`, `highest_card` and so on, or a
            name that another distribution has added to the entry-point group `cardwar_envs.policies`.
        game: The game to play.
        **arguments: Further arguments of the policy.

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
