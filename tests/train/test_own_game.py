"""A game in one file of the working folder, played, solved and learned by the command; stored names import nothing."""

import json
import sys
from pathlib import Path

import pytest
from command import run, run_json, run_refused

import baselines
from cardwar_envs import make_game
from cardwar_play.seating import table_for
from cardwar_play.trainer import Trainer
from cardwar_play.view import view_of
from train.storage.run_folder import RunFolder
from train.studies.study_file import read_study

UNDERCUT = Path(__file__).parents[2] / "examples" / "undercut.py"
OWN = ("undercut:Undercut", "rounds=1", "highest=3")
TRAIN = ("train", *OWN, "--algorithm", "cfr_plus", "--steps", "20", "--out", "run")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with undercut.py in it."""
    (tmp_path / "undercut.py").write_text(UNDERCUT.read_text())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("undercut", None)


def test_every_verb_takes_it(folder, capsys):
    solved = run_json(capsys, "solve", *OWN)
    assert (solved["game"], solved["parameters"]) == ("undercut", {"rounds": 1, "highest": 3})
    assert solved["value"] == pytest.approx(0.0, abs=1e-12)
    exploited = run_json(capsys, "exploit", *OWN, "--policy", "uniform")
    # Row 2 of the payoff matrix [[0, 3, -2], [-3, 0, 5], [2, -5, 0]] earns (-3 + 0 + 5) / 3 against uniform play.
    assert exploited["exploitability"] == pytest.approx(2 / 3)
    assert run_json(capsys, "match", *OWN, "uniform", "equilibrium")["mean"] == pytest.approx(0.0, abs=1e-9)
    code, learned, _ = run(capsys, *TRAIN, "--json")
    assert code == 0
    measured = run_json(capsys, "exploit", *OWN, "--policy", "run")["exploitability"]
    assert json.loads(learned)["exploitability"] == pytest.approx(measured, abs=1e-9)
    assert measured < 0.1
    code, _, err = run(capsys, "report", "run", "--out", "report.html")
    assert (code, err) == (0, "")
    assert "undercut:Undercut rounds=1 highest=3" in Path("report.html").read_text()
    standings = run_json(capsys, "playoffs", *OWN, "uniform", "run", "--out", "standings")
    assert standings["game"] == "undercut"
    assert run(capsys, *TRAIN, "--resume")[0] == 0


def test_its_page_has_its_plain_name_as_title(folder):
    solved = baselines.solve(make_game("undercut:Undercut", rounds=1, highest=3))
    page = view_of(Trainer(table_for(solved.game, 0, (), solved), 0))
    assert (page["title"], page["parameters"]) == ("Undercut", "1 round, highest 3")


def test_a_study_takes_it(folder, capsys):
    Path("own.toml").write_text('[[runs]]\ngames = ["undercut:Undercut rounds=1"]\nalgorithms = ["cfr_plus steps=5"]\n')
    (planned,) = read_study("own.toml").runs
    words = planned.words(Path("run"))  # with these the study starts a process of its own
    assert words[:3] == ["train", "undercut:Undercut", "rounds=1"]
    assert run(capsys, *words)[0] == 0
    RunFolder(Path("run")).check_same(planned.identity)


def test_a_name_in_a_stored_file_imports_nothing(folder, capsys):
    """A stranger's run folder names a module that is there and would be imported if its name were looked up."""
    Path("evil.py").write_text(
        "from pathlib import Path\nPath('imported').touch()\nfrom undercut import *\nGame = Undercut"
    )
    run(capsys, *TRAIN)
    for name in ("config.json", "metadata.json", "checksums.txt"):
        path = Path("run", name)
        path.write_text(path.read_text().replace("undercut", "evil").replace("Undercut", "Game"))
    config = json.loads(Path("run/config.json").read_text())
    Path("run/config.json").write_text(json.dumps({**config, "game": "evil:Game"}))
    Path("run/checksums.txt").unlink()
    for words in (
        ("report", "run"),
        ("exploit", *OWN, "--policy", "run"),
        ("match", *OWN, "run", "uniform"),
        ("playoffs", *OWN, "run", "uniform"),
        (*TRAIN, "--resume"),
    ):
        run(capsys, *words)
    assert not Path("imported").exists()
    assert "evil" not in sys.modules


@pytest.fixture
def thirds(folder):
    """The game with a third of its payoffs, as a module for each way to write them."""
    paid, imported = "(float(paid), float(-paid))", "from typing import ClassVar"
    for name, written in (
        ("fractions_", "(Fraction(paid, 3), Fraction(-paid, 3))"),
        ("floats", "(paid / 3, -paid / 3)"),
    ):
        rules = (
            UNDERCUT.read_text().replace(imported, f"from fractions import Fraction\n{imported}").replace(paid, written)
        )
        assert written in rules
        (folder / f"{name}.py").write_text(rules)
    yield
    for name in ("fractions_", "floats"):
        sys.modules.pop(name, None)


def test_thirds_are_exact_as_fractions_and_refused_as_rounded_floats(thirds, capsys):
    words = ("rounds=1", "highest=3")
    for name in ("fractions_:Undercut", "floats:Undercut"):
        assert run(capsys, "check", name, *words)[0] == 0
        assert run_json(capsys, "solve", name, *words)["value"] == pytest.approx(0.0, abs=1e-12)
    solved = run_json(capsys, "solve", "fractions_:Undercut", *words, "--exact", "--state", "(1, 0)")
    # A third of [[0, 3, -2], [-3, 0, 5], [2, -5, 0]]: the odds of the mix are those of the entries opposite.
    assert solved["exact_strategies"] == [{"1": "1/2", "2": "1/5", "3": "3/10"}] * 2
    assert "-2/3" in json.dumps(solved["at_state"])
    for option in ([], ["--json"]):
        said = run_refused(capsys, "solve", "floats:Undercut", *words, "--exact", *option)
        assert "-0.6666666666666666 in the rules is a rounded float" in said
        assert "Fraction(-2, 3)" in said


def test_payoffs_that_are_fractions_can_be_played_and_written_as_a_page(thirds, capsys):
    words = ("fractions_:Undercut", "rounds=1", "highest=3")
    code, shown, _ = run(capsys, "watch", *words, "--seed", "1")
    assert (code, "player_0" in shown) == (0, True)
    assert run(capsys, "page", *words, "--out", "page.html")[0] == 0
