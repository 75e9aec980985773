"""What the commands print: lines, tables, JSON, and progress on the terminal."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Column, Table
from rich.text import Text

from cardwar_envs.core.constant_sum import is_constant_sum
from cardwar_envs.core.process import Stopwatch
from train.text.printing import printable

if TYPE_CHECKING:
    from baselines import QueryCounts
    from cardwar_envs import Game

T = TypeVar("T")
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


class _Console(Console):
    """A console that escapes control characters, for example in the names of files, policies and studies."""

    def render_str(self, text: str, **settings: Any) -> Text:
        """Escapes control and hidden characters in a string."""
        return super().render_str(printable(text), **settings)


out, err = _Console(markup=False, emoji=False), _Console(stderr=True, markup=False, emoji=False)


def say(line: str) -> None:
    """Prints one line to stdout, without colours or line breaks."""
    out.print(line, highlight=False, soft_wrap=True)


def say_aside(line: str) -> None:
    """Prints one line to stderr, even while a progress bar is running there."""
    err.print(line, highlight=False, soft_wrap=True)


def print_json(game: Game[Any], **entries: Any) -> None:
    """Prints one JSON object to stdout: the game, its parameters, and `entries`."""
    identity = {"state_identity": game.facts.state_identity} if game.facts.state_identity else {}
    print(json.dumps({"game": game.facts.name, "parameters": game.parameters(), **identity, **entries}))


def say_identity(game: Game[Any]) -> None:
    """Prints which histories count as one state; only games of other libraries declare this."""
    if game.facts.state_identity:
        say(f"states: {game.facts.state_identity}")


def is_duel(game: Game[Any]) -> bool:
    """Whether the game is two-player zero-sum or constant-sum, so that its exploitability is defined."""
    return is_constant_sum(game)


def new_table(title: str, first: str, *numbers: str, **layout: Any) -> Table:
    """An empty table: a column of names headed `first`, then right-aligned columns headed `numbers`."""
    right = (Column(heading, justify="right") for heading in numbers)
    return Table(Column(first, overflow="fold"), *right, title=title, **layout)


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Calls `work`; returns its result and the seconds that it took, excluding compilation."""
    watch = Stopwatch()
    return work(), watch.seconds


class Advance:
    """A live progress bar; call it with the number of items done. `expect` sets the total."""

    def __init__(self, bar: Bar, task: TaskID) -> None:
        self._bar, self._task = bar, task

    def __call__(self, done: int) -> None:
        """Sets the number of items done."""
        self._bar.update(self._task, completed=done)

    def expect(self, total: int) -> None:
        """Sets the total, which determines the estimate of the remaining time."""
        self._bar.update(self._task, total=total)


class AdvanceInLines:
    """Progress if stderr is not a terminal: a line after `FIRST_LINE` seconds, then whenever the time has doubled."""

    FIRST_LINE = 10.0

    def __init__(self, what: str, total: int | None) -> None:
        self._what, self._total = what, total
        self._since, self._next = time.monotonic(), self.FIRST_LINE

    def __call__(self, done: int) -> None:
        """Prints a line if one is due."""
        passed = time.monotonic() - self._since
        if passed >= self._next:
            self._next = 2 * passed
            of = "" if self._total is None else f" of {self._total:,}"
            say_aside(f"{self._what}: {done:,}{of} after {passed:.0f} s")

    def expect(self, total: int) -> None:
        """Sets the total."""
        self._total = total


@contextmanager
def advancing(what: str, total: int | None = None) -> Iterator[Advance | AdvanceInLines]:
    """Shows the progress of `what` on stderr: a bar with the estimated remaining time, or lines if not a terminal."""
    if not err.is_terminal:
        yield AdvanceInLines(what, total)
        return
    times = TextColumn("after"), TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn()
    columns = (TextColumn(what), BarColumn(), _Count(), *times)
    with Bar(*columns, console=err, transient=True) as bar:
        yield Advance(bar, bar.add_task(what, total=total))


class _Count(ProgressColumn):
    def render(self, task: Task) -> Text:
        total = "" if task.total is None else f" of {int(task.total):,}"
        return Text(f"{int(task.completed):,}{total}")


def queries_in_words(queries: QueryCounts) -> str:
    """Says how many policy queries an exact figure took, and how many were repeated to check consistency."""
    words = f"{queries.total:,} queries of the policies; {queries.repeated:,} repeated queries: the same answers"
    held = f"\n{queries.compared:,} queries of equivalent situations: the same answers" if queries.compared else ""
    return words + held
