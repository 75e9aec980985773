"""How many files of the project a reader passes on the way through one call."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_games import EVERY_GAME

from baselines import nash_conv
from cardwar_envs import make_game
from train.algorithms import minimax_q
from train.policies.networks import Network, SoftmaxPolicy

ROOT = Path(minimax_q.__file__).resolve().parents[2]
PACKAGES = ("baselines", "cardwar_envs", "train")


def files_entered(call: Callable[[], object]) -> set[str]:
    """The project's files with a function that a call runs; kernels that numba has compiled count where they show."""
    found = set()

    def note(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            found.add(str(path.relative_to(ROOT)))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return {name for name in found if name.startswith(PACKAGES)}


@pytest.fixture(scope="module")
def learner():
    """Minimax-Q after a first round, so that everything is loaded."""
    learner = minimax_q.Learner(make_game("jujitsu", num_cards=3), minimax_q.Args(steps=3000, num_games=16), seed=0)
    learner.advance(64)
    return learner


def test_learning_passes_few_files(learner):
    entered = files_entered(lambda: learner.advance(learner.steps + 64))
    assert "train/algorithms/minimax_q.py" in entered  # the tracer traces
    assert len(entered) <= 10, sorted(entered)


def test_measuring_a_network_passes_few_files_in_every_game():
    for game in EVERY_GAME:
        policy = SoftmaxPolicy(game, Network(game, 8, 1, game.facts.num_actions, "relu"))
        nash_conv(game, policy)
        entered = files_entered(lambda game=game, policy=policy: nash_conv(game, policy))
        assert "train/policies/networks.py" in entered
        assert len(entered) <= 15, (game.facts.name, sorted(entered))
