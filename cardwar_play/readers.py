"""Reads files of recorded games in all known formats: one game a line, or one game a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from baselines.system.files import MOST_BYTES, parse_object, require_plain
from cardwar_play.record import Record
from cardwar_play.recorded import kaggle, openspiel, plain
from cardwar_play.recorded.played import Played


def documents(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yields the games of a file, each as the text that names it in messages and its content.

    Raises:
        ValueError: If it is not a plain file, it contains nothing, or a game is too long.
        OSError: If it cannot be read.
    """
    require_plain(path)
    with open(path, "rb") as file:
        lines = (_limited(line, path) for line in iter(lambda: file.readline(MOST_BYTES + 1), b"") if line.strip())
        head = list(islice(lines, 2))
        if not head:
            raise ValueError(f"{path} contains no games")
        if any(map(_is_object, head)):  # one of the two may be damaged
            yield from ((f"{path}, game {number}", line) for number, line in enumerate(chain(head, lines), 1))
        else:
            yield str(path), _limited(b"".join(head) + file.read(MOST_BYTES + 1), path)


def _limited(content: bytes, path: Path) -> bytes:
    if len(content) > MOST_BYTES:
        raise ValueError(f"{path} has a game that is longer than {MOST_BYTES} bytes")
    return content


def _is_object(source: bytes) -> bool:
    with suppress(ValueError):
        parse_object(source)
        return True
    return False


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
    if source.startswith((openspiel.SERIALIZED.encode(), openspiel.PLAYTHROUGH.encode())):
        return openspiel.read(source.decode(errors="replace"))
    content = parse_object(source)
    if content.keys() >= {"name", "configuration", "steps"}:
        return kaggle.read(content)
    if content.keys() >= {"seat", "opponents"}:
        record = Record(content)
        return Played(record.game, record.names, record.episode)
    return plain.read(content)
