"""The folder of a run: what was asked for, what came out, and how to go on after a kill.

`config.json` says which run it is, `metadata.json` where and when it was made, `metrics.csv`
holds one row per evaluation. The checkpoint is the truth: it is replaced in one step and holds
the rows too, so that whatever moment a run is killed at, everything else follows from it.
"""

from __future__ import annotations

import csv
import io
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch

import cardwar_envs
from train.files import Archive, read_archive, read_json, write_archive, write_atomically, write_json

CONFIG_FILE, METADATA_FILE, METRICS_FILE = "config.json", "metadata.json", "metrics.csv"
CHECKPOINT_FILE = "checkpoint.safetensors"
# What a run is: one that differs in any of these is another run.
IDENTITY = ("game", "parameters", "algorithm", "args", "seed")

Row = dict[str, float]


class RunFolder:
    """One run on disk; see `create` and `reopen`.

    Attributes:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: str | Path, config: Mapping[str, Any]) -> RunFolder:
        """Starts a run in a folder that is new or empty.

        Raises:
            ValueError: If the folder holds a run or other files; they stay as they are.
        """
        folder = cls(Path(path))
        if (folder.path / CONFIG_FILE).exists():
            raise ValueError(f"{path} already holds a run; resume it or choose another folder")
        if folder.path.exists() and not folder.path.is_dir():
            raise ValueError(f"{path} is not a folder")
        # Hidden files are what a run that was killed before it could begin leaves behind.
        if folder.path.exists() and any(not each.name.startswith(".") for each in folder.path.iterdir()):
            raise ValueError(f"{path} holds other files; choose an empty or a new folder")
        folder.path.mkdir(parents=True, exist_ok=True)
        write_json(folder.path / CONFIG_FILE, config)
        folder._write_metadata(config)
        return folder

    @classmethod
    def reopen(cls, path: str | Path, config: Mapping[str, Any]) -> RunFolder:
        """Goes on with the run that a folder holds.

        Raises:
            ValueError: If it holds none, or one of another game, algorithm, arguments or seed.
        """
        folder = cls(Path(path))
        if not (folder.path / CONFIG_FILE).exists():
            raise ValueError(f"{path} holds no run to resume")
        held = folder.config()
        for key in IDENTITY:
            if held.get(key) != config[key]:
                raise ValueError(
                    f"{path} holds a run with {_difference(key, held.get(key), config[key])}; "
                    "resume it with the arguments that it was started with"
                )
        if not (folder.path / METADATA_FILE).exists():
            folder._write_metadata(config)
        return folder

    def _write_metadata(self, config: Mapping[str, Any]) -> None:
        write_json(self.path / METADATA_FILE, {"seed": config["seed"], **_circumstances()})

    def config(self) -> dict[str, Any]:
        """What was asked for.

        Raises:
            ValueError: If the file is missing or damaged.
        """
        return read_json(self.path / CONFIG_FILE)

    def read_checkpoint(self) -> Archive | None:
        """The newest checkpoint, or None if the run was killed before its first.

        Raises:
            ValueError: If it is damaged.
        """
        path = self.path / CHECKPOINT_FILE
        return read_archive(path) if path.exists() else None

    def write_checkpoint(self, checkpoint: Archive) -> None:
        """Replaces the checkpoint, atomically."""
        write_archive(self.path / CHECKPOINT_FILE, checkpoint)

    def write_metrics(self, rows: Sequence[Row]) -> None:
        """Replaces `metrics.csv`, atomically."""
        text = io.StringIO()
        writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        write_atomically(self.path / METRICS_FILE, text.getvalue().encode())

    def read_metrics(self) -> list[Row]:
        """The rows of `metrics.csv`.

        Raises:
            ValueError: If the file is missing, empty or damaged.
        """
        path = self.path / METRICS_FILE
        try:
            with open(path, newline="") as file:
                rows = [{key: float(cell) for key, cell in row.items()} for row in csv.DictReader(file)]
        except (OSError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is missing or damaged: {error}") from None
        if not rows:
            raise ValueError(f"{path} has no rows")
        return rows


def _difference(key: str, held: Any, wanted: Any) -> str:
    if isinstance(held, dict) and isinstance(wanted, dict):
        unlike = next(name for name in [*held, *wanted] if held.get(name) != wanted.get(name))
        return f"{unlike}={held.get(unlike)}, not {wanted.get(unlike)}"
    return f"{key}={held}, not {wanted}"


def _circumstances() -> dict[str, Any]:
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": cardwar_envs.__version__,
        "commit": _commit(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def _commit() -> str | None:
    """The commit of the checkout that this package runs from, if it is one."""
    root = Path(__file__).resolve().parent.parent
    if not (root / ".git").exists():
        return None
    try:
        answer = subprocess.run(
            ["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()
