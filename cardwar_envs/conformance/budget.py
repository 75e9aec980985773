"""The processor time that a run of checks may use."""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass

from cardwar_envs.conformance.verdicts import OutOfTime

# Maximal number of steps of an episode, unless a check needs its end.
STEPS = 120
# A run ends after this multiple of its seconds, and some more for drawing and starting processes. A check gets one part
# in `PARTS` of what is left, and for each of its searches this multiple (`MARGIN`) of the search's share.
MOST, MORE, PARTS, MARGIN = 1.5, 8.0, 4, 1.5
# Of slow environments, shorter episodes are compared: as many steps as take this many seconds, but at least so many.
EPISODE_SECONDS, FEWEST_STEPS = 0.08, 8


@dataclass
class Budget:
    """When a check and the whole run end; endless until `start`.

    Attributes:
        end: The processor time at which the run ends.
        deadline: The processor time at which the current check ends.
        longest: Maximal number of steps of an episode that is compared with another.
    """

    end: float = math.inf
    deadline: float = math.inf
    longest: int = STEPS

    @property
    def started(self) -> bool:
        """Whether a check has been started."""
        return self.end < math.inf

    def start(self, seconds: float, whole: bool) -> None:
        """Starts a check, and with the first one the run of that many seconds; `whole` gives it all that is left."""
        now = processor_seconds()
        self.end = min(self.end, now + MOST * seconds + MORE)
        self.deadline = self.end if whole else now + (self.end - now) / PARTS

    def extend(self, seconds: float) -> None:
        """Gives the check more time, because it begins a search with a share of its own."""
        self.deadline = min(self.end, self.deadline + MARGIN * seconds)

    def pace(self, seconds: float) -> None:
        """Limits episodes by the seconds that a step takes."""
        self.longest = max(FEWEST_STEPS, min(self.longest, int(EPISODE_SECONDS / max(seconds, 1e-9))))

    def left(self) -> float | None:
        """The seconds until the deadline; None if there is none."""
        return None if self.deadline == math.inf else max(0.0, self.deadline - processor_seconds())

    def alarm(self) -> None:
        """Raises OutOfTime after the deadline."""
        if processor_seconds() > self.deadline:
            raise OutOfTime


def processor_seconds() -> float:
    """Processor time of this process and its ended children."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system
