"""The tables of the papers and of learners are those that the commands' output makes, and have the form that it has."""

from dataclasses import astuple
from pathlib import Path

import pytest

from baselines import solve
from lab import results
from lab.papers import REPRODUCTIONS, documents, recompute
from lab.papers.findings import Reproduction, write
from lab.papers.rauscher import paper as rauscher
from train.reports.markdown import SECTION, table
from train.reports.tables import NOTE, brief_headings, plain
from train.results import FILE, load_results

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / documents.PAGE).read_text()
SECTIONS = list(SECTION.finditer(PAGE))


def bodies(name):
    """The generated sections of a reproduction, by part."""
    return {
        found["part"]: found["body"].strip() for found in SECTIONS if found["command"] == f"cardwar reproduce {name}"
    }


ROWS = """\
place,item,published,computed,range,verdict,reason
Table 1,loss,0.5,0.2512345678,0.25 to 0.3,wrong,"a | b"
Section 2,tie,,-1e-12,,new,
"""
# Part of a page -> what is written there: nothing below 1e-9, and no column without figures.
MADE = {
    "counts": "2 figures; new: 1, wrong: 1.",
    "Section 2": "| item | computed | verdict |\n| --- | --- | --- |\n| tie | 0 | new |",
}


def test_documents_are_rewritten_in_place(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "PAGE", tmp_path / "page.md")
    folder = tmp_path / "reproduce-some-source"
    folder.mkdir()
    (folder / "rows.csv").write_text(ROWS)
    mark = "<!-- generated: cardwar reproduce {}-source, {} -->\n{}<!-- end -->\n".format
    other = mark("other", "counts", "old")
    (tmp_path / "page.md").write_text("# Page\n\n" + "".join(mark("some", part, "old") for part in MADE) + other)
    for _ in range(2):
        documents.main([str(folder)])
        new = "".join(mark("some", part, f"\n{made}\n\n") for part, made in MADE.items())
        assert (tmp_path / "page.md").read_text() == f"# Page\n\n{new}{other}"
    with pytest.raises(ValueError, match="has no part 'Table 9'"):
        documents.part_of(folder, "Table 9")


def test_a_study_replaces_its_rows_of_the_shipped_results(tmp_path, monkeypatch):
    rows = [["MMD magnet=0.2", "0, 1, 2", "1,250,304 joint actions", "98", "0.0990", "0.0948 to 0.1001 (75 %)"]]
    shown = table(
        brief_headings("exploitability"), [*rows, ["CFR+", "0", "1,000 iterations", "1", "0.0007", ""]], plain
    )
    known = "Value to player\\_0 0.000000; uniform play's exploitability 0.491667, optimal play's 0."
    (tmp_path / "goofspiel").mkdir()
    report = f"{NOTE}\n\n## jujitsu num\\_cards=5\n\n{known}\n\n{shown}\n\n```\ncardwar train a\n```\n"
    (tmp_path / "goofspiel" / "report.md").write_text(report)
    new = list(results.results_in(tmp_path / "goofspiel"))
    game = "goofspiel", "report", "jujitsu num_cards=5"
    assert list(map(astuple, new)) == [
        (*game, "MMD magnet=0.2", (0, 1, 2), 1250304, "joint actions", 98, 0.099, 0.0948, 0.1001, 0.75, 0.0, 0.491667),
        (*game, "CFR+", (0,), 1000, "iterations", 1, 0.0007, None, None, None, 0.0, 0.491667),
    ]
    kept = [row for row in load_results() if row.study != "goofspiel"]
    monkeypatch.setattr(results, "FILE", tmp_path / "results.csv")
    results.main([str(tmp_path / "goofspiel")])
    assert (tmp_path / "results.csv").read_bytes() == results.as_csv([*kept, *new])


def test_the_shipped_results_have_the_form_in_which_they_are_written():
    assert FILE.read_bytes() == results.as_csv(load_results())
    assert {row.study for row in load_results()} == {"learning_curves", "goofspiel", "what_matters"}
    best = min((row for row in load_results() if row.game == "jujitsu num_cards=5"), key=lambda row: row.exploitability)
    assert (best.learner, best.seeds, best.uniform_exploitability) == ("minimax-Q with a model", (0, 1, 2), 0.491667)


def test_every_section_has_its_command():
    assert len(SECTIONS) == PAGE.count("<!-- generated: ") > 10
    expected = {f"cardwar reproduce {name}" for name in REPRODUCTIONS if name != "war-full-deck"}
    assert {found["command"] for found in SECTIONS} == expected
    assert all(found["body"].strip() for found in SECTIONS)


def test_figures_that_are_quickly_computed_are_those_of_the_page(tmp_path):
    findings = rauscher.equilibrium_findings(solve(rauscher.GAME, exact=True))
    write(Reproduction(findings, checks={}), tmp_path)
    part = "Output, equilibrium"
    assert documents.part_of(tmp_path, part) == bodies("rauscher-2017")[part]


@pytest.mark.slow  # from ten seconds to five minutes each
@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_the_documents_are_what_the_reproductions_write(name, tmp_path):
    made = recompute(name)
    assert made.sound
    write(Reproduction(made.findings, made.checks, made.tables), tmp_path)
    for part, body in bodies(name).items():
        assert documents.part_of(tmp_path, part) == body


# Column of docs/start.md -> learner in the results.
LEARNERS = {"PPO, library settings": "PPO as the library ships it"}


def test_the_first_table_of_learners_has_the_figures_of_the_results():
    known = {(each.game, each.learner): each for each in load_results() if each.study == "learning_curves"}
    lines = (ROOT / "docs/start.md").read_text().split("## How close learners come")[1].split("\n## ")[0].splitlines()
    (_, _, *names), _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line)
    compared = 0
    for game, uniform, *figures in rows:
        size, *view = game.replace("Jujitsu, ", "").replace("`", "").replace('"', "").split(" cards, ")
        words = " ".join(["jujitsu", f"num_cards={size.removesuffix(' cards')}", *view])
        for name, figure in zip(names, figures, strict=True):
            if figure and words != "jujitsu num_cards=13 view=word":  # of another study
                result = known[words, LEARNERS.get(name, name)]
                told = f"{result.uniform_exploitability:.4f}", f"{result.exploitability:.4f}"
                assert told == (uniform, figure), (game, name)
                compared += 1
    assert compared == 17
