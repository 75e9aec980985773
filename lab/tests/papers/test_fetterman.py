"""Fetterman 2023, recomputed: what is wrong is found from the computation, and could be found right."""

from dataclasses import replace
from fractions import Fraction

import pytest

from baselines.solving import solve
from cardwar_envs.games.dinosaur_war import DinosaurWar
from cardwar_envs.games.jujitsu import Jujitsu
from lab.papers.fetterman import PAPER, lemmas, paper
from lab.papers.fetterman.matchings import dominance, margin_shares, replies_to_uniform, value_by_recursion
from lab.papers.findings import Verdict, judge
from lab.papers.uniform_play import UniformCheck, check_uniform_play


@pytest.fixture(scope="module")
def matrices():
    """All but the large one by the solver; that one takes it a quarter of a minute."""
    small = [each for each in PAPER.figures.values() if each.place != "Section 7, table"]
    return {**paper.solved_matrices(small), (paper.TEN, paper.TEN): paper.closed_form(paper.TEN, paper.TEN)}


@pytest.fixture(autouse=True)
def few_hands(monkeypatch):
    monkeypatch.setattr(lemmas, "HANDS", 15)


def verdicts(rows):
    return {row.item: (row.verdict, row.computed) for row in rows}


def test_every_printed_entry_agrees(matrices):
    rows = list(paper.entry_findings(PAPER.figures.values(), matrices))
    assert len(rows) == 4 * 3 + 1 + 4 + 9 * 4 + 9 * 3 + 100
    assert {row.verdict for row in rows} == {Verdict.AGREES}


@pytest.mark.parametrize("place", ["Figure 2c", "Figure 5a", "Figure 5b", "Section 7, table"])
def test_a_changed_entry_is_found_wrong(matrices, place):
    first, *others = PAPER.at(place)
    rows = list(paper.entry_findings([replace(first, value=first.value + Fraction(1, 9)), *others], matrices))
    assert [row.verdict for row in rows] == [Verdict.WRONG] + [Verdict.AGREES] * len(others)


def test_slips_of_the_text(matrices):
    found = verdicts([*paper.text_findings(matrices), *paper.section_7_findings(matrices), *lemmas.lemma_2_slips()])
    wrong = {item: computed for item, (verdict, computed) in found.items() if verdict is Verdict.WRONG}
    assert wrong == {
        "expected value of {2,4} v. {1,3}": "1",
        "in Figure 5b, (3, 3) must be followed by (6, 5)": "no",
        "upper right element of Figure 5b": "1/2",
        "payoff of the sub-game {3,6} v. {3,5} (given as D)": "1/2",
        "{2,3,6} v. {1,3,5}, payoff of a row against uniform play (given as D)": "2/3",
        "case 2: P_B gains by a column above the mean": "no",
        "the 10 v. 10 matrix is symmetric": "no",
        "1..10 v. 1..10, mean worth of a won first trick": "8/27",
        "the choice does not matter in Figure 2c": "no",
    }
    assert found["greatest score of one player, 1..10 v. 1..10"] == (Verdict.AGREES, "9")
    assert found["1..10 v. 1..10, worth of a first trick won by 5 ranks"] == (Verdict.AGREES, "0")
    assert found["between duplicate cards the choice does not matter"] == (Verdict.AGREES, "yes")


def test_the_text_could_have_been_right(matrices, monkeypatch):
    corrected = {
        "expected value of {2,4} v. {1,3}": Fraction(1),
        "upper right element of Figure 5b": Fraction(1, 2),
        "1..10 v. 1..10, mean worth of a won first trick": Fraction(8, 27),
        "the 10 v. 10 matrix is symmetric": False,
    }

    def as_corrected(place, item):
        each = PAPER.figure(place, item)
        return replace(each, value=corrected.get(item, each.value))

    monkeypatch.setattr(paper, "printed", as_corrected)
    found = verdicts([*paper.text_findings(matrices), *paper.section_7_findings(matrices)])
    assert {found[item][0] for item in corrected} == {Verdict.AGREES}


