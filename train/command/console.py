"""What the command's parts share: arguments, where they print, how numbers and JSON look, a live count."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.text import Text

from baselines.oracle import Progress
from cardwar_envs import GAMES, Game

GameName = Annotated[str, typer.Argument(metavar="GAME", help=f"One of {', '.join(GAMES)}.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
DIGITS = 6
# Names of files, policies and studies are shown as they are, whatever is in them.
out, err = Console(markup=False, emoji=False), Console(stderr=True, markup=False, emoji=False)


def fixed(value: float) -> str:
    """Fixed digits, without the sign of a zero that is only rounding."""
    return f"{round(value, DIGITS) + 0.0:.{DIGITS}f}"


def print_json(game: Game[Any], **entries: Any) -> None:
    """One JSON object: the game with its parameters, and the entries."""
    print(json.dumps({"game": game.facts.name, "parameters": game.parameters(), **entries}))


@contextmanager
def counting(what: str) -> Iterator[Progress | None]:
    """A live count on stderr, if that is a terminal."""
    if not err.is_terminal:
        yield None
        return
    with err.status(what) as status:
        yield lambda done: status.update(f"{done:,} {what}")


class Advance:
    """A live bar: called with how many are done; `expect` tells it how many there will be."""

    def __init__(self, bar: Bar, task: TaskID) -> None:
        self._bar, self._task = bar, task

    def __call__(self, done: int) -> None:
        """Shows how many are done."""
        self._bar.update(self._task, completed=done)

    def expect(self, total: int) -> None:
        """Sets how many there will be, from which the time left is estimated."""
        self._bar.update(self._task, total=total)


@contextmanager
def advancing(what: str, total: int | None = None) -> Iterator[Advance | None]:
    """A bar on stderr with an estimate of the time left, if stderr is a terminal; it is gone at the end.

    Args:
        what: What is counted.
        total: How many there will be, if that is known now.
    """
    if not err.is_terminal:
        yield None
        return
    columns = (TextColumn(what), BarColumn(), _Count(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with Bar(*columns, console=err, transient=True) as bar:
        yield Advance(bar, bar.add_task(what, total=total))


class _Count(ProgressColumn):
    def render(self, task: Task) -> Text:
        total = "" if task.total is None else f" of {int(task.total):,}"
        return Text(f"{int(task.completed):,}{total}")


Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="[KEY=VALUE ...]", help="Parameters of the game, e.g. num_cards=5 or hand_0=2,3,6"),
]


def compile_for(game: Game[Any], question: Callable[[Game[Any]], object]) -> None:
    """Asks a question about the game at its smallest, so that what is timed afterwards is work, not compilation."""
    smallest = game.smallest()
    if smallest is not None:
        question(smallest)
