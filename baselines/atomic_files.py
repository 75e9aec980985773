"""Writing files: whole or absent whatever happens meanwhile, and never through a link."""

from __future__ import annotations

import csv
import io
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

# Windows has neither; there `refuse_links` alone looks for links. A pipe would make its opener wait for somebody.
NO_LINKS: int = getattr(os, "O_NOFOLLOW", 0)
NO_WAITING: int = getattr(os, "O_NONBLOCK", 0)


def write_atomically(path: Path, content: bytes | memoryview) -> None:
    """Replaces a file in one step: whoever reads it finds the old content or the new, both whole.

    A link of that name is replaced, not followed. Only one process at a time may write a file of that name in
    that folder.

    Raises:
        OSError: If the file cannot be written; the error names it, and it is then as it was.
    """
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.unlink(missing_ok=True)  # left by a killed process, or a link that is not to be followed
        with open(beside, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()  # on a full disk it would be in the way
        raise OSError(error.errno, error.strerror, str(path)) from None
    _sync_folder(path.parent)


def csv_bytes(rows: Iterable[Iterable[object]]) -> bytes:
    """The content of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def open_inside(folder: Path, name: str, mode: str) -> IO[Any]:
    """Opens a file below a folder for writing, without following a link there; missing folders are made.

    The folder itself may be a link: whoever names it has chosen it. A file to be written anew ("w") takes the place of
    the old one, which keeps its content if it has another name elsewhere (a hard link).

    Args:
        folder: Folder that may be written to.
        name: Path of the file in it, e.g. "logs/first.log".
        mode: As of `open`, e.g. "wb".

    Raises:
        ValueError: If the file or a folder on the way to it is a link, or the file is a pipe, a device or a file that
            has other names; nothing is changed then.
        OSError: If it cannot be opened.
    """
    path = folder / name
    refuse_links(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode.startswith("w"):
        path.unlink(missing_ok=True)
        mode = mode.replace("w", "x")
    file: IO[Any] = open(path, mode, opener=_open_itself)  # noqa: SIM115  # the caller closes it
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        file.close()
        raise ValueError(f"{path} is not a plain file with one name; remove it")
    return file


def _open_itself(path: str, flags: int) -> int:
    return os.open(path, flags | NO_LINKS | NO_WAITING, 0o666)


def refuse_links(folder: Path, name: str) -> None:
    """Raises ValueError if `folder / name`, or a folder between the two, is a link."""
    path = folder
    for part in Path(name).parts:
        path /= part
        if path.is_symlink():
            raise ValueError(f"{path} is a link, which is not followed; put the file itself there, or remove the link")


def _sync_folder(folder: Path) -> None:
    """Makes sure that the names in a folder outlast a loss of power. Windows opens no folders, and cannot."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
