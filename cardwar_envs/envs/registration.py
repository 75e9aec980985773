"""Registers every game with Gymnasium and PettingZoo without importing any environment."""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from cardwar_envs.core.process import GAME_GROUP, installed

if TYPE_CHECKING:
    from cardwar_envs.core.game import Game

NAMESPACE = "cardwar"
SKINS = "cardwar_envs.envs"
# The games of this package and the versions of their environments, from the names of their modules (`jujitsu_v0`).
VERSIONS = {
    found["game"]: int(found["version"])
    for module in iter_modules([str(Path(__file__).parents[1])])
    if (found := re.fullmatch(r"(?P<game>\w+)_v(?P<version>\d+)", module.name))
}


def gymnasium_id(name: str, version: int | None = None) -> str:
    """Gymnasium's id of a game, e.g. `cardwar/DinosaurWar-v0`; the default version is that of this package's game."""
    return f"{NAMESPACE}/{name.title().replace('_', '')}-v{VERSIONS[name] if version is None else version}"


def pettingzoo_id(name: str, version: int | None = None) -> str:
    """PettingZoo's id of a game, e.g. `cardwar/dinosaur-war-v0`; `version` is as in `gymnasium_id`."""
    return f"{NAMESPACE}/{name.replace('_', '-')}-v{VERSIONS[name] if version is None else version}"


def register_all() -> None:
    """Registers each game once; a second call changes nothing.

    Registers the games of this package, those of installed packages (without importing them, so their ids end in
    `-v0`), and `cardwar/game-v0`, which takes any game as its argument `game`.
    """
    for name, version in {**dict.fromkeys(installed(GAME_GROUP), 0), **VERSIONS}.items():
        _register(name, version)
    _register_ids(f"{NAMESPACE}/game-v0", f"{NAMESPACE}/game-v0", {})


def register_game(kind: type[Game[Any]]) -> type[Game[Any]]:
    """Registers a game by name with `make_game`, the command, `gymnasium.make` and `pettingzoo.make`.

    Use it as a decorator above `@dataclass(frozen=True)`, or call it. Environment ids consist of name and version: a
    game with the name `undercut` gets `cardwar/Undercut-v0` and `cardwar/undercut-v0`.

    Args:
        kind: A game class.

    Returns:
        The class.

    Raises:
        ValueError: If it is not a game class, not a frozen dataclass, or another game has its name.
    """
    from cardwar_envs.games.by_name import add_game  # imports all games

    add_game(kind)
    _register(kind.name, kind.version)
    return kind


def _register(name: str, version: int) -> None:
    _register_ids(gymnasium_id(name, version), pettingzoo_id(name, version), {"game": name})


def _register_ids(for_gymnasium: str, for_pettingzoo: str, kwargs: dict[str, Any]) -> None:
    if for_gymnasium not in gymnasium.registry:
        gymnasium.register(
            for_gymnasium,
            entry_point=f"{SKINS}.single_agent:SingleAgentEnv",
            vector_entry_point=f"{SKINS}.vector_env:GameVectorEnv",
            kwargs=kwargs,
        )
    # PettingZoo has had a registry since 1.27; with older versions, call `jujitsu_v0.env()` and similar functions.
    if hasattr(pettingzoo, "register") and for_pettingzoo not in pettingzoo.aec_registry:
        pettingzoo.register("aec", for_pettingzoo, entry_point=f"{SKINS}.aec:AECGameEnv", kwargs=kwargs)
        pettingzoo.register("parallel", for_pettingzoo, entry_point=f"{SKINS}.parallel:ParallelGameEnv", kwargs=kwargs)
