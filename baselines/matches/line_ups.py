"""Outcomes of games between the policies of a line-up: who wins, and after how many rounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.matches.games import NOBODY, SEEDS, AtEnd, Played, only_game, sampled_games, winners_of
from baselines.matches.war_simulator import UNFINISHED, simulate, takes
from baselines.opponents.war import DummiePlayer, MaxPlayer, MinPlayer, SimpleMindedPlayer1, SimpleMindedPlayer2
from baselines.oracles.answers.protocol import Progress
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.policy import Policy, Uniform
from cardwar_envs.core.policy_names import seated_policies
from cardwar_envs.games.war.state import WarState

GAMES = 1000

# The strategies that the compiled simulator knows, with its names for them.
_COMPILED: dict[type, str] = {
    MinPlayer: "min",
    MaxPlayer: "max",
    DummiePlayer: "dummie",
    Uniform: "dummie",
    SimpleMindedPlayer1: "simple_minded_1",
    SimpleMindedPlayer2: "simple_minded_2",
}


@dataclass(frozen=True)
class CrossPlay:
    """Outcomes of games between the policies of a line-up.

    The winner is the player with the highest payoff, if only one has it. A round is one joint action; in WAR it is a
    round of the game, including wars.

    Attributes:
        games: Games played; 1 if there is no chance in them.
        wins: Games won, per seat.
        nobody: Games that ended without a winner.
        unfinished: Games stopped by the limit of rounds while several players were still in.
        mean_rounds: Mean number of rounds per game, including those of unfinished games.
        std_rounds: Standard deviation of the number of rounds over these games.
        mean_rounds_won: Per seat, the mean number of rounds of the games it won; None if it won none.
        mean_payoffs: Per seat, in payoff points; None if the compiled simulator played, which records no payoffs.
        payoff_errors: Per seat, the standard error of its mean payoff, in payoff points: 0 without chance, infinite
            if a single game was sampled.
        rounds: Rounds of the only possible game if there is no chance, else None.
        winner: The winner of that game; None if there is no winner or the game is random.
    """

    games: int
    wins: tuple[int, ...]
    nobody: int
    unfinished: int
    mean_rounds: float
    std_rounds: float
    mean_rounds_won: tuple[float | None, ...]
    mean_payoffs: tuple[float, ...] | None
    payoff_errors: tuple[float, ...] | None
    rounds: int | None
    winner: int | None


# `[games]` winners (a seat, `NOBODY` or `UNFINISHED`); `[games]` rounds; `[games, players]` payoffs, if known.
_Endings = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64] | None]


def cross_play(
    game: Game[Any],
    policies: Sequence[Policy | str],
    *,
    games: int = GAMES,
    seed: int = 0,
    progress: Progress | None = None,
) -> CrossPlay:
    """Plays games between the policies of a line-up.

    If every policy is deterministic and the game has no chance, one game is played. Line-ups of WAR's simple strategies
    run in the compiled `baselines.matches.war_simulator`, which has its own random streams.

    Args:
        game: The rules, for any number of players.
        policies: One policy, or its name, per seat.
        games: Number of games if they are random, at least 1.
        seed: Seeds all randomness.
        progress: Called occasionally with the number of finished games.

    Raises:
        ValueError: If the number of games or of policies is wrong, or a policy does not return probabilities.
    """
    require_game(game)
    games, seed = whole_number("games", games), whole_number("seed", seed, SEEDS)
    if games < 1:
        raise ValueError(f"games ({games}) must be at least 1")
    players, at_end = seated_policies(policies, game), stopped_after(game)
    only = only_game(game, players, [seed, 0], at_end)
    if only is not None:
        return _summary(_endings(only), len(players), certain=True)
    endings = _simulated(game, players, games, seed)
    if endings is None:
        endings = _endings(sampled_games(game, players, games, [seed, 0], progress, at_end))
    return _summary(endings, len(players), certain=False)


def stopped_after(game: Game[Any]) -> AtEnd:
    """Returns an `at_end` function, which returns whether the round limit stopped a game, and the rounds played."""
    return partial(_stopped_after, game)


def summary_of(games: Sequence[Played]) -> CrossPlay:
    """Outcomes of random games that were played with `stopped_after`."""
    payoffs = np.concatenate([each.payoffs for each in games])
    played = Played(payoffs, [end for each in games for end in each.ends])
    return _summary(_endings(played), payoffs.shape[1], certain=False)


def _stopped_after(game: Game[Any], state: Any, steps: int) -> tuple[bool, int]:
    """Returns whether the round limit stopped a game while several players were in it, and the rounds played."""
    if isinstance(state, WarState):  # a round can be several joint actions, and payoffs are also 0 without a winner
        return len(state.live) > 1, game.initial()[0].state.rounds_left - state.rounds_left
    return False, steps


def _endings(played: Played) -> _Endings:
    stopped, rounds = np.array(played.ends).T
    return np.where(stopped, UNFINISHED, winners_of(played.payoffs)), rounds, played.payoffs


def _simulated(game: Game[Any], players: Sequence[Policy], games: int, seed: int) -> _Endings | None:
    """Plays the games in the compiled simulator; None if it lacks these rules or one of the strategies.

    Used only for line-ups with a random strategy; others need a single game.
    """
    line_up = [_COMPILED[type(player)] for player in players if type(player) in _COMPILED]
    if not takes(game) or len(line_up) < len(players) or "dummie" not in line_up:
        return None
    done = simulate(line_up, games, seed, ranks=game.ranks, discards=game.discards, max_rounds=game.rounds)
    return done.winners.astype(np.int64), done.rounds.astype(np.int64), None


def _summary(endings: _Endings, players: int, certain: bool) -> CrossPlay:
    winners, rounds, payoffs = endings
    won = [rounds[winners == seat] for seat in range(players)]
    games, means, errors = len(winners), None, None
    if payoffs is not None:
        means = tuple(payoffs.mean(axis=0).tolist())
        spread = payoffs.std(axis=0, ddof=1) if games > 1 else np.full(players, 0.0 if certain else math.inf)
        errors = tuple((spread / math.sqrt(games)).tolist())
    return CrossPlay(
        games=games,
        wins=tuple(len(each) for each in won),
        nobody=int((winners == NOBODY).sum()),
        unfinished=int((winners == UNFINISHED).sum()),
        mean_rounds=float(rounds.mean()),
        std_rounds=float(rounds.std()),
        mean_rounds_won=tuple(float(each.mean()) if len(each) else None for each in won),
        mean_payoffs=means,
        payoff_errors=errors,
        rounds=int(rounds[0]) if certain else None,
        winner=int(winners[0]) if certain and winners[0] >= 0 else None,
    )
