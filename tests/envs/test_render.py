"""What a person reads, and that it says nothing before its time."""

import pytest
from knock_out import DUCK, STAND, Always, KnockOut
from skins import every_skin

from cardwar_envs import DuelState, make_game
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.single_agent import SingleAgentEnv

GAME = make_game("dinosaur_war", hand_0=(2, 2, 6, 10), hand_1=(1, 3, 5, 10), ties="carry")
MIDDLE = DuelState(((2, 2), (1, 5)), score=0, ties=0)

GIVEN = """\
player_0   .  2  2  .  .  .  .
player_1   1  .  .  .  5  .  .
score +0 for player_0, carried ties 0"""

AFTER = """\
player_0   .  2  .  .  .  .  .
player_1   .  .  .  .  5  .  .
score +1 for player_0, carried ties 0
played  player_0 2  player_1 1"""

OVER = """\
player_0   .  .  .  .  .  .  .
player_1   .  .  .  .  .  .  .
score +0 for player_0, carried ties 0
played  player_0 2  player_1 5
the game is over"""


def test_ansi_of_aec():
    env = AECGameEnv(GAME, render_mode="ansi")
    env.reset(options={"state": MIDDLE})
    assert env.render() == GIVEN
    env.step(1)
    assert env.render() == GIVEN  # player_0 has committed, and that does not show
    env.step(0)
    assert env.render() == AFTER
    env.step(1)
    assert env.render() == AFTER
    env.step(3)
    assert env.render() == OVER
    env.step(None)
    env.step(None)
    assert env.render() == OVER
    env.reset(options={"state": MIDDLE})
    assert env.render() == GIVEN  # the last game's moves are forgotten


def test_human_prints_each_position_once(capsys):
    """The same text as "ansi", by itself after reset and after each joint action."""
    env = AECGameEnv(GAME, render_mode="human")
    env.reset(options={"state": MIDDLE})
    for action in (1, 0, 1, 3, None, None):
        env.step(action)
    assert capsys.readouterr().out == f"{GIVEN}\n\n{AFTER}\n\n{OVER}\n\n"
    env = ParallelGameEnv(GAME, render_mode="human")
    env.reset(options={"state": MIDDLE})
    env.step({"player_0": 1, "player_1": 0})
    env.step({"player_0": 1, "player_1": 3})
    assert capsys.readouterr().out == f"{GIVEN}\n\n{AFTER}\n\n{OVER}\n\n"
    env = SingleAgentEnv(GAME, render_mode="human", seat=1, opponent="lowest_card")
    env.reset(options={"state": MIDDLE})
    env.step(0)
    env.step(3)
    assert capsys.readouterr().out == f"{GIVEN}\n\n{AFTER}\n\n{OVER}\n\n"


@every_skin
def test_human_prints_when_asked_and_returns_nothing(skin, capsys):
    env = skin(GAME, render_mode="human")
    env.reset(options={"state": MIDDLE})
    capsys.readouterr()
    assert env.render() is None
    assert capsys.readouterr().out == f"{GIVEN}\n\n"


@every_skin
def test_without_render_mode_there_is_a_warning(skin):
    env = skin(GAME)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert env.render() is None


def test_turns_in_which_the_agent_waits_are_shown(capsys):
    """Player 0 waits in the second turn, in which others play on."""
    env = SingleAgentEnv(KnockOut(), render_mode="human", opponent=Always(DUCK))
    env.reset(seed=0, options={"state": (0, (0, 1, 2))})
    env.step(DUCK)
    text = capsys.readouterr().out
    assert [line for line in text.splitlines() if line.startswith("turn")] == [
        f"turn {turn}, still in (0, 1, 2)" for turn in range(3)
    ]


def test_forfeits_show_once_all_have_committed():
    env = AECGameEnv(KnockOut(), render_mode="ansi", illegal_action="forfeit")
    env.reset(seed=0)
    for action in (DUCK, None, STAND):
        assert env.render() == "turn 0, still in (0, 1, 2)"
        env.step(action)
    assert env.render() == (
        "turn 0, still in (0, 1, 2)\nplayed  player_0 duck  player_1 forfeits  player_2 stand\nthe game is over"
    )
