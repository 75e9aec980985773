"""The figures of `solve`, `exploit` and `match`, as JSON has them."""

import json
import shlex

import numpy as np
import pytest
from command import run, run_json, run_refused
from run_files import rows
from thinning import each_row

import baselines
from cardwar_cli.solve import with_leaves
from cardwar_envs import make_game
from train.text.game_names import game_of_words, json_parameters

PRIZE = ("lowest_unique", "num_players=2", "numbers=3", "payoff=prize")
# Of a match that is played.
KEYS = {
    "game", "parameters", "policies", "wins", "nobody", "unfinished", "mean_rounds", "std_rounds", "mean_rounds_won",
    "games", "seed", "seconds", "mean_payoffs", "payoff_errors",
}  # fmt: skip

# -- solve ------------------------------------------------------------------------------


@each_row(
    ("words", "exact"),
    [
        (("jujitsu", "num_cards=8"), None),
        (("dinosaur_war", "hand_0=2,3,6", "hand_1=1,3,5", "--exact"), "2/3"),  # Fetterman 2023, Lemma 3
        (("dice_poker",), "5/54"),  # Rauscher 2017
        (("dice_poker", "--no-exact"), None),
        (("dice_poker", "sides=200"), None),
    ],
)
def test_solve(capsys, words, exact):
    answer, (name, *parameters) = run_json(capsys, "solve", *words), [word for word in words if word[:2] != "--"]
    game = game_of_words(name, parameters)
    solution = baselines.solve(game, exact=True if "--exact" in words else False if "--no-exact" in words else None)
    assert answer["parameters"] == json_parameters(game)
    assert (answer["value"], answer.get("exact")) == (pytest.approx(solution.value, abs=1e-9), exact)
    assert (answer["states"], answer["method"], 0 <= answer["gap"] <= 1e-9) == (solution.states, solution.method, True)
    assert answer["strategies"] == with_leaves(solution.labelled(), float)
    assert answer.get("exact_strategies") == (exact and with_leaves(solution.labelled(), str))
    if isinstance(solution, baselines.PrivateSolution) and solution.quick_ranges:
        ranges = [solution.ranges(player) for player in (0, 1)]
        assert answer["ranges"] == with_leaves(ranges, pytest.approx)
        assert answer.get("exact_ranges") == (exact and with_leaves(ranges, str))
        assert answer.get("ranges_tolerance") == (None if exact else 1e-6)


# -- exploit ----------------------------------------------------------------------------


@each_row(
    "words",
    [
        ("jujitsu", "num_cards=5"),
        ("dice_poker",),
        ("lowest_unique", "numbers=3"),
        PRIZE,
        ("lowest_unique", "num_players=2", "numbers=3"),
    ],
)
def test_exploit(capsys, words):
    """Exploitability is of two-player zero-sum games only; `random` is another name of uniform play."""
    answer, game = run_json(capsys, "exploit", *words, "--policy", "random"), game_of_words(words[0], words[1:])
    expected, facts = baselines.nash_conv(game, "uniform"), game.facts
    assert (answer["nash_conv"], answer["per_player"]) == (expected.total, list(expected.per_player))
    assert answer["payoffs"] == list(expected.payoffs)
    two = facts.num_players == 2 and facts.zero_sum
    assert answer.get("exploitability") == (baselines.exploitability(game, "uniform") if two else None)
    code, out, _ = run(capsys, "exploit", *words)
    assert code == 0
    assert "NashConv" in out
    assert ("exploitability" in out) == two


def test_a_table_that_lacks_observations_says_so(capsys, monkeypatch):
    game = make_game("jujitsu", num_cards=3)
    start = game.observation(game.initial()[0].state, 0)
    partial, foreign = (baselines.TablePolicy({key.tobytes(): np.eye(3)[0]}) for key in (start, start + 1))
    monkeypatch.setattr("cardwar_cli.exploit.policy_from", lambda word, game: partial)
    code, out, _ = run(capsys, "exploit", "jujitsu", "num_cards=3")
    assert code == 0
    assert f"is in the table at {partial.known} of the {partial.asked} observations queried that leave a choice" in out
    assert 0 < partial.known < partial.asked
    monkeypatch.setattr("cardwar_cli.exploit.policy_from", lambda word, game: foreign)
    said = run_refused(capsys, "exploit", "jujitsu", "num_cards=3")
    assert f"contains none of the {foreign.asked} observations queried; its keys must be" in said


def test_a_policy_that_is_no_policy_is_an_error(capsys, monkeypatch):
    class Lazy:
        def action_probabilities(self, observations, action_masks):
            return action_masks * 0.25 / action_masks.sum(axis=1, keepdims=True)

    monkeypatch.setattr("cardwar_cli.exploit.policy_from", lambda word, game: Lazy())
    said = run_refused(capsys, "exploit", "jujitsu", "num_cards=3")
    assert "policy Lazy: probabilities sum to 0.25, not to 1" in said


# -- match ------------------------------------------------------------------------------


