"""`cardwar solve`: find an equilibrium and show it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

import baselines
from train.command.console import (
    AsJson,
    GameName,
    MaxStates,
    Words,
    advancing,
    compile_for,
    new_table,
    out,
    print_json,
    say,
)
from train.words import game_of_words, points


@contextmanager
def _ray_aside() -> Iterator[None]:
    """Keeps stdout for the result: Ray prints there until it is shut down."""
    before = _ray_runs()
    with redirect_stdout(sys.stderr):
        try:
            yield
        finally:
            if _ray_runs() and not before:
                sys.modules["ray"].shutdown()


def _ray_runs() -> bool:
    ray = sys.modules.get("ray")
    return ray is not None and ray.is_initialized()


def solve(
    game: GameName,
    words: Words = None,
    exact: Annotated[bool | None, typer.Option(help="Compute with exact rationals (small games).")] = None,
    engine: Annotated[
        str | None, typer.Option(metavar="threads|ray", help="How to solve a large duel; default threads.")
    ] = None,
    keep_layers: Annotated[
        int | None,
        typer.Option(help="Keep values in memory for so many numbers of cards left (large duels); default all."),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Store values there, and continue from those stored (large duels)."),
    ] = None,
    max_states: MaxStates = None,
    as_json: AsJson = False,
) -> None:
    """Find an equilibrium: its value, a certificate, and both players' strategies at the start."""
    rules = game_of_words(game, words or [])
    compile_for(rules, baselines.solve)
    with _ray_aside(), advancing("states") as progress:
        solution = baselines.solve(
            rules,
            exact=exact,
            max_states=max_states,
            progress=progress,
            engine=engine,
            keep_layers=keep_layers,
            cache=cache,
        )
    strategies = solution.at_start()
    if as_json:
        print_json(
            rules,
            value=solution.value,
            gap=solution.gap,
            **({} if solution.exact is None else {"exact": str(solution.exact)}),
            strategies=strategies,
            states=solution.states,
            solved_now=solution.solved,
            seconds=solution.seconds,
            method=solution.method,
            **({} if engine is None else {"engine": engine}),
        )
        return
    value = points(solution.value) + ("" if solution.exact is None else f" = {solution.exact}")
    say(f"{' '.join([game, *(words or [])])}: value {value} to player_0")
    stored = "" if solution.solved == solution.states else f" ({solution.solved:,} now, the others before)"
    say(
        f"{solution.states:,} {solution.unit}{stored} by {solution.method} in {solution.seconds:.2f} s, "
        f"certified to {solution.gap:.1e}"
    )
    if strategies:
        table = behaviour_table if isinstance(solution, baselines.PrivateSolution) else strategy_table
        out.print(table(strategies))


MAX_ROWS = 40


def behaviour_table(strategies: list[dict[str, Any]]) -> Table:
    """Probabilities by what a player knows in private, which stands down the side; all actions across."""
    shown = list(dict.fromkeys(kind for strategy in strategies for kind in strategy))
    actions = [(player, action) for player in (0, 1) for action in next(iter(strategies[player].values()))]
    table = new_table("equilibrium (probability)", "sees", *(f"player_{player} {action}" for player, action in actions))
    for kind in shown[:MAX_ROWS]:
        table.add_row(kind, *(points(strategies[p].get(kind, {}).get(a)) for p, a in actions))
    if len(shown) > MAX_ROWS:
        table.caption = f"the first {MAX_ROWS} of {len(shown)}; --json has all"
    return table


def strategy_table(strategies: list[dict[str, float]]) -> Table:
    """Probabilities by action, which stands down the side, so that long hands fit a narrow terminal."""
    seats = [f"player_{player}" for player in range(len(strategies))]
    table = new_table("equilibrium at the start (probability)", "play", *seats)
    for action in dict.fromkeys(action for strategy in strategies for action in strategy):
        table.add_row(action, *(points(strategy.get(action)) for strategy in strategies))
    return table
