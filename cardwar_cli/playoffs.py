"""`cardwar playoffs`: plays a round-robin between policies, in both seats."""

from __future__ import annotations

import itertools
import os
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Column, Table

from baselines.system.files import require_writable
from cardwar_cli.arguments import GameName, count
from cardwar_cli.console import AsJson, advancing, new_table, out, print_json, say, say_aside
from cardwar_envs import Game, Policy
from cardwar_envs.core.policy_names import names_a_policy, needs_others
from train.policies.by_word import policy_from
from train.policies.learned_policy import labelled
from train.reports.groups import run_folders, run_names, unmeasured
from train.reports.playoffs import DIGITS, PlayOffs, play_all, ranked, require_pairings, shipped_policies, shown
from train.storage.run_folder import CONFIG_FILE, RunFolder
from train.text.game_names import game_from, game_in_words, is_stored
from train.text.parsing import parameters_and_names
from train.text.printing import points, printable


def playoffs(
    game: GameName,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KEY=VALUE ...] [POLICY ...]",
            help="Parameters of the game; policy names, policy files, run folders, or folders with runs at any depth "
            "(default: all shipped policies).",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            file_okay=False,
            help="Folder for tables and a plot; default a new folder, runs/playoffs-GAME-N.",
        ),
    ] = None,
    shipped: Annotated[bool, typer.Option("--shipped", help="Add all shipped policies for the game.")] = False,
    games: Annotated[
        int | None,
        typer.Option(
            parser=count(1), metavar="N", help="Games to sample per pair, for games too large for exact results."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of sampled games; default 0.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play every policy against every other, in both seats.

    Reports odds, mean payoffs, Elo, Nash averages and exploitability, best policy first. Runs are named after their
    algorithm and the settings in which they differ.
    """
    parameters, given = parameters_and_names(words or [])
    rules = game_from(game, parameters)
    require_pairings(rules, games)
    policies = policies_of_words(given, rules)
    if shipped or not policies:
        policies = {**shipped_policies(rules), **policies}
    if games is None and seed is not None:
        raise ValueError(f"--seed ({seed}) requires --games: exact results are not sampled")
    from train.reports.playoffs_files import FILES, write_playoffs  # if matplotlib is missing, fail before playing

    if folder is None:
        name = "-".join(["playoffs", rules.facts.name, *(f"{key}={text}" for key, text in parameters.items())])
        folder = next(path for n in itertools.count(1) if not (path := Path("runs") / f"{name}-{n}").exists())
    files = [folder / name for name in FILES]
    for path in files:
        require_writable(path, new_folders=True)
    with advancing("pairings", len(policies) ** 2) as progress:
        result = play_all(rules, policies, games, seed or 0, progress)
    if as_json:
        print_json(rules, **plain(result, seed or 0, files))
    else:
        _show(result)
    write_playoffs(result, folder)  # after the results are printed: the disk may be full
    if not as_json:
        say("Written: " + ", ".join(map(str, files)))


def _show(result: PlayOffs) -> None:
    best_first = ranked(result)
    out.print(standing_table(best_first))
    means = means_table(best_first)
    if out.measure(means).minimum <= out.width:  # wider tables are written only to files
        out.print(means)
    say(textwrap.fill(result.note, 80))


def standing_table(result: PlayOffs) -> Table:
    """A table of each policy's average payoff over all others and both seats, and its other figures."""
    headings = {"average": "average payoff", "elo": "Elo", "nash_average": "Nash average"}
    titles = [headings.get(name, name) for name in result.figures]
    table = new_table(f"{game_in_words(result.game)}, {result.how}", "policy", *titles)
    for number, (name, *figures) in enumerate(zip(result.names, *result.figures.values(), strict=True), 1):
        table.add_row(f"{number} {name}", *map(shown, result.figures, figures))
    return table


def means_table(result: PlayOffs) -> Table:
    """A table of mean payoffs, with policies referred to by number."""
    numbers = [str(number) for number in range(1, len(result.names) + 1)]
    columns = (Column(heading, justify="right", no_wrap=True) for heading in ("", *numbers))
    table = Table(*columns, title="mean payoff of the row's policy as player_0", box=None, padding=(0, 0, 0, 1))
    for number, row in zip(numbers, result.means, strict=True):
        table.add_row(number, *(points(payoff, DIGITS) for payoff in row))
    return table


def plain(result: PlayOffs, seed: int, files: Sequence[Path]) -> dict[str, Any]:
    """The results as JSON-compatible data."""
    return {
        "policies": list(result.names),
        **{field: [[getattr(pairing, field) for pairing in row] for row in result.pairings] for field in result.fields},
        "exploitability": None,
        **{
            "averages" if name == "average" else name: [float(each) if np.isfinite(each) else None for each in figures]
            for name, figures in result.figures.items()
        },
        **({} if result.games is None else {"games": result.games, "seed": seed}),
        "note": result.note,
        "files": [str(path) for path in files],
    }


def policies_of_words(words: Sequence[str], game: Game[Any]) -> dict[str, Policy]:
    """Maps names to policies; runs are named after their differences, files by their base name if that is unique."""
    for place, word in enumerate(words):
        if word in words[:place]:
            raise ValueError(f"{word} is given twice")
        if needs_others(word):
            raise ValueError(f"{word} needs to know its opponent, so it cannot take part in play-offs")
    given = list(dict.fromkeys(each for word in words for each in _runs_or_word(word, game)))
    runs = [word for word in given if not names_a_policy(word) and os.path.lexists(Path(word) / CONFIG_FILE)]
    names = dict(zip(runs, run_names([unmeasured(run) for run in runs]), strict=True)) if runs else {}
    short = [names.get(word) or (Path(word).name if os.path.exists(word) else word) for word in given]
    policies: dict[str, Policy] = {}
    for word, name in zip(given, short, strict=True):
        taken = short.count(name) > 1 or (names_a_policy(name) and name != word)
        policy = policy_from(word, game)
        policies[printable(labelled(word if taken else name, policy))] = policy
    return policies


def _runs_or_word(word: str, game: Game[Any]) -> list[str]:
    """The runs on this game in a folder of runs, if `word` is such a folder; else `word` itself."""
    folder = Path(word)
    if names_a_policy(word) or not folder.is_dir() or os.path.lexists(folder / CONFIG_FILE):
        return [word]
    from train.policies.files import POLICY_FILE  # needs torch, which named policies do not need

    if os.path.lexists(folder / POLICY_FILE):
        return [word]
    found = []
    for path in run_folders(folder):
        config = RunFolder(path).config()
        if not is_stored(game, config["game"], config["parameters"]):
            say_aside(f"Left out: {path}, a run on {config['title']}")
        elif not os.path.lexists(path / POLICY_FILE):
            say_aside(f"Left out: {path}, which has no policy yet")
        else:
            found.append(str(path))
    if not found:
        raise ValueError(f"{word} contains no policy for {game_in_words(game)}")
    return found
