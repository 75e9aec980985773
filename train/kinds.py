"""The three kinds of figures that measure a policy. They are never mixed and always named."""

from __future__ import annotations

from typing import Literal

# How a figure came about. "exact" has no error; a "lower bound" says only that a policy is at least so exploitable;
# "matches" are samples of games against policies with names.
Kind = Literal["exact", "lower bound", "matches"]
# Where a picture or a report shows them, each kind is explained by this.
EXPLAINED: dict[str, str] = {
    "exact": "Exact: a sum over all states, without samples.",
    "lower bound": "Lower bounds: an opponent was found that wins at least this much (99 % confidence). The true "
    "figure can be far higher; a low bound proves nothing.",
    "matches": "Matches: games that were played against the policies named, with 99 % confidence intervals. They say "
    "nothing about other opponents, or about the distance from optimal play.",
}
# How the names of a kind's figures begin; what else stands in a row is of the learning itself.
BEGINNINGS: dict[str, tuple[str, ...]] = {
    "exact": ("exploitability", "nash_conv", "guaranteed_", "gain_"),
    "lower bound": ("bound",),
    "matches": ("payoff_", "wins_"),
}
# Figures of a policy by name.
Figures = dict[str, float]


def is_measured(name: str, kind: Kind) -> bool:
    """Whether a figure of a row was measured of the policy; others, such as losses, are of the learning."""
    return name.startswith(BEGINNINGS[kind])
