"""Opponents do not see what the agent plays, and nobody sees a private roll by any way of looking.

The commitments of AEC are in `tests/envs/test_stateful.py`, and the kit checks that they are hidden.
"""

import copy
from collections import defaultdict
from itertools import product

import numpy as np
import pytest
from hidden_games import Kuhn
from skins import every_game, generator, same, view
from thinning import each_row
from toys import Answering, uniform_over

from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import make_game
from cardwar_envs.core.scene import Revealed
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.session import own_stream
from cardwar_envs.envs.single_agent import SingleAgentEnv
from cardwar_envs.envs.vector_env import GameVectorEnv
from cardwar_envs.games.dice_poker import DicePokerState


@every_game
def test_opponents_draw_after_the_agent_has_committed(game):
    """Looking draws nothing, and what opponents draw does not depend on what the agent plays."""
    for seat in range(game.facts.num_players):
        env = SingleAgentEnv(game, seat=seat, render_mode="ansi")
        env.reset(seed=5)
        before = view(env)
        env.render()
        env.action_masks()
        assert same(before, view(env))
        played = []
        for action in game.legal_actions(env._session.state, seat):
            after = copy.deepcopy(env)
            after.step(action)
            played.append({p: a for p, a in after._session.last_actions.items() if p != seat})
        assert played[0]
        if len(game.acting_players(before["session"]["state"])) == 2:
            assert all(others == played[0] for others in played)


def test_reset_does_not_draw_for_the_opponent():
    """With nothing to deal, reset leaves a freshly seeded generator as it is."""
    env = SingleAgentEnv("jujitsu", num_cards=3)
    env.reset(seed=8)
    assert generator(env).bit_generator.state == own_stream(np.random.default_rng(8)).bit_generator.state


def test_opponents_do_not_see_the_agents_move():
    seen = []

    def recorded(observations, masks):
        seen.append((observations.tolist(), masks.tolist()))
        return uniform_over(masks)

    for action in range(3):
        env = SingleAgentEnv("jujitsu", num_cards=3, opponent=Answering(recorded))
        env.reset(seed=0)
        assert len(seen) == action
        env.step(action)
    assert seen == [seen[0]] * 3


# -- Dice Poker -------------------------------------------------------------------------------------

GAME = make_game("dice_poker", sides=4)
FACES = range(1, 5)
NAMES = ("player_0", "player_1")


def seats(own, player, other):
    """Both rolls, given the one of `player`."""
    return DicePokerState((own, other) if player == 0 else (other, own))


def seen_in_aec(env, player):
    """All that an AEC environment shows to one player, and to everyone, while moves are still made."""
    seen = {
        "observation": env.observe(NAMES[player]),
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
    return before | {"after": after}


def views_of_parallel(rolls, player):
    env = ParallelGameEnv(GAME, render_mode="ansi")
    observations, infos = env.reset(seed=1, options={"state": rolls})
    return {"observation": observations[NAMES[player]], "info": infos[NAMES[player]], "render": env.render()}


def views_of_single_agent(rolls, player):
    env = SingleAgentEnv(GAME, seat=player, opponent="equilibrium", render_mode="ansi")
    seen, info = env.reset(seed=1, options={"state": rolls})
    return {"observation": seen, "info": info, "masks": env.action_masks(), "own render": env.render()}


def views_of_vector(rolls, player):
    env = GameVectorEnv(GAME, 2, seat=player, render_mode="ansi")
    seen, info = env.reset(seed=1, options={"state": rolls})
    seen = {key: rows[1] for key, rows in seen.items()}
    return {"observation": seen, "info": info, "masks": env.action_masks(), "own render": env.render()[1]}


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("views", [views_of_aec, views_of_parallel, views_of_single_agent, views_of_vector])
@each_row("own", FACES)
def test_a_player_sees_its_own_roll_only(own, views, player):
    first, *others = [copy.deepcopy(views(seats(own, player, other), player)) for other in FACES]
    assert first["observation"]["observation"].tolist() == [own, player]
    if "own render" in first:
        assert f"{NAMES[player]} rolled {own}" in first["own render"]
        assert f"{NAMES[1 - player]} rolled ?" in first["own render"]
    assert all(same(first, other) for other in others)


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
    for env in (AECGameEnv(GAME), ParallelGameEnv(GAME)):
        for rolls in product(FACES, FACES):
            env.reset(options={"state": DicePokerState(rolls)})
            assert env.state().tolist() == [rolls[0], 0, rolls[1], 1]
        assert "both rolls in Dice Poker" in env.state.__doc__


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


# -- hidden information over several moves ----------------------------------------------------------


def lookalikes(game, player):
    """Pairs of states in which a player acts and has seen the same: the first two states of each information state."""
    groups = defaultdict(list)
    for state in full_graph(game).states:
        if player in game.acting_players(state):
            groups[game.observation(state, player).tobytes()].append(state)
    return [states[:2] for states in groups.values() if len(states) > 1]


def views_of(game, state, player):
    """All that environments show to one player in a state, and what everybody sees."""
    name = f"player_{player}"
    options = {"state": state}
    aec, parallel = (skin(game, render_mode="ansi") for skin in (AECGameEnv, ParallelGameEnv))
    aec.reset(seed=1, options=options)
    observations, infos = parallel.reset(seed=1, options=options)
    seats = [
        (env.reset(seed=1, options=options), env.render())
        for env in (
            SingleAgentEnv(game, seat=player, opponent="uniform", render_mode="ansi"),
            GameVectorEnv(game, 2, seat=player, opponent="uniform", render_mode="ansi"),
        )
    ]
    revealed = Revealed(state, player, None, (0.0, 0.0), over=False)
    public = aec.agents, aec.agent_selection, aec.rewards, aec.render(), parallel.render()
    shown = aec.observe(name), aec.infos[name], observations[name], infos[name], game.scene(revealed)
    return copy.deepcopy((shown, public, seats))


@each_row(
    "game",
    [
        make_game("goofspiel", num_cards=4, prizes="descending", bids="hidden"),
        make_game("goofspiel", num_cards=3, ties="carry", payoff="win", bids="hidden"),
        make_game("liars_dice", sides=2),
        Kuhn(),
    ],
)
def test_what_a_player_cannot_tell_apart_looks_the_same_in_every_environment(game):
    """Observations, infos, masks and pictures, and text; the other player sees a difference."""
    for player in (0, 1):
        pairs = lookalikes(game, player)
        assert pairs
        for one, other in pairs[:: len(pairs) // 8 + 1]:
            assert same(views_of(game, one, player), views_of(game, other, player))
            assert not np.array_equal(game.observation(one, 1 - player), game.observation(other, 1 - player))


def test_hidden_bids_show_only_who_won():
    game = make_game("goofspiel", num_cards=4, prizes="descending", bids="hidden")
    state = game.initial()[0].state
    for bids in ((2, 0), (0, 1)):  # won with a 3, lost with a 1
        ((_, state, _),) = game.transitions(state, dict(enumerate(bids)))
    assert game.observation(state, 0).tolist() == [
        *(0, 1, 0, 1), *(1, 0, 0, 0), 2, *(4, 3, 1), *(3, 1, -1), *(0, 0, 0), *(0, 0, 0),
    ]  # fmt: skip
    assert "you bid 3, you win" in game.describe_revealed(Revealed(state, 0, None, (0.0, 0.0), over=False))
    assert "you bid 3, the other player 1, you win" in game.describe_revealed(
        Revealed(state, 0, None, (0.0, 0.0), over=True)
    )
