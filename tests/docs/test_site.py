"""Generated parts and pictures are up to date, the map of the design is complete, links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from thinning import each_row

from cardwar_envs import GAMES, make_game
from cardwar_envs.core.texts import WorkedRound
from lab.pages import games
from lab.pages.__main__ import COMMAND, generated
from lab.pages.rounds import replayed
from train.reports.markdown import SECTION

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MARKDOWN = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "lab/docs/papers.md")),
    *sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts),
]
MARKDOWN += [ROOT / "kit" / "README.md", *sorted((ROOT / "kit" / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
RANGE = re.compile(r"(\d[\d,]*) to (\d[\d,]*)")


def parts(page):
    return [found["part"] for found in SECTION.finditer(page.read_text()) if found["command"] == COMMAND]


def test_generated_files_are_up_to_date():  # generated here, not for each case, as every process collects the cases
    stale = [str(path) for path, text in generated() if (ROOT / path).read_text() != text]
    assert not stale, f"run {COMMAND}"


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_page_with_all_parts(name):
    family = [f"{name} family"] if name == "jujitsu" else []  # the rules of all duels
    assert sorted(parts(DOCS / "games" / f"{name}.md")) == sorted([f"{name} {part}" for part in games.PARTS] + family)


@each_row(
    ("name", "parameters"),
    [
        *((name, {}) for name in GAMES),
        ("jujitsu", {"num_cards": 4}),
        ("dinosaur_war", {"hand_0": (1, 1, 3), "hand_1": (2, 2, 9)}),
        ("jujitsu", {"num_cards": 4, "view": "word"}),
        ("war", {"num_players": 4, "ranks": 3, "discards": 1}),
        ("goofspiel", {"num_cards": 4, "payoff": "win"}),
        ("goofspiel", {"num_cards": 4, "payoff": "win", "ties": "carry"}),
        ("lowest_unique", {"num_players": 5}),
    ],
)
def test_entries_of_observations_are_all_described(name, parameters):
    game = make_game(name, **parameters)
    assert sum(count for _, count, _ in games.observation_entries(game)) == game.facts.observation_size


@each_row("name", GAMES)
def test_ranges_of_parameters_are_those_that_the_game_allows(name):
    rows = [line.split(" | ") for line in games.parameters(make_game(name)).splitlines()[2:]]
    for parameter, _, told in rows:
        for least, most in RANGE.findall(told):
            for wrong in (int(least) - 1, int(most.replace(",", "")) + 1):
                with pytest.raises(ValueError, match=str(wrong)):
                    make_game(name, **{parameter.strip("|` "): wrong})


def test_a_worked_round_is_played_by_the_rules(monkeypatch):
    monkeypatch.setattr(GAMES["jujitsu"], "worked_round", WorkedRound((("1", "2"), ("1", "3")), "num_cards=3"))
    with pytest.raises(ValueError, match="1 is not legal for player_0; the legal moves are 2, 3"):
        replayed(GAMES["jujitsu"])


def test_the_map_names_every_room_of_every_house():
    text = (DOCS / "design.md").read_text().partition("## The map")[2].partition("\n## ")[0]
    houses = re.findall(r"^(\w+)/", text, re.MULTILINE)
    rooms = {path.parent for house in houses for path in (ROOT / house).glob("*/*.py") if path.parent.name != "tests"}
    assert len(houses) == 6
    assert {path.name for path in rooms} == set(re.findall(r"^  (\w+)/", text, re.MULTILINE))


def anchors(page):
    """The anchors of a page's headings, as GitHub and the site make them."""
    words = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(page.read_text()))
    return {each.strip().replace(" ", "-") for each in words}


@each_row("page", MARKDOWN)
def test_links_lead_somewhere(page):
    for link in LINK.findall(CODE.sub("", page.read_text())):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_frames_show_files_that_are_built():
    settings = (DOCS / "conf.py").read_text()
    built = set(re.findall(r'^    "(\w+)": \[', settings, re.MULTILINE)) | {"solutions"}
    assert '"solutions.html"' in settings
    shown = [(page, src) for page in MARKDOWN for src in re.findall(r'<iframe [^>]*src="([^"]+)"', page.read_text())]
    assert {Path(src).stem for _, src in shown} == built
    for page, src in shown:
        assert (page.parent / Path(src).parent).resolve() == DOCS / "play", (page, src)


@pytest.mark.parametrize("name", ["first_look", pytest.param("measure_your_learner", marks=pytest.mark.slow)])
def test_notebooks_run(name, tmp_path):
    nbclient = pytest.importorskip("nbclient", reason="needs the extra docs")
    nbformat = pytest.importorskip("nbformat", reason="needs the extra docs")
    pytest.importorskip("ipykernel", reason="needs the extra docs")
    notebook = nbformat.read(DOCS / "notebooks" / f"{name}.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "clear the outputs"
    done = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
    assert all(cell.outputs for cell in done.cells[-2:] if cell.cell_type == "code")


@pytest.mark.slow  # the reference takes ten seconds
def test_the_site_is_built_without_a_warning(tmp_path):
    pytest.importorskip("sphinx", reason="needs the extra docs")
    pytest.importorskip("myst_nb", reason="needs the extra docs")
    words = ["-b", "html", "-W", "--keep-going", "-q", "-D", "nb_execution_mode=off", str(DOCS), str(tmp_path)]
    done = subprocess.run([sys.executable, "-m", "sphinx", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "games" / "war.html").exists()
