"""Odd parameters of games, names of policies and command lines: understood, or refused in one line."""

import dataclasses

import pytest
from command import run
from odd import Fuzz, briefly_or_long
from tiny_games import EVERY_GAME

from cardwar_envs import GAMES, make_game
from cardwar_envs.core.policy import checked_probabilities
from cardwar_envs.core.policy_names import as_policy, policy_names
from train.algorithms.registry import ALGORITHMS

# Small enough to be solved at once, or far beyond what is allowed; what lies between would only take long.
NUMBERS = ["1", "2", "3", "0", "-1", "1.5", "1e3", "9999999999", "9" * 400, "nan", "inf", "", " 2", "٢", "0x2", "1_0"]
MALFORMED = ["", "\x00", "x" * 300, *("=", "==", "a=b", "--", "---", "-1", "--=3", "ä", "'", "{}", "[1]", "*")]
MALFORMED += ["num_cards", "None"]
LETTERS = "abcdefghijklmnopqrstuvwxyz_:=,.-/ 0123456789"


def parameters(fuzz, name):
    """Mostly odd values for some of a game's fields."""
    fields = [field.name for field in dataclasses.fields(GAMES[name])]
    chosen = fuzz.random.sample(fields, fuzz.random.randint(1, min(2, len(fields))))
    usual = {"num_cards": 3, "hand_0": (1, 2), "hand_1": [2, 2], "ties": "carry", "sides": 2, "ranks": 3, "discards": 1}
    return {field: usual[field] if field in usual and fuzz.chance(0.3) else fuzz.odd() for field in chosen}


def fuzz_parameters(fuzz):
    name = fuzz.random.choice(list(GAMES))
    given = parameters(fuzz, name) | ({"unknown": 1} if fuzz.chance(0.05) else {})
    with fuzz.trying("parameters", (name, given)):
        game = make_game(name, **given)
        assert make_game(name, **game.parameters()) == game
        hash(game)


def mangled(fuzz, word):
    """A word with a letter lost, doubled or replaced."""
    place = fuzz.random.randrange(len(word))
    return word[:place] + fuzz.random.choice(["", word[place] * 2, fuzz.random.choice(LETTERS)]) + word[place + 1 :]


def fuzz_policies(fuzz):
    game, name = fuzz.random.choice(EVERY_GAME), fuzz.random.choice(policy_names())
    if fuzz.chance(0.3):
        name += ":" + fuzz.random.choice(["", "max_entropy", "exploit:uniform", "exploit:", "exploit:x", ":", "x"])
    if fuzz.chance(0.3):
        name = mangled(fuzz, name)
    policy = fuzz.odd() if fuzz.chance(0.2) else name
    state = game.initial()[0].state
    with fuzz.trying("policies", (game.facts.name, policy)):
        answer = as_policy(policy, game)
        checked_probabilities(answer, game.observation(state, 0)[None], game.action_mask(state, 0)[None])


def small_words(fuzz, name):
    """A game and parameters that make it small, with an odd one now and then."""
    small = dict.fromkeys(("num_cards", "sides", "ranks", "numbers", "coins"), "2")
    small |= {"discards": "1", "max_rounds": "3", "size": "1"}
    fields = {field.name for field in dataclasses.fields(GAMES[name])} if name in GAMES else {}
    words = {key: value for key, value in small.items() if key in fields}
    if words and fuzz.chance(0.25):
        words[fuzz.random.choice(list(words))] = fuzz.random.choice(NUMBERS)
    listed = [f"{key}={value}" for key, value in words.items()]
    if fuzz.chance(0.15):
        more = ["ties=", "ties=carry", "payoff=win", "view=word", "hand_0=1,2", "hand_0=,", "num_cards=2"]
        listed.append(fuzz.random.choice(more))
    return [name, *listed]


def options(fuzz, command):
    """Options with values, right ones and wrong ones."""
    numbers = lambda: fuzz.random.choice(NUMBERS)  # noqa: E731
    odd_policies = ["highest_card", "uniform:x", "/nowhere/at/all", ".", __file__, "x"]
    policy = lambda: fuzz.random.choice(odd_policies) if fuzz.chance(0.3) else "uniform"  # noqa: E731
    engine = fuzz.random.choice(["threads", "x"])
    needed = {"exploit": ["--policy", policy()], "match": [policy(), policy()]}.get(command, [])
    known = {
        "solve": [["--exact"], ["--no-exact"], ["--engine", engine], ["--keep-layers", numbers()]],
        "exploit": [["--policy", policy()], ["--policy"]],
        "match": [[policy()], ["--games", fuzz.random.choice(NUMBERS[:6])], ["--seed", numbers()]],
        "train": [["--list-options"], ["--algorithm", "dqn"], ["--seed", "-1"], ["--steps", "0"], ["--width", "x"]],
        "report": [["--skip-damaged"], ["/nowhere"], [__file__], ["--out", "/nowhere/x.md"]],
        "reproduce": [["--out"], ["nobody"]],
    }[command]
    chosen = [*needed] if fuzz.chance(0.9) else []
    chosen += [word for option in known if fuzz.chance(0.15) for word in option]
    return (
        chosen
        + (["--json"] if fuzz.chance(0.5) else [])
        + ([fuzz.random.choice(MALFORMED)] if fuzz.chance(0.1) else [])
    )


def command_line(fuzz):
    if fuzz.chance(0.05):
        return [fuzz.random.choice([*MALFORMED, "--help", "solve", "match"]) for _ in range(fuzz.random.randint(1, 3))]
    command = fuzz.random.choice(["solve", "exploit", "match"] * 2 + ["train", "report", "reproduce"])
    name = mangled(fuzz, "jujitsu") if fuzz.chance(0.1) else fuzz.random.choice(list(GAMES))
    words = [command, *({"report": [], "reproduce": ["no_such_paper"]}.get(command) or small_words(fuzz, name))]
    if command == "report":
        words = words[:1]
    words += options(fuzz, command)
    if command == "train" and "--list-options" not in words:
        words += ["--algorithm", fuzz.random.choice(list(ALGORITHMS)), "--steps", "-5"]  # never learns
    return words


def fuzz_commands(fuzz, capsys):
    words = command_line(fuzz)
    try:
        code, out, err = run(capsys, *words)
    except BaseException as error:
        error.add_note(f"cardwar {words!r}")
        raise
    if code == 2:
        assert err.startswith("cardwar: "), words
        assert err.count("\n") == 1, (words, err)
        assert "Traceback" not in err
        fuzz.counts["commands", "refused"] += 1
    else:
        assert code == 0, (words, code, err)
        assert out, words
        assert not err, words
        fuzz.counts["commands", "accepted"] += 1


def fuzzed(attempt, count, *arguments):
    fuzz = Fuzz(attempt.__name__)
    for _ in range(count):
        attempt(fuzz, *arguments)
    fuzz.check()


@briefly_or_long("count", 300, 11_200)
@pytest.mark.parametrize("attempt", [fuzz_parameters, fuzz_policies])
def test_odd_words_are_understood_or_refused(attempt, count):
    fuzzed(attempt, count)


@briefly_or_long("count", 45, 2_000)
def test_odd_command_lines_are_understood_or_refused_in_one_line(capsys, tmp_path, monkeypatch, count):
    monkeypatch.chdir(tmp_path)
    fuzzed(fuzz_commands, count, capsys)
    assert not list(tmp_path.iterdir())
