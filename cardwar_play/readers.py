"""Reads files of recorded games in all known formats: one game a line, or one game a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from baselines.system.files import MOST_BYTES, parse_object, require_plain
from cardwar_play.record import Record
from cardwar_play.recorded import kaggle, openspiel, plain
from cardwar_play.recorded.played import Played


def documents(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yields the games of a file ("-" for stdin), each as the text that names it in messages and its content.

    Raises:
        ValueError: If it is not a plain file, it contains nothing, or a game is too long.
        OSError: If it cannot be read.
    """
    if path == Path("-"):
        yield from _documents(sys.stdin.buffer, "stdin")
        return
    require_plain(path)
    with open(path, "rb") as file:
        yield from _documents(file, str(path))


def _documents(file: IO[bytes], name: str) -> Iterator[tuple[str, bytes]]:
    lines = (_limited(line, name) for line in iter(lambda: file.readline(MOST_BYTES + 1), b"") if line.strip())
    head = list(islice(lines, 2))
    if not head:
        raise ValueError(f"{name} contains no games")
    if any(isinstance(_content(line), dict) for line in head):  # one of the two may be damaged
        yield from ((f"{name}, game {number}", line) for number, line in enumerate(chain(head, lines), 1))
    else:
        yield name, _limited(b"".join(head) + file.read(MOST_BYTES + 1), name)


def _limited(content: bytes, name: str) -> bytes:
    if len(content) > MOST_BYTES:
        raise ValueError(f"{name} has a game that is longer than {MOST_BYTES} bytes")
    return content


def _content(source: bytes) -> dict[str, Any] | ValueError:
    try:
        return parse_object(source)
    except ValueError as error:
        return error


def read_game(where: str, source: bytes) -> Played:
    """Reads a game that `documents` yielded.

    Raises:
        ValueError: If it is in no known format, or the rules do not allow it; one line that names the game.
    """
    try:
        return replace(_read(source), where=where)
    except ValueError as error:
        raise ValueError(f"{where}: {' '.join(str(error).split())}") from None


def _read(source: bytes) -> Played:
    if source.startswith(openspiel.SERIALIZED.encode()):
        return openspiel.read(source.decode(errors="replace"))
    content = parse_object(source)
    if content.keys() >= {"name", "configuration", "steps"}:
        return kaggle.read(content)
    if content.keys() >= {"seat", "opponents"}:
        record = Record(content)
        return Played(record.game, record.names, record.episode)
    return plain.read(content)
