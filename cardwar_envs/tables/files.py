"""Payoff tables from files: CSV, JSON, NumPy's arrays and Gambit's strategic form.

A file may come from a stranger: its size is limited, arrays are never unpickled, and nothing in it is executed. The
format of Gambit's `.nfg` is documented by R. McKelvey, A. McLennan and T. Turocy, "Gambit: software tools for game
theory" (gambit-project.org), in its section on file formats.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from cardwar_envs.core.parameters import shown
from cardwar_envs.tables.table import LONGEST, MOST_NUMBERS, NUMBER, Table, make_table, number_from

MOST_BYTES = 10_000_000
# A string (with escapes), a brace or a number; white space and commas separate them.
TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([{}])|([^\s{}",]+)|,|$)', re.DOTALL)
# What a table has as JSON.
KEYS = ("payoffs", "players", "actions", "title", "rounded")


def read_table(name: str) -> Table:
    """Reads the table in a file, or in two CSV files of one player each, as in "rows.csv;columns.csv".

    Raises:
        ValueError: If there is no such file, it is too large, or it has no table; the error names the file.
    """
    paths = [os.path.normpath(path) for path in name.split(";")]
    title, suffixes = ";".join(paths), [Path(path).suffix.lower() for path in paths]
    try:
        if len(paths) > 1 and suffixes != [".csv", ".csv"]:
            raise ValueError("only two CSV files, of the row player's and the column player's payoffs, are one table")
        if suffixes[0] not in READERS:
            raise ValueError(REFUSED.get(suffixes[0], f"must end in one of {', '.join(READERS)}"))
        found = [READERS[suffix](_read(path)) for path, suffix in zip(paths, suffixes, strict=True)]
        if len({str(each.get("actions")) for each in found}) > 1:
            raise ValueError("the two files must have the same labels, or none")
        payoffs = [each["payoffs"] for each in found] if len(found) > 1 else found[0]["payoffs"]
        return make_table(**{**found[0], "payoffs": payoffs, "title": title, "is_file": True})
    except Exception as error:  # the parsers of damaged files raise errors of many kinds
        raise ValueError(f"table:{title}: {' '.join(str(error).split()) or type(error).__name__}") from None


def _read(path: str) -> bytes:
    if not Path(path).is_file():
        raise ValueError("there is no such file" if not os.path.exists(path) else "it is not a plain file")
    with open(path, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES:,} bytes")
    return data


def _from_csv(data: bytes) -> dict[str, Any]:
    """Reads payoffs and labels; a cell is a number, or "a;b" for the payoffs of both players."""
    text = data.decode("utf-8-sig").replace("\N{MINUS SIGN}", "-")  # as papers print it
    between = "\t" if "\t" in text and "," not in text else ","
    lines = csv.reader(io.StringIO(text, newline=None), delimiter=between, strict=True)
    rows = [[cell.strip() for cell in row] for row in lines if "".join(row).strip()]
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"its rows must have the same number of cells, but have {[*map(len, rows)]}"[:LONGEST])
    heading, beside = _labelled(rows)
    cells = np.array([[cell.split(";") for cell in row[beside:]] for row in rows[heading:]], dtype=object)
    if cells.ndim != 3 or cells.shape[2] not in (1, 2):
        raise ValueError("there must be cells with one payoff, or two in each, as in 1;2")
    numbers = [range(1, count + 1) for count in cells.shape[:2]]
    actions = [row[0] for row in rows[heading:]] if beside else numbers[0], rows[0][beside:] if heading else numbers[1]
    sides = np.char.strip(np.moveaxis(cells, 2, 0).astype(str))
    return {"payoffs": sides if len(sides) == 2 else sides[0], "actions": actions}


def _labelled(rows: Sequence[Sequence[str]]) -> tuple[bool, bool]:
    """Returns whether the first row and the first column are labels; numbers are, if the first cell is empty."""
    corner = rows[0][0]
    if corner[:1] in "+-.0123456789":
        return corner == "", corner == ""
    heading = len(rows[0]) == 1 or not all(map(_is_payoff, rows[0][1:]))
    beside = len(rows) == 1 or not all(_is_payoff(row[0]) for row in rows[1:])
    if not (heading or beside) or len(rows) == len(rows[0]) == 1:
        raise ValueError(f"cell {shown(corner)} must be a number; labels that are numbers need an empty first cell")
    return heading, beside


def _is_payoff(cell: str) -> bool:
    return all(NUMBER.fullmatch(part.strip()) for part in cell.split(";"))


def table_from_json(text: str) -> Table:
    """Makes the table that `Table.to_json` wrote; raises a ValueError for other text."""
    return make_table(**_from_json(text.encode()))


def _from_json(data: bytes) -> dict[str, Any]:
    """Reads an array of payoffs, or an object as `Table.to_json` writes it, of which only `payoffs` is necessary."""
    found = json.loads(data.decode("utf-8-sig"), parse_float=str, parse_int=str, parse_constant=str)
    given = found if isinstance(found, dict) else {"payoffs": found}
    if "payoffs" not in given or given.keys() - set(KEYS):
        raise ValueError(f"it must have payoffs, and may have {', '.join(KEYS[1:])}, but has {', '.join(given)}")
    actions = given.get("actions", [])
    if not all(isinstance(each, list) for each in (given.get("players", []), actions, *actions)):
        raise ValueError("players must be a list of names, and actions such a list for each player")
    if given.pop("rounded", False):
        given["payoffs"] = np.array(given["payoffs"], dtype=np.float64)
    return given


def _from_npy(data: bytes) -> dict[str, Any]:
    array = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"it has an array of type {array.dtype}, not of numbers")
    return {"payoffs": array}


def _from_npz(data: bytes) -> dict[str, Any]:
    """Reads one array of all payoffs, or one of each player in the order of the archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        if not members or sum(each.file_size for each in members) > MOST_BYTES:
            raise ValueError(f"it must have an array, and at most {MOST_BYTES:,} bytes when unpacked")
        arrays = [_from_npy(archive.read(each))["payoffs"] for each in members]
    return {"payoffs": arrays[0] if len(arrays) == 1 else arrays}


