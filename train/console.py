"""What the command's parts share: where they print, how numbers look, a live count."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from baselines.game_graph import Progress

DIGITS = 6
out, err = Console(), Console(stderr=True)


def fixed(value: float) -> str:
    """Fixed digits, without the sign of a zero that is only rounding."""
    return f"{round(value, DIGITS) + 0.0:.{DIGITS}f}"


@contextmanager
def counting(what: str) -> Iterator[Progress | None]:
    """A live count on stderr, if that is a terminal."""
    if not err.is_terminal:
        yield None
        return
    with err.status(what) as status:
        yield lambda done: status.update(f"{done:,} {what}")
