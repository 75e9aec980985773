"""A short script that reproduces the failure of a check."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from cardwar_envs.conformance.play import Play, beneath
from cardwar_envs.conformance.software import versions
from cardwar_envs.conformance.subject import Subject

LONGEST = 60


def of(subject: Subject, reason: str) -> str:
    """Python code that makes the most recent environments and repeats all calls."""
    found = ", ".join(f"{name} {version}" for name, version in versions(subject).items())
    lines = [
        f"# {subject.name}: {reason}",
        f"# {found}",
        "import numpy as np",
        "from numpy import array, float32, float64, int8, int32, int64, nan, uint8",
    ]
    for parameters, play in subject.recent:
        lines += ["", *_made(subject, play, parameters), *_calls(play)]
        lines += ["print(env.last() if env.agents else env.rewards)"] if play.kind == "AEC" else ["print(result)"]
    return "\n".join(lines) + "\n"


def _made(subject: Subject, play: Play, parameters: Mapping[str, Any]) -> list[str]:
    words = ", ".join(f"{name}={value!r}" for name, value in {**subject.parameters, **parameters}.items())
    if "/" in subject.word:
        return [
            "import pettingzoo",
            f"env = pettingzoo.make({', '.join(filter(None, [repr(play.kind.lower()), repr(subject.word), words]))})",
        ]
    module, _, name = subject.word.partition(":")
    if not module:
        return [f"env = ...  # {play.kind} of {subject.name}, made with {words or 'no parameters'}"]
    factory = "env" if play.kind == "AEC" else "parallel_env"
    lines = ["from importlib import import_module", "from operator import attrgetter"]
    found = f"attrgetter({name!r})(import_module({module!r}))" if name else f"import_module({module!r})"
    lines.append(f"made_by = {found}")
    maker = {"AEC": subject.aec, "Parallel": subject.parallel}[play.kind]
    if isinstance(maker, partial) and maker.func is beneath:
        lines.append("from cardwar_envs.conformance.play import beneath")
        return [*lines, f"env = beneath({', '.join(filter(None, ['made_by', words]))})"]
    return [*lines, f"env = getattr(made_by, {factory!r}, made_by)({words})"]


def _calls(play: Play) -> list[str]:
    calls = play.calls
    lines = [] if len(calls) <= LONGEST else [f"# {len(calls) - LONGEST} earlier calls are left out"]
    with np.printoptions(threshold=10**6):
        for number, (name, given) in [*enumerate(calls)][-LONGEST:]:
            words = ", ".join(f"{key}={value!r}" for key, value in given.items()) if name == "reset" else repr(given)
            call = f"{'result = ' if play.kind == 'Parallel' else ''}env.{name}({words})"
            raised = number in play.raised
            lines += (
                ["try:", f"    {call}", "except Exception as error:", "    print(repr(error))"] if raised else [call]
            )
    return lines
