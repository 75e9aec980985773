"""`cardwar solve`: its cache and its engines, play at any state, and what it says before a long wait."""

import io
import json
import os
import re
import shlex
import signal
import sys
from functools import partial

import pytest
from command import run, run_json, run_refused
from forked import cardwar
from rich.console import Console
from thinning import each_row
from tiny_games import SOLVABLE, each_of

import baselines
from baselines.oracles.answers import estimates
from baselines.oracles.rank_games import cluster as duel_ray
from baselines.oracles.rank_games import solver
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_cli import console, mixes
from cardwar_cli.state_words import state_in_words
from cardwar_envs import make_game
from train.text.game_names import game_in_words

SOLVE = ("solve", "jujitsu", "num_cards=8")
KEYS = {
    "game", "parameters", "value", "gap", "strategies", "starts", "states", "solved_now", "seconds", "method",
}  # fmt: skip
FIVE_CARDS = ("solve", "jujitsu", "num_cards=5")
STATE = "hands=1,3/2,3 score=1 ties=0"


def same(first, second):
    return all(first[key] == second[key] for key in KEYS - {"seconds", "solved_now"})


# -- caches and engines -----------------------------------------------------------------


def test_a_cache_is_used_and_mended(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    without = [run_json(capsys, *SOLVE) for _ in range(2)]
    assert [each["solved_now"] for each in without] == [2641, 2641]
    assert not list(tmp_path.iterdir()), "nothing is stored"
    first = run_json(capsys, *SOLVE, "--cache", "layers")
    again = run_json(capsys, *SOLVE, "--cache", "layers")
    (tmp_path / "layers" / "layer_4.bin").write_bytes(b"torn")
    mended = run_json(capsys, *SOLVE, "--cache", "layers")
    assert set(first) == KEYS
    assert all(same(without[0], each) for each in (first, again, mended))
    assert (first["solved_now"], again["solved_now"], first["states"]) == (2641, 0, 2641)
    assert 0 < mended["solved_now"] < 2641
    assert "2,641 matrix games by" in run(capsys, *SOLVE)[1]
    assert "2,641 matrix games (0 now, the others before) by" in run(capsys, *SOLVE, "--cache", "layers")[1]
    assert "another game" in run_refused(capsys, *FIVE_CARDS, "--cache", "layers")


def killed_after(writes):
    """Lets a process kill itself in place of its next write after so many."""
    left, replace = iter(range(writes)), os.replace

    def replace_or_die(source, target):
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        replace(source, target)

    os.replace = replace_or_die


def test_a_solve_killed_at_any_write_goes_on(capsys, tmp_path):
    words = ("solve", "jujitsu", "num_cards=3")
    whole = run_json(capsys, *words, "--cache", str(tmp_path / "whole"))
    layers = {f"layer_{k}.bin": (tmp_path / "whole" / f"layer_{k}.bin").read_bytes() for k in range(1, 4)}
    for writes in range(100):
        folder = tmp_path / str(writes)
        code, _ = cardwar(*words, "--cache", folder, before=partial(killed_after, writes))
        if code == 0:
            break  # there were no more writes
        assert code == -signal.SIGKILL
        answer = run_json(capsys, *words, "--cache", str(folder))
        assert same(answer, whole)
        assert (answer["solved_now"] < answer["states"]) == (writes > 1)
        assert {name: (folder / name).read_bytes() for name in layers} == layers
        assert not list(folder.glob("*.new"))
    assert writes >= 6  # each layer and the manifest


def test_few_layers_in_memory_are_enough(capsys):
    assert same(run_json(capsys, *SOLVE, "--keep-layers", "2"), run_json(capsys, *SOLVE))


@pytest.mark.slow
def test_lost_workers_leave_stdout_to_the_result(capsys, tmp_path, monkeypatch):
    ray = pytest.importorskip("ray")

    def mortal(*arguments):
        from baselines.oracles.rank_games.cluster import solve_range  # the worker's own

        if not (tmp_path / "grave").exists():
            (tmp_path / "grave").touch()
            os.kill(os.getpid(), 9)
        return solve_range(*arguments)

    monkeypatch.setattr(duel_ray, "solve_range", mortal)
    monkeypatch.setattr(duel_ray, "LEAST_PER_TASK", 64)
    code, out, err = run(capsys, *SOLVE, "--engine", "ray", "--json")
    assert (code, out.count("\n")) == (0, 1)
    assert same(json.loads(out), run_json(capsys, *SOLVE) | {"engine": "ray"})
    assert (tmp_path / "grave").exists()
    assert "worker died" in err
    assert not ray.is_initialized()


@pytest.mark.slow
def test_a_cluster_that_fails_is_one_line(capsys, monkeypatch):
    pytest.importorskip("ray")

    def deadly(*_):
        os.kill(os.getpid(), 9)

    def short(*_):
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr(duel_ray, "MAX_RETRIES", 1)
    for task, line in {
        deadly: "cardwar: Ray cluster: The worker died unexpectedly while executing this task",
        short: "cardwar: not enough memory: Unable to allocate 9 TiB",
    }.items():
        monkeypatch.setattr(duel_ray, "solve_range", task)
        code, out, err = run(capsys, *SOLVE, "--engine", "ray")
        assert (code, out) == (2, "")
        assert err.splitlines()[-1].startswith(line)


def test_ray_that_is_not_installed_is_one_line_with_the_extra(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "pip install 'cardwar-envs[ray]'" in run_refused(capsys, *SOLVE, "--engine", "ray")


# -- waiting ----------------------------------------------------------------------------


def test_its_estimate_comes_before_long_work(capsys, monkeypatch):
    code, _, err = run(capsys, *FIVE_CARDS)
    assert (code, err) == (0, "")
    monkeypatch.setattr(estimates, "SECONDS_PER_MATRIX_GAME", 30.0)
    code, out, err = run(capsys, *FIVE_CARDS)
    line = r"[\d,]+ matrix games on \d+ processors take about \d+ (seconds|minutes|hours|days)\.\n"
    assert code == 0
    assert re.fullmatch(line, err)
    assert "value 0.000000" in out


def test_its_estimate_comes_before_long_counting(capsys, monkeypatch):
    monkeypatch.setattr(solver, "MANY_WORDS", 10)
    monkeypatch.setattr(estimates, "SECONDS_PER_MATRIX_GAME", 30.0)
    _, _, err = run(capsys, *FIVE_CARDS)
    assert re.match(r"Counting matrix games: at least [\d,]+, which take about \d+ \w+ on \d+ processors\.\n", err)
    monkeypatch.setattr(solver.DuelLayers, "sizes", None)  # nothing is counted
    with pytest.raises(ValueError, match=r"equilibrium of jujitsu takes about .*; solve the game first"):
        baselines.make_policy("equilibrium", make_game("jujitsu", hand_0=(1, 2, 4, 7, 8), hand_1=(2, 3, 5, 6, 9)))


@each_row(("seconds", "words"), [(20, "about 20 seconds"), (150, "about 2 minutes"), (9000, "about 2 hours")])
def test_estimates_in_words(seconds, words):
    assert estimates.in_words(seconds) == words


def test_a_bar_on_the_terminal_leaves_stdout_to_the_result(capsys, monkeypatch):
    shown = Console(file=io.StringIO(), force_terminal=True, width=120)
    monkeypatch.setattr(console, "err", shown)
    assert run_json(capsys, *SOLVE)["states"] == 2641
    assert "2,641 of 2,641" in shown.file.getvalue()
    assert "left" in shown.file.getvalue()


# -- play at a state --------------------------------------------------------------------


def test_what_is_shown_of_a_state(capsys):
    code, out, err = run(capsys, *FIVE_CARDS, "--state", STATE)
    assert (code, err) == (0, "")
    assert "value to go 0.333333 to player_0" in out
    assert "player_0  1 . 3 . ." in out
    assert "1   0.0000   1.0000\n3   1.0000  -1.0000" in out
    assert "player_1 plays the only optimal strategy" in out
    _, out, _ = run(capsys, *FIVE_CARDS, "--state", "hands=1,2,3/1,2,3 score=2 ties=0")
    assert "one of many optimal strategies: " in out
    assert " anywhere in 0." in out


def test_a_state_in_fractions(capsys):
    _, out, _ = run(capsys, *FIVE_CARDS, "--state", STATE, "--exact")
    assert " s, exact\n" in out
    assert "value to go 1/3 (0.333333) to player_0" in out
    assert "1   0   1\n3   1  -1\n" in out
    assert out.count("2/3 (0.666667)") == 2
    # Against the 1, bidding 2 for the prize 2 gains 1, and 3 loses 5/4: x - 5/4 (1 - x) >= 0 from x = 5/9 on.
    assert (
        "2 anywhere in 5/9..1, 3 anywhere in 0..4/9" in run(capsys, "solve", "goofspiel", "num_cards=3", "--exact")[1]
    )
    _, out, _ = run(capsys, *FIVE_CARDS, "--exact")
    assert "≈0.477796" in out
    assert "a fraction too long to show; --json prints it" in " ".join(out.split())


def test_the_start_is_said_to_be_the_only_mix_or_not(capsys):
    assert run(capsys, *FIVE_CARDS)[1].count("plays the only optimal strategy") == 2
    out = run(capsys, "solve", "dice_poker")[1]
    assert "player_0 plays the only optimal strategy\nplayer_1 plays one of many optimal strategies\n" in out
    assert "  with type 1: fold 1 in all of them\n  with type 2: fold anywhere in 0..1, call anywhere in 0..1\n" in out
    assert "The payoff matrix, 9 x 9, is not shown" in run(capsys, "solve", "jujitsu", "num_cards=9")[1]


@pytest.mark.parametrize("words", [["dice_poker", "ante=0.1"], ["war", "ranks=4", "discards=1"]])
def test_ranges_that_are_not_determined_are_not_claimed(capsys, words):
    text = "plays an optimal strategy; others are not determined in floats; use --exact\n"
    assert run(capsys, "solve", *words)[1].count(text) == 2
    answer = run_json(capsys, "solve", *words)
    if "ranges" in answer:
        assert (answer["determined"], answer["ranges"]) == ([False, False], [None, None])
    else:
        for player in answer["starts"][0]["players"]:
            assert (player["determined"], player["unique"]) == (False, None)
            assert {name for each in player["actions"].values() for name in each} == {"probability"}


def test_a_state_as_json(capsys):
    answer = run_json(capsys, *FIVE_CARDS, "--state", "hands=1,3/2,3 score=1", "--exact")
    at_state = answer["at_state"]
    assert answer["state"] == STATE
    assert (at_state["value"], at_state["exact"]) == (pytest.approx(1 / 3), "1/3")
    assert at_state["payoff_matrix"] == [[0, 1], [1, -1]]
    assert (at_state["rows"], at_state["columns"]) == (["1", "3"], ["2", "3"])
    first = at_state["players"][0]
    assert first["unique"] is True
    two_thirds = dict.fromkeys(("probability", "low", "high"), pytest.approx(2 / 3))
    assert first["actions"]["1"] == {**two_thirds, "exact": ["2/3", "2/3"], "exact_probability": "2/3"}
    assert at_state["exact_payoff_matrix"] == [["0", "1"], ["1", "-1"]]


@each_of(SOLVABLE)
def test_every_game_shows_its_states(capsys, game):
    states = [state for state in full_graph(game).states if game.acting_players(state)]
    state = states[len(states) // 2]
    answer = run_json(capsys, "solve", *game_in_words(game).split(), "--state", state_in_words(state))
    matrix = answer["at_state"]["payoff_matrix"]
    mixes = [each["actions"] for each in answer["at_state"]["players"]]
    assert [len(matrix), len(matrix[0])] == [max(len(mix), 1) for mix in mixes]
    for mix in mixes:
        for each in mix.values():
            assert each.get("low", 0.0) - 1e-9 <= each["probability"] <= each.get("high", 1.0) + 1e-9
    if all(mixes):
        rows = [each["probability"] for each in mixes[0].values()]
        guaranteed = min(sum(p * row[k] for p, row in zip(rows, matrix, strict=True)) for k in range(len(matrix[0])))
        assert guaranteed == pytest.approx(answer["at_state"]["value"], abs=1e-9)


def test_play_is_shown_at_each_state_in_which_a_game_can_start(capsys, monkeypatch):
    """The first prize of Goofspiel is drawn. A lone optimal bid for the prizes 1 and 3 is the card of the same rank."""
    solved = run_json(capsys, "solve", "goofspiel", "num_cards=3")
    for player, strategies in enumerate(solved["strategies"]):
        for start, (state, strategy) in zip(solved["starts"], strategies.items(), strict=True):
            actions = start["players"][player]["actions"]
            assert (state, strategy) == (start["state"], {name: each["probability"] for name, each in actions.items()})
    assert [start["probability"] for start in solved["starts"]] == ["1/3"] * 3
    for start, prize in zip(solved["starts"], (1, 2, 3), strict=True):
        assert f"prize={prize} " in start["state"]
        first = start["players"][0]
        assert first["actions"][str(prize)]["probability"] == pytest.approx(1.0)
        assert first["unique"] is (prize != 2)
    _, out, _ = run(capsys, "solve", "goofspiel", "num_cards=3")
    assert out.count("with probability 1/3, worth 0.000000 to player_0:") == 3
    assert out.count("payoff to player_0, to go; player_0 plays a row, player_1 a column\n") == 3
    assert "\n3 initial states\n" in out
    monkeypatch.setattr(mixes, "MAX_STARTS", 2)
    _, out, _ = run(capsys, "solve", "goofspiel", "num_cards=3")
    assert out.count("with probability 1/3") == 2
    more, _, command = out.splitlines()[-1].partition("to show play at one of them: cardwar ")
    assert more == "1 more initial states; "
    _, out, _ = run(capsys, *shlex.split(command))
    assert "prize 3  later 1 2\n" in out


@each_row("selection", ["max_entropy", "exploit:highest_card"])
def test_another_selection_has_the_same_value(capsys, selection):
    usual, answer = run_json(capsys, *FIVE_CARDS), run_json(capsys, *FIVE_CARDS, "--selection", selection)
    assert answer["value"] == pytest.approx(usual["value"], abs=1e-9)
    assert answer["selection"] == selection
