"""Queries an agent, and stores its answers in a folder as lines of JSON, so that a killed interview can be resumed.

Each line has a checksum. Damaged lines are ignored, and their queries are repeated.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from baselines.system.files import open_inside, parse_object, read_plain, write_atomically
from cardwar_envs.core.policy import Masks, Observations, Probabilities
from train.policies.agent_lines import Query, Reply, read_answer
from train.policies.agent_process import AgentError, AgentProcess
from train.policies.prompt_form import PromptForm
from train.policies.table_files import View, key_of
from train.storage.alone import alone_in

HEAD_FILE, ANSWERS_FILE = "interview.json", "answers.jsonl"
# Maximum size of a folder's answers, in bytes.
MOST_BYTES = 1 << 32


class Answers:
    """The stored answers of an agent.

    Attributes:
        folder: The folder that stores them.
        damaged: Numbers, from 1, of the lines whose checksums were wrong then.
        failures: Key -> what was wrong with each invalid answer to that query.
    """

    def __init__(self, folder: Path, lines: list[bytes], file: IO[bytes]) -> None:
        self.folder, self._file, self.damaged = folder, file, list[int]()
        self.failures: dict[str, list[str]] = {}
        self._valid: dict[str, dict[str, Any]] = {}
        self._used: set[str] = set()
        for number, line in enumerate(lines, start=1):
            if (entry := _entry(line)) is None:
                self.damaged.append(number)
                continue
            if entry["key"] in self._valid:
                raise ValueError(f"{self.path}, line {number}: {entry['key']!r} has been answered before")
            self._take(entry)

    def __len__(self) -> int:
        return len(self._valid)

    @property
    def path(self) -> Path:
        """The file of answers."""
        return self.folder / ANSWERS_FILE

    def get(self, key: str, sent: Query) -> bytes | None:
        """Returns the stored answer to a query, or None if there is none yet.

        Raises:
            ValueError: If `key` belongs to a different query.
        """
        self._used.add(key)
        if (kept := self._valid.get(key)) is None:
            return None
        if kept["query"] != stored(sent):
            raise ValueError(f"{self.path}: {key} belongs to a different query; use another folder")
        return str(kept["answer"]).encode(errors="replace")

    def require_all_used(self) -> None:
        """Raises a ValueError if the folder has answers to queries that the interview does not make."""
        if unknown := [key for key in (*self._valid, *self.failures) if key not in self._used]:
            raise ValueError(f"{self.path}: this interview has no query {unknown[0]!r}; use another folder")

    def keep(self, key: str, sent: Query, answer: bytes, **failure: str) -> None:
        """Stores an answer, an invalid one with the reason as `failure`."""
        entry = {"key": key, "query": stored(sent), "answer": answer.decode(errors="replace"), **failure}
        self._file.write(line_of(entry) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._take(entry)

    def _take(self, entry: dict[str, Any]) -> None:
        if "failure" in entry:
            self.failures.setdefault(entry["key"], []).append(entry["failure"])
        else:
            self._valid[entry["key"]] = entry


def stored(query: Query) -> dict[str, Any]:
    """Returns a query as it is stored, without its number."""
    return query.model_dump(mode="json", exclude={"query"})


@contextmanager
def answers_in(folder: Path, head: Mapping[str, Any]) -> Iterator[Answers]:
    """Opens the answers in a folder, locked against other processes; drops an incomplete last line.

    Damaged lines stay in the file, but are ignored (see `Answers.damaged`).

    Args:
        folder: The folder; it is created if it is missing.
        head: The agent and the settings of the interview: JSON data that must be the same on resuming.

    Raises:
        ValueError: If the folder contains other files, a different interview, or a query that was answered twice.
    """
    with alone_in(folder, make=True):
        _check_head(folder, json.loads(json.dumps(head)))
        path = folder / ANSWERS_FILE
        content = read_plain(path, folder, MOST_BYTES) if os.path.lexists(path) else b""  # a link is refused
        whole = content[: content.rfind(b"\n") + 1]
        with open_inside(folder, ANSWERS_FILE, "ab") as file:
            file.truncate(len(whole))
            yield Answers(folder, whole.split(b"\n")[:-1], file)


def _check_head(folder: Path, head: dict[str, Any]) -> None:
    path = folder / HEAD_FILE
    if not path.exists():
        if any(folder.iterdir()):
            raise ValueError(f"{folder} contains files, but no interview; use another folder")
        write_atomically(path, json.dumps(head, indent=1).encode())
    known = parse_object(read_plain(path, folder))
    if unlike := [name for name in {**head, **known} if head.get(name) != known.get(name)]:
        name, other = unlike[0], "use another folder"
        raise ValueError(f"{folder}: its interview has {name} {known.get(name)!r}, not {head.get(name)!r}; {other}")


def line_of(entry: Mapping[str, Any]) -> bytes:
    """Returns the line that stores an entry, with its checksum and without a newline."""
    digest = hashlib.sha256(json.dumps(entry).encode()).hexdigest()
    return json.dumps({**entry, "sha256": digest}).encode()


def _entry(line: bytes) -> dict[str, Any] | None:
    """Returns the entry that a line stores, or None if the line is damaged."""
    try:
        entry = parse_object(line)
    except ValueError:
        return None
    entry.pop("sha256", None)
    named = {"key", "query", "answer"} <= entry.keys() <= {"key", "query", "answer", "failure"}
    texts = all(isinstance(entry[name], str) for name in entry.keys() - {"query"})
    return entry if named and texts and line_of(entry) == line else None


class InvalidAnswersError(AgentError):
    """An agent gave too many invalid answers to one query."""


class Interviewer:
    """Queries an agent; the agent is started for the first query that has no stored answer.

    Args:
        form: The form of the queries, with the game.
        command: The agent.
        answers: The stored answers.
        tries: Number of invalid answers to one query after which an error is raised.

    Attributes:
        lenient: How many of the answers needed each kind of leniency.
        abouts: The agent's distinct remarks on its answers, as JSON, in order of first appearance.
    """

    def __init__(self, form: PromptForm, command: str, answers: Answers, tries: int) -> None:
        self.form, self.answers, self.lenient, self.abouts = form, answers, Counter[str](), dict[str, None]()
        self._command, self._tries, self._queries = command, tries, 0
        self._process: AgentProcess | None = None

    def mix(self, key: str, view: View, ask: Literal["mix", "any"]) -> NDArray[np.float64]:
        """Returns the probabilities `[num_actions]` in the answer.

        Raises:
            InvalidAnswersError: If the agent has given too many invalid answers to this query; they remain stored.
            AgentError: If the agent exits or exceeds the time limit.
            ValueError: If the stored answer belongs to a different query or is invalid.
        """
        query, sent = self.form.queries(*view, ask)
        if (line := self.answers.get(key, sent)) is None:
            reply = self._query(key, query, sent)
        else:
            try:
                reply = read_answer(line, query)
            except ValueError as error:
                raise ValueError(f"{self.answers.path}: the answer to {key} is invalid: it {error}") from None
        self.lenient.update(reply.lenient)
        if reply.about:
            self.abouts[json.dumps(reply.about)] = None
        mix = np.zeros(self.form.game.facts.num_actions)
        mix[[move.action for move in query.moves]] = reply.probabilities
        return mix

    def close(self) -> None:
        """Terminates the agent."""
        if self._process is not None:
            self._process.close()

    def _query(self, key: str, query: Query, sent: Query) -> Reply:
        if self._process is None:
            self._process = AgentProcess(self._command)
        while len(self.answers.failures.get(key, ())) < self._tries:
            self._queries += 1
            line = self._process.ask(sent.model_copy(update={"query": self._queries}).model_dump_json().encode())
            try:
                reply = read_answer(line, query)
            except ValueError as error:
                self.answers.keep(key, sent, line, failure=str(error))
                continue
            self.answers.keep(key, sent, line)
            return reply
        *_, why = reasons = self.answers.failures[key]
        raise InvalidAnswersError(
            f"agent ({self._command}) gave {len(reasons)} invalid answers to {key}, the last one because it {why}"
        )


class Answered:
    """A policy that returns stored answers; it is undefined at all other information states."""

    def __init__(self, mixes: dict[tuple[bytes, bytes], NDArray[np.float64]]) -> None:
        self._mixes = mixes

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """Returns `[batch, num_actions]`; raises KeyError at an information state without an answer."""
        return np.stack([self._mixes[key_of(row, mask)] for row, mask in zip(observations, action_masks, strict=True)])
