"""Studies: what a file asks for, which runs are made, what is said of those that fail."""

import dataclasses
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import run as command
from filelock import lock_descriptor
from forked import finish, start
from rich.console import Console
from run_files import rows
from thinning import each_row

from cardwar_envs import GAMES, make_game
from train.algorithms.registry import ALGORITHMS
from train.runs.loop import run as learn
from train.storage.formats import FORMAT
from train.storage.run_folder import RunFolder
from train.studies import runner as study_runner
from train.studies.runner import State, StudyTask, seconds_left
from train.studies.study_file import StudyRun, read_study
from train.text.game_names import game_from
from train.text.parsing import fields_from, split_words

SHIPPED = sorted((Path(__file__).parents[3] / "studies").glob("*.toml"))

TITLE = "[new] seeds [/b] :smile:"  # shown as it is
TWO_SEEDS = f"""
title = "{TITLE}"
seeds = [0, 1]
[defaults.cfr_plus]
steps = 40
evaluate_every = 20
[[runs]]
games = ["jujitsu num_cards=3"]
algorithms = ["cfr_plus", "cfr_plus reach=1"]
"""
NAMES = [
    f"jujitsu-num_cards=3-{algorithm}-seed={seed}" for algorithm in ("cfr_plus", "cfr_plus-reach=1") for seed in (0, 1)
]

# Stands for `cardwar train`: takes no time, notes what it is asked for, and ends as the plan says.
PROGRAM = """
import hashlib, json, os, pathlib, signal, sys, time
words = sys.argv[1:]
folder = pathlib.Path(next(word for word in words if word.startswith("--out=")).removeprefix("--out="))
plan = json.loads(os.environ["PLAN"])
with open(plan["calls"], "a") as calls:
    calls.write(json.dumps([folder.name, "--resume" in words]) + "\\n")
end = plan["ends"].get(folder.name, "well")
if end == "together":
    deadline = time.monotonic() + 20
    while pathlib.Path(plan["calls"]).read_text().count("\\n") < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    end = "well" if time.monotonic() < deadline else "alone"
if end in ("well", "half"):
    folder.mkdir(exist_ok=True)
    steps = 40 if end == "well" else 20
    heading = "steps,seconds,cpu_seconds,measured,exploitability,nash_conv,guaranteed_0,guaranteed_1"
    files = {
        "config.json": json.dumps(plan["configs"][folder.name]),
        "metadata.json": json.dumps(plan["metadata"]),
        "metrics.csv": f"{heading}\\n{steps},{steps / 10},{steps / 20},exact,0.25,0.5,-0.25,-0.25\\n",
    }
    sums = [f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\\n" for name, text in files.items()]
    for name, text in [*files.items(), ("checksums.txt", "".join(sums))]:
        (folder / name).write_text(text)
if end == "well":
    (folder / "exploitability.png").touch()
elif end == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
elif end == "silent":
    sys.exit(3)
elif end not in ("half", "blind"):
    print(f"cardwar: it ended {end}", file=sys.stderr)
    sys.exit(2)
"""


class Pretended:
    """A study whose runs take no time."""

    def __init__(self, folder, monkeypatch, text=TWO_SEEDS):
        self.file, self.out, self.calls_file = folder / "study.toml", folder / "out", folder / "calls"
        self.file.write_text(text)
        program = folder / "program.py"
        program.write_text(PROGRAM)
        self.ends, self._patch = {}, monkeypatch
        self.configs = {run.name: config_of(run) for run in read_study(self.file).runs}
        monkeypatch.setattr(study_runner, "PROGRAM", (sys.executable, "-I", "-S", str(program)))
        monkeypatch.setattr(study_runner, "POLL_SECONDS", 0.01)
        monkeypatch.setattr("train.reports.curves.draw_game", lambda game: b"")  # the tests of reports look at pictures

    def __call__(self, capsys, *options):
        plan = {"calls": str(self.calls_file), "ends": self.ends, "configs": self.configs, "metadata": METADATA}
        self._patch.setenv("PLAN", json.dumps(plan))
        self.calls_file.write_text("")
        return command(capsys, "study", str(self.file), "--out", str(self.out), *options)

    @property
    def calls(self):
        return [tuple(json.loads(line)) for line in self.calls_file.read_text().splitlines()]


