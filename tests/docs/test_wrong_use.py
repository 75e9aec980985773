"""What is said to callers who give something of a wrong kind; each of these ended in an error that did not help."""

import pytest
from thinning import each_row

import baselines
from cardwar_envs import GameBatch, Pool, make_game, play_episode

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
