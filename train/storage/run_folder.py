"""The folder of a run: what was asked for, what came out, and how to go on after a kill.

`config.json` says which run it is, `metadata.json` where and when it was made, `metrics.csv`
holds one row per evaluation. The checkpoint is the truth: it is replaced in one step and holds
the rows too, so that whatever moment a run is killed at, everything else follows from it.

`checksums.txt` tells damage from what was written, for the files that have no checksum inside.
While the metrics are replaced it has lines for the old and for the new ones.
"""

from __future__ import annotations

import csv
import hashlib
import io
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch

import cardwar_envs
from baselines.atomic_files import write_atomically
from train.storage.archive import Archive, read_archive, read_json, write_archive, write_json

CONFIG_FILE, METADATA_FILE, METRICS_FILE = "config.json", "metadata.json", "metrics.csv"
CHECKPOINT_FILE, CHECKSUM_FILE = "checkpoint.safetensors", "checksums.txt"
SUMMED = (CONFIG_FILE, METADATA_FILE, METRICS_FILE)
CHECKSUM_LINE = re.compile(rf"([0-9a-f]{{64}})  ({'|'.join(map(re.escape, SUMMED))})\n")
# What a run is: one that differs in any of these is another run.
IDENTITY = ("game", "parameters", "algorithm", "args", "seed")
ANEW = "put back a copy, or start the run again in another folder"
RESUME = "to resume the run (--resume) writes it anew from the checkpoint"

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
        folder._complete(config)
        return folder

    @classmethod
    def reopen(cls, path: str | Path, config: Mapping[str, Any]) -> RunFolder:
        """Goes on with the run that a folder holds.

        Raises:
            ValueError: If it holds none, a damaged one, one of another game, algorithm, arguments or
                seed, or links to files elsewhere, which are not a run's to change.
        """
        folder = cls(Path(path))
        if not (folder.path / CONFIG_FILE).exists():
            raise ValueError(f"{path} holds no run to resume")
        folder.check_same(config)
        for held_file in sorted(folder.path.iterdir()):
            if held_file.is_symlink():
                raise ValueError(f"{held_file} is a link; put the file itself there before the run is resumed")
        folder._complete(config)
        return folder

    def check_same(self, config: Mapping[str, Any]) -> None:
        """Raises ValueError if it holds a run of another game, algorithm, arguments or seed, or a damaged one."""
        held = self.config()
        for key in IDENTITY:
            if held.get(key) != config[key]:
                raise ValueError(
                    f"{self.path} holds a run with {_difference(key, held.get(key), config[key])}; "
                    "resume it with the arguments that it was started with"
                )

    def _complete(self, config: Mapping[str, Any]) -> None:
        """Writes what a run that was killed early, or was made before there were checksums, lacks."""
        if not (self.path / METADATA_FILE).exists():
            write_json(self.path / METADATA_FILE, {"seed": config["seed"], **_circumstances()})
            self._write_checksums(self._sums_of_files())
        elif not (self.path / CHECKSUM_FILE).exists():
            self._write_checksums(self._sums_of_files())

    def config(self) -> dict[str, Any]:
        """What was asked for.

        Raises:
            ValueError: If the file is missing or damaged.
        """
        return self._read_json(CONFIG_FILE, ANEW)

    def metadata(self) -> dict[str, Any]:
        """Where and when it was made; nothing if it was killed before that was written.

        Raises:
            ValueError: If the file is damaged.
        """
        if not (self.path / METADATA_FILE).exists():
            return {}
        return self._read_json(METADATA_FILE, "put back a copy, or remove it and resume the run (--resume)")

    def _read_json(self, name: str, remedy: str) -> dict[str, Any]:
        try:
            content = read_json(self.path / name)
        except ValueError as error:
            raise ValueError(f"{error}; {remedy}") from None
        self._check(name, remedy)
        return content

    def read_checkpoint(self) -> Archive | None:
        """The newest checkpoint, or None if the run was killed before its first.

        Raises:
            ValueError: If it is damaged.
        """
        path = self.path / CHECKPOINT_FILE
        try:
            return read_archive(path) if path.exists() else None
        except ValueError as error:
            raise ValueError(f"{error}; {ANEW}") from None

    def write_checkpoint(self, checkpoint: Archive) -> None:
        """Replaces the checkpoint, atomically."""
        write_archive(self.path / CHECKPOINT_FILE, checkpoint)

    def write_metrics(self, rows: Sequence[Row]) -> None:
        """Replaces `metrics.csv`, atomically."""
        text = io.StringIO()
        writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        content = text.getvalue().encode()
        sums = self._checksums() or self._sums_of_files()
        self._write_checksums({**sums, METRICS_FILE: [*sums.get(METRICS_FILE, []), _digest(content)]})
        write_atomically(self.path / METRICS_FILE, content)
        self._write_checksums({**sums, METRICS_FILE: [_digest(content)]})

    def read_metrics(self) -> list[Row]:
        """The rows of `metrics.csv`.

        Raises:
            ValueError: If the file is missing, empty or damaged.
        """
        path = self.path / METRICS_FILE
        try:
            with open(path, newline="") as file:
                rows = [{key: float(cell) for key, cell in row.items()} for row in csv.DictReader(file)]
        except (OSError, TypeError, ValueError, csv.Error) as error:
            raise ValueError(f"{path} is missing or damaged: {error}; {RESUME}") from None
        if not rows:
            raise ValueError(f"{path} has no rows; {RESUME}")
        self._check(METRICS_FILE, RESUME)
        return rows

    def _checksums(self) -> dict[str, list[str]]:
        """The checksums that each file may have; none in runs from before there were any."""
        path = self.path / CHECKSUM_FILE
        if not path.exists():
            return {}
        lines = path.read_bytes().decode(errors="replace").splitlines(keepends=True)
        sums: dict[str, list[str]] = {}
        for line in lines or [""]:
            match = CHECKSUM_LINE.fullmatch(line)
            if match is None:
                raise ValueError(f"{path} is damaged; put back a copy, or remove it to do without checksums")
            sums.setdefault(match[2], []).append(match[1])
        return sums

    def _write_checksums(self, sums: Mapping[str, Sequence[str]]) -> None:
        lines = [f"{digest}  {name}\n" for name, digests in sums.items() for digest in digests]
        write_atomically(self.path / CHECKSUM_FILE, "".join(lines).encode())

    def _sums_of_files(self) -> dict[str, list[str]]:
        paths = [self.path / name for name in SUMMED if (self.path / name).exists()]
        return {path.name: [_digest(path.read_bytes())] for path in paths}

    def _check(self, name: str, remedy: str) -> None:
        """Raises ValueError if a file is not what was written."""
        sums = self._checksums()
        if sums and _digest((self.path / name).read_bytes()) not in sums.get(name, []):
            raise ValueError(
                f"{self.path / name} cannot be read: it is missing or damaged, or {CHECKSUM_FILE} is, "
                f"which has another checksum; {remedy}"
            )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


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
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    try:
        answer = subprocess.run(
            ["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()