def _from_nfg(data: bytes) -> dict[str, Any]:
    """Reads either form of Gambit's strategic games: payoffs, or outcomes; player 0's action is the fastest."""
    tokens = _tokens(data.decode("utf-8-sig"))
    head, body = [next(tokens, None) for _ in range(4)], list(_nested(tokens))
    if head[:2] != ["NFG", "1"] or len(body) < 2 or not all(isinstance(part, list) for part in body[:2]):
        raise ValueError('it must begin with NFG 1 R "title", and the players and strategies in braces')
    players, strategies, *rest = body
    named = all(isinstance(each, list) for each in strategies)
    counts = [len(each) if named else _payoff(each) for each in strategies]
    shape = list(map(int, counts))
    size = len(shape) * prod(shape)
    if counts != shape or len(shape) != len(players) or not 0 < min(shape, default=0) <= size <= MOST_NUMBERS:
        raise ValueError(
            f"{len(players)} players have {shown(shape)} strategies; at most {MOST_NUMBERS:,} numbers are read"
        )
    if rest and isinstance(rest[0], _Text):  # a comment
        rest = rest[1:]
    numbers = _outcomes(rest, len(shape)) if rest and isinstance(rest[0], list) else list(map(_payoff, rest))
    if len(numbers) != size:
        raise ValueError(f"it has {len(numbers):,} payoffs, but the strategies {shape} need {size:,}")
    columns = np.array(numbers, dtype=object).reshape(-1, len(shape)).T
    labels = [_distinct(each) if named else None for each in strategies]
    actions = [own or range(1, count + 1) for own, count in zip(labels, shape, strict=True)]
    payoffs = np.stack([column.reshape(shape, order="F") for column in columns])
    return {"payoffs": payoffs, "players": _distinct(players), "actions": actions}


class _Text(str):
    """A string in quotes, in an .nfg file."""


def _tokens(text: str) -> Iterator[str]:
    end = 0
    while end < len(text):
        found = TOKEN.match(text, end)
        if found is None or found.end() == end:
            raise ValueError(f"{shown(text[end : end + 20])} is neither a number nor a complete string")
        end = found.end()
        if found[1] is not None:
            yield _Text(re.sub(r"\\(.)", r"\1", found[1]))
        elif found[2] or found[3]:
            yield found[2] or found[3]


def _nested(tokens: Iterator[str]) -> Iterator[Any]:
    """Yields strings and numbers, and lists for what is in braces."""
    stack: list[list[Any]] = [[]]
    for token in tokens:
        if isinstance(token, _Text) or token not in "{}":
            stack[-1].append(token)
        elif token == "{":
            stack.append([])
        elif len(stack) > 1:
            stack[-2].append(stack.pop())
        else:
            raise ValueError("its braces do not match")
    if len(stack) > 1:
        raise ValueError("its braces do not match")
    yield from stack[0]


def _outcomes(parts: Sequence[Any], players: int) -> list[Any]:
    """Returns all payoffs from the list of outcomes and the number of the outcome of each joint action; 0 pays 0."""
    paid = [[0] * players]
    for outcome in parts[0]:
        numbers = outcome[1:] if isinstance(outcome, list) and outcome and isinstance(outcome[0], _Text) else []
        if len(numbers) != players:
            raise ValueError(f"outcome {shown(outcome)} must have a name and {players} payoffs")
        paid.append(list(map(_payoff, numbers)))
    chosen = [_payoff(part) for part in parts[1:]]
    if any(each not in range(len(paid)) for each in chosen):
        raise ValueError(f"the outcomes of joint actions must be numbers in 0..{len(paid) - 1}")
    return [number for each in chosen for number in paid[int(each)]]


def _payoff(token: Any) -> Any:
    if not isinstance(token, str) or isinstance(token, _Text):
        raise ValueError(f"{shown(token)} must be a number")
    return number_from(str(token))


def _distinct(labels: Sequence[Any]) -> list[str] | None:
    """Returns labels, or None if some are empty or equal, as Gambit allows."""
    names = [" ".join(label.split()) if isinstance(label, str) else "" for label in labels]
    return names if all(names) and len({*names}) == len(names) else None


READERS: dict[str, Callable[[bytes], dict[str, Any]]] = {
    ".csv": _from_csv,
    ".json": _from_json,
    ".npy": _from_npy,
    ".npz": _from_npz,
    ".nfg": _from_nfg,
}
REFUSED = {".efg": "extensive forms are not read; write the strategic form, in pygambit with game.to_nfg(FILE)"}
