"""`check_game` finds each lie by the check that it breaks, and says nothing against a right game."""

import inspect
import pickle
import re
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import wrong_rules
import wrong_values
from bidding import Bidding, Bids
from brute_force import Values
from command import run
from hidden_games import Kuhn
from lies import WRONG
from thinning import each_row

import baselines
from cardwar_envs import Game, check_game, make_game
from cardwar_envs.contract import CHECKS, Case
from cardwar_envs.games.dice_poker import DicePoker
from cardwar_envs.games.war import War

ROOT = Path(__file__).parents[2]
NOTES = {  # checks that never fail
    *("seats_and_actions_are_used", "entries_vary", "states_read_differently", "pictures_keep_secrets"),
    "observations_hold_what_was_seen",
}
PRIVATE = {"pictures_keep_secrets", "observations_hold_what_was_seen", "observations_show_what_is_legal"}
UNCLAIMED = {
    *(
        "moves_left_fall",
        "other_sizes_are_the_same_game",
        "there_are_as_many_states_as_counted",
        "action_parts_tell_actions_apart",
        "uniform_is_optimal_where_claimed",
    )
}
FORMS = {"compiled_rules_are_the_rules", "rounds_form_is_the_rules", "bayesian_form_is_the_rules"}


def of_status(report, status):
    return {result.check for result in report if result.status == status}


@cache
def report_on(what):
    """The report on a wrong game; but for two of them all states are examined."""
    return check_game(WRONG[what][1], max_states=150)


# -- right games ------------------------------------------------------------------------------------


def test_a_right_game_passes_everything():
    report = check_game(Bidding())
    assert report.passed
    assert (report.complete, report.states, report.extent) == (True, 39, "all 39 states")
    assert of_status(report, "passed") == set(CHECKS) - FORMS - UNCLAIMED - PRIVATE
    assert of_status(report, "not applicable") == FORMS | UNCLAIMED | PRIVATE


@each_row(
    "game",
    [
        make_game("jujitsu", num_cards=9),
        make_game("dice_wars", num_cards=4),
        make_game("dice_poker", sides=40),
        make_game("war", num_players=3, ranks=4, discards=1, max_rounds=20),
        make_game("war", num_players=3, ranks=2, discards=0, max_rounds=3),
    ],
)
def test_there_is_no_alarm_for_samples_and_many_players(game):
    report = check_game(game, max_states=60)
    assert report.passed, str(report)
    assert report.complete == (game.parameters().get("ranks") == 2)
    assert report.complete or report.extent.startswith("a sample of ")


@each_row(
    ("state", "message"),
    [
        (None, "the state must be of type Bids, not NoneType"),
        (Bids(((0, 1),), 1), "the state, hands must have 2 entries, not 1"),
        (Bids(((0, 1), (1, "2")), 1), "the state, hands, entry, entry must be of type int, not str"),
        (Bids(((0, 1), (1, 2)), 1.0), "the state, prize must be of type int, not float"),
        (Bids(((0, 1), (1, 2)), 10**9), None),  # the default tests no values
    ],
)
def test_a_game_without_a_check_of_its_own_passes(state, message):
    game = type("Unchecked", (Bidding,), {"check": Game.check, "__module__": __name__})()
    assert {"check_takes_states", "check_refuses_junk"} <= of_status(check_game(game), "passed")
    with pytest.raises(ValueError, match=message) if message else nullcontext():
        game.check(state)


# -- wrong games ------------------------------------------------------------------------------------


def test_every_check_that_can_fail_has_a_wrong_game():
    assert len(WRONG) == len(set(WRONG)) >= 60
    assert {check for check, _ in WRONG.values()} == set(CHECKS) - NOTES
    assert {wrong_rules.lies, wrong_values.lies} == {wrong_rules.lies}


@each_row("what", WRONG)
def test_each_lie_is_found_by_the_check_that_it_breaks_and_by_no_other(what):
    assert of_status(report_on(what), "failed") == {WRONG[what][0]}, str(report_on(what))
    assert not report_on(what).passed


