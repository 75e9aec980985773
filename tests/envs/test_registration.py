"""`import cardwar_envs` is all it takes to make any game by name."""

import importlib
import subprocess
import sys
from pathlib import Path

import gymnasium
import pettingzoo
import pytest
from thinning import each_row

import cardwar_envs
from cardwar_envs import GAMES
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.registration import VERSIONS, gymnasium_id, pettingzoo_id, register_all
from cardwar_envs.envs.single_agent import SingleAgentEnv

every_name = each_row("name", GAMES)


def test_names_as_documented():
    assert gymnasium_id("dinosaur_war") == "cardwar/DinosaurWar-v0"
    assert pettingzoo_id("dinosaur_war") == "cardwar/dinosaur-war-v0"
    assert (gymnasium_id("jujitsu"), pettingzoo_id("jujitsu")) == ("cardwar/Jujitsu-v0", "cardwar/jujitsu-v0")
    assert (gymnasium_id("dice_wars"), pettingzoo_id("dice_wars")) == ("cardwar/DiceWars-v0", "cardwar/dice-wars-v0")


def test_registration_without_importing_games_knows_them_all():
    assert {name: kind.version for name, kind in GAMES.items()} == VERSIONS


def ways_to_make(name, **arguments):
    """(environment, its class) for each way to make a PettingZoo environment of the game."""
    module = importlib.import_module(f"cardwar_envs.{name}_v{GAMES[name].version}")
    yield pettingzoo.make("aec", pettingzoo_id(name), **arguments), AECGameEnv
    yield pettingzoo.make("parallel", pettingzoo_id(name), **arguments), ParallelGameEnv
    yield from ((make(**arguments), AECGameEnv) for make in (module.env, module.raw_env))
    yield module.parallel_env(**arguments), ParallelGameEnv
    assert "own" in module.env.__doc__.partition("entries")[2] or name == "war"


@every_name
def test_every_game_is_made_by_its_name(name):
    game = cardwar_envs.make_game(name)
    env = gymnasium.make(gymnasium_id(name))
    assert type(env.unwrapped) is SingleAgentEnv
    assert (env.unwrapped.game, env.unwrapped.seat) == (game, 0)
    assert env.observation_space["observation"].shape == (game.facts.observation_size,)
    assert env.action_space.n == game.facts.num_actions
    for env, skin in ways_to_make(name):
        assert type(env.unwrapped) is skin
        assert env.unwrapped.game == game
        assert str(env) == f"{name}_v{game.version}"
        assert env.metadata["render_modes"] == ["human", "ansi", "rgb_array"]
        assert env.possible_agents == [f"player_{player}" for player in range(game.facts.num_players)]


def test_parameters_pass_through():
    parameters = {"hand_0": (1, 3, 4), "hand_1": (2, 2, 7), "ties": "carry"}
    expected = cardwar_envs.make_game("dinosaur_war", **parameters)
    common = {"render_mode": "ansi", "illegal_action": "forfeit", **parameters}
    env = gymnasium.make("cardwar/DinosaurWar-v0", opponent="equilibrium", seat=1, **common)
    assert env.unwrapped.seat == 1
    for made in (env, *(env for env, _ in ways_to_make("dinosaur_war", **common))):
        assert (made.unwrapped.game, made.unwrapped.render_mode) == (expected, "ansi")
        assert made.unwrapped._session.forfeits


def as_torchrl_makes_it(env_name, **kwargs):
    """`GymEnv._build_env` of TorchRL 0.14 (torchrl/envs/libs/gym.py): the keywords, and the words that it looks for."""
    kwargs["frameskip"] = 1
    while True:
        try:
            return gymnasium.make(env_name, **kwargs)
        except TypeError as error:
            if "unexpected keyword argument 'frameskip'" in str(error):
                kwargs.pop("frameskip")
            elif "__init__() got an unexpected keyword argument 'render_mode'" in str(error):
                kwargs.pop("render_mode")
            else:
                raise


@every_name
def test_torchrl_drops_its_own_keyword(name):
    game = cardwar_envs.make_game(name).smallest()
    assert as_torchrl_makes_it("cardwar/game-v0", game=game).unwrapped.game == game
    env = as_torchrl_makes_it(gymnasium_id(name), render_mode="rgb_array", seat=1)
    assert (env.unwrapped.game, env.render_mode, env.unwrapped.seat) == (cardwar_envs.make_game(name), "rgb_array", 1)
    # A caller's own slip still comes through, and the message says what there is.
    with pytest.raises(TypeError, match=rf"argument 'colour': {name} has no parameter 'colour'; it has \w+"):
        as_torchrl_makes_it(gymnasium_id(name), colour="red")


def test_registering_again_changes_nothing():
    """Warnings are errors here, and both libraries warn when a name is overridden."""
    registries = (gymnasium.registry, pettingzoo.aec_registry, pettingzoo.parallel_registry)
    before = [dict(registry) for registry in registries]
    register_all()
    importlib.reload(importlib.import_module("cardwar_envs.envs.registration")).register_all()
    assert [dict(registry) for registry in registries] == before
    with pytest.warns(UserWarning, match="Overriding"):
        gymnasium.register(gymnasium_id("jujitsu"), entry_point="nowhere:env")
    gymnasium.registry.update(before[0])


def test_modules_of_games_need_no_import_of_their_own():
    """As the games' pages write it: `import cardwar_envs; cardwar_envs.goofspiel_v0.env()`."""
    names = sorted(file.stem for file in Path(cardwar_envs.__file__).parent.glob("*_v[0-9].py"))
    assert names == sorted(f"{name}_v{kind.version}" for name, kind in GAMES.items())
    code = (
        "import cardwar_envs\n"
        f"for name in {names}:\n"
        "    assert name in dir(cardwar_envs), name\n"
        "    getattr(cardwar_envs, name).env().reset(seed=0)\n"
        "print(hasattr(cardwar_envs, 'chess_v0'))\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "False\n", "")


def test_a_pettingzoo_without_a_registry_will_do():
    code = """
import pettingzoo
for name in ("register", "aec_registry", "parallel_registry", "make", "spec"):
    delattr(pettingzoo, name)
from cardwar_envs import jujitsu_v0
jujitsu_v0.env(num_cards=3).reset(seed=0)
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_installed_games_are_registered_without_import_as_version_0(monkeypatch):
    made = []
    monkeypatch.setattr("cardwar_envs.envs.registration.installed", lambda group: {"elsewhere": None})
    monkeypatch.setattr("cardwar_envs.envs.registration._register", lambda *named: made.append(named))
    register_all()
    assert ("elsewhere", 0) in made
