"""`cardwar games`: lists the games that can be named, with their parameters."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import json
import sys
from typing import Any

from rich.table import Table

from cardwar_cli.console import AsJson, out, say
from cardwar_envs import Game, make_game
from cardwar_envs.core.parameters import described
from cardwar_envs.core.process import GAME_GROUP, installed
from cardwar_envs.games.by_name import GAMES, game_class
from train.text.game_names import in_brief


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
        kind = game_class(name)
        return {"name": name, "summary": _summary(kind), "parameters": _parameters(name, kind)}
    except ValueError as error:
        return {"name": name, "summary": str(error), "parameters": []}


def _summary(kind: type[Game[Any]]) -> str:
    """The first line of the docstring of a game's module, or else of its class."""
    text = inspect.getdoc(sys.modules[kind.__module__]) or inspect.getdoc(kind) or ""
    return " ".join(text.partition("\n\n")[0].split())


def _parameters(name: str, kind: type[Game[Any]]) -> list[dict[str, Any]]:
    """Name, default and description of each parameter; a parameter without a default is required."""
    fields = {field.name: field for field in dataclasses.fields(kind) if field.init}  # type: ignore[arg-type]  # games are dataclasses
    defaults = {key: field.default for key, field in fields.items() if field.default is not dataclasses.MISSING}
    with contextlib.suppress(Exception):  # a parameter is required, or the defaults are not a valid game
        defaults = make_game(name).parameters()  # with what a default of None stands for
    told = described(kind)
    return [
        {"name": key, **({"default": defaults[key]} if key in defaults else {}), "description": told[key]}
        for key in fields
    ]


def _in_words(parameter: dict[str, Any]) -> str:
    return f"{parameter['name']}={in_brief(parameter['default']) if 'default' in parameter else '...'}"
