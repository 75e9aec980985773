"""Checks for environments of PettingZoo and Gymnasium, beyond the tests of these libraries.

`load` loads an environment by its id or module, and `run_all` runs every check on it. `CHECKS` maps the name
of each check to a function of a `Subject`, which any test suite can call: it raises `Failed`, an AssertionError, if the
environment violates the check, and `NotApplicable` if there is nothing to check.
"""

from zoocheck.explore import coverage
from zoocheck.report import versions
from zoocheck.runner import CHECKS, run, run_all
from zoocheck.subject import Subject, load
from zoocheck.verdicts import Failed, NotApplicable, Result

__all__ = ["CHECKS", "Failed", "NotApplicable", "Result", "Subject", "coverage", "load", "run", "run_all", "versions"]
