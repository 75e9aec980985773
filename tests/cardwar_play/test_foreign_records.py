"""Replays of Kaggle environments and traces of OpenSpiel: read, judged, and refused if they contradict themselves."""

import copy
import gzip
import json
import random
from functools import cache

import numpy as np
import pytest
from foreign_records import GAMES, REPLAYS, replays

from baselines import solve, solve_matrix
from cardwar_envs import make_game, play_episode
from cardwar_play.judge import Judge
from cardwar_play.readers import documents, read_game
from cardwar_play.recorded.plain import line_of

pyspiel = pytest.importorskip("pyspiel")
generate_playthrough = pytest.importorskip("open_spiel.python.algorithms.generate_playthrough")

TRACES = {
    "goofspiel(num_cards=4)": "goofspiel",
    "goofspiel(imp_info=true,num_cards=3,returns_type=point_difference)": "goofspiel",
    "goofspiel(num_cards=13,points_order=descending)": "goofspiel",
    "goofspiel(num_cards=3,returns_type=total_points)": "openspiel",
    "oshi_zumo(coins=12,horizon=100)": "oshi_zumo",
    "oshi_zumo(coins=4,horizon=3,min_bid=2,size=1)": "openspiel",
    "markov_soccer(grid=BO\nA.,horizon=3)": "openspiel",
    "matrix_rps": "openspiel",
    "kuhn_poker": "openspiel",
}


def random_state(game, seed):
    state, rng = game.new_initial_state(), random.Random(seed)
    while not state.is_terminal():
        if state.is_simultaneous_node():
            state.apply_actions([rng.choice(state.legal_actions(player)) for player in range(game.num_players())])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    return state


def trace_of(name, seed=0):
    game = pyspiel.load_game(name)
    state = random_state(game, seed)
    return pyspiel.serialize_game_and_state(game, state), state.returns()


@pytest.fixture
def read(tmp_path):
    def reading(content):
        path = tmp_path / "game"
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        ((_, source),) = documents(path)
        return read_game("file", source)

    return reading


def kaggle(name):
    lines = gzip.decompress(REPLAYS.read_bytes()).splitlines()
    return next(copy.deepcopy(each) for each in map(json.loads, lines) if each["name"] == f"open_spiel_{name}")


@pytest.mark.parametrize(("name", "judged"), TRACES.items())
def test_traces_of_openspiel(name, judged, read):
    for seed in range(3):
        trace, returns = trace_of(name, seed)
        played = read(trace)
        points = 2 if "point_difference" in name else 1  # the margin here is twice OpenSpiel's
        assert played.game.name == judged
        assert played.over
        assert played.episode.payoffs == tuple(points * each for each in returns)


@cache
def playthrough():
    """What OpenSpiel prints of a game between random players."""
    return generate_playthrough.playthrough("goofspiel(num_cards=3)", [], seed=5)


def test_a_playthrough_of_openspiel(read):
    played = read(playthrough())
    assert played.game == make_game("goofspiel", num_cards=3, payoff="win")
    returns = playthrough().rsplit("Returns() = [", 1)[1].rstrip("]\n").split(", ")
    assert played.episode.payoffs == tuple(map(float, returns))


def test_a_recorded_match_of_a_game_of_openspiel(read):
    game = make_game("openspiel:kuhn_poker")
    episode = play_episode(game, ["uniform", "uniform"], 0)
    assert read(line_of(game, ["a", "b"], episode)).episode == episode


@pytest.mark.parametrize("name", GAMES)
def test_replays_of_kaggle(name, read):
    played = read(kaggle(name))
    points = 2 if name == "goofspiel" else 1
    assert played.names == ("Ada", "Bob")
    assert list(played.episode.payoffs) == [points * each for each in kaggle(name)["rewards"]]
    replayed = [list(actions.values()) for actions in played.episode.actions]
    joint = [json.loads(each) for each in kaggle(name)["info"]["actionHistory"] if each.startswith("[")]
    assert replayed[: len(joint)] == joint


@pytest.mark.slow
def test_games_recorded_now_are_read(read):
    pytest.importorskip("kaggle_environments")
    assert len([read(replay) for replay in replays()]) == len(GAMES)


def test_costs_equal_those_of_openspiel_by_brute_force(read):
    """The values of states are computed by OpenSpiel's rules alone; a point there is 2 here."""
    spiel = pyspiel.load_game("goofspiel", GAMES["goofspiel"])
    known = {}

    def matrix(state):
        legal = state.legal_actions(0), state.legal_actions(1)
        return np.array([[value(after(state, joint)) for joint in [(a, b) for b in legal[1]]] for a in legal[0]])

    def after(state, joint):
        found = state.clone()
        found.apply_actions(joint)
        return found

    def value(state):
        if state.is_terminal():
            return 2 * state.returns()[0]
        if state.is_chance_node():
            return sum(odds * value(state.child(action)) for action, odds in state.chance_outcomes())
        if str(state) not in known:
            known[str(state)] = solve_matrix(matrix(state)).value
        return known[str(state)]

    replay = kaggle("goofspiel")
    played, state = read(replay), spiel.new_initial_state()
    judge = Judge(solve(played.game))
    moves = iter(zip(played.episode.states, played.episode.actions, strict=False))
    for entry in map(json.loads, replay["info"]["actionHistory"]):
        if isinstance(entry, int):
            state.apply_action(entry)
            continue
        here, joint = next(moves)
        assert list(joint.values()) == entry
        verdicts = [judge.verdict(here, player, joint[player]) for player in (0, 1)]
        mixes = [np.array(list(each.mix.values())) for each in verdicts]
        for verdict, worth in zip(verdicts, (matrix(state) @ mixes[1], -mixes[0] @ matrix(state)), strict=True):
            sign = 1 if verdict is verdicts[0] else -1
            assert worth.max() == pytest.approx(sign * value(state), abs=1e-9)
            assert list(verdict.costs.values()) == pytest.approx(list(worth.max() - worth), abs=1e-9)
        state.apply_actions(entry)


