'''The figures that a source prints, read from the `printed.toml` beside the code that judges them.

Nothing in these files is computed or corrected: a figure that cannot be right is also listed as printed.

    citation = 'The post "Dice Wars game"'

    [text."Count of sums"]  # a place in the source
    "ways to roll 7 with 2 dice" = { printed = "6", right = "f_2(7)" }  # the printed figure, and why it is right

    [[tables]]
    place = "win table"
    item = "<row> v. <column> dice, win"
    columns = ["1", "2"]
    rows = """
    1 | 0.416667 0.092593
    2 | 0.837963 0.443673
    """

`true` means that the source makes the claim, which is not a number. An entry of `text` without reasons and `tolerance`
can be given as the printed figure alone. In a table, `units` has, for each column, the total of which its figures are
shares, and `games` the number of games that were sampled for each figure.
'''

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

# Keys allowed in a file, in an entry of its text, and in a table.
FILE = {"citation": str, "text": dict, "tables": list}
TEXT = {"printed": str | bool, "tolerance": float, "right": str, "wrong": str}
TABLE = {"place": str, "item": str, "columns": list, "rows": str, "units": list, "games": int}
OPTIONAL = {"tables", "tolerance", "right", "wrong", "units", "games"}


@dataclass(frozen=True)
class Published:
    """One figure as the source prints it."""

    place: str  # where in the source, e.g. "Table 5.1"
    item: str  # its name, unique at its place
    value: float | Fraction | bool  # as printed; counts of games as fractions of them, claims as True
    tolerance: float = 0.0  # half a unit of the last digit, in the unit of `value`; 0 for fractions and whole numbers
    games: int | None = None  # number of sampled games; None if it is not from a simulation
    right: str = ""  # reason if the figure agrees, unless it contains computed figures
    wrong: str | None = None  # reason if it is wrong; None if `right` is the reason in both cases

    def agrees(self, computed: float, slack: float = 0.0) -> bool:
        """Returns whether the computed figure agrees in all printed digits, or differs by at most `slack` more."""
        return abs(float(self.value) - computed) <= (self.tolerance + slack) * (1 + 1e-9)


@dataclass(frozen=True)
class Paper:
    """All figures of a source by place and item, and how the source is cited."""

    citation: str
    figures: Mapping[tuple[str, str], Published]

    def at(self, place: str) -> tuple[Published, ...]:
        """Returns all figures at a place; raises a ValueError if there are none."""
        chosen = tuple(each for each in self.figures.values() if each.place == place)
        if not chosen:
            places = dict.fromkeys(place for place, _ in self.figures)
            raise ValueError(f"{self.citation} has no figures at {place!r}; it has them at {', '.join(places)}")
        return chosen

    def figure(self, place: str, item: str) -> Published:
        """Returns one figure; raises a ValueError if it does not exist."""
        if (place, item) not in self.figures:
            self.at(place)  # its error lists the places if there is no such one
            raise ValueError(f"{self.citation} gives no {item!r} at {place!r}")
        return self.figures[place, item]


def read_paper(beside: str | Path) -> Paper:
    """Reads the `printed.toml` beside a module.

    Raises:
        ValueError: If the file does not follow the format above, or contains a figure twice.
    """
    path = Path(beside).with_name("printed.toml")
    figures: dict[tuple[str, str], Published] = {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        _check(content, "the file", FILE)
        for each in (*_of_text(content["text"]), *(each for table in content.get("tables", ()) for each in _of(table))):
            if (each.place, each.item) in figures:
                raise ValueError(f"{each.item!r} is listed twice at {each.place!r}")
            figures[each.place, each.item] = each
    except (ValueError, ZeroDivisionError) as error:
        raise ValueError(f"{path}: {error}") from None
    return Paper(content["citation"], figures)


def _check(entry: Mapping[str, Any], where: str, kinds: Mapping[str, Any]) -> None:
    if unknown := entry.keys() - kinds.keys():
        raise ValueError(f"{where}: unknown {', '.join(sorted(unknown))}; expected one of {', '.join(kinds)}")
    if missing := kinds.keys() - OPTIONAL - entry.keys():
        raise ValueError(f"{where}: {', '.join(sorted(missing))} is missing")
    for key, value in entry.items():
        if not isinstance(value, kinds[key]):
            raise ValueError(f"{where}: {key} cannot be {value!r}")


def _of_text(text: Mapping[str, Mapping[str, Any]]) -> Iterator[Published]:
    for place, entries in text.items():
        for item, entry in entries.items():
            given = {**entry} if isinstance(entry, dict) else {"printed": entry}
            _check(given, f"{item!r} at {place!r}", TEXT)
            printed = given.pop("printed")
            value, tolerance = _number(printed) if isinstance(printed, str) else (printed, 0.0)
            value = float(value) if "tolerance" in given else value
            yield Published(place, item, value, **{"tolerance": tolerance, **given})


def _of(table: Mapping[str, Any]) -> Iterator[Published]:
    _check(table, "a table", TABLE)
    place, columns = table["place"], table["columns"]
    units = table.get("units", [None] * len(columns))
    for line in table["rows"].strip().splitlines():
        row, _, cells = line.partition("|")
        if not len(columns) == len(units) == len(cells.split()):
            raise ValueError(f"{place}: {len(columns)} columns, {len(units)} units, and a row {line!r}")
        for column, unit, text in zip(columns, units, cells.split(), strict=True):
            item = table["item"].replace("<row>", row.strip()).replace("<column>", column)
            yield Published(place, item, *_number(text, unit), table.get("games"))


def _number(text: str, unit: int | None = None) -> tuple[float | Fraction, float]:
    """Returns a figure's value and tolerance. Decimals and fractions of a unit are rounded, all others are exact."""
    if unit is None and "." not in text:
        return Fraction(text), 0.0
    try:
        half = float(Decimal(5).scaleb(int(Decimal(text).as_tuple().exponent) - 1))
    except InvalidOperation:
        raise ValueError(f"{text!r} is not a number") from None
    return float(text) / (unit or 1), half / (unit or 1)
