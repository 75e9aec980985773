"""The seed decides everything that is drawn, and nothing else does."""

import copy
import pickle

import numpy as np
import pytest
from skins import every_game, every_skin, generator, is_over, one_step, rest_of_game, same, view

from cardwar_envs import make_game
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.single_agent import SingleAgentEnv

DICE = make_game("dice_wars", num_cards=4, sides=3)


def seeded(skin, game, seed):
    env = skin(game)
    env.reset(seed=seed)
    return env


@every_skin
def test_seeds_differ(skin):
    """The same choices with other seeds lead to other games, where there is chance."""
    scores = set()
    for seed in range(20):
        _, end = rest_of_game(seeded(skin, DICE, seed))[-1]
        scores.add(end["session"]["state"].score)
    assert len(scores) > 3


@every_skin
def test_reset_without_seed_brings_another_game(skin):
    env = seeded(skin, DICE, 1)
    ends = set()
    for _ in range(20):
        env.reset()
        ends.add(repr(rest_of_game(env)[-1]))
    assert len(ends) > 3


@every_skin
def test_unseeded_environments_differ(skin):
    states = []
    for _ in range(2):
        env = skin(DICE)
        env.reset()
        states.append(generator(env).bit_generator.state)
    assert states[0] != states[1]


@pytest.mark.thin
@every_skin
@every_game
def test_seeded_reset_in_mid_game(game, skin):
    """The same seed gives the same episode, whatever went on before; rewards and commits included."""
    for steps in range(4):
        env = seeded(skin, game, 1)
        rng = np.random.default_rng(0)
        for _ in range(steps):
            if not is_over(env):
                one_step(env, rng)
        env.reset(seed=2)
        assert same(rest_of_game(env), rest_of_game(seeded(skin, game, 2)))


@pytest.mark.thin
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"]
)
@every_skin
@every_game
def test_copies_go_on_alike(game, skin, duplicate):
    """At every point of a game, also between two commits; and the original is not disturbed."""
    env, rng = seeded(skin, game, 4), np.random.default_rng(9)
    undisturbed, same_rng = seeded(skin, game, 4), np.random.default_rng(9)
    while not is_over(env):
        copied = duplicate(env)
        assert same(view(copied), view(env))
        assert same(rest_of_game(copied), rest_of_game(duplicate(env)))
        one_step(env, rng)
        one_step(undisturbed, same_rng)
        assert same(view(env), view(undisturbed))
    assert same(view(duplicate(env)), view(env))


@every_skin
def test_a_bad_seed_changes_nothing(skin):
    env = seeded(skin, DICE, 1)
    one_step(env, np.random.default_rng(0))
    before = view(env)
    with pytest.raises(Exception, match=r"[Ss]eed"):
        env.reset(seed=-1)
    assert same(before, view(env))


def test_all_skins_draw_the_same_dice():
    """A seed means the same to the AEC and the Parallel skin; `test_stateful` compares them with the rules."""
    env = SingleAgentEnv(DICE, opponent="highest_card")
    env.reset(seed=6)
    assert generator(env).bit_generator.state == generator(seeded(AECGameEnv, DICE, 6)).bit_generator.state


@every_skin
def test_an_environment_and_a_policy_seeded_alike_draw_apart(skin):
    """Otherwise a player seeded like its environment plays what decides chance and the opponents."""
    env = seeded(skin, make_game("dice_wars", num_cards=3), 7)
    own = np.random.default_rng(7).random(20)
    assert not np.isclose(generator(env).random(20)[:, None], own).any()
