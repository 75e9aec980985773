"""Sanwal and Drechsler 2002, recomputed: Table 5.1 against exact ranges, and what the text says."""

from dataclasses import replace
from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest
from thinning import each_row

from baselines import make_policy, solve
from baselines.oracles.state_graph.game_graph import full_graph
from baselines.oracles.state_graph.selection import OptimalPlay
from cardwar_envs.games.jujitsu import Jujitsu
from lab.papers.findings import Verdict, write
from lab.papers.sanwal_drechsler import PAPER
from lab.papers.sanwal_drechsler import paper as source
from lab.papers.sanwal_drechsler import table_5_1 as jujitsu_table
from lab.papers.sanwal_drechsler.exact_figures import (
    COLUMNS,
    POLICIES,
    Exact,
    count_sub_games,
    jujitsu_figures,
    outcome_payments,
)
from lab.papers.sanwal_drechsler.optimal_play import vertices
from lab.papers.sanwal_drechsler.table_5_1 import cells, discussion_findings, joint_findings
from lab.papers.uniform_play import UniformCheck


@pytest.fixture(scope="module")
def figures():
    return [jujitsu_figures(size) for size in (4, 5)]


@pytest.fixture(scope="module")
def report(figures):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "SIZES", (4, 5))
        patch.setattr(source, "WITHOUT_TIES", (4,))
        patch.setattr(source, "jujitsu_figures", lambda size, progress: figures[size - 4])
        return source.reproduce()


@pytest.fixture(scope="module")
def rows(report):
    return {row.item: row for row in report.findings}


def test_the_report_is_sound_and_no_item_stands_twice(report, rows):
    assert report.sound
    assert all(report.checks.values())
    assert len(rows) == len(report.findings)


def test_equilibrium_against_equilibrium_is_wrong(rows):
    for size in (4, 5):
        row = rows[f"{size}x{size} Equilibrium v. Equilibrium, margin"]
        assert row.verdict is Verdict.WRONG
        assert row.computed == 0.0
        assert row.range == (0.0, 0.0)
        assert "symmetric" in row.reason
    # The exact shares at 4 cards do not depend on any choice, and the printed ones are far off.
    assert rows["4x4 Equilibrium v. Equilibrium, tie"].range == pytest.approx((0.7301975, 0.7301975), abs=1e-6)


def test_random_rows_agree(rows):
    random = [row for item, row in rows.items() if " Random v. " in item]
    assert len(random) == 2 * 3 * 4
    assert {row.verdict for row in random} == {Verdict.CONSISTENT}
    for name in POLICIES:
        assert rows[f"4x4 Random v. {name}, win"].computed == pytest.approx(1 / 4, abs=1e-12)
        assert rows[f"5x5 Random v. {name}, win"].computed == pytest.approx(0.45, abs=1e-12)


def test_against_highest_card_the_margin_is_forced(rows):
    for size, margin in ((4, 0.2551353), (5, 0.1293158)):
        row = rows[f"{size}x{size} Equilibrium v. HighestCard, margin"]
        assert row.verdict is Verdict.CONSISTENT
        assert "forced" in row.reason
        assert row.range == pytest.approx((margin, margin), abs=1e-6)


def test_against_lowest_card_the_margin_is_free(rows):
    row = rows["5x5 Equilibrium v. LowestCard, margin"]
    assert row.verdict is Verdict.FREE
    assert row.range == pytest.approx((0.0511521, 0.4746570), abs=1e-6)


def test_every_count_and_margin_of_the_table_is_judged(rows):
    printed = {each.item for each in PAPER.at("Table 5.1") if each.item[0] in "45"}
    assert {item for item in printed if item.split(", ")[1] in COLUMNS} <= set(rows)
    assert rows["counts, win margin, spread % and tie % say the same"].verdict is Verdict.AGREES


def test_table_5_1_is_whole_and_all_its_counts_are_means_of_twenty_runs():
    table = PAPER.at("Table 5.1")
    assert len(table) == 35 * 6
    assert {each.games for each in table} == {100_000}
    counts = [float(each.value) * 20 * 100_000 for each in table if each.item.endswith(("win", "loss", "tie"))]
    assert len(counts) == 35 * 3
    assert max(abs(count - round(count)) for count in counts) < 1e-6


