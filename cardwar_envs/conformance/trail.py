"""The latest calls of reset() and step(), in a file that outlives the process.

An environment in native code can end the process. The process that started it then reads here what was called last.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

# The file is emptied before the next environment when it has this many bytes.
LONGEST = 1 << 20
_file: BinaryIO | None = None


@dataclass
class Last:
    """The environment that was called last.

    Attributes:
        kind: "AEC" or "Parallel".
        parameters: Its parameters beyond those of the subject, as source text.
        calls: Its calls as source text, each without the name of the environment, e.g. "reset(seed=1)".
    """

    kind: str
    parameters: str = ""
    calls: list[str] = field(default_factory=list)

    @property
    def where(self) -> str:
        """The location of the last call, for messages."""
        if not self.calls:
            return f"{self.kind}, before the first reset"
        reset = max((place for place, call in enumerate(self.calls) if call.startswith("reset(")), default=-1)
        steps = len(self.calls) - 2 - reset
        since = f", {steps} steps after {self.calls[reset]}" if reset >= 0 and steps >= 0 else ""
        return f"{self.kind}{since}, in or after {self.calls[-1]}"


def begin(path: Path) -> None:
    """Writes the calls of this process to a file from now on."""
    global _file
    _file = path.open("wb", buffering=0)


def note_env(env: Any, kind: str, parameters: Mapping[str, Any]) -> None:
    """Notes a new environment."""
    if _file is not None:
        if _file.tell() > LONGEST:
            _file.truncate(0)
            _file.seek(0)
        _write(env, [kind, ", ".join(f"{name}={value!r}" for name, value in parameters.items())])


def note_call(env: Any, name: str, given: Any) -> None:
    """Notes a call of reset() or step(), before it is made."""
    if _file is not None:
        _write(env, text_of_call(name, given))


def text_of_call(name: str, given: Any) -> str:
    """A call as source text."""
    words = ", ".join(f"{key}={value!r}" for key, value in given.items()) if name == "reset" else repr(given)
    return f"{name}({words})"


def _write(env: Any, what: Any) -> None:
    assert _file is not None
    _file.write(json.dumps([id(env), what]).encode() + b"\n")


def last(path: Path) -> Last | None:
    """The environment that was called last; None if none was."""
    found: dict[int, Last] = {}
    for line in path.read_text().splitlines():
        number, what = json.loads(line)
        if isinstance(what, list):
            found[number] = Last(*what)
        elif number in found:
            found[number].calls.append(what)
    return found.get(number) if found else None
