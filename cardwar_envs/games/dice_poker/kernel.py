"""Compiled rules of Dice Poker for many states at once; `CompiledRules` documents each function.

A row holds both rolls and both actions; an action is -1 before it is chosen.
"""

from __future__ import annotations

from cardwar_envs.core.compiled import njit
from cardwar_envs.core.streams_kernel import draw

# The same numbers as in the rules; a test compares them.
RAISE, FOLD = 1, 0


@njit()
def deal(tables, rows, streams, where, random):  # type: ignore[no-untyped-def]  # compiled
    sides = tables[0]
    for g in range(len(rows)):
        if where[g]:
            pair = int(draw(streams, g) * (sides * sides))
            rows[g, 0], rows[g, 1] = 1 + pair // sides, 1 + pair % sides
            rows[g, 2] = rows[g, 3] = -1.0


@njit()
def illegal(tables, rows, actions, where, flags):  # type: ignore[no-untyped-def]
    found = False
    for g in range(len(rows)):
        for player in range(2):
            fits = 0 <= actions[g, player] < 2 and rows[g, 2] < 0.0
            flags[g, player] = where[g] and not fits
            found |= flags[g, player]
    return found


@njit()
def play(tables, rows, streams, actions, where, rewards, over):  # type: ignore[no-untyped-def]
    _, ante, raised = tables
    for g in range(len(rows)):
        rewards[g, 0], rewards[g, 1], over[g] = 0.0, 0.0, where[g]
        if not where[g]:
            continue
        rows[g, 2], rows[g, 3] = actions[g, 0], actions[g, 1]
        paid = ante
        if actions[g, 0] != RAISE or actions[g, 1] != FOLD:
            stake = raised if actions[g, 0] == RAISE else ante
            paid = stake * (int(rows[g, 0] > rows[g, 1]) - int(rows[g, 0] < rows[g, 1]))
        rewards[g, 0], rewards[g, 1] = paid, 0.0 - paid


@njit()
def acting(tables, rows, acts):  # type: ignore[no-untyped-def]
    for g in range(len(rows)):
        acts[g, 0] = acts[g, 1] = rows[g, 2] < 0.0


@njit()
def uniform(tables, rows, streams, where, player, actions):  # type: ignore[no-untyped-def]
    for g in range(len(rows)):
        actions[g] = draw(streams, g) >= 0.5 if where[g] and rows[g, 2] < 0.0 else 0


@njit()
def observe(tables, rows, first, observations, masks):  # type: ignore[no-untyped-def]
    for g in range(len(rows)):
        for k in range(observations.shape[1]):
            observations[g, k, 0], observations[g, k, 1] = rows[g, first + k], first + k
            masks[g, k, 0] = masks[g, k, 1] = rows[g, 2] < 0.0
