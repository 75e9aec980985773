"""Partial solutions on disk: one file for each layer of a game, and a manifest that describes them.

Solvers without layers store all that they need to go on as layer 0.

Files are written atomically: a killed process leaves a whole layer or none. A layer is read only if its values, gap,
number and game match a checksum in the manifest (the seal). Seals detect damage and files of other games, not forgery.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.system.files import open_inside, parse_object, read_plain, require_plain, write_atomically

FORMAT = 2
DTYPE = "<f8"


class LayerFolder:
    """Stores the values of a game's layers in a folder, which is created if missing.

    A file that changed after it was written counts as missing. Several processes may share a folder; each finds the
    layers that the others have written.

    Raises:
        ValueError: If the folder holds layers of another game, or one of its files is not a plain file (e.g. a link).
    """

    def __init__(self, folder: Path, game: Mapping[str, Any]) -> None:
        self._folder, self._game = folder, dict(game)
        folder.mkdir(parents=True, exist_ok=True)
        self._entries()  # raises now if the layers are of another game

    def _entries(self) -> dict[str, Any]:
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
            content = read_plain(self._folder / "manifest.json", self._folder)
        except OSError:
            return {}  # no manifest
        try:
            manifest = parse_object(content)
        except ValueError:
            return {}  # damaged
        return manifest if isinstance(manifest.get("layers"), dict) else {}

    def _path(self, cards: int) -> Path:
        return self._folder / f"layer_{cards}.bin"

    def read(self, cards: int, size: int) -> tuple[NDArray[np.float64], float] | None:
        """Reads a layer's values, memory-mapped, and its gap; None if they are missing or damaged.

        Raises a ValueError if the file is not a plain file.
        """
        path, entries = self._path(cards), self._entries()
        try:
            require_plain(path, self._folder)
        except OSError:
            return None  # missing
        try:
            entry = dict(entries[str(cards)])
            sealed, gap = entry.pop("seal") == self._seal(cards, entry), entry["gap"]
            if not (sealed and entry["values"] == size and path.stat().st_size == size * np.dtype(DTYPE).itemsize):
                return None
            if not (isinstance(gap, float) and math.isfinite(gap) and gap >= 0.0):
                return None
            # Copy on write: the code is compiled for writable arrays.
            values = np.asarray(np.memmap(path, dtype=DTYPE, mode="c"))
            if entry["blake2b"] != _digest(values) or not np.isfinite((values.min(), values.max())).all():
                return None
            return values, gap
        except (OSError, KeyError, TypeError, ValueError):
            return None

    def write(self, cards: int, values: NDArray[np.float64], gap: float) -> None:
        """Writes a layer atomically."""
        content = np.ascontiguousarray(values, dtype=DTYPE)
        entry = {"values": len(content), "dtype": DTYPE, "gap": gap, "blake2b": _digest(content)}
        with self._locked():
            write_atomically(self._path(cards), content.data)
            layers = {**self._entries(), str(cards): {**entry, "seal": self._seal(cards, entry)}}
            manifest = {"format": FORMAT, "game": self._game, "layers": layers}
            write_atomically(self._folder / "manifest.json", (json.dumps(manifest, indent=2) + "\n").encode())

    def _seal(self, cards: int, entry: Mapping[str, Any]) -> str:
        """Returns a checksum of the game and of the manifest's entry for a layer."""
        sealed = json.dumps([FORMAT, self._game, cards, entry], sort_keys=True)
        return blake2b(sealed.encode(), digest_size=16).hexdigest()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Locks the folder for writing; the lock ends with the process."""
        from filelock import lock_descriptor  # needed for folders only

        with open_inside(self._folder, ".lock", "ab") as file:
            lock_descriptor(file.fileno())
            yield


def _digest(values: NDArray[np.float64]) -> str:
    return blake2b(values.data).hexdigest()
