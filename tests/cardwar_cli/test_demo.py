"""The demo end to end, with short runs in place of the real ones."""

from cardwar_cli import demo
from train.algorithms.registry import Algorithm


def test_demo_solves_learns_and_says_how_far_from_optimal(capsys, tmp_path, monkeypatch):
    plain = Algorithm.args
    short = {"steps": 1500, "evaluate_every": 500, "num_games": 25}
    monkeypatch.setattr(Algorithm, "args", lambda self, **given: plain(self, **given | short))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs/demo-1").mkdir(parents=True)  # a demo leaves an earlier one alone
    demo.main(seed=1)
    out = capsys.readouterr().out
    assert "8 cards" in out
    # Sanwal and Drechsler 2002: n = 3 is led by (1/5, 3/5, 1/5), and the top card is kept from n = 4 on
    led = [line.split("│")[2].strip() for line in out.splitlines() if "│ card" in line][:3]
    assert led == ["0.200", "0.600", "0.200"]
    assert out.count("minimax-Q on jujitsu num_cards=5: ") == 3
    assert out.count("PPO on jujitsu num_cards=5: ") == 3
    assert "play jujitsu num_cards=5 --web" in out
    verdict = " ".join(out[out.index("Verdict: ") : out.index("Next:")].split())
    assert "has the value 0.0000 to player_0" in verdict
    assert "uniform play's is 0.4917" in verdict
    assert (tmp_path / "runs/demo-2/exploitability.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "runs/demo-2/ppo/metrics.csv").exists()
    assert not list((tmp_path / "runs/demo-1").iterdir())
