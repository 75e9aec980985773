"""`cardwar study` and `cardwar report`: execute the runs listed in a file, and write reports on runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from cardwar_cli.console import AsJson, err, new_table, out, say

if TYPE_CHECKING:
    from train.reports.page import Report
    from train.studies.runner import Show, StudyTask
    from train.studies.study_file import Study


def study(
    config: Annotated[Path, typer.Argument(metavar="FILE", help="Study file, e.g. studies/quick.toml.")],
    folder: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Output folder for runs and reports; default runs/NAME.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Number of parallel runs, each in its own process.")] = 1,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN", help="Execute only runs whose name contains or matches this pattern (* and ?)."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the runs and their progress without starting any.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Execute all unfinished runs of a study and write a report on them.

    The exit code is 1 if a run fails.
    """
    from train.studies.study_file import read_study  # needs pydantic

    plan = read_study(config)
    # This needs torch, so an invalid file is refused first.
    from train.studies.runner import StudyTask, carry_out

    folder = folder or Path("runs") / config.stem
    tasks = [StudyTask(run, folder) for run in plan.runs]
    chosen = [task for task in tasks if only is None or only in (name := task.run.name) or fnmatchcase(name, only)]
    if not chosen:
        raise ValueError(
            f"no run of {config} matches --only {only!r}; a run is called, for example, {tasks[0].run.name}"
        )
    reports = []
    if not dry_run:
        with _shown(plan.title, tasks, chosen, jobs) as show:
            carry_out(chosen, folder, jobs, show)
        _draw_missing(chosen)
        reports = _reports(plan, tasks, folder)
    if as_json:
        print(json.dumps(_as_data(plan.title, chosen, reports)))
    else:
        _print(plan.title, chosen, reports)
    return 1 if any(task.reason is not None for task in chosen) else 0


def _draw_missing(chosen: Sequence[StudyTask]) -> None:
    """Plots finished runs that were killed before they plotted their curve."""
    from train.reports.curves import PLOT_FILE, plot_runs
    from train.studies.runner import State

    for task in chosen:
        if task.state is State.FINISHED and not (task.folder / PLOT_FILE).exists():
            plot_runs([task.folder], task.folder / PLOT_FILE)


def _reports(plan: Study, tasks: Sequence[StudyTask], folder: Path) -> list[Report]:
    """Writes each page that has at least one started run."""
    from train.reports.page import say_skipped, write_report

    begun = {task.run.name: task for task in tasks if task.held is not None}
    reports = []
    for page, runs in plan.pages.items():
        labels: dict[str | Path, str] = {begun[run.name].folder: run.label for run in runs if run.name in begun}
        if labels:
            reports.append(write_report(list(labels), folder / f"{page}.html", skip_damaged=True, labels=labels))
            say_skipped(reports[-1])
    return reports


@contextmanager
def _shown(title: str, tasks: Sequence[StudyTask], chosen: Sequence[StudyTask], jobs: int) -> Iterator[Show]:
    """Shows progress: live bars on a terminal, else a line on stderr for each run that ends."""

    def line(working: Sequence[StudyTask], just_ended: Sequence[StudyTask]) -> None:
        for task in just_ended:
            err.print(f"{_counted(tasks, chosen, jobs)}: {_line(task)}", highlight=False, soft_wrap=True)

    if not err.is_terminal:
        yield line
        return
    columns = TextColumn("{task.description}", markup=False), BarColumn(bar_width=12), TextColumn("{task.fields[news]}")
    with Progress(*columns, TimeElapsedColumn(), console=err, transient=True, refresh_per_second=2) as bars:
        whole = bars.add_task(title, total=len(chosen), news="")
        bar_of: dict[StudyTask, TaskID] = {}

        def redraw(working: Sequence[StudyTask], just_ended: Sequence[StudyTask]) -> None:
            line(working, just_ended)
            for task in just_ended:
                if task in bar_of:
                    bars.remove_task(bar_of.pop(task))
            for task in working:
                if task not in bar_of:
                    bar_of[task] = bars.add_task(task.run.name, total=1.0, news="")
                bars.update(bar_of[task], completed=task.share, news=_reached(task))
            done = sum(task.share for task in chosen)
            bars.update(whole, completed=done, news=_counted(tasks, chosen, jobs))

        yield redraw


