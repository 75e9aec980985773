"""Limits of matrix games: the required accuracy and the largest payoffs."""

from __future__ import annotations

# Differences and sums of larger payoffs could overflow.
LARGEST_PAYOFF = 1e300
# A float result is accepted if its duality gap is at most this fraction of the payoffs' size.
RELATIVE_GAP = 1e-12
