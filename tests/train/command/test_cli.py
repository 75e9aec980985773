"""The command: its figures, its JSON, and what it says to bad input."""

import subprocess
import sys
from unittest.mock import Mock

import numpy as np
import pytest
from command import run, run_json
from thinning import each_row

import baselines
import cardwar_envs
from train.cli import main
from train.pages.command import SUBCOMMANDS

NAMES = ("random", "uniform")


def test_solve_gives_a_certified_equilibrium(capsys):
    answer = run_json(capsys, "solve", "jujitsu", "num_cards=8")
    assert abs(answer["value"]) <= 1e-9
    assert 0 <= answer["gap"] <= 1e-9
    assert answer["states"] == 2641
    assert answer["seconds"] > 0
    first, second = answer["strategies"]
    assert first == second
    assert list(first) == [str(rank) for rank in range(1, 9)]
    assert sum(first.values()) == pytest.approx(1)
    assert first["8"] == 0  # Sanwal and Drechsler 2002, section 4: the top card is kept


def test_solve_unlike_hands(capsys):
    # Fetterman 2023, Lemma 3: D/n = 2/3 for {2,3,6} v. {1,3,5}
    answer = run_json(capsys, "solve", "dinosaur_war", "hand_0=2,3,6", "hand_1=1,3,5", "--exact")
    assert answer["value"] == pytest.approx(2 / 3, abs=1e-12)
    assert answer["exact"] == "2/3"
    assert [list(strategy) for strategy in answer["strategies"]] == [["2", "3", "6"], ["1", "3", "5"]]


def test_exploit(capsys):
    answer = run_json(capsys, "exploit", "jujitsu", "num_cards=5", "--policy", "uniform")
    assert answer["exploitability"] == pytest.approx(0.491667, abs=1e-6)
    assert answer["nash_conv"] == pytest.approx(2 * answer["exploitability"])


def test_match(capsys):
    answer = run_json(capsys, "match", "jujitsu", "num_cards=6", "uniform", "highest_card")
    figures = [answer[key] for key in ("win", "loss", "tie", "mean")]
    # Sanwal and Drechsler 2002, Table 5.1, 6 x 6, Random v. HighestCard: 29.72 %, sampled
    assert figures == pytest.approx([0.297222, 0.297222, 0.405556, 0], abs=1e-6)


def test_match_with_the_parameter_last(capsys):
    answer = run_json(capsys, "match", "jujitsu", "second_lowest_card", "lowest_card", "num_cards=5")
    assert answer["win"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["solve", "jujitsu", "num_cards=3"], ["value 0.000000", "0.600000", "certified to"]),
        (["solve", "dinosaur_war", "num_cards=2", "--exact"], ["value 0.000000 = 0", "rationals"]),
        (["exploit", "jujitsu", "num_cards=3"], ["exploitability 0.500000", "NashConv 1.000000"]),
        (["match", "jujitsu", "num_cards=3", "uniform", "uniform"], ["0.333333", "P(win)", "of player_0 (uniform)"]),
    ],
)
def test_tables_for_people(capsys, arguments, shown):
    code, out, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    for text in shown:
        assert text in out
    assert max(map(len, out.splitlines())) <= 80 or "certified" in out


BAD = [
    (["solve", "jujitsu", "num_cards=0"], "num_cards (0) must be in 1..1000"),
    (["solve", "jujitsu", "num_cards=abc"], "num_cards (abc) must be an integer"),
    (["solve", "jujitsu", "num_cards=2.5"], "num_cards (2.5) must be an integer"),
    (["solve", "jujitsu", "num_cards=3", "num_cards=4"], "num_cards is given twice"),
    (["solve", "dinosaur_war", "hand_0=1,2", "hand_1=1"], "hands of 2 and 1 cards must be of equal size"),
    (["solve", "dinosaur_war", "hand_0=1,x", "hand_1=1,2"], "hand_0 (x) must be an integer"),
    (["solve", "jujitsu", "ties=keep"], "ties (keep) must be discard or carry"),
    (["solve", "jujitsu", "cards=3"], "jujitsu has no parameter 'cards'"),
    (["solve", "jujitsu", "uniform"], "'uniform' must read KEY=VALUE"),
    (["solve", "chess"], "unknown game 'chess'; known are"),
    (["solve", "jujitsu", "--nonsense"], "No such option: --nonsense"),
    (["solve", "jujitzu"], "unknown game 'jujitzu' (did you mean 'jujitsu'?); known are"),
    (["solve", "jujitsu", "num_card=3"], "no parameter 'num_card' (did you mean 'num_cards'?); it has"),
    (["exploit", "war", "--policy", "maxx"], "unknown policy 'maxx' (did you mean 'max'?); known for war are dummie,"),
    (["solve"], "Missing argument 'GAME'"),
    (["nonsense"], "No such command 'nonsense'"),
    (["exploit", "jujitsu", "num_cards=3", "--policy", "best"], "unknown policy 'best'; known for jujitsu are"),
    (["exploit", "jujitsu", "num_cards=3", "--policy", "runs/none"], "no run folder or policy file 'runs/none'"),
    (["match", "jujitsu", "num_cards=3", "uniform"], "1 policies given for 2 players"),
    (["match", "jujitsu", "num_cards=3", "uniform", "best"], "unknown policy 'best'"),
    (["train", "jujitsu", "num_cards=3", "--algorithm", "magic"], "unknown algorithm 'magic'"),
    (["train", "jujitsu", "num_cards=3", "--steps", "many"], "steps (many) must be an integer"),
    (["train", "jujitsu", "num_cards=3", "--wings", "2"], "no parameter 'wings'"),
]


