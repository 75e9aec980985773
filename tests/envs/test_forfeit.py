"""`illegal_action="forfeit"`: judged when all have committed; whoever offends loses all there is to lose."""

import copy

import numpy as np
import pytest
from by_rules import ILLEGAL, AECPair, ParallelPair
from hypothesis import given, settings
from hypothesis import strategies as st
from knock_out import DUCK, STAND, KnockOut
from skins import SingleAgentEnv, choose, every_game, illegal_actions, is_over, same, view
from thinning import each_row
from toys import END, Toy

from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.vector_env import GameVectorEnv


def forfeited(pair, game, seed, turns, offenders):
    """Whole-game payoffs if the offenders offend after `turns` joint actions; None if they have no choice then."""
    both, rng = pair(game, illegal_action="forfeit"), np.random.default_rng(seed)
    both.reset(seed, {})
    while both.turns < turns and both.agents:
        both.step(rng)
    if not set(offenders) <= set(game.acting_players(both.state)):
        return None
    total = both.paid + both.forfeit(offenders, rng)
    assert both.env._rng.bit_generator.state == both.chance.bit_generator.state, "a forfeit needs no chance"
    return total


def check_payoffs(game, received, offenders):
    """Of two players: the least payoff to the offender, its negative to the other, nothing if both offend."""
    least = game.facts.min_payoff
    expected = {(0,): [least, -least], (1,): [-least, least], (0, 1): [0.0, 0.0]}[offenders]
    assert received.tolist() == pytest.approx(expected)


@pytest.mark.thin
@pytest.mark.parametrize("offenders", [(0,), (1,), (0, 1)], ids=str)
@pytest.mark.parametrize("pair", [AECPair, ParallelPair])
@every_game
def test_payoffs_of_the_whole_game(game, pair, offenders):
    played = 0
    for turns in range(game.facts.max_length):
        for seed in range(6):
            received = forfeited(pair, game, seed, turns, offenders)
            if received is None:  # it did not last that long, or an offender had nothing to choose
                continue
            played += 1
            assert received.sum() == pytest.approx(0.0)
            if game.facts.num_players == 2:
                check_payoffs(game, received, offenders)
    assert played >= game.facts.max_length


def test_what_was_paid_is_forgotten_on_reset():
    env = ParallelGameEnv("dinosaur_war", num_cards=3, illegal_action="forfeit")
    env.reset(seed=0)
    env.step({"player_0": 2, "player_1": 0})
    env.reset(seed=0)
    assert env.step({"player_0": ILLEGAL, "player_1": 0})[1] == {"player_0": -3.0, "player_1": 3.0}


@each_row("illegal", [ILLEGAL, -1, None, "0", 0.0])
def test_it_is_judged_when_all_have_committed(illegal):
    env = AECGameEnv("dinosaur_war", num_cards=3, illegal_action="forfeit")
    env.reset(seed=0)
    env.step(illegal)
    legal = AECGameEnv("dinosaur_war", num_cards=3, illegal_action="forfeit")
    legal.reset(seed=0)
    legal.step(1)
    assert same(*(view(each, without=["_pending"]) for each in (env, legal))), "nothing shows which it was"
    assert env.agent_selection == "player_1"
    assert not any(env.terminations.values())
    assert set(env.rewards.values()) == {0}
    env.step(0)
    assert all(env.terminations.values())
    assert env.rewards == {"player_0": -3.0, "player_1": 3.0}
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)
    assert not any(env.infos[agent]["action_mask"].any() for agent in env.agents)


@every_game
def test_the_single_agent_forfeits(game):
    for seat in range(game.facts.num_players):
        env = SingleAgentEnv(game, seat=seat, illegal_action="forfeit")
        for seed in range(10):
            env.reset(seed=seed)
            rng, total, steps = np.random.default_rng(seed), 0.0, 0
            while not is_over(env) and steps < seed % 3:
                total += env.step(choose(env, seat, rng))[1]
                steps += 1
            if is_over(env):
                continue
            for action in illegal_actions(game, env._session.state, seat):
                tried = copy.deepcopy(env)
                seen, reward, terminated, truncated, info = tried.step(action)
                assert (terminated, truncated) == (True, False)
                assert total + reward == pytest.approx(game.facts.min_payoff)
                assert not seen["action_mask"].any()
                assert not info["action_mask"].any()
                assert not tried.action_masks().any()


# -- three players ----------------------------------------------------------------------------


def knock_out_from(players, seed=0):
    env = ParallelGameEnv(KnockOut(), illegal_action="forfeit")
    env.reset(seed=seed, options={"state": (0, players)})
    return env


