"""Games that start elsewhere: in a given state, or in one drawn at random."""

import numpy as np
import pytest
from brute_force import reachable
from skins import SingleAgentEnv, every_game, every_skin, one_step, rest_of_game, same
from thinning import each_row

from cardwar_envs import DuelState


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
