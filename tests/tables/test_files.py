"""Tables from files: each form is read back as it was written, and any other file ends in one clear line."""

import io
import json
import os
import pickle
import zipfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import baselines
from cardwar_envs import make_game
from train.text.game_names import game_in_words, is_stored, json_parameters, title_words

PRISONERS = [[[-1, -3], [0, -2]], [[-1, 0], [-3, -2]]]
# The game of the files e02.nfg in Gambit's documentation: Selten (1975), figure 2.
SELTEN = [[[1, 1], [0, 0], [0, 2]], [[1, 1], [2, 3], [2, 0]]]
PAYOFF_FORM = """NFG 1 R "Selten (IJGT, 75), Figure 2, normal form"
{ "Player 1" "Player 2" } { 3 2 }

1 1 0 2 0 2 1 1 0 3 2 0
"""
OUTCOME_FORM = """NFG 1 R "Selten (IJGT, 75), Figure 2, normal form" { "Player 1" "Player 2" }

{
{ "1" "2" "3" }
{ "1" "2" }
}
"A comment with \\"quotes\\" and { braces }"
{
{ "" 1, 1 }
{ "" 0, 2 }
{ "" 0, 3 }
{ "" 2, 0 }
}
1 2 2 1 3 4
"""


def table_in(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return make_game(f"table:{path}").table


def zipped(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def huge_header():
    """A file of 128 bytes that claims an array of 10^15 numbers."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (10**8, 10**7)})
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "payoffs"),
    [
        ("zero.csv", "1,-1\n-1/2,0.1\n", [[[1, -1], ["-1/2", "1/10"]], [[-1, 1], ["1/2", "-1/10"]]]),
        ("pairs.csv", "-1;-1,-3;0\n0;-3,-2;-2\n", PRISONERS),
        ("excel.csv", b"\xef\xbb\xbf-1;-1,-3;0\r\n0;-3,-2;-2\r\n\r\n", PRISONERS),
        ("old_mac.csv", "-1;-1\t-3;0\r0;-3\t-2;-2\r", PRISONERS),
        ("printed.csv", "\N{MINUS SIGN}1,\N{MINUS SIGN}2\n3,4\n", [[[-1, -2], [3, 4]], [[1, 2], [-3, -4]]]),
        ("column.csv", "1;2\n3;4\n", [[[1], [3]], [[2], [4]]]),
        ("plain.json", json.dumps(PRISONERS), PRISONERS),
        ("decimals.json", "[[0.1, -2.50e-3]]", [[["1/10", "-1/400"]], [["-1/10", "1/400"]]]),
        ("payoffs.nfg", PAYOFF_FORM, SELTEN),
        ("outcomes.nfg", OUTCOME_FORM, SELTEN),
        ("crlf.nfg", b"\xef\xbb\xbf" + PAYOFF_FORM.replace("\n", "\r\n").encode(), SELTEN),
        ("null.nfg", 'NFG 1 D "" {"a" "b"} {1 2} {{"" 1.5 -.5}} 0 1', [[[0, "3/2"]], [[0, "-1/2"]]]),
        ("commas.nfg", 'NFG 1 R "" {"a" "b"} {1 2} 1,1/3 2 3e1', [[[1, 2]], [["1/3", 30]]]),
        ("array.npy", npy(np.array(PRISONERS)), PRISONERS),
        ("matrix.npy", npy(np.array([[0.5, 1.0]])), [[["1/2", 1]], [["-1/2", -1]]]),
        ("players.npz", zipped(rows=npy(np.array(PRISONERS[0])), columns=npy(np.array(PRISONERS[1]))), PRISONERS),
        ("one.npz", zipped(payoffs=npy(np.array(PRISONERS, dtype=np.float32))), PRISONERS),
    ],
)  # fmt: skip
def test_every_form_is_read_exactly(tmp_path, name, content, payoffs):
    table = table_in(tmp_path, name, content)
    assert table.exact.tolist() == [[[Fraction(each) for each in row] for row in side] for side in payoffs]
    assert table.title == str(tmp_path / name)


def test_the_first_player_is_the_fastest_in_a_file_of_gambit(tmp_path):
    # 2 x 2 x 2, numbered in the order of the file.
    table = table_in(tmp_path, "a.nfg", 'NFG 1 R "" {"a" "b" "c"} {2 2 2}' + "".join(f" {k} 0 0" for k in range(8)))
    assert [int(table.payoffs[0][cell]) for cell in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))] == [0, 1, 2, 4]


def test_two_files_are_a_bimatrix(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("-1,-3\n0,-2\n")
    (tmp_path / "columns.csv").write_text("-1,0\n-3,-2\n")
    game = make_game("table:rows.csv;./columns.csv")
    assert game.table.payoffs.tolist() == PRISONERS
    assert game.facts.name == "table:rows.csv;columns.csv"


def test_a_file_that_has_moved_is_the_same_game_to_stored_policies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("two words.csv").write_text("1,-1/2\n-1,2\n")
    game = make_game("table:two words.csv")
    assert title_words(game_in_words(game)) == ["table:two words.csv"]
    stored = game.facts.name, json_parameters(game)
    Path("two words.csv").rename("moved.csv")
    assert is_stored(make_game("table:moved.csv"), *stored)
    assert not is_stored(make_game("jujitsu", num_cards=3), *stored)
    Path("moved.csv").write_text("1,-1/2\n-1,3\n")
    assert not is_stored(make_game("table:moved.csv"), *stored)


def test_two_files_with_other_labels_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(",l,r\nu,1,2\nd,3,4\n")
    (tmp_path / "columns.csv").write_text(",u,d\nl,1,2\nr,3,4\n")  # transposed
    with pytest.raises(ValueError, match="must have the same labels, or none"):
        make_game("table:rows.csv;columns.csv")


@pytest.mark.parametrize(
    ("content", "actions"),
    [
        (",left,right\nup,1,2\ndown,3,4\n", (("up", "down"), ("left", "right"))),
        ("Row/Column,left,right\nup,1,2\ndown,3,4\n", (("up", "down"), ("left", "right"))),
        ("left,right\n1,2\n3,4\n", (("1", "2"), ("left", "right"))),
        ("up,1,2\ndown,3,4\n", (("up", "down"), ("1", "2"))),
        (",100,200\n100,1,2\n200,3,4\n", (("100", "200"), ("100", "200"))),
        ("1,2\n3,4\n", (("1", "2"), ("1", "2"))),
        (',"a, b",ü\n"c ""d""",1,2\nß,3,4\n', (('c "d"', "ß"), ("a, b", "ü"))),
    ],
)
def test_labels_of_a_csv_file_are_recognised(tmp_path, content, actions):
    table = table_in(tmp_path, "a.csv", content)
    assert table.actions == actions
    assert table.payoffs[0].tolist() == [[1, 2], [3, 4]]


