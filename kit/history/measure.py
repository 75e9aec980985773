"""Runs the kit on public environments with a known defect and on the first fixed release, and writes the table.

    python -m history.measure [--only WORD] [--processes 1] [--defects FILE] [--document FILE]

`defects.toml` has a row for each defect. Every version is installed from the registry into an environment of its own
under build/history, the kit beside it as docs/ci.md describes, and `zoocheck` runs there. Reports are
kept, so a killed run goes on where it was; a report counts for one row and one source of the kit.
"""

import argparse
import hashlib
import json
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path

from broken.markdown import rewrite, table

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "history"
# What the kit needs besides what is checked (action.yml).
NEEDED = ("rich", "typer")
# What environments of Python 3.11 come with; some packages expect it.
OF_OLD = ("setuptools<81",)
LIMIT = 900.0
# Exit codes of a process that its own code has killed.
CRASHES = {-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGFPE, -signal.SIGILL}
# Prints the version of a package, where no report tells it because the environment cannot be made.
VERSION = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"


@dataclass(frozen=True)
class Defect:
    """A row of defects.toml.

    Attributes:
        title: What is wrong.
        link: The issue or the change that fixed it.
        package: The distribution that has the defect.
        bad: The last release with it.
        fixed: The first release without it; empty if there is none.
        factory: Source of a module with `env` or `parallel_env`.
        sign: A pattern that occurs in the reason of every failure that the defect causes, and in no other.
        why: Why no check sees it, or another remark.
        pins: Further requirements; `fixed_pins` replace them for the fixed release.
        skip: Checks to leave out, because they end the process.
        simultaneous: Whether agents move at once.
        word: What `zoocheck` is given; the module with the factory, or an id.
        gymnasium: Whether it is a Gymnasium environment.
    """

    title: str
    link: str
    package: str
    bad: str
    fixed: str
    factory: str
    sign: str = "$^"
    why: str = ""
    pins: tuple[str, ...] = ()
    fixed_pins: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    simultaneous: bool = True
    word: str = "subject"
    gymnasium: bool = False

    def requirements(self, version):
        """What to install for a version."""
        pins = self.fixed_pins if version == self.fixed and self.fixed_pins else self.pins
        return [f"{self.package}=={version}", *pins]


def defects(path):
    return [Defect(**row) for row in tomllib.loads(path.read_text())["defect"]]


def digest(*parts):
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:12]


def kit_digest():
    files = sorted((ROOT / "src").rglob("*.py"))
    return digest(*(path.read_text() for path in files))


def called(*words, limit=LIMIT, **options):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=limit, check=False, **options)


def pip(python, *words):
    """Runs pip; raises RuntimeError with its last line of error."""
    done = called(sys.executable, "-m", "pip", "--python", python, "-q", *words)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "rror" in line] or ["pip failed"]
        raise RuntimeError(errors[-1].strip()[:200])


def installed(requirements, wheel):
    """The Python of an environment with these requirements and the kit; raises RuntimeError if they do not install."""
    folder = BUILD / f"{requirements[0]}-{digest(*requirements)}"
    python, mark = folder / "bin" / "python", folder / "kit.txt"
    if not mark.exists():
        shutil.rmtree(folder, ignore_errors=True)
        called(sys.executable, "-m", "venv", "--without-pip", folder)
        pip(python, "install", "--no-compile", *requirements, *OF_OLD)
        listed = called(sys.executable, "-m", "pip", "--python", python, "list", "--format=freeze").stdout
        (folder / "installed.txt").write_text(listed)
        pip(python, "install", "--no-compile", "-c", folder / "installed.txt", *NEEDED)
    if not mark.exists() or mark.read_text() != wheel.parent.name:
        pip(python, "install", "--no-compile", "--no-deps", "--force-reinstall", wheel)
        mark.write_text(wheel.parent.name)
    return python


def built():
    """The wheel of the kit, in a folder named after its source."""
    folder = BUILD / "wheels" / kit_digest()
    if not list(folder.glob("*.whl")):
        pip(sys.executable, "wheel", "--no-deps", "-w", folder, ROOT)
    return next(folder.glob("*.whl"))


def checked(defect, version, wheel):
    """The report of `zoocheck` on a version, or an `error`."""
    try:
        python = installed(defect.requirements(version), wheel)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return {"error": f"could not be installed: {error}"}
    folder = BUILD / "factories" / digest(defect.factory)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "subject.py").write_text(defect.factory)
    try:
        skipped = [f"--skip={check}" for check in defect.skip]
        done = called(python.parent / "zoocheck", defect.word, "--json", *skipped, cwd=folder)
    except subprocess.TimeoutExpired:
        return {"error": f"took more than {LIMIT:.0f} s"}
    return told(defect, python, done)


