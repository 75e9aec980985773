"""Checks for any simultaneous-move environment, beyond PettingZoo's own tests.

`load` finds an environment by its PettingZoo id or its module, `run_all` runs every check on it. `CHECKS` has each
check by name: a function of a `Subject` that raises `Failed`, an AssertionError, so any test suite can call it. It
raises `NotApplicable` if there is nothing to check.
"""

from cardwar_envs.conformance.explore import coverage
from cardwar_envs.conformance.runner import CHECKS, run, run_all
from cardwar_envs.conformance.software import versions
from cardwar_envs.conformance.subject import Subject, load
from cardwar_envs.conformance.verdicts import Failed, NotApplicable, Result

__all__ = ["CHECKS", "Failed", "NotApplicable", "Result", "Subject", "coverage", "load", "run", "run_all", "versions"]
