"""Programs as policies: what they are asked, what becomes of every misbehaviour, and that none outlives its use."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from command import run, run_json, run_refused
from toys import Answering

import baselines
from cardwar_envs import Game, make_game
from cardwar_envs.games.dice_poker import DicePoker, DicePokerState
from train.policies import agent_process
from train.policies.agent import AgentPolicy, Query, query_for, typed_agent
from train.policies.agent_process import FROM_FILE, MOST_BYTES, SECONDS_VARIABLE, AgentError, AgentProcess
from train.policies.by_word import policy_from, split_policies

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "agents"
MIXING = f"{sys.executable} {EXAMPLES / 'any_move.py'}"
QUERY = (
    "import json, sys\n"
    "for line in sys.stdin:\n"
    "    query = json.loads(line)\n"
    "    names = [move['name'] for move in query['moves']]\n"
)


JUJITSU = make_game("jujitsu", num_cards=3)
FIRST = JUJITSU.initial()[0].state
START = JUJITSU.observation(FIRST, 0)[None], JUJITSU.action_mask(FIRST, 0)[None]


@pytest.fixture
def agent(tmp_path):
    """Makes agents of a program's text; they end with the test."""
    made = []

    def make(text, game, **options):
        path = tmp_path / f"agent_{len(made)}.py"
        path.write_text(text)
        made.append(AgentPolicy(game, f"{sys.executable} -S {path}"))
        for name, value in options.items():
            setattr(made[-1], name, value)
        return made[-1]

    yield make
    for each in made:
        each.close()


class Undeclared(DicePoker):
    """Dice Poker without arrays of its own."""

    bayesian_form = Game.bayesian_form


def first_and_last(observations, masks):
    """What examples/agents/any_move.py plays."""
    first, last = masks.argmax(axis=1), masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
    return (np.eye(masks.shape[1])[first] + np.eye(masks.shape[1])[last]) / 2


@pytest.mark.parametrize("game", [make_game("goofspiel", num_cards=3), make_game("dice_poker")], ids=lambda g: g.name)
def test_a_program_is_measured_like_the_same_policy(game):
    program = AgentPolicy(game, MIXING)
    try:
        measured = baselines.nash_conv(game, program)
        assert measured.per_player == baselines.nash_conv(game, Answering(first_and_last)).per_player
        assert program.queries == measured.queries.total + measured.queries.repeated
    finally:
        program.close()


def test_a_question_says_all_that_the_player_sees():
    game = make_game("jujitsu", num_cards=3)
    state = game.initial()[0].state
    query = query_for(game, game.observation(state, 1), game.action_mask(state, 1))
    assert (query.game, query.ask, query.rules) == ("jujitsu", "mix", game.how_to_play)
    assert query.state.splitlines()[:2] == ["you       1 2 3", "opponent  1 2 3"]
    assert [move.name for move in query.moves] == ["1", "2", "3"]
    assert json.loads(query.model_dump_json())["observation"] == game.observation(state, 1).tolist()
    for poker in (make_game("dice_poker"), Undeclared()):
        seen = poker.observation(DicePokerState((4, 2)), 1)
        query = query_for(poker, seen, np.array([1, 1], np.int8))
        assert query.state == f"{poker.seat_in_words(1)[:-1]}\nopponent rolled ?\nyou rolled 2"


# What an agent does -> what is said of it.
FAULTS = {
    "ends": ("", "has ended with exit status 0|ended before its answer with exit status 0"),
    "fails": ("import sys; sys.exit(3)", "exit status 3"),
    "ends after the question": ("import sys; sys.stdin.readline()", "ended before its answer with exit status 0"),
    "ends in its answer": (QUERY + "    sys.stdout.write('{'); sys.exit(4)", "in the middle of its answer .* 4"),
    "is silent": ("import time; time.sleep(60)", "does not answer within 0.3 seconds"),
    "sends half a line": (QUERY + "    print('{', end='', flush=True); sys.stdin.read()", "does not answer within"),
    "floods": (QUERY + f"    print('x' * {2 * MOST_BYTES}, flush=True)", "answered with more than 65,536 bytes"),
    "is no text": (QUERY + "    sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush()", "answers"),
}
# What it answers at the start of 3-card Jujitsu -> what is said of that.
ANSWERS = {
    "three": "answers 'three': has no JSON object",
    "[1]": r"answers '\[1\]'",
    "": "answers ''",
    "{}": 'needs either "move" or "probabilities"',
    '{"move": "1", "probabilities": {}}': "needs either",
    '{"probabilities": {"9": 1}}': "'9' is not a legal move; the legal moves are '1', '2', '3'",
    '{"probabilities": {"1": -1, "2": 2}}': r"the probability of '1' \(-1.0\) must be in 0..1",
    '{"probabilities": {"1": 1e308, "2": 1e308}}': r"the probability of '1' \(1e\+308\) must be in 0..1",
    '{"probabilities": {"1": 0.5, "1": 1.0}}': "the name '1' occurs twice",
    '{"probabilities": {"1": 1}, "about": {"model": "\\ud800"}}': "unpaired surrogate",
    '{"probabilities": {"1": 0.9}}': "add up to 0.9, not 1",
    '{"probabilities": {"1": NaN}}': "finite|JSON",
    '{"probabilities": {"1": "all"}}': "the probability 'all' is not a number",
    '{"move": "1"}': r"names only a move \('1'\), which does not determine the strategy",
}


