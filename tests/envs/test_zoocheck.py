"""The kit accepts our environments, and the command hands over to it, or says how to install it."""

import sys

import pytest
from command import run, run_refused

RULED = ("cardwar_envs.dinosaur_war_v0", "num_cards=3")


@pytest.fixture
def kit():
    return pytest.importorskip("zoocheck", reason="needs ./kit")


def test_the_limit_of_rounds_is_the_one_that_the_game_declares(kit):
    limited = kit.load("cardwar/war-v0", ["ranks=3", "discards=1", "max_rounds=4"], games=4)
    assert kit.run("limit_of_rounds_is_kept", limited).status == "passed"


def test_check_hands_an_environment_over_to_the_kit(kit, capsys):
    some = ("--only", "metadata_say_what_is_offered", "--only", "deepcopy_goes_on", "--games", "1")
    for words in ((*RULED, *some), (*some, *RULED)):
        code, out, _ = run(capsys, "check", *words, "--all")
        assert (code, out.splitlines()[-1]) == (0, "2 passed")
    assert "--seed (-1) must be at least 0" in run_refused(capsys, "check", *RULED, "--seed", "-1")
    assert "cannot import 'no_such_game'" in run_refused(capsys, "check", "no_such_game")


def test_without_the_kit_check_says_in_one_line_what_to_install(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "zoocheck.command", None)
    error = run_refused(capsys, "check", *RULED)
    assert "needs zoocheck; from a checkout: pip install ./kit" in error
    assert run(capsys, "check", "jujitsu", "num_cards=2")[0] == 0
