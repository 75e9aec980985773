"""Logs of learners of one's own: run folders like ours, from any policy."""

import os
from types import SimpleNamespace

import numpy as np
import pytest
from pydantic import TypeAdapter
from thinning import each_row
from toys import Answering, uniform_over

from baselines import exploitability, nash_conv
from cardwar_cli.main import main
from cardwar_envs import make_game
from train.policies.files import POLICY_FILE, load_policy
from train.reports.curves import Curve, plot_runs
from train.reports.groups import read_run
from train.reports.page import write_report
from train.runs.log import ExploitabilityLog
from train.runs.sinks import wandb_sink
from train.storage.alone import alone_in
from train.storage.formats import Place
from train.storage.run_folder import RunFolder

GAME = make_game("jujitsu", num_cards=3)
SHARES = (0.1, 0.5, 0.9)


def leaning(share):
    """Between uniform play and the highest card: a share of the latter."""

    def answer(observations, masks):
        highest = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        return (1 - share) * uniform_over(masks) + share * np.eye(masks.shape[1])[highest]

    return Answering(answer)


@pytest.fixture
def log(tmp_path):
    made = ExploitabilityLog(GAME, tmp_path / "mine", label="leaning")
    for turn, share in enumerate(SHARES, start=1):
        made.record(100 * turn, leaning(share))
    return made


def test_rows_are_exact_and_stand_in_the_folder(log):
    figures = [row["exploitability"] for row in log.rows]
    assert figures == [exploitability(GAME, leaning(share)) for share in SHARES]
    assert (log.measured, log.steps) == ("exact", 300)
    assert RunFolder(log.folder).read_metrics() == log.rows
    assert [row["steps"] for row in log.rows] == [100, 200, 300]
    assert read_run(log.folder).finished


def test_the_newest_policy_is_kept(log):
    assert exploitability(GAME, load_policy(log.folder, GAME)) == log.rows[-1]["exploitability"]
    log.record(400, "uniform")  # it stands for itself, and nothing is asked of it that could be kept
    with pytest.raises(ValueError, match="contains no learned policy"):
        load_policy(log.folder, GAME)


def test_a_log_goes_on_after_a_kill(log, monkeypatch):
    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            log.record(400, leaning(1.0))
    again = ExploitabilityLog(GAME, log.folder, label="leaning")
    assert again.rows == log.rows
    assert again.record(400, leaning(1.0))["seconds"] >= again.rows[-2]["seconds"]
    with pytest.raises(ValueError, match=r"steps \(400\) must be more than 400"):
        again.record(400, leaning(1.0))
    again.rewind(250)
    assert RunFolder(log.folder).read_metrics() == log.rows[:2]
    with pytest.raises(ValueError, match=r"steps \(99\) must be at least 100"):
        again.rewind(99)


@each_row(
    ("game", "given", "message"),
    [
        (make_game("jujitsu", num_cards=4), {}, "num_cards=3, not 4"),
        (make_game("dice_poker"), {}, "game='jujitsu', not 'dice_poker'"),
        (GAME, {"label": "other"}, "label='leaning', not 'other'"),
        (GAME, {"seed": 1}, "seed=0, not 1"),
        (GAME, {"seed": -1}, r"seed \(-1\) must be in 0"),
        (GAME, {"label": ""}, r"label \(''\) must be a name"),
        (GAME, {"measure": "auto"}, r"measure \('auto'\) must be one of exact, cce_gap, bound, matches"),
        (make_game("war"), {}, 'measure="matches" records matches'),
    ],
)
def test_another_log_is_refused(tmp_path, game, given, message):
    if not (tmp_path / "mine").exists():
        ExploitabilityLog(GAME, tmp_path / "mine", label="leaning")
    with pytest.raises(ValueError, match=message):
        ExploitabilityLog(game, tmp_path / "mine", **{"label": "leaning", **given})


def test_a_row_before_learning_is_step_0(log, tmp_path):
    early = ExploitabilityLog(GAME, tmp_path / "early", label="leaning", seed=1)
    early.record(0, leaning(0.0))
    with pytest.raises(ValueError, match=r"steps \(0\) must be more than 0"):
        early.record(0, leaning(0.0))
    early.record(200, leaning(0.5))
    again = ExploitabilityLog(GAME, early.folder, label="leaning", seed=1)
    assert [row["steps"] for row in again.rows] == [0, 200]
    written = write_report([early.folder], tmp_path / "report.html")  # a logarithm has no 0
    assert "| leaning | 1 | 200 training steps |" in written.tables.read_text()
    again.rewind(0)
    assert write_report([again.folder, log.folder], tmp_path / "report.html").page.exists()


def test_two_logs_do_not_write_over_each_other(log):
    second = ExploitabilityLog(GAME, log.folder, label="leaning")
    with alone_in(log.folder), pytest.raises(ValueError, match="another run is active in this folder"):
        log.record(400, leaning(1.0))
    second.record(400, leaning(1.0))
    policy = (log.folder / POLICY_FILE).read_bytes()
    for write in (lambda: log.record(500, "uniform"), lambda: log.rewind(100)):
        with pytest.raises(ValueError, match="differ from those of this log"):
            write()
    assert RunFolder(log.folder).read_metrics() == second.rows
    assert (log.folder / POLICY_FILE).read_bytes() == policy


