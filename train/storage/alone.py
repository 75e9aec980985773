"""A lock: only one run at a time works in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import lock_descriptor


@contextmanager
def alone_in(folder: Path, make: bool = False) -> Iterator[None]:
    """Locks a folder against other runs; the lock ends with the process. `make` makes the folder.

    The folder itself is locked, so nothing is written into it. Nothing is locked on Windows, on file systems that
    cannot lock folders, or if there is no folder.

    Raises:
        ValueError: If another process is at work in the folder.
    """
    if make:
        with suppress(FileExistsError):
            folder.mkdir(parents=True, exist_ok=True)
    if os.name != "posix" or not folder.is_dir():
        yield
        return
    held = os.open(folder, os.O_RDONLY)
    try:
        try:
            free = lock_descriptor(held, blocking=False)
        except OSError:
            free = True
        if not free:
            raise ValueError(
                f"{folder}: another run is active in this folder; wait for its end, or choose another folder"
            )
        yield
    finally:
        os.close(held)