@pytest.mark.parametrize("fault", [*FAULTS, *ANSWERS])
def test_misbehaviour_is_one_clear_error_and_leaves_no_process(agent, monkeypatch, fault):
    text, message = FAULTS[fault] if fault in FAULTS else (QUERY + f"    print({fault!r}, flush=True)", ANSWERS[fault])
    if "within" in message:
        monkeypatch.setenv(SECONDS_VARIABLE, "0.3")
    program = agent(text, JUJITSU)
    with pytest.raises(AgentError, match=message) as caught:
        program.action_probabilities(*START)
    assert "\n" not in str(caught.value)
    assert program._process._process.poll() is not None
    assert program.failed


@pytest.mark.slow
@pytest.mark.parametrize("fault", [*FAULTS, *ANSWERS][:-1])  # a move will do in games
def test_misbehaviour_is_a_forfeit_if_chosen(capsys, monkeypatch, tmp_path, fault):
    text = FAULTS[fault][0] if fault in FAULTS else QUERY + f"    print({fault!r}, flush=True)"
    pids = tmp_path / "pids"
    (tmp_path / "agent.py").write_text(f"import os\nprint(os.getpid(), file=open({str(pids)!r}, 'a'))\n{text}")
    call = ["match", "jujitsu", "num_cards=3", f"agent:{sys.executable} -S {tmp_path / 'agent.py'}", "uniform"]
    monkeypatch.setattr(sys, "argv", ["cardwar", *call])
    monkeypatch.setenv(SECONDS_VARIABLE, "10")  # restored, whatever the option sets
    seconds = ["--agent-seconds", "0.4"] if "within" in FAULTS.get(fault, ("", ""))[1] else []
    _, out, _ = run(capsys, *call, "--games", "3", "--forfeit", "--json", *seconds)
    assert (json.loads(out)["forfeits"], json.loads(out)["mean"]) == ([3, 0], -1.0)
    started = [*map(int, pids.read_text().split())]
    assert len(started) >= 3
    for pid in started[:-1]:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_more_lines_than_questions_are_refused(agent):
    program = agent(QUERY + "    print(json.dumps({'probabilities': {names[0]: 1}}) + '\\nmore', flush=True)", JUJITSU)
    program.action_probabilities(*START)
    with pytest.raises(AgentError, match="writes more than one line per query: b'more"):
        program.action_probabilities(*START)


def test_children_of_an_agent_end_with_it(tmp_path):
    lines = ("import subprocess, sys", "child = subprocess.Popen(['sleep', '60'])", "print(child.pid, flush=True)")
    (tmp_path / "parent.py").write_text("\n".join([*lines, "sys.stdin.read()"]))
    process = AgentProcess(f"{sys.executable} -S {tmp_path / 'parent.py'}")
    child = int(process.ask(b"{}"))
    process.close()
    for _ in range(100):
        if not Path(f"/proc/{child}").exists() or "State:\tZ" in Path(f"/proc/{child}/status").read_text():
            return
        time.sleep(0.02)
    pytest.fail("the child of the agent is still there")


def test_a_program_that_cannot_be_started(capsys, monkeypatch):
    for command in ("no_such_program_anywhere", "", "-e", "'open"):
        with pytest.raises(AgentError, match="cannot be started"):
            AgentProcess(command)
    call = ["match", "jujitsu", "num_cards=3", "agent:none", "uniform", "--agent-seconds", "0"]
    assert "0 must be a positive number of seconds" in run_refused(capsys, *call)
    monkeypatch.setenv(SECONDS_VARIABLE, "soon")
    with pytest.raises(AgentError, match=r"CARDWAR_AGENT_SECONDS \(soon\) must be a positive number of seconds"):
        AgentProcess(MIXING)


