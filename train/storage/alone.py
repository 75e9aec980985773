"""Only one run at a time works in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # not every system has locks of this kind
    fcntl = None  # type: ignore[assignment]


@contextmanager
def alone_in(folder: Path, make: bool = False) -> Iterator[None]:
    """Keeps other processes that ask for the same out of a folder; the lock ends with the process, however it ends.

    The folder itself is locked, so nothing is written into it. Where a file system cannot lock folders, as some in
    networks, nothing is locked.

    Args:
        folder: The folder. If there is none, nothing is locked.
        make: Whether to make the folder.

    Raises:
        ValueError: If another process is at work in the folder.
    """
    if make:
        with suppress(FileExistsError):
            folder.mkdir(parents=True, exist_ok=True)
    if fcntl is None or not folder.is_dir():
        yield
        return
    held = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(
                f"{folder}: another run is at work in this folder; wait for its end, or choose another folder"
            ) from None
        except OSError:
            pass
        yield
    finally:
        os.close(held)
