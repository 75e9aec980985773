"""Pictures as pixels: frames of every kind of environment, films, the window, and what happens without pygame."""

import subprocess
import sys
import time

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import HumanRendering, RecordVideo
from knock_out import KnockOut
from skins import every_skin
from test_render import AFTER, GAME, GIVEN, MIDDLE
from toys import Answering, uniform_over

from cardwar_envs import make_game
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.single_agent import SingleAgentEnv
from cardwar_envs.envs.vector_env import GameVectorEnv

pygame = pytest.importorskip("pygame")
from cardwar_envs.drawing.pixels import to_pixels  # noqa: E402


def test_frames_of_parallel_and_single_agent_are_the_scene():
    parallel = ParallelGameEnv(GAME, render_mode="rgb_array")
    parallel.reset(seed=0)
    parallel.step({"player_0": 1, "player_1": 0})
    assert np.array_equal(parallel.render(), to_pixels(GAME.scene(parallel._session.revealed(None))))
    for seat in (0, 1):
        single = SingleAgentEnv(GAME, seat=seat, opponent="lowest_card", render_mode="rgb_array")
        single.reset(seed=0)
        assert np.array_equal(single.render(), to_pixels(GAME.scene(single._session.revealed(seat))))
        assert single.render().shape == parallel.render().shape


# -- many games at once -------------------------------------------------------------------


@pytest.mark.parametrize("game", [make_game("jujitsu", num_cards=3), KnockOut()], ids=lambda game: game.facts.name)
def test_vector_environments_show_each_game_as_its_seat_sees_it(game):
    envs = GameVectorEnv(game, 3, render_mode="rgb_array", opponent="uniform_actions", engine="rules")
    seen, _ = envs.reset(seed=0)
    payoffs = np.zeros(3)
    for _ in range(5):
        before = [revealed.state for revealed in envs._games.revealed]
        actions = seen["action_mask"].argmax(axis=1)
        seen, rewards, ended, _, _ = envs.step(actions)
        payoffs = np.where(ended, 0.0, payoffs + rewards)
        frames, states = envs.render(), envs._games.engine.states()
        for place, revealed in enumerate(envs._games.revealed):
            assert (revealed.state, revealed.viewer, revealed.over) == (states[place], 0, False)
            assert np.array_equal(frames[place], to_pixels(game.scene(revealed)))
            if revealed.last_actions is not None and not ended[place]:
                assert revealed.payoffs[0] == pytest.approx(payoffs[place] + envs._games._owed[place])
                first = revealed.last_actions.get(0)
                assert first in (None, actions[place])
                assert first is None or revealed.before == before[place]
    assert {frame.shape for frame in frames} == {frames[0].shape}


def test_what_is_shown_goes_back_with_the_games():
    """The opponent answers in the first turn, but not in the second, in which player 0 waits."""
    fails_later = Answering(lambda seen, masks: np.where(seen[:, 1:2] == 0, uniform_over(masks), np.nan))
    envs = GameVectorEnv(KnockOut(), 2, opponent=fails_later, render_mode="ansi")
    envs.reset(seed=0)
    before = envs.render()
    with pytest.raises(ValueError, match="policy Answering: probabilities must be finite"):
        envs.reset(options={"state": (1, (0, 1, 2))})
    assert envs.render() == before


# -- gymnasium's wrappers, and learners' libraries ------------------------------------------


def play(env, seed=0):
    """Plays the lowest legal action to the end; returns the number of steps."""
    seen, _ = env.reset(seed=seed)
    steps, over = 0, False
    while not over:
        seen, _, over, _, _ = env.step(int(seen["action_mask"].argmax()))
        steps += 1
    return steps


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of moviepy and what it imports
def test_a_film_can_be_read_back(tmp_path):
    moviepy = pytest.importorskip("moviepy")
    env = RecordVideo(
        gymnasium.make("cardwar/Jujitsu-v0", render_mode="rgb_array", num_cards=4), str(tmp_path / "films")
    )
    steps = play(env)
    env.close()
    (film,) = tmp_path.glob("films/*.mp4")
    with moviepy.VideoFileClip(str(film)) as clip:
        assert (clip.reader.n_frames, clip.fps, clip.size) == (steps + 1, 2, [600, 552])
        first = clip.get_frame(0).astype(int)
    shown = gymnasium.make("cardwar/Jujitsu-v0", render_mode="rgb_array", num_cards=4)
    shown.reset(seed=0)
    assert np.abs(first - shown.render().astype(int)).mean() < 10, "the first frame is the start"


