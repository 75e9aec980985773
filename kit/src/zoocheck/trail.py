"""Records the latest calls of reset() and step() in a file that outlives the process.

An environment in native code can end the process. The parent process then reads the last calls from this file.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

# The file is emptied before the next environment when it has this many bytes.
LONGEST = 1 << 20
_file: BinaryIO | None = None


@dataclass
class Last:
    """The environment that was called last."""

    kind: str  # "AEC" or "Parallel"
    parameters: str = ""  # beyond those of the subject, as source text
    calls: list[str] = field(default_factory=list)  # as source text, e.g. "reset(seed=1)"
    raised: Collection[int] = ()  # the indices in `calls` of the calls that raised

    @property
    def where(self) -> str:
        """Describes the location of the last call, for messages."""
        if not self.calls:
            return f"{self.kind}, before the first reset"
        reset = max((place for place, call in enumerate(self.calls) if call.startswith("reset(")), default=-1)
        steps = len(self.calls) - 2 - reset
        since = f", {steps} steps after {self.calls[reset]}" if reset >= 0 and steps >= 0 else ""
        return f"{self.kind}{since}, in or after {self.calls[-1]}"


def begin(descriptor: int) -> None:
    """Writes all further calls of this process to an open file, which is emptied."""
    global _file
    _file = open(descriptor, "wb", buffering=0)  # noqa: SIM115  # for as long as the process lives
    _file.truncate(_file.seek(0))


def note_env(env: Any, kind: str, parameters: Mapping[str, Any]) -> None:
    """Records a new environment."""
    if _file is not None and _file.tell() > LONGEST:
        _file.truncate(_file.seek(0))
    _write(env, [kind, source(parameters)])


def note_call(env: Any, name: str, given: Any) -> None:
    """Records a call of reset() or step() before it is made."""
    if _file is not None:
        _write(env, text_of_call(name, given))


def text_of_call(name: str, given: Any) -> str:
    """Returns a call as source text."""
    return f"{name}({source(given) if name == 'reset' else repr(given)})"


def source(parameters: Mapping[str, Any]) -> str:
    """Returns keyword arguments as source text."""
    return ", ".join(f"{name}={value!r}" for name, value in parameters.items())


def _write(env: Any, what: Any) -> None:
    if _file is not None:
        _file.write(json.dumps([id(env), what]).encode() + b"\n")


def last(file: BinaryIO) -> Last | None:
    """Returns the environment that was called last; None if there is none."""
    file.seek(0)
    found: dict[int, Last] = {}
    for line in file.read().splitlines():
        number, what = json.loads(line)
        if isinstance(what, list):
            found[number] = Last(*what)
        elif number in found:
            found[number].calls.append(what)
    return found.get(number) if found else None
