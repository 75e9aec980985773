"""Regenerates the tables of `lab/docs/papers.md` from the output folders of `cardwar reproduce`.

    cardwar reproduce dice-wars --out runs/reproduce-dice-wars
    python -m lab.papers.documents runs/reproduce-dice-wars

A part of a reproduction is `counts`, a verdict, a place in the source, or the name of a further table.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from baselines.system.files import write_atomically
from train.reports.markdown import escaped, rewrite, table

PAGE = Path("lab/docs/papers.md")
DECIMAL = re.compile(r"-?\d+\.\d+(e-?\d+)?|-?\d+e-\d+")


def part_of(folder: Path, part: str) -> str:
    """Formats a part of a command's output folder in Markdown.

    Omits columns of findings that are empty or only repeat the part's name. Transposes a table with more columns than
    rows: its first column becomes the heading.

    Raises:
        ValueError: If a reproduction has no such part.
        OSError: If a file is missing.
    """
    if (folder / f"{part}.csv").exists():
        figures = _read(folder / f"{part}.csv")
        if len(figures[0]) > len(figures):
            figures = list(map(list, zip(*figures, strict=True)))
        return table(figures[0], figures[1:], cell=_shown)
    heading, *rows = _read(folder / "rows.csv")
    findings = [dict(zip(heading, row, strict=True)) for row in rows]
    if part == "counts":
        counts = Counter(each["verdict"] for each in findings)
        return f"{len(findings)} figures; {', '.join(f'{verdict}: {counts[verdict]}' for verdict in sorted(counts))}."
    chosen = [each for each in findings if part in (each["verdict"], each["place"])]
    if not chosen:
        raise ValueError(f"{folder} has no part {part!r}: no table, verdict or place has that name")
    columns = [name for name in heading if not {each[name] for each in chosen} <= {"", part}]
    return table(columns, [[each[name] for name in columns] for each in chosen], cell=_shown)


def _read(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def _shown(text: str) -> str:
    """Formats a cell: decimals with six significant digits, 0 for anything below 1e-9."""
    if DECIMAL.fullmatch(text):
        return f"{round(float(text), 9) + 0.0:.6g}"
    return escaped(text)


def main(folders: Sequence[str]) -> None:
    """Rewrites the page below the current folder from the output folders of reproductions, `reproduce-NAME`."""
    for folder in map(Path, folders):
        command = f"cardwar reproduce {folder.name.removeprefix('reproduce-')}"
        write_atomically(PAGE, rewrite(PAGE.read_text(), command, partial(part_of, folder)).encode())


if __name__ == "__main__":
    main(sys.argv[1:])
