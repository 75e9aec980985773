"""`cardwar judge`: from a recorded match to figures, files and refusals."""

import csv
import json

import pytest
from command import run, run_json, run_refused

from cardwar_play import readers

MATCH = ["match", "jujitsu", "num_cards=3", "highest_card", "uniform", "--games", "8", "--record"]


@pytest.fixture
def games(tmp_path, capsys):
    """A file of eight games."""
    path = tmp_path / "games.jsonl"
    code, out, err = run(capsys, *MATCH, str(path))
    assert (code, err) == (0, "")
    assert "jujitsu num_cards=3 highest_card uniform, 8 games" in out
    return path


def test_a_recorded_match_is_judged(games, tmp_path, capsys):
    report = run_json(capsys, "judge", str(games), "--out", str(tmp_path / "out"))
    (group,) = report["judged"]
    assert (group["game"], group["games"], group["value"]) == ("jujitsu", 8, 0.0)
    assert [player["games"] for player in group["players"].values()] == [8, 8]
    with open(tmp_path / "out" / "moves.csv", encoding="utf-8") as file:
        moves = [*csv.DictReader(file)]
    for name, player in group["players"].items():
        own = [float(move["cost"]) for move in moves if move["player"] == name]
        assert (len(own), sum(own)) == (player["moves"], pytest.approx(player["total_cost"]))
        assert player["nash_average"] == pytest.approx(min(player["payoff_per_game"][0], 0.0))
    dearest = max(moves, key=lambda move: float(move["cost"]))
    assert group["dearest_moves"][0]["cost"] == float(dearest["cost"])
    with open(tmp_path / "out" / "games.csv", encoding="utf-8") as file:
        assert sum(float(game["cost_0"]) + float(game["cost_1"]) for game in csv.DictReader(file)) == pytest.approx(
            sum(player["total_cost"] for player in group["players"].values())
        )
    assert (tmp_path / "out" / "cost-by-move.png").read_bytes().startswith(b"\x89PNG")
    code, out, err = run(capsys, "judge", str(games))
    assert (code, err) == (0, "")
    for said in ("moves are exact", "what moves cost", "The most expensive moves, exact:\n1. ", "player_0  "):
        assert said in out


def test_damaged_games_are_refused_or_left_out(games, tmp_path, capsys):
    good = games.read_text()
    game = json.loads(good.splitlines()[2])
    game["moves"][1][0] = "9"
    games.write_text(good + json.dumps(game) + "\n{}\n")
    said = run_refused(capsys, "judge", str(games))
    assert "games.jsonl, game 9: move 2: action '9' of player_0 is not legal" in said
    (tmp_path / "empty").touch()
    report = run_json(capsys, "judge", str(tmp_path / "empty"), str(games), "--skip-damaged")
    assert report["judged"][0]["games"] == 8
    assert [said.rpartition("/")[2][:18] for said in report["refused"]] == [
        "empty contains no ",
        "games.jsonl, game ",
        "games.jsonl, game ",
    ]


def test_games_without_an_exact_solution_are_named(games, capsys):
    three = {"game": "war", "parameters": {"num_players": 3, "ranks": 2}, "players": ["a", "b", "c"], "moves": []}
    alone = games.with_name("three.jsonl")
    alone.write_text(json.dumps(three | {"unfinished": True}))
    report = run_json(capsys, "judge", str(games), str(alone))
    assert [(each["games"], each["reason"]) for each in report["not_judged"]] == [
        (1, "the equilibrium is computed only for two-player zero-sum games")
    ]
    assert "no game could be judged: the equilibrium is" in run_refused(capsys, "judge", str(alone))


def test_an_interruption_keeps_what_was_judged(games, capsys, monkeypatch):
    def interrupted(where, source, read=readers.read_game):
        if where.endswith("game 4"):
            raise KeyboardInterrupt
        return read(where, source)

    monkeypatch.setattr(readers, "read_game", interrupted)
    code, out, err = run(capsys, "judge", str(games), "--json")
    assert code == 130
    report = json.loads(out)
    assert (report["interrupted"], report["judged"][0]["games"]) == (True, 3)
    assert "the games judged before the interruption" in err


def test_wrong_calls(tmp_path, capsys):
    assert "No such file" in run_refused(capsys, "judge", str(tmp_path / "none"))
    assert "is a folder, not a plain file" in run_refused(capsys, "judge", str(tmp_path))
    undercut = [*MATCH[:1], "openspiel:nfg_game(filename=x)", *MATCH[3:], "x"]
    assert "cardwar: " in run_refused(capsys, *undercut)
