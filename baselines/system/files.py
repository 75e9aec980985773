"""Safe file access: writes are atomic, and only plain files of limited size are read.

A file can be damaged or come from a stranger. Links in a folder are not followed, and callers check the whole content
of a file before they use any of it.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any

# O_NOFOLLOW rejects links, and O_NONBLOCK keeps open() from blocking on a pipe. Windows has neither, so only
# `refuse_links` detects links there.
NO_LINKS: int = getattr(os, "O_NOFOLLOW", 0)
NO_WAITING: int = getattr(os, "O_NONBLOCK", 0)
# What messages call anything that is not a plain file, by the type in `st_mode`.
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}
# Limit for text such as JSON and CSV; the record of a very long game of WAR has about ten megabytes.
MOST_BYTES = 30_000_000
# Lists the files that ship in a folder, with the SHA-256 checksum of each.
CHECKSUM_FILE = "checksums.txt"


def write_atomically(path: Path, content: bytes | memoryview) -> None:
    """Replaces a file in one step: readers see either the complete old content or the complete new content.

    Only one process at a time may write the same file.

    Raises:
        ValueError: If the path is a link, a folder, a device or a pipe, which stays as it is.
        OSError: If the file cannot be written. The error names the file, and its content is unchanged.
    """
    _require_replaceable(path)
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


def require_writable(path: Path, new_folders: bool = False) -> None:
    """Raises an error if `write_atomically` could not write a file; called before the work that makes its content.

    Args:
        path: The file.
        new_folders: Whether the caller creates missing folders.

    Raises:
        ValueError: Like `write_atomically`; also if a folder is missing.
        OSError: If the folder is not writable.
    """
    _require_replaceable(path)
    folder = path.parent
    while new_folders and not os.path.lexists(folder):
        folder = folder.parent
    if not folder.is_dir():
        raise ValueError(f"{path} cannot be written: {folder} is not an existing folder")
    try:
        with NamedTemporaryFile(prefix=f".{path.name}.", dir=folder):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _require_replaceable(path: Path) -> None:
    refuse_links(path.parent, path.name)
    if path.exists():
        require_plain(path)


def csv_bytes(rows: Iterable[Iterable[object]]) -> bytes:
    """Encodes rows as the content of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def open_inside(folder: Path, name: str, mode: str) -> IO[Any]:
    """Opens a file below a folder for writing, without following links below it; creates missing folders.

    `folder` itself may be a link, since the caller chose it. Mode "w" makes a new file; hard links to the old one keep
    the old content.

    Raises:
        ValueError: If the file or a folder on the way to it is a link, the file is a pipe or a device, or in mode "a"
            it has other hard links. The content is then unchanged.
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
        raise ValueError(f"{path} is not a plain file, or has other hard links; remove it")
    return file


def refuse_links(folder: Path, name: str) -> None:
    """Raises ValueError if `folder / name`, or a folder between the two, is a link."""
    path = folder
    for part in Path(name).parts:
        path /= part
        if path.is_symlink():
            raise ValueError(f"{path} is a link, which is not followed; put the file itself there, or remove the link")


def _sync_folder(folder: Path) -> None:
    """Makes the names in a folder survive a power failure; does nothing on Windows, which cannot open folders."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def kind_of_file(path: Path) -> str:
    """Names what is at a path, after following links: "a folder", "a device", ..., or "a file" for a plain file."""
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
        ValueError: Like `require_plain`; also if it has more than `most` bytes.
        OSError: If it cannot be read.
    """
    require_plain(path, folder)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | NO_WAITING)) as file:
        content: bytes = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"{path} is longer than {most} bytes")
    return content


def read_checked(folder: Path, suffix: str) -> dict[Path, bytes]:
    """Reads the files that ship in a folder, in the order of its list of checksums.

    Raises:
        ValueError: If a file is missing, differs from its checksum or has the suffix and is not listed; names the file.
    """
    path, found = folder / CHECKSUM_FILE, dict[Path, bytes]()
    try:
        lines = [line.split("  ") for line in read_plain(path, folder).decode().splitlines()]
        listed = {folder / name: checksum for checksum, name in lines}
        if unknown := sorted(set(folder.glob(f"*{suffix}")) - listed.keys()):
            raise ValueError(f"it does not list {unknown[0].name}")
        for path, checksum in listed.items():
            found[path] = read_plain(path, folder)
            if hashlib.sha256(found[path]).hexdigest() != checksum:
                raise ValueError(f"its checksum is not that in {CHECKSUM_FILE}")
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} is missing or damaged: {error}; install the package again") from None
    return found


def parse_object(text: str | bytes) -> dict[str, Any]:
    """Parses a JSON object; bytes are UTF-8, with or without a byte order mark.

    Raises:
        ValueError: If the input is not UTF-8 or not JSON, is nested too deeply, has duplicate keys or an unpaired
            surrogate, or is not an object.
    """
    text = (text if isinstance(text, str) else text.decode()).removeprefix("\ufeff")
    try:
        content = json.loads(text, object_pairs_hook=_each_once)
        if "\\u" in text:
            json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"it contains an unpaired surrogate ({error.object[error.start]!r})") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(content, dict):
        raise ValueError("it is not a JSON object")
    return content


def _each_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name in content:
            raise ValueError(f"the name {name!a} occurs twice in one object")
        content[name] = value
    return content
