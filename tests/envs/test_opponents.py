"""Who has the other seats: names, pools, and what both single environments and batches make of them."""

import re

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from knock_out import Always, KnockOut
from skins import every_seated
from thinning import each_row

import baselines
from baselines import make_policy
from cardwar_envs import Pool, make_game
from cardwar_envs.core.streams import draw
from cardwar_envs.envs.single_agent import SingleAgentEnv
from cardwar_envs.envs.vector_env import GameVectorEnv
from cardwar_envs.fixtures import FIXTURES

GAMES = 300


def opponents_first_cards(opponent, games=GAMES, seed=0, tricks=3):
    """`[games, tricks]`: what the opponent plays in each game, in single environments and in a batch."""
    env, single = SingleAgentEnv("dinosaur_war", num_cards=tricks, opponent=opponent), []
    env.reset(seed=seed)
    for _ in range(games):
        env.reset()
        played = []
        for trick in range(tricks):
            env.step(trick)
            played.append(env._session.last_actions[1])
        single.append(played)
    envs, batch = GameVectorEnv("dinosaur_war", games, num_cards=tricks, opponent=opponent), []
    envs.reset(seed=seed)
    for trick in range(tricks):
        before = envs._games.engine.views().observations[:, 1, :tricks].copy()
        envs.step(np.full(games, trick))
        batch.append(before)
    # The cards that are gone from the hand say what was played; the last is the one that was left.
    hands = [*batch, np.zeros_like(batch[0])]
    return np.array(single), np.stack([(hands[i] - hands[i + 1]).argmax(axis=1) for i in range(tricks)], axis=1)


@pytest.mark.parametrize(("weights", "share"), [(None, 1 / 2), ((1, 3), 3 / 4), ((0, 2), 1.0)])
def test_a_pool_draws_one_for_each_game_and_it_plays_the_whole_game(weights, share):
    pool = Pool(["lowest_card", "highest_card"], weights)
    for played in opponents_first_cards(pool):
        assert {tuple(game) for game in played.tolist()} <= {(0, 1, 2), (2, 1, 0)}
        high = (played[:, 0] == 2).mean()
        assert abs(high - share) <= 4 * np.sqrt(share * (1 - share) / GAMES)


def test_in_a_game_for_more_every_seat_draws_for_itself():
    game = make_game("lowest_unique", num_players=3, numbers=3)
    envs = GameVectorEnv(game, GAMES, opponent=[Pool([Always(0), Always(1)]), Always(2)])
    rewards = set()
    envs.reset(seed=0)
    for _ in range(3):
        rewards |= set(envs.step(np.zeros(GAMES, dtype=int))[1].tolist())
    assert rewards == {-0.5, 1.0}, "0 is alone, or both have it and the third wins"
    envs = GameVectorEnv(game, GAMES, opponent=Pool([Always(1), Always(2)]))
    envs.reset(seed=0)
    drawn = envs._games._sitting[:, 1:]
    assert {tuple(row) for row in drawn.tolist()} == {(0, 0), (0, 1), (1, 0), (1, 1)}


def shown(skin, opponent):
    """What some games show, seeded by the first reset."""
    env = skin("dinosaur_war", hand_0=(1, 1, 2), hand_1=(1, 1, 2), opponent=opponent)
    for seed in (3, *[None] * 20):
        yield env.reset(seed=seed)
        for trick in (0, 0, 1):
            yield env.step(np.array([trick]) if skin is GameVectorEnv else trick)


@every_seated
def test_a_seed_repeats_the_draws_and_random_means_uniform_play(skin):
    pool = Pool(["uniform", "lowest_card", "highest_card"])
    for one, other in ((pool, pool), ("random", "uniform")):
        assert data_equivalence(list(shown(skin, one)), list(shown(skin, other)), exact=True)


