"""Runs: what they leave, how they go on after a kill, what they refuse."""

import io
import json
import math
import multiprocessing
import shutil
import time
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
import torch
from run_files import contents, is_killed_after, rows
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from thinning import each_row

from cardwar_envs import make_game
from cardwar_envs.games.jujitsu import Jujitsu
from train.algorithms.registry import ALGORITHMS
from train.policies.files import load_policy
from train.runs.log import ExploitabilityLog
from train.runs.loop import reproducible, run
from train.storage.archive import read_archive, write_archive
from train.storage.run_folder import RunFolder
from train.text.game_names import game_in_words

GAME = make_game("jujitsu", num_cards=3)
SMALL = {
    "minimax_q": {"num_games": 4, "replay_size": 64, "batch_size": 8, "width": 8, "memory": 64},
    "fitted_value": {"num_states": 20, "batch_size": 8, "width": 8},
    "ppo": {"num_games": 20, "rollout": 5, "batch_size": 100, "epochs": 1, "width": 8},
    "cfr_plus": {},
}
SMALL = {name: {"steps": 320, "evaluate_every": 100, **values} for name, values in SMALL.items()}


def small_run(out, algorithm="minimax_q", game=GAME, seed=0, resume=False, echo=None, **changed):
    args = ALGORITHMS[algorithm].args(**SMALL[algorithm] | changed)
    return run(game, algorithm, args, out, seed=seed, resume=resume, echo=echo)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run, for tests that copy or only read it."""
    out = tmp_path_factory.mktemp("finished") / "run"
    small_run(out)
    return out


@pytest.fixture
def copied(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "run")


@pytest.mark.parametrize("algorithm", ["ppo", "fitted_value"])
def test_a_run_leaves_all_that_belongs_to_it(tmp_path, algorithm):
    result = small_run(tmp_path / "run", algorithm, seed=7)
    folder = RunFolder(tmp_path / "run")
    assert folder.config()["parameters"]["num_cards"] == 3
    assert folder.config()["args"]["steps"] == 320
    metadata = json.loads((folder.path / "metadata.json").read_text())
    assert metadata["seed"] == 7
    assert {"created", "version", "commit", "platform", "torch"} <= metadata.keys()
    written = folder.read_metrics()
    assert [row["steps"] for row in written] == sorted(row["steps"] for row in written)
    assert len(written) == 4
    assert written[-1]["exploitability"] == result.figures["exploitability"]
    assert written[-1]["nash_conv"] == pytest.approx(2 * result.figures["exploitability"])
    assert (result.steps, result.seconds) == (written[-1]["steps"], written[-1]["seconds"])
    assert load_policy(folder.path, GAME).kind == result.policy.kind
    assert not (folder.path / "exploitability.png").exists()  # whoever starts a run draws its picture
    assert f"{result.figures['exploitability']:.4f} payoff points" in result.verdict
    assert not list(folder.path.glob(".*"))


def test_a_run_killed_at_any_write_goes_on_as_if_nothing_had_happened(tmp_path):
    small_run(tmp_path / "unbroken", "ppo", steps=200)
    for writes_before in range(100):
        out = tmp_path / str(writes_before)
        if not is_killed_after(writes_before, small_run, out, "ppo", steps=200):
            break
        if (out / "policy.safetensors").exists():
            assert load_policy(out, GAME).unfinished in ((100, 200), None)
        small_run(out, "ppo", steps=200, resume=(out / "config.json").exists())
        assert load_policy(out, GAME).unfinished is None
        assert rows(out) == rows(tmp_path / "unbroken")
        steps = [event.step for event in events(out)]
        assert steps == [row["steps"] for row in rows(out)]
    assert writes_before == 13  # config, metadata; 2 checkpoints, policies and metrics; 5 times checksums


def events(out):
    accumulator = EventAccumulator(str(out / "tensorboard"))
    accumulator.Reload()
    return accumulator.Scalars("exact/exploitability")


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_is_killed_goes_on_to_the_rows_of_an_unbroken_one(tmp_path):
    changed = {"algorithm": "cfr_plus", "steps": 1000, "evaluate_every": 20}
    small_run(tmp_path / "unbroken", **changed)
    out = tmp_path / "killed"
    process = multiprocessing.get_context("fork").Process(target=small_run, args=(out,), kwargs=changed)
    process.start()
    while process.is_alive() and len_rows(out) <= 2:
        time.sleep(0.001)
    process.kill()
    process.join()
    assert 2 < len_rows(out) < 50
    small_run(out, resume=True, **changed)
    assert rows(out) == rows(tmp_path / "unbroken")


def len_rows(out):
    path = out / "metrics.csv"
    return path.read_text().count("\n") - 1 if path.exists() else 0


def test_a_finished_run_that_is_resumed_returns_its_result(copied):
    before = RunFolder(copied).read_metrics()
    assert [row["seconds"] for row in before] == sorted(row["seconds"] for row in before)
    result = small_run(copied, resume=True)
    assert RunFolder(copied).read_metrics() == before
    assert result.seconds == before[-1]["seconds"]


@each_row(
    ("changed", "message"),
    [
        ({}, "already contains a run; resume it or choose another folder"),
        ({"resume": True, "width": 9}, "width=8, not 9"),
        ({"resume": True, "seed": 1}, "seed=0, not 1"),
        ({"resume": True, "algorithm": "ppo"}, "algorithm='minimax_q', not 'ppo'"),
        ({"resume": True, "game": make_game("jujitsu", num_cards=2)}, "num_cards=3, not 2"),
        ({"resume": True, "game": make_game("dinosaur_war", num_cards=3)}, "game='jujitsu', not 'dinosaur_war'"),
    ],
)
def test_a_run_in_the_way_is_named_and_left_as_it_is(finished, changed, message):
    before = contents(finished)
    with pytest.raises(ValueError, match=message):
        small_run(finished, **changed)
    assert contents(finished) == before


ANOTHER, WRONG = "belongs to another run, with ", r"was written by another version \("


@each_row(
    ("change", "message"),
    [
        (lambda tensors, data: data["run"].update(seed=1), f"{ANOTHER}seed=1, not 0"),
        (lambda tensors, data: data["run"]["parameters"].update(num_cards=2), f"{ANOTHER}num_cards=2, not 3"),
        (
            lambda tensors, data: tensors.update({"learner.x": tensors["generator"].clone()}),
            f"{WRONG}ValueError: either the checkpoint or this version lacks x",
        ),
        (lambda tensors, data: data.pop("run"), f"{WRONG}run is missing"),
        (
            lambda tensors, data: data["rows"][0].update(nash_conv=float("nan")),
            rf"{WRONG}rows\[0\]: nash_conv \(nan\) must be a finite",
        ),
        (lambda tensors, data: data["rows"][1].update(q_loss=[1]), rf"{WRONG}rows\[1\].q_loss \(\[1\]\) must be a num"),
        (lambda tensors, data: data["generator"].__setitem__(0, "PCG64"), rf"{WRONG}generator\[0\]"),
        (
            lambda tensors, data: data["generator"].__setitem__(2, -1),
            rf"{WRONG}generator\[2\] \(-1\) must be at least 0",
        ),
        (lambda tensors, data: data["generator"][1].pop(), rf"{WRONG}generator\[1\] .* at least 624 item"),
    ],
)
def test_a_checkpoint_that_is_whole_but_wrong_is_one_clear_error(finished, tmp_path, change, message):
    folder = shutil.copytree(finished, tmp_path / "run", dirs_exist_ok=True)
    path = folder / "checkpoint.safetensors"
    archive = read_archive(path)
    change(*archive)
    write_archive(path, archive)
    before = contents(folder)
    with pytest.raises(ValueError, match=rf"checkpoint.* {message}.*another folder"):
        small_run(folder, resume=True)
    assert contents(folder) == before


def test_there_must_be_a_run_to_resume_and_room_for_a_new_one(tmp_path):
    for out in (tmp_path, tmp_path / "missing"):
        with pytest.raises(ValueError, match="contains no run to resume"):
            small_run(out, resume=True)
    (tmp_path / "thesis.tex").write_text("All of it.")
    with pytest.raises(ValueError, match="contains other files"):
        small_run(tmp_path)
    with pytest.raises(ValueError, match="is not a folder"):
        small_run(tmp_path / "thesis.tex")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("terminal", [False, True])
def test_progress_is_a_live_line_on_a_terminal_and_a_line_per_evaluation_elsewhere(tmp_path, monkeypatch, terminal):
    monkeypatch.setenv("TERM", "xterm")
    echo = io.StringIO()
    echo.isatty = lambda: terminal
    small_run(tmp_path / "run", echo=echo)
    shown = echo.getvalue()
    assert ("\x1b[" in shown) == terminal  # the line is redrawn in place
    assert "exploitability 0." in shown
    if not terminal:
        assert len(shown.splitlines()) == 4
        assert shown.startswith("minimax-Q on jujitsu num_cards=3: 100 steps, exploitability 0.")


def test_a_run_leaves_the_generators_of_its_caller_alone(tmp_path):
    np.random.seed(5)
    torch.manual_seed(5)
    expected = np.random.random(), torch.rand(1)
    np.random.seed(5)
    torch.manual_seed(5)
    small_run(tmp_path / "run")
    assert (np.random.random(), torch.rand(1)) == expected


def test_a_run_rounds_denormal_numbers_to_0_and_its_caller_does_not():
    tiny = torch.full((8,), 1e-38)
    with reproducible(0):
        assert not (tiny / 10).any()
    assert (tiny / 10).all()


def test_arguments_that_do_not_fit_are_refused_before_anything_is_written(tmp_path):
    args = ALGORITHMS["ppo"].args(**SMALL["ppo"])
    with pytest.raises(ValueError, match="args must be the arguments of minimax_q"):
        run(GAME, "minimax_q", args, tmp_path / "run")
    with pytest.raises(
        ValueError, match=r"unknown algorithm 'dqn' .*; expected one of minimax_q, minimax_q_model, fitted"
    ):
        run(GAME, "dqn", args, tmp_path / "run")
    with pytest.raises(ValueError, match=r"seed \(-1\) must be in 0..4294967295"):
        run(GAME, "ppo", args, tmp_path / "run", seed=-1)
    assert not list(tmp_path.iterdir())


@dataclass(frozen=True)
class Bonus(Jujitsu, keeps_claims=True):
    """Jujitsu with a parameter of any kind."""

    bonus: object = 2**53


@pytest.mark.parametrize("bonus", [2**53 + 1, math.inf, Fraction(1, 3)])
def test_a_parameter_that_could_not_be_read_again_is_refused_before_any_work(tmp_path, monkeypatch, bonus):
    monkeypatch.setattr("train.runs.loop.measure_for", pytest.fail)
    monkeypatch.setattr("train.runs.log._measure", pytest.fail)
    game = Bonus(num_cards=3, bonus=bonus)
    for start in (lambda out: small_run(out, game=game), lambda out: ExploitabilityLog(game, out, label="mine")):
        with pytest.raises(ValueError, match=r"parameters\.bonus: .* must be a string, a number|parameters cannot be"):
            start(tmp_path / "run")
    assert not list(tmp_path.iterdir())


def test_the_largest_parameter_is_read_again(tmp_path):
    small_run(tmp_path / "run", "cfr_plus", game=Bonus(num_cards=3))
    assert RunFolder(tmp_path / "run").config()["parameters"]["bonus"] == 2**53


def test_a_game_is_named_by_as_few_words_as_make_it():
    assert game_in_words(make_game("jujitsu")) == "jujitsu"
    assert game_in_words(GAME) == "jujitsu num_cards=3"
    assert game_in_words(make_game("dice_wars", num_cards=2, sides=4)) == "dice_wars num_cards=2 sides=4"
    unlike = make_game("dinosaur_war", hand_0=(2, 3, 6), hand_1=(1, 3, 5))
    assert game_in_words(unlike) == "dinosaur_war hand_0=2,3,6 hand_1=1,3,5"
