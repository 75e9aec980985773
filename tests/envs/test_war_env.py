"""WAR in the skins: full decks for 2, 3 and 7 players, whom the small games of the other tests do not show."""

import copy
from collections import Counter

import pytest
from gymnasium.utils.env_checker import check_env
from skins import same, view
from test_env_conformance import (
    DICT_OBSERVATION,
    DICT_SPACE,
    NO_SPEC,
    NOTHING_LEGAL,
    check_aec,
    check_parallel,
    conformance,
)
from test_no_leaks import committed, views_by_commit
from thinning import each_row

from cardwar_envs import IllegalActionError, make_game, war_v0
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.single_agent import SingleAgentEnv
from cardwar_envs.games.war.state import WarState

players = pytest.mark.parametrize("players", [2, 3, 7])


def war(players, **parameters):
    return make_game("war", num_players=players, **{"max_rounds": 30, **parameters})


# -- conformance --------------------------------------------------------------------------------


@pytest.mark.filterwarnings(DICT_SPACE, DICT_OBSERVATION, NOTHING_LEGAL, NO_SPEC)
@players
def test_pettingzoos_and_gymnasiums_tests(players):
    game = war(players)
    check_aec(game, render=False)
    conformance.render_test(lambda render_mode: AECGameEnv(war(players, max_rounds=5), render_mode=render_mode))
    check_parallel(game)
    check_env(SingleAgentEnv(game, seat=players - 1, illegal_action="forfeit", render_mode="ansi"))


# -- nothing shows before all have committed ----------------------------------------------------


@pytest.mark.parametrize("hands", [[(2, 3, 4, 5, 9), (3, 5, 6, 7)], [(2, 3, 4, 5), (2, 3, 4, 5), (5, 6, 7)]])
def test_war_choices_do_not_show_before_all_have_chosen(hands):
    """Among them one who cannot pay; all other cards are in the pot."""
    env = AECGameEnv("war", num_players=len(hands), ranks=8, render_mode="ansi")
    held = Counter(card for hand in hands for card in hand)
    pot = Counter({card: len(hands) for card in env.game.cards}) - held
    now = WarState(hands, [()] * len(hands), pot.elements(), tied=range(len(hands)), rounds_left=4)
    env.reset(seed=0, options={"state": now})
    copies = views_by_commit(env, lambda player: env.game.legal_actions(now, player)[:12])
    assert len(copies) > 3
    revealed = [committed(each, env.game.legal_actions(now, 1)[0]) for each in copies]
    first, *others = [view(each) for each in revealed]
    assert not all(same(first, other) for other in others)  # so the comparison can fail


def test_a_single_agents_opponents_do_not_see_its_card():
    for seat in range(3):
        env = SingleAgentEnv(war(3, ranks=5, discards=1), seat=seat)
        env.reset(seed=2)
        played = []
        for action in env.game.legal_actions(env._session.state, seat):
            after = copy.deepcopy(env)
            after.step(action)
            others = {p: a for p, a in after._session.last_actions.items() if p != seat}
            if not after._session.state.tied and len(others) == 2:
                played.append(others)
        assert len(played) > 1
        assert all(others == played[0] for others in played)


# -- whole games --------------------------------------------------------------------------------


def test_infos_hold_the_utility():
    env = war_v0.parallel_env(num_players=3)
    _, infos = env.reset(seed=0)
    assert [info["utility"] for info in infos.values()] == [90, 90, 90]
    env.step({"player_0": 11, "player_1": 0, "player_2": 3})
    infos = env.step({"player_0": 0, "player_1": 5, "player_2": 4})[4]
    assert [info["utility"] for info in infos.values()] == [90 + 2 + 5 - 2, 90 - 2 + 2 + 6, 90 - 5 - 6]


@each_row("play", [((2, 3, 4), 13), ((2, 2, 3), 4), 5, None])
def test_an_illegal_war_choice_leaves_the_game_as_it_was(play):
    env = war_v0.env()
    env.reset(seed=0)
    env.step(11)
    env.step(11)
    before = view(env)
    with pytest.raises(IllegalActionError, match=r"player_0 cannot play action \d+; legal actions are .* in total"):
        env.step(env.game.actions.encode(play))
    assert same(before, view(env))


def test_an_adversary_must_know_the_agent_too():
    """The agent is one of the others, and no policy that could be asked."""
    with pytest.raises(ValueError, match="needs the policies of the 1 other seats"):
        SingleAgentEnv("war", opponent="general_purpose_adversary")
    env = SingleAgentEnv("war", num_players=3, opponent=["min", "simple_minded_1"], seat=1)
    env.reset(seed=0)
    assert env.step(11)[1] == 0.0
    assert env._session.last_actions == {0: 0, 1: 11, 2: 11}
    assert env._session.acting == (1, 2)