def told(defect, python, done):
    """The report in the output of `zoocheck`; a failure of `load` if the environment could not be made."""
    if done.returncode in (0, 1, 3) and done.stdout.strip():
        return json.loads(done.stdout.splitlines()[-1])
    said = [line for line in done.stderr.splitlines() if line.strip()] or ["no output"]
    reason = said[-1][:600]
    if done.returncode in CRASHES:  # checks run in a child process, so the command made the environment
        reason = f"making it killed the process with {signal.Signals(-done.returncode).name}: {reason}"
    elif done.returncode != 2:
        return {"error": f"the kit ended with code {done.returncode}: {reason}"}
    found = called(python, "-c", VERSION, defect.package).stdout.strip()
    return {"versions": {defect.package: found}, "checks": [{"check": "load", "status": "failed", "reason": reason}]}


def stored(defect, version, wheel, run=True):
    """The report on a version, computed once per row and kit; without `run` only what is there."""
    row = digest(*astuple(defect)[2:6], defect.requirements(version), *defect.skip, defect.word)
    path = BUILD / "reports" / f"{row}-{wheel.parent.name}.json"
    if not path.exists() and not run:
        return {"error": "not run yet"}
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        report = checked(defect, version, wheel)
        text = json.dumps(report)
        if report.get("error"):
            return report  # tried again next time
        path.with_suffix(".new").write_text(text)
        path.with_suffix(".new").rename(path)
    report = json.loads(path.read_text())
    return report if "error" in report else {**report, **other_versions(defect, version, report)}


def other_versions(defect, version, report):
    """An `error` if the child loaded another version than the row names, of the package or of an exact pin."""
    loaded = {name.lower(): version for name, version in report.get("versions", {}).items()}
    for word in defect.requirements(version):
        name, _, named = word.partition("==")
        key = name.partition("[")[0].lower().replace("-", "_")
        if named and loaded.get(key, "?" if name == defect.package else named) != named:
            return {"error": f"{name} {loaded.get(key, '?')} was loaded instead of {named}"}
    return {}


def signs(defect, report):
    """The checks that fail because of the defect."""
    failures = [each for each in report.get("checks", ()) if each["status"] == "failed"]
    found = [each for each in failures if re.search(defect.sign, each["reason"])]
    names = [each["check"] for each in found]
    return [each["check"] for each in found if each.get("follows") not in names]


def others(defect, report):
    """The checks that fail for another reason and follow from no other."""
    mine = signs(defect, report)
    failures = [each for each in report.get("checks", ()) if each["status"] == "failed" and each["check"] not in mine]
    return [each["check"] for each in failures if not each.get("follows")]


def verdict(defect, bad, fixed):
    """What the kit says of the defect: "caught", "missed", or why there is no answer."""
    if error := bad.get("error") or fixed.get("error"):
        return error
    if not signs(defect, bad):
        return f"missed: {defect.why}"
    if signs(defect, fixed):
        return "found in the fixed version, too"
    return "caught" + (f"; {defect.why}" if defect.why else "")


def section(found, part):
    """A generated section: the table of defects, or their number."""
    said = [verdict(defect, bad, fixed) for defect, bad, fixed in found]
    if part == "summary":
        return summary(found, said)
    rows = []
    for (defect, bad, fixed), words in zip(found, said, strict=True):
        name = f"[{defect.title}]({defect.link})"
        releases = f"{defect.package} {defect.bad}, {defect.fixed or 'not released'}"
        by = ", ".join(f"`{check}`" for check in signs(defect, bad))
        rest = ", ".join(f"`{check}`" for check in others(defect, fixed))
        rows.append([name, "yes" if defect.simultaneous else "no", releases, words, by, rest])
    headings = ["defect", "simultaneous", "last bad, first fixed", "verdict", "caught by", "else in the fixed one"]
    return table(headings, rows)


def summary(found, said):
    ran = [words for words in said if words.startswith(("caught", "missed", "found"))]
    caught = sum(words.startswith("caught") for words in ran)
    both = sum(defect.simultaneous for (defect, _, _), words in zip(found, said, strict=True) if words in ran)
    return f"Caught: {caught} of {len(ran)}; {both} of these have simultaneous moves. Listed: {len(said)}."


def measured(defect, wheel, run=True):
    """The defect with the reports on its two versions."""
    bad = stored(defect, defect.bad, wheel, run)
    fixed = stored(defect, defect.fixed, wheel, run) if defect.fixed else {}
    print(f"{defect.package} {defect.bad}: {defect.title}: {verdict(defect, bad, fixed)}", flush=True)
    return defect, bad, fixed


def arguments(words):
    parser = argparse.ArgumentParser(prog="python -m history.measure")
    parser.add_argument("--only", default="", help="rows whose title has this word; the document stays as it is")
    parser.add_argument("--stored", action="store_true", help="run nothing: only write what earlier runs found")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--defects", type=Path, default=Path(__file__).with_name("defects.toml"))
    parser.add_argument("--document", type=Path, default=ROOT / "docs" / "measured.md")
    return parser.parse_args(words)


def main(words):
    given = arguments(words)
    rows = [defect for defect in defects(given.defects) if given.only in defect.title]
    with ThreadPoolExecutor(given.processes) as pool:
        found = list(pool.map(partial(measured, wheel=built(), run=not given.stored), rows))
    if not given.only:
        text = given.document.read_text()
        given.document.write_text(rewrite(text, "make history", partial(section, found)))


if __name__ == "__main__":
    main(sys.argv[1:])
