"""Kernels as plain Python and compiled: the same results to the last bit, and nothing is compiled for small games."""

import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import Arbitrary

import baselines
from baselines.matrix_game import solve
from baselines.oracles.finite_horizon.positions import form_of
from baselines.oracles.rank_games.solver import DuelTable
from cardwar_envs import GameBatch, make_game
from cardwar_envs.core import compiled, kernels


@st.composite
def duels(draw):
    size = draw(st.integers(1, 5))
    hands = [draw(st.lists(st.integers(1, 6), min_size=size, max_size=size)) for _ in range(2)]
    switches = {"ties": draw(st.sampled_from(("carry", "discard"))), "payoff": draw(st.sampled_from(("win", "margin")))}
    return make_game("dinosaur_war", hand_0=hands[0], hand_1=hands[1], **switches)


@contextmanager
def plain_for(seconds):
    """So many seconds of work run as plain Python."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(compiled, "BEFORE_COMPILING", seconds)
        patched.setattr(compiled, "BEFORE_LOADING", seconds)
        patched.setattr(kernels, "_compiled", {})
        yield


def figures(game, seconds):
    """Everything that the kernels of rank games and of matrix games compute."""
    with plain_for(seconds):
        table = DuelTable(game)
        table.solve()
        state = game.initial()[0].state
        strategies = table.strategies(state) if game.settled(state) is None else ()
        policies = [[Arbitrary(1), Arbitrary(2)], ["uniform"] * 2]
        results = [baselines.nash_conv(game, each) for each in policies]
        odds = baselines.head_to_head(game, *policies[0])
        values = [layer.values.tobytes() for layer in table.layers._layers.values()]
    return values, [each.tobytes() for each in strategies], results, odds


@settings(max_examples=10, deadline=None, derandomize=True)
@given(duels())
def test_plain_kernels_compute_what_compiled_ones_do(game):
    assert figures(game, np.inf) == figures(game, -1.0)


def test_matrix_games_have_the_same_solutions():
    matrices = np.random.default_rng(0).integers(-3, 4, (200, 5, 4)) / 3
    hard = np.vander(np.arange(1.0, 9.0) ** 4)[None]  # needs double-double precision
    found = []
    for seconds in (np.inf, -1.0):
        with plain_for(seconds):
            solved = [baselines.solve_matrices(each) for each in (matrices, hard)]
        found.append([[array.tobytes() for array in vars(each).values()] for each in solved])
    assert found[0] == found[1]


def course(game, seconds):
    """Games of uniform play in a batch, and between policies."""
    with plain_for(seconds):
        batch = GameBatch(game, 32, seed=7)
        seen = [*batch.reset()]
        for _ in range(12):
            step = batch.step(batch.uniform_actions())
            seen += [*step, batch.streams]
        return [each.tobytes() for each in seen], baselines.play_games(game, ["uniform"] * 2, games=50).tobytes()


@pytest.mark.parametrize(
    ("name", "parameters"), [("jujitsu", {}), ("dice_wars", {}), ("dice_poker", {}), ("war", {"ranks": 5})]
)
def test_batches_play_the_same_games(name, parameters):
    game = make_game(name, **parameters)
    assert course(game, np.inf) == course(game, -1.0)


def test_games_of_many_rounds_have_the_same_solutions():
    found = []
    for seconds in (np.inf, -1.0):
        game = make_game("war", ranks=3, discards=1, max_rounds=12)
        form_of.cache_clear()
        with plain_for(seconds):
            solution = baselines.solve(game)
            results = [baselines.nash_conv(game, policy) for policy in (Arbitrary(1), "uniform", solution.policy)]
            found.append((solution.value, solution.gap, results, baselines.head_to_head(game, Arbitrary(2), "uniform")))
    assert found[0] == found[1]


COMPILED = """
import baselines, cardwar_envs, numba.core.event as event
class Listener(event.Listener):
    def on_start(self, event): raise AssertionError(event.data["dispatcher"])
    def on_end(self, event): pass
event.register("numba:compile", Listener())
for name, sizes in {
    "jujitsu": {"num_cards": 5}, "goofspiel": {"num_cards": 4}, "dice_poker": {}, "war": {"ranks": 3}
}.items():
    game = cardwar_envs.make_game(name, **sizes)
    baselines.exploitability(game, "uniform")
    baselines.solve(game)
    baselines.match(game, "uniform", "uniform", games=20)
"""


def test_nothing_is_compiled_for_small_games(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    subprocess.run([sys.executable, "-c", COMPILED], check=True)
    assert not list(tmp_path.rglob("*.nbi"))


def test_a_large_matrix_is_much_work(monkeypatch):
    asked = []
    monkeypatch.setattr(solve, "kernels", lambda name, seconds: asked.append(seconds) or kernels.kernels(name, seconds))
    baselines.solve_matrix(np.random.default_rng(0).normal(size=(100, 100)))
    assert asked[0] > compiled.BEFORE_COMPILING  # it takes plain Python seconds


def test_much_work_is_compiled(monkeypatch):
    name = "baselines.matrix_game.kernel"
    monkeypatch.setattr(compiled, "_spent", compiled.Counter())
    assert compiled.quickest(name, 0.01) is compiled._copies(name)
    assert compiled.quickest(name, 60.0) is sys.modules[name]
    assert compiled.quickest(name, 0.0) is sys.modules[name]
