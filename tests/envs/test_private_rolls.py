"""Dice Poker: nothing of the other's roll or move before the showdown, by any way of looking.

For each player all that it can see is compared over every roll and every committed move of the
other: it must be the same to the last bit.
"""

import copy
from itertools import product

import numpy as np
import pytest
from skins import same
from thinning import each_row

from cardwar_envs import dice_poker_v0, make_game
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.game_batch import GameBatch
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
    views = [GAME.observation(state, player) for state in (*states, *moved)]
    assert len(views) == 4 + 16
    assert all_alike(views)
    assert all_alike([GAME.action_mask(state, player) for state in states])
    assert views[0].tolist() == [own, player]


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


@each_row("own", FACES)
@pytest.mark.parametrize("illegal_action", ["raise", "forfeit"])
def test_through_aec(own, illegal_action):
    """Before the first move, and after it: player 1 moves second and must not see what player 0 did."""
    env = AECGameEnv(GAME, render_mode="ansi", illegal_action=illegal_action)
    for player in (0, 1):
        before, after = [], []
        for other in FACES:
            env.reset(seed=1, options={"state": seats(own, player, other)})
            before.append(seen_in_aec(env, player))
            for move in (0, 1):
                env.reset(seed=1, options={"state": seats(own, player, other)})
                env.step(move)
                after.append(seen_in_aec(env, player))
        assert all_alike(before)
        # Player 0 knows its own move, but nothing that shows it is there either.
        assert all_alike(after)
        assert before[0]["observe"]["observation"].tolist() == [own, player]
        assert "?" in before[0]["render"]
        assert not set("1234") & set(before[0]["render"].replace("player_1", ""))


@each_row("own", FACES)
def test_through_parallel(own):
    env = ParallelGameEnv(GAME, render_mode="ansi")
    for player, name in enumerate(NAMES):
        views = []
        for other in FACES:
            observations, infos = env.reset(seed=1, options={"state": seats(own, player, other)})
            views.append(copy.deepcopy((observations[name], infos[name], env.render())))
        assert all_alike(views)


@each_row("own", FACES)
@pytest.mark.parametrize("seat", [0, 1])
def test_through_the_single_agent_skin(own, seat):
    env = SingleAgentEnv(GAME, seat=seat, opponent="equilibrium", render_mode="ansi")
    views = []
    for other in FACES:
        seen, info = env.reset(seed=1, options={"state": seats(own, seat, other)})
        views.append(copy.deepcopy((seen, info, env.action_masks(), env.render())))
    assert all_alike(views)


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
    assert "both rolls" in dice_poker_v0.__doc__
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


def test_batches_show_the_own_roll_and_the_seat():
    batch = GameBatch(GAME, 200, seed=3)
    observations, masks = batch.reset()
    assert observations.shape == (200, 2, 2)
    assert (observations[:, :, 1] == [0, 1]).all()
    assert set(observations[:, :, 0].ravel()) == set(FACES)
    assert masks.all()
    step = batch.step(np.zeros((200, 2), dtype=np.int64))
    higher = np.sign(observations[:, 0, 0] - observations[:, 1, 0])
    assert np.array_equal(step.rewards, np.column_stack([higher, -higher]))  # all check
    assert step.done.all()


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
