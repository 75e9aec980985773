"""Three players who wait and drop out (`knock_out`): the skins ask whom the rules ask."""

import numpy as np
import pytest
from by_rules import single_by_the_rules
from gymnasium.error import ResetNeeded
from knock_out import DUCK, STAND, WAIT, Always, Consoling, KnockOut
from pettingzoo.utils.conversions import aec_to_parallel
from skins import one_step
from thinning import each_row
from tiny_games import EVERY_GAME

from cardwar_envs.envs import opponents
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.single_agent import SingleAgentEnv
from cardwar_envs.envs.vector_env import GameVectorEnv
from cardwar_envs.sb3 import make_against

GAME = KnockOut()


def seed_by(hit):
    """A seed whose first draw makes the shot hit, or miss (it misses in the first half)."""
    return next(seed for seed in range(100) if (np.random.default_rng(seed).random() >= 0.5) == hit)


# -- AEC and Parallel: see also `tests/envs/test_stateful.py` ----------------------------------


def test_parallel_ignores_what_is_given_for_one_who_is_out():
    """TorchRL, for example, gives something for all."""
    env = ParallelGameEnv(GAME)
    env.reset(seed=seed_by(hit=True), options={"state": (0, (0, 1, 2))})
    env.step({"player_0": STAND, "player_1": DUCK, "player_2": DUCK})
    result = env.step({"player_0": "anything", "player_1": WAIT, "player_2": DUCK})
    assert all(set(part) == {"player_1", "player_2"} for part in result)


@each_row("game", [GAME, *EVERY_GAME])
def test_an_environment_says_whether_it_asks_everyone(game):
    """AEC asks only those who act; PettingZoo's `aec_to_parallel` is for environments that ask all in every cycle."""
    waits = game.facts.name in ("war", "knock_out")
    assert ParallelGameEnv(game).metadata["is_parallelizable"] is True
    env = AECGameEnv(game)
    assert env.metadata["is_parallelizable"] is not waits
    if not waits:
        parallel = aec_to_parallel(env)
        _, infos = parallel.reset(seed=0)
        while parallel.agents:
            moves = {agent: int(infos[agent]["action_mask"].argmax()) for agent in parallel.agents}
            *_, infos = parallel.step(moves)


# -- payments to players who have left ----------------------------------------------------------


def test_no_environment_loses_a_payment_to_a_player_who_has_left():
    """A batch pays it; the others return rewards to players in the game only, and refuse it."""
    game, out = Consoling(), (1, (0, 1))
    batch = GameBatch(game, 1, seed=0)
    batch.reset([out])
    assert batch.step(np.zeros((1, 3), dtype=int)).rewards.tolist() == [[0.0, 0.0, 0.5]]
    late = "knock_out: pays a player who has left, which environments cannot return; keep the player in live_players"
    for env in (AECGameEnv(game), ParallelGameEnv(game)):
        env.reset(seed=0, options={"state": out})
        with pytest.raises(ValueError, match=late):
            one_step(env, np.random.default_rng(0))
        assert env._session.state == out
    for make in (SingleAgentEnv, GameVectorEnv, make_against):
        with pytest.raises(ValueError, match=late):
            make(game)


# -- starts in which someone is out already ---------------------------------------------------


@pytest.mark.parametrize("skin", [AECGameEnv, ParallelGameEnv])
def test_those_who_are_out_at_the_start_take_no_part(skin):
    env = skin(GAME)
    env.reset(seed=0, options={"state": (2, (0, 2))})
    assert env.agents == ["player_0", "player_2"]
    env.reset()
    assert env.agents == ["player_0", "player_1", "player_2"]


def test_a_single_agent_who_is_out_cannot_start():
    env = SingleAgentEnv(GAME, seat=1)
    with pytest.raises(ValueError, match="must not be one in which player_1 is out"):
        env.reset(options={"state": (2, (0, 2))})


# -- single agent -----------------------------------------------------------------------------


@each_row("seat", range(3))
def test_single_agent_skips_the_turns_in_which_it_waits_and_is_over_when_it_is_out(seat):
    single_by_the_rules(KnockOut(turns=6), seat, Always(DUCK))


def test_single_agent_is_paid_once_for_what_happens_before_it_is_asked():
    """Player 0 waits first, and in the meantime player 2, who always stands, may be knocked out."""
    env = SingleAgentEnv(KnockOut(turns=6), opponent=[Always(DUCK), Always(STAND)], seat=0)
    payments = set()
    for seed in range(20):
        seen, _ = env.reset(seed=seed, options={"state": (1, (0, 1, 2))})
        knocked_out = seen["observation"][4] == 0
        rewards = [env.step(STAND)[1]]
        if knocked_out and env._session.live == (0, 1):  # nobody was hit after that
            rewards.append(env.step(DUCK)[1])
            payments.add(tuple(rewards))
    assert payments == {(0.5, 0.0)}


def test_opponents_sit_in_the_order_given():
    env = SingleAgentEnv(GAME, opponent=[Always(DUCK), Always(STAND)], seat=1)
    env.reset(seed=0, options={"state": (2, (0, 1, 2))})
    env.step(STAND)
    # Player 0 ducks and player 2 stands; in the turn after player 0 waits.
    assert env._session.last_actions[2] == STAND
    assert env._session.state[1] == (0, 1, 2)


def test_a_start_that_goes_by_without_the_agent_is_drawn_again():
    """From turn 3 with two left, player 0 only waits until the end."""
    env = SingleAgentEnv(GAME, opponent=Always(DUCK), seat=0)
    with pytest.raises(ValueError, match=f"player_0 never acted in {opponents.MAX_STARTS} games"):
        env.reset(seed=0, options={"state": (3, (0, 2))})
    with pytest.raises(ResetNeeded):
        env.step(DUCK)
    with pytest.raises(ValueError, match=f"player_0 never acted in {opponents.MAX_STARTS} games"):
        GameVectorEnv(GAME, 2).reset(options={"state": (3, (0, 1, 2))})
    env.reset(seed=0)
    for seed in range(50):
        observation, _ = env.reset(seed=seed, options={"start": "random"})
        assert observation["action_mask"].tolist() == [1, 1, 0]
        one_step(env, np.random.default_rng(seed))
