"""The tables of the papers are those that the commands' output makes, and have the form that it has."""

from pathlib import Path

import pytest

from baselines import solve
from lab.papers import REPRODUCTIONS, documents, recompute
from lab.papers.findings import Reproduction, write
from lab.papers.rauscher import paper as rauscher
from train.reports.markdown import SECTION

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
