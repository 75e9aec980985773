"""Writes a report on runs: a self-contained HTML page, and summary tables in Markdown beside it."""

from __future__ import annotations

import base64
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from baselines.system.files import require_plain, require_writable, write_atomically
from train.reports import tables
from train.reports.groups import GameReport, Run, arrange, read_run, refuse_twins, run_folders
from train.text.printing import in_one_line, printable

TEMPLATE = Path(__file__).with_name("page.html.jinja")


class Report(NamedTuple):
    """The files of a report, and the reason for each folder that was left out."""

    page: Path
    tables: Path
    skipped: list[str]


def write_report(
    folders: Sequence[str | Path],
    out: str | Path,
    skip_damaged: bool = False,
    labels: Mapping[str | Path, str] | None = None,
) -> Report:
    """Writes a page on runs, and summary tables beside it, with the suffix `.md`.

    Args:
        folders: Run folders, or folders that contain run folders at any depth.
        out: The HTML file to write.
        skip_damaged: Whether to leave out damaged folders, which otherwise raise an error.
        labels: Folder -> name of its algorithm in this report; by default the run's own label.

    Raises:
        ValueError: If there are no runs, two runs are the same, a run is damaged, `out` ends in `.md`, or the tables
            would overwrite a file that is not a report. Nothing is written then.
        OSError: If the files cannot be written, checked before the runs are read.
    """
    require_writable(Path(out), new_folders=True)
    page, beside = Path(out), Path(out).with_suffix(".md")
    if page == beside:
        raise ValueError(f"{out} must not end in .md: the page's tables are written to a file with that suffix")
    if beside.exists() and not _is_ours(beside):
        raise ValueError(
            f"{beside} exists and is not a report, so no tables can be written there; choose an --out other than {out}"
        )
    require_writable(beside, new_folders=True)
    runs, skipped = _read_runs(folders, skip_damaged, labels or {})
    games = arrange(runs)
    texts = _page(games, skipped), tables.brief_tables(games, skipped)
    page.parent.mkdir(parents=True, exist_ok=True)
    for path, text in zip((page, beside), texts, strict=True):
        write_atomically(path, text.encode())
    return Report(page, beside, skipped)


def _read_runs(
    folders: Sequence[str | Path], skip_damaged: bool, labels: Mapping[str | Path, str]
) -> tuple[list[Run], list[str]]:
    """Reads the runs; returns them, and the reason for each folder that is left out."""
    named, label_of = set(map(Path, folders)), {Path(folder): label for folder, label in labels.items()}
    runs: list[Run] = []
    skipped: list[str] = []
    for path in dict.fromkeys(path for folder in folders for path in run_folders(folder)):
        forgiven = skip_damaged
        try:
            run = read_run(path)
            forgiven = forgiven or path not in named  # a folder of runs can contain a copy of the same run
            refuse_twins(run, runs)
            runs.append(replace(run, config={**run.config, "label": label_of.get(path, run.config["label"])}))
        except ValueError as error:
            if not forgiven:
                raise
            skipped.append(in_one_line(str(error)))
    return runs, skipped


def _is_ours(path: Path) -> bool:
    """Returns whether a file contains a report's tables, judging by its first words."""
    require_plain(path)
    with open(path, "rb") as file:
        return file.read(len(tables.FIRST_WORDS)) == tables.FIRST_WORDS.encode()


def _page(games: Sequence[GameReport], skipped: Sequence[str]) -> str:
    from jinja2 import StrictUndefined, Template  # these take a while, and folders without runs are refused before

    from train.reports.curves import draw_game

    template = Template(
        TEMPLATE.read_text(encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    pictures = [base64.b64encode(draw_game(game)).decode() for game in games]
    return template.render(games=zip(games, pictures, strict=True), skipped=skipped, tables=tables)


def _shown(value: object) -> object:
    """Escapes a text for display; markup from the template is not changed."""
    return printable(value) if type(value) is str else value


def say_skipped(report: Report) -> None:
    """Prints the folders that were left out to stderr."""
    for line in report.skipped:
        print(f"cardwar: left out: {line}", file=sys.stderr)
