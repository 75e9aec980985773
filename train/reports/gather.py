"""Runs found in folders, and short names for them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from train.reports.groups import Run, arrange
from train.storage.run_folder import CONFIG_FILE, METRICS_FILE, RunFolder


def run_folders(path: str | Path) -> list[Path]:
    """The run folders in a folder, at any depth, without following links; the path itself if it is no folder.

    Raises:
        ValueError: If it is a folder without a run.
    """
    path = Path(path)
    found = []
    for folder, inner, files in os.walk(path):
        inner.sort()
        if {CONFIG_FILE, METRICS_FILE} & set(files):
            found.append(Path(folder))
            inner.clear()
    if path.is_dir() and not found:
        raise ValueError(f"{path} holds no run: neither it nor a folder in it has a {CONFIG_FILE}")
    return found or [path]


def unmeasured(folder: str | Path) -> Run:
    """A run without its results; raises ValueError if its configuration cannot be read."""
    config = RunFolder(Path(folder)).config()
    return Run(Path(folder), {"measured": "exact", "figure": "exploitability", **config}, [], None)


def short_paths(folders: Sequence[Path]) -> list[str]:
    """The paths of different folders without what all have in common."""
    whole = [Path(os.path.abspath(folder)) for folder in folders]
    shared = os.path.commonpath([folder.parent for folder in whole])
    return [str(folder.relative_to(shared)) for folder in whole]


def run_names(runs: Sequence[Run]) -> list[str]:
    """A short name for each run: its algorithm and what tells it from the others; at last, its folder."""
    names = {}
    for game in arrange(runs):
        for group in game.groups:
            seeds = {run.seed for run in group.runs}
            for run in group.runs:
                names[run.folder] = group.name + (f" seed={run.seed}" if len(seeds) > 1 else "")
    counts, paths = Counter(names.values()), short_paths([run.folder for run in runs])
    found = [names[run.folder] for run in runs]
    return [name if counts[name] == 1 else f"{name} ({path})" for name, path in zip(found, paths, strict=True)]