def knocked_out_first():
    """An environment in which player 2 was knocked out by chance in the first turn, and paid a point."""
    for seed in range(100):
        env = knock_out_from((0, 1, 2), seed)
        rewards = env.step({"player_0": DUCK, "player_1": DUCK, "player_2": STAND})[1]
        if env.agents == ["player_0", "player_1"]:
            assert rewards == {"player_0": 0.5, "player_1": 0.5, "player_2": -1.0}
            return env
    raise AssertionError("player_2 was never hit")


def test_who_is_out_keeps_what_it_was_paid():
    """Player 2 stays at -1; player 1 ends at -1.25, and player 0 has what both lost."""
    rewards = knocked_out_first().step({"player_0": 2, "player_1": ILLEGAL})[1]
    assert rewards == {"player_0": 2.25 - 0.5, "player_1": -1.25 - 0.5}


def test_all_who_are_left_offend():
    """They share alike what player 2 has paid: half a point each, which they have already."""
    rewards = knocked_out_first().step({"player_0": ILLEGAL, "player_1": ILLEGAL})[1]
    assert rewards == {"player_0": 0.0, "player_1": 0.0}


def test_to_refuse_to_wait_is_an_offence():
    """Player 0 waits in the second turn; in the Parallel environment it has to say so."""
    env = ParallelGameEnv(KnockOut(), illegal_action="forfeit", render_mode="ansi")
    env.reset(seed=0, options={"state": (1, (0, 1, 2))})
    rewards = env.step({"player_0": DUCK, "player_1": DUCK, "player_2": DUCK})[1]
    assert rewards == {"player_0": -1.25, "player_1": 0.625, "player_2": 0.625}
    assert "player_0 forfeits" in env.render()


# -- games whose deal pays --------------------------------------------------------------------


class Paying(Toy):
    """Two turns with nothing to choose; the deal and both turns pay what the table says, to each player."""

    def _rewards(self, paid):
        return paid


def paying(payments, zero_sum):
    """The game of payments, one tuple for the deal and one for each turn."""
    everyone = tuple(range(len(payments[0])))
    nothing = (0,) * len(everyone)
    turns = [(everyone, {nothing: [(1, after, paid)]}) for after, paid in zip((1, END), payments[1:], strict=True)]
    return Paying(tuple(turns), ((1, 0, payments[0]),), players=len(everyone), zero_sum=zero_sum)


@st.composite
def forfeits(draw):
    """(payments, zero-sum or not, turns that are played, offenders) of a game of two or three players."""
    players, zero_sum = draw(st.integers(2, 3)), draw(st.booleans())
    payments = [
        tuple(draw(st.lists(st.floats(-3.0, 3.0, width=16), min_size=players, max_size=players))) for _ in range(3)
    ]
    if zero_sum:
        payments = [(*paid[1:], -sum(paid[1:])) for paid in payments]
    offenders = draw(st.sets(st.integers(0, players - 1), min_size=1))
    return payments, zero_sum, draw(st.integers(0, 1)), tuple(sorted(offenders))


def single_total(game, seat, turns):
    """What a single agent gets that forfeits after so many turns, and what its pictures show that all got."""
    env = SingleAgentEnv(game, seat=seat, illegal_action="forfeit")
    env.reset(seed=0)
    total = sum(env.step(0)[1] for _ in range(turns)) + env.step(ILLEGAL)[1]
    return total, env._session.revealed(seat).payoffs


def vector_total(game, seat, turns):
    env = GameVectorEnv(
        game, 2, seat=seat, illegal_action="forfeit", render_mode="ansi", autoreset_mode="Disabled", opponent="uniform"
    )
    env.reset(seed=0)
    total = sum(env.step(np.full(2, action))[1] for action in [0] * turns + [ILLEGAL])
    assert total[0] == total[1]
    return total[0], env._games.revealed[1].payoffs


@settings(deadline=None)
@given(forfeits())
def test_the_deal_is_paid_in_every_skin(forfeit):
    payments, zero_sum, turns, offenders = forfeit
    game, least = paying(payments, zero_sum), -99.0
    expected = np.sum(payments[: turns + 1], axis=0)
    expected[list(offenders)] = least
    others = [player for player in range(len(expected)) if player not in offenders]
    if zero_sum:
        expected[others] = -least * len(offenders) / max(len(others), 1)
        expected = expected if others else np.zeros_like(expected)
    for pair in (AECPair, ParallelPair):
        assert forfeited(pair, game, 0, turns, offenders) == pytest.approx(expected)
    if len(offenders) == 1 and len(others):
        for total, shown in (single_total(game, *offenders, turns), vector_total(game, *offenders, turns)):
            assert total == pytest.approx(least)
            assert shown == pytest.approx(expected)
