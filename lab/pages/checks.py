"""Generates the sections of the conformance page on each check, from the checks' docstrings."""

from __future__ import annotations

from textwrap import fill

from cardwar_envs.conformance import CHECKS
from cardwar_envs.conformance.verdicts import explained

WIDTH = 120


def section(part: str) -> str:
    """Generates a part of the conformance page: "checks", one section per check."""
    if part != "checks":
        raise ValueError(f"{part!r} must be 'checks'")
    return "\n\n".join(map(_check, CHECKS))


def _check(name: str) -> str:
    told = explained(CHECKS[name])
    paragraphs = [told.demanded, *told.meaning, f"**Example of a violation:** {told.example}", f"**Fix:** {told.fix}"]
    return "\n\n".join([f"## `{name}`", *(fill(each, WIDTH, break_on_hyphens=False) for each in paragraphs)])
