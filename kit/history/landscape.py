"""Runs the kit on current releases of public environments, and compares what fails with a person's judgement.

    python -m history.landscape [--only WORD] [--stored] [--processes 1]

`landscape.toml` has the environments and the judgements; `witnesses` has a script for each defect, which needs only the
package and the library of its API. Environments are installed and reports kept as in `measure`. `history.pages` writes
the judgements as pages for the maintainers.
"""

import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from history.measure import Defect, arguments, built, stored

FOLDER = Path(__file__).parent


def subjects():
    """The environments, and for each the judgements by name of check."""
    for row in tomllib.loads((FOLDER / "landscape.toml").read_text())["subject"]:
        judged = row.pop("judged", {})
        yield Defect(link="", fixed="", bad=row.pop("version"), **row), judged


def failures(report):
    """The failed checks that follow from no other."""
    names = {each["check"]: each for each in report.get("checks", ()) if each["status"] == "failed"}
    return [name for name, each in names.items() if each.get("follows") not in names]


def compared(subject, judged, wheel, run=True):
    """What a run finds and nobody has judged, and the reverse; prints it."""
    report = stored(subject, subject.bad, wheel, run)
    found = {each["check"] for each in report.get("checks", ()) if each["status"] == "failed"}
    new, gone = [each for each in failures(report) if each not in judged], sorted(set(judged) - found)
    said = report.get("error") or f"not judged: {', '.join(new) or 'none'}; not found: {', '.join(gone) or 'none'}"
    print(f"{subject.title}: {said}; {report.get('seconds')} s", flush=True)
    return bool(report.get("error") or new)


def main(words):
    given = arguments(words)
    chosen = [each for each in subjects() if given.only in each[0].title]
    compare = partial(compared, wheel=built(), run=not given.stored)
    with ThreadPoolExecutor(given.processes) as pool:
        return any(list(pool.map(lambda each: compare(*each), chosen)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
