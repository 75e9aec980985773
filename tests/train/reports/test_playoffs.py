"""Play-offs: every pair in both seats, exploitability beside it, the same figures in every file."""

import csv
import dataclasses
import io
import json

import numpy as np
import pytest
from command import run, run_json
from rich.console import Console
from thinning import each_row
from toys import Answering

import baselines
from cardwar_envs import make_game
from cardwar_envs.core.policy import Uniform
from cardwar_envs.games.lowest_unique import LowestUnique
from train.algorithms.registry import ALGORITHMS
from train.policies.files import load_policy
from train.reports.playoffs import Pairing, PlayOffs, play_all, ranked, shipped_policies
from train.reports.playoffs_files import draw, write_playoffs
from train.runs.loop import run as learn

UNLIKE = make_game("dinosaur_war", hand_0=(2, 3, 6), hand_1=(1, 3, 5))
SMALL_WAR = ("ranks=3", "discards=0", "max_rounds=8")


@pytest.fixture
def undrawn(monkeypatch):
    """Leaves out the picture, which takes most of the time."""
    monkeypatch.setattr("train.reports.playoffs_files.draw", lambda result: b"")


def field(result, name):
    return np.array([[getattr(pairing, name) for pairing in row] for row in result.pairings])


def made(means, names=("a", "b", "c")):
    """Play-offs with these means, the game being of no matter."""
    pairings = tuple(tuple(Pairing(0.5, 0.25, 0.25, x, x, x) for x in row) for row in means)
    return PlayOffs(UNLIKE, tuple(names), pairings, (0.0,) * len(names), None)


@each_row(
    "game",
    [
        make_game("jujitsu", num_cards=3, view="word"),
        make_game("dinosaur_war", num_cards=3, payoff="win"),
        make_game("war", ranks=3, discards=0, max_rounds=4),
    ],
)
def test_where_seats_are_alike_the_matrix_is_antisymmetric(game):
    result = play_all(game, shipped_policies(game))
    assert len(result.names) >= 6
    assert result.means == pytest.approx(-result.means.T, abs=1e-12)
    assert field(result, "win") == pytest.approx(field(result, "loss").T, abs=1e-12)
    assert field(result, "tie") == pytest.approx(field(result, "tie").T, abs=1e-12)
    assert np.abs(result.means).max() > 0.1


class Rounds(LowestUnique):
    """The same rounds, but the limit of rounds is declared, so that games can be sampled."""

    @property
    def facts(self):
        return dataclasses.replace(super().facts, max_rounds=self.rounds)


def test_sampled_means_are_of_what_is_paid():
    """A game of three rounds pays up to 3 points; who wins it is not all that counts."""
    game = Rounds(num_players=2, numbers=3, rounds=3)
    lowest = Answering(lambda observations, masks: np.eye(masks.shape[1])[np.zeros(len(masks), dtype=int)])
    exact, sampled = (play_all(game, {"a": lowest, "b": Uniform(game)}, games) for games in (None, 300))
    assert exact.means[0] == pytest.approx([0.0, 2.0])  # the lowest number beats two of three numbers in each round
    low, high = field(sampled, "low"), field(sampled, "high")
    assert (low <= exact.means).all()
    assert (exact.means <= high).all()
    assert sampled.means[0, 1] == pytest.approx(2.0, abs=0.3)
    assert high[0, 0] == low[0, 0] == 0.0  # there is no chance between two that always play the same


def test_where_they_are_not_rows_sit_in_seat_0():
    result = play_all(UNLIKE, shipped_policies(UNLIKE))
    assert result.means != pytest.approx(-result.means.T, abs=1e-3)
    at = result.names.index
    # Fetterman 2023, Lemma 3: D/n = 2/3 for {2,3,6} v. {1,3,5}, whoever of the two plays uniformly
    assert result.means[at("uniform"), at("uniform")] == pytest.approx(2 / 3)
    # From the top: 6 beats 5, 3 ties with 3, 2 beats 1
    assert result.means[at("highest_card"), at("highest_card")] == 2
    for first in result.names:
        for second in result.names:
            pairing, alone = result.pairings[at(first)][at(second)], baselines.head_to_head(UNLIKE, first, second)
            assert pairing[:4] == pytest.approx((alone.win, alone.loss, alone.tie, alone.mean), abs=1e-12)
            assert (pairing.low, pairing.high) == (pairing.mean, pairing.mean)


def test_dice_poker_between_equilibrium_strategies_is_worth_its_value():
    result = play_all(make_game("dice_poker"), shipped_policies(make_game("dice_poker")))
    assert "highest_card" not in result.names
    place = result.names.index("equilibrium")
    assert result.means[place, place] == pytest.approx(5 / 54)  # Rauscher 2017


