"""`cardwar solve --state` and `--selection`: optimal play at any state."""

import pytest
from command import run, run_json
from thinning import each_row
from tiny_games import SOLVABLE, each_of

from baselines.oracles.state_graph.game_graph import full_graph
from train.state_words import state_in_words
from train.words import game_in_words

JUJITSU = ("solve", "jujitsu", "num_cards=5")
STATE = "hands=1,3/2,3 score=1 ties=0"


def test_what_is_shown_of_a_state(capsys):
    code, out, err = run(capsys, *JUJITSU, "--state", STATE)
    assert (code, err) == (0, "")
    assert "value to go 0.333333 to player_0" in out
    assert "player_0  1 . 3 . ." in out
    assert "1   0.0000   1.0000\n3   1.0000  -1.0000" in out
    assert "player_1 plays the only optimal mix" in out


def test_how_far_a_mix_can_vary_is_said(capsys):
    _, out, _ = run(capsys, *JUJITSU, "--state", "hands=1,2,3/1,2,3 score=2 ties=0")
    assert "one of many optimal mixes: " in out
    assert " anywhere in 0." in out


def test_the_start_is_said_to_be_the_only_mix_or_not(capsys):
    assert run(capsys, *JUJITSU)[1].count("plays the only optimal mix") == 2
    assert "player_1 plays one of many optimal strategies" in run(capsys, "solve", "dice_poker")[1]


def test_a_state_as_json(capsys):
    answer = run_json(capsys, *JUJITSU, "--state", "hands=1,3/2,3 score=1", "--exact")
    at_state = answer["at_state"]
    assert answer["state"] == STATE
    assert (at_state["value"], at_state["exact"]) == (pytest.approx(1 / 3), "1/3")
    assert at_state["payoff_matrix"] == [[0, 1], [1, -1]]
    assert (at_state["rows"], at_state["columns"]) == (["1", "3"], ["2", "3"])
    first = at_state["players"][0]
    assert first["unique"] is True
    assert first["actions"]["1"] == {
        "probability": pytest.approx(2 / 3),
        "low": pytest.approx(2 / 3),
        "high": pytest.approx(2 / 3),
        "exact": ["2/3", "2/3"],
    }


@each_of(SOLVABLE)
def test_every_game_shows_its_states(capsys, game):
    states = [state for state in full_graph(game).states if game.acting_players(state)]
    state = states[len(states) // 2]
    answer = run_json(capsys, "solve", *game_in_words(game).split(), "--state", state_in_words(state))
    matrix = answer["at_state"]["payoff_matrix"]
    mixes = [each["actions"] for each in answer["at_state"]["players"]]
    assert [len(matrix), len(matrix[0])] == [max(len(mix), 1) for mix in mixes]
    for mix in mixes:
        for each in mix.values():
            assert each["low"] - 1e-9 <= each["probability"] <= each["high"] + 1e-9
    if all(mixes):
        rows = [each["probability"] for each in mixes[0].values()]
        guaranteed = min(sum(p * row[k] for p, row in zip(rows, matrix, strict=True)) for k in range(len(matrix[0])))
        assert guaranteed == pytest.approx(answer["at_state"]["value"], abs=1e-9)


@pytest.mark.parametrize("selection", ["max_entropy", "exploit:highest_card"])
def test_another_selection_has_the_same_value(capsys, selection):
    usual = run_json(capsys, *JUJITSU)
    answer = run_json(capsys, *JUJITSU, "--selection", selection)
    assert answer["value"] == pytest.approx(usual["value"], abs=1e-9)
    assert answer["selection"] == selection


@each_row(
    ("words", "reason"),
    [
        ((*JUJITSU, "--state", "hands=1,9/2,3"), "cannot hold: [9] (a state of jujitsu: 'hands=1,2,3,4,5/1,2,3,4,5"),
        ((*JUJITSU, "--state", "hands=/ score=1"), "the game is over there"),
        ((*JUJITSU, "--selection", "best"), "selection ('best') must be one of"),
        (("solve", "dice_poker", "--state", "rolls=1,1"), "does not apply to dice_poker: players do not see the state"),
    ],
)
def test_mistakes_are_one_line(capsys, words, reason):
    code, out, err = run(capsys, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert reason in err
