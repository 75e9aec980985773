"""`cardwar equilibria`: equilibria of any game; `cardwar export`: payoffs and optimal play as files for papers."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

import baselines
from baselines.display import export as formats
from baselines.nash import KINDS, SELECTIONS
from baselines.system.files import require_writable, write_atomically
from cardwar_cli.arguments import GameName, Words
from cardwar_cli.console import AsJson, is_duel, new_table, out, print_json, say
from cardwar_cli.solve import checked_state, solution_data
from train.text.game_names import game_from_words, game_in_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Kind = Annotated[
    str | None,
    typer.Option(metavar="|".join(KINDS), help="By default mixed if all players choose once, else subgame_perfect."),
]
Lambda = Annotated[
    float | None, typer.Option("--lambda", help="With --kind logit: the precision of play, per payoff point.")
]
Selection = Annotated[
    str,
    typer.Option(
        metavar="|".join(SELECTIONS),
        help="Which of several: the largest sum or minimum of payoffs, or the first (subgame_perfect).",
    ),
]
Files = dict[Path, str | bytes]
FORMATS = (".csv", ".json", ".tex", ".nfg", ".pdf", ".svg", ".png")


def equilibria(
    game: GameName,
    words: Words = None,
    kind: Kind = None,
    lambda_: Lambda = None,
    selection: Selection = "sum",
    as_json: AsJson = False,
) -> None:
    """Find equilibria of a game with any number of players and any payoffs, and verify each of them.

    Says whether they are all of their kind, one of possibly many, or the only one, and what players gain by deviating.
    """
    rules = game_from_words(game, words or [])
    found = baselines.equilibria(rules, kind, lambda_=lambda_, selection=selection)
    if as_json:
        print_json(rules, **found.as_data())
        return
    say(f"{game_in_words(rules)}: {found.label}")
    for table in found.tables():
        if table.rows:
            shown = new_table("" if table.title == found.label else table.title, *table.headings)
            for row in table.rows:
                shown.add_row(*map(str, row))
            out.print(shown)


def export(
    game: GameName,
    to: Annotated[
        Path, typer.Option("--out", metavar="FILE", help=f"The file; its ending is one of {', '.join(FORMATS)}.")
    ],
    words: Words = None,
    state: Annotated[str | None, typer.Option(metavar="TEXT", help="A state; by default the start.")] = None,
    exact: Annotated[bool | None, typer.Option(help="Use exact rational arithmetic (small games).")] = None,
    kind: Kind = None,
    lambda_: Lambda = None,
    selection: Selection = "sum",
) -> None:
    """Write payoffs, equilibrium mixes, ranges and values as CSV, JSON, LaTeX (booktabs), Gambit's .nfg, or a figure.

    Two-player constant-sum games are solved as by `cardwar solve`, others as by `cardwar equilibria` with --kind. A CSV
    file has the payoff matrix, which table:FILE reads; the mixes are written beside it, into NAME-mixes.csv.
    """
    if to.suffix not in FORMATS:
        raise ValueError(f"--out ({to}) must end in one of {', '.join(FORMATS)}")
    require_writable(to)
    rules = game_from_words(game, words or [])
    at = None if state is None else checked_state(state, rules)
    if is_duel(rules):
        files = _optimal_play(baselines.solve(rules, exact=exact), at, to)
    elif at is not None:
        raise ValueError(f"--state ({state}) is for two-player constant-sum games; of others, all states are written")
    else:
        files = _equilibria(baselines.equilibria(rules, kind, lambda_=lambda_, selection=selection), to)
    for path, content in files.items():
        write_atomically(path, content if isinstance(content, bytes) else content.encode())
        say(f"wrote {path}")


def _optimal_play(solution: baselines.Solution, state: Any, to: Path) -> Files:
    play = solution.at(state) if isinstance(solution, baselines.StateSolution) else None
    if play is None:
        matrix, payoffs, data = None, None, solution_data(solution)
    else:
        _, headings, own = play.tables()[0]
        payoffs = play.payoffs, play.headings
        matrix = formats.csv_text(formats.matrix_rows(*payoffs) if play.total else [headings, *own])
        data = solution_data(solution) if state is None else {"state": repr(state), **play.as_data()}
    return _files(solution if play is None else play, to, matrix, payoffs, data, partial(solution.show, state))


def _equilibria(found: baselines.Equilibria, to: Path) -> Files:
    matrix, payoffs, data = None, None, found.as_data()
    if (decision := found.decision) is not None:
        payoffs = decision.payoffs, decision.names
        data |= {"actions": decision.names, "payoffs": decision.payoffs.astype(str).tolist()}
        if len(decision.payoffs) == 2:
            matrix = formats.csv_text(formats.matrix_rows(*payoffs))
    return _files(found, to, matrix, payoffs, data, found.show)


def _files(found: Any, to: Path, matrix: str | None, payoffs: Any, data: Any, show: Callable[[], Figure]) -> Files:
    """Returns the files of a solution, of play at a state or of equilibria, in the format of the ending of `to`."""
    if to.suffix == ".tex":
        return {to: found.to_latex()}
    if to.suffix == ".csv":
        mixes = found.to_csv()
        return {to: mixes} if matrix is None else {to: matrix, to.with_name(f"{to.stem}-mixes.csv"): mixes}
    if to.suffix == ".json":
        return {to: json.dumps(data, indent=1)}
    if to.suffix == ".nfg":
        if payoffs is None:
            raise ValueError(
                f"--out ({to}): .nfg is for one decision in which players see the state; use .csv or .json"
            )
        numbers, names = payoffs
        return {to: formats.nfg(numbers, names, to.stem)}
    from train.reports.curves import ImageFormat, as_file  # imports matplotlib

    return {to: as_file(show(), cast(ImageFormat, to.suffix[1:]))}
