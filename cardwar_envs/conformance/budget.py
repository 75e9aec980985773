"""The CPU time allowed to a run of checks."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from cardwar_envs.conformance.verdicts import OutOfTime

# Maximum number of steps per episode, unless a check has to reach the end.
STEPS = 120
# A run ends after `MOST` times its seconds, plus `MORE` seconds for rendering and starting processes. A check may use
# `FAIR` times its equal part of the remaining time, at most 1 / `PARTS` of that time, and for each of its searches
# `MARGIN` times the search's share.
MOST, MORE, FAIR, PARTS, MARGIN = 1.5, 8.0, 2.0, 4, 1.5
# In slow environments, compared episodes are shortened to the steps that fit into these seconds, and their number is
# reduced in the same proportion, but neither below a minimum.
EPISODE_SECONDS, FEWEST_STEPS, FEWEST_GAMES = 0.08, 8, 4


@dataclass
class Budget:
    """Deadlines of a check and of the whole run; unlimited until `start`.

    Attributes:
        end: CPU time at which the run ends.
        deadline: CPU time at which the current check ends.
        to_come: The number of checks of the run that have not begun.
        longest: Maximum number of steps of compared episodes.
        spent: CPU seconds that earlier processes of the run have used.
        careful: Whether to make invalid calls only in the checks that test them: one has ended an earlier process.
    """

    end: float = math.inf
    deadline: float = math.inf
    to_come: int = 1
    longest: int = STEPS
    spent: float = 0.0
    careful: bool = False

    @property
    def started(self) -> bool:
        """Whether any check has been started."""
        return self.end < math.inf

    def start(self, seconds: float, whole: bool) -> None:
        """Starts a check and, if it is the first, a run of `seconds`; `whole` gives the check all remaining time."""
        now = processor_seconds()
        self.end = min(self.end, now + MOST * seconds + MORE - self.spent)
        self.deadline = self.end if whole else now + (self.end - now) / max(PARTS, self.to_come / FAIR)
        self.to_come -= 1

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Allows up to 1 / `PARTS` of the remaining time for a shared result, without charging this check."""
        began, own = processor_seconds(), self.deadline
        self.deadline = max(own, began + (self.end - began) / PARTS)
        try:
            yield
        finally:
            self.deadline = min(self.end, own + processor_seconds() - began)

    def extend(self, seconds: float) -> None:
        """Extends the check's deadline for a search that may take `seconds`."""
        self.deadline = min(self.end, self.deadline + MARGIN * seconds)

    def pace(self, seconds: float) -> None:
        """Limits the length of episodes, given the seconds per step."""
        self.longest = max(FEWEST_STEPS, min(self.longest, int(EPISODE_SECONDS / max(seconds, 1e-9))))

    def fewer(self, games: int) -> int:
        """The number of games to compare instead of `games`, fewer in slow environments."""
        return max(min(games, FEWEST_GAMES), games * self.longest // STEPS)

    def left(self) -> float | None:
        """The seconds until the deadline; None if there is none."""
        return None if self.deadline == math.inf else max(0.0, self.deadline - processor_seconds())

    def alarm(self) -> None:
        """Raises OutOfTime after the deadline."""
        if processor_seconds() > self.deadline:
            raise OutOfTime


def processor_seconds() -> float:
    """CPU time of this process and its finished children."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system
