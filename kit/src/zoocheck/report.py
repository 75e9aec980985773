"""Contents of a report: versions of software, a script that reproduces a failure, and known findings."""

import json
import platform
import sys
from collections.abc import Collection, Iterable
from functools import cache, partial
from importlib.metadata import packages_distributions, version
from pathlib import Path

import numpy as np

from zoocheck.play import Play, beneath, layers, source, text_of_call
from zoocheck.subject import Subject, is_id, once
from zoocheck.verdicts import FAILED, INCONCLUSIVE, KNOWN, SKIPPED, WARNED, Result, in_a_line

# The most calls of one environment in a script.
LONGEST = 60
_distributions = cache(packages_distributions)


@once
def versions(subject: Subject) -> dict[str, str]:
    """Versions of Python, the libraries, and the packages that define the environment and its wrappers, as loaded."""
    defining = [type(layer).__module__ for api in subject.apis() for layer in layers(api.make())]
    modules = ["numpy", "gymnasium", "pettingzoo", subject.word.partition(":")[0], *defining]
    names = dict.fromkeys(name.split(".")[0] for name in modules)
    found = {name: _version(name) for name in names if name in sys.modules and name != "__main__"}
    return {"python": platform.python_version(), **{name: text for name, text in found.items() if text}}


def _version(module: str) -> str:
    """What a module states as its version, else that of its distribution; empty if neither is known."""
    if stated := getattr(sys.modules[module], "__version__", ""):
        return str(stated)
    return "".join(version(name) for name in _distributions().get(module, ())[:1])


def script_of(subject: Subject, reason: str) -> str:
    """Python code that repeats all calls of the most recent environments."""
    found = ", ".join(f"{name} {version}" for name, version in versions(subject).items())
    lines = [f"# {subject.name}: {reason}", f"# {found}", "import numpy as np"]
    lines.append("from numpy import array, float32, float64, int8, int32, int64, nan, uint8")
    lines += ["# No single game shows this. Run the check again: --only CHECK"] * (not subject.recent)
    for parameters, play in subject.recent:
        lines += ["", *_made(subject, play.kind, source(parameters)), *_calls(play)]
        lines.append("print(env.last() if env.agents else env.rewards)" if play.kind == "AEC" else "print(result)")
    return "\n".join(lines) + "\n"


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


def _calls(play: Play) -> list[str]:
    first = max(0, len(play.calls) - LONGEST)
    lines = [f"# {first} earlier calls are left out"] * bool(first)
    with np.printoptions(threshold=10**6):
        for number, call in enumerate(play.calls[first:], first):
            line = f"{'result = ' if play.kind == 'Parallel' else ''}env.{text_of_call(*call)}"
            raised = ["try:", f"    {line}", "except Exception as error:", "    print(repr(error))"]
            lines += raised if number in play.raised else [line]
    return lines


def known_findings(reports: Iterable[Path]) -> dict[str, list[str]]:
    """Environment -> the checks that fail in its report, which `--json` has written; raises a ValueError for others."""
    found = {}
    for path in reports:
        try:
            told = json.loads(path.read_text(encoding="utf-8-sig") if path.is_file() else "")
            failed = [each["check"] for each in told["checks"] if each["status"] in (FAILED, KNOWN)]
            found[str(told["environment"])] = failed
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise ValueError(f"{path}: cannot be read as a report of --json: {in_a_line(error)}") from None
    return found


def stale(results: Iterable[Result], known: Collection[str], checks: Collection[str]) -> list[str]:
    """The known findings whose check ran without failing, or does not exist."""
    clean = {each.check for each in results if each.status not in (FAILED, KNOWN, WARNED, INCONCLUSIVE, SKIPPED)}
    return [check for check in known if check in clean or check not in checks]
