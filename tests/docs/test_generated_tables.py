"""The tables of the documents are those that the commands' output makes, and have the form that it has."""

from pathlib import Path

import pytest

from baselines import solve
from lab.papers import REPRODUCTIONS, documents, recompute
from lab.papers.dice_wars import PAPER
from lab.papers.dice_wars import paper as dice_wars
from lab.papers.findings import Reproduction, write
from lab.papers.rauscher import paper as rauscher
from lab.papers.rauscher.plan_grid import make_grid
from lab.results import as_csv, results_in
from train.reports.markdown import SECTION, table
from train.reports.tables import NOTE, brief_headings
from train.results import FILE, load_results

ROOT = Path(__file__).parents[2]
PAGES = {name: (ROOT / name).read_text() for name in documents.DOCUMENTS}
SECTIONS = [found for text in PAGES.values() for found in SECTION.finditer(text)]


def bodies(name):
    """The generated sections of a reproduction, by part."""
    return {
        found["part"]: found["body"].strip() for found in SECTIONS if found["command"] == f"cardwar reproduce {name}"
    }


@pytest.fixture
def folder(tmp_path):
    """What a reproduction may leave."""
    made = tmp_path / "reproduce-some-source"
    made.mkdir()
    lines = (
        "place,item,published,computed,range,verdict,reason",
        "Table 1,win,0.25,0.25,,agrees,all digits",
        'Table 1,loss,0.5,0.2512345678,0.25 to 0.3,wrong,"a | b"',
        "Section 2,tie,,-1e-12,,new,",
    )
    (made / "rows.csv").write_text("\n".join(lines))
    (made / "wide.csv").write_text("ranks,discards,value\n3,0,0.125\n")
    return made


def test_parts_of_a_reproduction(folder):
    assert documents.part_of(folder, "counts") == "3 figures; agrees: 1, new: 1, wrong: 1."
    assert documents.part_of(folder, "wrong").splitlines() == [
        "| place | item | published | computed | range | reason |",
        "| --- | --- | --- | --- | --- | --- |",
        r"| Table 1 | loss | 0.5 | 0.251235 | 0.25 to 0.3 | a \| b |",
    ]
    assert documents.part_of(folder, "Section 2").splitlines()[::2] == [
        "| item | computed | verdict |",
        "| tie | 0 | new |",  # nothing below 1e-9 is shown
    ]
    assert documents.part_of(folder, "wide").splitlines() == [  # turned, as it has more columns than rows
        "| ranks | 3 |",
        "| --- | --- |",
        "| discards | 0 |",
        "| value | 0.125 |",
    ]
    with pytest.raises(ValueError, match="has no part 'Table 9'"):
        documents.part_of(folder, "Table 9")


def test_documents_are_rewritten_in_place(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "DOCUMENTS", (str(tmp_path / "page.md"),))
    mark = "<!-- generated: cardwar reproduce {}, counts -->\n{}<!-- end -->"
    page = f"# Page\n\n{mark.format('some-source', 'old')}\n\n{mark.format('other-source', 'old')}\n"
    (tmp_path / "page.md").write_text(page)
    documents.main([str(folder)])
    new = page.replace("old", "\n3 figures; agrees: 1, new: 1, wrong: 1.\n\n", 1)
    assert (tmp_path / "page.md").read_text() == new
    documents.main([str(folder)])
    assert (tmp_path / "page.md").read_text() == new


def test_tables_of_a_study_lose_note_and_commands_and_lie_below_their_heading(tmp_path, monkeypatch):
    shown = table(brief_headings("exploitability"), [["MMD", "0", "10 joint actions", "1", "0.1000", ""]])
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "report.md").write_text(f"{NOTE}\n\n## a game\n\n{shown}\n\n```\ncardwar train a\n```\n")
    mark = "<!-- generated: cardwar study studies/some.toml, report.md -->\n\n{}<!-- end -->\n"
    monkeypatch.setattr(documents, "DOCUMENTS", (str(tmp_path / "page.md"),))
    (tmp_path / "page.md").write_text("# Page\n\n### Here\n\n" + mark.format("old"))
    documents.main([str(tmp_path / "some")])
    assert (tmp_path / "page.md").read_text() == "# Page\n\n### Here\n\n" + mark.format(f"#### a game\n\n{shown}\n\n")


def test_every_section_has_its_command():
    assert len(SECTIONS) == sum(text.count("<!-- generated: ") for text in PAGES.values()) > 20
    assert {found["command"] for found in SECTIONS} == {f"cardwar reproduce {name}" for name in REPRODUCTIONS} | {
        f"cardwar study studies/{name}.toml" for name in ("goofspiel", "learning_curves", "what_matters")
    }
    assert all(found["body"].strip() for found in SECTIONS)


def test_figures_that_are_quickly_computed_are_those_of_the_documents(tmp_path):
    rolls = {name: dice_wars.odds_table(name, dice_wars.PRINTED) for name in dice_wars.OUTCOME}
    grid, equilibrium = make_grid(rauscher.GAME), solve(rauscher.GAME, exact=True)
    quick = {
        "dice-wars": [*dice_wars.table_findings(PAPER.figures.values(), rolls), *dice_wars.count_findings()],
        "rauscher-2017": [*rauscher.grid_findings(grid), *rauscher.equilibrium_findings(equilibrium)],
    }
    for name, parts in (("dice-wars", ("wrong",)), ("rauscher-2017", ("wrong", "Output, equilibrium"))):
        write(Reproduction(quick[name], checks={}), tmp_path / name)
        for part in parts:
            assert documents.part_of(tmp_path / name, part) == bodies(name)[part]


@pytest.mark.slow  # from ten seconds to five minutes each
@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_the_documents_are_what_the_reproductions_write(name, tmp_path):
    made = recompute(name)
    assert made.sound
    write(Reproduction(made.findings, made.checks, made.tables), tmp_path)
    for part, body in bodies(name).items():
        assert documents.part_of(tmp_path, part) == body


def test_the_shipped_results_are_those_of_the_page():
    written = list(results_in(PAGES["docs/results.md"]))
    assert load_results() == written, "run python -m train.results"
    assert FILE.read_bytes() == as_csv(written)
    studies = "\n".join(found["body"] for found in SECTIONS if found["command"].startswith("cardwar study"))
    rows = sum(line.startswith("| ") for line in studies.splitlines())
    assert len(written) == rows - 2 * studies.count("| algorithm |") > 80
    best = min((row for row in written if row.game == "jujitsu num_cards=5"), key=lambda row: row.exploitability)
    assert (best.learner, best.seeds, best.uniform_exploitability) == ("minimax-Q", (0, 1, 2), 0.491667)


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
