"""Games that start elsewhere: in a given state, or in one drawn at random."""

from collections import Counter

import numpy as np
import pytest
from brute_force import reachable
from skins import SingleAgentEnv, every_game, every_skin, one_step, rest_of_game, same
from thinning import each_row

from cardwar_envs import DuelState, make_game
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv


@pytest.mark.thin
@every_skin
@every_game
def test_every_state_can_be_a_start(game, skin):
    """Each reachable state in which the game goes on; play from there ends as the rules say."""
    states = [state for state in reachable(game) if game.acting_players(state)]
    for state in states[:80]:
        if skin is SingleAgentEnv and 0 not in game.acting_players(state):
            continue
        env = skin(game)
        env.reset(seed=0, options={"state": state})
        assert env._session.state == state
        assert env._session.last_actions is None
        rest_of_game(env)


@every_skin
def test_state_with_duplicates(skin):
    game = make_game("dinosaur_war", hand_0=(2, 2, 6), hand_1=(2, 3, 3))
    env = skin(game)
    env.reset(seed=0, options={"state": DuelState(hands=((2, 2), (3, 3)), score=1)})
    assert env._session.observe(0)["observation"].tolist() == [2, 0, 0, 0, 2, 0, 1, 0]
    _, end = rest_of_game(env)[-1]
    assert end["session"]["state"] == DuelState(((), ()), score=-1)


@every_skin
def test_options_do_not_last(skin):
    env = skin("jujitsu", num_cards=3)
    env.reset(seed=0, options={"state": DuelState(((1,), (2,)), score=0, ties=0)})
    env.reset()
    assert env._session.state == DuelState(((1, 2, 3), (1, 2, 3)))


@each_row("options", [None, {}, {"state": None}, {"start": "initial"}, {"wind": "north", 3: 4}])
@every_skin
def test_other_keys_are_ignored(skin, options):
    env, plain = (skin("dice_wars", num_cards=3, sides=2) for _ in range(2))
    env.reset(seed=5, options=options)
    plain.reset(seed=5)
    assert same(rest_of_game(env), rest_of_game(plain))


@pytest.mark.thin
@every_skin
@every_game
def test_random_starts_are_never_over(game, skin):
    env, states = skin(game), set()
    env.reset(seed=0)
    for seed in range(60):
        env.reset(seed=seed, options={"start": "random"})
        state = env._session.state
        assert game.acting_players(state)
        game.check(state)
        states.add(state)
        one_step(env, np.random.default_rng(seed))
    assert len(states) > 3


@each_row("name", ["dinosaur_war", "jujitsu", "dice_wars"])
@every_skin
def test_random_starts_are_uniform_in_depth(skin, name):
    """Chi-square over the four depths, the seed fixed; 99.99 % of such draws lie below 21.1."""
    env, draws = skin(name, num_cards=4), 800
    env.reset(seed=1)
    depths = Counter()
    for _ in range(draws):
        env.reset(options={"start": "random"})
        depths[4 - len(env._session.state.hands[0])] += 1
    assert sum((depths[depth] - draws / 4) ** 2 / (draws / 4) for depth in range(4)) < 21.1
    assert set(depths) == {0, 1, 2, 3}


@pytest.mark.parametrize("skin", [AECGameEnv, ParallelGameEnv])
def test_random_starts_come_from_the_seed(skin):
    env = skin("jujitsu", num_cards=5)
    starts = []
    for _ in range(2):
        env.reset(seed=3, options={"start": "random"})
        starts.append([env._session.state])
        for _ in range(10):
            env.reset(options={"start": "random"})
            starts[-1].append(env._session.state)
    assert starts[0] == starts[1]
    assert len(set(starts[0])) > 3
