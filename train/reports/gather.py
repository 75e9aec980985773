"""Finds runs in folders, and chooses short names for them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from train.reports.groups import Run, arrange
from train.storage.run_folder import CONFIG_FILE, METRICS_FILE, RunFolder


def run_folders(path: str | Path) -> list[Path]:
    """Returns the run folders in a folder, at any depth, without following links; other paths are returned as given.

    Raises:
        ValueError: If the path is a folder without a run.
    """
    path = Path(path)
    found = []
    for folder, inner, files in os.walk(path):
        inner.sort()
        if {CONFIG_FILE, METRICS_FILE} & set(files):
            found.append(Path(folder))
            inner.clear()
    if path.is_dir() and not found:
        raise ValueError(f"{path} contains no run: there is no {CONFIG_FILE} in it or in its subfolders")
    return found or [path]


def unmeasured(folder: str | Path) -> Run:
    """Reads a run without its results; raises ValueError if its configuration cannot be read."""
    config = RunFolder(Path(folder)).config()
    return Run(Path(folder), {"measured": "exact", "figure": "exploitability", **config}, [], None)


def short_paths(folders: Sequence[Path]) -> list[str]:
    """Returns the paths of different folders without their common part."""
    whole = [Path(os.path.abspath(folder)) for folder in folders]
    shared = os.path.commonpath([folder.parent for folder in whole])
    return [str(folder.relative_to(shared)) for folder in whole]


def run_names(runs: Sequence[Run]) -> list[str]:
    """Returns a short name for each run: its algorithm and its differences from other runs, or else its folder."""
    names = {}
    for game in arrange(runs):
        for group in game.groups:
            seeds = {run.seed for run in group.runs}
            for run in group.runs:
                names[run.folder] = group.name + (f" seed={run.seed}" if len(seeds) > 1 else "")
    counts, paths = Counter(names.values()), short_paths([run.folder for run in runs])
    found = [names[run.folder] for run in runs]
    return [name if counts[name] == 1 else f"{name} ({path})" for name, path in zip(found, paths, strict=True)]
