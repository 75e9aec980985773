"""Load: many episodes, environments, threads, processes, and several processes in one folder."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
from command import run
from forked import cardwar, finish, run_program, start
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from odd import briefly_or_long
from run_files import rows
from skins import SKINS, is_over, one_step, same, view
from small_runs import contents
from tiny_games import EVERY_GAME

from baselines.oracles.rank_games.solver import DuelTable
from baselines.solving import solve
from cardwar_envs import make_game
from cardwar_envs.core.play import random_state
from cardwar_envs.envs.single_agent import SingleAgentEnv
from train.storage.alone import alone_in

THREADS = 8


def course(number, steps):
    """Plays an environment of its own, step by step; yields all that is returned and can be seen."""
    game, skin = EVERY_GAME[number % len(EVERY_GAME)], list(SKINS.values())[number // len(EVERY_GAME) % len(SKINS)]
    env, rng = skin(game), np.random.default_rng(number)
    env.reset(seed=number)
    for _ in range(steps):
        if is_over(env):
            env.reset()
        yield one_step(env, rng), view(env)


def in_threads(work, count=THREADS):
    """The results of `work(number)`, all begun at one moment."""
    ready = Barrier(count)

    def begin(number):
        ready.wait(60)
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


def answers(solution, states, order):
    """Value, matrix and strategies at states, asked in some order; and what the policy plays there."""
    found = {}
    for place in order:
        state = states[place]
        found[int(place)] = (
            solution.value_at(state),
            solution.payoff_matrix(state).tolist(),
            [each.tolist() for each in solution.strategies(state)],
        )
    game, rows = solution.game, [(state, player) for state in states for player in solution.game.acting_players(state)]
    seen = np.stack([game.observation(*row) for row in rows])
    masks = np.stack([game.action_mask(*row) for row in rows])
    return [found[place] for place in sorted(found)], solution.policy.action_probabilities(seen, masks).tolist()


def some_states(game, count):
    """States that the start leads to, the same for every call."""
    rng = np.random.default_rng(count)
    return [random_state(game, rng) for _ in range(count)]


needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")


@needs_proc
@briefly_or_long("episodes", 4_000, 1_000_000)
def test_memory_does_not_grow(episodes):
    answer = run_program("program_soak.py", episodes)
    early, late = answer["early"], answer["late"]
    assert answer["played"] >= episodes
    assert late["bytes"] <= 1.01 * early["bytes"], answer
    assert late["objects"] <= 1.01 * early["objects"], answer
    assert (late["files"], late["threads"]) == (early["files"], early["threads"])


# -- environments and threads in one process --------------------------------------------------------


@briefly_or_long(("rounds", "steps"), (1, 8), (30, 100))
def test_environments_in_threads_play_as_alone(rounds, steps):
    for first in range(0, rounds * THREADS, THREADS):
        found = in_threads(lambda number, first=first: list(course(first + number, steps)))
        assert same(found, [list(course(first + number, steps)) for number in range(THREADS)])


def in_order(solution, states, orders, number):
    return answers(solution, states, orders[number])


@briefly_or_long("count", 10, 60)
def test_threads_share_a_solution(count, monkeypatch):
    """Threads that ask one solution, each in an order of its own, get the answers of a solution of one's own."""
    monkeypatch.setattr("baselines.oracles.rank_games.solver.MAX_KEPT", 3)  # what is kept is thrown away all the time
    for game in (make_game("goofspiel", num_cards=3), make_game("jujitsu", num_cards=5)):
        states = some_states(game, count)
        orders = [np.random.default_rng(number).permutation(count) for number in range(THREADS)]
        shared, expected = solve(game), answers(solve(game), states, range(count))
        for found in in_threads(partial(in_order, shared, states, orders)):
            assert found == expected


@pytest.mark.soak
def test_children_forked_after_compiling_compute_the_same():
    assert run_program("program_fork.py", 6) == {"alike": [True] * 6, "after": True, "finite": True}


# -- environments in processes of their own ---------------------------------------------------------


def test_environments_in_processes_play_as_in_one():
    game, count = EVERY_GAME[1], 3
    multiprocessing.set_forkserver_preload(["cardwar_envs.envs.single_agent"])
    makers = [partial(SingleAgentEnv, game) for _ in range(count)]
    apart, together, rng = AsyncVectorEnv(makers, context="forkserver"), SyncVectorEnv(makers), np.random.default_rng(0)
    try:
        processes = list(apart.processes)
        seen = together.reset(seed=5)[0]
        assert same(apart.reset(seed=5)[0], seen)
        for _ in range(12):
            masks = seen["action_mask"].astype(float)
            # After the end of a game any action starts the next one.
            odds = np.where(masks.any(axis=1, keepdims=True), masks, 1.0)
            actions = np.array([rng.choice(len(row), p=row / row.sum()) for row in odds])
            one, other = apart.step(actions), together.step(actions)
            seen = other[0]
            assert same(one[:4], other[:4])
    finally:
        apart.close()
        together.close()
    assert [process.exitcode for process in processes] == [0] * count, "all have ended, and were waited for"


# -- two solvers, one folder ------------------------------------------------------------------------


@briefly_or_long("cards", 6, 9)
def test_two_processes_solve_into_one_folder(tmp_path, cards):
    folder, game = tmp_path / "cache", make_game("jujitsu", num_cards=cards)
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


# -- two trainers, one folder -----------------------------------------------------------------------

TRAIN = ["train", "jujitsu", "num_cards=3", "--algorithm", "cfr_plus", "--steps", "40", "--evaluate-every", "2"]


def refused(code, errors):
    said = [line for line in errors.splitlines() if line.startswith("cardwar: ")]
    return code == 2 and len(said) == 1 and ("another run is active" in said[0] or "already contains a run" in said[0])


def test_the_second_trainer_in_a_folder_is_refused_and_nothing_is_lost(tmp_path, capsys):
    out, words = tmp_path / "run", [*TRAIN, "--out", str(tmp_path / "run")]
    with alone_in(out, make=True):
        code, _, errors = run(capsys, *words)
        assert refused(code, errors)
        assert not list(out.iterdir()), "nothing was written"
    assert run(capsys, *words)[0] == 0
    before = contents(out)
    with alone_in(out):
        code, _, errors = run(capsys, *words, "--resume")
        assert refused(code, errors)
        assert contents(out) == before
    assert run(capsys, *words, "--resume")[0] == 0


@pytest.mark.soak
def test_of_trainers_in_one_folder_one_goes_on_again_and_again(tmp_path):
    import train.runs.loop  # noqa: F401  # so that the calls, which are forked, need not import it

    assert cardwar(*TRAIN, "--out", tmp_path / "alone")[0] == 0
    expected = rows(tmp_path / "alone")
    for number in range(5):
        out = tmp_path / str(number)
        ended = [finish(*each) for each in [start(*TRAIN, "--out", out) for _ in range(3)]]
        assert sorted(code for code, _ in ended) == [0, 2, 2], ended
        assert all(code == 0 or refused(code, errors) for code, errors in ended), ended
        assert rows(out) == expected
        ended = [finish(*each) for each in [start(*TRAIN, "--out", out, "--resume") for _ in range(3)]]
        assert 0 in [code for code, _ in ended]
        assert all(code == 0 or refused(code, errors) for code, errors in ended), ended
        assert rows(out) == expected
