"""The learners in one file each: a short run of each learns something, and a long one what its docstring says."""

import pytest

from baselines import exploitability
from cardwar_envs import make_game
from examples import ppo_against_pool, ppo_self_play, reinforce

# With much entropy a learner comes near the equilibrium at once, and not closer.
SHORT = {"num_cards": 3, "entropy": 0.5, "final_entropy": 0.4}


@pytest.mark.parametrize(
    ("example", "args"),
    [
        pytest.param(reinforce, reinforce.Args(**SHORT, updates=150, report_every=75), marks=pytest.mark.wide),
        (ppo_self_play, ppo_self_play.Args(**SHORT, updates=60, report_every=30, num_games=128, average_rate=0.1)),
    ],
    ids=["reinforce", "ppo_self_play"],
)
def test_self_play_gets_below_uniform_play(example, args):
    lines = []
    policy, curve = example.train(args, show=lines.append)
    assert len(curve) == len(lines) == 3
    game = make_game("jujitsu", num_cards=3)
    assert curve[-1][1] == exploitability(game, policy)
    assert curve[-1][1] < 0.7 * exploitability(game, "uniform")


def test_against_a_pool_it_wins_from_what_it_knows():
    settings = {"pool": "highest_card,lowest_card", "steps": 6_000, "num_games": 16, "learning_rate": 5e-3}
    args = ppo_against_pool.Args(num_cards=3, **settings)
    lines = []
    _, won, history = ppo_against_pool.train(args, show=lines.append)
    assert min(won.values()) > 0.5
    assert len(history) >= 2
    assert len(lines) == len(history) + 3


@pytest.mark.slow  # as long as the docstrings say
@pytest.mark.parametrize(
    ("example", "most"), [(reinforce, 0.2), (ppo_self_play, 0.25)], ids=["reinforce", "ppo_self_play"]
)
def test_the_long_run_comes_to_what_is_claimed(example, most):
    _, curve = example.train(example.Args(), show=print)
    assert curve[-1][1] < most