def test_an_exact_match(capsys):
    answer = run_json(capsys, "match", "jujitsu", "num_cards=6", "uniform", "highest_card")
    figures = [answer[key] for key in ("win", "loss", "tie", "mean")]
    # Sanwal and Drechsler 2002, Table 5.1, 6 x 6, Random v. HighestCard: 29.72 %, sampled
    assert figures == pytest.approx([0.297222, 0.297222, 0.405556, 0], abs=1e-6)
    assert "mean_1" not in answer
    parameter_last = run_json(capsys, "match", "jujitsu", "second_lowest_card", "lowest_card", "num_cards=5")
    assert parameter_last["win"] == pytest.approx(1)


def test_an_exact_match_shows_both_payoffs_unless_they_sum_to_zero(capsys):
    answer = run_json(capsys, "match", *PRIZE, "uniform", "uniform")
    assert (answer["win"], answer["loss"], answer["tie"]) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert (answer["mean"], answer["mean_1"]) == pytest.approx((1 / 3, 1 / 3))
    assert "mean payoff of player_1" in run(capsys, "match", *PRIZE, "uniform", "uniform")[1]


@each_row(
    ("line_up", "rounds", "winner"),
    [
        (("min", "simple_minded_1"), 13, 0),
        (("max", "simple_minded_1"), 36, 0),
        (("min", "max"), 150, None),  # at the limit of rounds
        (("simple_minded_1", "simple_minded_2"), 1, None),
    ],
)
def test_written_games(capsys, line_up, rounds, winner):
    answer = run_json(capsys, "match", "war", *line_up, "max_rounds=150")
    assert set(answer) == KEYS | {"rounds", "winner"}
    assert (answer["rounds"], answer["winner"], answer["games"]) == (rounds, winner, 1)
    assert answer["policies"] == list(line_up)
    assert answer["unfinished"] == (rounds == 150)
    assert answer["nobody"] == (rounds == 1)
    assert answer["wins"] == [int(winner == 0), 0]
    assert answer["mean_rounds_won"] == [rounds if winner == 0 else None, None]
    assert answer["parameters"]["num_players"] == 2
    assert answer["seconds"] > 0


def test_the_number_of_players_follows_from_the_policies(capsys):
    four = ("general_purpose_adversary", "min", "max", "simple_minded_1")
    answer = run_json(capsys, "match", "war", *four, "max_rounds=99")
    assert answer["parameters"] == {"num_players": 4, "ranks": 12, "discards": 3, "max_rounds": 99}
    assert answer["winner"] == 0
    given = run_json(capsys, "match", "war", "num_players=3", "min", "max", "max", "max_rounds=9")
    assert given["parameters"]["num_players"] == 3


def test_games_with_chance_are_played_by_number_and_seed(capsys):
    words = ("match", "war", "ranks=4", "discards=1", "max_rounds=30", "dummie", "max", "--games", "200")
    first, again, other = (run_json(capsys, *words, "--seed", seed) for seed in ("1", "1", "2"))
    for answer in (first, again, other):
        assert set(answer) == KEYS
        assert sum(answer["wins"]) + answer["nobody"] + answer["unfinished"] == answer["games"] == 200
        del answer["seconds"]
    assert first == again
    assert first["wins"] != other["wins"]
    assert (first["seed"], other["seed"]) == (1, 2)
    assert 0 < first["std_rounds"] < first["mean_rounds"] < 30


def test_a_match_of_three_shows_mean_payoffs_with_their_standard_errors(capsys):
    words = ("match", "lowest_unique", "numbers=3", "uniform", "uniform", "uniform", "--games", "200", "--seed", "3")
    answer, game = run_json(capsys, *words), make_game("lowest_unique", numbers=3)
    played = baselines.cross_play(game, ["uniform"] * 3, games=200, seed=3)
    assert answer["mean_payoffs"] == list(played.mean_payoffs)
    assert answer["payoff_errors"] == list(played.payoff_errors)
    exact = baselines.nash_conv(game, "uniform").payoffs
    assert (np.abs(np.subtract(answer["mean_payoffs"], exact)) < 5 * np.array(answer["payoff_errors"])).all()
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert f"{played.mean_payoffs[0]:.4f} ± {played.payoff_errors[0]:.4f}" in out
    code, shown, _ = run(capsys, *words[:-4], "--games", "1", "--json")
    assert code == 0
    assert json.loads(shown, parse_constant=pytest.fail)["payoff_errors"] == [None] * 3, "one game has no such error"
    assert run(capsys, *words[:-4], "--games", "1")[0] == 0


def test_a_run_in_the_way_is_named_with_the_command_that_resumes_it(capsys, tmp_path):
    folder = tmp_path / "run"
    words = ["train", "jujitsu", "num_cards=3", "--algorithm", "cfr_plus", "--steps", "20", "--out", str(folder)]
    assert run(capsys, *words)[0] == 0
    code, _, err = run(capsys, "train", str(folder), "--resume")
    assert (code, "had already finished; this is its result" in err) == (0, True)
    code, _, err = run(capsys, *words, "--steps=40")
    assert (code, "already contains a run" in err) == (2, True)
    _, *extended = shlex.split(err.partition("another folder: ")[2])
    assert run(capsys, *extended)[0] == 0
    assert rows(folder)[-1]["steps"] == 40
    code, _, err = run(capsys, *words, "--resume")
    assert (code, "a run of 40 steps, not 20; resume it with at least 40: cardwar train" in err) == (2, True)