def test_a_changed_figure_changes_its_verdict(figures):
    table = {cell.printed.item: cell for cell in cells(figures)}
    for item, change, verdict in (
        ("4x4 Equilibrium v. HighestCard, margin", 0.012, Verdict.WRONG),
        ("5x5 Equilibrium v. LowestCard, margin", 0.25, Verdict.WRONG),
        ("5x5 Equilibrium v. LowestCard, margin", -0.25, Verdict.WRONG),
        ("5x5 Equilibrium v. LowestCard, margin", 0.1, Verdict.FREE),
        ("4x4 Random v. LowestCard, win", 0.007, Verdict.WRONG),
        ("4x4 Random v. LowestCard, win", 0.004, Verdict.CONSISTENT),
        ("4x4 Equilibrium v. Equilibrium, margin", -0.0131, Verdict.CONSISTENT),
        ("5x5 Equilibrium v. Equilibrium, tie", 0.1, Verdict.WRONG),
    ):
        cell = table[item]
        printed = replace(cell.printed, value=cell.printed.value + change)
        assert replace(cell, printed=printed).finding().verdict is verdict, item
    tie = table["5x5 Equilibrium v. Equilibrium, tie"]
    assert tie.believable()
    assert not tie.believable(runs=20)  # a sharper sieve


def changed(monkeypatch, item, value):
    """Prints another value at one place of the table."""
    real = jujitsu_table.printed

    def printed(place, name):
        found = real(place, name)
        return replace(found, value=value) if name == item else found

    monkeypatch.setattr(jujitsu_table, "printed", printed)


def test_shares_that_no_one_choice_gives_are_found(monkeypatch, figures):
    assert {row.verdict for row in joint_findings(figures)} == {Verdict.FREE}
    # Each within its own range, but the margin against HighestCard is forced.
    changed(monkeypatch, "4x4 Equilibrium v. HighestCard, win", 0.41)
    verdicts = {row.item: row.verdict for row in joint_findings(figures)}
    assert verdicts["4x4 Equilibrium v. HighestCard, win, loss and tie at once"] is Verdict.WRONG


def test_columns_that_differ_are_found(monkeypatch):
    assert jujitsu_table.consistency(source.SIZES).verdict is Verdict.AGREES
    changed(monkeypatch, "5x5 Random v. LowestCard, spread", 0.0007)
    row = jujitsu_table.consistency((4, 5))
    assert row.verdict is Verdict.WRONG
    assert "5x5 Random v. LowestCard" in row.reason


def test_what_the_discussion_says_can_be_true(figures):
    """With the two sizes exchanged, both claims about odd games come out the other way."""
    exchanged = [replace(figures[0], size=5), replace(figures[1], size=4)]
    for sizes, fewer_ties, better in ((figures, True, False), (exchanged, False, True)):
        agrees = {row.item: row.verdict is Verdict.AGREES for row in discussion_findings(sizes)}
        assert agrees["fewer ties in odd games than in even ones"] is fewer_ties
        assert agrees["Equilibrium does better in odd games"] is better


def test_claims_of_the_text_can_fail(monkeypatch, figures):
    ends = {size: count_sub_games(size)._replace(tied_ends={True: 1, False: 1}) for size in (4, 5)}
    row = source.parity(ends)
    assert (row.verdict, row.computed) == (Verdict.WRONG, "no")
    (row,) = source.without_ties_findings({4: UniformCheck(9, Fraction(1, 8))})
    assert row.verdict is Verdict.WRONG
    plays_top = replace(figures[0], root=figures[0].root + 0.01)
    wrong = {row.item: row.verdict for row in source.strategy_findings([plays_top])}
    assert wrong["4x4 root, highest card"] is Verdict.WRONG
    monkeypatch.setattr(source, "second_lowest_wins", lambda size: 0.5)
    row = source.second_lowest((4,))
    assert row.verdict is Verdict.WRONG


