"""Writes the results of studies into the data that ships with the package, `train/results/results.csv`.

cardwar study studies/learning_curves.toml --out runs/learning_curves
python -m lab.results runs/learning_curves   # replaces the rows of this study; then python -m lab.pages
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from baselines.system.files import csv_bytes, write_atomically
from train.results import FILE, Result, load_results, result_of

GAME = re.compile(r"^## (?P<game>.+)\n\n(?P<known>.+)\n\n(?P<table>(?:\|.*\n?)+)", re.MULTILINE)
NAMES = [field.name for field in dataclasses.fields(Result)]
NUMBER = re.compile(r"-?\d+\.\d+")


def results_in(folder: Path) -> Iterator[Result]:
    """Returns the rows of all tables in the output folder of a study, which has the study's name."""
    for report in sorted(folder.glob("*.md")):
        for table in GAME.finditer(re.sub(r"\\(.)", r"\1", report.read_text())):
            value, uniform = NUMBER.findall(table["known"])[:2]
            for line in table["table"].splitlines()[2:]:
                learner, seeds, steps, seconds, exploitability, interval = map(str.strip, line.strip("|").split("|"))
                count, _, step = steps.partition(" ")
                low, high, percent = re.findall(r"\d+\.?\d*", interval) or ("", "", "")
                run = folder.name, report.stem, table["game"], learner, seeds.replace(",", "")
                done = count.replace(",", ""), step, seconds, exploitability
                bounds = low, high, percent and str(float(percent) / 100)
                yield result_of(dict(zip(NAMES, (*run, *done, *bounds, value, uniform), strict=True)))


def as_csv(results: Sequence[Result]) -> bytes:
    """Returns the content of the CSV file."""
    return csv_bytes([NAMES, *(_cells(result) for result in results)])


def _cells(result: Result) -> list[object]:
    row = dataclasses.asdict(result) | {"seeds": " ".join(map(str, result.seeds))}
    return ["" if value is None else value for value in row.values()]


def main(folders: Sequence[str]) -> None:
    """Replaces the rows of the studies in these output folders."""
    new = [result for folder in folders for result in results_in(Path(folder))]
    kept = [result for result in load_results() if result.study not in {each.study for each in new}]
    write_atomically(FILE, as_csv([*kept, *new]))


if __name__ == "__main__":
    main(sys.argv[1:])