def test_pictures_go_on_after_a_wrapper_has_closed_pygame(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    human = HumanRendering(gymnasium.make("cardwar/DicePoker-v0", render_mode="rgb_array"))
    human.reset(seed=0)
    human.close()  # ends pygame, fonts and all
    again = gymnasium.make("cardwar/DicePoker-v0", render_mode="rgb_array")
    again.reset(seed=0)
    assert again.render().shape == (392, 600, 3)


# -- the window ---------------------------------------------------------------------------


@pytest.fixture
def screen(monkeypatch):
    """A screen that nobody sees."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    pygame.display.quit()


def pixels_of_window():
    return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)


@every_skin
def test_the_window_shows_each_position_by_itself(skin, screen, capsys):
    env = skin(GAME, render_mode="human")
    env.metadata = {**env.metadata, "render_fps": 1000}
    env.reset(options={"state": MIDDLE})
    viewer = getattr(env, "seat", None)
    first = pixels_of_window()
    assert np.array_equal(first, to_pixels(GAME.scene(env._session.revealed(viewer))))
    moves = {AECGameEnv: (1, 0), ParallelGameEnv: ({"player_0": 1, "player_1": 0},), SingleAgentEnv: (1,)}[skin]
    for move in moves:
        assert np.array_equal(pixels_of_window(), first), "commitments do not show"
        env.step(move)
    assert np.array_equal(pixels_of_window(), to_pixels(GAME.scene(env._session.revealed(viewer))))
    assert not np.array_equal(pixels_of_window(), first)
    assert env.render() is None
    env.close()
    assert pygame.display.get_surface() is None
    env.close()
    assert capsys.readouterr().out == ""


def test_the_first_of_many_games_is_shown(screen, capsys):
    envs = GameVectorEnv(GAME, 3, render_mode="human")
    envs.metadata = {**envs.metadata, "render_fps": 1000}
    envs.reset(options={"state": MIDDLE})
    envs.step(np.array([1, 1, 1]))
    assert envs.render() is None
    assert np.array_equal(pixels_of_window(), to_pixels(GAME.scene(envs._games.revealed[0])))
    envs.close()
    assert pygame.display.get_surface() is None
    assert capsys.readouterr().out == ""


def test_pictures_keep_the_rate(screen, monkeypatch):
    slept = []
    monkeypatch.setattr(time, "sleep", slept.append)
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    env = SingleAgentEnv(GAME, render_mode="human")
    env.reset(seed=0)
    env.render()
    env.close()
    assert slept == [0.0, 0.5], "two pictures a second"


def test_many_games_without_a_screen_are_printed(capsys):
    envs = GameVectorEnv(GAME, 2, render_mode="human", opponent="lowest_card")
    envs.reset(options={"state": MIDDLE})
    envs.step(np.array([1, 1]))
    assert capsys.readouterr().out == f"{GIVEN}\n\n{AFTER}\n\n"


def test_a_screen_that_fails_is_no_screen(monkeypatch, capsys):
    monkeypatch.setenv("SDL_VIDEODRIVER", "no_such_driver")
    env = SingleAgentEnv(GAME, render_mode="human")
    env.reset(options={"state": MIDDLE})
    assert capsys.readouterr().out == f"{GIVEN}\n\n"


# -- without pygame -----------------------------------------------------------------------

WITHOUT = """
import sys
sys.modules["pygame"] = None
import gymnasium, numpy, cardwar_envs
from cardwar_envs import jujitsu_v0, make_game, to_svg
env = gymnasium.make("cardwar/Jujitsu-v0", render_mode="rgb_array")
env.reset(seed=0)
vector = gymnasium.make_vec("cardwar/Jujitsu-v0", num_envs=2, render_mode="rgb_array")
vector.reset(seed=0)
parallel = jujitsu_v0.parallel_env(render_mode="rgb_array")
parallel.reset(seed=0)
for each in (env, vector, parallel):
    try:
        each.render()
    except ImportError as error:
        print(error)
human = gymnasium.make("cardwar/Jujitsu-v0", render_mode="human", num_cards=1)
human.reset(seed=0)
human.close()
print(to_svg(make_game("jujitsu").scene(parallel._session.revealed(None)))[:4])
"""
NEVER_IMPORTED = """
import sys, gymnasium, cardwar_envs
for mode in ("human", "ansi", "rgb_array"):
    gymnasium.make("cardwar/Jujitsu-v0", render_mode=mode).close()
    gymnasium.make_vec("cardwar/Jujitsu-v0", num_envs=2, render_mode=mode).close()
print(not {"pygame", "PIL", "matplotlib"} & set(sys.modules))
"""


def printed(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_without_pygame_the_error_names_the_extra_and_the_rest_goes_on():
    lines = printed(WITHOUT).splitlines()
    message = "pictures need pygame-ce, which comes with the extra: pip install 'cardwar-envs[render]'"
    assert lines[:3] == [message] * 3
    assert lines[3:5] == ["player_0  1", "player_1  1"]
    assert lines[-1] == "<svg"


def test_making_an_environment_imports_no_drawing_library():
    assert printed(NEVER_IMPORTED) == "True\n"


def test_a_picture_after_reset_does_not_foretell_the_payment_of_the_deal():
    frames, rewards = set(), set()
    for seed in range(20):
        env = ParallelGameEnv(KnockOut(), render_mode="rgb_array")
        observations, _ = env.reset(seed=seed)
        frames.add(env.render().tobytes())
        rewards.add(
            env.step({agent: seen["action_mask"].argmax() for agent, seen in observations.items()})[1]["player_0"]
        )
    assert len(rewards) > 1  # the first step pays what the deal decided
    assert len(frames) == 1