def test_a_figure_out_of_its_range_makes_the_report_unsound(figures):
    pairing = ("Equilibrium", "LowestCard")
    broken = {**figures[0].outcomes, pairing: {**figures[0].outcomes[pairing], "win": Exact(0.9, 0.4, 0.6)}}
    checks = source.self_checks([replace(figures[0], outcomes=broken)], {4: count_sub_games(4)})
    assert not checks["our choice lies in every range"]
    assert not checks["wins, losses and ties of our choice add up to 1"]
    assert not checks["a walk through every state comes to the same, 4 and 5 cards"]
    assert checks["the value is 0 at every size"]


def test_canonical_states_give_the_ranges_of_the_states_themselves(figures):
    game = Jujitsu(num_cards=4)
    play = OptimalPlay(full_graph(game))
    root = play.graph.roots[0]
    for column, paid in outcome_payments(play.graph).items():
        for name, ours in POLICIES.items():
            opponent = [play.graph.action_probabilities(make_policy(ours, game), seat) for seat in (0, 1)]
            exact = figures[0].outcomes["Equilibrium", name][column]
            assert play.extreme(opponent, paid).worth[0, root] == pytest.approx(exact.high, abs=1e-12)
            assert -play.extreme(opponent, -paid).worth[0, root] == pytest.approx(exact.low, abs=1e-12)


def tied_together(game, solution, state, sign):
    """Most (least, for sign -1) ties that two optimal players can have, by all pairs of vertices at all raw states."""
    if not game.acting_players(state):
        return float(state.score == 0)
    if game.settled(state) is not None:
        return 0.0
    matrix, value = solution.payoff_matrix(state), solution.value_at(state)
    rows, columns = vertices(matrix, value), vertices(-matrix.T, -value)
    ties = np.array([
        [tied_together(game, solution, game.transitions(state, {0: a, 1: b})[0].state, sign)
         for b in game.legal_actions(state, 1)] for a in game.legal_actions(state, 0)
    ])  # fmt: skip
    return sign * (sign * rows @ ties @ columns.T).max()


def test_ties_of_two_optimal_players_by_enumeration(figures):
    game = Jujitsu(num_cards=4)
    solution, tie = solve(game), figures[0].outcomes["Equilibrium", "Equilibrium"]["tie"]
    start = game.initial()[0].state
    assert tied_together(game, solution, start, 1) == pytest.approx(tie.high, abs=1e-12)
    assert tied_together(game, solution, start, -1) == pytest.approx(tie.low, abs=1e-12)


@each_row("size", [1, 2, 3, 4, 5])
def test_sub_games_are_counted(size):
    count = count_sub_games(size)
    assert count.pairs == comb(2 * size, size)
    assert count.paths == factorial(size) ** 2
    assert count.open == len(full_graph(Jujitsu(num_cards=size)).states)
    margin = Jujitsu(num_cards=size, payoff="margin")  # in which nothing is decided before the end
    assert count.states == len(full_graph(margin).states)


def test_root_strategies_are_those_of_the_rationals(figures):
    for each in figures:
        game = Jujitsu(num_cards=each.size)
        strategy = solve(game, exact=True).strategies(game.initial()[0].state)[0]
        assert each.root == pytest.approx(np.stack([strategy, strategy]), abs=1e-12)
        assert strategy[-1] == 0.0


def test_second_lowest_card_always_beats_lowest_card():
    for size in range(3, 14):
        assert source.second_lowest_wins(size) == 1.0
    assert source.second_lowest_wins(2) == 0.0  # one trick each


def test_tables_and_pictures_are_written(report, tmp_path):
    pytest.importorskip("matplotlib")
    names = {path.name for path in write(report, tmp_path)}
    assert {"rows.csv", "table_5_1.csv", "root_strategies.csv", "sub_games.csv"} < names
    assert {"table_5_1_margin.png", "table_5_1_tie.png"} < names
    assert len((tmp_path / "table_5_1.csv").read_text().splitlines()) == 1 + 2 * 7 * 4
