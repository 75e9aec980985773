"""Playing in the terminal: a scripted game in a pseudo-terminal, and inputs that are no moves."""

import codecs
import io
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from unittest.mock import Mock

import numpy as np
import pytest
from command import run, run_refused
from thinning import each_row

import baselines
from cardwar_cli.main import main
from cardwar_envs import make_game
from cardwar_play.account import amount
from cardwar_play.judge import Judge
from cardwar_play.record import read_record
from train.text.printing import points

PROMPT = "Your move: "
STEP_LIMIT = 120.0  # seconds; compiling comes before the first prompt


class Screen:
    """The command in a pseudo-terminal."""

    def __init__(self, *words):
        self._unread = ""  # a read can bring more than is waited for
        self.child, self._end = pty.fork()
        if self.child == 0:
            code = 70
            try:
                sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
                main(list(words))
            except SystemExit as ended:
                code = ended.code or 0
            finally:
                sys.stdout.flush()
                os._exit(code)

    def until(self, words):
        """What is printed, without styles, until some words come, or the end of the program if None."""
        said, decoder = self._unread, codecs.getincrementaldecoder("utf-8")()  # a read can end inside a letter
        while words is None or words not in said:
            ready, _, _ = select.select([self._end], [], [], STEP_LIMIT)
            assert ready, f"nothing more after {said!r}"
            try:
                said += decoder.decode(os.read(self._end, 4096))
            except OSError:  # the program has ended
                assert words is None, said
                break
        end = len(said) if words is None else said.index(words) + len(words)
        said, self._unread = said[:end], said[end:]
        return re.sub(r"\x1b\[\d*m", "", said).replace("\r\n", "\n")

    def type(self, line):
        os.write(self._end, f"{line}\n".encode())

    def close(self):
        """Closes the terminal, which ends the program if it still runs; returns its exit code."""
        os.close(self._end)
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


def test_a_game_in_a_terminal_with_all_kinds_of_input(tmp_path):
    """Costs are the numbers of the solution at every move; what is no move changes nothing."""
    kept = tmp_path / "game.json"
    screen = Screen("play", "jujitsu", "num_cards=4", "--seed", "5", "--record", str(kept))
    try:
        assert "You play against the perfect player" in screen.until(PROMPT)
        for line in ("", "?", "0", "5", "seven", "#9", "-1", "1 2", "\t", "help", "ü" * 300, "#" + "9" * 3000, "4.0"):
            screen.type(line)
            answer = screen.until(PROMPT)
            told = "cannot be taken back" in answer and "4. Both hands are open." in " ".join(answer.split())
            assert told if line in ("?", "help") else "Your moves: 1 2 3 4" in answer
            assert not re.search("player_1 plays|some words|#2 |pot|2x", answer)
        screens = []
        for line in ("4", "#1"):
            screen.type(line)
            screens.append(screen.until(PROMPT))
        assert "'4' is not one of your moves" not in screens[0]
        screen.type("4")  # played already
        assert "'4' is not one of your moves" in screen.until(PROMPT)
        screen.type("Value")
        worth = screen.until(PROMPT)
        screen.type("3")
        screens.append(screen.until("Your only move, 2, is played for you."))
        screens.append(screen.until("Play again? "))
        screen.type("perhaps")
        screen.until("Play again? ")
        screen.type("r")
        reviewed = screen.until("Play again? ")
        screen.type("n")
        screen.until(None)
    finally:
        code = screen.close()
    assert code == 0
    record = read_record(kept)
    assert [step[0] for step in record.episode.actions] == [3, 0, 2, 1]
    solution = baselines.solve(make_game("jujitsu", num_cards=4))
    third = record.episode.states[2]
    assert f"you get {amount(solution.value_at(third), '+')} point" in worth
    total = 0.0
    for said, step in zip(screens, record.content["steps"], strict=False):
        costs, mix = step["verdict"]["costs"], step["verdict"]["mix"]
        if len(costs) == 1:
            break
        cost = costs[str(step["actions"]["0"])]
        total += cost
        assert (f" cost {amount(cost)} point" in said) == bool(cost)
        for action, each in costs.items():
            row = [str(int(action) + 1), points(mix[action], 3), points(each, 3)]
            assert re.search(r"\W+".join(map(re.escape, row)), said)
        assert f"{points(total, 3)} points given away" in said
    assert total > 0.01
    costs = [step["verdict"]["costs"][str(step["actions"]["0"])] for step in record.content["steps"]]
    worst = costs.index(max(costs))
    assert re.findall(r"Move (\d) of 4", reviewed) == [str(number) for number, cost in enumerate(costs, 1) if cost]
    assert f"Your worst move was move {worst + 1}. " in "".join(screens)
    assert "The perfect player's choice here: " in reviewed
    ending = " ".join("".join(screens[-2:]).split())  # a read can bring more than was waited for
    assert record.account.sentence("equilibrium") in ending


