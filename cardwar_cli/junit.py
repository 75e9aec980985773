"""Formats the verdicts on an environment as JUnit XML, which CI services display as test results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from cardwar_envs.conformance import CHECKS, Result
from cardwar_envs.conformance.verdicts import FAILED, NOTED, PASSED, shortfall
from train.text.printing import printable


def as_junit(environment: str, versions: Mapping[str, str], results: Iterable[Result]) -> bytes:
    """Returns one test suite, with the versions as properties and one test case per check.

    A note counts as passed; known findings, and checks that do not apply or saw too little, count as skipped. If too
    few checks reached a verdict, the first test case is an error that says so.
    """
    results = list(results)
    suite = TestSuite(environment)
    for name, version in versions.items():
        suite.add_property(name, version)
    if told := shortfall(results):
        case = TestCase("enough_was_checked", classname=environment)
        case.result = [Error(told)]
        suite.add_testcase(case)
    for result in results:
        case = TestCase(result.check, classname=environment)
        if result.status == FAILED:
            failure = Failure(printable(result.reason))
            failure.text = printable(f"{result.advised(CHECKS[result.check])}\n\n{result.script}")
            case.result = [failure]
        elif result.status == NOTED:
            case.system_out = printable(result.reason)
        elif result.status != PASSED:
            case.result = [Skipped(printable(f"{result.status}: {result.reason}"))]
        suite.add_testcase(case)
    found = JUnitXml()
    found.add_testsuite(suite)
    found.update_statistics()
    text: bytes = found.tostring()
    return text
