"""`cardwar playoffs`: every policy against every other in both seats."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from cardwar_envs import Game, Policy
from cardwar_envs.core.policy import needs_others, policy_names
from train.command.console import AsJson, GameName, out
from train.policies.by_word import policy_from
from train.reports.playoffs import Pairing, PlayOffs, play_all, points, shipped_policies
from train.words import game_from, game_in_words, split_words


def _policies(words: Sequence[str], game: Game[Any]) -> dict[str, Policy]:
    """Policies by name; a run folder goes by its last part, if that is enough to tell it from the others."""
    short = [Path(word).name if Path(word).exists() else word for word in words]
    policies: dict[str, Policy] = {}
    for word, name in zip(words, short, strict=True):
        if word in words[: len(policies)]:
            raise ValueError(f"{word} is given twice")
        if word in policy_names() and needs_others(word):
            raise ValueError(f"{word} must know what the other plays, and cannot play against all")
        taken = short.count(name) > 1 or (name in policy_names() and name != word)
        policies[word if taken else name] = policy_from(word, game)
    return policies


def playoffs(
    game: GameName,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KEY=VALUE ...] [POLICY ...]",
            help="Parameters of the game; names of policies, run folders or policy files, all shipped ones if none.",
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="For tables and picture; default runs/playoffs-GAME.")
    ] = None,
    shipped: Annotated[bool, typer.Option("--shipped", help="Also all shipped policies that play the game.")] = False,
    games: Annotated[
        int | None, typer.Option(help="Sample so many for each pair, where a deck is too large for exact results.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of what is drawn in them; 0 if not given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play every policy against every other in both seats: odds, mean payoffs, and how exploitable each is."""
    parameters, options, given = split_words(words or [])
    if options:
        raise ValueError(f"no such option: --{next(iter(options))}")
    rules = game_from(game, parameters)
    policies = _policies(given, rules)
    if shipped or not policies:
        policies = {**shipped_policies(rules), **policies}
    if games is None and seed is not None:
        raise ValueError(f"--seed ({seed}) is of no use without --games: exact results are not drawn")
    result = play_all(rules, policies, games, seed or 0)

    from train.reports.playoffs_files import write_playoffs  # needs matplotlib

    if folder is None:
        folder = Path("runs") / "-".join(["playoffs", game, *(f"{key}={text}" for key, text in parameters.items())])
    files = write_playoffs(result, folder)
    if as_json:
        print(json.dumps(plain(result, seed or 0, files)))
        return
    out.print(standing_table(result))
    means = means_table(result)
    if out.measure(means).minimum <= out.width:  # else it is in the files
        out.print(means)
    out.print("Written: " + ", ".join(map(str, files)), highlight=False, soft_wrap=True)


def standing_table(result: PlayOffs) -> Table:
    """Each policy's average over all others and both seats, and its exploitability."""
    exact = "exact" if result.games is None else f"{result.games:,} games for each pair"
    table = Table(title=f"{game_in_words(result.game)}, {exact}")
    table.add_column("policy", overflow="fold")
    table.add_column("average payoff", justify="right")
    if result.exploitability is not None:
        table.add_column("exploitability", justify="right")
    for row, name in enumerate(result.names):
        last = () if result.exploitability is None else (points(result.exploitability[row]),)
        table.add_row(f"{row + 1} {name}", points(result.averages[row]), *last)
    return table


def means_table(result: PlayOffs) -> Table:
    """Mean payoffs, policies by number."""
    table = Table(title="mean payoff to the row as player_0", box=None, padding=(0, 0, 0, 1))
    table.add_column("", justify="right", no_wrap=True)
    for column in range(len(result.names)):
        table.add_column(str(column + 1), justify="right", no_wrap=True)
    for row in range(len(result.names)):
        table.add_row(str(row + 1), *map(points, result.means[row]))
    return table


def plain(result: PlayOffs, seed: int, files: Sequence[Path]) -> dict[str, Any]:
    """The same as plain data."""
    matrices = {
        field: [[getattr(pairing, field) for pairing in row] for row in result.pairings]
        for field in Pairing._fields
        if result.games is not None or field not in ("low", "high")
    }
    sampled = {} if result.games is None else {"games": result.games, "seed": seed}
    averages = [None if np.isnan(average) else float(average) for average in result.averages]
    return {
        "game": result.game.facts.name,
        "parameters": result.game.parameters(),
        "policies": list(result.names),
        **matrices,
        "averages": averages,
        "exploitability": None if result.exploitability is None else list(result.exploitability),
        **sampled,
        "files": [str(path) for path in files],
    }