METADATA = {"seed": 0, "commit": None} | dict.fromkeys(
    ("created", "version", "platform", "python", "torch", "numpy"), "x"
)


def config_of(run):
    """What a run's folder says of it."""
    return {
        "format": FORMAT,
        **run.identity,
        "title": "jujitsu num_cards=3",
        "label": "CFR+",
        "step": "iterations",
        "measured": "exact",
        "figure": "exploitability",
        "reference": {"value": 0.0, "uniform_exploitability": 0.5},
    }


@pytest.fixture
def pretended(tmp_path, monkeypatch):
    return Pretended(tmp_path, monkeypatch)


def test_every_run_is_made_once_and_is_skipped_when_it_has_ended(pretended, capsys):
    code, out, err = pretended(capsys, "--dry-run")
    assert (code, err, pretended.calls) == (0, "", [])
    assert "4 new" in out
    assert not pretended.out.exists()
    code, out, err = pretended(capsys)
    assert code == 0
    assert pretended.calls == [(name, False) for name in NAMES]
    assert "4 finished" in out
    assert TITLE in out
    lines = err.splitlines()
    assert lines[0] == f"1 of 4, about 12 s left: {NAMES[0]}: exploitability 0.2500 after 40 steps, 4 s"
    assert lines[-1].startswith(f"4 of 4: {NAMES[-1]}: exploitability")
    text = (pretended.out / "report.md").read_text()
    assert text.count(" | 0, 1 | 40 iterations | ") == 2
    assert "0.2500 to 0.2500 (range of 2 seeds)" in text
    assert all(f"--out={pretended.out / name}" in text for name in NAMES)
    picture = pretended.out / NAMES[0] / "exploitability.png"
    picture.unlink()  # as if the run had been killed before it was drawn
    code, out, err = pretended(capsys)
    assert (code, err, pretended.calls) == (0, "", [])
    assert "4 finished" in out
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_run_that_was_stopped_is_resumed(pretended, capsys):
    pretended.ends = {NAMES[1]: "half", NAMES[2]: "half"}
    code, out, _ = pretended(capsys)
    assert code == 1
    assert "2 finished, 2 failed" in out
    (pretended.out / NAMES[2] / "metrics.csv").unlink()  # killed before its first evaluation
    code, out, _ = pretended(capsys, "--dry-run")
    assert "2 finished, 2 unfinished" in out
    assert "unfinished, 50 %" in out
    pretended.ends = {}
    code, _, _ = pretended(capsys)
    assert (code, pretended.calls) == (0, [(name, True) for name in NAMES[1:3]])


def test_runs_that_fail_are_named_and_stop_no_others(pretended, capsys):
    pretended.ends = dict.fromkeys(NAMES, "badly")
    code, out, _ = pretended(capsys)
    assert code == 1
    assert "4 failed" in out
    assert not (pretended.out / "report.html").exists(), "there is nothing to report on"
    pretended.ends = {NAMES[0]: "badly [as usual]", NAMES[1]: "killed", NAMES[2]: "silent"}
    code, out, err = pretended(capsys)
    assert code == 1
    assert len(pretended.calls) == 4
    for shown in (out, err):
        assert f"{NAMES[0]}: it ended badly [as usual]" in shown
        assert f"{NAMES[1]}: killed by signal 9" in shown
        assert f"{NAMES[2]}: exit code 3" in shown
    assert "3 failed, 1 finished" in out
    assert str(pretended.out / "logs" / f"{NAMES[0]}.log") in out
    assert NAMES[3] in (pretended.out / "report.html").read_text()
    assert f"--out={pretended.out / NAMES[0]}" not in (pretended.out / "report.md").read_text()
    pretended.ends = {}
    assert pretended(capsys)[0] == 0
    assert [name for name, _ in pretended.calls] == NAMES[:3]


