"""`cardwar equilibria`: equilibria of any game; `cardwar export`: payoffs and optimal play as files for papers."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
from cardwar_envs import Game
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

    Two-player zero-sum games are solved as by `cardwar solve`, others as by `cardwar equilibria` with --kind. A CSV
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
        raise ValueError(f"--state ({state}) is for two-player zero-sum games; of others, all states are written")
    else:
        files = _equilibria(baselines.equilibria(rules, kind, lambda_=lambda_, selection=selection), to)
    for path, content in files.items():
        write_atomically(path, content)
        say(f"wrote {path}")


def _optimal_play(solution: baselines.Solution, state: Any, to: Path) -> dict[Path, bytes]:
    play = solution.at(state) if isinstance(solution, baselines.StateSolution) else None
    if to.suffix == ".nfg":
        if play is None:
            raise ValueError(f"--out ({to}): with private information there is no payoff matrix; use .csv or .json")
        return {to: formats.nfg(play.payoffs, play.headings, solution.game.facts.name).encode()}
    if to.suffix == ".json":
        data = solution_data(solution) if play is None or state is None else {"state": repr(state), **play.as_data()}
        return {to: _json(solution.game, data)}
    headings, rows = solution.tables(state)[0][1:]
    matrix = formats.csv_text([headings, *rows]) if play is not None else None
    return _as_text(to, solution.to_latex(state), matrix, solution.to_csv(state)) or _drawn(to, solution.show(state))


def _equilibria(found: baselines.Equilibria, to: Path) -> dict[Path, bytes]:
    decision = found.decision
    if to.suffix == ".nfg":
        if decision is None:
            raise ValueError(f"--out ({to}): {found.game.facts.name} has several decisions; use .csv or .json")
        return {to: formats.nfg(decision.payoffs, decision.names, found.game.facts.name).encode()}
    if to.suffix == ".json":
        payoffs = (
            {} if decision is None else {"actions": decision.names, "payoffs": decision.payoffs.astype(str).tolist()}
        )
        return {to: _json(found.game, {**payoffs, **found.as_data()})}
    two = decision is not None and len(decision.payoffs) == 2
    matrix = formats.csv_text(formats.matrix_rows(decision.payoffs, decision.names)) if decision and two else None
    return _as_text(to, found.to_latex(), matrix, found.to_csv()) or _drawn(to, found.show())


def _json(game: Game[Any], data: Mapping[str, Any]) -> bytes:
    return json.dumps({"game": game.facts.name, "parameters": game.parameters(), **data}, indent=1).encode()


def _as_text(to: Path, latex: str, matrix: str | None, mixes: str) -> dict[Path, bytes]:
    """Returns the files of the formats that are text; none for a figure."""
    if to.suffix == ".tex":
        return {to: latex.encode()}
    if to.suffix != ".csv":
        return {}
    return (
        {to: mixes.encode()}
        if matrix is None
        else {to: matrix.encode(), to.with_name(f"{to.stem}-mixes.csv"): mixes.encode()}
    )


def _drawn(to: Path, figure: Figure) -> dict[Path, bytes]:
    from train.reports.curves import ImageFormat, as_file  # imports matplotlib

    return {to: as_file(figure, cast(ImageFormat, to.suffix[1:]))}