def test_lemmas_hold_on_random_hands(monkeypatch):
    monkeypatch.setattr(lemmas, "WIN_CARDS", 4)
    monkeypatch.setattr(lemmas, "WIN_HANDS", 5)
    findings, checks = lemmas.check_lemmas()
    assert all(checks.values())
    held = [each.item for each in findings if each.verdict is Verdict.AGREES]
    assert len(held) == 4
    assert "uniform play is also optimal for the chance of winning" in held


def test_a_wrong_lemma_would_be_seen(monkeypatch):
    monkeypatch.setattr(lemmas, "footnote_5", lambda: [])
    monkeypatch.setattr(lemmas, "dominance", lambda own, other: dominance(own, other) + 1)
    found = verdicts(lemmas.check_lemmas()[0])
    assert found["rows and columns of the payoff matrix sum to D(A, B)"] == (Verdict.WRONG, "no")
    assert found["the value is D(A, B)/n"] == (Verdict.WRONG, "no")
    assert found["uniform play by both is an equilibrium"] == (Verdict.AGREES, "yes")


def test_duplicates_are_among_the_random_hands():
    hands = list(lemmas.random_hands(100, 6))
    assert sum(len(set(own)) < len(own) or len(set(other)) < len(other) for own, other in hands) > 50
    assert {len(own) for own, _ in hands} == set(range(1, 7))


def test_uniform_play_is_not_optimal_where_ties_are_carried():
    # Sanwal and Drechsler 2002, section 4: carried ties are what makes the game interesting.
    game = Jujitsu(num_cards=3)
    solution = solve(game, exact=True)
    check = check_uniform_play(solution, [game.initial()[0].state])
    assert check.states == 1
    assert check.deviation > 0
    assert not check.optimal


def test_uniform_play_weighs_cards_not_ranks():
    # For (1,3,4,5,6) v. (2,2,2,2,7) playing both ranks alike loses 2, D/n is 1.4.
    game = DinosaurWar(hand_0=(1, 3, 4, 5, 6), hand_1=(2, 2, 2, 2, 7))
    solution = solve(game, exact=True)
    assert solution.exact == Fraction(7, 5)
    assert check_uniform_play(solution, [game.initial()[0].state]) == UniformCheck(1, Fraction(0))


def test_matchings_by_hand():
    assert value_by_recursion((2, 4), (1, 3)) == 1  # Fetterman 2023, Figure 2c
    assert margin_shares((2, 4), (1, 3)) == {0: Fraction(1, 2), 2: Fraction(1, 2)}
    assert margin_shares((2, 2), (2, 2)) == {0: 1}
    # Paid if the first card of either hand meets the other's: half of the matchings of two cards.
    assert replies_to_uniform(2, lambda pairs: Fraction((0, 0) in pairs)) == (Fraction(1, 2), Fraction(1, 2))


def test_a_reason_belongs_to_its_verdict():
    each = PAPER.figure("Figure 3", "D({2,3,6}, {1,3,5})")
    assert judge(each, Fraction(2), "right", "wrong").reason == "right"
    assert judge(each, Fraction(3), "right", "wrong").reason == "wrong"
    assert judge(each, Fraction(3), "either way").reason == "either way"
    assert judge(each, Fraction(2)).reason == "5 pairs won, 3 lost, 1 tied"  # beside the figure
    slip = PAPER.figure("Section 2", "expected value of {2,4} v. {1,3}")
    assert judge(slip, Fraction(1)).reason == "2 is D; the value is D/n by Lemma 3"
    assert judge(slip, Fraction(2)).reason == ""


def test_pictures_can_be_read():
    drawing = paper.draw_table(paper.closed_form(paper.TEN, paper.TEN))
    axes, bar = drawing.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("card of P_B", "card of P_A")
    assert "tricks" in bar.get_ylabel()
    assert len(axes.texts) == 100
    assert axes.texts[1].get_text() == "-8/9"  # section 7, 1 against 2
