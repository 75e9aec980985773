"""Checks that a game's rules keep what `Game` promises to environments and solvers.

`check_game` runs every check and returns a report. `CHECKS` maps the name of each check to a function of a `Case` that
raises `Failed` with a state as a counterexample.
"""

from cardwar_envs.contract.case import Case
from cardwar_envs.contract.runner import CHECKS, Report, check_game
from cardwar_envs.contract.verdicts import Result

__all__ = ["CHECKS", "Case", "Report", "Result", "check_game"]