PAGES = """
[presets.brief]
algorithm = "cfr_plus"
label = "CFR+ in a hurry"
steps = 40
evaluate_every = 10
[[runs]]
games = ["jujitsu num_cards=3"]
algorithms = ["cfr_plus steps=40", "brief"]
page = "hurry"
[[runs]]
games = ["jujitsu num_cards=3"]
algorithms = ["cfr_plus steps=40", "cfr_plus steps=40 reach=1"]
page = "reach"
"""


def test_a_report_of_several_pages_with_the_names_of_the_study(tmp_path, monkeypatch, capsys):
    study = Pretended(tmp_path, monkeypatch, PAGES)
    code, out, _ = study(capsys)
    assert (code, len(study.calls)) == (0, 3)  # one of the runs is on both pages
    hurry, reach = ((study.out / f"{page}.md").read_text() for page in ("hurry", "reach"))
    assert all(f"{page}.html" in out for page in ("hurry", "reach"))
    assert not (study.out / "report.html").exists()
    # What a name says need not be said beside it.
    for text, labels in ((hurry, {"CFR+", "CFR+ in a hurry"}), (reach, {"CFR+ reach=0", "CFR+ reach=1"})):
        assert {line.split(" | ")[0][2:] for line in text.splitlines() if line.startswith("| CFR")} == labels


@each_row(("pattern", "chosen"), [("reach=1", NAMES[2:]), ("*seed=1", NAMES[1::2]), (NAMES[3], NAMES[3:])])
def test_only_some(pretended, capsys, pattern, chosen):
    code, out, _ = pretended(capsys, "--only", pattern, "--dry-run", "--json")
    assert (code, [run["name"] for run in json.loads(out)["runs"]]) == (0, chosen)


def test_some_as_json_or_none(pretended, capsys):
    pretended.ends = {NAMES[0]: "badly"}
    code, out, _ = pretended(capsys, "--only", "*cfr_plus-seed=?", "--json")
    answer = json.loads(out)
    assert (code, answer["title"], pretended.calls) == (1, TITLE, [(name, False) for name in NAMES[:2]])
    assert [run["state"] for run in answer["runs"]] == ["failed", "finished"]
    assert answer["runs"][0]["reason"] == "it ended badly"
    assert answer["runs"][1]["last"]["exploitability"] == 0.25
    assert answer["pages"] == [str(pretended.out / "report.html")]
    code, out, err = pretended(capsys, "--only", "ppo")
    assert (code, out, pretended.calls) == (2, "", [])
    assert f"matches --only 'ppo'; a run is called, for example, {NAMES[0]}" in err


def test_progress_is_live_on_a_terminal(pretended, capsys, monkeypatch):
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=150, _environ={"TERM": "xterm"})
    monkeypatch.setattr("cardwar_cli.study.err", console)
    assert pretended(capsys, "--only", NAMES[0])[0] == 0
    assert TITLE in shown.getvalue()
    assert "\x1b[" in shown.getvalue()
    assert f"{NAMES[0]}: exploitability 0.2500" in shown.getvalue()


def test_a_folder_of_another_run_stops_the_study_before_it_begins(pretended, capsys):
    pretended(capsys, "--only", NAMES[3])
    pretended.file.write_text(TWO_SEEDS.replace("evaluate_every = 20", "evaluate_every = 10"))
    code, out, err = pretended(capsys)
    assert (code, out, pretended.calls) == (2, "", [])
    assert f"{pretended.out / NAMES[3]} contains a run with evaluate_every=20, not 10" in err


def test_jobs_work_at_once_and_a_damaged_folder_is_a_run_that_fails_and_stops_no_others(pretended, capsys):
    pretended.ends = dict.fromkeys(NAMES[:2], "together")
    assert pretended(capsys, "--jobs", "2")[0] == 0
    assert sorted(name for name, _ in pretended.calls) == sorted(NAMES)
    damaged = pretended.out / NAMES[1] / "metadata.json"
    (pretended.out / NAMES[0] / "config.json").write_text("{")
    damaged.write_text("[]")  # a run may not mind this
    pretended.ends = {NAMES[0]: "badly", NAMES[1]: "blind"}
    code, out, _ = pretended(capsys)
    assert (code, pretended.calls) == (1, [(NAMES[0], True), (NAMES[1], True)])
    assert "2 failed, 2 finished" in out
    assert f"Failed: {NAMES[1]}: {damaged} cannot be read: it is not a JSON object" in out


