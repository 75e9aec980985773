"""Reports on runs: what is on the page, which runs belong together, what is refused."""

import base64
import csv
import re
import shlex
import xml.dom.minidom
from dataclasses import asdict, replace
from html.parser import HTMLParser
from math import comb

import pytest
from command import run as command
from command import run_refused
from run_files import change_config, seal
from scipy.stats import quantile_test
from thinning import each_row

from cardwar_envs import make_game
from train.algorithms.registry import ALGORITHMS
from train.reports.groups import MedianInterval, arrange, median_interval, read_run
from train.reports.markdown import table
from train.reports.page import write_report
from train.reports.tables import command_of, plain
from train.runs.loop import run
from train.storage.run_folder import RunFolder
from train.text.game_names import game_from, game_in_words
from train.text.parsing import fields_from, split_words

GAME = make_game("jujitsu", num_cards=3)
ODD = 'a<b>&"$x_1$|`*'


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """Two tiny runs of two algorithms."""
    folder = tmp_path_factory.mktemp("real")
    run(GAME, "cfr_plus", ALGORITHMS["cfr_plus"].args(steps=25, evaluate_every=10), folder / "cfr")
    args = ALGORITHMS["minimax_q"].args(steps=64, evaluate_every=32, num_games=16, batch_size=8, width=8)
    run(GAME, "minimax_q", args, folder / "q", seed=4)
    return folder


@pytest.fixture
def undrawn(monkeypatch):
    """Leaves out the pictures, which take most of the time of a report."""
    monkeypatch.setattr("train.reports.curves.draw_game", lambda game: b"<svg/>")


def made(folder, figures=(0.3, 0.1), seed=0, title="jujitsu num_cards=3", label="CFR+", algorithm="cfr_plus", **args):
    """A run folder with an exploitability every 10 steps."""
    config = {
        "game": "jujitsu",
        "parameters": {"num_cards": 3},
        "algorithm": algorithm,
        "args": {"steps": 10 * len(figures) or 20, "evaluate_every": 10, **args},
        "seed": seed,
        "title": title,
        "label": label,
        "step": "iterations",
        "measured": "exact",
        "figure": "exploitability",
        "reference": {"value": 0.0, "uniform_exploitability": 0.5},
    }
    run_folder = RunFolder.create(folder, config)
    heading = (
        "steps",
        "seconds",
        "cpu_seconds",
        "measured",
        "exploitability",
        "nash_conv",
        "guaranteed_0",
        "guaranteed_1",
    )
    rows = [(10 * i, i / 4, i / 8, "exact", x, 2 * x, -x, -x) for i, x in enumerate(figures, 1)]
    if figures:
        run_folder.write_metrics([dict(zip(heading, row, strict=True)) for row in rows])
    return folder


class Page(HTMLParser):
    """The tables of a page as lists of rows of cells, its images, and all its other text."""

    def __init__(self, path):
        super().__init__()
        self.tables, self.images, self.words, self.links = [], [], [], []
        self.tags, self.last = set(), None
        self.feed(path.read_text())
        self.text = " ".join(self.words)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name in ("href", "src")]
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "img":
            self.images.append(dict(attrs))
        self.last = tag

    def handle_data(self, data):
        self.words.append(data)
        if self.last in ("td", "th"):
            self.tables[-1][-1][-1] += data

    def handle_endtag(self, tag):
        self.last = None


def last_row(folder):
    with open(folder / "metrics.csv", newline="") as file:
        return list(csv.DictReader(file))[-1]


