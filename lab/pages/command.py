"""Generates the page on the command `cardwar`: every subcommand with its options, as the program defines them."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from cardwar_cli.main import COMMANDS, function_of
from train.algorithms.registry import ALGORITHMS
from train.learner.contract import WITH_MANY_ACTIONS
from train.reports.markdown import table

SUBCOMMANDS = {name: function_of(name) for name in COMMANDS}
TYPES = {int: "INTEGER", float: "NUMBER", str: "TEXT", Path: "PATH"}


def section(part: str) -> str:
    """Generates a part of this page: a subcommand's name, "overview", or "learners" (the options of all learners)."""
    if part == "overview":
        rows = [[f"[`cardwar {name}`](#cardwar-{name})", _paragraphs(each)[0]] for name, each in SUBCOMMANDS.items()]
        return table(["command", "description"], rows)
    if part == "learners":
        return "\n\n".join(map(_learner, ALGORITHMS))
    return _subcommand(part)


def _subcommand(name: str) -> str:
    function = SUBCOMMANDS[name]
    places, rows = [], []
    hints = get_type_hints(function, include_extras=True)
    for parameter in inspect.signature(function).parameters.values():
        kind, info = get_args(hints[parameter.name])
        if isinstance(info, ArgumentInfo):
            spelled = info.metavar or parameter.name.upper()
            places.append(spelled)
            rows.append([f"`{spelled}`", _line(info.help)])
        elif not info.hidden:
            rows.append([_option(parameter.name, kind, info), f"{_line(info.help)}{_default(parameter.default)}"])
    usage = " ".join(["cardwar", name, *places, "[OPTIONS]"])
    options = table(["argument or option", "description"], rows)
    return "\n\n".join([*_paragraphs(function), f"```text\n{usage}\n```", options])


def _option(name: str, kind: Any, info: OptionInfo) -> str:
    # In an annotation, typer treats a positional default as the first spelling.
    given = [each for each in (info.default, *(info.param_decls or ())) if isinstance(each, str)]
    spelled = given or [f"--{name.replace('_', '-')}"]
    base = next((each for each in (*get_args(kind), kind) if each in TYPES), None)
    return f"`{', '.join(spelled)}{'' if base is None else ' ' + (info.metavar or TYPES[base])}`"


def _default(value: object) -> str:
    if value is inspect.Parameter.empty:
        return " Required."
    return "" if value is None or value is False or value == "" else f" Default: `{value}`."


def _learner(name: str) -> str:
    """Generates the table of a learner's options, as in `cardwar train --list-options`."""
    entry = ALGORITHMS[name]
    fields = dataclasses.fields(entry.args_type())
    rows = [
        [f"`--{field.name.replace('_', '-')}`", _learners_default(field), _line(field.metadata["description"])]
        for field in fields
    ]
    return f"## {name}\n\n{entry.summary}\n\n{table(['option', 'default', 'description'], rows)}"


def _learners_default(field: dataclasses.Field[Any]) -> str:
    other = field.metadata.get(WITH_MANY_ACTIONS)
    return f"`{field.default}`" + ("" if other is None else f"; with 100 actions or more `{other}`")


def _paragraphs(function: Callable[..., object]) -> list[str]:
    return [_line(paragraph) for paragraph in (inspect.getdoc(function) or "").split("\n\n")]


def _line(text: str | None) -> str:
    return " ".join((text or "").split())