@pytest.fixture
def played(monkeypatch, capsys):
    """Plays with these lines typed; returns exit code, stdout and stderr."""

    def play(typed, *words):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        return run(capsys, "play", *words)

    return play


def test_the_end_of_the_input_breaks_the_game_off_and_keeps_the_record(played, tmp_path):
    kept = tmp_path / "game.json"
    code, _, err = played("4\n9\n", "jujitsu", "num_cards=4", "--record", str(kept))
    assert code == 2
    assert err == f"cardwar: the input ended before the game did, at move 2; the moves so far are in {kept}\n"
    record = read_record(kept)
    assert (record.content["ending"], len(record.episode.actions)) == ("broken off", 1)


def test_a_series_has_the_next_seeds_and_keeps_each_record(played, tmp_path):
    game = ("jujitsu", "num_cards=2", "--seed", "4", "--games", "3", "--record", str(tmp_path / "game.json"))
    code, out, err = played("1\ngive up\n1\n", *game)
    assert (code, err) == (0, "")
    assert "Play again?" not in out
    assert out.count("Game 3 of 3") == 1
    records = [read_record(tmp_path / name).content for name in ("game.json", "game-2.json", "game-3.json")]
    assert [(record["seed"], record["ending"]) for record in records] == [(4, "over"), (5, "given up"), (6, "over")]
    assert "In 2 games you won" in out  # one was given up


def test_a_series_ends_when_the_person_quits(played):
    code, out, _ = played("1\nquit\n", "jujitsu", "num_cards=2", "--games", "9")
    assert (code, "Game 3" in out) == (0, False)


def test_who_wins_after_the_person_is_out_is_said(played):
    words = ("war", "num_players=3", "ranks=4", "discards=0", "--against", "max,uniform", "--seed", "1")
    assert played("#1\n" * 99, *words)[1].endswith(
        "\nThe others played on. All others are out of cards. Max wins 1 point.\n"
    )


