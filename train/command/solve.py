"""`cardwar solve`: an equilibrium, timed, with progress on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.table import Table

import baselines
from baselines.duel.solver import ENGINES, DuelTable, can_solve
from baselines.solution import Solution, load_kernels, solve_by_words
from cardwar_envs import Game
from train.command.console import AsJson, GameName, Words, advancing, new_table, out, print_json, say, timed
from train.words import game_of_words, points


class Work(NamedTuple):
    """A solution and the work that it took.

    Attributes:
        solution: The solution with its certificate.
        seconds: Time of solving alone, without compiling and starting a cluster.
        solved_now: Matrix games solved; fewer than `solution.states` if values were read from a cache.
        engine: Engine of the word solver, which solves large duels; None for other games.
    """

    solution: Solution
    seconds: float
    solved_now: int
    engine: str | None


def solve_timed(
    game: Game[Any], exact: bool | None, engine: str | None, keep_layers: int | None, cache: Path | None
) -> Work:
    """Solves a game and measures the time.

    Args:
        game: The rules.
        exact: As in `baselines.solve`.
        engine: As in `DuelTable`, or None. This and the next two are for duels that the word solver solves.
        keep_layers: As in `DuelTable`.
        cache: Folder for the values, or None.

    Raises:
        ValueError: If an option does not fit the game; also as `solve` and `DuelTable` raise.
    """
    load_kernels(game)
    if can_solve(game) and not exact:
        return _by_words(game, engine or ENGINES[0], keep_layers, cache)
    for option, value in (("engine", engine), ("keep-layers", keep_layers), ("cache", cache)):
        if value is not None:
            raise ValueError(
                f"--{option} ({value}) is of no use here: it is for duels in which only the order of ranks "
                "matters, not too long, and not solved in rationals"
            )
    with advancing("states explored") as progress:
        solution, seconds = timed(lambda: baselines.solve(game, exact=exact, progress=progress))
    return Work(solution, seconds, solution.states, None)


def _by_words(game: Game[Any], engine: str, keep_layers: int | None, cache: Path | None) -> Work:
    with _ray_aside():
        table = DuelTable(game, keep_layers=keep_layers, folder=cache, engine=engine)
        with advancing("matrix games", lambda: table.total_states) as progress:
            solution, seconds = timed(lambda: solve_by_words(table, progress))
        return Work(solution, seconds, table.layers.solved, engine)


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
    as_json: AsJson = False,
) -> None:
    """Find an equilibrium: its value, a certificate, and both players' strategies at the start."""
    rules = game_of_words(game, words or [])
    solution, seconds, solved_now, engine = solve_timed(rules, exact, engine, keep_layers, cache)
    strategies = start_strategies(solution)
    if as_json:
        print_json(
            rules,
            value=solution.value,
            gap=solution.gap,
            **({} if solution.exact is None else {"exact": str(solution.exact)}),
            strategies=strategies,
            states=solution.states,
            solved_now=solved_now,
            seconds=seconds,
            method=solution.method,
            **({} if engine is None else {"engine": engine}),
        )
        return
    value = points(solution.value) + ("" if solution.exact is None else f" = {solution.exact}")
    say(f"{' '.join([game, *(words or [])])}: value {value} to player_0")
    kind = "matrix games" if solution.behaviour is None else "information states"
    stored = "" if solved_now == solution.states else f" ({solved_now:,} now, the others before)"
    say(f"{solution.states:,} {kind}{stored} by {solution.method} in {seconds:.2f} s, certified to {solution.gap:.1e}")
    if strategies:
        table = strategy_table if solution.behaviour is None else behaviour_table
        out.print(table(strategies))


MAX_ROWS = 40


def start_strategies(solution: baselines.Solution) -> list[dict[str, Any]]:
    """Both players' strategies at the start: action -> probability, for each type if players have types."""
    game = solution.game
    if solution.behaviour is not None:
        form = game.bayesian_form()
        return [
            {
                kind: {
                    game.describe_action(a, player): float(p) for a, p in zip(form.actions[player], row, strict=True)
                }
                for kind, row in zip(form.types[player], solution.behaviour[player], strict=True)
            }
            for player in (0, 1)
        ]
    starts = game.initial()
    if len(starts) != 1:
        return []
    state = starts[0].state
    return [
        {game.describe_action(action, player): float(strategy[action]) for action in game.legal_actions(state, player)}
        for player, strategy in enumerate(solution.strategies(state))
    ]


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
