"""The three autoreset modes: ours does what Gymnasium's own SyncVectorEnv does, under each of Gymnasium's wrappers."""

import re
from copy import deepcopy

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers
from knock_out import Always
from thinning import each_row

from cardwar_envs import make_game
from cardwar_envs.envs.single_agent import SingleAgentEnv
from cardwar_envs.envs.vector_env import GameVectorEnv

MODES = list(AutoresetMode)
COUNT, STEPS = 2, 8
# Without chance, so that the games of both are the same ones. A forfeit ends a game before its last trick.
ARGUMENTS = {"num_cards": 3, "opponent": "lowest_card", "illegal_action": "forfeit", "render_mode": "rgb_array"}
SEEN = Box(-3.0, 3.0, (8,))
IMAGE = Box(0, 255, (8, 2, 3), dtype=np.uint8)


def ours(mode):
    return gymnasium.make_vec("cardwar/DinosaurWar-v0", num_envs=COUNT, autoreset_mode=mode, **ARGUMENTS)


class Polite(SyncVectorEnv):
    """It leaves the caller's options alone. Gymnasium 1.4 takes `reset_mask` out of them, and wrappers miss it."""

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed, options=options and dict(options))


def gymnasiums(mode):
    make = [lambda: SingleAgentEnv("dinosaur_war", **ARGUMENTS)] * COUNT
    return Polite(make, autoreset_mode=mode)


def boxed(env):
    return wrappers.TransformObservation(env, lambda seen: seen["observation"], single_observation_space=SEEN)


def as_images(env):
    def painted(seen):
        return np.abs(seen["observation"]).astype(np.uint8)[:, :, None, None].repeat(2, axis=2).repeat(3, axis=3)

    return wrappers.TransformObservation(env, painted, single_observation_space=IMAGE)


def narrowed(env):
    return wrappers.VectorizeTransformObservation(
        env, gymnasium.wrappers.TransformObservation, func=lambda seen: seen["observation"], observation_space=SEEN
    )


def filmed(env, folder="film"):
    film = wrappers.RecordVideo(env, folder, episode_trigger=lambda episode: episode == 0, video_length=1000)
    film.stop_recording = lambda: None  # what was captured is compared, nothing is written
    return film


WRAPPERS = {
    "none": lambda env: env,
    "RecordEpisodeStatistics": wrappers.RecordEpisodeStatistics,
    "DictInfoToList": wrappers.DictInfoToList,
    "TransformObservation": boxed,
    "VectorizeTransformObservation": narrowed,
    "FilterObservation": lambda env: wrappers.FilterObservation(env, ["observation"]),
    "FlattenObservation": wrappers.FlattenObservation,
    "DtypeObservation": lambda env: wrappers.DtypeObservation(as_images(env), np.float32),
    "RescaleObservation": lambda env: wrappers.RescaleObservation(narrowed(env), -1.0, 1.0),
    "ReshapeObservation": lambda env: wrappers.ReshapeObservation(narrowed(env), (2, 4)),
    "GrayscaleObservation": lambda env: wrappers.GrayscaleObservation(as_images(env)),
    "NormalizeObservation": lambda env: wrappers.NormalizeObservation(boxed(env)),
    "NormalizeReward": wrappers.NormalizeReward,
    "TransformReward": lambda env: wrappers.TransformReward(env, lambda rewards: 2.0 * rewards),
    "ClipReward": lambda env: wrappers.ClipReward(env, 0.0, 1.0),
    "VectorizeTransformReward": lambda env: wrappers.VectorizeTransformReward(
        env, gymnasium.wrappers.TransformReward, func=lambda reward: reward + 1.0
    ),
    "TransformAction": lambda env: wrappers.TransformAction(env, lambda actions: (actions + 1) % 3, env.action_space),
    "ClipAction": wrappers.ClipAction,  # for boxes only
    "RecordVideo": filmed,
}


# What Gymnasium refuses: final observations of SAME_STEP cannot be turned into others, and statistics need NEXT_STEP.
OBSERVATION_WRAPPERS = [name for name in WRAPPERS if name.endswith("Observation")]
REFUSED = {
    *((name, AutoresetMode.SAME_STEP) for name in OBSERVATION_WRAPPERS),
    ("NormalizeObservation", AutoresetMode.DISABLED),
    *(("ClipAction", mode) for mode in AutoresetMode),
}


