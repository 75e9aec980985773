"""How exact a matrix game's solution must be, and how large its payoffs may be."""

from __future__ import annotations

# Differences and sums of larger payoffs could overflow.
LARGEST_PAYOFF = 1e300
# A float result is taken if its duality gap is at most this share of the payoffs' size.
RELATIVE_GAP = 1e-12
