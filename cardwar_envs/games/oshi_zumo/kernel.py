"""Compiled rules of Oshi-Zumo for many states at once; `CompiledRules` documents each function.

A row is player 0's observation: own coins, the other player's coins, the wrestler's position, the moves left.
"""

from __future__ import annotations

from cardwar_envs.core.compiled import njit
from cardwar_envs.core.streams_kernel import draw

# Of `play`, `uniform` and `observe`; see `compiled.bound`.
ALLOCATES_NOTHING = True


@njit(inline="always")
def _goes_on(tables, rows, g):  # type: ignore[no-untyped-def]  # compiled
    return rows[g, 3] > 0.0 and rows[g, 0] + rows[g, 1] > 0.0 and abs(rows[g, 2]) <= tables[1]


@njit(inline="always")
def _bids(tables, coins):  # type: ignore[no-untyped-def]
    """Returns the lowest and the highest bid of an acting player with that many coins."""
    return (tables[2], int(coins)) if coins >= tables[2] else (0, 0)


@njit()
def _bid(tables, rows, g, bid_0, bid_1):  # type: ignore[no-untyped-def]
    """Plays both bids; returns what player 0 is paid, and whether the game is over."""
    _, size, min_bid, _, alesia = tables
    rows[g, 0] -= bid_0
    rows[g, 1] -= bid_1
    rows[g, 2] += int(bid_0 > bid_1) - int(bid_0 < bid_1)
    rows[g, 3] -= 1.0
    if min_bid:
        rows[g, 3] = min(rows[g, 3], max(rows[g, 0], rows[g, 1]) // min_bid)
    position, over = rows[g, 2], not _goes_on(tables, rows, g)
    counts = over and (abs(position) > size or not alesia)
    return float(counts * (int(position > 0.0) - int(position < 0.0))), over


@njit()
def _start(tables, rows, g):  # type: ignore[no-untyped-def]
    rows[g, 0] = rows[g, 1] = tables[0]
    rows[g, 2], rows[g, 3] = 0.0, tables[3]


@njit()
def _any_bid(tables, rows, streams, g, player):  # type: ignore[no-untyped-def]
    least, most = _bids(tables, rows[g, player])
    return least + int(draw(streams, g) * (most - least + 1))


@njit()
def _walk(tables, rows, streams, g, moves):  # type: ignore[no-untyped-def]
    """Plays uniformly for so many moves or until the game is over; returns the number of moves played."""
    played, over = 0, False
    while played < moves and not over:
        bid_0 = _any_bid(tables, rows, streams, g, 0)
        bid_1 = _any_bid(tables, rows, streams, g, 1)
        _, over = _bid(tables, rows, g, bid_0, bid_1)
        played += 1
    return played


@njit()
def deal(tables, rows, streams, where, random):  # type: ignore[no-untyped-def]
    longest = tables[3]
    for g in range(len(rows)):
        if not where[g]:
            continue
        _start(tables, rows, g)
        if random and longest > 1:
            depth = int(draw(streams, g) * longest)
            before = streams[g]
            played = _walk(tables, rows, streams, g, depth)
            if played and not _goes_on(tables, rows, g):
                # Stop at one of the states visited, which a walk with the same numbers reaches again.
                stop = int(draw(streams, g) * played)
                after, streams[g] = streams[g], before
                _start(tables, rows, g)
                _walk(tables, rows, streams, g, stop)
                streams[g] = after


@njit()
def illegal(tables, rows, actions, where, flags):  # type: ignore[no-untyped-def]
    found = False
    for g in range(len(rows)):
        acts = where[g] and _goes_on(tables, rows, g)
        for player in range(2):
            least, most = _bids(tables, rows[g, player])
            flags[g, player] = acts and not least <= actions[g, player] <= most
            found |= flags[g, player]
    return found


@njit()
def play(tables, rows, streams, actions, where, rewards, over):  # type: ignore[no-untyped-def]
    for g in range(len(rows)):
        rewards[g, 0], rewards[g, 1], over[g] = 0.0, 0.0, False
        if where[g]:
            paid, over[g] = _bid(tables, rows, g, actions[g, 0], actions[g, 1])
            rewards[g, 0], rewards[g, 1] = paid, 0.0 - paid


@njit()
def acting(tables, rows, acts):  # type: ignore[no-untyped-def]
    for g in range(len(rows)):
        acts[g, 0] = acts[g, 1] = _goes_on(tables, rows, g)


@njit()
def uniform(tables, rows, streams, where, player, actions):  # type: ignore[no-untyped-def]
    for g in range(len(rows)):
        acts = where[g] and _goes_on(tables, rows, g)
        actions[g] = _any_bid(tables, rows, streams, g, player) if acts else 0


@njit()
def observe(tables, rows, first, observations, masks):  # type: ignore[no-untyped-def]
    for g in range(len(rows)):
        acts = _goes_on(tables, rows, g)
        for k in range(observations.shape[1]):
            player = first + k
            observations[g, k, 0], observations[g, k, 1] = rows[g, player], rows[g, 1 - player]
            observations[g, k, 2] = rows[g, 2] if player == 0 else 0.0 - rows[g, 2]
            observations[g, k, 3] = rows[g, 3]
            least, most = _bids(tables, rows[g, player])
            for i in range(masks.shape[2]):
                masks[g, k, i] = acts and least <= i <= most