def test_a_program_sees_only_harmless_variables_and_those_that_its_command_names(tmp_path, monkeypatch):
    secret = ["DB_PASSWD", "PASSPHRASE", "GH_PAT", "OPENAI_AUTH", "BEARER", "DATABASE_URL", "ONE_API_KEY"]
    for name in secret:
        monkeypatch.setenv(name, f"value of {name}")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    path = tmp_path / "shows.py"
    path.write_text("import json, os, sys\nfor _ in sys.stdin:\n    print(json.dumps(dict(os.environ)), flush=True)\n")
    for names in ([], ["GH_PAT"], ["ONE_API_KEY", "DATABASE_URL"]):
        process = AgentProcess(" ".join([*(f"-e {name}" for name in names), f"{sys.executable} -S {path}"]))
        shown = json.loads(process.ask(b"?"))
        process.close()
        assert {name: f"value of {name}" for name in names} == {name: shown[name] for name in secret if name in shown}
        assert (shown["PATH"], shown["LC_ALL"]) == (os.environ["PATH"], "C.UTF-8")
    with pytest.raises(AgentError, match="the environment variable NO_SUCH_KEY is not set"):
        AgentProcess(f"-e NO_SUCH_KEY {MIXING}")


def test_moves_will_do_where_games_are_sampled_and_what_was_lenient_is_said(agent, capsys):
    game = make_game("jujitsu", num_cards=3)
    program = agent(QUERY + "    print(json.dumps({'move': names[-1] + ' '}), flush=True)", game, accepts_moves=True)
    payoffs = baselines.play_games(game, [program, "lowest_card"], games=1)
    assert payoffs.tolist() == baselines.play_games(game, ["highest_card", "lowest_card"], games=1).tolist()
    program.say_lenient()
    assert capsys.readouterr().err.endswith(f": answers read leniently: move names {program.queries}\n")