def record(env, mode):
    """What a fixed choice of actions shows; or the type of the error that a wrapper raises."""
    rng, shown = np.random.default_rng(1), [deepcopy(env.reset(seed=0))]
    for _ in range(STEPS):
        step = env.step(rng.integers(3, size=COUNT))
        shown.append(deepcopy(step))
        if mode is AutoresetMode.DISABLED and step[2].any():
            shown.append(deepcopy(env.reset(options={"reset_mask": step[2]})))
    return shown


def outcome(make, wrap, mode):
    try:
        env = wrap(make(mode))
        shown = record(env, mode)
    except (ValueError, AssertionError, TypeError) as error:
        return type(error)
    frames = getattr(env, "recorded_frames", [])
    for step in shown:
        infos = step[-1]
        if isinstance(infos, dict) and "episode" in infos:
            infos["episode"].pop("t")  # the time that it took
    return [*shown, *frames]


@pytest.mark.filterwarnings("ignore:.*:UserWarning")  # wrappers warn of modes, and of folders that exist
@pytest.mark.parametrize("name", WRAPPERS)
@each_row("mode", MODES)
def test_a_wrapper_shows_the_same_as_around_gymnasiums_own(name, mode, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected, found = (outcome(make, WRAPPERS[name], mode) for make in (gymnasiums, ours))
    assert isinstance(expected, type) == ((name, mode) in REFUSED)
    if isinstance(expected, type):
        assert found is expected
    else:
        assert len(expected) > STEPS
        for number, (one, other) in enumerate(zip(expected, found, strict=True)):
            assert data_equivalence(one, other, exact=True), (number, one, other)


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@each_row("mode", MODES)
def test_observations_of_two_parts_cannot_be_normalized(mode):
    """It takes one array, so what has a mask beside it must be narrowed first, as `boxed` does."""
    expected, found = (outcome(make, wrappers.NormalizeObservation, mode) for make in (gymnasiums, ours))
    assert found is expected
    assert isinstance(found, type)


def test_every_wrapper_of_gymnasium_is_among_them():
    needs_more = {
        *("ArrayConversion", "JaxToNumpy", "JaxToTorch", "NumpyToTorch"),  # other arrays
        *("ResizeObservation", "HumanRendering"),  # OpenCV, a window
        *("RescaleAction", "VectorizeTransformAction"),  # for boxes, as ClipAction
    }
    assert set(wrappers.__all__) == needs_more | set(WRAPPERS) - {"none"}


# -- whatever the game ------------------------------------------------------------------------------

# Without chance; the last two with any numbers as actions, also illegal ones.
SAME_PLAY = [
    ("jujitsu", {"num_cards": 5}, Always(0), {}),
    ("jujitsu", {"hand_0": (1, 2, 2), "hand_1": (2, 2, 4)}, "highest_card", {"seat": 1}),
    ("dinosaur_war", {"hand_0": (1, 3, 4), "hand_1": (2, 2, 7), "ties": "carry"}, "highest_card", {}),
    ("dice_wars", {"num_cards": 3, "sides": 1}, ["lowest_card"], {"seat": 1}),
    ("war", {"ranks": 4, "discards": 1, "max_rounds": 12}, Always(0), {}),
    ("war", {"ranks": 5, "discards": 3, "max_rounds": 12}, "max", {"seat": 1}),
    ("war", {"num_players": 3, "ranks": 3, "discards": 1, "max_rounds": 12}, [Always(0), "max"], {"seat": 1}),
    ("war", {"num_players": 4, "ranks": 4, "discards": 2, "max_rounds": 15}, ["max", Always(0), "max"], {"seat": 2}),
    ("dinosaur_war", {"num_cards": 4}, "lowest_card", {"illegal_action": "forfeit"}),
    ("dinosaur_war", {"num_cards": 4}, "lowest_card", {"illegal_action": "forfeit", "seat": 1}),
]


def played(envs, forfeits, steps=25):
    """What the reset and random actions show; and the number of games that ended."""
    rng, seen = np.random.default_rng(0), envs.reset(seed=0)
    shown, ended = [deepcopy(seen)], 0
    for _ in range(steps):
        masks = seen[0]["action_mask"]
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        if forfeits:
            actions = rng.integers(-1, masks.shape[1] + 1, size=len(masks))
        seen = envs.step(actions)
        shown.append(deepcopy(seen))
        ended += seen[2].sum()
    return shown, ended


@pytest.mark.thin
@pytest.mark.parametrize("engine", ["compiled", "rules"])
@pytest.mark.parametrize(("name", "parameters", "opponent", "arguments"), SAME_PLAY)
def test_each_game_goes_as_a_single_one_does(name, parameters, opponent, arguments, engine):
    """Observations, rewards, ends, infos, and what the ends looked like."""
    game, forfeits = make_game(name, **parameters), "illegal_action" in arguments
    envs = GameVectorEnv(game, 12, opponent=opponent, engine=engine, **arguments)
    singles = Polite(
        [lambda: SingleAgentEnv(game, opponent=opponent, **arguments)] * 12, autoreset_mode=AutoresetMode.SAME_STEP
    )
    (found, ended), (expected, _) = played(envs, forfeits), played(singles, forfeits)
    assert ended > 12
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        assert data_equivalence(one, other, exact=True), (number, one, other)


# -- what is refused --------------------------------------------------------------------------------


def test_without_autoreset_what_is_over_must_be_reset_first():
    envs = GameVectorEnv("jujitsu", 2, num_cards=1, autoreset_mode="Disabled")
    envs.reset(seed=0)
    envs.step(np.zeros(2, dtype=int))
    with pytest.raises(ResetNeeded, match="games 0, 1 are over: reset them first, with the option reset_mask"):
        envs.step(np.zeros(2, dtype=int))
    envs.reset(options={"reset_mask": np.array([True, False])})
    assert envs.action_masks().tolist() == [[True], [False]]
    with pytest.raises(ResetNeeded, match="games 1 are over"):
        envs.step(np.zeros(2, dtype=int))


@each_row("mask", [[True, False], np.array([1, 0]), np.array([True]), np.zeros(2, dtype=bool), None])
def test_a_bad_mask_changes_nothing(mask):
    """The error is of both types, because Gymnasium's own vector environments raise either."""
    envs = GameVectorEnv("jujitsu", 2, num_cards=2)
    envs.reset(seed=0)
    before = envs._games.engine.states(), envs._games.engine.streams.copy()
    with pytest.raises(ValueError, match=re.escape("reset_mask (")) as error:
        envs.reset(seed=1, options={"reset_mask": mask})
    assert isinstance(error.value, TypeError)
    assert envs._games.engine.states() == before[0]
    assert np.array_equal(envs._games.engine.streams, before[1])


def test_some_games_cannot_start_before_all_have():
    with pytest.raises(ResetNeeded, match="in the first reset, reset_mask must be true for all"):
        GameVectorEnv("jujitsu", 2).reset(options={"reset_mask": np.array([True, False])})


@each_row("mode", ["next", 3, None])
def test_there_are_three_modes(mode):
    known = "must be one of 'NextStep', 'SameStep', 'Disabled'"
    with pytest.raises(ValueError, match=re.escape(f"autoreset_mode ({mode!r}) {known}")):
        GameVectorEnv("jujitsu", 2, autoreset_mode=mode)


def test_a_seed_with_a_mask_is_for_those_games_only():
    options = {"start": "random"}
    envs = GameVectorEnv("jujitsu", 3, num_cards=6)
    first, _ = envs.reset(seed=5, options=options)
    mask = np.array([False, True, False])
    again, _ = envs.reset(seed=5, options={**options, "reset_mask": mask})
    assert np.array_equal(first["observation"], again["observation"])
    assert options == {"start": "random"}
    other, _ = envs.reset(options={**options, "reset_mask": mask})
    assert np.array_equal(other["observation"][~mask], again["observation"][~mask])
    assert not np.array_equal(other["observation"][mask], again["observation"][mask])


def test_the_picture_of_a_forfeit_is_that_of_a_single_environment():
    """`RecordVideo` above compares pixels; these are the words."""
    for mode in ("NextStep", "Disabled"):
        arguments = {"opponent": "lowest_card", "illegal_action": "forfeit", "render_mode": "ansi", "num_cards": 3}
        envs = GameVectorEnv("jujitsu", 1, autoreset_mode=mode, **arguments)
        single = SingleAgentEnv("jujitsu", **arguments)
        for env, actions in ((envs, [np.array([2]), np.array([2])]), (single, [2, 2])):
            env.reset(seed=0)
            for action in actions:
                env.step(action)
        assert envs.render() == (single.render(),)
        assert "forfeits" in single.render()