def test_an_interrupt_says_the_total_of_the_series_and_keeps_the_record(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("builtins.input", Mock(side_effect=["1", KeyboardInterrupt]))
    kept = tmp_path / "game.json"
    code, out, err = run(capsys, "play", "jujitsu", "num_cards=2", "--games", "2", "--record", str(kept))
    assert (code, out.splitlines()[-1][:17]) == (130, "In 1 game you won")
    assert "the game in progress does not count" in err
    assert "\nPerfect player: Plays optimally: " in out
    assert read_record(tmp_path / "game-2.json").content["ending"] == "broken off"


@pytest.mark.parametrize(
    ("more", "ready", "ending"),
    [((), "Your move: ", signal.SIGHUP), (("--web", "--port", "0"), "Ctrl-C", signal.SIGTERM)],
)
def test_a_signal_keeps_the_record(tmp_path, more, ready, ending):
    words = ["play", "jujitsu", "num_cards=3", "--record", str(tmp_path / "game.json"), *more]
    program = [sys.executable, "-u", "-m", "cardwar_cli.main", *words]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        said = b""
        while ready.encode() not in said:
            said += os.read(process.stdout.fileno(), 4096)
        time.sleep(0.5)  # until the server runs, or the program waits for input
        process.send_signal(ending)
        assert process.wait(30) == 128 + ending
    assert read_record(tmp_path / "game.json").content["ending"] == "broken off"


@each_row("word", ["give up", "Quit"])
def test_giving_up_opens_what_was_sealed(played, word):
    code, out, err = played(f"SEAL\n2\n1\nseal\n{word}\n", "jujitsu", "num_cards=4", "--seed", "1")
    assert (code, err) == (0, "")
    assert "The game was given up and does not count." in out
    first, whole, second, third, last = re.findall(r"^(?:Your move: )?sealed (\w+)$", out, re.MULTILINE)
    assert (len(first), whole[:16], last[:16]) == (16, first, third)
    commands = re.findall(r"printf %s '[0-9a-f]{32} move \d: player_1 plays \d [(]action \d[)]' [|] sha256sum", out)
    assert out.index(commands[0]) > out.index(third)
    answers = [
        subprocess.run(line, shell=True, capture_output=True, text=True, check=True).stdout.split()[0]
        for line in commands
    ]
    assert [answers[0], answers[1][:16], answers[2]] == [whole, second, last]


def test_nothing_private_is_shown_before_the_end(played):
    _, out, _ = played("value\nraise\n", "dice_poker", "--seed", "6")
    assert "You play against the perfect player. You check or raise." in out
    before, worth, after = out.split(PROMPT)
    rolled = int(re.search(r"You rolled (\d)\nThe perfect player rolled \?", before)[1])
    game = make_game("dice_poker")
    judge = Judge(baselines.solve(game))
    worths = [judge.to_go(start.state, 0) for start in game.initial() if start.state.rolls[0] == rolled]
    assert f"you get {amount(np.mean(worths), '+')} point" in worth
    assert re.search(r"The perfect player rolled \d", after)
    assert not re.search(r"fold|call|plays", before.partition("Move 1")[2])


def test_a_war_is_found_by_its_cards_and_has_one_number_in_all_lists_of_a_turn(played):
    """What is listed after a search must not take the number of another move: no move can be taken back."""
    code, out, _ = played("13\nhelp\n2 3 5 with\n#10\nquit\n", "war", "--against", "max,max", "--seed", "1")
    assert code == 0
    assert "and 1,300 more; type some words of their names" in out
    assert "\n  #1 discards 2 3 4 and battles with 5\n" in out
    assert out.count("  #10 discards 2 3 5 and battles with 6\n") == 2  # in the first list, and after the search
    assert "You: discards 2 3 5 and battles with 6\n" in out
    assert re.search(r"You           hand [\d ]+  wins -\nMax \(seat 1\)  hand", out), "columns keep their places"
    assert re.search(r'"discards \d+" finds "discards [\d ]+ and battles with \d+"', out)
    assert " ".join(out.split()).count("2x13 means two cards of rank 13, and the pot is") == 2  # at the start, by help
    assert "expected payoff" not in out
    assert "Moves are not judged: " in out
    assert "points given away" not in out


@each_row(
    ("line", "words", "said"),
    [
        ("#1", "war num_players=3 ranks=3 --against max,min", r"Min: 2\nMax takes 3 cards\.\n"),
        ("1", "oshi_zumo coins=3 size=1 --seat 1", r"(?m)^Perfect player  \| \. W \. \|  you$"),
        (
            "1",
            "goofspiel num_cards=2",
            r"Perfect player: 2\nThe perfect player won (1|2) points?\. The perfect player leads by \1\.\n",
        ),
        (
            "1",
            "dice_wars num_cards=2",
            r"Perfect player: \d\n(The battle is tied, with probability \d+%\. Nobody|"
            r"(You|The perfect player) won the battle, with probability \d+%\. \2) lead",
        ),
    ],
)
def test_who_won_is_said_after_the_moves(played, line, words, said):
    assert re.search(said, played(f"{line}\nquit\n", *words.split(), "--seed", "2")[1])


@each_row(
    ("words", "typed", "said"),
    [
        ("dice_poker", "2", "You: raise"),
        ("dice_poker", "r", "Type #2 or raise to play it."),
        ("war num_players=3 --against max", "13\n1", "You: discards 2 3 4 and battles with 5\n"),
        ("war num_players=3 ranks=5 discards=0 --against max", "6\n3", "Type #2 or battles with 3 to play it."),
    ],
)
def test_a_number_or_a_part_of_a_name_is_enough_where_it_is_clear(played, words, typed, said):
    assert said in played(f"{typed}\nquit\n", *words.split(), "--seed", "1")[1]


def test_a_record_never_replaces_a_file(capsys, tmp_path):
    (tmp_path / "thesis.tex").write_text("kept")
    said = run_refused(capsys, "play", "jujitsu", "--record", str(tmp_path / "thesis.tex"))
    assert "already exists; choose another file" in said
    assert (tmp_path / "thesis.tex").read_text() == "kept"
    run_refused(capsys, "play", "jujitsu", "--record", str(tmp_path / "no" / "game.json"))


def test_a_long_search_is_offered_with_its_estimate_and_left_out_otherwise(played, monkeypatch):
    small = ("oshi_zumo", "coins=26", "size=2")
    monkeypatch.setattr("cardwar_cli.play.PATIENCE", 0.0)
    monkeypatch.setattr("cardwar_cli.play.smaller_instead", lambda game: "")
    assert "takes more than 0 seconds; the total time is not known; --yes computes it." in played("quit\n", *small)[1]
    assert "Each move is judged" in played("quit\n", *small, "--yes")[1]
    monkeypatch.setattr("baselines.oracles.answers.estimates.processors", lambda: 2)
    monkeypatch.setattr("baselines.oracles.answers.estimates.SECONDS_PER_MATRIX_GAME", 2.0)
    code, out, _ = played("quit\n", "jujitsu", "num_cards=5", "--seed", "1")
    assert code == 0
    # 89 matrix games on two processors
    assert "\nMoves are not judged: computing the equilibrium of jujitsu num_cards=5 takes about 89 seconds" in out
    assert "You play against Uniform" in out


def test_the_question_before_a_long_search_explains_its_answers(monkeypatch):
    monkeypatch.setattr("baselines.oracles.answers.estimates.SECONDS_PER_MATRIX_GAME", 10.0)
    screen = Screen("play", "goofspiel", "num_cards=4")
    try:
        assert "Computing the equilibrium of goofspiel" in (asked := screen.until("quit) [n]: "))
        assert "play against uniform now, without the costs of moves (n)?" in " ".join(asked.split())
        screen.type("help")
        assert "n plays against uniform now, without judging moves." in screen.until("quit) [n]: ")
        screen.type("quit")
        assert "Move 1" not in screen.until(None)
    finally:
        code = screen.close()
    assert code == 0


@each_row(
    ("options", "message"),
    [
        ("--seat 5", "seat (5) must be in 0..1"),
        ("--against level:9", "goofspiel has no levels"),
        ("--against nobody", "unknown policy 'nobody'"),
        ("--against uniform,uniform", "2 opponents given for 1 seat;"),
    ],
)
def test_seats_are_checked_before_the_equilibrium_is_computed(capsys, monkeypatch, options, message):
    monkeypatch.setattr("cardwar_cli.play.find_equilibrium", Mock(side_effect=AssertionError))
    assert message in run_refused(capsys, "play", "goofspiel", *options.split())
