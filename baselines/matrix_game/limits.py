"""Limits of matrix games: the required accuracy, the largest payoffs, and how many are solved at once."""

from __future__ import annotations

# Differences and sums of larger payoffs could overflow.
LARGEST_PAYOFF = 1e300
# A float result is accepted if its duality gap is at most this fraction of the payoffs' size.
RELATIVE_GAP = 1e-12
# Games solved at once: as many as there are numbers in the widest register of today's processors.
LANES = 8
