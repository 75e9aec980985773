"""`cardwar equilibria`: equilibria of any game; `cardwar export`: payoffs, optimal play and policies as files."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from numpy.typing import NDArray

import baselines
from baselines.display import export as formats
from baselines.display.at_state import PlayAt
from baselines.matrix_game.continuation import ExactPlay
from baselines.nash import KINDS, SELECTIONS, only_decision
from baselines.system.files import require_writable, write_atomically
from cardwar_cli.arguments import GameName, Words
from cardwar_cli.console import AsJson, is_duel, new_table, out, print_json, say
from cardwar_cli.mixes import MAX_CELLS
from cardwar_cli.solve import checked_state, solution_data
from cardwar_envs import Game
from cardwar_envs.core.constant_sum import zero_sum_form
from train.policies.by_word import policy_from
from train.text.game_names import game_from_words, game_in_words

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
        if table.title != found.label and len(table.headings) * len(table.rows) > MAX_CELLS:
            say(f"The {len(table.rows)} x {len(table.headings) - 1} payoffs are not shown; cardwar export writes them.")
        elif table.rows:
            shown = new_table("" if table.title == found.label else table.title, *table.headings)
            for row in table.rows:
                shown.add_row(*map(str, row))
            out.print(shown)


def export(
    game: GameName,
    to: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="FILE",
            help=f"The file; its ending is one of {', '.join(FORMATS)}; with --policy .csv or .json.",
        ),
    ],
    words: Words = None,
    policy: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Write this policy: a name, run folder, file or module:Class.")
    ] = None,
    state: Annotated[str | None, typer.Option(metavar="TEXT", help="A state; by default the start.")] = None,
    exact: Annotated[bool | None, typer.Option(help="Use exact rational arithmetic (small games).")] = None,
    kind: Kind = None,
    lambda_: Lambda = None,
    selection: Selection = "sum",
) -> None:
    """Write payoffs, equilibrium mixes, ranges and values as CSV, JSON, LaTeX (booktabs), Gambit's .nfg, or a figure.

    Two-player constant-sum games are solved as by `cardwar solve`, others as by `cardwar equilibria` with --kind. A CSV
    file has the payoff matrix, which table:FILE reads; the mixes are written beside it, into NAME-mixes.csv. With
    --policy, write the probabilities of a policy at all information states.
    """
    if policy is not None:
        given = {"state": state, "exact": exact, "kind": kind, "lambda": lambda_}
        _export_policy(policy, game, words or [], to, given)
        return
    if to.suffix not in FORMATS:
        raise ValueError(f"--out ({to}) must end in one of {', '.join(FORMATS)}")
    mixes = to.with_name(f"{to.stem}-mixes.csv")
    for path in (to, mixes) if to.suffix == ".csv" else (to,):
        require_writable(path)
    rules = game_from_words(game, words or [])
    at = None if state is None else checked_state(state, rules)
    if is_duel(rules):
        solution = baselines.solve(rules, exact=_quickly(rules) if exact is None else exact)
        found: Any = solution.at(at) if isinstance(solution, baselines.StateSolution) else solution
        data, show = found.as_data() if at is not None else solution_data(solution), partial(solution.show, at)
    else:
        every = baselines.equilibria(rules, kind, lambda_=lambda_, selection=selection)
        found = every if at is None else every.at(at)
        data, show = found.as_data(), found.show
    payoffs, names = _payoffs(rules, found)
    files: dict[Path, str | bytes]
    if to.suffix == ".nfg":
        if payoffs is None or len(names) != len(payoffs):
            raise ValueError(f"--out ({to}): .nfg is for one decision of all players, who see the state")
        files = {to: formats.nfg(payoffs, names, rules.player_names, to.stem)}
    elif to.suffix == ".csv":
        files = _csv_files(found, payoffs, names, to, mixes)
    elif to.suffix in (".json", ".tex"):
        files = {to: found.to_latex() if to.suffix == ".tex" else json.dumps(data, indent=1)}
    else:
        from train.reports.curves import ImageFormat, as_file  # imports matplotlib

        files = {to: as_file(show(), cast(ImageFormat, to.suffix[1:]))}
    for path, content in files.items():
        write_atomically(path, content if isinstance(content, bytes) else content.encode())
        say(f"wrote {path}")


def _export_policy(policy: str, game: str, words: list[str], to: Path, refused: dict[str, Any]) -> None:
    from train.policies.table_files import export_policy

    for option, value in refused.items():
        if value is not None:
            raise ValueError(f"--{option} ({value}) cannot be combined with --policy")
    require_writable(to)
    rules = game_from_words(game, words)
    export_policy(policy_from(policy, rules), rules, to)
    say(f"wrote {to}")


def _csv_files(found: Any, payoffs: NDArray[Any] | None, names: Any, to: Path, mixes: Path) -> dict[Path, str | bytes]:
    if payoffs is None or payoffs.ndim != 3:
        return {to: found.to_csv()}
    shown = payoffs if payoffs.sum(axis=0).any() else payoffs[:1]  # one matrix is a zero-sum game
    return {to: formats.csv_text(formats.matrix_rows(shown, names)), mixes: found.to_csv()}


def _quickly(rules: Game[Any]) -> bool | None:
    """Returns True if rational arithmetic solves a game at once; else None, so that `solve` decides."""
    try:
        for start in rules.initial() if rules.facts.public_state else ():
            ExactPlay(zero_sum_form(rules)).matrix(start.state)
    except ValueError:  # too large, or rounded floats in the rules
        return None
    return rules.facts.public_state or None


def _payoffs(rules: Game[Any], found: Any) -> tuple[NDArray[Any] | None, Any]:
    """Returns the payoffs of the only decision, or at the given state, and the names of actions; None for others."""
    with suppress(ValueError):  # rational payoffs stay so, even if optimal play is computed in floats
        decision = only_decision(rules)[1]
        return decision.written, decision.names
    if isinstance(found, baselines.Equilibria):
        return (None, ()) if found.decision is None else (found.decision.written, found.decision.names)
    return (found.payoffs, found.headings) if isinstance(found, PlayAt) else (None, ())
