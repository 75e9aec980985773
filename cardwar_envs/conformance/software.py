"""Versions of all software that an environment uses, as imported in this process."""

from __future__ import annotations

import platform
import sys
from functools import cache, partial
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

from cardwar_envs.conformance.play import layers
from cardwar_envs.conformance.subject import Subject

ALWAYS = ("numpy", "gymnasium", "pettingzoo", "cardwar_envs")


def versions(subject: Subject) -> dict[str, str]:
    """Versions of Python, the libraries, and the packages that define the environment and its wrappers.

    The versions are those of loaded modules, which can differ from the installed ones. Packages without a version are
    omitted.
    """
    found: dict[str, str] = subject.once("versions", partial(_found, subject))
    return found


def _found(subject: Subject) -> dict[str, str]:
    names = [*ALWAYS, subject.word.partition(":")[0].split(".")[0]]
    for api in subject.apis():
        names += [type(layer).__module__.split(".")[0] for layer in layers(api.make())]
    found = {name: _version(name) for name in dict.fromkeys(names) if name in sys.modules and name != "__main__"}
    return {"python": platform.python_version(), **{name: text for name, text in found.items() if text}}


def _version(module: str) -> str:
    """The version of the installed distribution if the module was loaded from it, else the module's `__version__`."""
    loaded = sys.modules[module]
    stated, file = getattr(loaded, "__version__", ""), getattr(loaded, "__file__", None)
    for name in _distributions().get(module, ()):
        found = distribution(name)
        if not stated or (file and Path(file).is_relative_to(str(found.locate_file("")))):
            return found.version
    return stated if isinstance(stated, str) else ""


_distributions = cache(packages_distributions)
