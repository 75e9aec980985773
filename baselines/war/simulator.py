"""Many games of WAR at once, compiled: line-ups of the simple strategies, at any number of players.

The rules are those of `cardwar_envs.games.war`, the strategies those of the appendix program of
"WAR with Auction Rounds" (2017). Every game draws from a generator of its own, made from the seed
and the game's number: results depend neither on the number of threads nor on how a number of games
is divided into calls.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from operator import index
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

# In the order of the kernel's codes.
COMPILED = ("dummie", "min", "max", "simple_minded_1", "simple_minded_2")

NOBODY, UNFINISHED, STOPPED = -1, -2, -3

LOWEST_CARD = 2
MAX_PLAYERS = 101
# Ranks that a hand holds are bits of a word.
MAX_RANKS = 62
MAX_DISCARDS = 100
# Rounds are counted in 32 bits.
MAX_ROUNDS = (1 << 31) - 1
MAX_SEED = (1 << 63) - 1
# So many pieces for each thread let threads end at about the same time.
CHUNKS_PER_THREAD = 16


@dataclass(frozen=True)
class Simulated:
    """How games ended.

    Attributes:
        players: Number of seats.
        winners: `[games]` the winner's seat, or `NOBODY` (-1: the last players went out together),
            `UNFINISHED` (-2: `max_rounds` were played) or `STOPPED` (-3: the focus seat was out).
        rounds: `[games]` rounds played; a game decided in its 13th round has 13.
    """

    players: int
    winners: NDArray[np.int32]
    rounds: NDArray[np.int32]

    @property
    def wins(self) -> NDArray[np.int64]:
        """`[players]` games won by each seat."""
        return np.bincount(self.winners[self.winners >= 0], minlength=self.players)

    @property
    def nobody(self) -> int:
        """Games that the last players left together."""
        return int(np.count_nonzero(self.winners == NOBODY))

    @property
    def unfinished(self) -> int:
        """Games that reached the limit of rounds."""
        return int(np.count_nonzero(self.winners == UNFINISHED))

    @property
    def stopped(self) -> int:
        """Games not played on because the focus seat was out."""
        return int(np.count_nonzero(self.winners == STOPPED))


class Play(NamedTuple):
    """What one player puts down at once: its battle card, and in a war its discards before."""

    battle: int
    discards: tuple[int, ...]


@dataclass(frozen=True)
class Trace:
    """One game, move by move.

    Attributes:
        steps: What each acting player puts down, by seat: one dictionary for each round, and one for
            each war in which somebody can pay.
        winner: As in `Simulated`.
        rounds: As in `Simulated`.
    """

    steps: tuple[dict[int, Play], ...]
    winner: int
    rounds: int


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
        line_up: A name of `COMPILED` for each seat, 2 to 101.
        games: How many games.
        seed: Of all games together; the same seed and game number make the same game.
        ranks: Cards of each player at the start, 2..62.
        discards: Cards that a war costs beside the battle card.
        max_rounds: Rounds after which a game is left unfinished; None: never. Some games have no
            end: `min` against `max`, two players.
        focus: The seat of interest. A game stops when that seat is out, which changes neither its
            result for the seat nor the rounds of the games that the seat wins.
        threads: As many as there are processors if not given.
        first_game: Number of the first game, so that a long run can be divided.

    Raises:
        ValueError: If an argument is not one of those.
    """
    settings = _checked(line_up, ranks, discards, max_rounds, seed, first_game)
    games = _integer("games", games, 1, MAX_SEED - first_game)
    focus = -1 if focus is None else _integer("focus", focus, 0, len(line_up) - 1)
    threads = (os.cpu_count() or 1) if threads is None else _integer("threads", threads, 1, 1 << 10)
    winners, rounds = np.empty(games, dtype=np.int32), np.empty(games, dtype=np.int32)
    play, no_log = _kernel().play, np.empty((0, 0), dtype=np.int64)
    chunk = -(-games // (threads * CHUNKS_PER_THREAD))

    def play_from(start: int) -> None:
        piece = slice(start, start + chunk)
        play(*settings, focus, seed, first_game + start, winners[piece], rounds[piece], no_log)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(play_from, range(0, games, chunk)))
    return Simulated(len(line_up), winners, rounds)


def trace(
    line_up: Sequence[str],
    seed: int,
    *,
    ranks: int = 12,
    discards: int = 3,
    max_rounds: int | None = None,
    game: int = 0,
) -> Trace:
    """Game number `game` of `simulate` with all that was put down; the arguments are the same.

    Raises:
        ValueError: As for `simulate`.
    """
    settings = _checked(line_up, ranks, discards, max_rounds, seed, game)
    winners, rounds = np.empty(1, dtype=np.int32), np.empty(1, dtype=np.int32)
    size = 1 << 12
    while True:
        log = np.full((size, 3 + discards), -1, dtype=np.int64)
        log[0] = 0
        _kernel().play(*settings, -1, seed, game, winners, rounds, log)
        if log[0, 0] < size:
            break
        size = int(log[0, 0]) + 1
    steps: dict[int, dict[int, Play]] = {}
    for step, seat, battle, *put in log[1 : log[0, 0] + 1].tolist():
        cards = tuple(rank + LOWEST_CARD for rank in put if rank >= 0)
        steps.setdefault(step, {})[seat] = Play(battle + LOWEST_CARD, cards)
    return Trace(tuple(steps.values()), int(winners[0]), int(rounds[0]))


def _kernel() -> Any:
    # numba takes most of a second to import, and reading the names should not.
    from baselines.war import simulator_kernel as war_simulator_kernel

    return war_simulator_kernel


def _checked(
    line_up: Sequence[str], ranks: int, discards: int, max_rounds: int | None, seed: int, first_game: int
) -> tuple[NDArray[np.int64], int, int, int]:
    """The kernel's first arguments."""
    if isinstance(line_up, str) or not 2 <= len(line_up) <= MAX_PLAYERS:
        raise ValueError(f"line_up ({line_up!r}) must be 2..{MAX_PLAYERS} names")
    unknown = [name for name in line_up if name not in COMPILED]
    if unknown:
        raise ValueError(f"strategy ({unknown[0]!r}) must be one of {', '.join(COMPILED)}")
    _integer("seed", seed, 0, MAX_SEED)
    _integer("first_game", first_game, 0, MAX_SEED)
    ranks = _integer("ranks", ranks, 2, MAX_RANKS)
    discards = _integer("discards", discards, 0, MAX_DISCARDS)
    limit = -1 if max_rounds is None else _integer("max_rounds", max_rounds, 1, MAX_ROUNDS)
    return np.array([COMPILED.index(name) for name in line_up], dtype=np.int64), ranks, discards, limit


def _integer(name: str, number: int, least: int, most: int) -> int:
    if isinstance(number, bool) or not isinstance(number, SupportsIndex):
        raise ValueError(f"{name} ({number!r}) must be an integer")
    if not least <= index(number) <= most:
        raise ValueError(f"{name} ({number}) must be in {least}..{most}")
    return index(number)