@each_row(
    ("what", "words"),
    [
        (
            "floats for probabilities",
            "state Bids(hands=((1, 2), (0, 1)), prize=2), actions {0: 1, 1: 0}: probability 0.5 must be",
        ),
        ("an outcome left out", "probabilities sum to 1/2, not to 1"),
        ("max length too short", "has 3 joint actions; max_length is 2"),
        ("max payoff too low", "player_0 pay -6..6 in total; the facts say -5..5"),
        ("back to the start", "a game can visit state Bids(hands="),
        ("ties go to player 0", "state Bids(hands=((0,), (0,)), prize=2), player_1: as player_0 it is"),
        ("the prize cannot be seen", "looks like state Bids(hands=((0,), (0,)), prize=1), but has a different future"),
        ("a legal action raises", "transitions raises IndexError: list index out of range"),
        ("settled for one point", "settled says that 1 is still paid, but play pays 2..2"),
        ("actions crosswise", "leads to different payments or representatives"),
        ("states that can be changed", "the state, hands can be changed"),
        ("a parameter left out of comparison", "a game that differs in bonus counts as equal"),
        ("check takes any prize", "check accepts Bids(hands=((0, 1, 2), (0, 1, 2)), prize=None)"),
        ("check raises TypeError", "it must raise ValueError"),
        ("two cards of one name", "actions 1 and 2 are both called 'a card'"),
        ("compiled rules discard ties", "compiled rules are in"),
        ("loaded dice in the arrays", "deal (1, 1): bayesian_form has probability 1/6, the rules 1/9"),
    ],
)
def test_failures_say_what_and_where(what, words):
    (failure,) = report_on(what).failed
    assert words in failure.reason


def test_a_lie_of_many_players_is_found():
    class LastSeatPays(War):
        def transitions(self, state, actions):
            *_, last = range(self.num_players)
            found = super().transitions(state, actions)
            if self.acting_players(found[0].state) or self.acting_players(state) != (0, 1, 2):
                return found
            return [each._replace(rewards=tuple((-2.0 if p == last else 1.0) for p in range(3))) for each in found]

    game = LastSeatPays(num_players=3, ranks=2, discards=0, max_rounds=2)
    assert "seats_are_alike" in of_status(check_game(game), "failed")


def test_rules_that_change_the_state_that_they_are_given_are_found():
    class Eats(wrong_values.Other):
        def made(self, state):
            return wrong_values.BlindBids(*state)

        def transitions(self, state, actions):
            found = super().transitions(state, actions)
            object.__setattr__(state, "hands", (state.hands[0][:1], *state.hands[1:]))
            return found

    assert "answers_repeat" in of_status(check_game(Eats()), "failed")


def test_private_rolls_in_pictures_and_infos_are_noted():
    class AllShown(DicePoker, keeps_claims=True):
        def describe_revealed(self, revealed):
            return str(revealed.state.rolls)

    class AllTold(DicePoker, keeps_claims=True):
        def info(self, state, player):
            return {"rolls": state.rolls}

    class ToldInALargeArray(DicePoker, keeps_claims=True):
        def info(self, state, player):
            return {"rolls": np.repeat((0.0, 1e-9 * state.rolls[1 - player], 0.0), 500)}

    class NothingShown(DicePoker, keeps_claims=True):
        def describe_revealed(self, revealed):
            return "two rolls"

    assert {"pictures_keep_secrets", "states_read_differently"} <= of_status(check_game(DicePoker()), "passed")
    report = check_game(NothingShown())
    assert "states_read_differently" in of_status(report, "note")
    assert "override describe_revealed to show what the player `revealed.viewer` sees" in str(report)
    for kind in (AllShown, AllTold, ToldInALargeArray):
        assert "pictures_keep_secrets" in of_status(check_game(kind()), "note")


@each_row(
    ("game", "noted"),
    [
        (Kuhn(), set()),
        (Kuhn(forgets=True), {"observations_hold_what_was_seen"}),
        (make_game("goofspiel", num_cards=3, bids="hidden"), set()),
    ],
)
def test_observations_that_forget_are_noted(game, noted):
    report = check_game(game)
    assert (report.passed, of_status(report, "note")) == (True, noted)


def test_a_sample_finds_a_lie_as_well_and_the_seed_decides_it():
    kind = type(WRONG["ties go to player 0"][1])
    reports = [check_game(kind(cards=6), max_states=100, seed=seed) for seed in (1, 1, 2)]
    assert all(of_status(report, "failed") == {"seats_are_alike"} for report in reports)
    assert reports[0] == reports[1]
    assert reports[0].extent.endswith(" states, seed 1")
    assert [start.state for start in Case(kind(cards=6), 100, 1).starts] == [
        start.state for start in kind(cards=6).initial()
    ]


