"""Dice Poker on the command line: its values, exploitability, errors, and what can learn it."""

import json

import pytest
from command import run, run_json
from thinning import each_row

from baselines import exploitability, make_policy
from cardwar_envs import make_game
from train.cli import main


@pytest.mark.parametrize(
    ("words", "exact"),
    [([], "5/54"), (["sides=3"], "2/27"), (["sides=4"], "1/12"), (["sides=10"], "1/10"), (["sides=2"], "0")],
)
def test_solve(capsys, words, exact):
    answer = run_json(capsys, "solve", "dice_poker", *words)
    top, bottom = map(int, f"{exact}/1".split("/")[:2])
    assert answer["exact"] == exact
    assert answer["value"] == pytest.approx(top / bottom, abs=1e-12)
    assert 0 <= answer["gap"] <= 1e-12
    assert answer["method"] == "linear program in rationals"


def test_solve_gives_the_strategies_by_roll(capsys):
    answer = run_json(capsys, "solve", "dice_poker")
    assert answer["value"] == pytest.approx(0.0925925926, abs=5e-11)
    assert answer["parameters"] == {"sides": 6, "ante": 1.0, "raise_size": 1.0}
    first, second = answer["strategies"]
    assert list(first) == list(second) == list("123456")
    # Rauscher 2017: raise with 5 and 6, and with 1 two times in three
    assert [first[roll]["raise"] for roll in first] == pytest.approx([2 / 3, 0, 0, 0, 1, 1])
    assert all(sum(second[roll].values()) == pytest.approx(1) for roll in second)
    assert set(second["1"]) == {"fold", "call"}


def test_solve_a_thousand_sides(capsys):
    answer = run_json(capsys, "solve", "dice_poker", "sides=1000")
    assert answer["value"] == pytest.approx(0.1, abs=1e-9)
    assert answer["gap"] <= 1e-9
    assert answer["seconds"] < 10
    assert "exact" not in answer


def test_solve_for_people(capsys):
    code, out, err = run(capsys, "solve", "dice_poker")
    assert (code, err) == (0, "")
    for text in ("value 0.092593 = 5/54", "12 information states", "player_0 raise", "player_1 call", "0.666667"):
        assert text in out
    assert max(len(line) for line in out.splitlines() if "certified" not in line) <= 80
    assert "first 40 of 100" in " ".join(run(capsys, "solve", "dice_poker", "sides=100")[1].split())


def test_exploit(capsys):
    answer = run_json(capsys, "exploit", "dice_poker", "--policy", "uniform")
    # Half of all raises win the ante at once, so A raises with all: 1/2. B folds a 1: 1/18.
    # Uniform play by both is worth 1/4 to A.
    assert answer["payoffs"] == pytest.approx([1 / 4, -1 / 4], abs=1e-12)
    assert answer["per_player"] == pytest.approx([1 / 2 - 1 / 4, 1 / 18 + 1 / 4], abs=1e-12)
    assert answer["exploitability"] == pytest.approx(5 / 18, abs=1e-12)
    assert answer["nash_conv"] == pytest.approx(5 / 9, abs=1e-12)
    game = make_game("dice_poker")
    assert answer["exploitability"] == exploitability(game, make_policy("uniform", game))
    best = run_json(capsys, "exploit", "dice_poker", "--policy", "equilibrium")
    assert max(map(abs, best["per_player"])) <= 1e-9


def test_match(capsys):
    answer = run_json(capsys, "match", "dice_poker", "equilibrium", "uniform")
    assert answer["mean"] >= 5 / 54 - 1e-12
    assert answer["win"] + answer["loss"] + answer["tie"] == pytest.approx(1)


BAD = [
    ("sides=1", "sides (1) must be in 2..2000"),
    ("sides=0", "sides (0) must be in 2..2000"),
    ("sides=-6", "sides (-6) must be in 2..2000"),
    ("sides=1000000", "sides (1000000) must be in 2..2000"),
    ("sides=2.5", "sides (2.5) must be an integer"),
    ("sides=six", "sides (six) must be an integer"),
    ("sides=", "sides"),
    ("ante=-1", "ante (-1.0) must be in 0..1e+09"),
    ("ante=one", "ante (one) must be a number"),
    ("ante=nan", "ante (nan) must be"),
    ("ante=1,2", "ante (1,2) must be a number"),
    ("raise_size=0", "raise_size (0) must be above 0"),
    ("raise_size=0.0", "raise_size (0) must be above 0"),
    ("raise_size=-1", "raise_size (-1.0) must be"),
    ("raise_size=inf", "raise_size (inf) must be"),
    ("raise_size=big", "raise_size (big) must be a number"),
    ("ante=1" + "0" * 400, "must be in 0..1e+09"),
    ("num_cards=3", "dice_poker has no parameter 'num_cards'; it has sides, ante, raise_size"),
]


@each_row("command", ["solve", "exploit"])
@each_row(("word", "message"), BAD)
def test_bad_input_is_one_clear_line(capsys, command, word, message):
    code, out, err = run(capsys, command, "dice_poker", word)
    assert (code, out) == (2, "")
    assert err.startswith("cardwar: ")
    assert message in err
    assert err.count("\n") == 1


def test_minimax_q_refuses_private_rolls(capsys, tmp_path):
    folder = tmp_path / "run"
    code, out, err = run(capsys, "train", "dice_poker", "--algorithm", "minimax_q", "--out", str(folder))
    assert (code, out) == (2, "")
    refusal = "minimax-Q learns two-player zero-sum games of public state; ppo, mmd and nfsp learn any game"
    assert err == f"cardwar: dice_poker: {refusal}\n"
    assert not folder.exists()


def test_ppo_runs_and_says_its_exact_exploitability(capsys, tmp_path):
    with pytest.raises(SystemExit) as stopped:
        main(["train", "dice_poker", "sides=3", "--algorithm", "ppo", "--steps", "4000", "--evaluate-every", "2000",
              "--num-games", "100", "--out", str(tmp_path), "--json"])  # fmt: skip
    assert stopped.value.code == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["value"] == pytest.approx(2 / 27)
    again = run_json(capsys, "exploit", "dice_poker", "sides=3", "--policy", str(tmp_path))
    assert again["exploitability"] == pytest.approx(answer["exploitability"], abs=1e-9)
    assert answer["exploitability"] < answer["uniform_exploitability"]
