"""What players see lies in the spaces, is theirs to keep, and the masks say exactly what may be played."""

import numpy as np
from skins import (
    ParallelGameEnv,
    SingleAgentEnv,
    every_game,
    is_over,
    one_step,
    same,
    view,
)
from thinning import each_row

from cardwar_envs import DuelState, make_game
from cardwar_envs.envs.aec import AECGameEnv


def check_seen(env, seen, info, space, game):
    assert space.contains(seen)
    observation, mask = seen["observation"], seen["action_mask"]
    assert (observation.dtype, observation.shape) == (np.float32, (game.facts.observation_size,))
    assert (mask.dtype, mask.shape) == (np.int8, (game.facts.num_actions,))
    assert np.array_equal(info["action_mask"], mask)
    assert info["action_mask"].dtype == np.int8


@every_game
def test_observations_of_single_agent_lie_in_their_space(game):
    for seat in range(game.facts.num_players):
        for seed in range(10):
            env, rng, terminated = SingleAgentEnv(game, seat=seat), np.random.default_rng(seed), False
            seen, info = env.reset(seed=seed)
            while not terminated:
                check_seen(env, seen, info, env.observation_space, game)
                assert np.array_equal(env.action_masks(), seen["action_mask"] == 1)
                assert env.action_masks().dtype == np.bool_
                assert env.action_masks().any()
                seen, reward, terminated, truncated, info = one_step(env, rng)
                assert isinstance(reward, float)
                assert truncated is False
            check_seen(env, seen, info, env.observation_space, game)
            assert not seen["action_mask"].any()


def arrays(data):
    """All arrays in nested data."""
    if isinstance(data, np.ndarray):
        return [data]
    if isinstance(data, dict):
        data = list(data.values())
    return [array for item in data for array in arrays(item)] if isinstance(data, list | tuple) else []


@every_game
def test_returned_arrays_of_single_agent_are_fresh(game):
    """No two arrays ever returned share memory, and writing into them all changes nothing; the kit has the others."""
    env, spoiled, rng, spoiled_rng = SingleAgentEnv(game), SingleAgentEnv(game), *map(np.random.default_rng, (1, 1))
    kept = []
    for _ in range(2):  # the second game passes through states that were seen before
        kept.append(env.reset(seed=2))
        spoil(spoiled.reset(seed=2))
        while not is_over(env):
            kept.append(one_step(env, rng))
            spoil(one_step(spoiled, spoiled_rng))
            assert same(view(env), view(spoiled))
    assert_unshared(arrays(kept))


def spoil(data):
    for array in arrays(data):
        array.fill(77)


def assert_unshared(every):
    assert len(every) > 1
    for i, first in enumerate(every):
        assert not any(np.shares_memory(first, second) for second in every[:i])


@each_row("integer", [int, bool, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.array])
def test_integers_of_all_kinds_are_actions(integer):
    env = ParallelGameEnv("dinosaur_war", num_cards=2)
    env.reset(seed=0)
    env.step({"player_0": integer(1), "player_1": integer(0)})
    assert env._session.state == DuelState(((1,), (2,)), score=1)
    assert all(type(action) is int for action in env._session.last_actions.values())


def test_written_observation():
    """Counts per rank (1, 2, 3, 5, 6), own first; own score minus the other's; carried ties."""
    game = make_game("dinosaur_war", hand_0=(2, 2, 6), hand_1=(1, 3, 5), ties="carry")
    env = AECGameEnv(game)
    env.reset(options={"state": DuelState(((2, 2), (1, 5)), score=1)})
    assert env.observe("player_0")["observation"].tolist() == [0, 2, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0]
    assert env.observe("player_1")["observation"].tolist() == [1, 0, 0, 1, 0, 0, 2, 0, 0, 0, -1, 0]
    assert env.observe("player_0")["action_mask"].tolist() == [0, 1, 0, 0, 0]
    assert env.observe("player_1")["action_mask"].tolist() == [1, 0, 0, 1, 0]
    first, second = (env.observe(agent)["observation"].tolist() for agent in env.agents)
    assert env.state().tolist() == first + second


def test_start_in_a_state_seen_from_the_other_seat():
    game = make_game("dinosaur_war", hand_0=(1, 3, 4, 5, 6), hand_1=(2, 2, 2, 2, 7))
    env = SingleAgentEnv(game, seat=1, opponent="highest_card")
    seen, _ = env.reset(options={"state": DuelState(((4, 6), (2, 7)), score=-1)})
    # ranks 1..7: own 2 and 7, the other's 4 and 6, own score +1, no carried ties
    assert seen["observation"].tolist() == [0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0]
    assert env.action_masks().tolist() == [False, True, False, False, False, False, True]
    assert env.step(6)[1] == 1.0  # 7 beats 6
    assert env.step(1)[1] == -1.0  # 2 loses to 4
