"""The seed decides everything that is drawn, and games start where they are told to.

The kit checks the seeds of AEC and Parallel environments.
"""

import copy
import pickle
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from brute_force import reachable
from skins import every_game, every_skin, generator, is_over, one_step, rest_of_game, same, view
from thinning import each_row
from toys import Toy

from cardwar_envs import DuelState, Transition, make_game
from cardwar_envs.envs import kept
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.single_agent import SingleAgentEnv
from cardwar_envs.envs.vector_env import GameVectorEnv

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


# -- options of reset -------------------------------------------------------------------------


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


@pytest.mark.parametrize("most", [0, 10_000, 1 << 23])
def test_environments_of_one_game_share_what_they_keep_and_nothing_else(monkeypatch, most):
    """Also if the game has too many states to be kept; a pickle holds none of them."""
    monkeypatch.setattr(kept, "MOST_KEPT", most)
    game = make_game("oshi_zumo", coins=8, size=1, horizon=100 + most)  # no other test keeps it
    envs = [AECGameEnv(make_game("oshi_zumo", **game.parameters())) for _ in range(2)]
    rng = np.random.default_rng(0)
    for env in envs:
        env.reset()
    size = len(pickle.dumps(envs[0]))
    for _ in range(400):
        env = envs[rng.integers(2)]
        if env.agents:
            one_step(env, rng)
        else:
            env.reset()
        for each, (player, agent) in product(envs, enumerate(env.possible_agents)):
            seen, state = each.observe(agent), each._session.state
            assert np.array_equal(seen["observation"], game.observation(state, player))
            assert np.array_equal(seen["action_mask"], game.action_mask(state, player))
            for array in (*seen.values(), *(info["action_mask"] for info in each.infos.values())):
                array[:] = 7
    assert len(pickle.dumps(envs[0])) < 2 * size


class Blind(Toy):
    """Two moves in which players see nothing; the state is the history and `padding` besides."""

    padding = ()

    @property
    def facts(self):
        return replace(super().facts, observation_low=(), observation_high=())

    def initial(self):
        return [Transition(Fraction(1), ((), self.padding), (0.0, 0.0))]

    def acting_players(self, state):
        return (0, 1) if len(state[0]) < 2 else ()

    def legal_actions(self, state, player):
        return (0, 2) if self.acting_players(state) else ()

    def transitions(self, state, actions):
        return [Transition(Fraction(1), ((*state[0], tuple(actions.values())), state[1]), (0.0, 0.0))]

    def observation(self, state, player):
        return np.zeros(0, dtype=np.float32)


class Padded(Blind):
    padding = tuple(range(1000, 21_000))


class NotPicklable(Blind):
    padding = (lambda: 0,)


@pytest.mark.parametrize(("kind", "stays"), [(Blind, True), (Padded, False), (NotPicklable, False)])
def test_large_states_are_not_kept(monkeypatch, kind, stays):
    monkeypatch.setattr(kept, "ESTIMATED_EVERY", 4)
    monkeypatch.setattr(kept, "MOST_KEPT", 50_000)
    env, rng = ParallelGameEnv(kind(())), np.random.default_rng(0)
    for _ in range(20):
        env.reset()
        rest_of_game(env, rng)
    assert (env._session._kept is not None) == stays


def test_games_without_observations_play_in_batches():
    envs = GameVectorEnv(Blind(()), 3)
    seen, _ = envs.reset(seed=0)
    assert seen["observation"].shape == (3, 0)
    assert not envs.step(np.array([0, 2, 0]))[2].any()
    assert envs.step(np.array([2, 2, 0]))[2].all()


class Miscounted(Blind):
    def action_counts(self, observations, action_masks):
        return np.ones(action_masks.shape)


def test_uniform_opponents_are_checked():
    env = SingleAgentEnv(Miscounted(()))
    env.reset(seed=0)
    with pytest.raises(ValueError, match="illegal action 1"):
        env.step(0)