def test_a_page_of_two_runs_holds_the_figures_of_their_metrics(real, tmp_path):
    written = write_report([real / "q", real / "cfr"], tmp_path / "new" / "report.html")
    assert written == (tmp_path / "new" / "report.html", tmp_path / "new" / "report.md", [])
    page = Page(written.page)
    groups, runs = page.tables
    assert [row[0] for row in groups] == ["algorithm", "CFR+", "minimax-Q"]
    for folder, group, row in ((real / "cfr", groups[1], runs[1]), (real / "q", groups[2], runs[2])):
        last, cells = last_row(folder), dict(zip(groups[0], group, strict=True))
        assert cells["exploitability"] == f"{float(last['exploitability']):.6f}"
        for player in (0, 1):
            assert float(cells[f"guaranteed to player_{player}"]) == round(float(last[f"guaranteed_{player}"]), 6)
        assert cells["interval (confidence)"] == ""
        cells = dict(zip(runs[0], row, strict=True))
        assert cells["run"] == folder.name
        assert cells["exploitability"] == f"{float(last['exploitability']):.6f}"
        assert cells["seconds"] == f"{float(last['seconds']):g}"
        assert cells["CPU seconds"] == f"{float(last['cpu_seconds']):g}"
        assert cells["steps"] == str(int(last["steps"]))
        assert cells["state"] == "finished"
    assert groups[1][3] == "25 iterations"
    assert groups[2][3] == "64 joint actions"
    assert groups[2][2] == "4"
    assert "Value to player_0 0.000000; uniform play's exploitability 0.500000" in page.text
    lines = [line for line in written.tables.read_text().splitlines() if line.startswith("| ")]
    assert lines[0].split(" | ")[5] == "exploitability"
    brief = {line.split(" | ")[0].removeprefix("| "): line.split(" | ")[5] for line in lines[2:]}
    assert brief == {group[0]: f"{float(group[6]):.4f}" for group in groups[1:]}


def test_the_same_runs_make_the_same_page_which_needs_nothing_else(real, tmp_path):
    first, second = (write_report([real / "cfr", real / "q"], tmp_path / name).page for name in ("a.html", "b.html"))
    assert first.read_bytes() == second.read_bytes()
    page = Page(first)
    assert not page.tags & {"script", "link", "iframe", "object"}
    (image,) = page.images
    kind, picture = image["src"].split(",")
    assert page.links == [image["src"]]
    assert kind == "data:image/svg+xml;base64"
    drawing = xml.dom.minidom.parseString(base64.b64decode(picture))
    assert drawing.documentElement.tagName == "svg"


def test_the_commands_repeat_the_runs(real, tmp_path, undrawn):
    page = write_report([real / "cfr", real / "q"], tmp_path / "report.html").tables.read_text()
    commands = [line for line in page.splitlines() if line.startswith("cardwar train")]
    assert len(commands) == 2
    for line, folder in zip(commands, ("cfr", "q"), strict=True):
        parameters, options, rest = split_words(shlex.split(line)[2:])
        config = read_run(real / folder).config
        assert game_from(rest[0], parameters) == GAME
        assert rest[1:] == []
        assert (options.pop("algorithm"), options.pop("seed", "0")) == (config["algorithm"], str(config["seed"]))
        assert options.pop("out") == str(real / folder)
        entry = ALGORITHMS[config["algorithm"]]
        again = entry.args(**fields_from(entry.args_type(), options, "it"))
        assert again == entry.args(**config["args"])
        usual = entry.defaults()
        assert not [name for name in options if getattr(again, name) == usual[name]], "no option has its default"


