"""Unfinished runs: their newest policy counts everywhere, with a label that says how far it is."""

import shlex
import shutil

import pytest
from command import run, run_json, run_refused

import baselines
from cardwar_envs import make_game
from cardwar_play.seating import table_for
from train.algorithms.registry import ALGORITHMS
from train.policies.files import POLICY_FILE, load_policy
from train.runs import loop
from train.storage.archive import Archive, read_archive, write_archive
from train.storage.run_folder import RunFolder

GAME, WORDS = make_game("jujitsu", num_cards=3), ["jujitsu", "num_cards=3"]
ARGS = ALGORITHMS["cfr_plus"].args(steps=30, evaluate_every=10)
LABEL = "unfinished: 20 of 30 steps"


def interrupted(out, after):
    """A run that is interrupted once it has so many steps."""

    def interrupt(row):
        if row["steps"] == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        loop.run(GAME, "cfr_plus", ARGS, out, sinks=[interrupt])
    return out


@pytest.fixture(scope="module")
def half(tmp_path_factory):
    """The folder of an unfinished run, for tests that copy or only read it."""
    return interrupted(tmp_path_factory.mktemp("half") / "run", 20)


def test_its_policy_is_that_of_its_last_evaluation(half):
    policy, last = load_policy(half, GAME), RunFolder(half).read_metrics()[-1]
    assert policy.unfinished == (20, 30) == (last["steps"], ARGS.steps)
    assert baselines.nash_conv(GAME, policy).total == last["nash_conv"]


def test_commands_take_it_and_label_it(half, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(half.parent)
    monkeypatch.setattr("train.reports.playoffs_files.draw", lambda result: b"")
    named, last = f"run ({LABEL})", RunFolder(half).read_metrics()[-1]
    answer = run_json(capsys, "exploit", *WORDS, "--policy=run")
    assert (answer["policy"], answer["nash_conv"]) == (named, last["nash_conv"])
    assert run_json(capsys, "match", *WORDS, "run", "uniform")["policies"] == [named, "uniform"]
    for words in (
        ["exploit", *WORDS, "--policy=run"],
        ["match", *WORDS, "run", "run"],
        ["watch", *WORDS, "run", "run"],
    ):
        assert named in " ".join(run(capsys, *words)[1].split())
    assert table_for(GAME, 0, ["run"], None).opponents == {1: named}
    for given in ("run", str(half.parent)):
        words = ["playoffs", *WORDS, given, "uniform", "--out", str(tmp_path / "out")]
        assert run_json(capsys, *words)["policies"] == [f"CFR+ ({LABEL})", "uniform"]


def test_a_file_that_is_copied_keeps_its_label(half, tmp_path):
    shutil.copy(half / POLICY_FILE, tmp_path / "mine")
    assert str(load_policy(tmp_path / "mine", GAME).unfinished) == LABEL


def test_without_a_policy_the_error_has_the_command_that_resumes_the_run(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("train.reports.curves.plot_runs", lambda *_: None)
    out = interrupted(tmp_path / "a run", 10)
    for path in (out / POLICY_FILE, out / "checkpoint.safetensors", out / "metrics.csv"):
        path.unlink()
    told = run_refused(capsys, "exploit", *WORDS, "--policy", str(out))
    assert "stopped before the first evaluation" in told
    _, *words = shlex.split(told.partition("resume it with ")[2])
    assert run(capsys, *words)[0] == 0
    assert run_json(capsys, "exploit", *WORDS, "--policy", str(out))["policy"] == str(out)


def test_steps_that_are_no_number_of_steps_are_one_clear_error(half, tmp_path):
    tensors, data = read_archive(half / POLICY_FILE)
    for changed in ({"steps": "many"}, {"steps": -1}, {"run": {}}):
        write_archive(tmp_path / "odd", Archive(tensors, {**data, **changed}))
        with pytest.raises(ValueError, match=r"odd does not contain a valid policy .* must be integers"):
            load_policy(tmp_path / "odd", GAME)
