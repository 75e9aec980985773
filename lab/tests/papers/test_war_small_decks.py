"""The report on WAR with small decks, on the smallest of them."""

import pytest

from cardwar_envs.games.war.state import WarState
from lab.papers import recompute
from lab.papers.findings import Verdict
from lab.papers.war import small_decks as war_small_decks


@pytest.fixture(scope="module")
def decks():
    return {(ranks, discards): war_small_decks.study(ranks, discards) for ranks, discards in ((3, 1), (3, 3))}


def test_a_deck_that_settles(decks):
    deck = decks[3, 1]
    assert deck.start == WarState(((2, 3), (3, 4)), ((2, 4), ()), rounds_left=499)
    assert (deck.positions, deck.change, deck.moving, deck.circle) == (42, 0.0, 0, None)
    assert deck.values[-1] == pytest.approx(-1 / 3)
    assert (deck.gap <= 1e-6, deck.by_rules, deck.bounded) == (True, True, True)
    assert war_small_decks.settling(deck) == "values have settled"
    assert deck.exploitable["equilibrium"] == pytest.approx(0, abs=1e-12)
    assert {deck.exploitable[name] for name in ("min", "max")} == {1.0}


def test_a_deck_that_goes_round_in_circles(decks):
    deck = decks[3, 3]
    assert deck.circle == 4
    assert deck.endless.wider(war_small_decks.WIDE) == 22
    assert "2 4 (2 3 won) v. 3 4 (none won): likeliest play goes round in a circle of 4" in war_small_decks.widest(deck)


def test_rows_and_tables_say_the_same(decks):
    deck = decks[3, 3]
    rows = list(war_small_decks.deck_findings(deck))
    assert {row.verdict for row in rows} == {Verdict.NEW}
    assert {row.place for row in rows} == {"3 ranks, 3 discards"}
    row = war_small_decks.table_row(deck)
    assert row["circle"] == 4
    assert row["exploitability of min"] == next(each.computed for each in rows if " of min," in each.item)


def test_the_report_is_sound_and_would_say_if_it_were_not(decks, monkeypatch):
    monkeypatch.setattr(war_small_decks, "DECKS", ((3, 1),))
    monkeypatch.setattr(war_small_decks, "study", lambda ranks, discards, progress: decks[ranks, discards])
    report = recompute("war-small-decks")
    assert report.sound
    assert list(report.tables) == ["decks"]
    monkeypatch.setattr(war_small_decks, "MOST_GAP", -1.0)
    assert not war_small_decks.reproduce().sound
