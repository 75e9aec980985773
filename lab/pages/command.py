"""Generates the table of the commands of `cardwar`, as the program defines them."""

from __future__ import annotations

import inspect
from importlib import import_module

from cardwar_cli.main import COMMANDS
from train.reports.markdown import table


def section(part: str) -> str:
    """Generates the page's only part, "commands": what each command does, with an example."""
    if part != "commands":
        raise ValueError(f"{part!r} must be 'commands'")
    return table(["command", "what it does", "example"], [_row(name, each) for name, (_, each) in COMMANDS.items()])


def _row(name: str, example: str) -> list[str]:
    function = getattr(import_module(f"cardwar_cli.{name}"), name)
    summary = (inspect.getdoc(function) or "").partition("\n\n")[0]
    return [f"`{name}`", " ".join(summary.split()), f"`{example}`"]
