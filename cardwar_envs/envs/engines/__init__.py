"""Engines, which step a batch of games with the Python rules or with compiled rules, and the choice between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game, S
from cardwar_envs.core.parameters import one_of
from cardwar_envs.envs.engines.compiled import CompiledEngine
from cardwar_envs.envs.engines.engine import Engine
from cardwar_envs.envs.engines.rules import RulesEngine

ENGINES = ("auto", "compiled", "rules")


def new_engine(game: Game[S], streams: NDArray[np.uint64], kind: str, records: bool = True) -> Engine[S]:
    """Makes an engine; the kind "auto" means "compiled" if the game has compiled rules, otherwise "rules".

    Only an engine that `records` is sure to make snapshots.

    Raises:
        ValueError: If there is no such kind, or the kind is "compiled" and the game has no compiled rules.
    """
    compiled = None if one_of("engine", kind, ENGINES) == "rules" else game.compiled_rules()
    if compiled is not None:
        return CompiledEngine(game, streams, compiled)
    if kind == "compiled":
        raise ValueError(f"engine ('compiled'): {game.facts.name} has no compiled rules with these parameters")
    return RulesEngine(game, streams, records)
