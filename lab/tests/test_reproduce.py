"""`cardwar reproduce`: what it prints, what it writes, and its exit code."""

import importlib
import json

import pytest
from command import run
from matplotlib.figure import Figure

import lab.papers
from lab.papers import REPRODUCTIONS
from lab.papers.dice_wars import paper as dice_wars
from lab.papers.findings import Finding, Reproduction, Verdict

FINDINGS = (
    Finding("Table 1", "3x3 Random v. Random, win", 0.25, 0.25, None, Verdict.AGREES, "all digits"),
    Finding("Table 1", "3x3 Equilibrium v. Equilibrium, margin", 0.013, 0.0, (0.0, 0.0), Verdict.WRONG, "alike, so 0"),
    Finding(
        "Section 2 of a source with a long name", "worth [of] a word " * 6, None, "8/9", None, Verdict.NEW, "why " * 40
    ),
)


@pytest.fixture
def report(monkeypatch):
    """Makes the command find this report under any name."""

    def use(**changed):
        made = Reproduction(**{"findings": FINDINGS, "checks": {"a sum is a sum": True}, **changed})
        monkeypatch.setattr(lab.papers, "recompute", lambda name, progress: made)

    use()
    return use


def test_json_has_every_row(capsys, tmp_path, report):
    code, out, err = run(capsys, "reproduce", "dice-wars", "--out", str(tmp_path), "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert answer["rows"][1] == {
        "place": "Table 1",
        "item": "3x3 Equilibrium v. Equilibrium, margin",
        "published": 0.013,
        "computed": 0.0,
        "range": [0.0, 0.0],
        "verdict": "wrong",
        "reason": "alike, so 0",
    }
    assert answer["rows"][2]["published"] is None
    assert (answer["name"], answer["sound"], len(answer["rows"])) == ("dice-wars", True, 3)
    assert answer["seconds"] >= 0
    assert answer["files"] == [str(tmp_path / "rows.csv")]


def test_the_table_fits_a_terminal(capsys, tmp_path, report):
    code, out, _ = run(capsys, "reproduce", "dice-wars", "--out", str(tmp_path))
    assert code == 0
    lines = [line for line in out.splitlines() if str(tmp_path) not in line]
    assert max(map(len, lines)) <= 80
    assert "worth [of] a word" in " ".join(out.split())  # what is in brackets is no markup
    assert "3x3 Random v. Random, win" not in out  # it agrees: a number in the first table
    for text in ("wrong", "alike, so 0", "holds: a sum is a sum", "0.013", "0 to"):
        assert text in out


def test_what_is_not_sound_is_exit_code_1(capsys, tmp_path, report):
    report(checks={"a sum is a sum": False})
    code, out, err = run(capsys, "reproduce", "dice-wars", "--out", str(tmp_path))
    assert (code, err) == (1, "")
    assert "FAILS: a sum is a sum" in out
    assert run(capsys, "reproduce", "dice-wars", "--out", str(tmp_path), "--json")[0] == 1


def test_files_lie_where_they_should(capsys, tmp_path, report, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report(pictures={"blank": Figure}, tables={"extra": [["n"], [1]]})
    run(capsys, "reproduce", "fetterman-2023")
    folder = tmp_path / "runs" / "reproduce-fetterman-2023"
    assert sorted(path.name for path in folder.iterdir()) == ["blank.png", "extra.csv", "rows.csv"]
    assert (folder / "blank.png").read_bytes().startswith(b"\x89PNG")
    first, second, *_ = (folder / "rows.csv").read_text().splitlines()
    assert first == "place,item,published,computed,range,verdict,reason"
    assert second == 'Table 1,"3x3 Random v. Random, win",0.25,0.25,,agrees,all digits'


def test_dice_wars_by_the_command(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(dice_wars, "stack_findings", lambda progress: ([], {}))  # these two take most of the time
    monkeypatch.setattr(dice_wars, "timing_finding", lambda: (FINDINGS[0], True))
    monkeypatch.setattr(dice_wars, "MOST_DICE", 6)  # tests of the reproduction draw the larger pictures
    code, out, err = run(capsys, "reproduce", "dice-wars", "--out", str(tmp_path), "--json")
    assert (code, err) == (0, "")
    verdicts = [row["verdict"] for row in json.loads(out)["rows"] if row["place"] == "win table"]
    assert verdicts == ["agrees"] * 36
    assert {path.suffix for path in tmp_path.iterdir()} == {".csv", ".png"}


def test_every_name_has_its_module():
    for name in REPRODUCTIONS:
        module = importlib.import_module(f"lab.papers.{REPRODUCTIONS[name]}")
        assert callable(module.reproduce)