@each_row(
    ("arguments", "message"),
    [
        (([],), "policies ([]) of a pool must be a list of at least one policy"),
        (("uniform",), "policies ('uniform') of a pool must be a list"),
        ((["uniform"], [1, 2]), "weights ([1, 2]) must be 1 numbers, one per policy"),
        ((["uniform", "max"], [1, -1]), "weights ([1, -1]) of a pool must not be negative"),
        ((["uniform"], [0]), "and one must be positive"),
        ((["uniform"], [float("nan")]), "must not be negative"),
    ],
)
def test_bad_pools(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Pool(*arguments)


def test_an_adversary_must_know_the_agent_too():
    """The agent is one of the others, and no policy that could be asked."""
    with pytest.raises(ValueError, match="needs the policies of the 1 other seats"):
        SingleAgentEnv("war", opponent="general_purpose_adversary")
    env = SingleAgentEnv("war", num_players=3, opponent=["min", "simple_minded_1"], seat=1)
    env.reset(seed=0)
    assert env.step(11)[1] == 0.0
    assert env._session.last_actions == {0: 0, 1: 11, 2: 11}
    assert env._session.acting == (1, 2)


@each_row("opponent", ["lowest_card", Always(0), ["lowest_card"], (Always(0),)])
def test_opponents_of_all_kinds(opponent):
    """Against 1, 2, 3 in this order, 2, 3, 1 wins twice and loses once."""
    env = SingleAgentEnv("dinosaur_war", num_cards=3, opponent=opponent)
    env.reset(seed=0)
    assert [env.step(action)[1:3] for action in (1, 2, 0)] == [(1.0, False), (1.0, False), (-1.0, True)]


def test_uniform_is_the_default_and_plays_every_card_alike():
    """With hand 1, 1, 2 the first card is a 1 in two games of three, within 4.5 standard errors."""
    env = SingleAgentEnv("dinosaur_war", hand_0=(1, 1, 2), hand_1=(1, 1, 2))
    env.reset(seed=0)
    ones, games = 0, 2000
    for _ in range(games):
        env.reset()
        env.step(0)
        ones += env._session.last_actions[1] == 0
    assert abs(ones / games - 2 / 3) < 4.5 * np.sqrt(2 / 9 / games)


# -- what comes out ---------------------------------------------------------------------------

UNLIKE = {"hand_0": (1, 3, 4, 5, 6), "hand_1": (2, 2, 2, 2, 7)}
MATCHES = [
    (make_game("dinosaur_war", **UNLIKE), "highest_card", "uniform_actions"),
    (make_game("dinosaur_war", **UNLIKE), "uniform", "uniform"),
    (make_game("dinosaur_war", **UNLIKE), "lowest_card", "equilibrium"),
    (make_game("jujitsu", **{"num_cards": 4}), "second_lowest_card", "uniform"),
    (make_game("jujitsu", **{"hand_0": (1, 1, 4), "hand_1": (2, 3, 3)}), "uniform_actions", "highest_card"),
    (make_game("dice_wars", **{"num_cards": 3, "sides": 3}), "lowest_card", "highest_card"),
    (make_game("dice_wars", **{"hand_0": (1, 2, 2), "hand_1": (1, 1, 3), "sides": 2}), "uniform", "lowest_card"),
    (make_game("dice_poker", **{"sides": 4, "raise_size": 2}), "uniform_actions", "equilibrium"),
    (make_game("dice_poker", **{"sides": 4, "raise_size": 2}), "equilibrium", "uniform"),
    (KnockOut(), "uniform", "uniform"),
]


def exact_mean(game, agent, opponent, seat):
    """What the agent gets on average; in Knock-out, whose deal pays, if all play uniformly."""
    if game.facts.num_players > 2:
        return float(FIXTURES["knock_out"].uniform_returns[seat])
    policies = (agent, opponent) if seat == 0 else (opponent, agent)
    return baselines.head_to_head(game, *policies).mean * (1 if seat == 0 else -1)


def returns_of_single(game, policy, opponent, seat):
    # Another seed than the environment's: the same one would draw the opponent's own numbers.
    env, rng, returns = SingleAgentEnv(game, opponent=opponent, seat=seat), np.random.default_rng(1000 + seat), []
    env.reset(seed=seat)
    for _ in range(250):
        seen, _ = env.reset()
        total, terminated = 0.0, False
        while not terminated:
            weights = policy.action_probabilities(seen["observation"][None], seen["action_mask"][None])[0]
            seen, reward, terminated, _, _ = env.step(rng.choice(len(weights), p=weights))
            total += reward
        returns.append(total)
    return np.array(returns)


def returns_of_vector(game, policy, opponent, seat):
    streams, envs = np.arange(2000, dtype=np.uint64), GameVectorEnv(game, 2000, opponent=opponent, seat=seat)
    seen, _ = envs.reset(seed=seat)
    returns, over = np.zeros(2000), np.zeros(2000, dtype=bool)
    for _ in range(game.facts.max_length):
        weights = policy.action_probabilities(seen["observation"], seen["action_mask"])
        drawn = draw(streams, np.arange(2000))[:, None]
        seen, rewards, ended, _, _ = envs.step((weights.cumsum(axis=1) <= drawn - 1e-12).sum(axis=1))
        returns += np.where(over, 0.0, rewards)
        over |= ended
    assert over.all()
    return returns


@pytest.mark.thin
@pytest.mark.parametrize("returns_of", [returns_of_single, returns_of_vector])
@pytest.mark.parametrize(
    ("game", "agent", "opponent", "seat"),
    [(game, *policies, seat) for game, *policies in MATCHES for seat in range(game.facts.num_players)],
)
def test_mean_return_is_what_is_exact(game, agent, opponent, seat, returns_of):
    """Seeded play, held against the exact mean: 4.5 standard errors, so that one in 100,000 right ones would fail.

    In Knock-out nothing is lost that the deal pays, or that is paid in turns in which the agent waits.
    """
    policy, expected = make_policy(agent, game), exact_mean(game, agent, opponent, seat)
    for opposing in (opponent, make_policy(opponent, game)):  # by name, and as an object
        returns = returns_of(game, policy, opposing, seat)
        assert abs(returns.mean() - expected) <= 4.5 * returns.std() / np.sqrt(len(returns)) + 1e-9


def test_some_of_those_means_are_not_zero():
    """A mean of zero cannot tell the seats apart, and a lost payment would not show."""
    assert sum(abs(exact_mean(*match, 0)) > 0.2 for match in MATCHES) >= 3
    assert all(abs(exact_mean(*MATCHES[-1], seat)) > 0.01 for seat in range(3))
