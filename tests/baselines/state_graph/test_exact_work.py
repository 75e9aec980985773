"""Solving exactly says how long it takes, is refused where that is too long, and counts its own work."""

import re

import numpy as np
import pytest

import baselines
from baselines.oracles.answers.estimates import Announced
from baselines.oracles.bayesian import solver
from baselines.oracles.state_graph import backward_induction, exact_work
from baselines.oracles.state_graph.exact_work import ExactWork
from cardwar_envs import make_game

GAME = make_game("jujitsu", num_cards=4)


@pytest.mark.parametrize("name", ["jujitsu", "dinosaur_war"])
def test_the_forecast_of_a_layer_is_of_the_size_of_its_fractions(monkeypatch, name):
    """Fractions grow from layer to layer in Jujitsu, and hardly in Dinosaur War."""
    expected, found, last = [], [], []

    class Watched(ExactWork):
        def seconds(self, layer):
            seconds = super().seconds(layer)
            expected.append(self._common[self._layers[layer] : self._layers[layer + 1]].sum())
            last.append(self._common[-1])
            return seconds

        def learn(self, layer):
            found.append(self._common[self._layers[layer] : self._layers[layer + 1]].sum())
            super().learn(layer)

    monkeypatch.setattr(backward_induction, "ExactWork", Watched)
    baselines.solve(make_game(name, num_cards=6), exact=True)
    assert len(found) == len(expected) == 6
    # The fractions of four layers show how they grow.
    assert (np.abs(np.log2(np.divide(expected, found)[4:])) < 2.5).all()
    assert name == "dinosaur_war" or abs(np.log2(last[4] / found[5])) < 1.0
    assert (found[5] > 20 * found[1]) == (name == "jujitsu")


def announced(**options):
    lines = []
    baselines.solve(GAME, progress=Announced(lines.append, None), **options)
    return lines


def test_long_work_is_announced_before_it_begins(monkeypatch):
    assert announced(exact=True) == []
    monkeypatch.setattr(exact_work, "EACH", 0.5)
    lines = announced(exact=True)
    assert lines
    assert all(
        re.fullmatch(r"Solving in rational arithmetic takes at least about \d+ \w+ on one processor\.", line)
        for line in lines
    )
    assert announced() == []
    lines = []
    monkeypatch.setattr(solver, "EXACT_SECONDS", 1.0)
    baselines.solve(make_game("dice_poker", sides=4), exact=True, progress=Announced(lines.append, None))
    assert lines == [
        "Solving in rational arithmetic takes at least about 9 minutes on one processor."
    ]  # 8 pairs, cubed


def test_what_takes_too_long_is_refused_with_what_to_do(monkeypatch):
    monkeypatch.setattr(exact_work, "EACH", 1000.0)
    with pytest.raises(
        ValueError, match=r"jujitsu: .* rational arithmetic takes about \d+ days or more; solve .* or use floats"
    ):
        baselines.solve(GAME, exact=True)
    assert baselines.solve(GAME).value == 0.0


def test_progress_counts_the_matrix_games_that_are_solved():
    class Counting:
        def __init__(self):
            self.calls = []

        def expect(self, total):
            self.calls.append(f"of {total}")

        def __call__(self, done):
            self.calls.append(done)

    counting = Counting()
    states = baselines.solve(GAME, exact=True, progress=counting).states
    assert counting.calls == [f"of {states}", *range(1, states + 1)]
