"""Entry points of installed packages that extend this one, found by name without importing them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GAME_GROUP, POLICY_GROUP = "cardwar_envs.games", "cardwar_envs.policies"


@cache
def installed(group: str) -> dict[str, EntryPoint]:
    """Maps names to entry points in a group."""
    from importlib.metadata import entry_points  # slow to import

    return {point.name: point for point in entry_points(group=group)}