def test_two_studies_do_not_work_in_one_folder(pretended, capsys, monkeypatch):
    monkeypatch.setattr(study_runner, "PATIENCE_SECONDS", 0.0)
    pretended.out.mkdir()
    with open(pretended.out / ".lock", "w") as other:
        lock_descriptor(other.fileno())
        code, _, err = pretended(capsys)
    assert (code, pretended.calls) == (2, [])
    assert "another study is active in this folder" in err
    assert pretended(capsys, "--only", NAMES[0])[0] == 0


def test_names_say_what_was_written_and_the_nearest_argument_counts(tmp_path):
    (tmp_path / "a.toml").write_text("""
        seeds = [3]
        [defaults.ppo]
        entropy = 0.5
        steps = 100
        width = 7
        [presets.slow]
        algorithm = "ppo"
        steps = 300
        width = 8
        [[runs]]
        games = ["dinosaur_war payoff=win hand_0=1,2,3 hand_1=1,2,2", "jujitsu num_cards=3 view=word"]
        algorithms = ["ppo", "ppo  entropy=0.25"]
        args = { steps = 200, entropy = 1 }
        [[runs]]
        games = ["jujitsu view=word num_cards=3", "jujitsu"]
        algorithms = ["ppo"]
        args = { steps = 200, entropy = 1.0 }
        [[runs]]
        games = ["jujitsu"]
        algorithms = ["slow", "slow width=9"]
        args = { entropy = 2 }
    """)
    study = read_study(tmp_path / "a.toml")
    assert study.title == "a"
    assert [run.name for run in study.runs] == [
        "dinosaur_war-hand_0=1,2,3-hand_1=1,2,2-payoff=win-ppo-seed=3",
        "dinosaur_war-hand_0=1,2,3-hand_1=1,2,2-payoff=win-ppo-entropy=0.25-seed=3",
        "jujitsu-num_cards=3-view=word-ppo-seed=3",
        "jujitsu-num_cards=3-view=word-ppo-entropy=0.25-seed=3",
        "jujitsu-ppo-seed=3",  # the other game of the group has been asked for before
        "jujitsu-slow-seed=3",
        "jujitsu-slow-width=9-seed=3",
    ]
    assert [(run.args.entropy, run.args.steps, run.args.width) for run in study.runs[:2]] == [
        (1, 200, 7),
        (0.25, 200, 7),
    ]
    slow, wide = (run.args for run in study.runs[-2:])
    assert (slow.entropy, slow.steps, slow.width) == (2, 300, 8)
    assert wide == dataclasses.replace(slow, width=9)
    assert study.runs[2].game == make_game("jujitsu", num_cards=3, view="word")


GROUP = '[[runs]]\ngames = ["jujitsu num_cards=3"]\nalgorithms = ["cfr_plus"]\n'


