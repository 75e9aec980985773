"""The command: its help, its version, and what it says of mistakes that are not the caller's."""

from unittest.mock import Mock

import pytest
from command import refusal, run
from thinning import each_row

import cardwar_envs
from train.cli import main
from train.pages.command import SUBCOMMANDS


@each_row(
    ("arguments", "shown"),
    [
        ("solve jujitsu num_cards=3", ["value 0.000000", "0.600000", "certified to"]),
        ("solve dinosaur_war num_cards=2 --exact", ["value 0 to player_0", "rationals", " s, exact"]),
        ("exploit jujitsu num_cards=3", ["exploitability 0.500000", "NashConv 1.000000"]),
        ("match jujitsu num_cards=3 uniform uniform", ["0.333333", "P(win)", "of player_0 (uniform)"]),
        ("match war min max max_rounds=40", ["1 game", "player_1", "not finished", "40 rounds; this game is"]),
        (
            "match war ranks=3 discards=0 max_rounds=20 dummie min --games 50",
            ["50 games", "dummie", "rounds on average, standard deviation"],
        ),
        (
            "solve dice_poker",
            ["value 5/54 (0.092593)", "12 information states", "player_0 raise", "player_1 call", "0.666667"],
        ),
        ("solve dice_poker sides=50", ["the first 40 of 50;"]),
    ],
)
def test_tables_for_people(capsys, arguments, shown):
    code, out, err = run(capsys, *arguments.split())
    assert (code, err) == (0, "")
    for text in shown:
        assert text in out
    assert max(len(line) for line in out.splitlines() if "│" in line) <= 80


def test_the_command_shows_its_help_and_its_version(capsys):
    code, out, err = run(capsys)
    assert (code, err) == (2, "")
    assert out.startswith("Usage: cardwar [OPTIONS] COMMAND")
    assert all(f"  {name} " in out for name in SUBCOMMANDS)
    assert run(capsys, "--help") == (0, out, "")
    assert run(capsys, "--version") == (0, f"cardwar-envs {cardwar_envs.__version__}\n", "")


@each_row(
    ("error", "said"),
    [
        (MemoryError("Unable to allocate 36 GiB"), "not enough memory: Unable to allocate 36 GiB"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_what_the_machine_lacks_is_one_line(capsys, monkeypatch, error, said):
    monkeypatch.setattr("train.command.solve.game_of_words", Mock(side_effect=error))
    assert refusal(capsys, "solve", "jujitsu").endswith(f"{said}\n")


def test_our_own_mistakes_are_not_hidden(monkeypatch):
    monkeypatch.setattr("train.command.solve.game_of_words", Mock(side_effect=ZeroDivisionError))
    with pytest.raises(ZeroDivisionError):
        main(["solve", "jujitsu"])


def test_defaults_that_differ_with_many_actions_are_named(capsys, tmp_path):
    (tmp_path / "taken").touch()  # so nothing is learned
    for words, said in (
        (["war"], "defaults used: --entropy 0.03 --final-entropy 0.1\n"),
        (["war", "--entropy", "0.2"], "defaults used: --final-entropy 0.1\n"),
        (["war", "--entropy", "0.2", "--final-entropy", "1"], ""),
        (["jujitsu"], ""),
    ):
        code, _, err = run(capsys, "train", *words, "--algorithm", "ppo", "--out", str(tmp_path))
        assert code == 2
        assert said in err
        assert ("This game has many actions" in err) == bool(said)
    _, listed, _ = run(capsys, "train", "war", "--algorithm", "ppo", "--list-options")
    assert "0.03" in listed
