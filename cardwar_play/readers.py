"""Reads files of recorded games in all known formats: one game a line, or one game a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from baselines.system.files import MOST_BYTES, parse_object, require_plain
from cardwar_play.record import Record
from cardwar_play.recorded import kaggle, openspiel, plain
from cardwar_play.recorded.played import Played

# A JSON object, or the text of a file that is none.
Content = dict[str, Any] | str


def _read_record(content: Any, where: str) -> Played:
    try:
        record = Record(content)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return Played(where, record.game, record.names, record.episode)


# Whether content claims to be in a format, and its reader, which checks that: it is given the content and
# `Played.where`, and raises a ValueError of one line that begins with the latter. The first that fits is used.
FORMATS: tuple[tuple[Callable[[Content], bool], Callable[[Any, str], Played]], ...] = (
    (openspiel.is_trace, openspiel.read),
    (kaggle.is_replay, kaggle.read),
    (lambda content: isinstance(content, dict) and content.keys() >= {"seat", "opponents"}, _read_record),
    (lambda content: isinstance(content, dict), plain.read),
)


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
    if any(isinstance(_content(line)[0], dict) for line in head):  # one of the two may be damaged
        yield from ((f"{name}, game {number}", line) for number, line in enumerate(chain(head, lines), 1))
    else:
        yield name, _limited(b"".join(head) + file.read(MOST_BYTES + 1), name)


def _limited(content: bytes, name: str) -> bytes:
    if len(content) > MOST_BYTES:
        raise ValueError(f"{name} has a game that is longer than {MOST_BYTES} bytes")
    return content


def _content(source: bytes) -> tuple[Content, str]:
    """Returns a JSON object, or text and why it is not an object."""
    try:
        return parse_object(source), ""
    except ValueError as error:
        return source.decode(errors="replace"), str(error)


def read_game(where: str, source: bytes) -> Played:
    """Reads a game that `documents` yielded.

    Raises:
        ValueError: If it is in no known format, or the rules do not allow it; one line that names the game.
    """
    content, problem = _content(source)
    read = next((read for fits, read in FORMATS if fits(content)), None)
    if read is None:
        raise ValueError(f"{where}: {problem}")
    return read(content, where)
