"""Goofspiel: exact facts about uniform play and about matching the prize, and what matching plays."""

from itertools import product

import numpy as np
import pytest
from brute_force import asked
from thinning import each_row

import baselines
from baselines import exploitability, head_to_head, make_policy, solve
from baselines.oracles.rank_games.sizes import matrix_games
from baselines.oracles.state_graph.game_graph import build_graph
from cardwar_envs import make_game
from cardwar_envs.games.goofspiel import Goofspiel, GoofspielState

ORDERS = ("random", "descending", "ascending")


@each_row(("cards", "order"), list(product((1, 2, 3, 4, 5), ORDERS)))
def test_uniform_play_loses_to_matching_only(cards, order):
    """A best response bids the prize's own rank (Ross 1971) and wins (n^2 - 1)/6 points."""
    game = make_game("goofspiel", num_cards=cards, prizes=order, view="word")
    expected = (cards**2 - 1) / 6
    assert exploitability(game, "uniform") == pytest.approx(expected, abs=1e-12)
    if 1 < cards < 5:
        shown = make_game("goofspiel", num_cards=cards, prizes=order)
        assert exploitability(shown, "uniform") == pytest.approx(expected, abs=1e-12)
        assert head_to_head(shown, "matching", "uniform").mean == pytest.approx(expected, abs=1e-12)


@each_row(("cards", "order"), [*((4, order) for order in ORDERS), (5, "descending"), (5, "random")])
def test_matching_loses_to_one_more(cards, order):
    """Who bids one more wins all prizes but the highest: n(n - 3)/2 points."""
    game = make_game("goofspiel", num_cards=cards, prizes=order)
    assert exploitability(game, "matching") == pytest.approx(cards * (cards - 3) / 2, abs=1e-12)


def test_both_views_have_the_same_values():
    """Of a position in which player 1 holds the better cards."""
    cards, word = (make_game("goofspiel", num_cards=5, view=view) for view in ("cards", "word"))
    shown = solve(cards).value_at(GoofspielState(((1, 2, 4), (1, 3, 5)), 4, (1, 2)))
    packed = solve(word).value_at(GoofspielState(((1, 2, 4), (1, 3, 5)), 4, (1, 2)))
    assert shown == pytest.approx(packed, abs=1e-12)
    assert shown < -0.1


@each_row(
    ("hand", "prize", "bid"),
    [
        ((1, 2, 3, 4, 5, 6), 3, 3),
        ((1, 2, 4, 6), 3, 4),  # the lowest card above the prize
        ((1, 2, 3), 5, 3),  # no card is above it: the highest card
        ((6,), 1, 6),
    ],
)
def test_what_matching_bids(hand, prize, bid):
    game = make_game("goofspiel", num_cards=6)
    later = tuple(each for each in game.cards if each != prize)[: len(hand) - 1]
    state = GoofspielState((hand, game.cards[: len(hand)]), prize, later)
    assert np.flatnonzero(asked(game, make_policy("matching", game), state, 0)).tolist() == [bid - 1]


@each_row("ties", ["discard", "carry"])
@each_row("prizes", ["random", "ascending"])
@each_row("view", ["cards", "word"])
def test_states_are_counted_by_a_formula(prizes, ties, view):
    """It is exact for states without carried points. Of representatives a few are their own mirror image."""
    game = make_game("goofspiel", num_cards=4, prizes=prizes, ties=ties, view=view)
    roots = [start._replace(state=game.canonical(start.state).state) for start in game.initial()]
    listed = {False: build_graph(game, game.initial()), True: build_graph(game, roots, canonical=True)}
    for canonical, graph in listed.items():
        assert 0 < game.count_states(canonical) <= len(graph.states)
    if ties == "discard":
        assert game.count_states(False) == len(listed[False].states)
        assert game.count_states(True) >= 0.85 * len(listed[True].states)


def test_a_game_too_large_is_refused_before_its_states_are_listed(monkeypatch):
    with pytest.raises(ValueError, match=r"about 7,734,372,492 matrix games; .* evaluated, so the largest .* 13$"):
        baselines.nash_conv(make_game("goofspiel", num_cards=14), "uniform")
    monkeypatch.setattr(Goofspiel, "transitions", None)  # nothing is listed
    # 1,338.9 million matrix games: two hands of 13 as words, times what prizes can be left, halved by swapping seats.
    assert matrix_games(make_game("goofspiel")) == 1_338_905_984
    with pytest.raises(ValueError, match=r"has about .* matrix games; .* the largest size that works with .* is 14$"):
        baselines.solve(make_game("goofspiel", num_cards=40))
    message = "goofspiel has at least 1,338,905,984 undecided states, .* is 1,000,000; the largest size .* is 8$"
    with pytest.raises(ValueError, match=message):
        baselines.solve(make_game("goofspiel"), selection="max_entropy")
    with pytest.raises(ValueError, match=r"undecided states; at most 1,000,000 can be .* is 7$"):
        baselines.nash_conv(make_game("goofspiel"), "matching", max_states=1_000_000)
    with pytest.raises(ValueError, match=r"about 5,630 undecided states; at most 50 can be .* is 2$"):
        baselines.nash_conv(make_game("goofspiel", num_cards=5), "matching", max_states=50)


def test_a_name_does_not_begin_work_of_many_minutes(monkeypatch):
    monkeypatch.setattr("baselines.oracles.answers.estimates.processors", lambda: 2)
    # 231,530,676 matrix games, which took 100 s (docs/measurements.md)
    with pytest.raises(ValueError, match=r"equilibrium of goofspiel takes about 104 seconds .*; solve the game first"):
        baselines.make_policy("equilibrium", make_game("goofspiel", num_cards=12))


def test_a_best_response_that_is_too_large_to_hold_is_refused_at_once(monkeypatch):
    monkeypatch.setattr("baselines.oracles.rank_games.oracle.Evaluation", None)  # nothing is laid out
    with pytest.raises(ValueError, match=r"a best response \(nash_conv gives its value\), so the largest .* is 11$"):
        baselines.best_response(make_game("goofspiel"), "uniform")
