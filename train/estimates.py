"""How long solving takes, told before it begins."""

from __future__ import annotations

from collections.abc import Callable

from baselines.oracles.protocol import Progress
from baselines.threads import processors

# Processor time for a matrix game of a large duel: docs/scale.md, 17 cards.
SECONDS_PER_MATRIX_GAME = 2.7e-6
# Shorter work is begun without a word.
WORTH_SAYING = 20.0

UNITS = ((86400, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds"))


def seconds_for(matrix_games: int) -> float:
    """About how long a large duel with so many matrix games takes on the processors that there are."""
    return matrix_games * SECONDS_PER_MATRIX_GAME / processors()


def in_words(seconds: float) -> str:
    """A time of at least two seconds, in the largest unit of which it has two."""
    size, unit = next((size, unit) for size, unit in UNITS if seconds >= 2 * size)
    return f"about {seconds / size:.0f} {unit}"


class Announced:
    """Passes a solver's progress on, and says first how long the work takes if that is long."""

    def __init__(self, say: Callable[[str], object], progress: Progress | None) -> None:
        """Takes what prints a line, and whom to pass progress on to."""
        self._say, self._progress = say, progress

    def expect(self, total: int) -> None:
        """Called with the number of matrix games before the work, where it is known."""
        seconds = seconds_for(total)
        if seconds > WORTH_SAYING:
            self._say(f"{total:,} matrix games on {processors()} processors take {in_words(seconds)}.")
        expect = getattr(self._progress, "expect", None)
        if expect is not None:
            expect(total)

    def __call__(self, done: int) -> None:
        """Called now and then."""
        if self._progress is not None:
            self._progress(done)
