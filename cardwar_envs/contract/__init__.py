"""Checks for the rules of any game: what `Game` promises to environments and solvers, held to what the rules do.

`check_game` runs every check and gives a report. Each check is also a function of a `Case`, in `CHECKS` by name, that
raises `Failed` with the state that shows what is wrong.
"""

from cardwar_envs.contract.case import Case
from cardwar_envs.contract.runner import CHECKS, Report, check_game

__all__ = ["CHECKS", "Case", "Report", "check_game"]