def test_a_stored_policy_is_named_as_on_the_command_line(log, tmp_path):
    other = ExploitabilityLog(GAME, tmp_path / "other", label="other")
    row = other.record(1, str(log.folder))
    assert row["exploitability"] == log.rows[-1]["exploitability"]
    assert other.record(2, str(log.folder / POLICY_FILE))["exploitability"] == row["exploitability"]


def test_a_policy_that_answers_wrongly_leaves_no_row(log):
    with pytest.raises(ValueError, match="policy Answering: probability"):
        log.record(400, leaning(3.0))
    assert len(RunFolder(log.folder).read_metrics()) == len(log.rows) == 3


def test_reports_play_offs_and_pictures_take_logs(log, tmp_path):
    other = ExploitabilityLog(GAME, tmp_path / "other", label="leaning", seed=1)
    other.record(100, leaning(0.3))
    report = write_report([log.folder, other.folder], tmp_path / "report.html")
    tables = report.tables.read_text()
    assert "| leaning | 0, 1 | 200 training steps |" in tables
    assert f"# leaning, seed 1: recorded in {other.folder} by ExploitabilityLog" in tables
    figure = plot_runs([log.folder, ("by hand", [(1, 0.5), (300, 0.2)]), Curve("more", [(5, 0.1)])])
    labels = figure.axes[0].get_legend_handles_labels()[1]
    assert [label.partition(":")[0] for label in labels[:3]] == ["leaning, seed 0", " by hand", " more"]
    with pytest.raises(SystemExit) as ended:
        main(["playoffs", "jujitsu", "num_cards=3", str(log.folder), "uniform", "--out", str(tmp_path / "off")])
    assert not ended.value.code


@each_row("curve", [("mine", []), ("mine", [(1, float("nan"))]), ("mine", [1, 2]), 7, ("mine", "ab")])
def test_what_is_no_curve_is_refused(log, curve):
    with pytest.raises(ValueError, match="must be a label and pairs of steps and value"):
        plot_runs([log.folder, curve])


def test_other_figures_are_named(tmp_path):
    for_three = make_game("war", num_players=3, ranks=2, discards=0, max_rounds=2)
    log = ExploitabilityLog(for_three, tmp_path / "three", label="mine", step="games")
    assert log.record(1, leaning(0.5))["nash_conv"] == nash_conv(for_three, leaning(0.5)).total
    matches = ExploitabilityLog(make_game("war", ranks=3, discards=1), tmp_path / "war", label="m", measure="matches")
    row = matches.record(1, leaning(0.5))
    assert row["measured"] == matches.measured == "matches"
    assert row["payoff_uniform_low"] <= row["payoff_uniform"] <= row["payoff_uniform_high"]


def test_sinks_get_each_row_after_it_is_written(tmp_path):
    logged = []
    tracker = SimpleNamespace(log=lambda figures, step: logged.append((step, figures)))
    log = ExploitabilityLog(GAME, tmp_path / "mine", label="mine", sinks=[wandb_sink(tracker)])
    row = log.record(10, leaning(0.5))
    ((step, figures),) = logged
    assert step == 10
    assert figures["exact/exploitability"] == row["exploitability"]
    assert figures["learning/seconds"] == row["seconds"]
    assert not {"exact/steps", "learning/measured"} & figures.keys()


@pytest.mark.slow  # it starts a process of its own
def test_weights_and_biases_without_a_network(tmp_path):
    wandb = pytest.importorskip("wandb", reason="needs the extra wandb")
    with wandb.init(mode="offline", dir=tmp_path, settings=wandb.Settings(silent=True)) as run:
        ExploitabilityLog(GAME, tmp_path / "mine", label="mine", sinks=[wandb_sink(run)]).record(10, leaning(0.5))
    (written,) = tmp_path.rglob("*.wandb")
    assert b"exact/exploitability" in written.read_bytes()


def test_an_error_names_the_policy_that_was_handed_over(tmp_path):
    moody = Answering(lambda seen, masks: uniform_over(masks * np.random.default_rng().random(masks.shape)))
    with pytest.raises(ValueError, match="policy Answering: two answers to the same query"):
        ExploitabilityLog(make_game("jujitsu", num_cards=3), tmp_path / "log", label="mine").record(1, moody)


def test_a_disk_that_cannot_lock_folders_is_used_without_a_lock(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError("no locks")

    monkeypatch.setattr("train.storage.alone.lock_descriptor", refuse)
    with alone_in(tmp_path):
        pass


def test_a_stored_generator_stands_within_its_key():
    """numpy itself reads beyond the key."""
    assert TypeAdapter(Place).validate_python(624) == 624
    with pytest.raises(ValueError, match="624"):
        TypeAdapter(Place).validate_python(625)
