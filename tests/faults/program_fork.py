"""Solves and measures in forked children of a process that has compiled and used everything: CHILDREN."""

import json
import multiprocessing
import sys
import threading
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import baselines
from cardwar_envs import make_game
from cardwar_envs.envs.game_batch import GameBatch

JUJITSU, WAR = make_game("jujitsu", num_cards=6), make_game("war", ranks=4, discards=1, max_rounds=20)


def figures():
    """Whatever uses compiled code or threads."""
    batch = GameBatch(JUJITSU, 64, seed=3)
    batch.reset()
    steps = [batch.step(batch.uniform_actions()).rewards.sum(axis=0).tolist() for _ in range(12)]
    solution = baselines.solve(JUJITSU)
    return [
        solution.value,
        solution.gap,
        [each.tolist() for each in solution.strategies(JUJITSU.initial()[0].state)],
        baselines.nash_conv(JUJITSU, "uniform").total,
        baselines.solve(WAR).value,
        baselines.nash_conv(WAR, "max").total,
        baselines.match(WAR, "uniform", "max", games=200, seed=1).payoff.mean,
        steps,
    ]


def main(children):
    before = figures()
    assert threading.active_count() == 1, "no thread is left that a child would miss"
    with ProcessPoolExecutor(children, multiprocessing.get_context("fork")) as pool:  # forks before it starts a thread
        alike = [task.result(120) == before for task in [pool.submit(figures) for _ in range(children)]]
    print(json.dumps({"alike": alike, "after": figures() == before, "finite": bool(np.isfinite(before[0]))}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
