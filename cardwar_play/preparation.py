"""Sets up a table in a thread, so that the page can show what it waits for, and drop it."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Thread

from cardwar_play.trainer import Table


class Preparation:
    """A table that is being set up.

    Attributes:
        what: The game and the opponent, for the user.
        steps: What is done, for the user.
        table: The table; None until it is ready, and if it is refused.
        refusal: The reason if there is no table; valid once `over`.
    """

    def __init__(self, what: str, steps: str, set_up: Callable[[Callable[[int], None]], Table]) -> None:
        """`set_up` takes a callback that it calls with its progress."""
        self.what, self.steps = what, steps
        self.table: Table | None = None
        self.refusal = "The game could not be prepared; the terminal shows the error."
        self._begin, self._dropped = time.monotonic(), False
        self._thread = Thread(target=self._run, args=(set_up,), daemon=True)
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

    def _run(self, set_up: Callable[[Callable[[int], None]], Table]) -> None:
        try:
            self.table = set_up(self._report)
        except _DroppedError:
            pass
        except ValueError as error:
            self.refusal = f"{str(error)[:1].upper()}{str(error)[1:]}"

    def _report(self, done: int) -> None:
        if self._dropped:
            raise _DroppedError


class _DroppedError(Exception):
    pass
