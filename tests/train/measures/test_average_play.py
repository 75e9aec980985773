"""The curve of `cce_gap`: the gap of the average of all policies so far."""

import numpy as np
import pytest

import baselines
from cardwar_envs import make_game
from train.algorithms.registry import ALGORITHMS
from train.reports.page import write_report
from train.runs.log import ExploitabilityLog
from train.runs.loop import run
from train.storage.run_folder import RunFolder

PRIZE = make_game("lowest_unique", num_players=3, numbers=3, payoff="prize")
SMALL = make_game("lowest_unique", num_players=2, numbers=2, payoff="prize")
PAYOFFS = baselines.equilibria(PRIZE, "pure").decision.payoffs.astype(float)


class Pure:
    """Plays one action in every seat; the game is the same from all seats, so that an observation shows none."""

    def __init__(self, action):
        self.action = action

    def action_probabilities(self, observations, action_masks):
        return np.tile(np.eye(3)[self.action], (len(observations), 1))


def regret_matching(rounds):
    """Yields the actions in each round (S. Hart and A. Mas-Colell, Econometrica 68, 2000, section 4)."""
    rng, regrets = np.random.default_rng(0), np.zeros((3, 3))
    for _ in range(rounds):
        gains = np.maximum(regrets, 0.0)
        played = [rng.choice(3, p=row / row.sum() if row.any() else None) for row in gains]
        yield [Pure(action) for action in played]
        for player, action in enumerate(played):
            others = tuple(slice(None) if seat == player else other for seat, other in enumerate(played))
            worth = PAYOFFS[(player, *others)]
            regrets[player] += worth - worth[action]


def test_average_play_has_less_and_less_regret():
    profiles = list(regret_matching(3000))
    gaps = [baselines.cce_gap(PRIZE, baselines.average_play(PRIZE, profiles[:count])).total for count in (30, 3000)]
    assert gaps[1] < 0.05 < gaps[0]


def test_a_curve_in_a_report(tmp_path):
    """Every policy is far from an equilibrium, and the average of them is nearer."""

    def log():
        return ExploitabilityLog(PRIZE, tmp_path / "run", label="one by one", measure="cce_gap", step="rounds")

    policies, kept = [Pure(action) for action in (0, 1, 0, 2, 0, 1)], log()
    for played, policy in enumerate(policies, 1):
        kept.record(played, policy)
        kept = log()  # a killed script goes on
        gap = baselines.cce_gap(PRIZE, baselines.average_play(PRIZE, policies[:played])).total
        assert kept.rows[-1]["cce_gap"] == pytest.approx(gap, abs=1e-12)
        assert kept.rows[-1]["nash_conv"] == 3.0  # whoever deviates wins
    last = kept.rows[-1]
    assert kept.rows[0]["cce_gap"] == 3.0
    assert last["cce_gap"] == pytest.approx(3 * 5 / 6)  # number 3 wins unless the others play it too
    assert sum(last[f"joint_{k}"] for k in range(27)) == pytest.approx(1.0)
    kept.rewind(5)
    assert kept.record(6, policies[-1])["cce_gap"] == last["cce_gap"]
    write_report([tmp_path / "run"], tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "CCE gap of the average play so far" in page
    assert "<svg" in page or "data:image" in page
    assert "joint" not in page
    assert "one by one" in page


def test_a_resumed_run_records_the_same(tmp_path):
    few = {
        "num_games": 20,
        "rollout": 4,
        "batch_size": 80,
        "epochs": 1,
        "width": 8,
        "measure": "cce_gap",
        "evaluate_every": 160,
    }
    whole = run(SMALL, "ppo", ALGORITHMS["ppo"].args(steps=480, **few), tmp_path / "whole")
    run(SMALL, "ppo", ALGORITHMS["ppo"].args(steps=320, **few), tmp_path / "parts")
    parts = run(SMALL, "ppo", ALGORITHMS["ppo"].args(steps=480, **few), tmp_path / "parts", resume=True)
    assert parts.figures == whole.figures
    assert "CCE gap" in whole.verdict
    assert whole.figures.keys() == {"cce_gap", "ce_gap", "nash_conv"}
    rows = RunFolder(tmp_path / "whole").read_metrics()
    assert sum(rows[-1][f"joint_{k}"] for k in range(4)) == pytest.approx(1.0)


def test_games_of_another_kind_are_refused(tmp_path):
    args = ALGORITHMS["ppo"].args(measure="cce_gap")
    with pytest.raises(ValueError, match="all players choose once"):
        run(make_game("jujitsu", num_cards=3), "ppo", args, tmp_path / "run")
    with pytest.raises(ValueError, match="lowest_unique has 512 joint actions; cce_gap takes at most 500"):
        run(make_game("lowest_unique", numbers=8), "ppo", args, tmp_path / "run")
    assert not (tmp_path / "run").exists()
