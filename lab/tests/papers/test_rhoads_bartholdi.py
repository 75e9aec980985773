"""What first bids of Goofspiel are like, on small games whose mixes are known."""

from copy import deepcopy
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from baselines.display.at_state import PlayAt
from baselines.display.mixes import exact_mix
from lab.papers.rhoads_bartholdi import paper
from lab.papers.rhoads_bartholdi.paper import CLAIMS, first_bids, lone_bid, shortfall, unimodal


def play_of(matrix):
    """Play of a matrix game whose value is 0 and whose optimal mix is unique or evenly mixed."""
    names, even = [str(i) for i in range(len(matrix))], [Fraction(1, len(matrix))] * len(matrix)
    sides = matrix, -np.transpose(matrix)
    first, second = (exact_mix(names, even, [[*map(Fraction, row)] for row in side], Fraction(0), ()) for side in sides)
    return PlayAt("", 0.0, None, np.array(matrix, dtype=float), (first, second), tuple(names))


ROCK_PAPER_SCISSORS = play_of([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def test_properties_of_a_mix_that_is_even():
    assert lone_bid(ROCK_PAPER_SCISSORS) == 1.0
    assert unimodal(ROCK_PAPER_SCISSORS) == pytest.approx(0.0, abs=1e-9)
    # If the last row is played at least twice as often as the first, (2, 3, 4) / 9 guarantees most: -1/9.
    assert shortfall(ROCK_PAPER_SCISSORS, [np.array([2.0, 0.0, -1.0])]) == pytest.approx(1 / 9, abs=1e-9)


def test_three_cards_by_hand():
    """With 3 cards, bidding the prize's rank is optimal: a lone bid, so unimodal."""
    for play in first_bids(3):
        assert lone_bid(play) <= 1e-12
        assert not CLAIMS["no lone bid"](play)
        assert not CLAIMS["not unimodal"](play)


def test_thirteen_cards():
    plays = first_bids(13)
    for name in ("no lone bid", "not unimodal"):
        assert all(map(CLAIMS[name], plays))
    assert [prize for prize, play in enumerate(plays, 1) if CLAIMS["greatest above next"](play)] == [11, 12, 13]


def test_a_fault_in_what_is_recorded_is_not_sound(monkeypatch):
    assert paper._is_solved(4)
    known = paper.recorded(paper.Goofspiel(4))
    changed = deepcopy(known.data)
    changed["starts"][2]["players"][0]["actions"]["4"]["low"] += 1e-3
    monkeypatch.setattr(paper, "recorded", lambda game: replace(known, data=changed))
    assert not paper._is_solved(4)
