"""The choices that the lobby offers: games, sizes, opponents; and the preparation of the table that is chosen.

The browser sends only indices in these lists.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from subprocess import DEVNULL, PIPE, Popen
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from baselines import Solution
from baselines.opponents.levels.level import ladder, levels
from baselines.opponents.strategies import fitting_policies
from cardwar_envs import Game, Scene, make_game, play_episode
from cardwar_envs.core.constant_sum import is_constant_sum
from cardwar_envs.core.policy_names import names_for, policy_summary
from cardwar_envs.core.process import GAME_GROUP, installed
from cardwar_envs.core.scene import in_sentence, spoken
from cardwar_envs.games.by_name import GAMES, summary_of
from cardwar_play.account import amount
from cardwar_play.seating import PATIENCE, QUICK, WITHOUT_EQUILIBRIUM, sizes_of, table_for, timely_equilibrium
from cardwar_play.trainer import EQUILIBRIUM, Table, player_name
from train.text.game_names import parameters_in_words

if TYPE_CHECKING:
    from baselines.oracles.answers.protocol import Progress

COMPILER = (sys.executable, "-P", "-m", "cardwar_cli.main", "warmup")
# The sizes offered, as positions between the smallest game (0) and the default game (1).
SHARES = (0.2, 0.5, 1.0)
# Maximum number of moves of a short game, and of the game that is selected first: its equilibrium needs no compilation.
SHORT_MOVES, FIRST_MOVES = 10, 7


class Offer(NamedTuple):
    """A game of one size; `size` has the parameters that differ between sizes."""

    game: Game[Any]
    size: Mapping[str, int] = {}

    @property
    def entry(self) -> dict[str, Any]:
        """The description of this offer for the page."""
        return {
            "size": self.size_in_words,
            "first": self.first,
            "seats": [self.game.seat_in_words(seat) or f"seat {seat}" for seat in range(self.seats)],
            "rules": self.game.how_to_play,
            "opponents": list(map(player_name, self.opponents)),
            "plays": [f"{policy_summary(name)}{self._remark(name)}" for name in self.opponents],
        }

    def _remark(self, opponent: str) -> str:
        word, _, number = opponent.partition(":")
        if word == "level":
            lost = amount(ladder(self.game)[number].exploitability)
            return f" A perfect opponent wins {lost} points a game from it (exact)."
        cautious = opponent == EQUILIBRIUM and not self.short
        return " Computing this can take a minute, or prove impossible at this size." if cautious else ""

    @property
    def size_in_words(self) -> str:
        """The size as the page shows it."""
        full = " (full game)" if self.game == make_game(self.game.facts.name) else ""
        return f"{parameters_in_words(self.game, self.size) or 'one size'}{full}"

    @property
    def seats(self) -> int:
        """The number of seats to choose from."""
        return 1 if self.game.facts.seat_symmetric else self.game.facts.num_players

    @property
    def first(self) -> bool:
        """Whether the lobby may select this offer initially: a game for two players that starts at once."""
        return self.short and self.game.facts.max_length <= FIRST_MOVES

    @property
    def short(self) -> bool:
        """Whether this is a short game for two players."""
        return self.game.facts.num_players == 2 and self.game.facts.max_length <= SHORT_MOVES

    @property
    def solvable(self) -> bool:
        """Whether the equilibrium is computed, unless that takes too long."""
        return is_constant_sum(self.game)

    @property
    def opponents(self) -> list[str]:
        """The opponents, without computing whether the equilibrium takes too long: then `table_of` says so.

        The equilibrium comes first only in short games; in others it often takes too long.
        """
        quick = fitting_policies(self.game)
        first = [EQUILIBRIUM] * self.short + ["level", WITHOUT_EQUILIBRIUM, EQUILIBRIUM]

        def order(name: str) -> tuple[int, str]:
            word = name.partition(":")[0]
            return first.index(word) if word in first else len(first), name

        fitting = {*quick, *[EQUILIBRIUM] * self.solvable}
        return sorted((n for n in names_for(self.game) if n in fitting or n.partition(":")[0] == "level"), key=order)


def games() -> list[str]:
    """The names of the games, first those with the most graded opponents; imports no games of other packages."""
    graded = Counter(level.game for level in levels())
    return sorted({**GAMES, **installed(GAME_GROUP)}, key=lambda name: -graded[name])


@cache
def offers(game: int) -> list[Offer]:
    """The sizes of the game at an index of `games()`: several up to the default game, and the game for three players.

    Raises IndexError for a wrong index. Compiles nothing.
    """
    name = at(games(), game)
    sizes = list(sizes_of(make_game(name), SHARES))
    with suppress(ValueError):  # the game does not allow three players
        numbers = {"num_players": 3, **sizes[-1][1]}
        sizes.append((make_game(name, **numbers), numbers))
    distinct: dict[Game[Any], Mapping[str, int]] = {}
    for sized, numbers in sizes:
        distinct.setdefault(sized, numbers)
    return [Offer(sized, numbers) for sized, numbers in distinct.items()]


def summary(name: str) -> str:
    """What a game of this package is about, in a sentence; empty for other games, which are not imported for that."""
    said = summary_of(GAMES[name]).partition(": ")[2] if name in GAMES else ""
    return said[:1].upper() + said[1:]


@cache
def cover(game: int) -> Scene:
    """A picture of the game at an index of `games()`, after a move; raises IndexError for a wrong index."""
    played = offers(game)[0].game
    names = ("You", *["Opponent"] * (played.facts.num_players - 1))
    course = play_episode(played, ["uniform_actions"] * len(names), seed=1).revealed(played)
    return played.scene(replace(course[1], viewer=0, names=names))


def at(offered: Sequence[Any], index: int) -> Any:
    """The entry at a nonnegative index; raises IndexError for other indices."""
    if index not in range(len(offered)):
        raise IndexError(f"index ({index}) must be in 0..{len(offered) - 1}")
    return offered[index]


class Preparation:
    """A table that is set up in a thread, so that the page can show what it waits for, and drop it.

    Attributes:
        what: The game and the opponent, for the user.
        steps: What is done, for the user.
        table: The table; None until it is ready, and if it is refused.
        refusal: The reason if there is no table; valid once `over`.
    """

    def __init__(self, game: int, size: int, opponent: int, seat: int) -> None:
        """Takes indices in the lists that the lobby offers; raises IndexError for a wrong index."""
        offer = at(offers(game), size)
        at(range(offer.seats), seat)
        against = in_sentence(player_name(at(offer.opponents, opponent)))
        self.what = f"{spoken(games()[game])}, {offer.size_in_words}, against {against}"
        steps = ["compiling, once"] * (not offer.first) + ["computing the equilibrium"] * offer.solvable
        self.steps = " and ".join(steps) or "loading"
        self.table: Table | None = None
        self.refusal = "The game could not be prepared; the terminal shows the error."
        self._begin, self._dropped = time.monotonic(), False
        self._thread = Thread(target=self._run, args=(game, size, opponent, seat), daemon=True)
        self._thread.start()

    @property
    def seconds(self) -> float:
        """The time since the beginning."""
        return time.monotonic() - self._begin

    @property
    def over(self) -> bool:
        """Whether the table is ready or refused."""
        return not self._thread.is_alive()

    def drop(self) -> None:
        """Stops the work when it next reports progress."""
        self._dropped = True

    def _run(self, game: int, size: int, opponent: int, seat: int) -> None:
        try:
            self.table = table_of(game, size, opponent, seat, self._report)
        except _DroppedError:
            pass
        except ValueError as error:
            self.refusal = f"{str(error)[:1].upper()}{str(error)[1:]}"

    def _report(self, done: int) -> None:
        if self._dropped:
            raise _DroppedError


class _DroppedError(Exception):
    pass


def table_of(game: int, size: int, opponent: int, seat: int, progress: Progress | None = None) -> Table:
    """The table at these indices, which are valid; kernels that it needs are compiled in another process.

    Raises:
        ValueError: If the opponent cannot play the game; the error names a smaller size that works, if any.
    """
    from cardwar_envs.core import compiled  # imports numba

    offer, smaller = offers(game)[size], offers(game)[:size]
    compiled.compile_elsewhere = partial(_compile, games()[game], progress)
    word = offer.opponents[opponent]
    solution, reason = _solved(offer.game, PATIENCE, progress, again=word == EQUILIBRIUM)
    if word == EQUILIBRIUM and solution is None:
        quick = (other for other in reversed(smaller) if _solved(other.game, QUICK, progress)[0] is not None)
        works = next((f" or the size {other.size_in_words}" for other in quick), "")
        raise ValueError(f"the equilibrium is not available: {reason}. Choose another opponent{works}.")
    return table_for(offer.game, seat, [word], solution, reason)


_compiled: set[str] = set()
_solutions: dict[Game[Any], tuple[Solution | None, str]] = {}


def _compile(name: str, progress: Progress | None) -> None:
    """Compiles a game's kernels, once, in another process: here it would keep the server from answering for seconds."""
    if name in _compiled:
        return
    settings = {**os.environ, "CARDWAR_END_WITH_STDIN": "1"}  # so that it ends with this process
    with Popen([*COMPILER, name], stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, env=settings) as child:
        try:
            while child.poll() is None:
                if progress is not None:
                    progress(0)  # raises an error if the user does not want to wait
                time.sleep(0.05)
        finally:
            child.kill()
    _compiled.add(name)


def _solved(
    game: Game[Any], seconds: float, progress: Progress | None, again: bool = True
) -> tuple[Solution | None, str]:
    """The cached result of `timely_equilibrium`; `again` retries after a failure, which a busy machine can cause."""
    kept = _solutions.get(game)
    if kept is None or (again and kept[0] is None):
        kept = timely_equilibrium(game, seconds, progress)
        if kept[0] is not None or seconds == PATIENCE:  # another request may allow more time than `QUICK`
            _solutions[game] = kept
    return kept
