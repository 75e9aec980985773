"""LaTeX, CSV and .nfg of payoffs and optimal play."""

import csv
import io
from fractions import Fraction

import numpy as np
import pytest
from bimatrix import JORDAN, TEXTBOOK
from thinning import each_row

import baselines
from baselines.display.export import Table, latex, matrix_rows, nfg, plain
from cardwar_envs import make_game, table_game

THIRD = Fraction(1, 3)


def test_a_table_in_latex():
    rows = [("a_b & 50%", Fraction(-1, 3)), ("~^\\{}<$#>", 0.25), ("3", Fraction(2))]
    assert latex([Table("A title", ("play", "p"), rows)]) == "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            r"\caption{A title}",
            r"\begin{tabular}{lr}",
            r"\toprule",
            r"play & p \\",
            r"\midrule",
            r"a\_b \& 50\% & $-\frac{1}{3}$ \\",
            r"\textasciitilde{}\textasciicircum{}\textbackslash{}\{\}$<$\$\#$>$ & $0.2500$ \\",
            r"3 & $2$ \\",
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def test_a_long_fraction_is_marked_as_rounded():
    assert r"$\approx 0.3333$" in latex([Table("", ("p",), [(Fraction(10**30, 3 * 10**30 + 1),)])])


def test_a_matrix_of_both_players():
    payoffs = np.array([[[THIRD, 1]], [[Fraction(0), -2]]], dtype=object)
    assert matrix_rows(payoffs, (("top",), ("left", "right"))) == [["", "left", "right"], ["top", "1/3;0", "1;-2"]]


def test_the_first_players_action_varies_fastest_in_nfg():
    text = nfg(np.array([[[1, 2]], [[3, 0.1]]]), (("top",), ('le"ft', "right")), ("Änne", "b"), "a game")
    assert text == ('NFG 1 R "a game" { "Änne" "b" }\n{ { "top" } { "le\\"ft" "right" } }\n\n1.0 3.0\n2.0 0.1\n')


@each_row("payoffs", [JORDAN, TEXTBOOK["chicken"], [[[THIRD, 0]], [[1, 2]]]])
def test_other_programs_read_our_nfg(payoffs, tmp_path):
    array = np.array(payoffs, dtype=object)
    names = [[f"{player}{action}" for action in range(count)] for player, count in enumerate(array.shape[1:])]
    path = tmp_path / "game.nfg"
    path.write_text(nfg(array, names, [f"player {k}" for k in range(len(array))], "a game"))
    game = pytest.importorskip("pygambit").read_nfg(path)
    assert [game.get_strategies(player) for player in game.players] == names
    for player, theirs in enumerate(game.to_arrays(dtype=Fraction)):
        assert (theirs == array[player]).all()


def test_optimal_play_as_latex_and_csv():
    game = make_game("jujitsu", num_cards=3)
    solution = baselines.solve(game, exact=True)
    text = solution.to_latex()
    assert text.count(r"\begin{table}") == 2
    assert r"player\_1 & $0$ & 2 & $\frac{3}{5}$ & $\frac{3}{5}$ & $\frac{3}{5}$ \\" in text
    rows = list(csv.DictReader(io.StringIO(solution.to_csv())))
    assert [row["probability"] for row in rows] == ["1/5", "3/5", "1/5"] * 2
    state = game.initial()[0].state
    assert solution.at(state).to_csv() == solution.to_csv(state) == solution.to_csv()
    assert solution.at(state).to_latex() == text


def test_ranges_are_written_where_they_are_determined():
    play = baselines.solve(table_game([[1, 1], [1, 1]]), exact=True).at()
    assert play.rows()[1] == ("player_0", 1, "1", 1, 0, 1)
    assert play.payoffs.tolist() == [[[1, 1], [1, 1]], [[-1, -1], [-1, -1]]]


def test_a_constant_sum_game_is_written_with_the_payoffs_of_both_players():
    play = baselines.solve(table_game([[[1, 0], [0, 1]], [[0, 1], [1, 0]]]), exact=True).at()
    assert play.payoffs.tolist() == [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
    assert [row[1] for row in play.rows()[1:]] == [Fraction(1, 2)] * 4


def test_play_with_private_information_is_written_by_type():
    solution = baselines.solve(make_game("dice_poker"))
    rows = list(csv.DictReader(io.StringIO(solution.to_csv())))
    labelled = solution.labelled()
    assert len(rows) == sum(len(mix) for strategy in labelled for mix in strategy.values())
    first = rows[0]
    assert Fraction(first["probability"]) == labelled[0][first["sees"]][first["action"]]
    assert r"\toprule" in solution.to_latex()


def test_equilibria_as_latex_csv_and_data():
    found = baselines.equilibria(table_game(TEXTBOOK["battle of the sexes"]))
    text = found.to_latex()
    assert r"1 & 2, 1 & -1, -1 \\" in text
    assert r"3 & player\_0 1: 3/5, 2: 2/5; player\_1 1: 2/5, 2: 3/5 & 1/5, 1/5 & 0 \\" in text
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert len(rows) == 12
    assert {row["probability"] for row in rows if row["equilibrium"] == "3"} == {"3/5", "2/5"}
    data = found.as_data()
    assert [each["exact"] for each in data["equilibria"]] == [True] * 3
    assert data["equilibria"][2]["exact_payoffs"] == ["1/5", "1/5"]
    assert "<td" in found._repr_html_()


def test_plain_numbers_are_read_back_unchanged():
    assert (plain(THIRD), plain(Fraction(2)), plain(0.1), plain("x")) == ("1/3", "2", "0.1", "x")


def test_a_figure_of_equilibria():
    found = baselines.equilibria(table_game(TEXTBOOK["battle of the sexes"]))
    assert len(found.show().axes) == 6
    assert len(baselines.equilibria(table_game(TEXTBOOK["chicken"]), "correlated").show().axes) == 1
    with pytest.raises(ValueError, match="there are none"):
        baselines.equilibria(table_game(JORDAN), "pure").show()
