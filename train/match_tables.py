"""Results of matches as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from baselines import CrossPlay, HeadToHead
from train.console import fixed


def exact_table(result: HeadToHead, title: str) -> Table:
    """The odds of the first player."""
    table = Table(title=f"{title}, exact")
    for heading, number in (("win", result.win), ("loss", result.loss), ("tie", result.tie)):
        table.add_column(f"P({heading})", footer=fixed(number), justify="right")
    table.add_column("mean payoff", justify="right")
    table.add_row(*map(fixed, (result.win, result.loss, result.tie, result.mean)))
    return table


def played_table(result: CrossPlay, names: Sequence[str], title: str) -> Table:
    """How often each player won, and in how many rounds."""
    table = Table(title=f"{title}, {result.games:,} game{'s' if result.games > 1 else ''}")
    table.add_column("")
    table.add_column("policy")
    for heading in ("won", "share", "mean rounds when it won"):
        table.add_column(heading, justify="right")
    for seat, (name, wins, rounds) in enumerate(zip(names, result.wins, result.mean_rounds_won, strict=True)):
        share = f"{wins / result.games:.4f}"
        table.add_row(f"player_{seat}", name, f"{wins:,}", share, "" if rounds is None else f"{rounds:.2f}")
    for what, number in (("nobody", result.nobody), ("not finished", result.unfinished)):
        if number:
            table.add_row(what, "", f"{number:,}", f"{number / result.games:.4f}", "")
    return table


def played_line(result: CrossPlay) -> str:
    """The number of rounds in words."""
    if result.rounds is not None:
        return f"{result.rounds:,} round{'s' if result.rounds > 1 else ''}; there is no chance in this game"
    return f"{result.mean_rounds:.2f} rounds on average, standard deviation {result.std_rounds:.2f}"
