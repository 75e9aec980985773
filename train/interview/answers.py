"""The answers of an interview in a folder: one line of JSON each, so that a killed interview goes on where it was."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from baselines.files import open_inside, parse_object, read_plain, write_atomically
from train.agents.messages import Answer
from train.storage.alone import alone_in
from train.validation import one_line

HEAD_FILE, ANSWERS_FILE = "interview.json", "answers.jsonl"
# A folder's answers have at most this many bytes.
MOST_BYTES = 1 << 32


class Answers:
    """What an agent has answered so far.

    Attributes:
        folder: Where it is kept.
        found: How many answers were there already.
        failures: Key -> invalid answers to that question.
    """

    def __init__(self, folder: Path, kept: list[dict[str, Any]], file: IO[bytes]) -> None:
        self.folder, self._file = folder, file
        self.failures: dict[str, int] = {}
        self._valid: dict[str, dict[str, Any]] = {}
        for each in kept:
            self._take(each)
        self.found = len(self._valid)

    def __len__(self) -> int:
        return len(self._valid)

    def get(self, key: str, query: Mapping[str, Any]) -> str | None:
        """The answer to a question; None if there is none yet.

        Raises:
            ValueError: If another question was asked under this key.
        """
        if (kept := self._valid.get(key)) is None:
            return None
        if kept["query"] != query:
            raise ValueError(f"{self.folder / ANSWERS_FILE}: {key} was another question; use another folder")
        return str(kept["answer"])

    def keep(self, key: str, query: Mapping[str, Any], answer: str, failure: str = "") -> None:
        """Writes down an answer, or one that is invalid, for which `failure` says why."""
        entry = {"key": key, "query": query, "answer": answer} | ({"failure": failure} if failure else {})
        self._file.write(json.dumps(entry).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._take(entry)

    def abouts(self) -> list[str]:
        """What the agent says of its answers, each once, in the order of appearance."""
        with one_line():
            said = [Answer.model_validate_json(each["answer"]).about for each in self._valid.values()]
        return list(dict.fromkeys(json.dumps(each) for each in said if each))

    def _take(self, entry: dict[str, Any]) -> None:
        if "failure" in entry:
            self.failures[entry["key"]] = self.failures.get(entry["key"], 0) + 1
        else:
            self._valid[entry["key"]] = entry


@contextmanager
def answers_in(folder: Path, head: Mapping[str, Any]) -> Iterator[Answers]:
    """Opens a folder's answers for this process alone; a last line that was cut off is dropped.

    Args:
        folder: Made if it is missing.
        head: What is asked of whom: JSON data that must be the same when the interview goes on.

    Raises:
        ValueError: If the folder has other files or another interview, or is damaged.
    """
    with alone_in(folder, make=True):
        _check_head(folder, json.loads(json.dumps(head)))
        path = folder / ANSWERS_FILE
        content = read_plain(path, folder, MOST_BYTES) if os.path.lexists(path) else b""  # a link is refused
        whole = content[: content.rfind(b"\n") + 1]
        with open_inside(folder, ANSWERS_FILE, "ab") as file:
            file.truncate(len(whole))
            yield Answers(folder, [_entry(path, *line) for line in enumerate(whole.splitlines(), start=1)], file)


def _check_head(folder: Path, head: dict[str, Any]) -> None:
    path = folder / HEAD_FILE
    if not path.exists():
        if any(folder.iterdir()):
            raise ValueError(f"{folder} has files, but no interview; use another folder")
        write_atomically(path, json.dumps(head, indent=1).encode())
    known = parse_object(read_plain(path, folder))
    if unlike := [name for name in {**head, **known} if head.get(name) != known.get(name)]:
        name, other = unlike[0], "use another folder"
        raise ValueError(f"{folder}: its interview has {name} {known.get(name)!r}, not {head.get(name)!r}; {other}")


def _entry(path: Path, number: int, line: bytes) -> dict[str, Any]:
    entry = parse_object(line)
    if not {"key", "query", "answer"} <= entry.keys() <= {"key", "query", "answer", "failure"}:
        raise ValueError(f"{path}, line {number}: needs key, query and answer")
    if not isinstance(entry["key"], str) or not isinstance(entry["answer"], str):
        raise ValueError(f"{path}, line {number}: key and answer must be texts")
    return entry
