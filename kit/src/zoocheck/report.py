"""Contents of a report: versions of software, a script that reproduces a failure, and known findings."""

from __future__ import annotations

import inspect
import json
import platform
import sys
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import cache, partial
from importlib.metadata import distribution, packages_distributions
from pathlib import Path
from typing import Any

import numpy as np

from zoocheck.play import Play, beneath, layers
from zoocheck.subject import Subject, is_id, once
from zoocheck.trail import Last, source, text_of_call
from zoocheck.verdicts import FAILED, INCONCLUSIVE, KNOWN, SKIPPED, WARNED, Result


@once
def versions(subject: Subject) -> dict[str, str]:
    """Versions of Python, the libraries, and the packages that define the environment and its wrappers, as loaded."""
    defining = [type(layer).__module__ for api in subject.apis() for layer in layers(api.make())]
    modules = ["numpy", "gymnasium", "pettingzoo", subject.word.partition(":")[0], *defining]
    names = dict.fromkeys(name.split(".")[0] for name in modules)
    found = {name: _version(name) for name in names if name in sys.modules and name != "__main__"}
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


def place(subject: Subject) -> tuple[str, int]:
    """The file and line that define the environment's class, if it lies in the working directory; else empty and 0."""
    for kind in type(layers(subject.any_env())[-1]).__mro__:
        with suppress(OSError, TypeError, ValueError):  # it may be made at run time, or lie elsewhere
            file, line = Path(inspect.getfile(kind)).resolve(), inspect.getsourcelines(kind)[1]
            return file.relative_to(Path.cwd()).as_posix(), line
    return "", 0


LONGEST = 60


def script_of(subject: Subject, reason: str, last: Last | None = None) -> str:
    """Python code that repeats all calls of the most recent environments, or of the `last` one of an ended process."""
    found = ", ".join(f"{name} {version}" for name, version in versions(subject).items())
    lines = [f"# {subject.name}: {reason}", f"# {found}", "import numpy as np"]
    lines.append("from numpy import array, float32, float64, int8, int32, int64, nan, uint8")
    games = [_as_text(*each) for each in subject.recent] if last is None else [last]
    lines += ["# No single game shows this. Run the check again: --only CHECK"] * (not games)
    for game in games:
        lines += ["", *_made(subject, game.kind, game.parameters), *_calls(game)]
        if last is None:
            lines.append("print(env.last() if env.agents else env.rewards)" if game.kind == "AEC" else "print(result)")
    return "\n".join(lines) + "\n"


def _as_text(parameters: Mapping[str, Any], play: Play) -> Last:
    with np.printoptions(threshold=10**6):
        calls = [text_of_call(*call) for call in play.calls]
    return Last(play.kind, source(parameters), calls, play.raised)


def _made(subject: Subject, kind: str, parameters: str) -> list[str]:
    words = ", ".join(filter(None, [source(subject.parameters), parameters]))
    if is_id(subject.word):
        library, kinds = ("gymnasium", []) if subject.gymnasium else ("pettingzoo", [repr(kind.lower())])
        given = ", ".join(filter(None, [*kinds, repr(subject.word), words]))
        return [f"import {library}", f"env = {library}.make({given})"]
    module, _, name = subject.word.partition(":")
    if not module:
        return [f"env = ...  # {kind} of {subject.name}, made with {words or 'no parameters'}"]
    found = f"attrgetter({name!r})(import_module({module!r}))" if name else f"import_module({module!r})"
    lines = ["from importlib import import_module", "from operator import attrgetter", f"made_by = {found}"]
    maker, factory = (subject.aec, "env") if kind == "AEC" else (subject.parallel, "parallel_env")
    if isinstance(maker, partial) and maker.func is beneath:
        made = f"env = beneath({', '.join(filter(None, ['made_by', words]))})"
        return [*lines, "from zoocheck.play import beneath", made]
    return [*lines, f"env = getattr(made_by, {factory!r}, made_by)({words})"]


def _calls(game: Last) -> list[str]:
    first = max(0, len(game.calls) - LONGEST)
    lines = [f"# {first} earlier calls are left out"] * bool(first)
    for number, call in enumerate(game.calls[first:], first):
        line = f"{'result = ' if game.kind == 'Parallel' else ''}env.{call}"
        raised = number in game.raised
        lines += ["try:", f"    {line}", "except Exception as error:", "    print(repr(error))"] if raised else [line]
    return lines


Baseline = dict[str, dict[str, str]]


def read_baseline(path: Path) -> Baseline:
    """Reads the known findings from a file; raises a ValueError if it has none."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is not a file of known findings, but a folder, a pipe or a device")
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: cannot be read as known findings: {error}") from None
    if not isinstance(found, dict) or not all(isinstance(each, dict) for each in found.values()):
        raise ValueError(f"{path}: known findings must be a JSON object: environment -> check -> reason")
    return {name: {check: str(reason) for check, reason in each.items()} for name, each in found.items()}


def stale(results: Iterable[Result], known: Collection[str], checks: Collection[str]) -> list[str]:
    """The known findings whose check ran without failing, or does not exist."""
    clean = {each.check for each in results if each.status not in (FAILED, KNOWN, WARNED, INCONCLUSIVE, SKIPPED)}
    return [check for check in known if check in clean or check not in checks]


def updated(baseline: Baseline, name: str, results: Iterable[Result], checks: Collection[str]) -> str:
    """The text of the updated file: adds the failures of environment `name` in `results`, drops its stale entries."""
    results, known = list(results), baseline.get(name, {})
    gone = stale(results, known, checks)
    kept = {check: reason for check, reason in known.items() if check not in gone}
    kept |= {each.check: each.reason for each in results if each.status in (FAILED, KNOWN)}
    entries = {each: reasons for each, reasons in {**baseline, name: kept}.items() if reasons or each != name}
    return json.dumps(entries, indent=2, sort_keys=True) + "\n"
