"""The choices that the lobby offers: games, sizes, opponents. The browser sends only indices in these lists."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from subprocess import DEVNULL, PIPE, Popen
from typing import TYPE_CHECKING, Any, NamedTuple

from baselines import Solution
from baselines.opponents.levels.level import ladder, levels
from baselines.opponents.strategies import fitting_policies
from cardwar_envs import Game, make_game
from cardwar_envs.core.installed import GAME_GROUP, installed
from cardwar_envs.core.policy import names_for, policy_summary
from cardwar_envs.core.scene import spoken
from cardwar_envs.games.by_name import GAMES
from cardwar_play.account import EQUILIBRIUM, amount
from cardwar_play.seating import PATIENCE, QUICK, WITHOUT_EQUILIBRIUM, sizes_of, table_for, timely_equilibrium
from cardwar_play.trainer import Table
from train.text.game_names import in_plain_words

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
        """The description of this offer for the page; `seats` is the number of seats to choose from."""
        facts = self.game.facts
        full = " (full game)" if self.game == make_game(facts.name) else ""
        return {
            "size": f"{in_plain_words(self.game, self.size) or 'one size'}{full}",
            "first": self.first,
            "seats": 1 if facts.seat_symmetric else facts.num_players,
            "rules": self.game.how_to_play,
            "opponents": self.opponents,
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
        return self.game.facts.num_players == 2 and self.game.facts.zero_sum

    @property
    def opponents(self) -> list[str]:
        """The opponents, without computing whether the equilibrium takes too long: then `table_of` says so.

        The equilibrium comes first only in short games; in others it often takes too long.
        """
        game, quick = self.game, fitting_policies(self.game)
        offered = [
            name
            for name in names_for(game)
            if name in quick or name.partition(":")[0] == "level" or (name == EQUILIBRIUM and self.solvable)
        ]
        first = ([EQUILIBRIUM] if self.short else []) + ["level", WITHOUT_EQUILIBRIUM, EQUILIBRIUM]
        places = {name: place for place, name in reversed(list(enumerate(first)))}
        return sorted(offered, key=lambda name: (places.get(name.partition(":")[0], len(first)), name))


def games() -> list[str]:
    """The names of the games, first those with graded opponents; imports no games of other packages."""
    graded = {level.game for level in levels()}
    return sorted({**GAMES, **installed(GAME_GROUP)}, key=lambda name: name not in graded)


@cache
def offers(place: int) -> list[Offer]:
    """The sizes of the game at an index of `games()`; raises IndexError for a wrong index. Compiles nothing."""
    return [Offer(game, size) for game, size in _sizes(at(games(), place)).items()]


def described(game: int, size: int, opponent: int, seat: int) -> tuple[str, str]:
    """The table at these indices in words, and how it is prepared; raises IndexError for a wrong index."""
    offer = at(offers(game), size)
    at(range(offer.entry["seats"]), seat)
    what = f"{spoken(at(games(), game))}, {offer.entry['size']}, against {at(offer.opponents, opponent)}"
    steps = ["compiling, once"] * (not offer.first) + ["computing the equilibrium"] * offer.solvable
    return what, " and ".join(steps) or "loading"


def table_of(game: int, size: int, opponent: int, seat: int, progress: Progress | None = None) -> Table:
    """The table at these indices, which are valid; kernels that it needs are compiled in another process.

    Raises:
        ValueError: If the opponent cannot play the game; the error names a smaller size that works, if any.
    """
    from cardwar_envs.core import compiled  # imports numba

    offer = offers(game)[size]
    compiled.compile_elsewhere = partial(_compile, games()[game], progress)
    word = offer.opponents[opponent]
    solution, reason = _solved(game, size, PATIENCE, progress, again=word == EQUILIBRIUM)
    if word == EQUILIBRIUM and solution is None:
        smaller = (place for place in reversed(range(size)) if _solved(game, place, QUICK, progress)[0] is not None)
        works = next((f" or the size {offers(game)[place].entry['size']}" for place in smaller), "")
        raise ValueError(f"the equilibrium is not available: {reason}. Choose another opponent{works}.")
    return table_for(offer.game, seat, [word], solution, reason)


def _compile(name: str, progress: Progress | None) -> None:
    """Compiles a game's kernels, once, in another process: here it would keep the server from answering for seconds."""
    if name in _compiled:
        return
    settings = {**os.environ, "CARDWAR_END_WITH_STDIN": "1"}  # so that it ends with this process
    quiet: dict[str, Any] = {"stdin": PIPE, "stdout": DEVNULL, "stderr": DEVNULL, "env": settings}
    with Popen([*COMPILER, name], **quiet) as child:
        try:
            while child.poll() is None:
                if progress is not None:
                    progress(0)  # raises an error if the user does not want to wait
                time.sleep(0.05)
        finally:
            child.kill()
    _compiled.add(name)


_compiled: set[str] = set()
_solutions: dict[tuple[int, int], tuple[Solution | None, str]] = {}


def _solved(
    game: int, size: int, seconds: float, progress: Progress | None, again: bool = True
) -> tuple[Solution | None, str]:
    """The cached result of `timely_equilibrium`; `again` retries after a failure, which a busy machine can cause."""
    kept = _solutions.get((game, size))
    if kept is None or (again and kept[0] is None):
        kept = timely_equilibrium(offers(game)[size].game, seconds, progress)
        if kept[0] is not None or seconds == PATIENCE:  # another request may allow more time than `QUICK`
            _solutions[game, size] = kept
    return kept


def at(offered: Sequence[Any], place: int) -> Any:
    """The entry at a nonnegative index; raises IndexError for other indices."""
    if place not in range(len(offered)):
        raise IndexError(f"place ({place}) must be in 0..{len(offered) - 1}")
    return offered[place]


def _sizes(name: str) -> Mapping[Game[Any], Mapping[str, int]]:
    """Games of several sizes between the smallest and the default game, the default, and the game for three players.

    Each comes with the parameters that make its size.
    """
    sizes = list(sizes_of(make_game(name), SHARES))
    with suppress(ValueError):  # the game does not allow three players
        numbers = {"num_players": 3, **sizes[-1][1]}
        sizes.append((make_game(name, **numbers), numbers))
    found: dict[Game[Any], Mapping[str, int]] = {}
    for game, numbers in sizes:
        found.setdefault(game, numbers)
    return found
