"""The demo end to end, with short runs in place of the real ones."""

import pytest

from train import demo
from train.algorithms.contract import CommonArgs
from train.algorithms.registry import Algorithm


@pytest.fixture
def short_runs(monkeypatch):
    sizes = {"steps": 600, "evaluate_every": 200, "num_games": 10}
    plain = Algorithm.args

    def short(self: Algorithm) -> CommonArgs:
        return plain(self, **sizes)

    monkeypatch.setattr(Algorithm, "args", short)


def test_demo_solves_learns_and_says_how_far_from_optimal(short_runs, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    earlier = tmp_path / "runs" / "demo-1"
    earlier.mkdir(parents=True)
    demo.main()
    assert list(earlier.iterdir()) == [], "an earlier demo is left alone"
    out = capsys.readouterr().out
    assert "8 cards" in out
    # Sanwal and Drechsler 2002: n = 3 is led by (1/5, 3/5, 1/5), and the top card is kept from n = 4 on
    shown = [line.split("│")[2].strip() for line in out.splitlines() if "│ card" in line]
    assert shown[:3] == ["0.200", "0.600", "0.200"]
    assert out.count("minimax-Q on jujitsu num_cards=5: ") == 3
    assert out.count("PPO on jujitsu num_cards=5: ") == 3
    verdict = " ".join(out[out.index("Verdict: ") :].split())
    assert "has the value 0.0000 to player_0" in verdict
    assert "uniform play's is 0.4917" in verdict
    assert (tmp_path / "runs/demo-2/exploitability.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "runs/demo-2/ppo/metrics.csv").exists()