def test_the_average_is_over_all_others_and_both_seats():
    result = made([[9.0, 1.0, 2.0], [-3.0, 9.0, 0.5], [0.0, 0.5, 9.0]])
    # a: 1 and 2 in seat 0, 3 and -0 in seat 1; b: -3, 0.5 and -1, -0.5; c: 0, 0.5 and -2, -0.5
    assert result.averages == pytest.approx([6 / 4, -4 / 4, -2 / 4])
    assert np.isnan(made([[1.0]], ["alone"]).averages[0])
    # The mean of both seats: a beats b by 2, c ties with a by 1 and is tied with b by 0
    assert result.figures["nash_average"] == pytest.approx([0.0, -2.0, -1.0])


def test_exploitability_stands_beside_each_policy():
    game = make_game("jujitsu", num_cards=5)
    result = play_all(game, shipped_policies(game))
    for name, measured in zip(result.names, result.exploitability, strict=True):
        assert measured == pytest.approx(baselines.exploitability(game, name))
    by_name = dict(zip(result.names, result.exploitability, strict=True))
    assert by_name["equilibrium"] == pytest.approx(0.0, abs=1e-9)
    assert by_name["uniform"] == pytest.approx(0.491667, abs=1e-6)
    ratings = dict(zip(result.names, result.figures["nash_average"], strict=True))
    assert ratings["equilibrium"] == pytest.approx(0.0, abs=1e-9)  # so it is in every field of its game
    assert max(ratings.values()) == pytest.approx(0.0, abs=1e-9)
    assert ratings["uniform"] == pytest.approx(ratings["uniform_actions"])


def test_the_same_figures_are_in_every_file_and_on_stdout(capsys, tmp_path):
    out = tmp_path / "new" / "out"
    answer = run_json(capsys, "playoffs", "jujitsu", "num_cards=4", "uniform", "lowest_card", "--out", str(out))
    assert answer["policies"] == ["uniform", "lowest_card"]
    assert "equilibria" not in answer["note"]  # no equilibrium takes part
    game = make_game("jujitsu", num_cards=4)
    assert answer["exploitability"] == [baselines.exploitability(game, name) for name in answer["policies"]]
    assert answer["files"] == [str(out / name) for name in ("pairs.csv", "policies.csv", "playoffs.md", "playoffs.png")]
    with open(out / "pairs.csv", newline="") as file:
        pairs = list(csv.DictReader(file))
    assert len(pairs) == 4
    for number, pair in enumerate(pairs):
        row, column = divmod(number, 2)
        assert (pair["player_0"], pair["player_1"]) == (answer["policies"][row], answer["policies"][column])
        for key in ("win", "loss", "tie", "mean"):
            assert float(pair[key]) == answer[key][row][column]
    with open(out / "policies.csv", newline="") as file:
        policies = list(csv.DictReader(file))
    assert [float(each["average"]) for each in policies] == answer["averages"]
    for name in ("elo", "nash_average", "exploitability"):
        assert [float(each[name]) for each in policies] == answer[name]
    ahead = (answer["win"][0][1] - answer["loss"][0][1] + answer["loss"][1][0] - answer["win"][1][0]) / 2
    apart = 400 * np.log10((1 + ahead) / (1 - ahead))
    assert answer["elo"] == pytest.approx([apart / 2, -apart / 2])
    text = (out / "playoffs.md").read_text()
    assert "All figures are exact." in text
    assert f"{answer['win'][0][1]:.3f} / {answer['loss'][0][1]:.3f} / {answer['tie'][0][1]:.3f}" in text
    assert text.count("\n| uniform |") == 2
    assert (out / "playoffs.png").read_bytes().startswith(b"\x89PNG")


def test_a_learned_policy_is_given_as_its_run_folder(capsys, undrawn, tmp_path):
    game, args = make_game("jujitsu", num_cards=3), ALGORITHMS["cfr_plus"].args(steps=20, evaluate_every=20)
    for folder in ("mine", "other/mine"):
        learn(game, "cfr_plus", args, tmp_path / folder)
    words, out = ("playoffs", "jujitsu", "num_cards=3"), ("--out", str(tmp_path / "out"))
    alone = run_json(capsys, *words, str(tmp_path / "mine"), "uniform", *out)
    assert alone["policies"] == ["CFR+", "uniform"]
    assert alone["exploitability"][0] == baselines.exploitability(game, load_policy(tmp_path / "mine", game))
    assert alone["mean"][0][1] == pytest.approx(-alone["mean"][1][0])
    single = run_json(capsys, *words, str(tmp_path / "mine"), *out)
    assert (single["policies"], single["averages"]) == (["CFR+"], [None]), "JSON knows no NaN"
    named = str((tmp_path / "mine").rename(tmp_path / "uniform"))
    assert {"CFR+", "uniform"} < set(run_json(capsys, *words, named, "--shipped", *out)["policies"])
    (tmp_path / "uniform").rename(tmp_path / "mine")
    both = run_json(capsys, *words, str(tmp_path / "mine"), str(tmp_path / "other/mine"), "--shipped", *out)
    assert "was taken as equilibrium;" in both["note"]
    assert set(both["policies"]) > {"equilibrium", "uniform", "CFR+ (mine)", "CFR+ (other/mine)"}


