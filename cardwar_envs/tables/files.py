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
from cardwar_envs.tables.table import MOST_NUMBERS, MOST_PLAYERS, Table, make_table, parsed_number

MOST_BYTES = 50_000_000
# A string (with escapes), a brace or a number; white space and commas separate them.
TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([{}])|([^\s{}",]+)|,|$)', re.DOTALL)
# What a table has as JSON.
KEYS = ("payoffs", "players", "actions", "title", "rounded")
HEADERS: dict[tuple[int, int], Callable[[Any], tuple[tuple[int, ...], bool, Any]]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_table(name: str) -> Table:
    """Reads the table in a file, or in two CSV files of one player each, as in "rows.csv;columns.csv".

    Raises:
        ValueError: If there is no such file, it is too large, or it has no table; the error names the file.
    """
    paths = [os.path.normpath(path) for path in name.split(";")]
    title = ";".join(paths)
    try:
        if len(paths) > 1:
            if len(paths) != 2 or not all(path.lower().endswith(".csv") for path in paths):
                raise ValueError(
                    "only two CSV files, of the row player's and the column player's payoffs, are one table"
                )
            first, second = (_from_csv(_read(path)) for path in paths)
            if first.get("actions") != second.get("actions") and "actions" in second:
                raise ValueError("the two files name the actions differently")
            return make_table(
                [first["payoffs"], second["payoffs"]], actions=first.get("actions"), title=title, is_file=True
            )
        suffix = Path(paths[0]).suffix.lower()
        if suffix not in READERS:
            raise ValueError(REFUSED.get(suffix, f"must end in one of {', '.join(READERS)}"))
        return make_table(**{**READERS[suffix](_read(paths[0])), "title": title, "is_file": True})
    except (ValueError, RecursionError, zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        raise ValueError(f"table:{title}: {' '.join(str(error).split()) or type(error).__name__}") from None


def _read(path: str) -> bytes:
    try:
        if not Path(path).is_file():
            raise ValueError("there is no such file" if not os.path.exists(path) else "it is not a plain file")
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES:,} bytes")
    return data


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is not text in UTF-8") from None


def _from_csv(data: bytes) -> dict[str, Any]:
    """Reads payoffs and labels; a cell is a number, or "a;b" for the payoffs of both players."""
    text = _text(data)
    lines = csv.reader(io.StringIO(text), delimiter="\t" if "\t" in text and "," not in text else ",", strict=True)
    try:
        rows = [[cell.strip() for cell in row] for row in lines if "".join(row).strip()]
    except csv.Error as error:
        raise ValueError(f"it is not CSV: {error}") from None
    if not rows:
        raise ValueError("it is empty")
    if uneven := next((number for number, row in enumerate(rows) if len(row) != len(rows[0])), 0):
        raise ValueError(f"row {uneven + 1} has {len(rows[uneven])} cells, the first {len(rows[0])}")
    heading, beside = _labelled(rows)
    labels = [row[0] for row in rows[heading:]] if beside else None, rows[0][beside:] if heading else None
    cells = [[_cell(cell) for cell in row[beside:]] for row in rows[heading:]]
    if len({len(cell) for row in cells for cell in row}) != 1:
        raise ValueError("all cells must have one payoff, or all must have two, as in 1;2")
    sides = [[[cell[player] for cell in row] for row in cells] for player in range(len(cells[0][0]))]
    numbered = [[str(k + 1) for k in range(count)] for count in (len(cells), len(cells[0]))]
    actions = [own or others for own, others in zip(labels, numbered, strict=True)]
    return {"payoffs": sides if len(sides) == 2 else sides[0], **({"actions": actions} if heading or beside else {})}


def _labelled(rows: Sequence[Sequence[str]]) -> tuple[bool, bool]:
    """Returns whether the first row and the first column are labels; numbers are, if the first cell is empty."""
    corner = rows[0][0]
    if corner == "":
        return True, True
    if corner[0] in "+-.0123456789":
        return False, False
    heading = len(rows[0]) == 1 or not all(map(_is_payoff, rows[0][1:]))
    beside = len(rows) == 1 or not all(_is_payoff(row[0]) for row in rows[1:])
    if not (heading or beside) or len(rows) == len(rows[0]) == 1:
        raise ValueError(f"cell {shown(corner)} must be a number; labels that are numbers need an empty first cell")
    return heading, beside


def _cell(cell: str) -> list[Any]:
    parts = cell.split(";")
    if len(parts) > 2:
        raise ValueError(f"cell {shown(cell)} must be one payoff, or two, as in 1;2")
    return [parsed_number(part) for part in parts]


def _is_payoff(cell: str) -> bool:
    try:
        return bool(_cell(cell))
    except ValueError:
        return False


def table_from_json(text: str) -> Table:
    """Makes the table that `Table.to_json` wrote; raises a ValueError for other text."""
    return make_table(**_from_json(text.encode()))


def _from_json(data: bytes) -> dict[str, Any]:
    """Reads an array of payoffs, or an object as `Table.to_json` writes it, of which only `payoffs` is necessary."""
    try:
        found = json.loads(_text(data), parse_float=str, parse_int=str, parse_constant=str)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: {error}") from None
    given = found if isinstance(found, dict) else {"payoffs": found}
    if "payoffs" not in given or given.keys() - set(KEYS):
        raise ValueError(f"it must have payoffs, and may have {', '.join(KEYS[1:])}, but has {', '.join(given)}")
    lists = given.get("players", []), *given.get("actions", [])
    if not (isinstance(given.get("actions", []), list) and all(isinstance(each, list) for each in lists)):
        raise ValueError("players must be a list of names, and actions such a list for each player")
    if given.pop("rounded", False):
        given["payoffs"] = np.array(given["payoffs"], dtype=np.float64)
    return given


def _from_npy(data: bytes) -> dict[str, Any]:
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    if version not in HEADERS:
        raise ValueError(f"version {version} of NumPy's format is not read")
    shape, _, dtype = HEADERS[version](file)
    if dtype.kind not in "iuf" or prod(shape) > MOST_NUMBERS:
        raise ValueError(
            f"it has an array of type {dtype} and shape {shape}; at most {MOST_NUMBERS:,} numbers are read"
        )
    file.seek(0)
    return {"payoffs": np.lib.format.read_array(file, allow_pickle=False)}


def _from_npz(data: bytes) -> dict[str, Any]:
    """Reads one array of all payoffs, or one of each player in the order of the archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        if not 0 < len(members) <= MOST_PLAYERS or sum(each.file_size for each in members) > MOST_BYTES:
            raise ValueError(f"it must have 1..{MOST_PLAYERS} arrays and at most {MOST_BYTES:,} bytes when unpacked")
        arrays = [_from_npy(archive.open(each).read(MOST_BYTES))["payoffs"] for each in members]
    return {"payoffs": arrays[0] if len(arrays) == 1 else arrays}


def _from_nfg(data: bytes) -> dict[str, Any]:
    """Reads either form of Gambit's strategic games: payoffs, or outcomes; player 0's action is the fastest."""
    tokens = _tokens(_text(data))
    head = [next(tokens, None) for _ in range(4)]
    if head[:2] != ["NFG", "1"] or head[2] not in ("R", "D"):
        raise ValueError('it must begin with NFG 1 R "title"')
    body = list(_nested(tokens))
    if len(body) < 2 or not all(isinstance(part, list) for part in body[:2]):
        raise ValueError("after the title it must have the players and their strategies in braces")
    players, strategies, *rest = body
    named = any(isinstance(each, list) for each in strategies)
    shape = [len(each) if named else int(parsed_number(each)) for each in strategies]
    sound = 2 <= len(shape) == len(players) <= MOST_PLAYERS and min(shape) > 0
    if not sound or len(shape) * prod(shape) > MOST_NUMBERS:
        raise ValueError(
            f"{len(players)} players have {shown(shape)} strategies; at most {MOST_NUMBERS:,} numbers are read"
        )
    if rest and isinstance(rest[0], _Text):  # a comment
        rest = rest[1:]
    numbers = _outcomes(rest, len(shape)) if rest and isinstance(rest[0], list) else list(map(_payoff, rest))
    if len(numbers) != len(shape) * prod(shape):
        raise ValueError(
            f"it has {len(numbers):,} payoffs; {len(shape)} players with {shape} strategies need another number"
        )
    array = np.array(numbers, dtype=object).reshape(-1, len(shape))
    payoffs = np.stack([column.reshape(shape, order="F") for column in array.T])
    labels = [_distinct(each) if named else None for each in strategies]
    actions = [own or [str(k + 1) for k in range(count)] for own, count in zip(labels, shape, strict=True)]
    return {"payoffs": payoffs, "players": _distinct(players), "actions": actions}


class _Text(str):
    """A string in quotes, in an .nfg file."""


def _tokens(text: str) -> Iterator[str]:
    end = 0
    while end < len(text):
        found = TOKEN.match(text, end)
        if found is None or found.end() == end:
            raise ValueError(
                f"after {end:,} characters it has {shown(text[end : end + 20])}, which is no word or string"
            )
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
        elif len(stack) == 1:
            raise ValueError("its braces do not match")
        else:
            stack[-2].append(stack.pop())
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
    return parsed_number(token)


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
