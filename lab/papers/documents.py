"""Regenerates the tables of the documents from the output folders of commands.

    cardwar reproduce dice-wars --out runs/reproduce-dice-wars
    python -m lab.papers.documents runs/reproduce-dice-wars   # tables of docs/findings.md, docs/war.md

    cardwar study studies/learning_curves.toml --out runs/learning_curves
    python -m lab.papers.documents runs/learning_curves       # tables of docs/results.md

A part of a reproduction is `counts`, a verdict, a place in the source, or the name of a further table. A part of a
study is the name of a file of tables in its folder.
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

DOCUMENTS = ("docs/findings.md", "docs/war.md", "docs/results.md")
FENCED = re.compile(r"^```.*?^```\n*", re.MULTILINE | re.DOTALL)
DECIMAL = re.compile(r"-?\d+\.\d+(e-?\d+)?|-?\d+e-\d+")


def part_of(folder: Path, part: str) -> str:
    """Formats a part of a command's output folder in Markdown.

    Omits the note at the top of a study's tables and the commands below each table. Omits columns of findings that are
    empty or only repeat the part's name. Transposes a table with more columns than rows: its first column becomes the
    heading.

    Raises:
        ValueError: If a reproduction has no such part.
        OSError: If a file is missing.
    """
    if part.endswith(".md"):
        report = (folder / part).read_text()
        return FENCED.sub("", report[report.index("## ") :])
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
    """Rewrites the documents below the current folder.

    Args:
        folders: Output folders of reproductions (`reproduce-NAME`) and studies (`NAME`, from `studies/NAME.toml`).
    """
    for folder in map(Path, folders):
        source = folder.name.removeprefix("reproduce-")
        command = f"cardwar study studies/{source}.toml" if source == folder.name else f"cardwar reproduce {source}"
        for document in map(Path, DOCUMENTS):
            write_atomically(document, rewrite(document.read_text(), command, partial(part_of, folder)).encode())


if __name__ == "__main__":
    main(sys.argv[1:])
