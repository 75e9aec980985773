"""A lock on a folder, so that only one run at a time uses it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import lock_descriptor


@contextmanager
def alone_in(folder: Path, make: bool = False) -> Iterator[None]:
    """Locks a folder against other runs until the process ends; `make` creates the folder.

    The lock is on the folder itself, so no file is written. Nothing is locked on Windows, on file systems that cannot
    lock folders, or if there is no folder.

    Raises:
        ValueError: If another process has locked the folder.
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
                f"{folder}: another run is active in this folder; wait until it ends, or choose another folder"
            )
        yield
    finally:
        os.close(held)
