"""Compiled tree search for simultaneous moves, on any rules in the form of `CompiledRules`.

Source: M. Lanctot, V. Lisy, M. Winands, "Monte Carlo tree search in simultaneous move games with applications to
Goofspiel" (2014).

A simulation descends from the root until it reaches a state that is not in the tree yet, adds a node for it, estimates
its value, and updates the nodes on its path. The first one adds only the root, and is not counted. A state that is
reached in different ways has one node, unless `keyed` says that nodes belong to the move that leads to them.

`compiled.bound` replaces `play`, `uniform` and `observe` by the functions of a game.
"""

from __future__ import annotations

from baselines.search.nodes_kernel import (
    ASK,
    MATRIX,
    ROLLOUT,
    find,
    inlined,
    next_untried,
    report,
    select,
    uncounted,
    update,
    write,
)
from cardwar_envs.games.duel.kernel import observe, play, uniform  # replaced by those of the game


@inlined
def _add(tables, nodes, scratch, owner, slot):  # type: ignore[no-untyped-def]
    """Makes a node for the state in `scratch.row`."""
    node = nodes.used[0]
    nodes.used[0] += 1
    nodes.slots[slot], nodes.owners[node], nodes.visits[node] = node, owner, 0
    write(scratch.row[0], nodes.states[node])
    nodes.scores[node], nodes.weights[node] = 0.0, 0.0
    if len(nodes.tries):
        nodes.means[node], nodes.tries[node] = 0.0, 0
    observe(tables, scratch.row, 0, scratch.seen, scratch.masks)
    for p in range(2):
        count = 0
        for action in range(scratch.masks.shape[2]):
            if scratch.masks[0, p, action]:
                nodes.actions[node, p, count] = action
                count += 1
        if count == 0:  # another player acts
            nodes.actions[node, p, 0] = 0
            count = 1
        nodes.counts[node, p] = count
    return node


@inlined
def descend(tables, nodes, searches, scratch, settings, g):  # type: ignore[no-untyped-def]
    """Plays from the root of search `g` to a new node, which it returns, or to the end of the game: -1."""
    row, joint = scratch.row, scratch.joint
    write(searches.roots[g], row[0])
    owner, depth = g, 0
    while True:
        node, slot = find(nodes, row[0], owner)
        if node < 0:
            searches.lengths[g] = depth
            return _add(tables, nodes, scratch, owner, slot)
        step = searches.path[g, depth]
        step[2] = node
        for p in range(2):
            step[p], searches.chances[g, depth, p] = select(nodes, scratch, node, p, settings.rule)
        if settings.rule == MATRIX and nodes.visits[node] < nodes.counts[node, 0] * nodes.counts[node, 1]:
            step[0], step[1] = next_untried(nodes, node)
        nodes.visits[node] += 1
        for p in range(2):
            joint[0, p] = nodes.actions[node, p, step[p]]
        play(tables, row, scratch.stream, joint, scratch.where, scratch.rewards, scratch.over)
        searches.paid[g, depth] = scratch.rewards[0, 0]
        depth += 1
        if scratch.over[0]:
            searches.lengths[g] = depth
            return -1
        if settings.keyed:
            width = nodes.actions.shape[2]
            owner = len(searches.roots) + (node * width + step[0]) * width + step[1]


@inlined
def _rollout(tables, scratch):  # type: ignore[no-untyped-def]
    """Plays uniformly from `scratch.row` to the end; returns payoff points to player 0."""
    total = 0.0
    while True:
        for p in range(2):
            uniform(tables, scratch.row, scratch.stream, scratch.where, p, scratch.joint[:, p])
        play(tables, scratch.row, scratch.stream, scratch.joint, scratch.where, scratch.rewards, scratch.over)
        total += scratch.rewards[0, 0]
        if scratch.over[0]:
            return total


@uncounted
def simulate(tables, nodes, searches, scratch, work, settings, first, last):  # type: ignore[no-untyped-def]
    """Makes the simulations `first` to `last - 1` of every search; one more than there are completes the last of them.

    If a leaf is asked for values, this takes them from `estimates`, so it makes one simulation at a time, and `leaves`
    are the nodes whose values the next call needs. Otherwise it makes all simulations of one search after the other,
    in the same nodes.
    """
    alone = settings.leaf != ASK
    for g in range(len(searches.roots)):
        scratch.stream[0] = searches.streams[g]
        if alone:
            nodes.slots[:] = -1
            nodes.used[0] = 0
        for number in range(first, last):
            update(nodes, searches, scratch, work, settings, g)
            if number <= settings.simulations:
                searches.leaves[g] = descend(tables, nodes, searches, scratch, settings, g)
                asked = searches.leaves[g] >= 0 and settings.leaf == ROLLOUT
                searches.estimates[g] = _rollout(tables, scratch) if asked else 0.0
            else:
                report(nodes, searches, 0 if alone else g, g)
        searches.streams[g] = scratch.stream[0]