@each_row(
    ("text", "message"),
    [
        ("seeds = [", "Invalid value"),
        ("seeds = " + 5000 * "[", "it is nested too deeply"),
        ("", "runs is missing"),
        ("seeds = [1, -1]\n" + GROUP, "seeds[1] (-1) must be at least 0"),
        (
            GROUP + GROUP + "game = 1",
            "runs[1]: unknown name 'game'; expected one of games, algorithms, seeds, args, page",
        ),
        (GROUP.replace("jujitsu", "chess"), "runs[0].games: unknown game 'chess'; known games are"),
        (GROUP.replace("num_cards=3", "num_cards=0"), "runs[0].games: num_cards (0) must be in 1..1000"),
        (GROUP.replace("num_cards=3", "3"), "runs[0].games: '3' must read KEY=VALUE"),
        (
            GROUP.replace("jujitsu num_cards=3", "openspiel:repeated_game(stage_game=nfg_game(filename=/dev/zero))"),
            "filename=/dev/zero))' names a file, which would be opened",
        ),
        (GROUP.replace('"jujitsu num_cards=3"', '" "'), "runs[0].games[0] (' ') must not be empty"),
        (GROUP.replace("cfr_plus", "sarsa"), "runs[0].algorithms: unknown algorithm 'sarsa'; expected one of"),
        (GROUP.replace("cfr_plus", "cfr_plus wings=2"), "algorithms: cfr_plus has no parameter 'wings'; it has"),
        (GROUP.replace("cfr_plus", "cfr_plus --steps 2"), "algorithms: 'cfr_plus --steps 2' must read NAME KEY=VALUE"),
        (GROUP + "args = { steps = [1] }", "runs[0].args.steps ([1]) must be a string"),
        (GROUP + "args = { steps = true }", "runs[0].algorithms: steps (True) must be an integer"),
        (GROUP + "page = '../all'", r"runs[0].page ('../all') must match ^[\w-]+$"),
        ("[defaults.sarsa]\nsteps = 2\n" + GROUP, "[defaults.sarsa]: unknown algorithm 'sarsa'"),
        ("[defaults.cfr_plus]\nwings = 2\n" + GROUP, "[defaults.cfr_plus]: cfr_plus has no parameter 'wings'"),
        ("[defaults.cfr_plus]\nsteps = 1e3\n" + GROUP, "[defaults.cfr_plus]: steps (1000.0) must be an integer"),
        ("[presets.ppo]\nalgorithm = 'ppo'\n" + GROUP, "[presets.ppo]: this is the name of an algorithm"),
        ("[presets.a]\nalgorithm = 'ppo'\nwings = 2\n" + GROUP, "[presets.a]: ppo has no parameter 'wings'"),
        (GROUP + GROUP + "args = { steps = 7 }", "two different runs would be called jujitsu"),
    ],
)
def test_a_bad_file_is_one_clear_line_with_the_place(tmp_path, text, message):
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=f"^{re.escape(str(file))}: .*{re.escape(message)}") as error:
        read_study(file)
    assert "\n" not in str(error.value)


