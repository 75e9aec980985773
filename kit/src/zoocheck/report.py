"""Contents of a report: versions of software, a script that reproduces a failure, and known findings."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Collection, Iterable, Mapping
from functools import cache, partial
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import numpy as np

from zoocheck.play import Play, beneath, layers
from zoocheck.subject import Subject
from zoocheck.trail import Last, source, text_of_call
from zoocheck.verdicts import FAILED, INCONCLUSIVE, KNOWN, SKIPPED, Result

ALWAYS = ("numpy", "gymnasium", "pettingzoo")


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


LONGEST = 60


def script_of(subject: Subject, reason: str) -> str:
    """Python code that makes the most recent environments and repeats all calls."""
    lines = _head(subject, reason)
    if not subject.recent:
        lines.append("# No single game shows this. Run the check again: --only CHECK")
    for parameters, play in subject.recent:
        words = source(parameters)
        lines += ["", *_made(subject, play.kind, words), *_calls(play)]
        lines += ["print(env.last() if env.agents else env.rewards)"] if play.kind == "AEC" else ["print(result)"]
    return "\n".join(lines) + "\n"


def script_of_last(subject: Subject, reason: str, last: Last) -> str:
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
        lines.append("from zoocheck.play import beneath")
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


Baseline = dict[str, dict[str, str]]


def read_baseline(path: Path) -> Baseline:
    """Reads the known findings from a file.

    Raises:
        ValueError: If the file cannot be read, or is not a file of known findings.
    """
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
    clean = {each.check for each in results if each.status not in (FAILED, KNOWN, INCONCLUSIVE, SKIPPED)}
    return [check for check in known if check in clean or check not in checks]


def updated(baseline: Baseline, name: str, results: Iterable[Result], checks: Collection[str]) -> str:
    """The text of the updated file: adds the failures of environment `name` in `results`, drops its stale entries."""
    results = list(results)
    known = baseline.get(name, {})
    gone = stale(results, known, checks)
    found = {each.check: each.reason for each in results if each.status in (FAILED, KNOWN)}
    kept: Mapping[str, str] = {check: reason for check, reason in known.items() if check not in gone} | found
    rest = {other: entries for other, entries in baseline.items() if other != name}
    return json.dumps(rest | ({name: kept} if kept else {}), indent=2, sort_keys=True) + "\n"
