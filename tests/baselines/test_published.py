"""The sources' figures are recorded as printed: each source's own arithmetic is the check."""

from collections import Counter
from fractions import Fraction

import pytest
from thinning import each_row

from baselines.published import DICE_WARS, FETTERMAN, SANWAL_DRECHSLER, figure, published

SOURCES = (FETTERMAN, SANWAL_DRECHSLER, DICE_WARS)


@pytest.mark.parametrize("source", SOURCES)
def test_every_figure_stands_once(source):
    names = Counter((each.place, each.item) for each in published(source))
    assert max(names.values()) == 1
    assert {each.source for each in published(source)} == {source}


def test_a_place_has_its_own_figures():
    entries = published(FETTERMAN, "Figure 2c")
    assert [each.value for each in entries] == [2, 0, 0, 2]
    assert entries[1].item == "{2,4} v. {1,3}, 2 against 3"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fetterman",), "unknown source 'fetterman'; known are fetterman-2023, sanwal"),
        ((DICE_WARS, "Table 9"), "dice-wars has no figures at 'Table 9'; it has them at tie table, win table"),
        ((DICE_WARS, "tie table", "7 v. 7 dice, tie"), "dice-wars gives no '7 v. 7 dice, tie' at 'tie table'"),
    ],
)
def test_what_is_not_there_is_an_error(arguments, message):
    with pytest.raises(ValueError, match=r"dice-wars|fetterman") as raised:
        (figure if len(arguments) == 3 else published)(*arguments)
    assert str(raised.value).startswith(message)


# -- Sanwal and Drechsler 2002, Table 5.1 ------------------------------------------------------------


def table_rows():
    """(pairing, column -> figure) of Table 5.1."""
    rows = {}
    for each in published(SANWAL_DRECHSLER, "Table 5.1"):
        pairing, column = each.item.split(", ")
        rows.setdefault(pairing, {})[column] = each
    return rows.items()


def test_table_5_1_is_whole():
    assert len(table_rows()) == 35
    sampled = published(SANWAL_DRECHSLER, "Table 5.1")
    assert {each.games for each in sampled} == {100_000}


@each_row(("pairing", "row"), table_rows())
def test_table_5_1_adds_up(pairing, row):
    counts = [round(float(row[column].value) * 100_000, 6) for column in ("win", "loss", "tie")]
    assert sum(counts) == pytest.approx(100_000)
    # Means over 20 runs: every count is a multiple of 1/20.
    assert all((20 * count) == pytest.approx(round(20 * count)) for count in counts)
    margin = counts[0] - counts[1]
    assert abs(margin) == pytest.approx(float(row["margin"].value) * 100_000, abs=0.5)  # printed without its sign
    assert margin / 1000 == pytest.approx(float(row["spread"].value) * 100, abs=0.005)
    assert counts[2] / 1000 == pytest.approx(float(row["tie share"].value) * 100, abs=0.005)


def test_tolerance_is_half_of_the_last_digit():
    table = "Table 5.1"
    assert figure(SANWAL_DRECHSLER, table, "4x4 Equilibrium v. Random, win").tolerance == pytest.approx(0.005e-5)
    assert figure(SANWAL_DRECHSLER, table, "4x4 Random v. LowestCard, loss").tolerance == pytest.approx(0.5e-5)
    assert figure(SANWAL_DRECHSLER, table, "4x4 Equilibrium v. Random, spread").tolerance == pytest.approx(0.005e-2)
    assert figure(DICE_WARS, "win table", "1 v. 6 dice, win").tolerance == pytest.approx(0.5e-6)
    assert figure(FETTERMAN, "Figure 3", "D({2,3,6}, {1,3,5})").tolerance == 0


# -- the other two ---------------------------------------------------------------------------------------


def test_fetterman_s_sums_of_rows_are_d():
    # Fetterman 2023, Lemma 1, on the matrices as printed
    for place, expected in (("Figure 2c", 2), ("Figure 4b", 1), ("Section 7, table", 0)):
        entries = [Fraction(each.value) for each in published(FETTERMAN, place)]
        size = round(len(entries) ** 0.5)
        assert {sum(entries[size * i : size * (i + 1)]) for i in range(size)} == {expected}
        assert {sum(entries[i::size]) for i in range(size)} == {expected}


def test_figure_5b_s_parts_add_up():
    entries = {each.item: each.value for each in published(FETTERMAN, "Figure 5b")}
    wholes = [item for item in entries if f"{item}, to come" in entries]
    assert len(wholes) == 9
    assert all(entries[item] == entries[f"{item}, of the trick"] + entries[f"{item}, to come"] for item in wholes)


def test_dice_tables_add_up_to_their_digits():
    win, tie = (
        {each.item.split(" dice")[0]: float(each.value) for each in published(DICE_WARS, f"{name} table")}
        for name in ("win", "tie")
    )
    for m in range(1, 7):
        for k in range(1, 7):
            assert win[f"{m} v. {k}"] + win[f"{k} v. {m}"] + tie[f"{m} v. {k}"] == pytest.approx(1, abs=2e-6)
            assert tie[f"{m} v. {k}"] == tie[f"{k} v. {m}"]
