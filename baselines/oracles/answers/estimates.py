"""Estimates of solving time, reported before the work starts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from cardwar_envs.core.kernels import processors

if TYPE_CHECKING:
    from baselines.oracles.answers.protocol import Progress

# CPU time per matrix game of a large duel: docs/measurements.md, 17 cards.
SECONDS_PER_MATRIX_GAME = 2.7e-6
# Estimates below this many seconds are not reported.
WORTH_SAYING = 20.0
# Limit, in seconds, on solving a game whose solution was requested only by the name of a policy.
WAITED_FOR = 60.0

IN_RATIONALS = "Solving in rational arithmetic takes at least"
UNITS = ((86400, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds"))


def seconds_for(matrix_games: int, work: float = 1.0) -> float:
    """Estimates the seconds to solve matrix games on the available processors; `work` is as in `Relay`."""
    return matrix_games * work * SECONDS_PER_MATRIX_GAME / processors()


def in_words(seconds: float) -> str:
    """Formats a time of at least two seconds in the largest unit in which it is 2 or more."""
    size, unit = next((size, unit) for size, unit in UNITS if seconds >= 2 * size)
    return f"about {seconds / size:.0f} {unit}"


def announce(work: str, seconds: float) -> None:
    """Prints the estimated duration of the work to stderr, unless it is short."""
    if seconds > WORTH_SAYING:
        print(f"{work} on {processors()} processors: {in_words(seconds)}.", file=sys.stderr, flush=True)


class Relay:
    """Forwards a solver's progress to a callback, if there is one."""

    work = 1.0  # cost of a matrix game, relative to one of a large duel
    bound = ""  # "at most " if `expect` receives an upper bound

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress

    def foresee(self, work: float, at_least: int, bound: str = "") -> None:
        """Called before `expect`; `at_least` is a lower bound on the count of matrix games, 0 if counting is quick."""
        self.work, self.bound = work, bound
        if at_least:
            self.expect(at_least)

    def forecast(self, seconds: float, work: str = IN_RATIONALS) -> None:
        """Called before work, or a part of it, with an estimate of the seconds, and the work in words."""

    def expect(self, total: int) -> None:
        """Called before the work starts, with the number of matrix games if it is known."""
        if (expect := getattr(self._progress, "expect", None)) is not None:
            expect(total)

    def __call__(self, done: int) -> None:
        """Called during the work, with the number of matrix games done so far."""
        if self._progress is not None:
            self._progress(done)


class Refusing(Relay):
    """Raises a ValueError before work of more than `WAITED_FOR`; `what` names the result, `instead` an alternative."""

    def __init__(self, what: str, instead: str) -> None:
        super().__init__(None)
        self._what, self._instead = what, instead

    def expect(self, total: int) -> None:
        """See `Relay`."""
        if (seconds := seconds_for(total, self.work)) > WAITED_FOR:
            raise ValueError(f"{self._what} takes {self.bound}{in_words(seconds)} to compute; {self._instead}")

    def forecast(self, seconds: float, work: str = IN_RATIONALS) -> None:
        """See `Relay`."""
        if seconds > WAITED_FOR:
            raise ValueError(f"{self._what}: {work} {in_words(seconds)}; {self._instead}")


class Announced(Relay):
    """Before long work, announces its estimated duration through `say`, which prints a line."""

    def __init__(self, say: Callable[[str], object], progress: Progress | None) -> None:
        super().__init__(progress)
        self._say, self._said = say, 0.0

    def foresee(self, work: float, at_least: int, bound: str = "") -> None:
        """See `Relay`."""
        super().foresee(work, 0, bound)
        if at_least:
            seconds = in_words(seconds_for(at_least, work))
            self._say(
                f"Counting matrix games: at least {at_least:,}, which take {seconds} on {processors()} processors."
            )

    def forecast(self, seconds: float, work: str = IN_RATIONALS) -> None:
        """See `Relay`; repeats the estimate only if it has doubled."""
        if seconds > max(WAITED_FOR, 2.0 * self._said):
            self._said = seconds
            self._say(f"{work} {in_words(seconds)} on one processor.")

    def expect(self, total: int) -> None:
        """See `Relay`."""
        seconds = seconds_for(total, self.work)
        if seconds > WORTH_SAYING:
            games = f"{self.bound}{total:,} matrix games".capitalize()
            self._say(f"{games} on {processors()} processors take {in_words(seconds)}.")
        super().expect(total)
