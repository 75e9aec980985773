"""Files that are whole or absent, whatever happens while they are written."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, content: bytes | memoryview) -> None:
    """Replaces a file in one step: whoever reads it finds the old content or the new, both whole.

    One process at a time may write a file of that name in that folder.

    Raises:
        OSError: If it cannot be written; it names the file, which is then as it was.
    """
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.unlink(missing_ok=True)  # left by a killed process, or a link that is not to be followed
        _write_new(beside, content)
        os.replace(beside, path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()  # on a full disk it would be in the way
        raise OSError(error.errno, error.strerror, str(path)) from None
    _keep_name(path.parent)


def _write_new(path: Path, content: bytes | memoryview) -> None:
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _keep_name(folder: Path) -> None:
    """Makes sure that what a folder lists outlasts a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