def test_names_of_other_files(tmp_path):
    names = {"players": ["Ann", "Bob"], "actions": [["c", "d"], ["C", "D"]]}
    table = table_in(tmp_path, "a.json", json.dumps({"payoffs": PRISONERS, **names}))
    assert [list(table.players), list(map(list, table.actions))] == list(names.values())
    table = table_in(tmp_path, "a.nfg", 'NFG 1 R "t" {"Änne" "Bob"} {{"c" "d"} {"" ""}} 0 0 0 0 0 0 0 0')
    assert (table.players, table.actions) == (("Änne", "Bob"), (("c", "d"), ("1", "2")))


class Bomb:
    """Unpickling it would stop the tests."""

    def __reduce__(self):
        return os._exit, (1,)


ODD = {
    "missing.csv": (None, "no such file"),
    "folder.csv": ("folder", "not a plain file"),
    "empty.csv": ("", "rows must have the same number of cells"),
    "text.csv": ("hello\n", "cell 'hello' must be a number"),
    "typo.csv": ("1,x\n2,3\n", "'x' must be a finite number"),
    "uneven.csv": ("1,2\n3\n", "rows must have the same number of cells, but have"),
    "mixed.csv": ("1;2,3\n4,5\n", "cells with one payoff, or two in each"),
    "triple.csv": ("1;2;3,1\n", "cells with one payoff, or two in each"),
    "only_labels.csv": (",a,b\n", "cells with one payoff"),
    "labels.csv": ("L,2\n1,3\n", "need an empty first cell"),
    "twice.csv": (",a,a\nx,1,2\n", "must be 2 different names"),
    "zero.csv": ("1/0,1\n2,3\n", "'1/0' must be a finite number"),
    "latin.csv": (b"\xfc,1\n2,3\n", "codec can't decode"),
    "utf16.csv": ("1,2\n".encode("utf-16"), "codec can't decode"),
    "quote.csv": ('"1,2\n3,4\n', "unexpected end of data"),
    "huge.csv": ("1e999999999,1\n", "must be a finite number"),
    "long.csv": ("9" * 200_000, "field larger|must be a number"),
    "null.csv": (b"1,\x002\n3,4\n", "must be a finite number"),
    "broken.json": ("[[1,2],", "Expecting value"),
    "deep.json": ("[" * 100_000, "."),
    "nan.json": ("[[NaN, 1]]", "'NaN' must be a finite number"),
    "keys.json": ('{"matrix": [[1]]}', "must have payoffs"),
    "names.json": ('{"payoffs": [[1]], "actions": [1, 2]}', "must be a list of names"),
    "string.json": ('"payoffs"', r"payoffs"),
    "object.npy": (npy(np.array([[Bomb()]], dtype=object), allow_pickle=True), "Object arrays cannot be loaded"),
    "pickle.npy": (pickle.dumps(Bomb()), "magic string"),
    "bomb.npy": (huge_header(), "Unable to allocate"),
    "short.npy": (npy(np.zeros((3, 3)))[:-8], "."),
    "complex.npy": (npy(np.zeros((2, 2), dtype=complex)), "array of type complex128"),
    "nan.npy": (npy(np.full((2, 2), np.nan)), "nan must be a finite number"),
    "text.npz": ("no archive", "not a zip file"),
    "empty.npz": (zipped(), "must have an array"),
    "bomb.npz": (zipped(a=b"\x00" * 20_000_000), "when unpacked"),
    "pickle.npz": (zipped(a=pickle.dumps(Bomb())), "magic string"),
    "header.nfg": ("EFG 2 R", "must begin with NFG 1 R"),
    "version.nfg": ('NFG 2 R "" {"a" "b"} {1 1} 0 0', "must begin with NFG 1 R"),
    "few.nfg": ('NFG 1 R "" {"a" "b"} {2 2} 1 2 3', "it has 3 payoffs, but the strategies"),
    "braces.nfg": ('NFG 1 R "" {"a" "b"} {2 2', "braces do not match"),
    "close.nfg": ('NFG 1 R "" {"a" "b"} } {2 2}', "braces do not match"),
    "quote.nfg": ('NFG 1 R "title {"a" "b"} {2 2} "', "."),
    "outcome.nfg": ('NFG 1 R "" {"a" "b"} {1 1} {{"" 1 2}} 2', r"numbers in 0\.\.1"),
    "payoffs.nfg": ('NFG 1 R "" {"a" "b"} {1 1} {{"" 1}} 1', "must have a name and 2 payoffs"),
    "many.nfg": ('NFG 1 R "" {"a" "b"} {1000000 1000000} 1', "at most 500,000 numbers"),
    "negative.nfg": ('NFG 1 R "" {"a" "b"} {-2 -2} 1 2', "\\[-2, -2\\] strategies"),
    "half.nfg": ('NFG 1 R "" {"a" "b"} {1.5 2} 1 2', "2 players have"),
    "nobody.nfg": ('NFG 1 R "" {} {}', "0 players have"),
    "partly.nfg": ('NFG 1 R "" {"a" "b"} {{"x"} 2} 1 2 3 4', "must be a number"),
    "damaged.npz": (zipped(a=npy(np.arange(1e4).reshape(2, -1)))[:60_00] + b"\x00" * 100, "."),
    "large.csv": ("1," * 6_000_000, "more than 10,000,000 bytes"),
    "word.nfg": ('NFG 1 R "" {"a" "b"} {1 1} one two', "'one' must be a finite number"),
    "game.efg": ('EFG 2 R "" {"a" "b"}', "extensive forms are not read; write the strategic form"),
    "game.xlsx": ("", "must end in one of .csv, .json, .npy, .npz, .nfg"),
    "a.csv;b.csv;c.csv": (None, "only two CSV files"),
    "a.csv;b.npy": (None, "only two CSV files"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "reason"), [(name, *row) for name, row in ODD.items()], ids=ODD)
def test_an_odd_file_ends_in_one_clear_line(tmp_path, monkeypatch, name, content, reason):
    monkeypatch.chdir(tmp_path)
    if content == "folder":
        (tmp_path / name).mkdir()
    elif content is not None:
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=reason) as raised:
        make_game(f"table:{name}")
    said = str(raised.value)
    assert said.startswith(f"table:{name}: ")
    assert "\n" not in said
    assert len(said) < 400


def test_a_pipe_or_device_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(ValueError, match="not a plain file"):
        make_game(f"table:{tmp_path}/pipe.csv")
    (tmp_path / "zero.npy").symlink_to("/dev/zero")
    with pytest.raises(ValueError, match="not a plain file"):
        make_game(f"table:{tmp_path}/zero.npy")


def test_an_exact_solution_of_a_file(tmp_path):
    (tmp_path / "a.csv").write_text("1/3,0.1\n1/7,0.5\n")
    assert baselines.solve(make_game(f"table:{tmp_path}/a.csv"), exact=True).exact == Fraction(8, 31)
