"""An interview gives the exact figure of the policy that answers, keeps every answer and asks nothing twice."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from command import run, run_refused

import baselines
from cardwar_envs import make_game
from cardwar_play.interview import (
    ANSWERS_FILE,
    HEAD_FILE,
    Answered,
    Interviewer,
    answers_in,
    line_of,
)
from cardwar_play.interview_figures import bounds_from_moves, costs_at_states, costs_in_games, intervals_of
from cardwar_play.judge import Judge
from train.policies.agent import query_for
from train.policies.prompt_form import PromptForm
from train.policies.table_files import information_states, key_of

ROOT = Path(__file__).parents[2]
# Weights of moves by their place and the length of the state's text, so that no two states are alike.
MIXING = """
import json, os, sys
log, most = sys.argv[1], int(sys.argv[2])
for number, line in enumerate(sys.stdin):
    query = json.loads(line)
    with open(log, "a") as file:
        file.write(json.dumps([query["state"], query["observation"], len(query["moves"])]) + "\\n")
    assert query["query"] == number + 1
    if number == most:
        os._exit(3)
    names = [move["name"] for move in query["moves"]]
    weights = [1 + (place * len(query["state"]) + sum(query["observation"])) % 3 for place in range(len(names))]
    mix = {name: weight / sum(weights) for name, weight in zip(names, weights)}
    print(json.dumps({"probabilities": mix, "about": {"model": "rule", "temperature": 0.5}}), flush=True)
