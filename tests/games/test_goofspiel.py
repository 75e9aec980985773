"""Goofspiel: the rules on written games, and what states and observations may hold."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from brute_force import certain
from thinning import each_row

from cardwar_envs import check_game, make_game
from cardwar_envs.games.goofspiel import GoofspielState

# Each row: prize, bids of both players; then what player 0 is paid, score and carried points after it.
WRITTEN = [
    (
        {"num_cards": 4, "prizes": "descending"},
        [(4, (1, 4), -4, 0, 0), (3, (3, 2), 3, 0, 0), (2, (2, 1), 2, 0, 0), (1, (4, 3), 1, 0, 0)],
    ),
    (
        {"num_cards": 4, "prizes": "ascending"},
        [(1, (1, 1), 0, 0, 0), (2, (2, 3), -2, 0, 0), (3, (4, 2), 3, 0, 0), (4, (3, 4), -4, 0, 0)],
    ),
    (
        {"num_cards": 4, "prizes": "ascending", "ties": "carry", "payoff": "win"},
        [(1, (2, 2), 0, 0, 1), (2, (4, 4), 0, 0, 3), (3, (1, 3), 0, -6, 0), (4, (3, 1), -1, -2, 0)],
    ),
    (
        {"num_cards": 3, "prizes": "descending", "ties": "carry"},  # what is tied at the end belongs to nobody
        [(3, (3, 2), 3, 0, 0), (2, (2, 3), -2, 0, 0), (1, (1, 1), 0, 0, 1)],
    ),
    (
        {"num_cards": 3, "prizes": "descending", "payoff": "win"},
        [(3, (3, 2), 0, 3, 0), (2, (1, 1), 0, 3, 0), (1, (2, 3), 1, 2, 0)],
    ),
]


@each_row(("parameters", "rows"), WRITTEN)
def test_written_games(parameters, rows):
    game = make_game("goofspiel", **parameters)
    (start,) = game.initial()
    now, hands = start.state, [{*game.cards}, {*game.cards}]
    for prize, bids, paid, score, carried in rows:
        assert now.prize == prize
        (outcome,) = game.transitions(now, {player: bid - 1 for player, bid in enumerate(bids)})
        now = outcome.state
        for hand, bid in zip(hands, bids, strict=True):
            hand.remove(bid)
        assert now.hands == tuple(tuple(sorted(hand)) for hand in hands)
        assert (now.score, now.carried) == (score, carried)
        assert outcome.rewards == (paid, -paid)
        game.check(now)
    assert game.acting_players(now) == ()
    assert (now.prize, now.prizes) == (0, ())


def test_prizes_are_drawn_with_equal_probability():
    game = make_game("goofspiel", num_cards=4)
    starts = game.initial()
    assert [start.state.prize for start in starts] == [1, 2, 3, 4]
    assert {start.probability for start in starts} == {Fraction(1, 4)}
    after = game.transitions(starts[1].state, {0: 3, 1: 0})
    assert [(t.probability, t.state.prize, t.state.prizes) for t in after] == [
        (Fraction(1, 3), 1, (3, 4)),
        (Fraction(1, 3), 3, (1, 4)),
        (Fraction(1, 3), 4, (1, 3)),
    ]
    assert {t.rewards for t in after} == {(2.0, -2.0)}
    assert certain(t.probability for t in after)


def test_a_word_renumbers_the_cards_and_keeps_the_prizes():
    game = make_game("goofspiel", num_cards=4, prizes="descending", view="word")
    (start,) = game.initial()
    (outcome,) = game.transitions(start.state, {0: 3, 1: 0})  # cards 1, 2, 3 against 2, 3, 4
    assert outcome.state == GoofspielState(((1, 2, 3), (2, 3, 4)), 3, (1, 2))
    (outcome,) = game.transitions(outcome.state, {0: 2, 1: 2})  # 1, 2 against 2, 4
    assert outcome.state == GoofspielState(((1, 2), (2, 3)), 2, (1,))
    (outcome,) = game.transitions(outcome.state, {0: 1, 1: 2})  # 1 against 2
    assert outcome.state == GoofspielState(((1,), (2,)), 1, ())


def test_what_players_see():
    game = make_game("goofspiel", num_cards=3, ties="carry", payoff="win")
    state = GoofspielState(((1, 2), (1, 3)), 3, (1,), -2, 0)
    assert game.observation(state, 0).tolist() == [1, 1, 0, 1, 0, 1, 1, 0, 0, 3, -2, 0]
    assert game.observation(state, 1).tolist() == [1, 0, 1, 1, 1, 0, 1, 0, 0, 3, 2, 0]
    assert game.prizes_seen(np.stack([game.observation(state, player) for player in (0, 1)])).tolist() == [3, 3]
    plain = make_game("goofspiel", num_cards=3)
    assert len(plain.observation(plain.initial()[0].state, 0)) == plain.facts.observation_size == 10


def test_the_winner_is_settled_when_no_prize_can_turn_it():
    game = make_game("goofspiel", num_cards=4, prizes="descending", payoff="win")
    assert game.settled(GoofspielState(((1, 2), (3, 4)), 2, (1,), 7)) == (1.0, -1.0)
    assert game.settled(GoofspielState(((1, 2), (3, 4)), 2, (1,), -7)) == (-1.0, 1.0)
    assert game.settled(GoofspielState(((1,), (3,)), 1, (), 1)) is None  # the last prize makes it a draw


HIDDEN = [
    make_game("goofspiel", num_cards=3, prizes=prizes, ties=ties, payoff=payoff, bids="hidden")
    for prizes in ("random", "descending", "ascending")
    for ties in ("discard", "carry")
    for payoff in ("margin", "win")
]


@each_row("game", HIDDEN)
def test_hidden_bids_keep_the_rules(game):
    report = check_game(game)
    assert report.passed, str(report)
    assert report.complete
    assert {result.check for result in report if result.status == "note"} <= {"entries_vary"}
    shown = replace(game, bids="open")
    for hidden, seen in zip(game.initial(), shown.initial(), strict=True):
        for bids in ((2, 1), (0, 0), (1, 2)):
            for one, other in zip(
                game.transitions(hidden.state, dict(enumerate(bids))),
                shown.transitions(seen.state, dict(enumerate(bids))),
                strict=True,
            ):
                assert one.state[:5] == other.state[:5]
                assert (one.probability, one.rewards) == (other.probability, other.rewards)


def after_bids(game, *bids):
    (start,) = game.initial()
    state = start.state
    for pair in bids:
        (outcome,) = game.transitions(state, dict(enumerate(pair)))
        state = outcome.state
    return state


@each_row(
    ("change", "message"),
    [
        ({"played": ((4, 3, 3),)}, "after its bids"),
        ({"played": ((4, 3, 1), (4, 1, 2))}, "whose `played`"),
        ({"played": ()}, "after its bids"),
        ({"played": ((4, 3),)}, "whose `played`"),
    ],
)
def test_states_with_hidden_bids_are_checked(change, message):
    game = make_game("goofspiel", num_cards=4, prizes="descending", bids="hidden")
    state = after_bids(game, (2, 0))
    game.check(state)
    with pytest.raises(ValueError, match=message):
        game.check(state._replace(**change))
    with pytest.raises(ValueError, match=r"must be \(\) unless"):
        replace(game, bids="open").check(state)


def test_hidden_bids_need_the_view_of_cards():
    with pytest.raises(ValueError, match=r"view .'word'. must be 'cards'"):
        make_game("goofspiel", bids="hidden", view="word")
