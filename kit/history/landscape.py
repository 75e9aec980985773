"""Runs the kit on current releases of public environments and writes what it finds beside a person's judgement.

    python -m history.landscape [--only WORD] [--stored] [--processes 1]

`landscape.toml` has the environments and the judgements; `witnesses` has a script for each defect, which imports only
the package and PettingZoo. Environments are installed and reports kept as in `measure`.
"""

import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from broken.markdown import rewrite, table
from history.measure import Defect, arguments, built, stored

FOLDER = Path(__file__).parent
# `W/` in a judgement.
WITNESSES = "https://github.com/OWNER/cardwar-envs/blob/main/kit/history/witnesses/"


def subjects():
    """The environments, and for each the judgements by name of check."""
    for row in tomllib.loads((FOLDER / "landscape.toml").read_text())["subject"]:
        judged = row.pop("judged", {})
        yield Defect(link="", fixed="", bad=row.pop("version"), **row), judged


def found(subject, judged, wheel, run=True):
    report = stored(subject, subject.bad, wheel, run)
    print(f"{subject.title}: {report.get('error') or failures(report)}, {report.get('seconds')} s", flush=True)
    return subject, judged, report


def failures(report):
    """The failed checks that follow from no other."""
    names = {each["check"]: each for each in report.get("checks", ()) if each["status"] == "failed"}
    return [name for name, each in names.items() if each.get("follows") not in names]


def rows(subject, judged, report):
    name = f"{subject.title} ({subject.package} {subject.bad})"
    if error := report.get("error"):
        return [[name, "", "", error]]
    found = [
        [f"`{check}`", judged.get(check, "not judged").replace("(W/", f"({WITNESSES}")] for check in failures(report)
    ] or [["none", ""]]
    seconds = f"{report['seconds']:.0f}" if "seconds" in report else ""
    return [[name, seconds, *found[0]], *(["", "", *each] for each in found[1:])]


def section(results, part):
    assert part == "landscape"
    return table(
        ["environment", "CPU s", "failed check", "judgement"], [row for result in results for row in rows(*result)]
    )


def main(words):
    given = arguments(words)
    chosen = [each for each in subjects() if given.only in each[0].title]
    with ThreadPoolExecutor(given.processes) as pool:
        results = list(pool.map(lambda each: found(*each, built(), not given.stored), chosen))
    if not given.only:
        text = given.document.read_text()
        given.document.write_text(rewrite(text, "make landscape", partial(section, results)))


if __name__ == "__main__":
    main(sys.argv[1:])