"""


def mixing(game):
    """The same policy in this process, as a table."""
    mixes = {}
    for key, (seen, mask) in information_states(game).items():
        query = query_for(game, seen, mask)
        shift = len(query.state), sum(query.observation)
        weights = np.array([1 + (place * shift[0] + shift[1]) % 3 for place in range(len(query.moves))])
        mixes[key] = np.zeros(game.facts.num_actions)
        mixes[key][[move.action for move in query.moves]] = weights / weights.sum()
    return Answered(mixes)


@pytest.fixture
def agent(tmp_path):
    """The command of the agent, which ends after a number of answers, and what it was asked."""
    path, log = tmp_path / "agent.py", tmp_path / "asked.txt"
    path.write_text(MIXING)
    log.touch()
    return lambda most=10**9: f"{sys.executable} -S {path} {log} {most}", lambda: log.read_text().splitlines()


@pytest.mark.parametrize(
    ("name", "size"), [("jujitsu", {"num_cards": 3}), ("dice_poker", {}), ("goofspiel", {"num_cards": 3})]
)
def test_mixes_give_the_exact_exploitability(capsys, tmp_path, agent, name, size):
    game, (command, asked) = make_game(name, **size), agent
    words = [f"{key}={value}" for key, value in size.items()]
    call = ["interview", name, *words, "--agent", command(), "--out", str(tmp_path / "out")]
    code, out, _ = run(capsys, *call, "--json")
    found = json.loads(out)
    assert (code, found["measured"], found["states"]) == (0, "exact", found["answers"])
    assert found["exploitability"] == baselines.exploitability(game, mixing(game)) > 0
    assert found["about"] == [{"model": "rule", "temperature": 0.5}]
    assert len(asked()) == found["states"] == len(information_states(game))
    assert json.loads(run(capsys, *call, "--json")[1]) == found
    assert len(asked()) == found["states"], "nothing is asked twice"


def edited(line, **changes):
    """The line of an entry that an interview stored with other contents."""
    return line_of({name: each for name, each in (json.loads(line) | changes).items() if name != "sha256"})


LINES = {
    "another line": (lambda lines: [*lines, edited(lines[0], key="mix 99")], "this interview has no query 'mix 99'"),
    "a line twice": (lambda lines: [*lines, lines[3]], "line 27: 'mix 3' has been answered before"),
    "two keys swapped": (
        lambda lines: [edited(lines[0], key="mix 1"), *lines[2:]],
        "mix 1 belongs to a different query",
    ),
    "no answer": (lambda lines: [edited(lines[0], answer="{}"), *lines[1:]], "to mix 0 is invalid: it"),
}


@pytest.mark.parametrize("edit", LINES)
def test_edited_answers_are_refused(capsys, tmp_path, agent, edit):
    changed, said = LINES[edit]
    call = ["interview", "jujitsu", "num_cards=3", "--agent", agent[0](), "--out", str(tmp_path / "out")]
    run(capsys, *call)
    path = tmp_path / "out" / ANSWERS_FILE
    path.write_bytes(b"\n".join(changed(path.read_bytes().splitlines())) + b"\n")
    code, out, err = run(capsys, *call, "--json")
    assert (code, out, err.count("cardwar: ")) == (2, "", 1)
    assert said in err


def test_a_damaged_line_is_named_and_only_its_query_is_repeated(capsys, tmp_path, agent):
    command, asked = agent
    call = ["interview", "jujitsu", "num_cards=3", "--agent", command(), "--out", str(tmp_path / "out")]
    figures = json.loads(run(capsys, *call, "--json")[1])
    path = tmp_path / "out" / ANSWERS_FILE
    content = path.read_bytes()
    lines = content.splitlines(keepends=True)
    start = len(lines[0]) + len(lines[1])
    head = json.loads((tmp_path / "out" / HEAD_FILE).read_bytes())
    for place in range(0, len(lines[2]) - 1, 5):  # bytes all over the third line, and every bit of a byte in turn
        flipped = bytearray(content)
        flipped[start + place] ^= 1 << place % 8
        path.write_bytes(flipped)
        with answers_in(tmp_path / "out", head) as answers:
            assert (answers.damaged[0], len(answers)) == (3, 25), f"byte {place}"
    code, out, err = run(capsys, *call, "--json")
    assert (code, json.loads(out)) == (0, figures | {"damaged_lines": 1})
    assert f"{path}: damaged lines, ignored: 3; their queries are repeated\n" in err
    assert len(asked()) == 26 + 1
    assert "26 answers; 1 damaged line ignored\n" in run(capsys, *call)[1]
    path.write_bytes(content[:-20])  # the last line was cut off
    assert json.loads(run(capsys, *call, "--json")[1]) == figures
    assert len(asked()) == 26 + 2
    assert "its interview has seed 0, not 1" in run_refused(capsys, *call, "--seed", "1")
    assert "contains files, but no interview" in run_refused(capsys, *call[:-1], str(tmp_path))


@pytest.mark.parametrize(
    ("more", "answers", "completed", "first"),
    [
        ((), 9, 0, "26 information states to query\n"),
        (("--games", "20"), 7, 3, "20 games of up to 3 decisions to query\n"),
        (("--games", "20"), 3, 0, "20 games of up to 3 decisions to query\n"),
        (("--sample", "20"), 7, 7, "20 states to query\n"),
    ],
)
def test_a_failure_shows_what_is_complete_and_how_to_go_on(capsys, tmp_path, agent, more, answers, completed, first):
    call = ["interview", "jujitsu", "num_cards=3", "--agent", agent[0](answers), "--out", str(tmp_path / "out"), *more]
    code, out, err = run(capsys, *call, "--json")
    assert (code, err.startswith(first)) == (2, True)
    assert err.endswith(f"{answers} answers stored in {tmp_path / 'out'}; the same command resumes there\n")
    found = json.loads(out) if completed else {"completed": 0, "ended": "", "answers": answers}
    assert (found["completed"], found["answers"], found["ended"] in err) == (completed, answers, True)
    assert f"; resumed with {answers} stored answers\n" in run(capsys, *call)[2]


@pytest.mark.slow
def test_killed_three_times_it_asks_nothing_twice(capsys, tmp_path, agent):
    command, asked = agent
    call = ["interview", "goofspiel", "num_cards=3", "--agent", command(), "--out", str(tmp_path / "out"), "--json"]
    path, seen = tmp_path / "out" / ANSWERS_FILE, 0
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-m", "cardwar_cli.main", *call],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as child:
            while not path.exists() or path.read_bytes().count(b"\n") < seen + 3:
                time.sleep(0.001)
            child.send_signal(signal.SIGKILL)
        seen = path.read_bytes().count(b"\n")
    code, out, _ = run(capsys, *call)
    game = make_game("goofspiel", num_cards=3)
    assert (code, json.loads(out)["exploitability"]) == (0, baselines.exploitability(game, mixing(game)))
    assert 84 <= len(asked()) <= 84 + 3, "only what had no answer yet was asked again"


@pytest.mark.parametrize(
    ("most", "more"),
    [(7, ()), (2, ("--sample", "6")), (3, ("--games", "4")), (40, ("--form", "move", "--repeats", "4"))],
)
def test_every_kind_of_interview_goes_on(capsys, tmp_path, agent, most, more):
    command, asked = agent
    call = ["interview", "jujitsu", "num_cards=3", *more, "--json", "--seed", "3", "--agent"]
    found = []
    for limit, out in ((10**9, "whole"), (most, "broken")):
        while (ended := run(capsys, *call, command(limit), "--out", str(tmp_path / out)))[0]:
            assert "exit status 3" in ended[2]
            assert len(asked()) < 300, "it makes no progress"
        found.append({**json.loads(ended[1]), "agent": ""})
    assert found[0] == found[1]
    broken = found[0]["answers"] // most  # times that the agent ended before it answered
    assert broken >= 2
    assert found[0]["answers"] * 2 <= len(asked()) <= found[0]["answers"] * 2 + broken


class Scripted(Interviewer):
    """Answers by a policy in this process, as a move where a move will do."""

    def __init__(self, game, policy, rng):
        super().__init__(PromptForm(game), "", None, 1)
        self.policy, self.rng = policy, rng

    def mix(self, key, view, ask):
        mix = self.policy.action_probabilities(view[0][None], view[1][None])[0]
        return mix if ask == "mix" else np.eye(len(mix))[self.rng.choice(len(mix), p=mix)]


def test_moves_give_a_lower_bound():
    game = make_game("jujitsu", num_cards=3)
    policy, states = mixing(game), information_states(game)
    truth = baselines.exploitability(game, policy)
    frequencies, bound = bounds_from_moves(
        Scripted(game, policy, np.random.default_rng(0)), states, 350, 0, lambda done: None
    )
    assert 0 < bound.low <= truth, "it proves something, and nothing wrong"
    assert abs(frequencies - truth) < 0.15
    assert abs(bound.mean - truth) < 0.15


def test_rare_mistakes_do_not_make_a_narrow_bound():
    """All of a few moves may be alike by luck: the bound must not take them for all."""
    game = make_game("jujitsu", num_cards=3)
    who = Scripted(game, baselines.make_policy("highest_card", game), np.random.default_rng(0))
    _, bound = bounds_from_moves(who, information_states(game), 20, 0, lambda done: None)
    assert bound.mean == 1.0
    assert bound.low < 0.0


def test_a_game_without_decisions_is_no_endless_search(capsys, tmp_path):
    call = ["interview", "jujitsu", "num_cards=1", "--agent", "none", "--out", str(tmp_path / "out")]
    assert "random play reached 1,000 states, none with a choice that matters" in run(capsys, *call, "--sample", "2")[2]


def test_a_linked_file_of_answers_is_refused_and_a_game_out_of_reach_leaves_nothing(capsys, tmp_path):
    out, call = tmp_path / "out", ["interview", "jujitsu", "num_cards=2", "--agent", "none"]
    with answers_in(out, {"agent": "one"}):
        pass
    (out / ANSWERS_FILE).unlink()
    (out / ANSWERS_FILE).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="link"), answers_in(out, {"agent": "one"}):
        pass
    assert not (tmp_path / "elsewhere").exists()
    run(capsys, "interview", "war", *call[3:], "--out", str(tmp_path / "new"))
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["jujitsu", "dice_poker"])
def test_costs_in_games_are_what_the_equilibrium_wins(name):
    game = make_game(name, **({"num_cards": 4} if name == "jujitsu" else {}))
    solution, policy = baselines.solve(game), mixing(game)
    who = Scripted(game, policy, np.random.default_rng(1))
    costs, losses = np.array([*costs_in_games(who, Judge(solution), 400, 2)]).T
    as_0 = solution.value - baselines.head_to_head(game, policy, "equilibrium").mean
    as_1 = -solution.value + baselines.head_to_head(game, "equilibrium", policy).mean
    for sample in (costs, losses):
        assert abs(sample.mean() - (as_0 + as_1) / 2) < 4 * sample.std() / 20
    assert costs.min() >= 0
    assert losses.var() > 2 * costs.var()


@pytest.mark.parametrize("rate", [0.002, 0.02, 0.5])
def test_intervals_of_sampled_costs_cover_the_mean_of_a_player_who_seldom_errs(rate):
    game = make_game("jujitsu", num_cards=3)
    judge, rng, covered = Judge(baselines.solve(game)), np.random.default_rng(0), []
    for _ in range(500):
        costs = rng.binomial(1, rate, size=60) * 1.0
        losses = costs + rng.choice([-1.0, 1.0], size=60) * (1.0 - costs)
        found = intervals_of(game, judge, np.array([costs, losses]).T)
        found |= intervals_of(game, judge, costs)
        covered.append([each.low <= rate <= each.high for each in found.values()])
    assert np.mean(covered, axis=0).min() >= 0.99
    nothing = intervals_of(game, judge, np.zeros((60, 2)))
    assert all(each.low <= 0.0 < each.high for each in nothing.values())


def test_costs_at_sampled_states_are_what_the_mistake_gives_away():
    """It plays the equilibrium but at the start, so that its cost there is what the equilibrium wins from it."""
    game = make_game("jujitsu", num_cards=4)
    solution, (start,) = baselines.solve(game), game.initial()
    first = [key_of(game.observation(start.state, seat), game.action_mask(start.state, seat)) for seat in (0, 1)]

    class WrongAtFirst:
        def action_probabilities(self, observations, action_masks):
            mixes = solution.policy.action_probabilities(observations, action_masks)
            for row, seen, mask in zip(mixes, observations, action_masks, strict=True):
                if key_of(seen, mask) in first:
                    row[:] = [0.5, 0.0, 0.0, 0.5]
            return mixes

    who = Scripted(game, WrongAtFirst(), None)
    costs = [*costs_at_states(who, Judge(solution), 40, 5)]
    lost = solution.value - baselines.head_to_head(game, WrongAtFirst(), "equilibrium").mean
    assert lost > 0.01
    assert {*np.round(costs, 9)} == {0.0, round(lost, 9)}


BABBLING = """
import json, sys
for number, line in enumerate(sys.stdin):
    names = [move["name"] for move in json.loads(line)["moves"]]
    print(json.dumps({"move": names[-1] if number % 3 == 2 or EVER else "what?"}), flush=True)
"""


def test_invalid_answers_are_counted_and_asked_for_again(capsys, tmp_path):
    path, call = tmp_path / "agent.py", ["interview", "jujitsu", "num_cards=2", "--form", "move", "--repeats", "4"]
    path.write_text(BABBLING.replace("EVER", "False"))
    call += ["--agent", f"{sys.executable} -S {path}"]
    found = run_json_quietly(capsys, *call, "--out", str(tmp_path / "out"))
    assert (found["invalid_answers"], found["answers"]) == (2 * found["answers"], 4 * found["states"])
    assert found["measured"] == "lower bound"
    code, _, err = run(capsys, *call, "--out", str(tmp_path / "other"), "--tries", "2")
    assert code == 2
    assert "gave 2 invalid answers to move 0 0, the last one because it 'what?' is not a legal move" in err


def run_json_quietly(capsys, *call):
    code, out, _ = run(capsys, *call, "--json")
    assert code == 0
    return json.loads(out)
