"""Budgets of CPU seconds: what counts, when a run stops and is evaluated, and how it goes on."""

import time

import numpy as np
import pytest
from run_files import is_killed_after

from cardwar_envs import make_game
from cardwar_envs.core.process import Stopwatch
from train.algorithms.registry import ALGORITHMS
from train.policies.files import load_policy
from train.policies.learned_policy import UNLIMITED
from train.reports.groups import read_run
from train.reports.tables import command_of
from train.runs.budget import Budget
from train.runs.loop import run
from train.storage.run_folder import RunFolder

GAME = make_game("jujitsu", num_cards=3)


def burn(seconds):
    """Uses CPU time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def timed_run(out, seconds=0.4, **more):
    return run(GAME, "cfr_plus", ALGORITHMS["cfr_plus"].args(cpu_seconds=seconds), out, **more)


class Slow:
    """A learner whose steps take 5 ms of CPU time."""

    def __init__(self):
        self.steps, self.spent, self.told = 0, 0.0, []

    def advance(self, steps):
        self.told.append(self.spent)
        burn(0.005 * (steps - self.steps))
        before, self.steps = self.steps, steps
        return {"loss": (before + 1 + steps) / 2}  # the mean of the numbers of the steps


@pytest.mark.parametrize("evaluations", [1, 10])
def test_a_budget_is_evaluated_after_equal_parts_and_ends_when_it_is_used(evaluations):
    learner = Slow()
    budget = Budget(ALGORITHMS["cfr_plus"].args(cpu_seconds=1.0, evaluations=evaluations), 0.0)
    shares = []
    while budget.share(learner.steps) < 1.0:
        before = learner.steps
        assert budget.advance(learner) == {"loss": pytest.approx((before + 1 + learner.steps) / 2)}
        shares.append(budget.share(learner.steps))
    assert len(shares) == evaluations
    assert shares == pytest.approx(np.arange(1, evaluations + 1) / evaluations, abs=0.05)
    assert learner.told == sorted(learner.told), "schedules follow the CPU seconds"
    assert len(learner.told) > 50
    assert learner.steps == pytest.approx(200, rel=0.2)


def test_steps_end_a_run_before_its_cpu_seconds_do():
    args = ALGORITHMS["cfr_plus"].args(cpu_seconds=50.0, steps=40, evaluate_every=15)
    learner, budget = Slow(), Budget(args, 0.0)
    ends = []
    while budget.share(learner.steps) < 1.0:
        budget.advance(learner)
        ends.append(learner.steps)
    assert ends == [15, 30, 40]


def test_loading_does_not_count_as_cpu_time():
    watch = Stopwatch()
    begin = Stopwatch.now()
    burn(0.05)
    Stopwatch.exclude(begin)
    assert watch.cpu_seconds < 0.03


@pytest.mark.parametrize("name", ["minimax_q", "minimax_q_model", "joint_critic", "mmd"])
def test_rates_fall_with_the_share_of_the_budget(name):
    args = ALGORITHMS[name].args(cpu_seconds=100.0)
    assert args.steps == args.evaluate_every == UNLIMITED
    learner = ALGORITHMS[name].learner(GAME, args, 0)
    learner.spent = 50.0
    assert learner._falling(2.0, 0.5) == pytest.approx(1.5)


def test_layers_share_cpu_seconds_also_if_a_run_stops_and_goes_on():
    args = ALGORITHMS["fitted_value"].args(cpu_seconds=1.0, batch_size=8, width=8)
    ALGORITHMS["fitted_value"].learner(GAME, args, 0).advance(1)  # loads what optimizers need
    learner, budget, spans = ALGORITHMS["fitted_value"].learner(GAME, args, 0), Budget(args, 0.0), []
    while budget.share(learner.steps) < 1.0:
        budget.advance(learner)
        spans += [learner._span] if learner._updates else []
        state, learner = learner.state(), ALGORITHMS["fitted_value"].learner(GAME, args, 0)
        learner.restore(*state)
    assert learner._finished == len(learner._layers()) == 2
    assert len(set(spans)) == 2
    assert spans[0][1] == pytest.approx(spans[-1][0], abs=0.1)
    assert spans[-1][1] == 1.0
    assert budget.cpu_seconds == pytest.approx(1.0, abs=0.05)


def test_a_run_counts_the_cpu_time_of_learning_alone_and_goes_on_counting(tmp_path, monkeypatch):
    measure = type("Slowly", (), {"kind": "exact", "figure": "exploitability"})
    measure.reference = {"value": 0.0, "uniform_exploitability": 0.5}
    measure.__call__ = lambda self, policy, seed, final=False: burn(0.1) or {"exploitability": 0.1}
    measure.verdict = lambda self, learner, row: "done"
    monkeypatch.setattr("train.runs.loop.measure_for", lambda game, args: measure())
    assert is_killed_after(9, timed_run, tmp_path / "run")
    before = RunFolder(tmp_path / "run").read_metrics()
    assert before
    assert "unfinished: " in str(load_policy(tmp_path / "run", GAME).unfinished)
    result = timed_run(tmp_path / "run", resume=True)
    rows = RunFolder(tmp_path / "run").read_metrics()
    assert rows[: len(before)] == before
    assert 10 <= len(rows) <= 12
    spent = [row["cpu_seconds"] for row in rows]
    assert spent == sorted(spent)
    assert 0.4 <= result.cpu_seconds == spent[-1] < 0.5
    assert result.seconds >= 0.1 * len(rows)
    assert load_policy(tmp_path / "run", GAME).unfinished is None
    assert timed_run(tmp_path / "run", resume=True).steps == result.steps
    held = read_run(tmp_path / "run")
    assert held.finished
    assert " --algorithm=cfr_plus --cpu-seconds=0.4 --out=" in command_of(held)
    with pytest.raises(ValueError, match=r"cpu_seconds=0\.4, not 0\.6"):
        timed_run(tmp_path / "run", 0.6, resume=True)
