"""Files: written whole or not at all, read with care, and never through a link.

A file may be damaged or come from a stranger, so only plain files of limited size are read. The caller checks the whole
content before using any of it.
"""

from __future__ import annotations

import csv
import io
import json
import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

# Windows has neither; there only `refuse_links` looks for links. Opening a pipe would block.
NO_LINKS: int = getattr(os, "O_NOFOLLOW", 0)
NO_WAITING: int = getattr(os, "O_NONBLOCK", 0)
# Names for what is not a plain file, by its type in `os.stat`.
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}
# For text such as JSON and CSV; the longest games of WAR make records of some ten megabytes.
MOST_BYTES = 30_000_000


def write_atomically(path: Path, content: bytes | memoryview) -> None:
    """Replaces a file in one step: readers find the complete old content or the complete new one.

    A link of that name is replaced, not followed. Only one process at a time may write the same file.

    Raises:
        OSError: If the file cannot be written; the error names the file, whose content is then unchanged.
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
            beside.unlink()  # it would waste space on a full disk
        raise OSError(error.errno, error.strerror, str(path)) from None
    _sync_folder(path.parent)


def csv_bytes(rows: Iterable[Iterable[object]]) -> bytes:
    """The content of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def open_inside(folder: Path, name: str, mode: str) -> IO[Any]:
    """Opens a file below a folder for writing, without following links there; creates missing folders.

    The folder itself may be a link, since the caller chose it. With mode "w" the file is replaced; the old content
    stays under its other names, if it has any (hard links).

    Raises:
        ValueError: If the file or a folder on the way to it is a link, or the file is a pipe, a device or a file with
            other names. Nothing is changed then.
        OSError: If it cannot be opened.
    """
    path = folder / name
    refuse_links(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode.startswith("w"):
        path.unlink(missing_ok=True)
        mode = mode.replace("w", "x")
    file: IO[Any] = open(  # noqa: SIM115  # the caller closes it
        path, mode, opener=lambda name, flags: os.open(name, flags | NO_LINKS | NO_WAITING, 0o666)
    )
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        file.close()
        raise ValueError(f"{path} is not a plain file with one name; remove it")
    return file


def refuse_links(folder: Path, name: str) -> None:
    """Raises ValueError if `folder / name`, or a folder between the two, is a link."""
    path = folder
    for part in Path(name).parts:
        path /= part
        if path.is_symlink():
            raise ValueError(f"{path} is a link, which is not followed; put the file itself there, or remove the link")


def _sync_folder(folder: Path) -> None:
    """Makes the names in a folder survive a power failure. Not on Windows, which cannot open folders."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def kind_of_file(path: Path) -> str:
    """Says what is at a path, links followed: "a folder", "a device", ..., or "a file" if it is a plain file."""
    return KINDS.get(stat.S_IFMT(path.stat().st_mode), "a file")


def require_plain(path: Path, folder: Path | None = None) -> None:
    """Raises an error if the path is not a regular file: a link, a folder, a pipe or a device.

    Args:
        path: The file. If the user named it, it may be a link to a plain file.
        folder: The folder that the user named, if the file was found in it; no part of the path below it may be a link.

    Raises:
        ValueError: If the path is not a regular file.
        OSError: If the path does not exist.
    """
    if folder is not None:
        refuse_links(folder, str(path.relative_to(folder)))
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError(f"{path} is {kind_of_file(path)}, not a plain file")


def read_plain(path: Path, folder: Path | None = None, most: int = MOST_BYTES) -> bytes:
    """Reads a whole plain file.

    Raises:
        ValueError: As `require_plain`; also if it has more than `most` bytes.
        OSError: If it cannot be read.
    """
    require_plain(path, folder)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | NO_WAITING)) as file:
        content: bytes = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"{path} is longer than {most} bytes")
    return content


def parse_object(text: str | bytes) -> dict[str, Any]:
    """Parses a JSON object; bytes are UTF-8.

    Raises:
        ValueError: If the input is not UTF-8 or not JSON, is nested too deeply, has duplicate keys or an unpaired
            surrogate, or is not an object.
    """
    text = text if isinstance(text, str) else text.decode()
    try:
        content = json.loads(text, object_pairs_hook=_each_once)
        if "\\u" in text:
            json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"it has half of a character ({error.object[error.start]!r})") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(content, dict):
        raise ValueError("it does not hold a JSON object")
    return content


def _each_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name in content:
            raise ValueError(f"it has the name {name!a} twice")
        content[name] = value
    return content