def test_a_short_run_is_repeated_without_its_interval(tmp_path):
    for steps, interval, words in ((50, 5, ["--steps=50"]), (50, 10, ["--steps=50", "--evaluate-every=10"])):
        run = read_run(made(tmp_path / str(interval), (0.1,) * (steps // interval)))
        run = replace(run, config={**run.config, "args": {"steps": steps, "evaluate_every": interval}})
        given = shlex.split(command_of(run))
        assert given == ["cardwar", "train", *run.config["title"].split(), "--algorithm=cfr_plus", *words, given[-1]]


@each_row("game", [GAME, make_game("war")])
def test_a_run_with_the_defaults_for_its_game_is_repeated_without_options(tmp_path, game):
    args, title = asdict(ALGORITHMS["ppo"].args(game)), game_in_words(game)
    given = shlex.split(command_of(read_run(made(tmp_path / title, title=title, algorithm="ppo", **args))))
    assert given[:-1] == ["cardwar", "train", *title.split(), "--algorithm=ppo"]


def test_a_folder_of_runs_holds_every_run_in_it(tmp_path, capsys, undrawn):
    made(tmp_path / "runs" / "a" / "deep", (0.3, 0.2))
    made(tmp_path / "runs" / "b", (0.3, 0.1), seed=1, learning_rate=0.1 + 0.2)
    made(tmp_path / "runs" / "b again", (0.3, 0.1), seed=1, learning_rate=0.1 + 0.2)
    made(tmp_path / "elsewhere")
    (tmp_path / "runs" / "link").symlink_to(tmp_path / "elsewhere")
    page = tmp_path / "report.html"
    code, _, err = command(capsys, "report", str(tmp_path / "runs"), str(tmp_path / "runs" / "b"), "--out", str(page))
    assert code == 0
    assert "left out: " in err, "the same run twice"
    assert "b again have the same configuration" in err
    groups, runs = Page(page).tables
    assert [row[1] for row in groups[1:]] == ["learning_rate=0.3", ""], "the best first, no long numbers"
    assert [row[0] for row in runs[1:]] == ["b", "a/deep"]
    (tmp_path / "none" / "in").mkdir(parents=True)
    assert "none contains no run: " in run_refused(capsys, "report", str(tmp_path / "none"), "--out", str(page))


def test_odd_names_are_shown_as_they_are(tmp_path):
    folder = made(tmp_path / "<i>run & co", title=ODD, label=f"_{ODD}", script="</pre><script>alert(1)</script>")
    made(tmp_path / "other", title=ODD, label=f"_{ODD}", script="none")
    written = write_report([folder, tmp_path / "other"], tmp_path / "report.html")
    page = Page(written.page)
    assert not page.tags & {"script", "b", "i"}
    assert f"_{ODD}" in [row[0] for row in page.tables[0]]
    assert folder.name in [row[0] for row in page.tables[1]]
    assert ODD in page.words
    assert page.images[0]["alt"] == f"Exploitability of {ODD} over steps and seconds"
    rows = [line for line in written.tables.read_text().splitlines() if line.startswith("| \\_")]
    assert len(rows) == 2
    # Columns are still seven: what is odd in a name is not taken for the end of a cell.
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {8}


def test_seeds_of_one_configuration_are_one_line(tmp_path):
    for seed, final in enumerate((0.05, 0.02, 0.04)):
        made(tmp_path / f"a{seed}", (0.3, final), seed=seed, reach=0)
    made(tmp_path / "b", (0.3, 0.07), reach=1)
    made(tmp_path / "c", (0.3, 0.08), label="PPO", algorithm="ppo")
    folders = [tmp_path / name for name in ("a2", "c", "a0", "b", "a1")]
    (game,) = arrange([read_run(folder) for folder in folders])
    assert [group.name for group in game.groups] == ["CFR+ reach=0", "CFR+ reach=1", "PPO"]
    assert [run.seed for run in game.groups[0].runs] == [0, 1, 2]
    assert [(steps, seconds, s.low, s.middle, s.high) for steps, seconds, s in game.groups[0].curve] == [
        (10, 0.125, 0.3, 0.3, 0.3),
        (20, 0.25, 0.02, 0.04, 0.05),
    ]
    written = write_report(folders, tmp_path / "report.html")
    table = Page(written.page).tables[0]
    assert table[1][1:3] == ["reach=0", "0, 1, 2"]
    assert table[1][5:] == ["0.2", "0.040000", "0.020000 to 0.050000 (75 %)", "-0.040000", "-0.040000", "80"]
    assert [row[1] for row in table[2:]] == ["reach=1", ""]


def test_seeds_that_go_past_the_step_that_is_due_are_one_curve(tmp_path):
    for seed, places in enumerate(([13, 20, 35], [11, 26, 31], [12, 22, 30])):
        folder = made(tmp_path / str(seed), (0.3, 0.2, (0.1, 0.11, 0.12)[seed]), seed=seed)
        heading, *lines = (folder / "metrics.csv").read_text().splitlines()
        lines = [",".join([str(steps), *line.split(",")[1:]]) for steps, line in zip(places, lines, strict=True)]
        (folder / "metrics.csv").write_text("\n".join([heading, *lines]) + "\n")
        seal(folder)
    (game,) = arrange([read_run(tmp_path / str(seed)) for seed in range(3)])
    assert [(steps, s.low, s.high) for steps, _, s in game.groups[0].curve] == [
        (12, 0.3, 0.3),
        (22, 0.2, 0.2),
        (31, 0.1, 0.12),
    ]


def test_brief_tables_have_the_best_first_and_what_is_not_known_last(tmp_path, undrawn):
    folders = [
        made(tmp_path / name, figures, label=label, algorithm=name)
        for name, label, figures in (("a", "A", ()), ("b", "B", (0.3,)), ("c", "C|D", (0.2,)), ("d", "E", (0.25,)))
    ]
    lines = write_report(folders, tmp_path / "report.html").tables.read_text().splitlines()
    rows = [line for line in lines if line.startswith("| ")][2:]
    assert [row.split(" | ")[0] for row in rows] == ["| C\\|D", "| E", "| B", "| A"]
    assert [row.split(" | ")[5] for row in rows] == ["0.2000", "0.2500", "0.3000", ""]
    assert table(["a|b"], [["c"]], cell=plain).splitlines()[0] == "| a\\|b |"


def test_no_other_file_is_taken_for_a_reports_tables(tmp_path, undrawn):
    folder, page = made(tmp_path / "a"), tmp_path / "README.html"
    page.with_suffix(".md").write_text("# Mine\n")
    with pytest.raises(ValueError, match=r"README\.md exists and is not a report"):
        write_report([folder], page)
    assert not page.exists()
    assert page.with_suffix(".md").read_text() == "# Mine\n"
    for _ in range(2):  # its own it replaces
        write_report([folder], tmp_path / "report.html")


def test_games_are_kept_apart(tmp_path, real):
    other = tmp_path / "other"
    args = ALGORITHMS["cfr_plus"].args(steps=4, evaluate_every=2)
    run(make_game("dice_poker", sides=3), "cfr_plus", args, other)
    page = Page(write_report([other, real / "cfr"], tmp_path / "report.html").page)
    assert len(page.tables) == 4
    assert len(page.images) == 2
    assert page.text.index("dice_poker sides=3") < page.text.index("jujitsu num_cards=3")


@each_row("count", range(2, 40))
def test_the_interval_is_that_of_the_quantile_test(count):
    found = median_interval([float(x) for x in range(count, 0, -1)])
    outside = sum(comb(count, i) for i in range(int(found.low))) / 2**count  # all or nearly all on one side
    assert found.confidence == pytest.approx(1 - 2 * outside)
    assert found.middle == (count + 1) / 2
    if count < 6:
        assert (found.low, found.high) == (1, count)
    else:
        expected = quantile_test(range(1, count + 1), p=0.5).confidence_interval(0.95)
        assert (found.low, found.high) == (expected.low, expected.high)
        assert found.confidence >= 0.95


def test_known_intervals():
    # Tables of the sign test: 6 figures, least and greatest, 96.9 %; 9 figures, second of each end, 96.1 %
    assert median_interval([1, 2, 3, 4, 5, 6]).confidence == pytest.approx(0.96875)
    assert median_interval(range(1, 10)) == MedianInterval(5, 2, 8, pytest.approx(0.9609375))
    assert median_interval([0.2]) == MedianInterval(0.2, 0.2, 0.2, 0.0)


def test_unfinished_runs_are_shown_as_such(tmp_path):
    def unfinished(name, seed, **changed):
        folder = made(tmp_path / name, (0.3, 0.01), seed=seed, **changed)
        change_config(folder, args__steps=30)

    made(tmp_path / "whole", (0.3, 0.2, 0.1), seed=0, reach=0)
    unfinished("half", 1, reach=0)
    unfinished("alone", 0, reach=1)
    made(tmp_path / "new", (), label="PPO", algorithm="ppo")
    folders = [tmp_path / name for name in ("whole", "half", "alone", "new")]
    groups, runs = Page(write_report(folders, tmp_path / "report.html").page).tables
    by_name = {(row[0], row[1]): row for row in groups[1:]}
    whole = by_name["CFR+", "reach=0"]
    assert whole[2:7] == ["0, 1 (1 unfinished, not counted)", "30 iterations", "0.8", "0.4", "0.100000"]
    assert by_name["CFR+", "reach=1"][2:7] == ["0 (1 unfinished)", "20 of 30 iterations", "0.5", "0.2", "0.010000"]
    new = next(row for row in groups if row[0] == "PPO")
    assert new[2:] == ["0 (1 unfinished)", "0 of 20 iterations, no evaluation yet", "", "", "", "", "", "", ""]
    assert [row[3] for row in runs[1:]].count("unfinished") == 3


def damaged(tmp_path, name, content):
    folder = made(tmp_path / "bad")
    if isinstance(content, bytes):
        (folder / name).write_bytes(content)
        seal(folder)
    else:
        change_config(folder, **content)
    return folder


HUGE = 10**400
METRICS = b"cpu_seconds,measured,steps,seconds,exploitability,nash_conv,guaranteed_0,guaranteed_1\n"
DAMAGE = [
    ("config.json", b"{", "config.json cannot be read: Expecting property name"),
    ("config.json", b"[" * 100_000, "it is nested too deeply"),
    ("config.json", b"\xff\xfe\x00", "config.json cannot be read"),
    ("config.json", b"{}", "its format (None) belongs to another version; this one reads 2"),
    ("config.json", {"format": 1, "args": 3}, "its format (1) belongs to another version; this one reads 2"),
    ("config.json", b'{"format": 2}', "game is missing"),
    ("config.json", {"colour": "red"}, "unknown name 'colour'; expected one of game, parameters, "),
    ("config.json", {"args__evaluate_every": 0}, "args.evaluate_every (0) must be at least 1"),
    ("config.json", {"args__evaluate_every": True}, "args.evaluate_every (True) must be an integer"),
    ("config.json", {"args__steps": HUGE}, "args.steps (100000…(401 digits))"),
    ("config.json", {"args__rate": {"a": 1}}, "args.rate: {'a': 1} must be a string, a number up to 9007199254740992"),
    ("config.json", {"args__rate": HUGE}, "args.rate: 1000000000"),
    ("config.json", {"args__rate": float("nan")}, "args.rate: nan must be a string, a number up to"),
    ("config.json", {"args": [1]}, "args ([1]) must be a table of names and values"),
    ("config.json", {"parameters": {"num_cards": {"a": 1}}}, "parameters.num_cards: {'a': 1} must be"),
    ("config.json", {"parameters": {"num_cards": [1, HUGE]}}, "parameters.num_cards: [1, 1000000000"),
    ("config.json", {"seed": -1}, "seed (-1) must be at least 0"),
    ("config.json", {"seed": HUGE}, "seed (100000…(401 digits))"),
    ("config.json", {"title": None}, "title (None) must be a string"),
    ("config.json", {"label": ["x"]}, "label (['x']) must be a string"),
    ("config.json", {"reference": None}, "reference (None) must be a table of names and values"),
    ("config.json", {"reference__value": float("inf")}, "reference.value (inf) must be a finite number"),
    ("config.json", {"reference__uniform_exploitability": -1}, "uniform_exploitability (-1.0) must be at least 0"),
    (
        "config.json",
        {"reference": {}},
        "must have uniform_nash_conv, or uniform_cce_gap, or value and uniform_exploitability",
    ),
    ("config.json", {"figure": "steps"}, "figure (steps) is not a figure of the kind 'exact'"),
    ("config.json", {"figure": "exploitability\x1b]0;owned\x07"}, "must contain only printable characters"),
    ("config.json", {"label": "x" * 10_001}, "at most 10000"),
    ("config.json", {"parameters": {"num_cards": [0] * 10_001}}, "at most 10000 letters or items"),
    ("config.json", {"args__opponent": "x" * 10_001}, "at most 10000 letters or items"),
    ("metrics.csv", b"measured,steps,exploitability\nexact,1,2\n", "rows[0].seconds is missing"),
    ("metrics.csv", b"measured,steps,exploitability\nexact,1,much\n", "metrics.csv cannot be read"),
    ("metrics.csv", b"steps\n", "rows ([]) must have at least 1 item"),
    ("metrics.csv", b"\xff\xfe", "metrics.csv cannot be read"),
    ("metrics.csv", METRICS + b"1,exact,10,1,nan,1,1,1\n", "rows[0]: exploitability (nan) must be a finite number"),
    ("metrics.csv", METRICS + b"1,exact,10,1,0.1,1,1,inf\n", "rows[0]: guaranteed_1 (inf) must be a finite number"),
    (
        "metrics.csv",
        METRICS + b"1,exact,10,1,0.1,1,1,1\n1,exact,-1,1,0.1,1,1,1\n",
        "rows[1].steps (-1.0) must be",
    ),
    ("metrics.csv", METRICS + b"1,exact,10,-1,0.1,1,1,1\n", "rows[0].seconds (-1.0) must be at least 0"),
    ("metrics.csv", METRICS + b"-1,exact,10,1,0.1,1,1,1\n", "rows[0].cpu_seconds (-1.0) must be at least 0"),
    (
        "metrics.csv",
        METRICS + b"2,exact,1,1,0.1,1,1,1\n1,exact,2,1,0.1,1,1,1\n",
        "row, and at least as many seconds",
    ),
    (
        "metrics.csv",
        METRICS + b"1,exact," + b"9" * 400 + b",1,0.1,1,1,1\n",
        "rows[0].steps (inf) must be a finite",
    ),
    ("metrics.csv", METRICS + b"1,exact,10,1,-0.1,1,1,1\n", "exploitability (-0.1) must be at least 0"),
    ("metrics.csv", METRICS + b"1,exact,10,1,0.1,-0.1,1,1\n", "nash_conv (-0.1) must be at least 0"),
    (
        "metrics.csv",
        METRICS + b"1,exact,10,1,0.1,1,1,1\n1,exact,10,2,0.1,1,1,1\n",
        "rows[1] must have more steps than",
    ),
    (
        "metrics.csv",
        METRICS + b"1,exact,1,1,0.1,1,1,1\n1,exact,2,-0.0,0.1,1,1,1\n",
        "row, and at least as many seconds",
    ),
    ("metadata.json", b"[]", "it is not a JSON object"),
    ("metadata.json", b"{}", "seed is missing"),
]


def test_whatever_is_wrong_in_a_file_is_one_line_with_the_file_and_the_place(tmp_path):
    for number, (name, content, message) in enumerate(DAMAGE):
        folder = damaged(tmp_path / str(number), name, content)
        with pytest.raises(ValueError, match=re.escape(message)) as error:
            read_run(folder)
        assert str(folder / name) in str(error.value)
        assert "\n" not in str(error.value)
        assert len(str(error.value)) < 500


@each_row(("name", "content", "message"), [DAMAGE[0], next(each for each in DAMAGE if each[1] == b"steps\n")])
def test_a_damaged_run_is_one_clear_error_and_nothing_is_written(tmp_path, capsys, undrawn, name, content, message):
    bad, good, page = (
        damaged(tmp_path / name, name, content),
        made(tmp_path / name / "good"),
        tmp_path / name / "p.html",
    )
    words = ("report", str(good), str(bad), "--out", str(page))
    said = run_refused(capsys, *words)
    assert message in said
    assert str(bad) in said
    assert not page.exists()
    code, out, err = command(capsys, *words, "--skip-damaged")
    assert (code, out) == (0, f"Page: {page}\nTables: {page.with_suffix('.md')}\n")
    assert err.startswith("cardwar: left out: ")
    assert str(bad) in err
    shown = Page(page)
    assert "Left out:" in shown.text
    assert str(bad) in shown.text
    assert len(shown.tables[1]) == 2


@each_row(
    ("where", "name"),
    [
        ("opponent", "x\n```\n# Not a heading"),
        ("opponent", "x\n`````\ncurl example.org | sh\n```\n# Not a heading"),
        ("title", "jujitsu\n```\n# Mine"),
    ],
)
def test_a_fence_in_a_name_does_not_end_the_block_of_commands(tmp_path, undrawn, where, name):
    folder = made(tmp_path / f"{where} {len(name)}", **{where: name})
    lines = write_report([folder], tmp_path / "report.html").tables.read_text().splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("```"))
    last = lines.index(lines[first], first + 1)
    assert set(lines[first]) == {"`"}
    assert not [line for line in lines[first + 1 : last] if line.startswith(lines[first])]
    assert shlex.split("\n".join(lines[first + 1 : last]))[:2] == ["cardwar", "train"]
    assert last == len(lines) - 1
    assert not [line for line in lines[:first] if line.startswith(("# ", "```"))]


def test_what_cannot_be_reported_on_is_refused(tmp_path):
    run_a, page = made(tmp_path / "a"), tmp_path / "report.html"
    with pytest.raises(ValueError, match="no run to report on"):
        write_report([], page)
    with pytest.raises(ValueError, match="does not exist"):
        write_report([tmp_path / "none"], page)
    with pytest.raises(ValueError, match="no run to report on"):
        write_report([tmp_path / "none"], page, skip_damaged=True)
    made(tmp_path / "twin")
    with pytest.raises(ValueError, match=r"a and .*twin have the same configuration and seed \(0\)"):
        write_report([run_a, tmp_path / "twin"], page)
    with pytest.raises(ValueError, match=r"must not end in .md"):
        write_report([run_a], tmp_path / "report.md")
    assert not page.exists()
    assert not list(tmp_path.glob("*.md"))
