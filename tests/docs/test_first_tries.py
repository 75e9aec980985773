"""What people try first: it works, or one error says what to do instead."""

import inspect
import pickle
import re

import gymnasium
import pytest
from thinning import each_row

import baselines
from baselines import TablePolicy
from cardwar_envs import GAMES, GameBatch, Pool, jujitsu_v0, make_game, play_episode
from cardwar_envs.core.parameters import described
from train.policies.files import save_policy


@each_row("key", ["stat", "State", "states", "starts", "reset_masks"])
def test_a_mistyped_reset_option_is_named(key):
    makers = (
        lambda: jujitsu_v0.env(num_cards=3),
        lambda: jujitsu_v0.parallel_env(num_cards=3),
        lambda: gymnasium.make("cardwar/Jujitsu-v0", num_cards=3),
        lambda: gymnasium.make_vec("cardwar/Jujitsu-v0", num_envs=2, num_cards=3),
    )
    for make in makers:
        with pytest.raises(ValueError, match=f"reset has no option '{key}'; did you mean .* Its options are 'state', "):
            make().reset(options={key: 1})


def test_a_foreign_policy_is_not_stored(tmp_path):
    with pytest.raises(ValueError, match=r"save_policy takes learned policies of this package \(SoftmaxPolicy, "):
        save_policy(tmp_path / "mine", TablePolicy({}))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", GAMES)
def test_help_lists_the_parameters_of_a_game(name):
    module = __import__(f"cardwar_envs.{name}_v0", fromlist=["env"])
    for make in (module.env, module.parallel_env):
        text = inspect.getdoc(make)
        for field, told in described(GAMES[name]).items():
            assert told, f"nothing is said of {field}"
            default = inspect.signature(make).parameters[field].default
            assert re.search(rf"^ +{field}: (.|\n)*?Default:\s+{re.escape(repr(default))}\.", text, re.M)
        assert {"render_mode", "illegal_action"} <= inspect.signature(make).parameters.keys()
        assert pickle.loads(pickle.dumps(make)) is make


GAME = make_game("jujitsu", num_cards=3)


class Model:
    def predict(self, observation): ...


@each_row(
    ("wrong", "said"),
    [
        (lambda: make_game(3), r"name \(3\) must be the name of a game, such as 'jujitsu'"),
        (lambda: make_game("jujitsu", num_cards="5"), r"num_cards \('5'\) must be an integer"),
        (lambda: baselines.make_policy(3, GAME), r"name \(3\) must be the name of a policy, such as 'uniform'"),
        (lambda: baselines.make_policy(GAME, "uniform"), r"game \('uniform'\) must be a game, .*; it is a str"),
        (lambda: baselines.exploitability(GAME, Model()), "action_probabilities; cardwar_envs.sb3.from_sb3"),
        (lambda: baselines.TablePolicy([1]), r"table \(\[1\]\) must be a mapping from observation.tobytes\(\)"),
        (lambda: baselines.TablePolicy({"a": 1}), r"table \('a'\) must be a mapping from observation.tobytes\(\)"),
        (lambda: play_episode(GAME, "uniform"), r"policies \('uniform'\) must be a list or tuple"),
        (lambda: GameBatch("jujitsu", 4), r"game \('jujitsu'\) must be a game, .*; it is a str"),
        (lambda: GameBatch(GAME, 2.5), r"num_games \(2.5\) must be an integer"),
        (lambda: Pool(["uniform"], [1, 2]), r"weights \(\[1, 2\]\) must be 1 numbers, one per policy"),
    ],
)
def test_what_is_of_a_wrong_kind_is_named_with_what_is_wanted(wrong, said):
    with pytest.raises(ValueError, match=said):
        wrong()
