"""The results of a run, as text, JSON, JUnit XML and annotations on GitHub."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from zoocheck.grounds import Ground
from zoocheck.runner import advice
from zoocheck.verdicts import FAILED, NOT_APPLICABLE, NOTED, PASSED, STATUSES, WARNED, Result, shortfall

# Exit codes: a check failed; bad input; too few checks reached a verdict; Ctrl-C or SIGTERM.
FAILURE, BAD_INPUT, TOO_LITTLE, INTERRUPTED = 1, 2, 3, 130
# The name of the first JUnit test case if too little was checked.
ENOUGH = "enough_was_checked"


@dataclass(frozen=True)
class Report:
    """The results of checking an environment."""

    name: str  # of the environment
    results: list[Result]  # one per check that ran
    planned: int  # number of checks to run
    seen: dict[str, dict[str, int]]  # kind of environment -> how many games, steps and so on were played
    stale: list[str]  # known findings that no longer occur
    seconds: float  # CPU time of the run, with its child processes
    grounds: dict[str, Ground]  # check -> what it rests on, for those that apply to this kind of environment
    versions: dict[str, str]  # package -> version
    place: tuple[str, int] = ("", 0)  # file and line of the environment's class; empty and 0 if not in this folder

    @property
    def complete(self) -> bool:
        """Whether all planned checks ran."""
        return len(self.results) == self.planned

    @property
    def failures(self) -> list[Result]:
        """The failures that count."""
        return [result for result in self.results if result.status == FAILED]

    @property
    def exit_code(self) -> int:
        """`FAILURE`, else `INTERRUPTED`, else `TOO_LITTLE`, else 0."""
        if self.failures:
            return FAILURE
        return INTERRUPTED if not self.complete else TOO_LITTLE if shortfall(self.results) else 0

    def told(self, result: Result) -> str:
        """A violation, with its advice."""
        lines = advice(result, self.grounds.get(result.check))
        return "\n".join([str(result), *(f"{'':16}{line}" for line in lines)])

    def as_data(self) -> dict[str, Any]:
        """The report as plain data for JSON."""
        return {
            "environment": self.name,
            "passed": self.exit_code == 0,
            "shortfall": shortfall(self.results),
            "complete": self.complete,
            "seen": self.seen,
            "versions": self.versions,
            "stale": self.stale,
            "seconds": round(self.seconds, 1),
            "checks": [dataclasses.asdict(result) | self._ground(result) for result in self.results],
        }

    def _ground(self, result: Result) -> dict[str, str]:
        ground = self.grounds.get(result.check)
        return {} if ground is None else {"severity": ground.severity, "page": ground.page, "sentence": ground.sentence}

    def as_text(self, everything: bool) -> list[str]:
        """Notes, versions, how much was played, and violations, each below the one that explains it."""
        quiet = () if everything else (PASSED, NOT_APPLICABLE)
        lines = [str(each) for each in self.results if each.status not in (FAILED, WARNED, *quiet)]
        lines.append(f"versions: {', '.join(f'{name} {version}' for name, version in self.versions.items())}")
        seen = [f"{kind} {', '.join(f'{n:,} {what}' for what, n in each.items())}" for kind, each in self.seen.items()]
        lines += [f"seen: {'; '.join(seen)}"] * bool(seen)
        place = {result.check: number for number, result in enumerate(self.results)}
        found = [result for status in (WARNED, FAILED) for result in self.results if result.status == status]
        found.sort(key=lambda each: place.get(each.follows or each.check, 0))
        return lines + [self.told(each) for each in found]

    def summary(self) -> str:
        """The number of verdicts of each kind, e.g. "3 passed, 1 failed"."""
        counts = Counter(result.status for result in self.results)
        said = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
        return said + f"; interrupted after {len(self.results)} of {self.planned} checks" * (not self.complete)

    def as_junit(self) -> bytes:
        """The report as JUnit XML: a test case per check, after an error if too few checks reached a verdict.

        Notes and warnings count as passed; known findings, and checks that do not apply or saw too little, as skipped.
        """
        suites = ElementTree.Element("testsuites")
        suite = ElementTree.SubElement(suites, "testsuite", name=self.name)
        properties = ElementTree.SubElement(suite, "properties")
        for name, version in self.versions.items():
            ElementTree.SubElement(properties, "property", name=name, value=version)
        if too_little := shortfall(self.results):
            _case(suite, self.name, ENOUGH, "error", too_little)
        kinds = {PASSED: "", FAILED: "failure", NOTED: "system-out", WARNED: "system-out"}
        for result in self.results:
            kind = kinds.get(result.status, "skipped")
            message = {"failure": result.reason, "skipped": f"{result.status}: {result.reason}"}.get(kind, "")
            text = {"failure": f"{self.told(result)}\n\n{result.script}", "system-out": result.reason}.get(kind, "")
            _case(suite, self.name, result.check, kind, message, text)
        for kind, attribute in (("error", "errors"), ("failure", "failures"), ("skipped", "skipped")):
            suite.set(attribute, str(len(suite.findall(f"testcase/{kind}"))))
        suite.set("tests", str(len(suite.findall("testcase"))))
        return bytes(ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True))

    def annotations(self) -> list[str]:
        """The violations as commands of GitHub's workflows, which show them beside the code."""
        where = "file={},line={},".format(*self.place) if self.place[0] else ""
        lines = []
        for result in (each for each in self.results if each.status in (FAILED, WARNED)):
            ground = self.grounds[result.check]
            text = printable("\n".join([result.reason, *advice(result, ground)]))
            text = text.replace("%", "%25").replace("\n", "%0A")
            lines.append(f"::{ground.severity} {where}title=zoocheck {result.check}::{text}")
        return lines


def _case(suite: Any, subject: str, check: str, kind: str = "", message: str = "", text: str = "") -> None:
    """Adds a test case with a result of this kind, if any, to a test suite."""
    case = ElementTree.SubElement(suite, "testcase", name=check, classname=subject)
    if kind:
        found = ElementTree.SubElement(case, kind, {"message": printable(message)} if message else {})
        found.text = printable(text) or None


def printable(text: str) -> str:
    """Escapes control and hidden characters, except newlines and tabs."""
    return "".join(each if each.isprintable() or each in "\n\t" else ascii(each)[1:-1] for each in text)