def changed(change, name="oshi_zumo"):
    """A replay after a change: a function of the replay, its information and its steps."""
    replay = kaggle(name)
    change(replay, replay["info"], replay["steps"])
    return json.dumps(replay)


def swap(items, one, other):
    items[one], items[other] = items[other], items[one]


def changed_trace(old, new):
    return trace_of("oshi_zumo(coins=3,size=1)", 1)[0].replace(old, new)


DAMAGED = {
    "cut off": (lambda: changed(lambda *_: None)[:-100], "Unterminated|Expecting"),
    "a step removed": (lambda: changed(lambda r, i, s: s.pop(3)), "move 2: the history has"),
    "the last step removed": (lambda: changed(lambda r, i, s: s.pop()), "move 5: the history has"),
    "steps swapped": (lambda: changed(lambda r, i, s: swap(s, 2, 3)), "move 1: the history has"),
    "moves swapped": (lambda: changed(lambda r, i, s: swap(i["actionHistory"], 0, 1)), "move 1: the history has"),
    "a move removed from the history": (lambda: changed(lambda r, i, s: i["actionHistory"].pop()), "move 5.*missing"),
    "a move added to the history": (lambda: changed(lambda r, i, s: i["actionHistory"].append("[0, 0]")), "is over"),
    "an illegal move": (
        lambda: changed(lambda r, i, s: i["actionHistory"].__setitem__(1, "[6, 1]")),
        r"move 2: the action of player_0 \(6\) is not legal",
    ),
    "another action": (lambda: changed(lambda r, i, s: s[2][0]["info"].update(actionApplied=2)), "move 1: the history"),
    "an action that is no number": (lambda: changed(lambda r, i, s: i["actionHistory"].append("x")), "whole numbers"),
    "a forfeit": (
        lambda: changed(lambda r, i, s: [a["info"].update(actionApplied=None) for a in s[-1]]),
        "move 5: the history",
    ),
    "a timeout": (lambda: changed(lambda r, i, s: s[3][1].update(status="TIMEOUT")), "step 3: player_1 has status"),
    "rewards swapped": (lambda: changed(lambda r, i, s: r["rewards"].reverse(), "goofspiel"), "the payoffs .* must be"),
    "a reward that is not a number": (
        lambda: changed(lambda r, i, s: r.update(rewards=[float("nan"), 10**400])),
        "the payoffs .* must be",
    ),
    "no rewards": (lambda: changed(lambda r, i, s: r.pop("rewards")), "rewards .* must be of type list"),
    "another configuration": (
        lambda: changed(lambda r, i, s: r["configuration"]["openSpielGameParameters"].update(coins=7)),
        "must be the one configured",
    ),
    "another name": (lambda: changed(lambda r, i, s: r.update(name="open_spiel_goofspiel")), "must be the one config"),
    "another game": (
        lambda: changed(lambda r, i, s: i.update(openSpielGameStringResolved="goofspiel(num_cards=6)")),
        "must be the one configured",
    ),
    "another environment": (lambda: changed(lambda r, i, s: r.update(name="rps")), "must be one of OpenSpiel's games"),
    "another version": (lambda: changed(lambda r, i, s: r.update(version="0.2.0")), r"must be one of .*'0.1.0'"),
    "a missing player": (lambda: changed(lambda r, i, s: s[3].pop()), "move 2: the history has"),
    "an opening": (lambda: changed(lambda r, i, s: s.__delitem__(slice(2, 4))), "move 1: the history has"),
    "a missing outcome of chance": (
        lambda: changed(lambda r, i, s: i["actionHistory"].pop(2), "goofspiel"),
        "move 2: .* is missing",
    ),
    "another outcome of chance": (
        lambda: changed(lambda r, i, s: swap(i["actionHistory"], 0, 2), "goofspiel"),
        "the payoffs",
    ),
    "serialized: cut off": (lambda: changed_trace("", "")[:-6], "missing"),
    "serialized: a Python state": (lambda: changed_trace("", "") + "__dict__=gASVAAAA\n", "Python states are not read"),
    "serialized: another version": (lambda: changed_trace("Version: 1", "Version: 2"), "Version 1"),
    "serialized: a file": (lambda: changed_trace("oshi_zumo(", "nfg_game(filename=x,"), "would open a file"),
    "serialized: an unknown parameter": (lambda: changed_trace("coins=", "coin="), "has no parameter 'coin'"),
    "serialized: games inside games": (
        lambda: changed_trace("oshi_zumo(", "turn_based_simultaneous_game(game=" * 5000 + "oshi_zumo("),
        "at most 1000",
    ),
    "playthrough: cut off": (lambda: playthrough()[:-20], "must go on to"),
    "playthrough: another game": (lambda: playthrough().replace("(num_cards=3", "(num_cards=4", 1), "is missing"),
    "playthrough: a move removed": (lambda: playthrough().replace("\nactions: [", "\nx: [", 1), "must be those of"),
    "playthrough: other returns": (lambda: playthrough().rsplit("[", 1)[0] + "[2, -2]\n", "the payoffs"),
    "too large": (lambda: trace_of("markov_soccer")[0], "too large"),
}


@pytest.mark.parametrize(("content", "problem"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_games_are_refused_in_one_line(content, problem, read):
    with pytest.raises(ValueError, match=problem) as error:
        read(content())
    assert str(error.value).startswith("file: ")
    assert "\n" not in str(error.value)