def test_only_what_is_typed_is_started(monkeypatch):
    game, word = make_game("jujitsu", num_cards=3), f"agent:{MIXING}"
    assert split_policies(f"{word} a,b") == [f"{word} a,b"]
    monkeypatch.setattr(sys, "argv", ["cardwar", "exploit", "jujitsu", "--policy", word])
    with monkeypatch.context() as patched:
        patched.setattr("atexit.register", (at_exit := []).append)
        policy = policy_from(word, game)
    assert isinstance(policy, AgentPolicy)
    assert policy.say_lenient in at_exit
    policy.close()
    monkeypatch.setattr(sys, "argv", ["cardwar", "exploit", "jujitsu", f"--policy={word}"])
    typed_agent(word, game).close()
    for other in ("agent:rm -rf /somewhere", f"agent:{sys.executable}", "agent:"):  # a part of what is typed
        with pytest.raises(AgentError, match="must be typed on the command line"):
            typed_agent(other, game)
    monkeypatch.setenv(FROM_FILE, "1")
    with pytest.raises(AgentError, match="must be typed on the command line"):
        policy_from(word, game)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize("games", [50, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_program_in_another_language_plays(capsys, monkeypatch, games):
    word = f"agent:node {EXAMPLES / 'middle_move.js'}"
    command = ["match", "jujitsu", "num_cards=3", word, "uniform", "--games", str(games)]
    monkeypatch.setattr(sys, "argv", ["cardwar", *command])
    figures = run_json(capsys, *command)
    assert figures["games"] == games == sum(figures["wins"]) + figures["nobody"]


def test_who_fails_forfeits_a_game_and_play_goes_on(capsys, monkeypatch, tmp_path):
    path = tmp_path / "agent.py"
    path.write_text(
        f"{QUERY}    print(json.dumps({{'move': names[0]}}) if query['query'] % 5 else 'what?', flush=True)\n"
    )
    call = ["match", "jujitsu", "num_cards=3", f"agent:{sys.executable} -S {path}", "highest_card", "--games", "10"]
    monkeypatch.setattr(sys, "argv", ["cardwar", *call])
    code, out, err = run(capsys, *call, "--forfeit", "--json")
    found = json.loads(out)
    assert (code, found["games"], found["forfeits"][1]) == (0, 10, 0)
    assert found["forfeits"][0] == err.count("player_0 forfeits: agent (") > 2
    assert found["mean"] <= 1 - 2 * found["forfeits"][0] / 10
    assert "--forfeit requires --games" in run_refused(capsys, *call[:5], "--forfeit")
    war = ["match", "war", "uniform", "uniform", "--games", "2", "--forfeit"]
    assert "--forfeit requires --games, a program" in run_refused(capsys, *war)


@pytest.mark.parametrize(("game", "seats", "hint"), [("jujitsu num_cards=3", 2, True), ("lowest_unique", 3, False)])
def test_games_before_a_failure_are_shown_with_their_number(capsys, monkeypatch, tmp_path, game, seats, hint):
    path, others = tmp_path / "agent.py", ["uniform"] * (seats - 1)
    answer = "print(json.dumps({'move': names[0]}) if query['query'] % 8 else 'what?', flush=True)"
    path.write_text(f"{QUERY}    {answer}\n")
    call = ["match", *game.split(), f"agent:{sys.executable} -S {path}", *others, "--seed", "3", "--games"]
    monkeypatch.setattr(sys, "argv", ["cardwar", *call])
    code, out, err = run(capsys, *call, "30", "--json")
    found = json.loads(out)
    done = found["games"]
    assert (code, found["games_asked"], 0 < done < 8) == (2, 30, True)
    assert f"; {done} of 30 games were completed" in err
    assert ("with --forfeit it would lose that game" in err) == hint
    assert found["ended"] in err
    code, out, _ = run(capsys, *call, "30")
    assert (code, f"the first {done} of 30 games" in " ".join(out.split())) == (2, True)
    whole = json.loads(run(capsys, *call, str(done), "--json")[1])
    assert "ended" not in whole
    assert all(found[name] == whole[name] for name in whole.keys() - {"seconds"})


def test_an_agent_that_cannot_be_restarted_forfeits_the_rest(capsys, monkeypatch, tmp_path):
    program = tmp_path / "agent"
    program.write_text(f"#!{sys.executable} -S\nimport os\nos.remove(__file__)\n")
    program.chmod(0o755)
    call = ["match", "jujitsu", "num_cards=3", f"agent:{program}", "uniform", "--games", "3", "--forfeit", "--json"]
    monkeypatch.setattr(sys, "argv", ["cardwar", *call])
    code, out, err = run(capsys, *call)
    assert (code, json.loads(out)["forfeits"], json.loads(out)["mean"]) == (0, [3, 0], -1.0)
    assert err.count("cannot be started") == 2


@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL"])
def test_an_agent_that_hangs_and_its_children_end_with_the_command(tmp_path, how):
    hangs = f"open({str(tmp_path / 'pids')!r}, 'a').write(f'{{os.getpid()}}\\n'); time.sleep(60)"
    ignoring = "[signal.signal(each, signal.SIG_IGN) for each in (signal.SIGHUP, signal.SIGTERM)]"
    (tmp_path / "slow.py").write_text(f"import os, signal, time\n{ignoring}\nos.fork()\n{hangs}\n")
    program = [sys.executable, "-c", "from cardwar_cli.main import main; main()", "exploit", "jujitsu", "num_cards=3"]
    word = f"agent:{sys.executable} -S {tmp_path / 'slow.py'}"
    process = subprocess.Popen([*program, "--policy", word], cwd=ROOT, stderr=subprocess.DEVNULL)
    while not (tmp_path / "pids").exists() or (tmp_path / "pids").read_text().count("\n") < 2:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(getattr(signal, how))
    number = getattr(signal, how)
    assert process.wait(30) == (128 + number if how == "SIGTERM" else -number)
    left = [Path(f"/proc/{pid}/stat") for pid in (tmp_path / "pids").read_text().split()]
    deadline = time.monotonic() + 10
    while any(each.exists() and each.read_text().split()[2] != "Z" for each in left):
        assert time.monotonic() < deadline, "an agent is still there"
        time.sleep(0.05)


def test_an_exit_that_was_lost_is_made_up_for_at_the_next_query(agent, monkeypatch):
    program = agent(QUERY, JUJITSU)
    monkeypatch.setattr(agent_process, "_status", 143)
    handlers = {number: signal.getsignal(number) for number in agent_process.ENDINGS}
    try:
        with pytest.raises(SystemExit, match="143"):
            program.action_probabilities(*START)
    finally:  # an exit ignores further signals, and so would this process and its children
        for number, handler in handlers.items():
            signal.signal(number, handler)


def test_the_schema_is_that_of_the_page():
    properties = Query.model_json_schema()["properties"]
    page = (ROOT / "docs" / "agents.md").read_text()
    assert all(f"`{name}`" in page for name in properties)
