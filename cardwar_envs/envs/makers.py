"""The three names that PettingZoo expects of an environment's module."""

from __future__ import annotations

from functools import partial

from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv


def makers(game: str) -> tuple[partial[AECGameEnv], partial[AECGameEnv], partial[ParallelGameEnv]]:
    """`env`, `raw_env` and `parallel_env` of the game of that name.

    The first two are the same, because no PettingZoo wrapper is needed. All take the parameters of the
    game, and `render_mode` and `illegal_action` as `PettingZooSkin` does.
    """
    aec = partial(AECGameEnv, game)
    return aec, aec, partial(ParallelGameEnv, game)
