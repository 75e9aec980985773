"""`cardwar standings`: enters learned policies into the standings, shows them, and measures them again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from cardwar_cli.arguments import count
from cardwar_cli.console import advancing, new_table, out, say
from cardwar_envs import Game
from cardwar_envs.core.texts import counted
from train.algorithms.registry import ALGORITHMS, CLASSES
from train.policies.by_word import policy_from
from train.runs.identity import train_words
from train.runs.loop import reproducible
from train.standings.entries import Entry, Run, add, paths, read_entry, verify
from train.storage.run_folder import CONFIG_FILE, RunFolder
from train.text.game_names import game_from, game_in_words, json_parameters
from train.text.parsing import only_parameters, parameters_and_names
from train.text.printing import points

Root = Annotated[Path, typer.Option("--root", metavar="DIR", help="The folder of all standings.")]
Filter = Annotated[
    list[str] | None,
    typer.Argument(metavar="[GAME [KEY=VALUE ...]]", help="Show only this game; by default all games."),
]
STANDINGS = Path("standings")
GROUP = typer.Typer(add_completion=False, rich_markup_mode=None)


@GROUP.callback()
def standings() -> None:
    """Enter learned policies into the standings, show these, and measure them again."""


@GROUP.command("add", epilog="Example: cardwar standings add jujitsu num_cards=5 mine my_module:MyPolicy")
def _add(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A two-player zero-sum game of the suite.")],
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[KEY=VALUE ...] NAME POLICY ...",
            help="Parameters of the game; the name of the entry; run folders, one for each seed, or a policy: "
            "a policy file, or module:Class, which can wrap a model of any framework.",
        ),
    ],
    uses: Annotated[
        str, typer.Option("--class", metavar="CLASS", help=f"What the learner used: {', '.join(CLASSES)}.")
    ] = "",
    learner: Annotated[str, typer.Option(help="The learner; by default the name in the run folders.")] = "",
    by: Annotated[str, typer.Option(help="Who made the entry; by default the project.")] = "cardwar-envs",
    cpu_seconds: Annotated[
        float | None, typer.Option(min=0.0, help="CPU seconds of learning, if POLICY is not a run folder.")
    ] = None,
    joint_actions: Annotated[
        int | None,
        typer.Option(parser=count(0), metavar="N", help="Joint actions played, if POLICY is not a run folder."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the learner, if POLICY is not a run folder.")] = 0,
    root: Root = STANDINGS,
) -> None:
    """Measure policies exactly and enter them; run folders bring their figures."""
    parameters, given = parameters_and_names(words)
    rules = game_from(game, parameters)
    if len(given) < 2:
        raise ValueError("name the entry and at least one policy, as in cardwar standings add jujitsu mine runs/mine")
    name, *policies = given
    made = [_made(word, rules, (cpu_seconds, joint_actions, seed)) for word in policies]
    entry = enter(root, name, rules, made, by=by, uses=uses, learner=learner)
    say(f"Entered {entry.path}: exploitability {points(entry.exploitability)}, {counted(len(made), 'run')}")


class Made(NamedTuple):
    """A run to enter, and what its folder says of it."""

    run: Run
    uses: str = ""
    learner: str = ""
    command: str = ""
    step: str = "joint actions"


def enter(
    root: Path, name: str, game: Game[Any], made: Sequence[Made], uses: str = "", learner: str = "", **more: Any
) -> Entry:
    """Enters runs that differ only in their seeds; `more` are arguments of `add`."""
    if len({each[1:] for each in made}) > 1:
        raise ValueError("the runs of an entry must differ only in their seeds")
    found = made[0]
    uses, learner = uses or found.uses, learner or found.learner
    for option, value in (("--class", uses), ("--learner", learner)):
        if not value:
            raise ValueError(f"{option} is needed for a policy that is not a run folder")
    if uses not in CLASSES:
        raise ValueError(f"--class ({uses}) must be one of: {', '.join(CLASSES)}")
    runs = [each.run for each in made]
    return add(root, name, game, runs, uses=uses, learner=learner, command=found.command, step=found.step, **more)


def _made(word: str, game: Game[Any], given: tuple[float | None, int | None, int]) -> Made:
    """A run from its folder, or from a policy and the options."""
    cpu_seconds, joint_actions, seed = given
    if os.path.lexists(Path(word) / CONFIG_FILE):
        return made_in(word, game)
    policy = policy_from(word, game)
    for option, value in (("--cpu-seconds", cpu_seconds), ("--joint-actions", joint_actions)):
        if value is None:
            raise ValueError(f"{option} is needed for {word}, which is not a run folder")
    assert cpu_seconds is not None and joint_actions is not None  # noqa: PT018
    return Made(Run(policy, seed, [cpu_seconds], [joint_actions]))


def made_in(word: str, game: Game[Any]) -> Made:
    """A run from its folder; raises ValueError if it is on another game or has no exact figures."""
    policy, folder = policy_from(word, game), RunFolder(Path(word))
    config, rows = folder.config(), folder.read_metrics()
    if (config["game"], config["parameters"]) != (game.facts.name, json_parameters(game)):
        raise ValueError(f"{word} is a run on {config['title']}, not on {game_in_words(game)}")
    if not rows or "exploitability" not in rows[-1]:
        raise ValueError(f"{word} has no evaluation of its exact exploitability")
    cpu_seconds, exploitability = ([row[name] for row in rows] for name in ("cpu_seconds", "exploitability"))
    run = Run(policy, config["seed"], cpu_seconds, [round(row["steps"]) for row in rows], exploitability)
    words = train_words(config["title"], {**config, "seed": "{seed}"}, "FOLDER")
    uses = ALGORITHMS[config["algorithm"]].uses if config["algorithm"] in ALGORITHMS else ""
    return Made(run, uses, config["label"], shlex.join(["cardwar", *words]), config["step"])


def _title(words: Sequence[str]) -> str:
    return game_in_words(game_from(words[0], only_parameters(words[1:]))) if words else ""


@GROUP.command("show", epilog="Example: cardwar standings show jujitsu num_cards=5")
def _show(words: Filter = None, root: Root = STANDINGS) -> None:
    """Show the entries as they are stated, best first within each class."""
    entries = [read_entry(path) for path in paths(root, _title(words or []))]
    games: dict[str, list[Entry]] = {}
    for entry in entries:
        games.setdefault(entry.stated.game, []).append(entry)
    for title, held in games.items():
        columns = "class", "CPU s", "joint actions", "exploitability", "all seeds"
        table = new_table(title, "entry", *columns)
        for entry in sorted(held, key=lambda each: (CLASSES.index(each.stated.uses), each.exploitability)):
            seeds = " ".join(points(run.exploitability[-1], 4) for run in entry.stated.runs)
            costs = f"{entry.cpu_seconds:,.0f}", entry.steps
            table.add_row(entry.name, entry.stated.uses, *costs, points(entry.exploitability, 4), seeds)
        out.print(table)
    say(
        f"Entries: {len(entries)}. Figures are medians over the seeds, as stated; cardwar standings verify measures "
        "each policy file again."
    )


@GROUP.command("verify", epilog="Example: cardwar standings verify jujitsu num_cards=5")
def _verify(words: Filter = None, root: Root = STANDINGS) -> None:
    """Measure the policy file of every entry again; exit with 1 if an entry is wrong or cannot be read."""
    wrong, found = 0, list(paths(root, _title(words or [])))
    with reproducible(0), advancing("entries", len(found)) as progress:
        for done, path in enumerate(found, start=1):
            try:
                entry = read_entry(path)
                if entry.stated.policy_file:
                    say(f"{path}: exploitability {points(verify(entry))}, as stated")
                else:
                    say(f"{path}: not verifiable, it has no policy file")
            except ValueError as error:
                wrong += 1
                say(f"WRONG: {error}")
            progress(done)
    say(f"Entries: {len(found)}, wrong: {wrong}")
    if wrong:
        raise typer.Exit(1)
