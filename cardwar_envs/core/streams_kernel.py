"""Compiled draws from random streams; see `streams`."""

from __future__ import annotations

from typing import Any

from cardwar_envs.core import streams as plain
from cardwar_envs.core.compiled import njit, wraps_around
from cardwar_envs.core.streams import STEP, UNIT, UNUSED_BITS

# With at most so many weights, adding up the rest is faster than a branch that processors mispredict most of the time.
FEW = 64
# Mixes one 64-bit word; in plain Python, call it only within `wraps_around`.
mixed: Any = njit(inline="always")(plain.mixed)


@njit(inline="always")
@wraps_around
def draw(streams, g):  # type: ignore[no-untyped-def]  # compiled
    """Advances stream `g`; returns a number in [0, 1)."""
    streams[g] += STEP
    return (mixed(streams[g]) >> UNUSED_BITS) * UNIT


@njit()
def choose(weights, drawn, actions):  # type: ignore[no-untyped-def]
    """Draws one action per row of weights `[rows, num_actions]`, from numbers in [0, 1)."""
    for row in range(len(weights)):
        total = 0.0
        for weight in weights[row]:
            total += weight
        place, passed, action = drawn[row] * total, 0.0, 0
        # The second condition ensures that a product that rounds up to the total selects an action of positive weight.
        for weight in weights[row]:
            passed += weight
            goes_on = passed <= place and passed < total
            action += goes_on
            if not goes_on and len(weights[row]) > FEW:
                break
        actions[row] = action


@njit()
def held_card(counts, cards, drawn):  # type: ignore[no-untyped-def]
    """The rank of a card drawn, with a number in [0, 1), from a hand of `cards` cards with `counts` cards per rank."""
    place, passed, rank = drawn * cards, 0.0, 0
    for i in range(len(counts)):  # no branch here: processors would mispredict it most of the time
        passed += counts[i]
        rank += passed <= place
    return rank
