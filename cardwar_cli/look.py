"""`cardwar games`, `cardwar rules` and `cardwar levels`: what there is to play, how, and against whom."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shlex
from typing import Annotated, Any

import typer
from rich.table import Table

from baselines.opponents.levels.level import levels as all_levels
from cardwar_cli.arguments import GameName, Words
from cardwar_cli.console import AsJson, new_table, out, print_json, say
from cardwar_envs import Game, make_game
from cardwar_envs.core.parameters import described
from cardwar_envs.core.process import GAME_GROUP, installed
from cardwar_envs.core.scene import spoken
from cardwar_envs.games.by_name import GAMES, game_class, summary_of
from train.algorithms.registry import ALGORITHMS
from train.text.game_names import abbreviated_value, game_from_words, game_in_words, game_with_players, title_words
from train.text.parsing import split_words
from train.text.printing import points

# Longer lines of rules are hard to read.
WIDEST = 100


def games(as_json: AsJson = False) -> None:
    """List the games, each with its parameters and their defaults.

    Games of other installed packages are listed too.
    """
    entries = [_entry(name) for name in {**GAMES, **installed(GAME_GROUP)}]
    if as_json:
        print(json.dumps({"games": entries}, default=str))
        return
    table = Table.grid(padding=(0, 2))
    for entry in entries:
        table.add_row(entry["name"], entry["summary"])
        if entry["parameters"]:
            table.add_row("", " ".join(map(_in_words, entry["parameters"])), style="dim")
    out.print(table, highlight=False)
    say("\ncardwar rules GAME explains how to play it, cardwar play GAME starts it.")
    say("Your own game is named by its module and class: cardwar rules my_module:MyGame")


def _entry(name: str) -> dict[str, Any]:
    """A game's name, summary and parameters; if the game cannot be imported, the summary says why."""
    try:
        game_type = game_class(name)
        return {"name": name, "summary": summary_of(game_type), "parameters": _parameters(name, game_type)}
    except ValueError as error:
        return {"name": name, "summary": str(error), "parameters": []}


def _parameters(name: str, game_type: type[Game[Any]]) -> list[dict[str, Any]]:
    """Name, default and description of each parameter; a parameter without a default is required."""
    fields = {field.name: field for field in dataclasses.fields(game_type) if field.init}  # type: ignore[arg-type]  # games are dataclasses
    defaults = {key: field.default for key, field in fields.items() if field.default is not dataclasses.MISSING}
    with contextlib.suppress(Exception):  # a parameter is required, or the defaults are not a valid game
        defaults = make_game(name).parameters()  # with what a default of None stands for
    descriptions = described(game_type)
    return [
        {"name": key, **({"default": defaults[key]} if key in defaults else {}), "description": descriptions[key]}
        for key in fields
    ]


def _in_words(parameter: dict[str, Any]) -> str:
    return f"{parameter['name']}={abbreviated_value(parameter['default']) if 'default' in parameter else '...'}"


def rules(game: GameName, words: Words = None, as_json: AsJson = False) -> None:
    """Explain how to play and win a game with these parameters."""
    played = game_from_words(game, words or [])
    if as_json:
        print_json(played, how_to_play=played.how_to_play)
        return
    width = min(out.width, WIDEST)
    out.print(spoken(played.facts.name), style="bold", highlight=False)
    out.print(f"{played.how_to_play}\n", highlight=False, width=width)
    descriptions, values = described(type(played)), played.parameters()
    if descriptions:
        table = Table("parameter", "value", "description")
        for name, meaning in descriptions.items():
            table.add_row(name, abbreviated_value(values[name]), meaning)
        out.print(table, highlight=False, width=width)
    say(f"Play it: cardwar play {_to_play(played)}")


def _to_play(game: Game[Any]) -> str:
    """The arguments with which `cardwar play` plays this game, with two players if the game allows any number."""
    name, *given = title_words(game_in_words(game))
    if game_with_players(name, split_words(given)[0], 2) != game:
        given.append(f"num_players={game.facts.num_players}")
    return shlex.join([name, *given])


def levels(
    game: Annotated[str | None, typer.Argument(help="Name of a game; default all games.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the graded opponents, level:1 to level:5, with their exact exploitability."""
    rows = [level for level in all_levels() if game in (None, level.game)]
    if not rows:
        known = ", ".join(dict.fromkeys(level.game for level in all_levels()))
        raise ValueError(f"game ({game}) has no graded opponents; these have: {known}")
    if as_json:
        keys = ("title", "number", "learner", "arguments", "steps", "seed", "exploitability")
        entries = [{key: getattr(level, key) for key in keys} | {"bytes": level.path.stat().st_size} for level in rows]
        print(json.dumps({"levels": entries}))
        return
    table = new_table("graded opponents", "game", "policy", "exploitability", "steps", "learner")
    for level in rows:
        name, figure = f"level:{level.number}", points(level.exploitability)
        table.add_row(level.title, name, figure, f"{level.steps:,}", level.learner)
    out.print(table)
    learners = dict.fromkeys(level.learner for level in rows)
    say(f"steps: {', '.join(f'{ALGORITHMS[name].step} of {name}' for name in learners)}")
    say("exploitability: exact, in payoff points. E.g.: cardwar match jujitsu num_cards=5 level:3 uniform")
