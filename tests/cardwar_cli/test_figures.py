"""The figures of `solve`, `exploit` and `match`, as JSON has them."""

import json
import shlex

import numpy as np
import pytest
from command import run, run_json, run_refused
from run_files import rows
from thinning import each_row

import baselines
from cardwar_cli.match import FIGURES
from cardwar_cli.solve import with_leaves
from cardwar_envs import make_game
from train.text.game_names import game_from_words, json_parameters
from train.text.printing import points

PRIZE = ("lowest_unique", "num_players=2", "numbers=3", "payoff=prize")

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
    game = game_from_words(name, parameters)
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
    answer, game = run_json(capsys, "exploit", *words, "--policy", "random"), game_from_words(words[0], words[1:])
    expected, facts = baselines.nash_conv(game, "uniform"), game.facts
    assert (answer["nash_conv"], answer["per_player"]) == (expected.total, list(expected.per_player))
    assert answer["payoffs"] == list(expected.payoffs)
    two = facts.num_players == 2 and facts.zero_sum
    assert answer.get("exploitability") == (baselines.exploitability(game, "uniform") if two else None)
    code, out, _ = run(capsys, "exploit", *words)
    assert code == 0
    assert "NashConv" in out
    assert ("exploitability" in out) == two


@pytest.mark.filterwarnings("default")  # which the command prints
def test_a_table_that_lacks_observations_says_so(capsys, monkeypatch):
    game = make_game("jujitsu", num_cards=3)
    start = game.observation(game.initial()[0].state, 0)
    partial, foreign = (baselines.TablePolicy({key.tobytes(): np.eye(3)[0]}) for key in (start, start + 1))
    monkeypatch.setattr("cardwar_cli.exploit.policy_from", lambda word, game: partial)
    code, _, err = run(capsys, "exploit", "jujitsu", "num_cards=3")
    assert code == 0
    assert f"has {partial.known} of the {partial.asked} observations queried that leave a choice" in err
    assert 0 < partial.known < partial.asked
    monkeypatch.setattr("cardwar_cli.exploit.policy_from", lambda word, game: foreign)
    said = run_refused(capsys, "exploit", "jujitsu", "num_cards=3")
    assert f"contains none of the {foreign.asked} observations queried" in said


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
    ("words", "line_up", "size", "games"),
    [
        ("max_rounds=150", ("max", "simple_minded_1"), {"num_players": 2, "max_rounds": 150}, None),  # 36 rounds
        ("max_rounds=99", ("min", "max", "max"), {"num_players": 3, "max_rounds": 99}, None),  # at the limit of rounds
        ("ranks=4 discards=1", ("dummie", "max"), {"num_players": 2, "ranks": 4, "discards": 1}, 200),
        ("num_players=3 numbers=3", ("uniform",) * 3, {"num_players": 3, "numbers": 3}, 200),
        ("num_players=3 numbers=3", ("uniform",) * 3, {"num_players": 3, "numbers": 3}, 1),
    ],
)
def test_a_match_that_is_played_has_the_figures_of_cross_play(capsys, words, line_up, size, games):
    """The number of players follows from the policies."""
    name = "lowest_unique" if "numbers" in size else "war"
    given = () if games is None else ("--games", str(games), "--seed", "3")
    code, out, err = run(capsys, "match", name, *words.split(), *line_up, *given, "--json")
    assert (code, err) == (0, "")
    answer, game = json.loads(out, parse_constant=pytest.fail), make_game(name, **size)
    played = baselines.cross_play(game, line_up, **({} if games is None else {"games": games, "seed": 3}))
    assert (answer["parameters"], answer["policies"]) == (json_parameters(game), list(line_up))
    course = ("rounds", "winner") if games is None else ()
    for key in (*FIGURES, *course):
        figure = getattr(played, key)
        assert answer[key] == (list(figure) if isinstance(figure, tuple) else figure), key
    assert (answer["seed"], answer["seconds"] > 0, "rounds" in answer) == (3 if games else 0, True, games is None)
    errors = played.payoff_errors and [None if games == 1 else error for error in played.payoff_errors]
    assert answer["payoff_errors"] == errors, "one game has no such error"
    shown = run(capsys, "match", name, *words.split(), *line_up, *given)[1]
    if name == "lowest_unique" and games > 1:
        assert f"{points(played.mean_payoffs[0], 4)} ± {points(played.payoff_errors[0], 4)}" in shown


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
