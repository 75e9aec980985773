"""Kernels as plain Python and compiled: the same results to the last bit, and nothing is compiled for small games."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import Arbitrary

import baselines
from baselines.matrix_game import solve
from baselines.oracles.rank_games.solver import DuelTable
from cardwar_envs import make_game
from cardwar_envs.core import compiled, kernels


@st.composite
def duels(draw):
    size = draw(st.integers(1, 5))
    hands = [draw(st.lists(st.integers(1, 6), min_size=size, max_size=size)) for _ in range(2)]
    switches = {"ties": draw(st.sampled_from(("carry", "discard"))), "payoff": draw(st.sampled_from(("win", "margin")))}
    return make_game("dinosaur_war", hand_0=hands[0], hand_1=hands[1], **switches)


def figures(game, seconds):
    """Everything that the kernels of rank games and of matrix games compute, with so many seconds for plain Python."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(compiled, "BEFORE_COMPILING", seconds)
        patched.setattr(compiled, "BEFORE_LOADING", seconds)
        patched.setattr(kernels, "_compiled", {})
        table = DuelTable(game)
        table.solve()
        state = game.initial()[0].state
        strategies = table.strategies(state) if game.settled(state) is None else ()
        policies = [[Arbitrary(1), Arbitrary(2)], ["uniform"] * 2]
        results = [baselines.nash_conv(game, each) for each in policies]
        odds = baselines.head_to_head(game, *policies[0])
        values = [layer.values.tobytes() for layer in table.layers._layers.values()]
    return values, [each.tobytes() for each in strategies], results, odds


@settings(max_examples=40, deadline=None, derandomize=True)
@given(duels())
def test_plain_kernels_compute_what_compiled_ones_do(game):
    assert figures(game, np.inf) == figures(game, -1.0)


def test_matrix_games_have_the_same_solutions(monkeypatch):
    matrices = np.random.default_rng(0).integers(-3, 4, (200, 5, 4)) / 3
    found = []
    for seconds in (np.inf, -1.0):
        monkeypatch.setattr(compiled, "BEFORE_COMPILING", seconds)
        monkeypatch.setattr(compiled, "BEFORE_LOADING", seconds)
        monkeypatch.setattr(kernels, "_compiled", {})
        solved = baselines.solve_matrices(matrices)
        found.append([solved.values, solved.row_strategies, solved.column_strategies, solved.gaps])
    assert all(np.array_equal(*pair) for pair in zip(*found, strict=True))


COMPILED = """
import baselines, cardwar_envs, numba.core.event as event
class Listener(event.Listener):
    def on_start(self, event): raise AssertionError(event.data["dispatcher"])
    def on_end(self, event): pass
event.register("numba:compile", Listener())
for name, sizes in {"jujitsu": {"num_cards": 5}, "goofspiel": {"num_cards": 4}, "dice_poker": {}}.items():
    game = cardwar_envs.make_game(name, **sizes)
    baselines.exploitability(game, "uniform")
    baselines.solve(game)
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
    assert compiled.quickest(name, 0.01) is compiled._plain_copies(name)
    assert compiled.quickest(name, 60.0) is sys.modules[name]
    assert compiled.quickest(name, 0.0) is sys.modules[name]
