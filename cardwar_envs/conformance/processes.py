"""Recreates a subject in another Python process."""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter
from typing import Any

from cardwar_envs.conformance.subject import Subject, load, parameters_of
from cardwar_envs.conformance.verdicts import NotTried

LIMITS = ("zero_sum", "seed", "seconds", "games")


def description(subject: Subject) -> dict[str, Any]:
    """Describes, as plain data, how another process can make the environment: its name, or its factories' names.

    Raises:
        NotTried: If a factory cannot be found by name, or a parameter cannot be passed as text.
    """
    words = [f"{name}={value!r}" for name, value in subject.parameters.items()]
    if parameters_of(words) != dict(subject.parameters):
        raise NotTried(f"these parameters cannot be passed to another process: {' '.join(words)}")
    found: dict[str, Any] = {"name": subject.name, "word": subject.word, "words": words}
    found["limits"] = {name: getattr(subject, name) for name in LIMITS}
    for kind, make in (("aec", subject.aec), ("parallel", subject.parallel)):
        if not subject.word and make is not None:
            found[kind] = [getattr(make, "__module__", ""), getattr(make, "__qualname__", "<")]
            if "<" in found[kind][1]:
                raise NotTried("another process cannot import the function that makes the environment")
    return found


def remade(told: dict[str, Any]) -> Subject:
    """The subject that `description` describes."""
    if told["word"]:
        return load(told["word"], told["words"], **told["limits"])
    makers = {kind: told[kind] for kind in ("aec", "parallel") if kind in told}
    found = {kind: attrgetter(name)(import_module(module)) for kind, (module, name) in makers.items()}
    return Subject(told["name"], **found, parameters=parameters_of(told["words"]), **told["limits"])
