"""The three kinds of figures that measure a policy; every output names the kind, and none combines two kinds."""

from __future__ import annotations

from typing import Literal

# "exact" figures have no sampling error; a "lower bound" is on exploitability; "matches" are sampled games
# against named policies.
Kind = Literal["exact", "lower bound", "matches"]
# The explanation of each kind in plots and reports.
EXPLAINED: dict[str, str] = {
    "exact": "Exact: a sum over all states, without sampling.",
    "lower bound": "Lower bounds: an exploiter wins at least this much (99 % confidence). The true figure can be far "
    "higher; a low bound does not show that the policy is good.",
    "matches": "Matches: games against the named policies, with 99 % confidence intervals. They do not measure other "
    "opponents or exploitability.",
}
# Prefixes of the names of each kind's figures; other figures in a row, such as losses, describe training.
BEGINNINGS: dict[str, tuple[str, ...]] = {
    "exact": ("exploitability", "nash_conv", "guaranteed_", "gain_"),
    "lower bound": ("bound",),
    "matches": ("payoff_", "wins_"),
}
# Figures of a policy by name.
Figures = dict[str, float]


def is_measured(name: str, kind: Kind) -> bool:
    """Whether a figure in a row measures the policy; other figures, such as losses, describe training."""
    return name.startswith(BEGINNINGS[kind])
