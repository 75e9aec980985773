"""The command: its help, its version, and what it says of mistakes that are not the caller's."""

import shlex
from unittest.mock import Mock

import pytest
from command import run, run_refused
from thinning import each_row

import cardwar_envs
from cardwar_cli.main import COMMANDS, main


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
    assert all(f"  {name} " in out for name in COMMANDS)
    assert run(capsys, "--help") == (0, out, "")
    assert run(capsys, "--version") == (0, f"cardwar-envs {cardwar_envs.__version__}\n", "")


@each_row("name", list(COMMANDS))
def test_every_help_has_an_example_that_can_be_typed(capsys, name):
    example = shlex.split(COMMANDS[name][1])
    assert example[:2] == ["cardwar", name]
    _, out, _ = run(capsys, name, "--help")
    assert " ".join(example) in " ".join(out.replace('"', "").split())
    assert all(len(line) <= 80 for line in out.splitlines())


def test_a_game_in_the_working_folder_is_suggested(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "thermostat.py").write_text("raise SystemExit\nclass Thermostat(Game): pass\n")
    assert "did you mean 'thermostat:Thermostat'?" in run_refused(capsys, "solve", "thermostat")


@each_row(
    ("line", "resumed"),
    [
        ("train jujitsu --out 'a b'", "train jujitsu --out 'a b' --resume"),
        ("solve jujitsu --cache=x", "solve jujitsu --cache=x"),
        ("solve jujitsu", None),
        ("study quick.toml", "study quick.toml"),
    ],
)
def test_an_interrupt_says_how_to_resume(capsys, monkeypatch, line, resumed):
    words = shlex.split(line)
    monkeypatch.setattr("cardwar_cli.main.new_app", lambda *_: lambda *_, **__: 130)
    code, _, err = run(capsys, *words)
    assert (code, err) == (130, f"cardwar: interrupted; resume with: cardwar {resumed}\n" if resumed else "")


@each_row("error", [MemoryError("Unable to allocate 36 GiB"), MemoryError()])
def test_what_the_machine_lacks_is_one_line(capsys, monkeypatch, error):
    monkeypatch.setattr("cardwar_cli.solve.game_from_words", Mock(side_effect=error))
    said = run_refused(capsys, "solve", "jujitsu")
    assert said == f"cardwar: {': '.join(filter(None, ('not enough memory', str(error))))}\n"


def test_our_own_mistakes_are_not_hidden(monkeypatch):
    monkeypatch.setattr("cardwar_cli.solve.game_from_words", Mock(side_effect=ZeroDivisionError))
    with pytest.raises(ZeroDivisionError):
        main(["solve", "jujitsu"])


def test_what_may_surprise_about_a_run_is_said_before_it(capsys, tmp_path):
    (tmp_path / "taken").touch()  # so nothing is learned
    code, _, err = run(capsys, "train", "war", "--algorithm", "ppo", "--out", str(tmp_path))
    assert (code, "defaults used: --entropy 0.03 --final-entropy 0.1\n" in err) == (2, True)
    assert "0.03" in run(capsys, "train", "war", "--algorithm", "ppo", "--list-options")[1]
