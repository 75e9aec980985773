"""Reading files that may be damaged or come from a stranger.

Only plain files of a limited size are read, and through no link below a folder that somebody named. What is in them
is checked by whoever reads them, as a whole and before any of it is used.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from baselines.atomic_files import NO_WAITING, refuse_links

# Of texts such as JSON and CSV; the longest games of WAR make records of some ten megabytes.
MOST_BYTES = 30_000_000


def require_plain(path: Path, folder: Path | None = None) -> None:
    """Refuses what is no plain file, such as a link, a folder, a pipe or a device.

    Args:
        path: The file. If somebody named it, it may be a link to a plain file.
        folder: The folder that somebody named, if the file was found there: then no part of the path below it may be
            a link.

    Raises:
        ValueError: If it is something else.
        OSError: If it is not there.
    """
    if folder is not None:
        refuse_links(folder, str(path.relative_to(folder)))
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError(f"{path} is not a plain file")


def read_plain(path: Path, folder: Path | None = None, most: int = MOST_BYTES) -> bytes:
    """All that is in a plain file.

    Args:
        path: The file, as for `require_plain`.
        folder: The folder, as for `require_plain`.
        most: Bytes that it may have.

    Raises:
        ValueError: As `require_plain`; also if it is longer.
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
        ValueError: If the text is not UTF-8 or not JSON, is nested too deeply, gives a name twice, has a text that
            cannot be written (half of a character) or does not hold an object.
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
