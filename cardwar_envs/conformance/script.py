"""A short script that reproduces the failure of a check."""

from __future__ import annotations

from functools import partial

import numpy as np

from cardwar_envs.conformance.play import Play, beneath
from cardwar_envs.conformance.software import versions
from cardwar_envs.conformance.subject import Subject
from cardwar_envs.conformance.trail import Last, source, text_of_call

LONGEST = 60


def of(subject: Subject, reason: str) -> str:
    """Python code that makes the most recent environments and repeats all calls."""
    lines = _head(subject, reason)
    for parameters, play in subject.recent:
        words = source(parameters)
        lines += ["", *_made(subject, play.kind, words), *_calls(play)]
        lines += ["print(env.last() if env.agents else env.rewards)"] if play.kind == "AEC" else ["print(result)"]
    return "\n".join(lines) + "\n"


def of_last(subject: Subject, reason: str, last: Last) -> str:
    """Python code that repeats the calls before the one that ended the process, and that call."""
    lines = [*_head(subject, reason), "", *_made(subject, last.kind, last.parameters)]
    lines += _left_out(len(last.calls) - LONGEST) + [f"env.{call}" for call in last.calls[-LONGEST:]]
    return "\n".join(lines) + "\n"


def _head(subject: Subject, reason: str) -> list[str]:
    found = ", ".join(f"{name} {version}" for name, version in versions(subject).items())
    return [
        f"# {subject.name}: {reason}",
        f"# {found}",
        "import numpy as np",
        "from numpy import array, float32, float64, int8, int32, int64, nan, uint8",
    ]


def _made(subject: Subject, kind: str, parameters: str) -> list[str]:
    words = ", ".join(filter(None, [source(subject.parameters), parameters]))
    if "/" in subject.word:
        return [
            "import pettingzoo",
            f"env = pettingzoo.make({', '.join(filter(None, [repr(kind.lower()), repr(subject.word), words]))})",
        ]
    module, _, name = subject.word.partition(":")
    if not module:
        return [f"env = ...  # {kind} of {subject.name}, made with {words or 'no parameters'}"]
    factory = "env" if kind == "AEC" else "parallel_env"
    lines = ["from importlib import import_module", "from operator import attrgetter"]
    found = f"attrgetter({name!r})(import_module({module!r}))" if name else f"import_module({module!r})"
    lines.append(f"made_by = {found}")
    maker = {"AEC": subject.aec, "Parallel": subject.parallel}[kind]
    if isinstance(maker, partial) and maker.func is beneath:
        lines.append("from cardwar_envs.conformance.play import beneath")
        return [*lines, f"env = beneath({', '.join(filter(None, ['made_by', words]))})"]
    return [*lines, f"env = getattr(made_by, {factory!r}, made_by)({words})"]


def _calls(play: Play) -> list[str]:
    with np.printoptions(threshold=10**6):
        calls = [text_of_call(name, given) for name, given in play.calls[-LONGEST:]]
    first, lines = len(play.calls) - len(calls), []
    for number, call in enumerate(calls, first):
        line = f"{'result = ' if play.kind == 'Parallel' else ''}env.{call}"
        raised = number in play.raised
        lines += ["try:", f"    {line}", "except Exception as error:", "    print(repr(error))"] if raised else [line]
    return _left_out(first) + lines


def _left_out(number: int) -> list[str]:
    return [f"# {number} earlier calls are left out"] if number > 0 else []
