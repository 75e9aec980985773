"""Registers every game with Gymnasium and PettingZoo, without importing any environment yet."""

from __future__ import annotations

import gymnasium
import pettingzoo

from cardwar_envs.games import GAMES

NAMESPACE = "cardwar"


def gymnasium_id(name: str) -> str:
    """E.g. `cardwar/DinosaurWar-v0` for `dinosaur_war`."""
    return f"{NAMESPACE}/{name.title().replace('_', '')}-v{GAMES[name].version}"


def pettingzoo_id(name: str) -> str:
    """E.g. `cardwar/dinosaur-war-v0` for `dinosaur_war`."""
    return f"{NAMESPACE}/{name.replace('_', '-')}-v{GAMES[name].version}"


def register_all() -> None:
    """Registers each game once; a second call changes nothing."""
    for name, game in GAMES.items():
        module = f"cardwar_envs.{name}_v{game.version}"
        if gymnasium_id(name) in gymnasium.registry:
            continue
        gymnasium.register(
            gymnasium_id(name),
            entry_point="cardwar_envs.envs.single_agent:SingleAgentEnv",
            vector_entry_point="cardwar_envs.envs.vector_env:GameVectorEnv",
            kwargs={"game": name},
        )
        pettingzoo.register("aec", pettingzoo_id(name), entry_point=f"{module}:env")
        pettingzoo.register("parallel", pettingzoo_id(name), entry_point=f"{module}:parallel_env")
