"""Gymnasium's vector environment: each of its games is what the single-agent environment would be."""

import re
from itertools import pairwise

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from knock_out import STAND, Always, KnockOut
from skins import every_game
from thinning import each_row
from tiny_games import EVERY_GAME
from toys import Answering

from cardwar_envs import DuelState, IllegalActionError, make_game
from cardwar_envs.envs.engines.rules import RulesEngine
from cardwar_envs.envs.registration import gymnasium_id
from cardwar_envs.envs.session import WITHOUT_MASKS
from cardwar_envs.envs.single_agent import SingleAgentEnv
from cardwar_envs.envs.vector_env import GameVectorEnv

ENGINES = ("compiled", "rules")
TINY = {"num_cards": 3}


def legal_actions(masks, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def record(env, steps, seed=0, **reset):
    """Everything that random legal play shows."""
    rng, shown = np.random.default_rng(100 + seed), [env.reset(seed=seed, **reset)]
    seen = shown[0][0]
    for _ in range(steps):
        shown.append(env.step(legal_actions(seen["action_mask"], rng)))
        seen = shown[-1][0]
    return shown


def same(first, second):
    return data_equivalence(first, second, exact=True)


# -- as Gymnasium knows it ----------------------------------------------------------------------


@each_row("game", EVERY_GAME)
@each_row("mode", [None, "vector_entry_point"])
def test_make_vec_makes_it(game, mode):
    name = gymnasium_id(game.facts.name)
    envs = gymnasium.make_vec(
        name, num_envs=5, vectorization_mode=mode, opponent="uniform_actions", **game.parameters()
    )
    assert type(envs) is GameVectorEnv
    assert (envs.game, envs.num_envs, envs.seat) == (game, 5, 0)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    single = gymnasium.make(name, **game.parameters())
    assert envs.single_observation_space == single.observation_space
    assert envs.single_action_space == single.action_space
    for observations, *_ in record(envs, 20):
        assert envs.observation_space.contains(observations)
    actions = envs.action_space.sample()
    assert actions.shape == (5,)
    remade = gymnasium.make_vec(envs.spec)
    assert (type(remade), remade.game, remade.num_envs) == (GameVectorEnv, game, 5)
    envs.close()


def test_a_deal_that_pays_and_games_that_pass_the_agent_by():
    """Knock-out pays by the deal and lets a player wait: over whole games the mean is a single one's."""
    game, means = KnockOut(), []
    opponents = [Always(STAND), "uniform_actions"]
    envs = GameVectorEnv(game, 500, opponent=opponents, seat=0)
    assert type(envs._games.engine) is RulesEngine
    envs.reset(seed=1)
    returns, games = np.zeros(500), 0
    for _ in range(30):
        _, rewards, ended, _, _ = envs.step(np.zeros(500, dtype=int))
        returns += rewards
        games += ended.sum()
    env = SingleAgentEnv(game, opponent=opponents, seat=0)
    env.reset(seed=2)
    for _ in range(600):
        env.reset()
        total, ended = 0.0, False
        while not ended:
            _, reward, ended, _, _ = env.step(0)
            total += reward
        means.append(total)
    deviation = np.std(means) * np.sqrt(1 / 600 + 1 / games)
    assert abs(returns.sum() / games - np.mean(means)) < 4 * deviation


# -- seeds, options ---------------------------------------------------------------------------


@every_game
def test_a_seed_repeats_everything(game):
    first, second = (record(GameVectorEnv(game, 4, opponent="uniform_actions"), 15, seed=3) for _ in range(2))
    assert same(first, second)


def test_every_game_has_a_seed_of_its_own():
    game = make_game("dice_wars", num_cards=3)
    together = record(GameVectorEnv(game, 3), 9, options={"start": "random"})
    rng = np.random.default_rng(100)
    envs = [GameVectorEnv(game, 1), GameVectorEnv(game, 2)]
    seen = [envs[0].reset(seed=0, options={"start": "random"}), envs[1].reset(seed=[1, 2], options={"start": "random"})]
    for (shown, *_), (next_shown, *_) in pairwise(together):
        assert np.array_equal(shown["observation"], np.concatenate([each[0]["observation"] for each in seen]))
        actions = legal_actions(shown["action_mask"], rng)
        seen = [envs[0].step(actions[:1]), envs[1].step(actions[1:])]
        assert np.array_equal(next_shown["observation"], np.concatenate([each[0]["observation"] for each in seen]))
    starts = {
        row.tobytes()
        for row in GameVectorEnv("jujitsu", 50).reset(seed=0, options={"start": "random"})[0]["observation"]
    }
    assert len(starts) > 40


def test_equal_seeds_play_otherwise_in_a_single_environment():
    """As `GameVectorEnv.reset` and the recipe of many games say; the same rules, but other random numbers."""
    seeds, game = list(range(40)), make_game("goofspiel", num_cards=3)
    batched = GameVectorEnv(game, len(seeds)).reset(seed=seeds)[0]["observation"]
    single = np.stack([SingleAgentEnv(game).reset(seed=seed)[0]["observation"] for seed in seeds])
    assert {row.tobytes() for row in batched} == {row.tobytes() for row in single}, "the three first prizes"
    assert not np.array_equal(batched, single)


@pytest.mark.parametrize("engine", ENGINES)
def test_options_hold_until_the_next_reset(engine):
    state = DuelState(((1, 2), (2, 3)), score=1)
    envs = GameVectorEnv("jujitsu", 3, opponent="lowest_card", engine=engine, **TINY)
    first, _ = envs.reset(seed=0, options={"state": state, "unknown": 1})
    assert np.array_equal(first["observation"], np.tile(envs.game.observation(state, 0), (3, 1)))
    envs.step(np.array([0, 1, 1]))
    again, _, ended, _, _ = envs.step(np.array([1, 0, 0]))
    assert ended.all()
    assert same(first, again)
    assert envs.reset()[0]["action_mask"].all()


def test_bad_options_leave_the_games_as_they_are():
    envs = GameVectorEnv("jujitsu", 2, **TINY)
    envs.reset(seed=0)
    envs.step(np.array([0, 1]))
    before = envs._games.engine.states(), envs._games.engine.streams.copy()
    over, other = DuelState(((), ()), score=1), DuelState(((9,), (1,)))
    for arguments, message in [
        ({"options": {"state": other}}, "cards that it cannot hold"),
        ({"options": {"state": over}}, "the game is over"),
        ({"options": {"start": "middle"}}, "start ('middle') must be one of 'initial', 'random'"),
        ({"seed": [1, 2, 3]}, "3 seeds given for 2 games"),
    ]:
        with pytest.raises(ValueError, match=re.escape(message)):
            envs.reset(**arguments)
        assert envs._games.engine.states() == before[0]
        assert np.array_equal(envs._games.engine.streams, before[1])


# -- what is refused, and what is handed out --------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_an_illegal_action_changes_nothing(engine):
    envs = GameVectorEnv("dice_wars", 2, engine=engine, **TINY)
    envs.reset(seed=0)
    envs.step(np.array([0, 1]))
    before = envs._games.engine.states(), envs._games.engine.streams.copy()
    for action in (1, -1, 3, 10**12):
        message = f"game 1: player_0 cannot play action {action}; legal actions are 0, 2{WITHOUT_MASKS}"
        with pytest.raises(IllegalActionError, match=re.escape(message)):
            envs.step(np.array([1, action]))
    for actions in (np.array([1]), np.array([[1, 2]]), np.array([1.0, 2.0]), np.array([True, False]), None):
        with pytest.raises(ValueError, match=r"must be integers of shape \(2,\)"):
            envs.step(actions)
    assert envs._games.engine.states() == before[0]
    assert np.array_equal(envs._games.engine.streams, before[1])
    envs.step(np.array([1, 2]))


def test_an_opponent_that_answers_nonsense_changes_nothing():
    envs = GameVectorEnv("jujitsu", 2, opponent=Answering(lambda _, masks: masks * 0.4), **TINY)
    envs.reset(seed=0)
    before = envs._games.engine.states(), envs._games.engine.streams.copy()
    with pytest.raises(ValueError, match="sum to"):
        envs.step(np.array([0, 1]))
    assert envs._games.engine.states() == before[0]
    assert np.array_equal(envs._games.engine.streams, before[1])


@each_row(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs (0) must be in 1..10000000"),
        ({"num_envs": 2.0}, "num_envs (2.0) must be an integer"),
        ({"num_envs": 10**12}, "num_envs (1000000000000) must be in"),
        ({"seat": 2}, "seat (2) must be one of 0, 1"),
        ({"opponent": "grandmaster"}, "unknown policy 'grandmaster'"),
        ({"opponent": ["uniform", "uniform"]}, "2 opponents given for 1 other seats"),
        ({"illegal_action": "ignore"}, "illegal_action ('ignore') must be one of"),
        ({"render_mode": "film"}, "render_mode ('film') must be one of None, 'human', 'ansi', 'rgb_array'"),
        ({"engine": "steam"}, "engine ('steam') must be one of"),
        ({"colour": "red"}, "no parameter 'colour'"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        GameVectorEnv("jujitsu", **arguments)


def test_nothing_goes_before_reset():
    envs = GameVectorEnv("jujitsu", 2, render_mode="ansi")
    for too_early in (envs.render, envs.action_masks, lambda: envs.step(np.array([0, 0]))):
        with pytest.raises(ResetNeeded):
            too_early()


def test_a_player_who_is_never_asked_is_told_so():
    """In the last turn but one player 0 waits, and the game ends before it is asked again."""
    with pytest.raises(ValueError, match="player_0 never acted in 100 games"):
        GameVectorEnv(KnockOut(), 2, opponent="uniform_actions").reset(options={"state": (3, (0, 1, 2))})


def test_texts_of_all_games():
    envs = GameVectorEnv("jujitsu", 2, render_mode="ansi", opponent="lowest_card", **TINY)
    envs.reset(seed=0)
    envs.step(np.array([0, 2]))
    texts = [text.split("\nplayed") for text in envs.render()]
    assert [text[0] for text in texts] == [envs.game.describe(state) for state in envs._games.engine.states()]
    assert len(set(envs.render())) == 2
    assert GameVectorEnv("jujitsu", 2).render() is None


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_handed_out_is_the_callers(engine):
    """Writing over everything that was handed out changes nothing that follows."""
    first, second = (GameVectorEnv("war", 3, ranks=3, discards=1, engine=engine, max_rounds=6) for _ in range(2))
    rng = np.random.default_rng(0)
    (seen, _), (other, infos) = first.reset(seed=0), second.reset(seed=0)
    for _ in range(20):
        actions = legal_actions(seen["action_mask"], rng)
        for arrays in (other, infos, infos.get("final_info", {})):
            for array in arrays.values():
                if isinstance(array, np.ndarray) and array.dtype != object:
                    array[:] = 0
        kept = {key: array.copy() for key, array in seen.items()}
        before = seen
        seen, rewards, ended, *_ = first.step(actions)
        other, other_rewards, other_ended, _, infos = second.step(actions)
        assert same(before, kept), "arrays are fresh at every step"
        assert same((seen, rewards, ended), (other, other_rewards, other_ended))
