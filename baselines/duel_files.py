"""Layers of a duel on disk: one file each and a manifest, whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FORMAT = 1
DTYPE = "<f8"


class LayerFolder:
    """Values of layers in a folder; a file that is not as it was written does not count.

    Args:
        folder: Made if it is not there.
        game: What the layers belong to, as JSON can hold it.

    Raises:
        ValueError: If the folder holds layers of another game.
    """

    def __init__(self, folder: Path, game: Mapping[str, Any]) -> None:
        self._folder, self._game = folder, dict(game)
        folder.mkdir(parents=True, exist_ok=True)
        manifest = self._manifest()
        if manifest.get("game", self._game) != self._game:
            raise ValueError(f"folder ({folder}) holds layers of another game, {manifest['game']}, not {self._game}")
        self._entries: dict[str, Any] = manifest["layers"] if manifest.get("format") == FORMAT else {}

    def _manifest(self) -> dict[str, Any]:
        try:
            manifest = json.loads((self._folder / "manifest.json").read_text())
        except (OSError, ValueError):
            return {}  # nothing there, or nothing that tells what the files are
        return manifest if isinstance(manifest, dict) and isinstance(manifest.get("layers"), dict) else {}

    def _path(self, cards: int) -> Path:
        return self._folder / f"layer_{cards}.bin"

    def read(self, cards: int, size: int) -> tuple[NDArray[np.float64], float] | None:
        """Values, mapped from the file, and gap of a layer; None if they are not there or damaged."""
        entry = self._entries.get(str(cards))
        try:
            if entry is None or self._path(cards).stat().st_size != size * np.dtype(DTYPE).itemsize:
                return None
            # Copy on write: compiled code takes only arrays that could be written to.
            values = np.asarray(np.memmap(self._path(cards), dtype=DTYPE, mode="c"))
            if entry["values"] != size or entry["blake2b"] != _digest(values):
                return None
            return values, float(entry["gap"])
        except (OSError, KeyError, TypeError, ValueError):
            return None

    def write(self, cards: int, values: NDArray[np.float64], gap: float) -> None:
        """Keeps a layer; a process that is killed here leaves the folder as it was, or with the layer."""
        content = np.ascontiguousarray(values, dtype=DTYPE)
        _replace(self._path(cards), content.data)
        self._entries[str(cards)] = {
            "values": len(content),
            "dtype": DTYPE,
            "gap": gap,
            "blake2b": _digest(content),
        }
        manifest = {"format": FORMAT, "game": self._game, "layers": self._entries}
        _replace(self._folder / "manifest.json", (json.dumps(manifest, indent=2) + "\n").encode())


def _digest(values: NDArray[np.float64]) -> str:
    return blake2b(values.data).hexdigest()


def _replace(path: Path, content: bytes | memoryview) -> None:
    beside = path.with_name(f".{path.name}.new")
    with open(beside, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
