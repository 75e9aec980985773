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

WAR_FOR_THREE = make_game("war", num_players=3, ranks=3, discards=1, max_rounds=4)
# Shares of the episodes: one by one through AEC, and in batches where there are no compiled rules.
BY_AEC, BY_RULES = 0.02, 0.01
GAMES_IN_BATCH = 100


class Player:
    """Environments that are used again and again, as in a long training."""

    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.single = [AECGameEnv(game) for game in [*EVERY_GAME, WAR_FOR_THREE]]
        self.batches = [GameBatch(game, GAMES_IN_BATCH, seed=1) for game in EVERY_GAME]
        self.slow = GameBatch(WAR_FOR_THREE, GAMES_IN_BATCH, seed=2)
        self.played = 0
        for env in self.single:
            env.reset(seed=3)
        for batch in (*self.batches, self.slow):
            batch.reset()

    def play(self, episodes):
        by_aec, by_rules = round(episodes * BY_AEC), round(episodes * BY_RULES)
        for number in range(by_aec):
            self._episode(self.single[number % len(self.single)])
        self._in_batch(self.slow, by_rules)
        for batch in self.batches:
            self._in_batch(batch, (episodes - by_aec - by_rules) // len(self.batches))

    def _episode(self, env):
        env.reset()
        for _ in env.agent_iter():
            observation, _, over, _, _ = env.last()
            env.step(None if over else int(self.rng.choice(np.flatnonzero(observation["action_mask"]))))
        self.played += 1

    def _in_batch(self, batch, episodes):
        done = 0
        while done < episodes:
            done += int(batch.step(batch.uniform_actions()).done.sum())
        self.played += done


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


def main(episodes):
    player = Player()
    player.play(episodes // 100)
    early = held()
    player.play(episodes - player.played)
    print(json.dumps({"early": early, "late": held(), "played": player.played}))


if __name__ == "__main__":
    with always_compiled():  # so that no kernels are loaded between the measurements
        main(int(sys.argv[1]))
