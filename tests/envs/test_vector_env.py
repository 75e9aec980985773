"""Gymnasium's vector environment: it does what Gymnasium's own SyncVectorEnv does with our single environments."""

import pickle
from copy import copy, deepcopy
from itertools import pairwise

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers
from knock_out import Always
from skins import every_game, same, view
from thinning import each_row
from tiny_games import EVERY_GAME

from cardwar_envs import DuelState, make_game
from cardwar_envs.envs.infos import Ends, Infos
from cardwar_envs.envs.registration import gymnasium_id
from cardwar_envs.envs.single_agent import SingleAgentEnv
from cardwar_envs.envs.vector_env import GameVectorEnv

ENGINES = ("compiled", "rules")


def legal_actions(masks, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def played(envs, steps, anything=False, **reset):
    """What the reset and random actions show, legal ones or any numbers."""
    rng, shown = np.random.default_rng(0), [deepcopy(envs.reset(seed=0, **reset))]
    for _ in range(steps):
        masks = shown[-1][0]["action_mask"]
        actions = rng.integers(-1, masks.shape[1] + 1, size=len(masks)) if anything else legal_actions(masks, rng)
        shown.append(deepcopy(envs.step(actions)))
    return shown


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
    for observations, *_ in played(envs, 20):
        assert envs.observation_space.contains(observations)
    actions = envs.action_space.sample()
    assert actions.shape == (5,)
    remade = gymnasium.make_vec(envs.spec)
    assert (type(remade), remade.game, remade.num_envs) == (GameVectorEnv, game, 5)
    envs.close()


# -- seeds, options ---------------------------------------------------------------------------


@every_game
def test_a_seed_repeats_everything(game):
    first, second = (played(GameVectorEnv(game, 4, opponent="uniform_actions"), 15) for _ in range(2))
    assert same(first, second)


def test_every_game_has_a_seed_of_its_own():
    game = make_game("dice_wars", num_cards=3)
    together = played(GameVectorEnv(game, 3), 9, options={"start": "random"})
    rng = np.random.default_rng(0)
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


@pytest.mark.parametrize("engine", ENGINES)
def test_options_hold_until_the_next_reset(engine):
    state = DuelState(((1, 2), (2, 3)), score=1)
    envs = GameVectorEnv("jujitsu", 3, opponent="lowest_card", engine=engine, num_cards=3)
    first, _ = envs.reset(seed=0, options={"state": state, "unknown": 1})
    assert np.array_equal(first["observation"], np.tile(envs.game.observation(state, 0), (3, 1)))
    envs.step(np.array([0, 1, 1]))
    again, _, ended, _, _ = envs.step(np.array([1, 0, 0]))
    assert ended.all()
    assert same(first, again)
    assert envs.reset()[0]["action_mask"].all()


# -- beside Gymnasium's own ---------------------------------------------------------------------

MODES = list(AutoresetMode)
COUNT, STEPS = 2, 8
# Without chance, so that the games of both are the same ones. A forfeit ends a game before its last trick.
ARGUMENTS = {"num_cards": 3, "opponent": "lowest_card", "illegal_action": "forfeit", "render_mode": "rgb_array"}
SEEN = Box(-3.0, 3.0, (8,))


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


def filmed(env, folder="film"):
    film = wrappers.RecordVideo(env, folder, episode_trigger=lambda episode: episode == 0, video_length=1000)
    film.stop_recording = lambda: None  # what was captured is compared, nothing is written
    return film


# Most of Gymnasium's wrappers only map what environments return; these depend on the mode, on infos or on pictures.
WRAPPERS = {
    "none": lambda env: env,
    "RecordEpisodeStatistics": wrappers.RecordEpisodeStatistics,
    "DictInfoToList": wrappers.DictInfoToList,
    "FlattenObservation": wrappers.FlattenObservation,
    "NormalizeObservation": lambda env: wrappers.NormalizeObservation(boxed(env)),
    "RecordVideo": filmed,
}
# What Gymnasium refuses: final observations of SAME_STEP cannot be turned into others, and statistics need NEXT_STEP.
REFUSED = {
    *(("FlattenObservation", AutoresetMode.SAME_STEP), ("NormalizeObservation", AutoresetMode.SAME_STEP)),
    ("NormalizeObservation", AutoresetMode.DISABLED),
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
            assert same(one, other), (number, one, other)


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


@pytest.mark.thin
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("name", "parameters", "opponent", "arguments"), SAME_PLAY)
def test_each_game_goes_as_a_single_one_does(name, parameters, opponent, arguments, engine):
    """Observations, rewards, ends, infos, and what the ends looked like."""
    game, forfeits = make_game(name, **parameters), "illegal_action" in arguments
    envs = GameVectorEnv(game, 12, opponent=opponent, engine=engine, **arguments)
    singles = Polite(
        [lambda: SingleAgentEnv(game, opponent=opponent, **arguments)] * 12, autoreset_mode=AutoresetMode.SAME_STEP
    )
    found, expected = played(envs, 25, forfeits), played(singles, 25, forfeits)
    assert sum(step[2].sum() for step in expected[1:]) > 12
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        assert same(one, other), (number, one, other)


READS = {
    "an entry": lambda infos: {key: infos[key] for key in ("final_obs", *infos)},
    "get": lambda infos: {"final_obs": infos.get("final_obs"), **infos},
    "pop": lambda infos: {"final_obs": infos.pop("final_obs"), **infos},
    "setdefault": lambda infos: {"final_obs": infos.setdefault("final_obs"), **infos},
    "popitem": lambda infos: dict(infos.popitem() for _ in range(len(infos))),
    "items": lambda infos: dict(infos.items()),
    "values": lambda infos: dict(zip(infos.keys(), infos.values(), strict=True)),
    "a dict": dict,
    "unpacked": lambda infos: {**infos},
    "keywords": lambda infos: dict(**infos),
    "or": lambda infos: infos | {},
    "or, right": lambda infos: {} | infos,
    "update": lambda infos: (updated := {}, updated.update(infos))[0],
    "copy": lambda infos: dict(infos.copy()),
    "copied": copy,
    "deep copy": deepcopy,
    "pickled": lambda infos: pickle.loads(pickle.dumps(infos)),
}


@pytest.mark.parametrize("read", READS)
def test_final_observations_are_there_however_they_are_read(read):
    envs = GameVectorEnv("jujitsu", 3, opponent="lowest_card", num_cards=2)
    envs.reset(seed=0)
    envs.step(np.array([0, 1, 1]))
    *_, ended, _, infos = envs.step(np.array([1, 0, 0]))
    assert "final_obs" in infos
    ended[:] = False  # the caller's own
    found = READS[read](infos)
    assert type(found) is dict
    # `infos` itself and every copy hold what Gymnasium's own environments show: a dictionary for each finished game.
    for last in (found["final_obs"], infos.get("final_obs", found["final_obs"])):
        assert (type(last), last.dtype, last.shape) == (np.ndarray, np.dtype(object), (3,))
        assert [each["observation"][-1] for each in last] == [2.0, 0.0, 0.0]  # tied tricks
        assert not any(each["action_mask"].any() for each in last)
    assert found.keys() == {f"{mark}{key}" for key in ("action_mask", "final_obs", "final_info") for mark in ("", "_")}


def test_final_observations_are_printed_as_observations():
    ends = Ends(2, np.array([1]), np.ones((1, 3), dtype=np.float32), 2)
    assert "'action_mask'" in repr(Infos({"final_obs": ends}))


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


def test_some_games_cannot_start_before_all_have():
    with pytest.raises(ResetNeeded, match="in the first reset, reset_mask must be true for all"):
        GameVectorEnv("jujitsu", 2).reset(options={"reset_mask": np.array([True, False])})


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


@pytest.mark.parametrize("engine", ENGINES)
def test_an_opponent_that_fails_in_a_turn_without_the_agent_leaves_everything_unchanged(engine):
    """Two others are at war, the agent waits; one of them cannot answer then."""

    class FailsAtWar(Always):
        def action_probabilities(self, observations, action_masks):
            return super().action_probabilities(observations, action_masks) * (action_masks[:, :1] == 1)

    envs = GameVectorEnv("war", 2, opponent=FailsAtWar(2), engine=engine, num_players=3, ranks=3, discards=1)
    envs.reset(seed=0)
    before = view(envs)
    with pytest.raises(ValueError, match="FailsAtWar: probabilities sum to 0"):
        envs.step(np.zeros(2, dtype=int))
    assert same(before, view(envs))
