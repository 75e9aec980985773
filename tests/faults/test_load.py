"""Load: many episodes in one process, many environments in many processes, several processes in one folder."""

import multiprocessing
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from forked import finish, run_program, start
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from tiny_games import EVERY_GAME

from baselines.duel.solver import DuelTable
from baselines.solution import solve
from cardwar_envs import make_game
from cardwar_envs.envs.single_agent import SingleAgentEnv

needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")


def check_memory(episodes):
    answer = run_program("program_soak.py", episodes)
    early, late = answer["early"], answer["late"]
    assert answer["played"] >= episodes
    assert late["bytes"] <= 1.01 * early["bytes"], answer
    assert late["objects"] <= 1.01 * early["objects"], answer
    assert (late["files"], late["threads"]) == (early["files"], early["threads"])


@needs_proc
def test_memory_does_not_grow():
    check_memory(20_000)


@needs_proc
@pytest.mark.soak
def test_memory_does_not_grow_in_a_million_episodes():
    check_memory(1_000_000)


# -- environments in processes of their own ---------------------------------------------------------


def same_play(game, count, steps):
    """The same play in as many processes and in one; then all processes have ended."""
    multiprocessing.set_forkserver_preload(["cardwar_envs.envs.single_agent"])
    makers = [partial(SingleAgentEnv, game) for _ in range(count)]
    apart, together, rng = AsyncVectorEnv(makers, context="forkserver"), SyncVectorEnv(makers), np.random.default_rng(0)
    try:
        processes = list(apart.processes)
        seen = together.reset(seed=5)[0]
        same_step(apart.reset(seed=5)[0], seen)
        for _ in range(steps):
            masks = seen["action_mask"].astype(float)
            # After the end of a game any action starts the next one.
            odds = np.where(masks.any(axis=1, keepdims=True), masks, 1.0)
            actions = np.array([rng.choice(len(row), p=row / row.sum()) for row in odds])
            one, other = apart.step(actions), together.step(actions)
            seen = other[0]
            same_step(one[0], seen)
            for mine, theirs in zip(one[1:4], other[1:4], strict=True):
                assert np.array_equal(mine, theirs)
    finally:
        apart.close()
        together.close()
    assert [process.exitcode for process in processes] == [0] * count
    assert not any(is_there(process.pid) for process in processes), "no zombie is left"


def same_step(one, other):
    assert {key: value.tolist() for key, value in one.items()} == {key: value.tolist() for key, value in other.items()}


def is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_environments_in_processes_play_as_in_one():
    same_play(EVERY_GAME[1], 3, 12)


@pytest.mark.soak
@pytest.mark.parametrize("game", EVERY_GAME, ids=lambda game: game.facts.name)
def test_64_environments_in_processes_play_as_in_one(game):
    same_play(game, 64, 60)


# -- two solvers, one folder ------------------------------------------------------------------------


def solved_by_two(folder, cards):
    game = make_game("jujitsu", num_cards=cards)
    solve(game.smallest())
    words = ["solve", "jujitsu", f"num_cards={cards}", "--cache", folder, "--json"]
    for each in [start(*words) for _ in range(2)]:
        assert finish(*each) == (0, "")
    alone, cached = DuelTable(game), DuelTable(game, folder=folder)
    alone.solve()
    assert cached.solve() == 0, "every layer is there and whole"
    for cards_left in range(1, cards + 1):
        values = [table.layers._layers[cards_left].values for table in (alone, cached)]
        assert np.array_equal(*values)
        assert alone.layers.gap(cards_left) == cached.layers.gap(cards_left)
    assert not list(folder.glob("*.new"))


def test_two_processes_solve_into_one_folder(tmp_path):
    solved_by_two(tmp_path, 6)


@pytest.mark.soak
def test_two_processes_solve_into_one_folder_again_and_again(tmp_path):
    for number in range(15):
        solved_by_two(tmp_path / str(number), 7 + number % 3)
