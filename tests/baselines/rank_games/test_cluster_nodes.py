"""Duels and Goofspiel on a Ray cluster of two nodes with a core and a small object store each."""

import os
import subprocess
import sys
from collections import Counter
from itertools import cycle
from pathlib import Path

import pytest

from baselines.oracles.answers.protocol import Request
from baselines.oracles.rank_games import cluster as duel_ray
from baselines.oracles.rank_games.solver import DuelTable, GoofspielTable
from cardwar_envs import make_game
from cardwar_envs.games.goofspiel import Goofspiel
from tests.baselines.rank_games.test_cluster import assert_same

pytestmark = pytest.mark.slow

STORE = 80 << 20  # bytes; Ray allows no less than 75 MB


@pytest.fixture
def machines(monkeypatch):
    """Two nodes; the driver is on the first. All processes of a node are on a core of their own, if there are two."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    ray.shutdown()
    allowed = os.sched_getaffinity(0)
    cluster = Cluster()
    try:
        for core in [core for core, _ in zip(cycle(sorted(allowed)), range(2), strict=False)]:
            os.sched_setaffinity(0, {core})  # inherited
            cluster.add_node(num_cpus=1, object_store_memory=STORE, include_dashboard=False)
        os.sched_setaffinity(0, allowed)
        monkeypatch.setenv("RAY_ADDRESS", cluster.address)
        yield cluster
    finally:
        os.sched_setaffinity(0, allowed)
        ray.shutdown()
        cluster.shutdown()


def solved(game, engine, progress=None):
    table = (GoofspielTable if isinstance(game, Goofspiel) else DuelTable)(game, engine=engine)
    table.solve(request=Request(progress=progress))
    return table


@pytest.mark.parametrize(("name", "cards"), [("jujitsu", 14), ("goofspiel", 10)])
def test_both_nodes_solve_on_one_thread_each(machines, monkeypatch, tmp_path, name, cards):
    def watched(*arguments):
        from time import process_time, thread_time

        from baselines.oracles.rank_games.cluster import solve_range  # the worker's own

        begin = thread_time(), process_time()
        solution = solve_range(*arguments)
        times = thread_time() - begin[0], process_time() - begin[1]
        with open(tmp_path / str(os.getpid()), "a") as log:
            print(*os.sched_getaffinity(0), *times, file=log)
        return solution

    game = make_game(name, num_cards=cards)
    monkeypatch.setattr(duel_ray, "solve_range", watched)
    assert_same(solved(game, "ray"), solved(game, "threads"))
    own, everything, cores = Counter(), Counter(), set()
    for log in tmp_path.iterdir():
        for line in log.read_text().splitlines():
            core, thread, process = line.split()
            own[log], everything[log] = own[log] + float(thread), everything[log] + float(process)
            cores.add(core)
    assert len(own) == 2, "a worker for each node"
    assert len(cores) == min(2, len(os.sched_getaffinity(0)))
    assert min(own.values()) > 0.25 * own.total(), "one node had nearly all tasks"
    assert own.total() > 0.9 * everything.total(), "a worker used more than one thread"


@pytest.mark.parametrize(
    ("name", "parameters", "spilled"),
    [
        ("jujitsu", {"num_cards": 15}, False),
        ("jujitsu", {"num_cards": 16}, True),
        # The values of a layer are more than a store holds.
        ("goofspiel", {"num_cards": 14, "prizes": "descending", "payoff": "win"}, True),
    ],
)
def test_layers_that_do_not_fit_into_the_object_stores_are_spilled(machines, name, parameters, spilled):
    game = make_game(name, **parameters)
    table = solved(game, "ray")
    command = [Path(sys.executable).with_name("ray"), "memory", "--stats-only", "--address", machines.address]
    statistics = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "Plasma memory usage" in statistics
    assert ("Spilled" in statistics) == spilled
    assert_same(table, solved(game, "threads"))


@pytest.mark.parametrize(("name", "cards"), [("jujitsu", 11), ("goofspiel", 9)])
def test_a_machine_that_is_lost_costs_time_and_no_results(machines, monkeypatch, name, cards):
    import ray

    monkeypatch.setattr(duel_ray, "LEAST_PER_TASK", 64)
    game, lost = make_game(name, num_cards=cards), []

    def lose(done):
        if done > table.states // 3 and not lost:
            lost.append(ray.cluster_resources()["CPU"])
            machines.remove_node(next(iter(machines.worker_nodes)), allow_graceful=False)

    table = (GoofspielTable if name == "goofspiel" else DuelTable)(game, engine="ray")
    table.solve(request=Request(progress=lose))
    assert lost == [2]
    assert ray.cluster_resources()["CPU"] == 1
    assert_same(table, solved(game, "threads"))
