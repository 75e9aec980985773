"""Plays many games of WAR between the simple strategies in compiled code, for any number of players.

The rules are those of `cardwar_envs.games.war`, and the strategies are those of the appendix program of "WAR with
Auction Rounds" (2017). Every game has its own random generator, made from the seed and the game's number. So results
depend neither on the number of threads nor on how games are divided among calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game, same_rules_as
from cardwar_envs.core.kernels import map_in_threads, processors
from cardwar_envs.core.parameters import one_of, whole_number
from cardwar_envs.games.war import War

# In the order of the kernel's codes.
COMPILED = ("dummie", "min", "max", "simple_minded_1", "simple_minded_2")

NOBODY, UNFINISHED, STOPPED = -1, -2, -3

MAX_PLAYERS = 101
# The ranks in a hand are bits of a 64-bit integer.
RANKS = range(2, 63)
# Rounds are counted in 32 bits.
ROUNDS = range(1, 1 << 31)
SEEDS = range(1 << 63)
DISCARDS, THREADS = range(101), range(1, 1025)
# With this many pieces per thread, all threads finish at about the same time.
CHUNKS_PER_THREAD = 16


@dataclass(frozen=True)
class Simulated:
    """The results of the games, in order."""

    # `[games]` the winner's seat, or `NOBODY` (-1: the last players went out together), `UNFINISHED` (-2: `max_rounds`
    # was reached) or `STOPPED` (-3: the focus seat was out).
    winners: NDArray[np.int32]
    rounds: NDArray[np.int32]  # `[games]` rounds played; a game decided in its 13th round has 13


def takes(game: Game[Any]) -> TypeGuard[War]:
    """Returns whether the simulator supports a game: WAR with its own rules and few enough ranks."""
    return isinstance(game, War) and same_rules_as(game, War) and game.ranks in RANKS


def simulate(
    line_up: Sequence[str],
    games: int,
    seed: int,
    *,
    ranks: int = 12,
    discards: int = 3,
    max_rounds: int | None = None,
    focus: int | None = None,
    threads: int | None = None,
    first_game: int = 0,
) -> Simulated:
    """Plays games of WAR.

    Args:
        line_up: A name from `COMPILED` for each seat, 2 to 101.
        games: Number of games.
        seed: Seeds all randomness; the same seed and game number give the same game.
        ranks: Cards of each player at the start, 2..62.
        discards: Number of cards that a war costs besides the battle card.
        max_rounds: Rounds after which a game is left unfinished; no limit if None. Some games never end, for example
            `min` against `max` with two players.
        focus: The seat of interest. A game stops once this seat is out, which changes neither whether the seat wins nor
            how many rounds the games that it wins take.
        threads: Number of threads; one per processor if None.
        first_game: Number of the first game, so that a long run can be split.

    Raises:
        ValueError: If an argument is out of its range; the message names it.
    """
    if isinstance(line_up, str) or not 2 <= len(line_up) <= MAX_PLAYERS:
        raise ValueError(f"line_up ({line_up!r}) must be 2..{MAX_PLAYERS} names")
    strategies = np.array([COMPILED.index(one_of("strategy", name, COMPILED)) for name in line_up], dtype=np.int64)
    ranks, discards = whole_number("ranks", ranks, RANKS), whole_number("discards", discards, DISCARDS)
    limit = -1 if max_rounds is None else whole_number("max_rounds", max_rounds, ROUNDS)
    seed, first_game = whole_number("seed", seed, SEEDS), whole_number("first_game", first_game, SEEDS)
    games = whole_number("games", games, SEEDS[1 : -first_game or None])
    focus = -1 if focus is None else whole_number("focus", focus, range(len(line_up)))
    threads = processors() if threads is None else whole_number("threads", threads, THREADS)
    from baselines.matches.war_simulator_kernel import play  # numba takes most of a second to import

    winners, rounds = np.empty(games, dtype=np.int32), np.empty(games, dtype=np.int32)
    chunk = -(-games // (threads * CHUNKS_PER_THREAD))

    def play_from(start: int) -> None:
        piece = slice(start, start + chunk)
        settings = strategies, ranks, discards, limit, focus, seed
        play(*settings, first_game + start, winners[piece], rounds[piece])

    for _ in map_in_threads(play_from, range(0, games, chunk), threads):
        pass
    return Simulated(winners, rounds)
