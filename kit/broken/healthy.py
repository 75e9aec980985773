"""Environments that are legal, and unusual in one thing each. A kit that finds fault with one of them is wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from broken.bases import BASES, skinned

UNUSUAL = Path(__file__).parent / "unusual"
EITHER = ("aec", "parallel")


@dataclass(frozen=True)
class Healthy:
    """One healthy environment.

    Attributes:
        makers: Skin -> what makes it.
        says: What a kit may say of it, which is no fault; empty for nothing.
        party: Who wrote it; empty for this project.
    """

    name: str
    game: type | Callable
    makers: dict[str, Callable]
    says: str = ""
    party: str = ""


HEALTHY: dict[str, Healthy] = {}


def healthy(*offered, says="", wrap=lambda env: env):
    """Enters a healthy environment into the set, under its own name or another."""

    def maker(game, skin):
        return lambda **arguments: wrap(skinned(game, skin)(**arguments))

    def enter(game, name=None):
        name = name or game.__name__
        HEALTHY[name] = Healthy(name, game, {skin: maker(game, skin) for skin in offered or EITHER}, says)
        return game

    return enter


for base in BASES:
    healthy()(base)
    for single in EITHER:
        healthy(single)(base, f"{base.__name__}In{single.title()}Alone")


def all_healthy():
    """Name -> healthy environment of this project."""
    for path in sorted(UNUSUAL.glob("*.py")):
        import_module(f"broken.unusual.{path.stem}")
    return HEALTHY
