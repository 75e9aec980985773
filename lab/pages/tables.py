"""Generates the table of the commands of `cardwar`."""

from __future__ import annotations

import inspect

from cardwar_cli.main import COMMANDS, function_of
from train.reports.markdown import table


def commands(part: str) -> str:
    """Generates the only part of the command's page: what each command does, with an example."""
    if part != "commands":
        raise ValueError(f"{part!r} must be 'commands'")
    return table(
        ["command", "what it does", "example"], [_command(name, each) for name, (_, each, _) in COMMANDS.items()]
    )


def _command(name: str, example: str) -> list[str]:
    summary = (inspect.getdoc(function_of(name)) or "").partition("\n\n")[0]
    return [f"`{name}`", " ".join(summary.split()), f"`{example}`"]
