"""The command on games for more than two players and on games that are not zero-sum."""

import json

import pytest
from command import run, run_json
from thinning import each_row

from baselines import cross_play, nash_conv
from cardwar_envs import make_game

PRIZE = ("lowest_unique", "num_players=2", "numbers=3", "payoff=prize")


@each_row(
    ("words", "exploitability"),
    [
        (("lowest_unique", "numbers=3"), None),
        (PRIZE, None),
        (("lowest_unique", "num_players=2", "numbers=3"), 2 / 3),
    ],
)
def test_exploitability_is_of_two_player_zero_sum_games_only(capsys, words, exploitability):
    answer = run_json(capsys, "exploit", *words)
    assert answer.get("exploitability") == pytest.approx(exploitability)
    assert answer["nash_conv"] == pytest.approx(sum(answer["per_player"]))
    code, out, _ = run(capsys, "exploit", *words)
    assert code == 0
    assert "NashConv" in out
    assert ("exploitability" in out) == (exploitability is not None)


def test_a_match_of_three_shows_mean_payoffs_with_their_standard_errors(capsys):
    words = ("match", "lowest_unique", "numbers=3", "uniform", "uniform", "uniform", "--games", "200", "--seed", "3")
    answer = run_json(capsys, *words)
    game = make_game("lowest_unique", numbers=3)
    played = cross_play(game, ["uniform"] * 3, games=200, seed=3)
    assert answer["mean_payoffs"] == list(played.mean_payoffs)
    assert answer["payoff_errors"] == list(played.payoff_errors)
    for mean, error, exact in zip(
        answer["mean_payoffs"], answer["payoff_errors"], nash_conv(game, "uniform").payoffs, strict=True
    ):
        assert abs(mean - exact) < 5 * error
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert f"{played.mean_payoffs[0]:.4f} ± {played.payoff_errors[0]:.4f}" in out


def test_a_single_game_by_chance_has_no_standard_error(capsys):
    words = ("match", "lowest_unique", "uniform", "uniform", "uniform", "--games", "1")
    code, shown, _ = run(capsys, *words, "--json")
    assert code == 0
    assert json.loads(shown, parse_constant=pytest.fail)["payoff_errors"] == [None] * 3
    assert run(capsys, *words)[0] == 0


def test_an_exact_match_shows_both_payoffs_unless_they_sum_to_zero(capsys):
    answer = run_json(capsys, "match", *PRIZE, "uniform", "uniform")
    assert (answer["win"], answer["loss"], answer["tie"]) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert (answer["mean"], answer["mean_1"]) == pytest.approx((1 / 3, 1 / 3))
    assert "mean_1" not in run_json(capsys, "match", "jujitsu", "num_cards=2", "uniform", "uniform")
    assert "mean payoff of player_1" in run(capsys, "match", *PRIZE, "uniform", "uniform")[1]


@each_row(
    ("words", "message"),
    [
        (("solve", "lowest_unique"), "solving is for two-player zero-sum games"),
        (("solve", *PRIZE), "solving is for two-player zero-sum games"),
        (("playoffs", "lowest_unique"), "play-offs are for two-player zero-sum games"),
        (("train", "lowest_unique", "--algorithm", "minimax_q"), "minimax-Q learns two-player zero-sum games"),
        (("match", "lowest_unique", "equilibrium", "uniform", "uniform"), "solving is for two-player zero-sum games"),
    ],
)
def test_what_is_for_two_players_and_zero_sums_refuses_the_rest_in_one_line(
    capsys, monkeypatch, tmp_path, words, message
):
    monkeypatch.chdir(tmp_path)
    code, shown, err = run(capsys, *words)
    assert (code, shown) == (2, "")
    assert err.startswith("cardwar: ")
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_defaults_that_differ_with_many_actions_are_named(capsys, tmp_path):
    (tmp_path / "taken").touch()  # so nothing is learned
    for words, said in (
        (["war"], "defaults used: --entropy 0.03 --final-entropy 0.1\n"),
        (["war", "--entropy", "0.2"], "defaults used: --final-entropy 0.1\n"),
        (["war", "--entropy", "0.2", "--final-entropy", "1"], ""),
        (["jujitsu"], ""),
    ):
        code, _, err = run(capsys, "train", *words, "--algorithm", "ppo", "--out", str(tmp_path))
        assert code == 2
        assert said in err
        assert ("This game has many actions" in err) == bool(said)
    _, listed, _ = run(capsys, "train", "war", "--algorithm", "ppo", "--list-options")
    assert "0.03" in listed
