"""Reads files of recorded games in all known formats: one game a line, or one game a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from baselines.system.files import MOST_BYTES, parse_object, require_plain
from cardwar_play.record import Record
from cardwar_play.recorded import kaggle, openspiel, plain
from cardwar_play.recorded.played import Played

# A JSON object, or the text of a file that is none.
Content = dict[str, Any] | str


class Format(NamedTuple):
    """A format of recorded games.

    Attributes:
        name: What messages call it.
        recognises: Whether content claims to be in this format; `read` checks it.
        read: Reads content; the second argument is `Played.where`. Raises a ValueError of one line that begins with it.
    """

    name: str
    recognises: Callable[[Content], bool]
    read: Callable[[Any, str], Played]


def _read_record(content: dict[str, Any], where: str) -> Played:
    try:
        record = Record(content)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return Played(where, record.game, record.names, record.episode)


FORMATS = (
    Format("a serialized game or playthrough of OpenSpiel", openspiel.is_trace, openspiel.read),
    Format("a replay of a Kaggle environment", kaggle.is_replay, kaggle.read),
    Format("a record of cardwar play", lambda content: "steps" in content and "seat" in content, _read_record),
    Format("a game in the plain format", lambda content: "moves" in content and "players" in content, plain.read),
)


def documents(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yields the games of a file ("-" for stdin), each with the text that names it in messages, before they are parsed.

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
    lines = _lines(file, name)
    head = list(islice(lines, 2))
    if not head:
        raise ValueError(f"{name} contains no games")
    if any(map(_is_object, head)):  # one of the two may be damaged
        yield from ((f"{name}, game {number}", line) for number, line in enumerate(chain(head, lines), 1))
        return
    content = b"".join(head) + file.read(MOST_BYTES + 1)
    _check_length(content, name)
    yield name, content


def _lines(file: IO[bytes], name: str) -> Iterator[bytes]:
    """Yields lines, without blank ones."""
    while line := file.readline(MOST_BYTES + 1):
        _check_length(line, f"{name}: a line")
        if line.strip():
            yield line


def _check_length(content: bytes, what: str) -> None:
    if len(content) > MOST_BYTES:
        raise ValueError(f"{what} is longer than {MOST_BYTES} bytes")


def _is_object(line: bytes) -> bool:
    try:
        parse_object(line)
    except ValueError:
        return False
    return True


def read_game(where: str, source: bytes) -> Played:
    """Reads a game that `documents` yielded.

    Raises:
        ValueError: If it is in no known format, or the rules do not allow it; one line that names the game.
    """
    try:
        content: Content = parse_object(source)
    except ValueError as error:
        problem = f"{where}: {error}"
        try:
            content = source.decode()
        except UnicodeDecodeError:
            raise ValueError(problem) from None
        if content.lstrip("\ufeff \r\n\t").startswith(("{", "[")):
            raise ValueError(problem) from None
    found = next((each for each in FORMATS if each.recognises(content)), None)
    if found is None:
        raise ValueError(f"{where} is none of these: {', '.join(each.name for each in FORMATS)}")
    return found.read(content, where)
