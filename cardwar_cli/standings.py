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
from train.standings.entries import Entry, Run, add, paths, read_entry, require_root, verify
from train.storage.run_folder import CONFIG_FILE, RunFolder
from train.text.game_names import game_from, game_in_words, is_stored
from train.text.parsing import only_parameters, parameters_and_names
from train.text.printing import points

Root = Annotated[Path, typer.Option("--root", metavar="DIR", help="The folder of all standings.")]
Filter = Annotated[
    list[str] | None,
    typer.Argument(metavar="[GAME [KEY=VALUE ...]]", help="Only this game; by default all games."),
]
STANDINGS = Path("standings")
EACH = ", if POLICY is not a run folder; once for each such POLICY."
GROUP = typer.Typer(add_completion=False, rich_markup_mode=None)


@GROUP.callback()
def standings() -> None:
    """Enter learned policies into the standings, show these, and measure them again."""


@GROUP.command("add", epilog="Example: cardwar standings add jujitsu num_cards=5 mine runs/mine --by Me")
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
    by: Annotated[str, typer.Option(help="Who made the entry.")] = "",
    cpu_seconds: Annotated[
        list[float] | None,
        typer.Option(min=0.0, help=f"CPU seconds of learning{EACH}"),
    ] = None,
    joint_actions: Annotated[
        list[int] | None,
        typer.Option(parser=count(0), metavar="N", help=f"Joint actions played{EACH}"),
    ] = None,
    seed: Annotated[list[int] | None, typer.Option(min=0, help=f"Seed of the learner{EACH}")] = None,
    root: Root = STANDINGS,
) -> None:
    """Measure policies exactly and enter them; run folders bring their figures."""
    parameters, given = parameters_and_names(words)
    rules = game_from(game, parameters)
    if len(given) < 2:
        raise ValueError(
            "name the entry and at least one policy, as in cardwar standings add jujitsu mine runs/mine --by Me"
        )
    name, *policies = given
    require_root(root)
    costs: dict[str, list[Any]] = {
        "--cpu-seconds": cpu_seconds or [],
        "--joint-actions": joint_actions or [],
        "--seed": seed or [],
    }
    if not by:
        raise ValueError(f"{name} needs --by, who made the entry")
    made = _all_made(policies, rules, {"--class": uses, "--learner": learner}, costs)
    entry = enter(root, name, rules, made, by=by, uses=uses, learner=learner)
    say(
        f"Entered {entry.path}: exploitability {points(entry.exploitability)}, {counted(len(made), 'run')}. "
        f"Measure it again: cardwar standings verify {entry.stated.game}"
    )


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


def _all_made(
    policies: Sequence[str], game: Game[Any], said: dict[str, str], costs: dict[str, list[Any]]
) -> list[Made]:
    """Runs from their folders, and from other policies with what the options say of them."""
    own = [word for word in policies if not _is_run(word)]
    if own and (missing := [option for option, value in {**said, **costs}.items() if not value]):
        raise ValueError(f"{own[0]} needs {', '.join(missing)}")
    for option, values in costs.items():
        if len(values) != len(own):
            takes = f"must be given once for each of: {', '.join(own)}" if own else "is for policies, not run folders"
            raise ValueError(f"{option} ({', '.join(map(str, values))}) {takes}")
    figures = iter(zip(*costs.values(), strict=True))
    return [made_in(word, game) if _is_run(word) else _made(word, game, *next(figures)) for word in policies]


def _is_run(word: str) -> bool:
    return os.path.lexists(Path(word) / CONFIG_FILE)


def _made(word: str, game: Game[Any], cpu_seconds: float, joint_actions: int, seed: int) -> Made:
    """A run from a policy and the options."""
    return Made(Run(policy_from(word, game), seed, [cpu_seconds], [joint_actions]))


def made_in(word: str, game: Game[Any]) -> Made:
    """A run from its folder; raises ValueError if it is on another game or has no exact figures."""
    policy, folder = policy_from(word, game), RunFolder(Path(word))
    config, rows = folder.config(), folder.read_metrics()
    if not is_stored(game, config["game"], config["parameters"]):
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
