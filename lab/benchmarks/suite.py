"""Runs all benchmarks: shows each table when it is ready, then writes a JSON file, a Markdown file and a picture."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from baselines.system.files import write_atomically
from lab.benchmarks import machine
from lab.benchmarks.comparison import Result, Settings, as_data, measure, reason
from lab.benchmarks.report import markdown, plot

GROUPS = ("stepping", "batches", "matrix_games", "solving", "duel_sizes", "war_simulation")
ON_REQUEST = ("exploitability",)  # takes minutes, and torch
RESULTS_FILE, REPORT_FILE, PLOT_FILE = "results.json", "report.md", "ratios.png"


def run(
    names: Sequence[str], settings: Settings, folder: Path, show: Callable[[Result], None] = lambda result: None
) -> dict[str, Any]:
    """Measures groups and writes the results to files. A group that fails ends there; the others are still measured.

    Args:
        names: Names in `GROUPS` or `ON_REQUEST`.
        settings: How much is measured.
        folder: Folder for the files.
        show: Called with every result as soon as it is ready.

    Returns:
        All measurements and ratios, the machine, the peers that were skipped, one line for each group or installed peer
        that failed, and the files written.

    Raises:
        ValueError: If there is no such group.
        OSError: If the folder cannot be written to.
    """
    for name in names:
        if name not in GROUPS + ON_REQUEST:
            raise ValueError(f"unknown group {name!r}; expected one of {', '.join(GROUPS + ON_REQUEST)}")
    folder.mkdir(parents=True, exist_ok=True)
    facts, load, begin = machine.facts(), machine.load(), time.perf_counter()
    groups: dict[str, list[Result]] = {}
    failed: list[str] = []
    for name in names:
        groups[name] = []
        try:
            for comparison in import_module(f"lab.benchmarks.{name}").comparisons(settings):
                groups[name].append(measure(comparison, settings.rounds))
                show(groups[name][-1])
        except Exception as error:
            failed.append(f"{name}: {reason(error)}")
        failed += [f"{name}: {peer}: {why}" for result in groups[name] for peer, why in result.failed.items()]
    data: dict[str, Any] = {
        "settings": vars(settings),
        "machine": facts,
        "load": {"start": load, "end": machine.load()},
        "seconds": time.perf_counter() - begin,
        "groups": {name: [as_data(result) for result in results] for name, results in groups.items()},
        "failed": failed,
    }
    data["files"] = [str(path) for path in _write(folder, data, groups)]
    return data


def _write(folder: Path, data: dict[str, Any], groups: dict[str, list[Result]]) -> list[Path]:
    results = [result for group in groups.values() for result in group]
    written = [folder / RESULTS_FILE, folder / REPORT_FILE]
    write_atomically(written[0], (json.dumps(data, indent=2) + "\n").encode())
    sections = (f"## {name}\n\n" + "\n".join(map(markdown, group)) for name, group in groups.items())
    write_atomically(written[1], "\n".join([conditions(data), *sections]).encode())
    if plot(results, folder / PLOT_FILE):
        written.append(folder / PLOT_FILE)
    return written


def conditions(data: dict[str, Any]) -> str:
    """Describes the machine and its load during the measurements."""
    machine_facts, load = data["machine"], data["load"]
    versions = ", ".join(f"{name} {number}" for name, number in machine_facts["versions"].items() if number)
    lines = [
        f"{machine_facts['processors']} x {machine_facts['model']}, {machine_facts['memory_gib']} GiB, "
        f"{machine_facts['system']}, Python {machine_facts['python']}; {versions}.",
        f"{data['seconds']:.0f} s in all; load averages {load['start']} at the start, {load['end']} at the end.",
    ]
    return "\n".join(lines) + "\n"
