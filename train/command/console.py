"""What the commands share: arguments, tables, timing, JSON, and progress on the terminal."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Column, Table
from rich.text import Text

from baselines.oracles.consistency import Asked
from cardwar_envs import GAMES, Game
from train.words import printable

T = TypeVar("T")
GameName = Annotated[
    str, typer.Argument(metavar="GAME", help=f"One of {', '.join(GAMES)}; or module:Class, a game of your own.")
]
Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="[KEY=VALUE ...]", help="Parameters of the game, e.g. num_cards=5 or hand_0=2,3,6"),
]
MaxStates = Annotated[
    int | None, typer.Option(min=1, help="Refuse games with more states than this (methods that enumerate states).")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


class _Console(Console):
    """A console on which names of files, policies and studies do nothing, whatever is in them."""

    def render_str(self, text: str, **settings: Any) -> Text:
        """A text in which nothing is hidden and nothing makes a terminal do things."""
        return super().render_str(printable(text), **settings)


out, err = _Console(markup=False, emoji=False), _Console(stderr=True, markup=False, emoji=False)


def say(line: str) -> None:
    """Prints one line to stdout without colours and without breaking it."""
    out.print(line, highlight=False, soft_wrap=True)


def say_aside(line: str) -> None:
    """Prints one line to stderr, also beside a bar that runs there."""
    err.print(line, highlight=False, soft_wrap=True)


def print_json(game: Game[Any], **entries: Any) -> None:
    """Prints one JSON object to stdout: the game with its parameters, and the entries."""
    print(json.dumps({"game": game.facts.name, "parameters": game.parameters(), **entries}))


def new_table(title: str, first: str, *numbers: str, **layout: Any) -> Table:
    """An empty table: a first column of names, then columns of numbers, which are aligned to the right.

    Args:
        title: Over the table.
        first: Heading of the first column.
        *numbers: Headings of the other columns.
        **layout: Further arguments of rich's `Table`.
    """
    right = (Column(heading, justify="right") for heading in numbers)
    return Table(Column(first, overflow="fold"), *right, title=title, **layout)


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """What `work` returns, and the seconds that it takes."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


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


def compile_for(game: Game[Any], question: Callable[[Game[Any]], object]) -> None:
    """Asks a question about the game at its smallest, so that what is timed afterwards is work, not compilation."""
    smallest = game.smallest()
    if smallest is not None:
        question(smallest)


def asked_in_words(asked: Asked) -> str:
    """How often policies were asked for an exact figure, and how often it was tried whether they answer alike."""
    words = f"{asked.questions:,} answers of the policies; {asked.again:,} questions asked again: the same answers"
    held = f"\n{asked.claims:,} more answers agree with what the policies claim" if asked.claims else ""
    return words + held
