"""Plays random episodes of all games and says what the process holds: EPISODES; first a hundredth of them."""

import gc
import json
import os
import sys
import threading
from pathlib import Path

import numpy as np
from tiny_games import EVERY_GAME

from cardwar_envs import make_game
from cardwar_envs.core.compiled import always_compiled
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.game_batch import GameBatch

# Without compiled rules, which takes longest.
WAR_FOR_THREE = make_game("war", num_players=3, ranks=3, discards=1, max_rounds=4)
GAMES_IN_BATCH = 100
# Batches of the games with compiled rules that are played with each episode through AEC.
BATCHES = 10


def episodes():
    """Plays the same environments again and again, as in a long training; yields how many games have ended."""
    rng, played = np.random.default_rng(0), 0
    envs = [AECGameEnv(game) for game in [*EVERY_GAME, WAR_FOR_THREE]]
    batches = [GameBatch(game, GAMES_IN_BATCH, seed=1) for game in EVERY_GAME] * BATCHES
    batches.append(GameBatch(WAR_FOR_THREE, GAMES_IN_BATCH, seed=2))
    for batch in batches:
        batch.reset()
    while True:
        for env in envs:
            env.reset(seed=3) if not played else env.reset()
            for _ in env.agent_iter():
                observation, _, over, _, _ = env.last()
                env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
            played += 1
        played += sum(int(batch.step(batch.uniform_actions()).done.sum()) for batch in batches)
        yield played


def held():
    """Resident bytes, Python objects, open files and threads."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "bytes": pages * os.sysconf("SC_PAGE_SIZE"),
        "objects": len(gc.get_objects()),
        "files": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
    }


def main(most):
    counts = episodes()
    next(played for played in counts if played >= most // 100)
    early = held()
    played = next(played for played in counts if played >= most)
    print(json.dumps({"early": early, "late": held(), "played": played}))


if __name__ == "__main__":
    with always_compiled():  # so that no kernels are loaded between the measurements
        main(int(sys.argv[1]))
