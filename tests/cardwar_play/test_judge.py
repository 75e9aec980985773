"""Recorded games: the cost of every move is that of brute force, and what cannot have happened is refused."""

import json
import re

import numpy as np
import pytest
from thinning import each_row

import baselines
from baselines.matches.intervals import mean_interval
from cardwar_envs import make_game, play_episode
from cardwar_play.judge import Judge
from cardwar_play.judged import Judged
from cardwar_play.readers import documents, read_game
from cardwar_play.record import write_record
from cardwar_play.recorded.plain import line_of

PLAYERS = {
    "jujitsu": ({"num_cards": 4}, ("highest_card", "uniform")),
    "goofspiel": ({"num_cards": 3}, ("uniform", "matching")),
    "dice_wars": ({"num_cards": 3, "sides": 4}, ("uniform", "highest_card")),
    "oshi_zumo": ({"coins": 5, "size": 1}, ("uniform", "uniform_actions")),
    "dice_poker": ({}, ("uniform", "uniform_actions")),
}


def costs_by_hand(solution, state, seat):
    """The cost of each action, as a sum over what the other may hold and play, and over chance."""
    game, other = solution.game, 1 - seat
    public = game.facts.public_state
    starts = () if public else game.initial()
    seen = game.observation(state, seat)
    alike = [(1.0, state)] if public else [(p, s) for p, s, _ in starts if (game.observation(s, seat) == seen).all()]
    worth = dict.fromkeys(game.legal_actions(state, seat), 0.0)
    for weight, held in alike:
        views = game.observation(held, other)[None], game.action_mask(held, other)[None]
        mix = solution.policy.action_probabilities(*views)[0]
        for action in worth:
            for reply in game.legal_actions(held, other):
                for p, after, paid in game.transitions(held, {seat: action, other: reply}):
                    to_go = solution.value_at(after) * (1, -1)[seat] if game.acting_players(after) else 0.0
                    worth[action] += float(weight * p) * mix[reply] * (paid[seat] + to_go)
    total = float(sum(weight for weight, _ in alike))
    return {action: (max(worth.values()) - each) / total for action, each in worth.items()}


def judged_file(path, name, games, rng):
    """Writes and reads games of two scripted players, who change seats."""
    parameters, players = PLAYERS[name]
    game = make_game(name, **parameters)
    pairs = [players[:: 1 - 2 * (number % 2)] for number in range(games)]
    path.write_text("".join(line_of(game, pair, play_episode(game, pair, rng)) for pair in pairs))
    judged = Judged(Judge(baselines.solve(game)))
    for document in documents(path):
        judged.add(read_game(*document))
    return judged


