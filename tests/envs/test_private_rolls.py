"""Dice Poker: nothing of the other's roll or move before the showdown, by any way of looking.

For each player all that it can see is compared over every roll and every committed move of the
other: it must be the same to the last bit.
"""

import copy
from itertools import product

import pytest
from skins import same
from thinning import each_row

from cardwar_envs import dice_poker_v0, make_game
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.single_agent import SingleAgentEnv
from cardwar_envs.envs.vector_env import GameVectorEnv
from cardwar_envs.games.dice_poker import DicePokerState

GAME = make_game("dice_poker", sides=4)
FACES = range(1, 5)
NAMES = ("player_0", "player_1")


def seats(own, player, other):
    """Both rolls, given the one of `player`."""
    return DicePokerState((own, other) if player == 0 else (other, own))


def all_alike(views):
    first, *others = views
    assert others
    return all(same(first, other) for other in others)


@pytest.mark.parametrize("player", [0, 1])
@each_row("own", FACES)
def test_by_the_rules(own, player):
    states = [seats(own, player, other) for other in FACES]
    moved = [DicePokerState(state.rolls, moves) for state in states for moves in product((0, 1), repeat=2)]
    assert all_alike([GAME.observation(state, player) for state in (*states, *moved)])
    assert all_alike([GAME.action_mask(state, player) for state in states])
    assert GAME.observation(states[0], player).tolist() == [own, player]


def seen_in_aec(env, player):
    """All that an AEC environment shows to one player, and to everyone, while moves are still made."""
    seen = {
        "observe": env.observe(NAMES[player]),
        "info": env.infos[NAMES[player]],
        "masks": [env.observe(name)["action_mask"] for name in NAMES],
        "public": (env.agents, env.agent_selection, env.rewards, env.terminations, env.truncations, env.num_agents),
        "render": env.render(),
    }
    if env.agent_selection == NAMES[player]:
        seen["last"] = env.last()
    return copy.deepcopy(seen)


def views_of_aec(rolls, player):
    """Before the first move, and after it: player 1 moves second and must not see what player 0 did."""
    env = AECGameEnv(GAME, render_mode="ansi")
    env.reset(seed=1, options={"state": rolls})
    before, after = seen_in_aec(env, player), []
    for move in (0, 1):
        env.reset(seed=1, options={"state": rolls})
        env.step(move)
        after.append(seen_in_aec(env, player))
    assert same(*after)
    return before, after


def views_of_parallel(rolls, player):
    env = ParallelGameEnv(GAME, render_mode="ansi")
    observations, infos = env.reset(seed=1, options={"state": rolls})
    return observations[NAMES[player]], infos[NAMES[player]], env.render()


def views_of_single_agent(rolls, player):
    env = SingleAgentEnv(GAME, seat=player, opponent="equilibrium", render_mode="ansi")
    return *env.reset(seed=1, options={"state": rolls}), env.action_masks(), env.render()


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("views", [views_of_aec, views_of_parallel, views_of_single_agent])
@each_row("own", FACES)
def test_nothing_shows_the_other_roll(own, views, player):
    assert all_alike([copy.deepcopy(views(seats(own, player, other), player)) for other in FACES])


def test_after_the_showdown_too_an_observation_is_the_own_roll_only():
    """What an agent learns at the end is its reward; in batches the last observation is not shown at all."""
    for own, other, moves in product(FACES, FACES, product((0, 1), repeat=2)):
        env = ParallelGameEnv(GAME)
        env.reset(options={"state": DicePokerState((own, other))})
        observations, rewards, terminations, _, infos = env.step(dict(zip(NAMES, moves, strict=True)))
        assert observations["player_0"]["observation"].tolist() == [own, 0]
        assert observations["player_1"]["observation"].tolist() == [other, 1]
        assert all(terminations.values())
        assert sum(rewards.values()) == 0
        assert all(set(info) == {"action_mask"} for info in infos.values())


def test_state_is_the_one_place_with_both_rolls():
    env = dice_poker_v0.env(sides=4)
    env.reset(options={"state": DicePokerState((3, 2))})
    assert env.state().tolist() == [3, 0, 2, 1]
    parallel = dice_poker_v0.parallel_env(sides=4)
    parallel.reset(options={"state": DicePokerState((1, 4))})
    assert parallel.state().tolist() == [1, 0, 4, 1]
    assert "both rolls in Dice Poker" in dice_poker_v0.env().state.__doc__
    shown = {env.state().tobytes()}
    for roll in (1, 3, 4):  # a player who looked there would see the other's
        env.reset(options={"state": DicePokerState((3, roll))})
        shown.add(env.state().tobytes())
    assert len(shown) == 4


def test_the_showdown_is_rendered():
    env = AECGameEnv(GAME, render_mode="ansi")
    env.reset(options={"state": DicePokerState((3, 2))})
    env.step(1)
    env.step(0)
    text = "player_0 rolled 3\nplayer_1 rolled 2\nplayed  player_0 raise  player_1 fold\nthe game is over"
    assert env.render() == text


def test_a_forfeit_keeps_the_rolls_hidden():
    """The other's roll is no business of one who did not play."""
    env = AECGameEnv(GAME, render_mode="ansi", illegal_action="forfeit")
    env.reset(options={"state": DicePokerState((3, 2))})
    env.step(7)
    env.step(0)
    assert env.rewards == {"player_0": -2.0, "player_1": 2.0}
    assert env.render().splitlines()[:2] == ["player_0 rolled ?", "player_1 rolled ?"]


@pytest.mark.parametrize("player", [0, 1])
def test_every_skin_shows_a_player_its_own_die(player):
    start, name = {"state": DicePokerState((3, 2))}, NAMES[player]
    aec, parallel = AECGameEnv(GAME), ParallelGameEnv(GAME)
    single = SingleAgentEnv(GAME, seat=player, render_mode="ansi")
    vector = GameVectorEnv(GAME, 2, seat=player, render_mode="ansi")
    aec.reset(options=start)
    seen = [
        aec.observe(name),
        parallel.reset(options=start)[0][name],
        single.reset(options=start)[0],
        {key: rows[1] for key, rows in vector.reset(options=start)[0].items()},
    ]
    own = (3, 2)[player]
    assert [each["observation"].tolist() for each in seen] == [[own, player]] * 4
    for text in (single.render(), vector.render()[1]):
        assert f"{name} rolled {own}" in text
        assert f"{NAMES[1 - player]} rolled ?" in text