def test_the_runs_on_this_game_in_a_folder_take_part_under_short_names(capsys, undrawn, tmp_path):
    for number, (cards, seed, steps) in enumerate([(3, 0, 20), (3, 1, 20), (3, 0, 40), (2, 0, 20)]):
        args = ALGORITHMS["cfr_plus"].args(steps=steps, evaluate_every=20)
        learn(make_game("jujitsu", num_cards=cards), "cfr_plus", args, tmp_path / "runs" / f"in {number}" / "x", seed)
    words = ("playoffs", "jujitsu", "num_cards=3", str(tmp_path / "runs"), "--out", str(tmp_path / "out"), "--json")
    code, out, err = run(capsys, *words)
    assert (code, set(json.loads(out)["policies"])) == (
        0,
        {"CFR+ steps=20 seed=0", "CFR+ steps=20 seed=1", "CFR+ steps=40"},
    )
    assert err == f"Left out: {tmp_path / 'runs' / 'in 3' / 'x'}, a run on jujitsu num_cards=2\n"
    out = str(tmp_path / "out")
    other = run(capsys, "playoffs", "jujitsu", "num_cards=4", str(tmp_path / "runs"), "--out", out)
    assert (other[0], "contains no policy for jujitsu num_cards=4" in other[2]) == (2, True)


def test_people_see_the_best_first():
    result = ranked(made([[0.0, 1.0, 2.0], [-1.0, 0.0, 0.5], [3.0, 2.0, 0.0]]))
    assert result.names == ("c", "a", "b")
    assert result.means.tolist() == [[0.0, 3.0, 2.0], [2.0, 0.0, 1.0], [0.5, -1.0, 0.0]]
    assert (np.diff(result.averages) <= 0).all()


def test_samples_come_with_intervals_that_hold_what_is_exact(capsys, undrawn, tmp_path):
    words, out = ("playoffs", "war", *SMALL_WAR), ("--out", str(tmp_path))
    exact = run_json(capsys, *words, "dummie", "max", "min", *out)
    sampled = run_json(capsys, *words, "dummie", "max", "min", "--games", "300", "--seed", "3", *out)
    assert (sampled["games"], sampled["seed"]) == (300, 3)
    assert sampled["exploitability"] is None
    assert "low" not in exact
    low, mean, high = (np.array(sampled[key]) for key in ("low", "mean", "high"))
    assert (low <= mean).all()
    assert (mean <= high).all()
    # Nine intervals of 95 %: with this seed all hold.
    assert (low <= np.array(exact["mean"]) + 1e-12).all()
    assert (np.array(exact["mean"]) - 1e-12 <= high).all()
    certain = (low == high)[1:, 1:]  # between the two who leave nothing to chance
    assert certain.all()
    assert ((high - low)[0] > 0.1).all()
    assert "with a probability of at least 95 %" in (tmp_path / "playoffs.md").read_text()


def test_tables_for_people(capsys, undrawn, tmp_path):
    code, shown, err = run(capsys, "playoffs", "jujitsu", "num_cards=3", "--out", str(tmp_path))
    assert (code, err) == (0, "")
    for text in (
        "jujitsu num_cards=3, exact",
        " equilibrium",
        "exploitability",
        "0.500",
        "average payoff",
        "Elo",
        "Nash average",
        "player_0",
        "A game can have many equilibria",
    ):
        assert text in shown
    assert "depend on which of them was taken as equilibrium;" in (tmp_path / "playoffs.md").read_text()
    assert max(len(line) for line in shown.splitlines() if "Written" not in line) <= 80


def test_a_policy_alone_is_drawn_too(tmp_path):
    files = write_playoffs(made([[0.0]], ["alone"]), tmp_path)
    assert all(path.stat().st_size > 0 for path in files)
    assert draw(made([[0.0, 0.0], [0.0, 0.0]], ["$x_1$", "<b>|"])).startswith(b"\x89PNG")


def test_a_terminal_shows_how_many_pairings_are_played(capsys, undrawn, monkeypatch, tmp_path):
    terminal = Console(file=io.StringIO(), force_terminal=True, width=120)
    monkeypatch.setattr("cardwar_cli.console.err", terminal)
    words = ("uniform", "lowest_card", "--out", str(tmp_path))
    assert run(capsys, "playoffs", "jujitsu", "num_cards=2", *words)[0] == 0
    assert "4 of 4" in terminal.file.getvalue()