def _counted(tasks: Sequence[StudyTask], chosen: Sequence[StudyTask], jobs: int) -> str:
    from train.studies.runner import State, seconds_left

    over = sum(task.state in (State.FINISHED, State.FAILED) for task in chosen)
    left = seconds_left(tasks, chosen, jobs)
    about = "" if left is None or over == len(chosen) else f", about {_duration(left)} left"
    return f"{over} of {len(chosen)}{about}"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _line(task: StudyTask) -> str:
    return f"{task.run.name}: {task.reason or _reached(task)}"


def _reached(task: StudyTask) -> str:
    last, (name, figure) = task.last, _figure(task)
    return f"{name} {figure:.4f} after {last['steps']:,.0f} steps, {last['seconds']:.0f} s" if last else ""


def _figure(task: StudyTask) -> tuple[str, float]:
    """Name and value of the latest figure; "" and 0 if there is none."""
    from train.reports.tables import figure_in_words  # needs the extra `report`

    if task.held is None or task.last is None:
        return "", 0.0
    name, kind = task.held.config["figure"], task.held.config["measured"]
    return figure_in_words(name) + ("" if kind == "exact" else f" ({kind})"), task.last[name]


def _print(title: str, chosen: Sequence[StudyTask], reports: Sequence[Report]) -> None:
    measured = dict.fromkeys(_figure(task)[0] for task in chosen if task.last)
    table = new_table(title, "run", "state", "seconds", *measured)
    for task in chosen:
        name, figure = _figure(task)
        figures = [f"{figure:.6f}" if name == each else "" for each in measured]
        state = f"{task.state}, {100 * task.share:.0f} %" if 0.0 < task.share < 1.0 else str(task.state)
        table.add_row(task.run.name, state, f"{task.last['seconds']:,.0f}" if task.last else "", *figures)
    out.print(table)
    count = Counter(str(task.state) for task in chosen)
    say(", ".join(f"{number} {state}" for state, number in count.items()))
    for task in chosen:
        if task.reason is not None:
            say(f"Failed: {_line(task)} ({task.log})")
        elif task.damage is not None:
            say(f"Damaged: {task.run.name}: {task.damage}")
    for report in reports:
        say(f"Page: {report.page}\nTables: {report.tables}")


def _as_data(title: str, chosen: Sequence[StudyTask], reports: Sequence[Report]) -> dict[str, Any]:
    """The output of `_print` as JSON data."""
    runs = [
        {
            "name": task.run.name,
            "folder": str(task.folder),
            "state": str(task.state),
            "reason": task.reason or task.damage,
            "command": ["cardwar", *task.run.words(task.folder)],
            "last": task.last,
        }
        for task in chosen
    ]
    return {"title": title, "runs": runs, "pages": [str(report.page) for report in reports]}


def report(
    # Unreadable folders count as damaged.
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="RUN [RUN ...]", help="Run folders, or folders with runs at any depth.", readable=False),
    ],
    page: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="FILE",
            help="HTML file to write; summary tables are written beside it, with the suffix .md.",
        ),
    ] = Path("report.html"),
    skip_damaged: Annotated[
        bool,
        typer.Option("--skip-damaged", help="Skip damaged folders with a warning instead of failing."),
    ] = False,
) -> None:
    """Write an HTML report on runs.

    For each game the report has learning curves, tables with the best run first, and commands that reproduce the runs.
    """
    from train.reports.page import say_skipped, write_report  # needs the extra `report`

    written = write_report(folders, page, skip_damaged)
    say_skipped(written)
    say(f"Page: {written.page}\nTables: {written.tables}")