# -- games that hardly are any ----------------------------------------------------------------------


@dataclass(frozen=True)
class Silent(Game):
    """Raises whatever it is asked."""

    name = "silent"

    def __getattribute__(self, name):
        if name in ("facts", "initial", "describe", "check"):
            raise ZeroDivisionError(name)
        return super().__getattribute__(name)

    facts = initial = acting_players = legal_actions = transitions = observation = None
    check = describe = describe_action = None


def test_a_game_that_raises_everywhere_gets_a_report():
    report = check_game(Silent())
    failed = {result.check: result.reason for result in report.failed}
    assert failed["rules_answer"] == "initial raises ZeroDivisionError: initial"
    assert failed["facts_are_well_formed"] == "ZeroDivisionError: facts"
    assert "the facts cannot be read: ZeroDivisionError: facts" in report.text(everything=True)


@each_row(
    ("arguments", "message"),
    [
        ({"game": Bidding}, "must be a game, .* it is a class"),
        ({"game": "jujitsu"}, r"game \('jujitsu'\) must be a game"),
        ({"game": Bidding(), "max_states": 0}, r"max_states \(0\) must be in"),
        ({"game": Bidding(), "seed": -1}, r"seed \(-1\) must be in"),
        ({"game": Bidding(), "seed": 0.5}, r"seed \(0.5\) must be an integer"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        check_game(**arguments)


# -- the report -------------------------------------------------------------------------------------


def test_a_report_can_be_read_and_kept():
    report = report_on("the prize cannot be seen")
    first, *lines, last = report.text(everything=True).splitlines()
    assert first == "ThePrizeCannotBeSeen(cards=3)"
    assert last == f"all 39 states: {len(CHECKS) - 14} passed, 1 failed, 13 not applicable"
    *lines, failed, demanded = lines
    others = [line[16:].split(":")[0] for line in lines]
    assert others == [name for name in CHECKS if name != "observations_tell_states_apart"]
    assert "failed          observations_tell_states_apart" in failed
    assert failed.endswith("add to the observation what distinguishes them, for example the seat")
    assert demanded.endswith("Or declare public_state=False if a player must not see it.")
    assert str(report).splitlines() == [first, failed, demanded, last]
    assert [result.check for result in report] == list(CHECKS)
    assert pickle.loads(pickle.dumps(report)) == report


def test_notes_are_no_failures():
    class OneCardOut(Bidding):
        def initial(self):
            return [each._replace(state=each.state._replace(hands=((0, 1),) * 2)) for each in super().initial()]

        def describe(self, state):
            return "some cards"

    report = check_game(OneCardOut())
    assert of_status(report, "note") == NOTES - PRIVATE
    assert "actions [2] are never legal in all" in str(report)
    assert "entries [2, 5] of observations are the same in all" in str(report)


def test_the_documentation_shows_a_real_report(tmp_path, monkeypatch, capsys):
    text = (ROOT / "docs" / "check_game.md").read_text()
    (code,), (shown,) = (re.findall(rf"```{kind}\n(.*?)```\n", text, re.DOTALL) for kind in ("python", "text"))
    (tmp_path / "heavy.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    status, out, _ = run(capsys, "check", "heavy:Heavy", "hand_0=1,2,5", "hand_1=2,3,4")
    assert status == 1
    assert [line for line in out.splitlines() if not line.startswith("passed")] == shown.splitlines()
    solution = baselines.solve(sys.modules["heavy"].Heavy(hand_0=(1, 2, 5), hand_1=(2, 3, 4)))
    assert (round(solution.value, 3), round(solution.gap, 17)) == (-0.667, 6e-17)
    assert Values(solution.game).value(solution.game.initial()[0].state) == pytest.approx(1 / 3)


def test_the_documentation_names_every_check():
    text = (ROOT / "docs" / "check_game.md").read_text()
    for name, check in CHECKS.items():
        first = inspect.getdoc(check).split("\n\n")[0].replace("\n", " ")
        assert f"| `{name}` | {first} |" in text