@pytest.mark.parametrize("games", [12, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", PLAYERS)
def test_costs_are_those_of_brute_force_at_every_move(name, games, tmp_path):
    judged = judged_file(tmp_path / "games.jsonl", name, games, np.random.default_rng(1))
    decisions = [each for game in judged.games for _, each in game.moves]
    assert len(decisions) > games
    for state, seat in {(each.state, each.seat) for each in decisions}:
        by_hand = costs_by_hand(judged.judge.solution, state, seat)
        for each in decisions:
            if (each.state, each.seat) == (state, seat):
                assert each.verdict.costs == pytest.approx(by_hand, abs=1e-7)
    figures = judged.figures()
    assert set(figures) == set(PLAYERS[name][1])
    assert sum(each.moves for each in figures.values()) == len(decisions)
    assert sum(each.total_cost for each in figures.values()) == pytest.approx(sum(e.verdict.cost for e in decisions))
    assert sum(each.total for each in judged.findings()[0]) == pytest.approx(sum(e.verdict.cost for e in decisions))


LINE = {
    "game": "jujitsu",
    "parameters": {"num_cards": 3},
    "players": ["ann", "bob"],
    "moves": [["1", "3"], ["3", "2"], [1, 0]],
    "payoffs": [1, -1],
}
PRIZES = {
    "game": "goofspiel",
    "parameters": {"num_cards": 2},
    "players": ["ann", "bob"],
    "moves": [["1", "2"], [1, 0]],
    "chance": [{"prize": 2}, None, None],
}


def judged_lines(path, *games):
    path.write_text("\ufeff" + "\r\n".join(map(json.dumps, games)) + "\r\n\r\n")
    judged = None
    for document in documents(path):
        played = read_game(*document)
        judged = judged or Judged(Judge(baselines.solve(played.game)))
        judged.add(played)
    return judged


def test_figures_of_games_written_by_hand(tmp_path):
    """Ann leads by one trick with 1 and 3 against 2 and 3: the README's example, in which both must randomise."""
    tie = LINE | {"parameters": {"num_cards": 2}, "moves": [["1", "1"], ["2", "2"]], "payoffs": [0, 0]}
    lost = LINE | {"parameters": {"num_cards": 2}, "moves": [["1", "2"], ["2", "1"]], "payoffs": [0, 0]}
    left = LINE | {"parameters": {"num_cards": 2}, "moves": [["2", "1"]], "unfinished": True, "payoffs": [0, 0]}
    own = tie | {"players": ["ann", "ann"]}
    judged = judged_lines(tmp_path / "games.jsonl", tie, lost, left, own)
    figures, judge = judged.figures(), judged.judge
    assert [*figures] == ["ann", "bob", "ann (player_0)", "ann (player_1)"]
    start = judge.solution.game.initial()[0].state
    costs = judge.verdict(start, 0, 0).costs
    ann = figures["ann"]
    assert (ann.games, ann.moves, ann.unjudged, ann.results) == (3, 3, 0, (0, 2, 0))
    assert ann.total_cost == pytest.approx(2 * costs[0] + costs[1])
    assert ann.cost_per_game == mean_interval(np.array([costs[0], costs[0]]), 0.0, 4.0)
    assert ann.payoff_per_game == mean_interval(np.zeros(2), -1.0, 1.0)
    assert [*ann.cost_by_move] == [1]
    assert {(each.elo, each.nash_average) for each in figures.values()} == {(None, None)}  # ann never met herself


def test_outcomes_of_chance_by_fields_and_by_index(tmp_path):
    by_index = PRIZES | {"chance": [1, 0, 0]}
    (tmp_path / "games.jsonl").write_text("\n".join(map(json.dumps, (PRIZES, by_index))))
    first, second = (read_game(*document).episode for document in documents(tmp_path / "games.jsonl"))
    assert first == second
    assert first.payoffs == (-1.0, 1.0)


@each_row(
    ("game", "changes", "problem"),
    [
        (LINE, {"moves": [["1", "3"], ["1", "2"], [1, 0]]}, "move 2: action '1' of player_0 is not legal; its legal"),
        (LINE, {"moves": [["1", "3"], ["3", "2"], [7, 0]]}, "move 3: action 7 of player_0 is not legal"),
        (LINE, {"moves": [["1", "3"], ["3", None], [1, 0]]}, "move 2: players who move: [0]; players who must: [0, 1]"),
        (LINE, {"moves": [["1", "3"], ["3"], [1, 0]]}, "move 2: 1 actions are given for 2 players"),
        (LINE, {"moves": [["1", "3"], ["3", "2"]]}, "after move 2: the game is not over, but unfinished is False"),
        (LINE, {"unfinished": True}, "after move 3: the game is over, but unfinished is True"),
        (LINE, {"moves": [*LINE["moves"], [0, 0]]}, "move 4: players who move: [0, 1]; players who must: none"),
        (LINE, {"parameters": {"num_cards": 2}}, "move 1: action '3' of player_1 is not legal"),
        (
            LINE,
            {"parameters": {"num_cards": 3, "payoff": "win"}, "payoffs": [2, -2]},
            "payoffs ([2.0, -2.0]) must be [1.0",
        ),
        (LINE, {"payoffs": [1, float("nan")]}, "payoffs[1] (nan) must be a finite number"),
        (LINE, {"payoffs": []}, "at the end: the payoffs ([]) must be [1.0, -1.0]"),
        (LINE, {"players": ["ann"]}, "the start: 1 names are given for 2 players"),
        (LINE, {"players": ["ann", "\x1b[2J"]}, "the start: the name '\\x1b[2J' must contain only printable"),
        (LINE, {"chance": [0]}, "chance has 1 outcomes; it needs the start's and 3 others"),
        (LINE, {"moves": [[True, 0]]}, "moves[0][0]: True must be an action's name, its number from 0, or null"),
        (PRIZES, {"chance": [-1, None, None]}, "the start: chance (-1) must be in 0..1"),
        (LINE, {"game": "os:system"}, "game ('os:system') must be one of"),
        (LINE, {"game": "table:/etc/passwd"}, "must be one of"),
        (LINE, {"game": "openspiel:nfg_game(filename=x)", "parameters": {}}, "must be one of"),
        (LINE, {"rules": 1}, "unknown name 'rules'; expected one of game, parameters, players"),
        (PRIZES, {"chance": None}, "the start: chance has 2 outcomes, and the record does not say which"),
        (PRIZES, {"chance": [{"score": 0}, None, None]}, "the start: chance: {'score': 0} fits 2 of 2 outcomes, not 1"),
        (PRIZES, {"chance": [{"prize": 3}, None, None]}, "the start: chance: {'prize': 3} fits 0 of 2 outcomes, not 1"),
        (
            PRIZES,
            {"chance": [{"card": 3}, None, None]},
            "the start: chance: {'card': 3} fits 0 of 2 outcomes, not 1; the state has hands",
        ),
        (PRIZES, {"chance": [2, None, None]}, "the start: chance (2) must be in 0..1"),
        (PRIZES, {"chance": [0, 1, None]}, "move 1: chance (1) must be in 0..0"),
    ],
)
def test_what_the_rules_do_not_allow_is_refused(game, changes, problem, tmp_path):
    with pytest.raises(ValueError, match=f"games.jsonl, game 2: .*{re.escape(problem)}") as refused:
        judged_lines(tmp_path / "games.jsonl", game, game | changes)
    assert "\n" not in str(refused.value)


@each_row(
    ("content", "problem"),
    [
        (b"", "games.jsonl contains no games"),
        (b"\n \n", "games.jsonl contains no games"),
        (b"\xff\xfe{}", "games.jsonl: 'utf-8' codec can't decode"),
        (b"[" * 100_000, "games.jsonl: it is nested too deeply"),
        (b'{"game": ' + b"[" * 100_000 + b"\n{}", "games.jsonl, game 1: it is nested too deeply"),
        (b"[1]", "games.jsonl: it is not a JSON object"),
        (b'{"game": 1, "game": 1}', "games.jsonl: the name 'game' occurs twice"),
        (b'{"game": "jujitsu", "moves": []}', "games.jsonl, game 1: players is missing"),
        (b'{"game": "jujitsu",', "games.jsonl: Expecting property name"),
        (b"\x1f\x8b\x08\x00", "games.jsonl: 'utf-8' codec can't decode"),
    ],
)
def test_what_is_no_game_is_refused(content, problem, tmp_path):
    (tmp_path / "games.jsonl").write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(problem)):
        [read_game(*document) for document in documents(tmp_path / "games.jsonl")]


def test_a_line_without_end_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("cardwar_play.readers.MOST_BYTES", 1000)
    (tmp_path / "games.jsonl").write_text(json.dumps(LINE) + "\n" + " " * 2000 + "{}\n")
    games = documents(tmp_path / "games.jsonl")
    with pytest.raises(ValueError, match="has a game that is longer than 1000 bytes"):
        list(games)


def test_records_of_play_are_judged_as_they_were_then(finished, tmp_path):
    write_record(finished, tmp_path / "game.json")
    (document,) = documents(tmp_path / "game.json")
    judged = Judged(finished.table.judge)
    judged.add(read_game(*document))
    assert judged.figures()["you"].total_cost == finished.total
    (tmp_path / "game.json").write_text(
        (tmp_path / "game.json").read_text().replace('"payoffs": [', '"payoffs": [9.0, ')
    )
    with pytest.raises(ValueError, match=r"game\.json: payoffs \("):
        read_game(*next(documents(tmp_path / "game.json")))
