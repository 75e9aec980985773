"""Duels on a Ray cluster: the values of the threads to the last bit, whatever happens to the workers."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from baselines.oracles.answers.protocol import Request
from baselines.oracles.rank_games import cluster as duel_ray
from baselines.oracles.rank_games.engine import pieces_of
from baselines.oracles.rank_games.interleavings import read_only
from baselines.oracles.rank_games.layers import DuelLayers
from baselines.oracles.rank_games.solver import DuelTable, GoofspielTable
from cardwar_envs import DuelState, make_game


@pytest.fixture(scope="module")
def cluster():
    """Two workers on this machine; Ray is an extra."""
    ray = pytest.importorskip("ray")
    ray.init(address="local", num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.fixture
def many_tasks(monkeypatch):
    monkeypatch.setattr(duel_ray, "LEAST_PER_TASK", 64)


def solved(game, engine, progress=None):
    table = DuelTable(game, engine=engine)
    table.solve(request=Request(progress=progress))
    return table


def assert_same(first, second):
    one, two = first.layers, second.layers
    assert (one.solved, one.failures) == (two.solved, two.failures)
    assert sorted(one._layers) == sorted(two._layers)
    for cards in one._layers:
        assert one.gap(cards) == two.gap(cards)
        assert one._layers[cards].values.tobytes() == two._layers[cards].values.tobytes()


HANDS = (1, 1, 2, 4, 6, 6, 7, 9), (2, 3, 4, 4, 5, 6, 8, 9)


@pytest.mark.thin
@pytest.mark.parametrize(
    "hands", [(tuple(range(9)),) * 2, HANDS], ids=["a full deck", "hands with ranks held several times"]
)
@pytest.mark.parametrize(("carry", "win"), [(True, True), (False, True), (True, False)])
def test_ranges_solved_from_read_only_memory_are_the_layer(hands, carry, win):
    layers = DuelLayers(DuelState(hands), carry=carry, win=win)
    layers.solve()
    shared = read_only(layers.letters), read_only(layers._rules)
    most = 0
    for cards in range(1, len(hands[0]) + 1):
        layer, below = layers._layers[cards], read_only(layers._layers[cards - 1])
        pieces = pieces_of(layer.offsets, 10, 4)
        most = max(most, len(pieces))
        first_place = duel_ray.kernel_for(layers._rules).first_place
        places = [first_place(first, layers.letters, layers._rules, layer) for first, _ in pieces]
        places.append(len(layer.values))
        assert places[0] == 0
        assert places == sorted(places)
        layout = read_only(layer._replace(values=np.zeros(0)))
        parts = [
            duel_ray.solve_range(*piece, *ends, shared, layout, below, below.values)[1]
            for piece, ends in zip(pieces, pairwise(places), strict=True)
        ]
        assert np.concatenate(parts).tobytes() == layer.values.tobytes()
    assert most > 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("jujitsu", {"num_cards": 8}),
        ("jujitsu", {"num_cards": 9, "ties": "discard"}),
        ("dinosaur_war", {"hand_0": HANDS[0], "hand_1": HANDS[1]}),
    ],
)
def test_values_are_those_of_the_threads(cluster, many_tasks, name, parameters):
    game = make_game(name, **parameters)
    seen = []
    table = solved(game, "ray", seen.append)
    assert_same(table, solved(game, "threads"))
    assert seen == sorted(seen)
    assert seen[-1] == table.states
    assert len(seen) > 3 * len(table.layers.sizes), "the layers were not divided"


@pytest.mark.slow
def test_games_that_the_simplex_fails_on_are_solved_by_the_driver(cluster, monkeypatch):
    monkeypatch.setattr(duel_ray, "LEAST_PER_TASK", 8)
    tables = [DuelTable(make_game("jujitsu", num_cards=6), engine=engine) for engine in ("ray", "threads")]
    for table in tables:
        table.layers._rules = table.layers._rules._replace(tolerance=-1.0)
        table.solve()
        assert table.layers.failures == table.states
    assert_same(*tables)


@pytest.mark.slow
def test_killed_workers_cost_time_and_no_results(cluster, many_tasks, monkeypatch, tmp_path):
    def mortal(*arguments):
        from baselines.oracles.rank_games.cluster import solve_range  # the worker's own

        layout = arguments[5]
        grave = tmp_path / str(layout.cards)
        if layout.cards in (5, 6, 7) and not grave.exists():
            grave.touch()
            os.kill(os.getpid(), 9)
        return solve_range(*arguments)

    game = make_game("jujitsu", num_cards=10)
    monkeypatch.setattr(duel_ray, "solve_range", mortal)
    assert_same(solved(game, "ray"), solved(game, "threads"))
    assert {grave.name for grave in tmp_path.iterdir()} == {"5", "6", "7"}


@pytest.mark.slow
def test_a_task_that_kills_every_worker_is_given_up(cluster, many_tasks, monkeypatch):
    def deadly(*_):
        os.kill(os.getpid(), 9)

    monkeypatch.setattr(duel_ray, "solve_range", deadly)
    monkeypatch.setattr(duel_ray, "MAX_RETRIES", 1)
    with pytest.raises(cluster.exceptions.WorkerCrashedError):
        solved(make_game("jujitsu", num_cards=7), "ray")


@pytest.mark.slow
def test_an_interrupt_leaves_the_cluster_ready(cluster, many_tasks):
    game = make_game("jujitsu", num_cards=9)

    def stop(done):
        if done > 5000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solved(game, "ray", stop)
    assert_same(solved(game, "ray"), solved(game, "threads"))


@pytest.mark.slow
def test_the_command_uses_a_cluster_that_runs_already(cluster):
    address = cluster.get_runtime_context().gcs_address
    command = [
        sys.executable,
        "-m",
        "cardwar_cli.main",
        "solve",
        "jujitsu",
        "num_cards=11",
        "--engine",
        "ray",
        "--json",
    ]
    done = subprocess.run(command, env=os.environ | {"RAY_ADDRESS": address}, capture_output=True, text=True)
    # On a busy machine the start of Ray is slow enough for a line of progress.
    errors = [line for line in done.stderr.splitlines() if not line.startswith("states: ")]
    assert (done.returncode, errors) == (0, [])
    answer = json.loads(done.stdout)
    assert (answer["engine"], answer["states"]) == ("ray", answer["solved_now"])
    assert abs(answer["value"]) <= answer["gap"] <= 1e-9


class InProcess:
    """Stands for Ray where no cluster runs: tasks are solved when they are started, and awaited from the last."""

    put = get = staticmethod(lambda value: value)
    cluster_resources = staticmethod(lambda: {"CPU": 2})
    solve_range = SimpleNamespace(remote=lambda *task: Outcome(duel_ray.solve_range(*task)))

    @staticmethod
    def wait(tasks):
        return tasks[-1:], tasks[:-1]


class Outcome(tuple):
    """The outcome of a task, which two tasks never share."""

    __hash__, __eq__ = object.__hash__, object.__eq__


def test_layers_of_goofspiel_with_few_interleavings_and_many_values_are_divided(monkeypatch):
    monkeypatch.setattr(duel_ray, "LEAST_PER_TASK", 1024)
    game, engine, seen = make_game("goofspiel", num_cards=7), object.__new__(duel_ray.RayCluster), []
    engine._ray, engine._solve_range = InProcess, InProcess.solve_range
    table, threads = GoofspielTable(game), GoofspielTable(game)
    table.layers._engine = engine
    table.solve(request=Request(progress=seen.append))
    threads.solve()
    assert_same(table, threads)
    assert len(seen) > 2 * len(table.layers.sizes), "the layers were not divided"


def test_an_engine_that_is_none_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"engine \(spark\) must be threads or ray"):
        DuelTable(make_game("jujitsu", num_cards=4), engine="spark", folder=tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_an_address_without_a_cluster_is_refused_at_once_and_words_are_left_to_ray():
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1", "127.0.0.1:port"):
        with pytest.raises(ConnectionError, match="no cluster there"):
            duel_ray._check(address)
    for word in ("", "auto", "local"):
        duel_ray._check(word)
