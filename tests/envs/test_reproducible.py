"""The seed decides everything that is drawn; the kit checks the same of AEC and Parallel environments."""

import copy
import pickle

import numpy as np
import pytest
from skins import every_game, every_skin, generator, is_over, one_step, rest_of_game, same, view

from cardwar_envs import make_game
from cardwar_envs.envs.single_agent import SingleAgentEnv

DICE = make_game("dice_wars", num_cards=4, sides=3)


def seeded(game, seed, skin=SingleAgentEnv):
    env = skin(game)
    env.reset(seed=seed)
    return env


def test_other_seeds_and_unseeded_resets_bring_other_games():
    env = seeded(DICE, 1)
    for seed in (range(20), [None] * 20):
        ends = set()
        for each in seed:
            env.reset(seed=each)
            ends.add(repr(rest_of_game(env)[-1]))
        assert len(ends) > 3


@every_skin
def test_unseeded_environments_differ(skin):
    states = [generator(seeded(DICE, None, skin)).bit_generator.state for _ in range(2)]
    assert states[0] != states[1]


@every_game
def test_seeded_reset_in_mid_game(game):
    """The same seed gives the same episode, whatever was played before."""
    for steps in range(4):
        env, rng = seeded(game, 1), np.random.default_rng(0)
        for _ in range(steps):
            if not is_over(env):
                one_step(env, rng)
        env.reset(seed=2)
        assert same(rest_of_game(env), rest_of_game(seeded(game, 2)))


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"]
)
@every_game
def test_copies_go_on_alike(game, duplicate):
    """At every point of a game; and the original is not disturbed."""
    env, rng = seeded(game, 4), np.random.default_rng(9)
    undisturbed, same_rng = seeded(game, 4), np.random.default_rng(9)
    while not is_over(env):
        assert same(view(duplicate(env)), view(env))
        assert same(rest_of_game(duplicate(env)), rest_of_game(duplicate(env)))
        one_step(env, rng)
        one_step(undisturbed, same_rng)
        assert same(view(env), view(undisturbed))


@every_skin
def test_an_environment_and_a_policy_seeded_alike_draw_apart(skin):
    """Otherwise a player seeded like its environment plays what decides chance and the opponents."""
    own = np.random.default_rng(7).random(20)
    assert not np.isclose(generator(seeded(DICE, 7, skin)).random(20)[:, None], own).any()
