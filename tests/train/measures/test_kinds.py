"""The kinds of figures: chosen by what is within reach, named everywhere, never mixed."""

import json
from itertools import product

import command
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from thinning import each_row

from baselines import exploitability, make_policy
from cardwar_envs import make_game
from train.algorithms.registry import ALGORITHMS
from train.measures.choice import measure_for
from train.reports.curves import plot_runs
from train.reports.page import write_report
from train.runs.loop import run
from train.storage.run_folder import RunFolder

GAME = make_game("jujitsu", num_cards=3)
PPO = {"steps": 320, "evaluate_every": 160, "num_games": 20, "rollout": 4, "batch_size": 80, "epochs": 1, "width": 8}


def ppo(out, game=GAME, resume=False, **more):
    return run(game, "ppo", ALGORITHMS["ppo"].args(**PPO | more), out, resume=resume)


def kind_of(game, **args):
    measure = measure_for(game, ALGORITHMS["ppo"].args(**args))
    return measure.kind, measure.figure


@each_row(
    ("name", "parameters", "kind"),
    [
        ("jujitsu", {"num_cards": 4}, ("exact", "exploitability")),
        ("jujitsu", {}, ("matches", "payoff_uniform")),
        ("war", {}, ("matches", "payoff_uniform")),
        ("lowest_unique", {}, ("exact", "nash_conv")),
        ("lowest_unique", {"num_players": 2, "payoff": "prize"}, ("exact", "nash_conv")),
    ],
)
def test_figures_are_exact_wherever_an_oracle_reaches(name, parameters, kind):
    assert kind_of(make_game(name, **parameters)) == kind


def test_matches_can_be_asked_for_with_opponents():
    measure = measure_for(GAME, ALGORITHMS["ppo"].args(measure="matches", against="uniform,lowest_card", matches=50))
    figures = measure(make_policy("second_lowest_card", GAME), 0)
    names = product(("uniform", "lowest_card"), ("payoff", "wins"), ("", "_low", "_high"))
    assert list(figures) == [f"{what}_{name}{end}" for name, what, end in names]
    assert figures["payoff_lowest_card"] == 1.0 == figures["wins_lowest_card"]  # 1 loses to 2, 2 to 3, ...
    assert figures["payoff_uniform_low"] < figures["payoff_uniform"] < figures["payoff_uniform_high"]


@each_row(
    ("game", "args", "message"),
    [
        (make_game("war"), {"measure": "exact"}, "more than 4,000,000 positions"),
        (GAME, {"measure": "guess"}, r"measure \('guess'\) must be one of auto, exact, "),
        (GAME, {"measure": "matches", "against": "nobody"}, "unknown policy 'nobody'"),
        (GAME, {"measure": "matches", "against": "uniform,"}, "the policies 'uniform,' contain an empty name"),
        (GAME, {"measure": "matches", "against": "min"}, "plays war"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_any_work(tmp_path, game, args, message):
    with pytest.raises(ValueError, match=message):
        ppo(tmp_path / "run", game, **args)
    assert not (tmp_path / "run").exists()


def test_rows_tags_and_answers_name_their_kind(tmp_path, capsys):
    for measured, figure in (("exact", "exploitability"), ("matches", "payoff_uniform")):
        out = tmp_path / measured
        words = [f"--{name.replace('_', '-')}={value}" for name, value in PPO.items()]
        asked = ["train", "jujitsu", "num_cards=3", "--algorithm=ppo", f"--measure={measured}", *words, f"--out={out}"]
        answer = json.loads(command.run(capsys, *asked, "--json")[1])
        assert answer["measured"] == measured
        rows = RunFolder(out).read_metrics()
        assert [row["measured"] for row in rows] == [measured, measured]
        assert rows[-1][figure] == answer[figure]
        accumulator = EventAccumulator(str(out / "tensorboard"))
        accumulator.Reload()
        tags = set(accumulator.Tags()["scalars"])
        assert {f"{measured}/{figure}", "learning/value_loss"} <= tags
        assert all(tag.startswith((f"{measured}/", "learning/")) for tag in tags)
    with pytest.raises(ValueError, match="different kinds of figures cannot be plotted together"):
        plot_runs([tmp_path / "exact", tmp_path / "matches"], tmp_path / "both.png")
    report = write_report([tmp_path / "exact", tmp_path / "matches"], tmp_path / "report.html")
    text = report.tables.read_text()
    assert "## jujitsu num\\_cards=3\n" in text
    assert "## jujitsu num\\_cards=3: matches\n\nMatches: games against the named policies" in text
    assert text.count("payoff against uniform") == 1
    assert "(99 %)" in text


def test_a_run_measured_in_matches_goes_on_row_for_row(tmp_path):
    whole = ppo(tmp_path / "whole", measure="matches", matches=40)
    ppo(tmp_path / "parts", measure="matches", matches=40)
    again = ppo(tmp_path / "parts", measure="matches", matches=40, resume=True)
    assert again.figures == whole.figures
    assert "These are samples of 400 games each, with 99 % intervals" in whole.verdict
    with pytest.raises(ValueError, match="matches=40, not 50"):
        ppo(tmp_path / "parts", measure="matches", matches=50, resume=True)


def test_bounds_are_below_the_truth_and_say_that_they_prove_nothing(tmp_path):
    result = ppo(tmp_path / "run", measure="bound", bound_steps=2_000, matches=500, evaluate_every=320)
    exact = exploitability(GAME, result.policy)
    assert (result.measured, result.figures.keys()) == ("lower bound", {"bound", "bound_mean"})
    assert 0.5 * exact < result.figures["bound"] <= exact
    assert "This is a lower bound: a best response may win much more." in result.verdict
    written = write_report([tmp_path / "run"], tmp_path / "report.html")
    assert "a low bound does not show" in written.tables.read_text()
    assert "3: lower bound</h2>" in written.page.read_text()
    plot_runs([tmp_path / "run"], tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 10_000
