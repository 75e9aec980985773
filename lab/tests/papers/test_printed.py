"""Files of printed figures. What stands in them is held to what is computed, source by source, in the other tests."""

from fractions import Fraction

import pytest
from thinning import each_row

from lab.papers import dice_wars
from lab.papers.printed import Published, read_paper

FILE = """
citation = "A. Author, 2026"
[text."Section 1"]
"a share" = "0.25"
"a count" = { printed = "3/4", right = "counted", wrong = "miscounted" }
"a zero" = { printed = "0", tolerance = 1e-6 }
"a claim" = true
[[tables]]
place = "Table 1"
item = "<row> against <column>"
columns = ["1", "2"]
units = [100, 10]
games = 100
rows = '''
a b | 12.5 -3
'''
"""


def read(tmp_path, text):
    (tmp_path / "printed.toml").write_text(text)
    return read_paper(tmp_path / "printed.toml")


def test_a_file_of_figures(tmp_path):
    paper = read(tmp_path, FILE)
    assert paper.citation == "A. Author, 2026"
    assert list(paper.figures.values()) == [
        Published("Section 1", "a share", 0.25, pytest.approx(0.005)),
        Published("Section 1", "a count", Fraction(3, 4), right="counted", wrong="miscounted"),
        Published("Section 1", "a zero", 0.0, 1e-6),
        Published("Section 1", "a claim", True),
        Published("Table 1", "a b against 1", 0.125, pytest.approx(0.0005), games=100),
        Published("Table 1", "a b against 2", -0.3, pytest.approx(0.05), games=100),
    ]


@each_row(
    ("old", "new", "message"),
    [
        ("citation", "cited", "the file: unknown cited; expected one of citation, text, tables"),
        ('citation = "A. Author, 2026"', "", "the file: citation is missing"),
        ("[[tables]]", "[[tables]", "Expected"),
        ("12.5", "12,5", "'12,5' is not a number"),
        ("3/4", "3/0", "Fraction"),
        ("12.5 -3", "12.5", "Table 1: 2 columns, 2 units, and a row 'a b | 12.5'"),
        (
            "right =",
            "reason =",
            "'a count' at 'Section 1': unknown reason; expected one of printed, tolerance, right, wrong",
        ),
        ('"0.25"', "0.25", "'a share' at 'Section 1': printed cannot be 0.25"),
        ('"Table 1"\nitem = "<row> against <column>"', '"Section 1"\nitem = "a share"', "'a share' is listed twice at"),
    ],
)
def test_a_file_that_is_not_one_of_figures_is_one_clear_line(tmp_path, old, new, message):
    with pytest.raises(ValueError, match=r"printed\.toml: ") as raised:
        read(tmp_path, FILE.replace(old, new))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_what_is_not_there_is_an_error():
    with pytest.raises(ValueError, match=r"has no figures at 'Table 9'; it has them at .*tie table, win table$"):
        dice_wars.PAPER.at("Table 9")
    with pytest.raises(ValueError, match=r"gives no '7 v. 7 dice, tie' at 'tie table'"):
        dice_wars.PAPER.figure("tie table", "7 v. 7 dice, tie")
