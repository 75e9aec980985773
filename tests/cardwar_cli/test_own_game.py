"""`cardwar new` writes a game that works, and overwrites nothing; after `cardwar warmup` nothing is left to compile."""

import os
import re
import subprocess
import sys

import pytest
from command import run, run_json, run_refused
from thinning import each_row

from cardwar_cli.own_game import GAME


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder; what is imported from it is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("my_game", None)


@pytest.mark.parametrize("options", [[], ["--private"]])
def test_the_commands_that_it_names_work_on_what_it_writes(folder, capsys, options):
    code, out, err = run(capsys, "new", "my_game", *options)
    assert (code, err) == (0, "")
    check, solve, play, *pytests = (line.split() for line in out.splitlines()[-5:])
    checked = run_json(capsys, *check[1:])
    assert checked["passed"]
    assert {each["status"] for each in checked["checks"]} <= {"passed", "not applicable"}
    assert run_json(capsys, *solve[1:])["value"] == pytest.approx(0.0, abs=1e-9)
    assert play == ["cardwar", "play", "my_game:MyGame", "--web"]
    assert [" ".join(line) for line in pytests] == ["python -m pip install pytest", "python -m pytest test_my_game.py"]
    tests = {}
    exec((folder / "test_my_game.py").read_text(), tests)
    for name in (each for each in tests if each.startswith("test_")):
        tests[name]()


@pytest.mark.parametrize(
    ("place", "declared", "changed"), [(0, 'chance="none"', 'chance="moves"'), (1, "zero_sum=True", "zero_sum=False")]
)
def test_each_example_in_its_docstring_makes_a_game(folder, capsys, place, declared, changed):
    text = GAME.read_text()
    example = re.findall(r"^ {8}([\[(](?:Transition|float).*)$", text, re.MULTILINE)[place]
    returned = re.search(r"return (\[Transition.* \+ paid\), (.*)\)\])", text)[1 + place]
    text = text.replace(returned, example).replace(declared, changed)
    (folder / "my_game.py").write_text(f"from fractions import Fraction\n{text}")
    words = "my_game:Undercut", "rounds=2", "highest=3"
    assert run_json(capsys, "check", *words)["passed"]
    assert run_json(capsys, "exploit", *words)["nash_conv"] > 0.1


@each_row(
    ("name", "message"),
    [
        ("My", "NAME ('My') must be lower-case letters, digits and _"),
        ("../x", "NAME ('../x') must be lower-case letters"),
        ("class", "not a Python keyword"),
        ("none", "would give the class the name None"),
        ("game", "would give the class the name Game"),
        ("jujitsu", "is the name of a game of the suite; choose another, as in my_jujitsu"),
        ("random", "is the name of a module, "),
    ],
)
def test_names_that_are_taken_or_impossible_are_refused(folder, capsys, name, message):
    assert message in run_refused(capsys, "new", name)
    assert not list(folder.iterdir())


def test_no_file_is_overwritten(folder, capsys):
    tests = folder / "a b" / "test_my_game.py"
    tests.parent.mkdir()
    tests.write_text("mine")
    assert f"{tests} already exists" in run_refused(capsys, "new", "my_game", "--out", str(tests.parent))
    assert [tests.read_text(), *tests.parent.iterdir()] == ["mine", tests]
    tests.unlink()
    assert "  cd 'a b'\n" in run(capsys, "new", "my_game", "--out", "a b")[1]


REPEAT = """
import numba.core.event as event
from cardwar_cli.main import main
class Listener(event.Listener):
    def on_start(self, event): raise AssertionError(event.data["dispatcher"])
    def on_end(self, event): pass
event.register("numba:compile", Listener())
main(["warmup", "dice_poker"])
"""


def test_games_are_named_when_they_are_ready(capsys):
    code, out, _ = run(capsys, "warmup", "dice_poker")
    assert (code, out.startswith("dice_poker: ready after ")) == (0, True)


@pytest.mark.slow
def test_a_second_process_compiles_nothing(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-m", "cardwar_cli.main", "warmup", "dice_poker"], env=environment, check=True)
    assert any(tmp_path.rglob("*.nbc"))
    subprocess.run([sys.executable, "-c", REPEAT], env=environment, check=True)