@each_row(("arguments", "message"), BAD)
def test_bad_input_is_one_clear_line(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("cardwar: ")
    assert message in err
    assert err.count("\n") == 1


def test_the_command_alone_shows_its_help(capsys):
    code, out, err = run(capsys)
    assert (code, err) == (2, "")
    assert out.startswith("Usage: cardwar [OPTIONS] COMMAND")
    assert all(f"  {name} " in out for name in SUBCOMMANDS)
    assert out == run(capsys, "--help")[1]


def test_version(capsys):
    assert run(capsys, "--version") == (0, f"cardwar-envs {cardwar_envs.__version__}\n", "")


def test_random_is_uniform_play(capsys):
    random, uniform = (run_json(capsys, "exploit", "jujitsu", "num_cards=4", "--policy", each) for each in NAMES)
    assert random["exploitability"] == uniform["exploitability"]


def test_a_table_that_lacks_observations_says_so(capsys, monkeypatch):
    game = cardwar_envs.make_game("jujitsu", num_cards=3)
    start = game.observation(game.initial()[0].state, 0)
    partial, foreign = (baselines.TablePolicy({key.tobytes(): np.eye(3)[0]}) for key in (start, start + 1))
    monkeypatch.setattr("train.command.exploit.policy_from", lambda word, game: partial)
    code, out, _ = run(capsys, "exploit", "jujitsu", "num_cards=3")
    assert code == 0
    assert f"The table had entries for {partial.known} of {partial.asked} queries; " in out
    assert 0 < partial.known < partial.asked
    monkeypatch.setattr("train.command.exploit.policy_from", lambda word, game: foreign)
    code, out, err = run(capsys, "exploit", "jujitsu", "num_cards=3")
    assert (code, out) == (2, "")
    assert f"knows none of the {foreign.asked} observations that it was asked for; its keys must be" in err


def test_a_policy_that_is_no_policy_is_an_error(capsys, monkeypatch):
    class Lazy:
        def action_probabilities(self, observations, action_masks):
            return action_masks * 0.25 / action_masks.sum(axis=1, keepdims=True)

    monkeypatch.setattr("train.command.exploit.policy_from", lambda word, game: Lazy())
    code, _, err = run(capsys, "exploit", "jujitsu", "num_cards=3")
    assert code == 2
    assert "policy Lazy: probabilities sum to 0.25, not to 1" in err


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError("Unable to allocate 36 GiB"), "not enough memory: Unable to allocate 36 GiB"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_what_the_machine_lacks_is_one_line(capsys, monkeypatch, error, said):
    monkeypatch.setattr("train.command.solve.game_of_words", Mock(side_effect=error))
    code, _, err = run(capsys, "solve", "jujitsu")
    assert (code, err.count("\n")) == (2, 1)
    assert err.rstrip().endswith(said)


def test_our_own_mistakes_are_not_hidden(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("train.command.solve.game_of_words", broken)
    with pytest.raises(ZeroDivisionError):
        main(["solve", "jujitsu"])


def test_help_names_every_command(capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert all(command in out for command in ("solve", "exploit", "match", "train"))


def test_solve_needs_no_torch():
    script = (
        "import sys\n"
        "from train.cli import main\n"
        "try:\n    main(['solve', 'jujitsu', 'num_cards=3', '--json'])\n"
        "finally:\n    print([m for m in ('torch', 'stable_baselines3', 'matplotlib') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
