"""States as text, and back."""

from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from thinning import each_row
from tiny_games import TINY_GAMES, each_of
from toys import in_turn

from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_cli.state_words import state_from, state_in_words
from cardwar_envs import DuelState, make_game

GAME = make_game("jujitsu", num_cards=3)


def states_of(game):
    if game.facts.num_players == 2 and game.facts.public_state:
        return full_graph(game).states
    states = [start.state for start in game.initial()]
    return states + ([WAR.transitions(states[0], dict.fromkeys(range(3), 2))[0].state] if game is WAR else [])


WAR = make_game("war", num_players=3, ranks=3, discards=1, max_rounds=9)


@each_of({**TINY_GAMES, "war for three": WAR})
def test_every_state_comes_back(game):
    for state in states_of(game):
        text = state_in_words(state)
        again = state_from(text, game)
        assert again == state
        assert type(again) is type(state)


def test_what_has_a_default_can_be_left_out():
    assert state_from("hands=3,1/2,3 score=1", GAME) == DuelState(((1, 3), (2, 3)), 1, 0)


@each_row(
    ("name", "parameters", "text", "complete"),
    [
        ("oshi_zumo", {}, "coins=3,4", "coins=3,4 position=0 moves_left=4"),
        ("oshi_zumo", {"min_bid": 0, "horizon": 9}, "coins=3,4 position=-2", "coins=3,4 position=-2 moves_left=7"),
    ],
)
def test_what_the_rules_determine_can_be_left_out(name, parameters, text, complete):
    game = make_game(name, **parameters)
    assert state_from(text, game) == state_from(complete, game)
    assert state_in_words(state_from(text, game)) == complete


@each_row(
    ("text", "reason"),
    [
        ("hands=1,3", "hands (1,3) must have 2 parts with '/' between them"),
        ("hands=1,3/2,x", "hands (x) must be an integer"),
        ("score=1", "hands must be given"),
        ("cards=1", "'cards=1' must read FIELD=VALUE, where the field is one of hands, score, ties"),
        ("hands=1,3/2,3 score=9", "state has score 9, impossible after 1 tricks"),
        ("hands=1,3/2,3 score=0 score=1", "score is given twice"),
        ("hands=1,7/2,3", "state gives player_0 cards that it cannot hold: [7]"),
        ("hands=/ score=one", "score (one) must be an integer"),
        ("", "hands must be given"),
    ],
)
def test_what_is_wrong_is_said_with_an_example(text, reason):
    with pytest.raises(ValueError, match="a complete state of jujitsu") as error:
        state_from(text, GAME)
    assert reason in str(error.value)
    assert "'hands=1,2,3/1,2,3 score=0 ties=0'" in str(error.value)


class Board(NamedTuple):
    names: tuple[str, ...]
    open: bool
    share: float
    rows: tuple[tuple[int, ...], ...]
    last: tuple[int, int] | None = None


@dataclass(frozen=True)
class Field:
    cells: tuple[int, ...]
    turn: int = 0


Untyped = namedtuple("Untyped", "cells turn")


def stranger(example):
    """As much of a game as reading states needs."""
    start = SimpleNamespace(state=example)
    facts = SimpleNamespace(name="theirs")
    return SimpleNamespace(
        initial=lambda: [start], check=lambda state: None, state_defaults=lambda given: {}, facts=facts
    )


@each_row(
    ("state", "text"),
    [
        (Board(("a", "b"), True, 0.5, ((1, 2), ()), (3, 4)), "names=a,b open=True share=0.5 rows=1,2/ last=3,4"),
        (Board((), False, 0.5, (), None), "names= open=False share=0.5 rows= last=none"),
        (Field((1, 2)), "cells=1,2 turn=0"),
        (Untyped((1, 2), 3), "cells=1,2 turn=3"),
        ((1, "a"), "(1, 'a')"),
        (7, "7"),
    ],
)
def test_states_of_strangers(state, text):
    assert state_in_words(state) == text
    assert state_from(text, stranger(state)) == state


def test_a_toy_is_read_as_python_writes_it():
    assert state_from("2", in_turn()) == 2
    for text in ("import os", "{[]: 1}", "-" * 9000 + "1", "1+" * 9000 + "1"):
        with pytest.raises(ValueError, match="is not a number"):
            state_from(text, in_turn())
    with pytest.raises(ValueError, match=r"state \(9\) must be in"):
        state_from("9", in_turn())


def test_what_cannot_be_written_is_refused_or_shown_as_python_writes_it():
    class Deep(NamedTuple):
        cubes: tuple[tuple[tuple[int, ...], ...], ...]
        other: dict | None = None

    for state in (Deep((((1,),),)), Board(("a,b",), True, 0.5, ()), Board(("a b",), True, 0.5, ())):
        assert state_in_words(state) == repr(state)
    with pytest.raises(ValueError, match="cannot be written as text"):
        state_from("cubes=1/2", stranger(Deep(())))


def test_types_that_cannot_be_read_are_judged_by_a_state():
    class Hidden(NamedTuple):
        cards: "Cards"  # noqa: F821  # as if it were imported for type checkers only
        turn: int = 0

    state = Hidden((1, 2), 3)
    assert state_in_words(state) == "cards=1,2 turn=3"
    assert state_from("cards=1,2 turn=3", stranger(state)) == state