@each_row(
    ("name", "content", "message"),
    [
        ("bad.toml", b"runs = 3", "bad.toml: runs (3) must be a list"),
        ("bytes.toml", b"\xff\xfe", "can't decode"),
        ("none.toml", None, "No such file"),
    ],
)
def test_a_file_that_is_no_study_is_an_error_before_anything_runs(tmp_path, capsys, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    code, out, err = command(capsys, "study", str(tmp_path / name), "--out", str(tmp_path / "out"))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert str(tmp_path / name) in err
    assert not (tmp_path / "out").exists()


def task(tmp_path, algorithm, steps, seconds):
    """A task of a run of 100 steps that has taken so many by now."""
    args = ALGORITHMS[algorithm].args(steps=100)
    made = StudyTask(StudyRun("run", make_game("jujitsu", num_cards=3), algorithm, "", args, 0), tmp_path)
    if steps:
        config = {"algorithm": algorithm, "args": {"steps": 100}}
        made.held = study_runner.Run(
            made.folder, config, [{"steps": steps, "seconds": seconds, "cpu_seconds": seconds}], None
        )
    return made


def test_the_estimate_goes_by_the_run_itself_then_by_those_like_it_then_by_all(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "config.json").touch()
    made = [
        task(tmp_path, "cfr_plus", 100, 30.0),
        task(tmp_path, "cfr_plus", 100, 10.0),
        task(tmp_path, "cfr_plus", 25, 1.0),  # 3 s left by its own pace
        task(tmp_path, "cfr_plus", 0, 0.0),  # the median of 30, 10 and 4
        task(tmp_path, "ppo", 0, 0.0),  # the same, as nothing is known of any like it
    ]
    assert [each.state for each in made] == [State.FINISHED] * 2 + [State.UNFINISHED] * 3
    assert seconds_left(made, made, 1) == pytest.approx(3 + 10 + 10)
    assert seconds_left(made, made, 2) == pytest.approx(23 / 2)
    assert seconds_left(made, made[3:4], 1) == pytest.approx(10)
    made[3].reason = "it failed"
    assert seconds_left(made, made, 1) == pytest.approx(3 + 10)
    assert seconds_left(made[3:], made[3:], 1) is None


@each_row("file", SHIPPED)
def test_a_shipped_study_asks_for_what_there_is(file, tmp_path):
    study = read_study(file)
    assert study.title != file.stem
    assert len({run.name for run in study.runs}) == len(study.runs)
    for run in study.runs:
        assert GAMES[run.game.facts.name](**run.game.parameters()) == run.game
        assert type(run.args) is ALGORITHMS[run.algorithm].args_type()
        # `cardwar train` understands the words as this very run.
        parameters, options, (game, *rest) = split_words(run.words(tmp_path / run.name)[1:])
        assert (game_from(game, parameters), rest) == (run.game, [])
        assert (options.pop("algorithm"), int(options.pop("seed"))) == (run.algorithm, run.seed)
        assert options.pop("out") == str(tmp_path / run.name)
        entry = ALGORITHMS[run.algorithm]
        assert entry.args(**fields_from(entry.args_type(), options, run.algorithm)) == run.args
        assert run.args.evaluate_every <= run.args.steps


def test_the_studies_are_there():
    files = {file.stem: file for file in SHIPPED}
    assert list(files) == ["hidden_bids", "quick", "standings", "standings_tuning"]
    asked = {run.algorithm for run in read_study(files["standings"]).runs}
    no_ways_to_learn_a_game, without_entries = {"best_response", "dqn_response"}, {"alphazero"}
    assert asked == ALGORITHMS.keys() - no_ways_to_learn_a_game - without_entries


def test_a_command_that_is_asked_to_ends_with_its_standard_input(tmp_path):
    reader, writer = os.pipe()

    def held_open():
        os.close(writer)
        os.dup2(reader, 0)
        os.environ["CARDWAR_END_WITH_STDIN"] = "1"

    words = ["train", "jujitsu", "num_cards=3", "--algorithm=cfr_plus", "--steps=100000000", "--evaluate-every=100"]
    child, errors = start(*words, f"--out={tmp_path / 'run'}", before=held_open)
    deadline = time.monotonic() + 60
    while "CFR+ on jujitsu num_cards=3: 100 steps" not in errors.read_text() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert os.waitpid(child, os.WNOHANG) == (0, 0), "it goes on"
    os.close(writer)
    assert finish(child, errors)[0] == 1
    os.close(reader)


@pytest.mark.slow
def test_the_quick_study_killed_in_the_middle_goes_on_with_the_same_command(tmp_path):
    file = next(file for file in SHIPPED if file.stem == "quick")
    runs = read_study(file).runs
    words = [sys.executable, "-m", "cardwar_cli.main", "study", str(file), "--out", str(tmp_path / "out")]
    for number in (0, 1):
        metrics = tmp_path / "out" / runs[number].name / "metrics.csv"
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as study:
            while not metrics.exists() and study.poll() is None:
                time.sleep(0.02)
            children = Path(f"/proc/{study.pid}/task/{study.pid}/children").read_text().split()
            study.send_signal(signal.SIGKILL)
        deadline = time.monotonic() + 30
        while any(os.path.exists(f"/proc/{child}") for child in children):
            assert time.monotonic() < deadline, "a run outlives its study"
            time.sleep(0.05)
        assert not (tmp_path / "out" / runs[-1].name).exists()
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "report.html").exists()
    first = runs[0]
    learn(first.game, first.algorithm, first.args, tmp_path / "unbroken", seed=first.seed)
    assert rows(tmp_path / "out" / first.name) == rows(tmp_path / "unbroken")
    assert dataclasses.asdict(first.args) == RunFolder(tmp_path / "out" / first.name).config()["args"]
