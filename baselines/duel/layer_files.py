"""Layers of a duel on disk: one file each and a manifest, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.atomic_files import open_inside, write_atomically

FORMAT = 1
DTYPE = "<f8"


class LayerFolder:
    """Values of layers in a folder; a file that is not as it was written does not count.

    Several processes may work in one folder: each finds what the others have written.

    Args:
        folder: Made if it is not there.
        game: What the layers belong to, as JSON can hold it.

    Raises:
        ValueError: If the folder holds layers of another game.
    """

    def __init__(self, folder: Path, game: Mapping[str, Any]) -> None:
        self._folder, self._game = folder, dict(game)
        folder.mkdir(parents=True, exist_ok=True)
        self._entries()  # says now if they are of another game

    def _entries(self) -> dict[str, Any]:
        """What is known of each layer."""
        manifest = self._manifest()
        if manifest.get("game", self._game) != self._game:
            raise ValueError(
                f"folder ({self._folder}) holds layers of another game, {manifest['game']}, not {self._game}; "
                "give another folder"
            )
        layers: dict[str, Any] = manifest["layers"] if manifest.get("format") == FORMAT else {}
        return layers

    def _manifest(self) -> dict[str, Any]:
        try:
            manifest = json.loads((self._folder / "manifest.json").read_text())
        except (OSError, ValueError, RecursionError):
            return {}  # nothing there, or nothing that tells what the files are
        return manifest if isinstance(manifest, dict) and isinstance(manifest.get("layers"), dict) else {}

    def _path(self, cards: int) -> Path:
        return self._folder / f"layer_{cards}.bin"

    def read(self, cards: int, size: int) -> tuple[NDArray[np.float64], float] | None:
        """Values, mapped from the file, and gap of a layer; None if they are not there or damaged."""
        try:
            entry = dict(self._entries()[str(cards)])
            # Layers from before there were seals have none.
            if entry.pop("seal", _seal(entry)) != _seal(entry) or entry["values"] != size:
                return None
            if self._path(cards).stat().st_size != size * np.dtype(DTYPE).itemsize:
                return None
            # Copy on write: compiled code takes only arrays that could be written to.
            values = np.asarray(np.memmap(self._path(cards), dtype=DTYPE, mode="c"))
            if entry["blake2b"] != _digest(values):
                return None
            return values, float(entry["gap"])
        except (OSError, KeyError, TypeError, ValueError):
            return None

    def write(self, cards: int, values: NDArray[np.float64], gap: float) -> None:
        """Keeps a layer; a process that is killed here leaves the folder as it was, or with the layer."""
        content = np.ascontiguousarray(values, dtype=DTYPE)
        entry = {"values": len(content), "dtype": DTYPE, "gap": gap, "blake2b": _digest(content)}
        with self._alone():
            write_atomically(self._path(cards), content.data)
            layers = {**self._entries(), str(cards): {**entry, "seal": _seal(entry)}}
            manifest = {"format": FORMAT, "game": self._game, "layers": layers}
            write_atomically(self._folder / "manifest.json", (json.dumps(manifest, indent=2) + "\n").encode())

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keeps other processes from writing into the folder; a process that is killed lets go."""
        import fcntl  # which not every system has, but solving without a folder needs none

        with open_inside(self._folder, ".lock", "ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _digest(values: NDArray[np.float64]) -> str:
    return blake2b(values.data).hexdigest()


def _seal(entry: Mapping[str, Any]) -> str:
    """A checksum of what the manifest says of a layer."""
    return blake2b(json.dumps(entry, sort_keys=True).encode(), digest_size=16).hexdigest()
