"""What does not depend on a game's rules in the compiled tree search: nodes, how they select actions, their updates.

Sources: M. Lanctot, V. Lisy, M. Winands, "Monte Carlo tree search in simultaneous move games with applications to
Goofspiel" (2014), for regret matching, decoupled UCT and Exp3 at the nodes of a tree; G. Neu, "Explore no more:
improved high-probability regret bounds for non-stochastic bandits" (2015), theorem 1, for the rates of Exp3, which need
no horizon, and for the implicit exploration that bounds its estimates. Scores are in half the range of payoffs.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from baselines.matrix_game.kernel import certify, solve_with
from cardwar_envs.core.compiled import njit, wraps_around
from cardwar_envs.core.streams import MIX_1, MIX_2
from cardwar_envs.core.streams_kernel import draw, mixed

MATRIX, REGRET, UCT, EXP3 = range(4)
NONE, ROLLOUT, ASK = range(3)  # how the value of a new node is estimated
SELECTIONS = {"matrix": MATRIX, "regret": REGRET, "uct": UCT, "exp3": EXP3}
LEAVES = {"uniform": ROLLOUT, "none": NONE}  # by name; a policy is asked
# Shares of moves that explore, and the weight of exploration in decoupled UCT.
EXPLORES, UCT_WEIGHT = 0.2, 1.0
# A solution stays while it guarantees its value up to this fraction of half the range of payoffs.
TOLERANCE = 1e-6
# The share of regret matching's moves that explore is this constant over the fourth root of a node's visits.
REGRET_EXPLORES = 0.5


# These functions allocate nothing, so nothing needs to be counted. They are inlined, because calls would pass dozens of
# arrays; by numba, because LLVM would first compile each of them, which doubles the time.
uncounted = njit(error_model="numpy", _nrt=False)
inlined = njit(error_model="numpy", _nrt=False, inline="always")


class Settings(NamedTuple):
    """What stays the same in all simulations."""

    rule: Any
    leaf: Any
    keyed: Any  # whether nodes belong to moves, so that there are no transpositions
    certain: Any  # whether joint actions have a single outcome
    scale: Any  # half the range of payoffs
    simulations: Any


class Nodes(NamedTuple):
    """The nodes of all searches of a lot."""

    states: Any  # [nodes, row_size] the rows of the states
    owners: Any  # [nodes] the search, or the move, to which the node belongs
    visits: Any  # [nodes]
    counts: Any  # [nodes, 2] how many legal actions each player has
    actions: Any  # [nodes, 2, width] these actions
    scores: Any  # [nodes, 2, width] regrets (REGRET), sums of payoffs (UCT) or estimated sums of payoffs (EXP3)
    weights: Any  # [nodes, 2, width] sums of strategies (REGRET, EXP3), visits (UCT), the solution (MATRIX)
    means: Any  # [nodes, width, width] mean payoffs of joint actions (MATRIX, REGRET)
    tries: Any  # [nodes, width, width] how often they were played
    values: Any  # [nodes] the value of the matrix game (MATRIX)
    priors: Any  # [nodes, 2, width] the strategies that explore, if there are any: [0, 2, width] means uniform ones
    slots: Any  # [slots] hash table of nodes, -1 where empty
    used: Any  # [1] how many nodes there are


class Searches(NamedTuple):
    """The searches of a lot, `[searches, ...]`, and their results."""

    streams: Any
    roots: Any  # [searches, row_size]
    path: Any  # [searches, longest, 3] the indices of both actions, and the node
    paid: Any  # [searches, longest] payoff points to player 0
    chances: Any  # [searches, longest, 2] the probabilities with which the actions were drawn
    lengths: Any  # [searches] of the paths
    leaves: Any  # [searches] the node that the simulation adds, or -1
    estimates: Any  # [searches] the values of the states that the simulations reach, or of `leaves`
    strategies: Any  # [searches, 2, num_actions] the results, also the values
    values: Any


class Scratch(NamedTuple):
    """Arrays for the functions of the rules and for matrix games; compiling is slower with all arrays in one tuple."""

    row: Any  # [1, row_size]
    stream: Any
    joint: Any
    where: Any
    rewards: Any
    over: Any
    seen: Any
    masks: Any
    mixes: Any  # [2, width]
    payoffs: Any  # [width * width]


@inlined
@wraps_around
def _slot(row, owner, mask):  # type: ignore[no-untyped-def]  # compiled
    """Returns the first slot of the hash table in which a row may be."""
    bits = np.uint64(owner) * MIX_2
    for k in range(len(row)):
        bits = (bits ^ np.uint64(np.int64(row[k] * 4.0))) * MIX_1
    return np.int64(mixed(bits) & np.uint64(mask))


@inlined
def write(values, place):  # type: ignore[no-untyped-def]
    """Copies an array, for which an assignment would allocate memory."""
    for k in range(len(values)):
        place[k] = values[k]


@inlined
def find(nodes, row, owner):  # type: ignore[no-untyped-def]
    """Returns the node of a state, or -1 and the empty slot where it belongs."""
    last = len(nodes.slots) - 1
    slot = _slot(row, owner, last)
    while nodes.slots[slot] >= 0:
        node = nodes.slots[slot]
        same = nodes.owners[node] == owner
        for k in range(len(row)):
            same &= nodes.states[node, k] == row[k]
        if same:
            return node, slot
        slot = (slot + 1) & last
    return -1, slot


@inlined
def _drawn(mix, count, scratch):  # type: ignore[no-untyped-def]
    """Draws an index by probabilities that sum to one."""
    place, k = draw(scratch.stream, 0), 0
    while k < count - 1 and place >= mix[k]:
        place -= mix[k]
        k += 1
    return k


@inlined
def _positive_part(scores, mix, count):  # type: ignore[no-untyped-def]
    """Regret matching: probabilities in proportion to positive regrets."""
    total = 0.0
    for k in range(count):
        mix[k] = max(scores[k], 0.0)
        total += mix[k]
    for k in range(count):
        mix[k] = mix[k] / total if total > 0.0 else 1.0 / count


@inlined
def _softmax(scores, mix, count, rate):  # type: ignore[no-untyped-def]
    """Exponential weights."""
    greatest, total = -np.inf, 0.0
    for k in range(count):
        greatest = max(greatest, scores[k])
    for k in range(count):
        mix[k] = math.exp(rate * (scores[k] - greatest))
        total += mix[k]
    for k in range(count):
        mix[k] /= total


@inlined
def _rate(nodes, node, p):  # type: ignore[no-untyped-def]
    """The learning rate of Exp3 at a node."""
    count = nodes.counts[node, p]
    return math.sqrt(math.log(count) / (count * (nodes.visits[node] + 1.0)))


@inlined
def _upper_bound(nodes, scratch, node, p):  # type: ignore[no-untyped-def]
    """Decoupled UCT: the action of the highest upper confidence bound; ties are broken at random."""
    best, ties, chosen, log = -np.inf, 0, 0, math.log(nodes.visits[node] + 1.0)
    for k in range(nodes.counts[node, p]):
        tried = nodes.weights[node, p, k]
        bound = 1e9 if tried == 0.0 else nodes.scores[node, p, k] / tried + UCT_WEIGHT * math.sqrt(log / tried)
        if bound > best:
            best, ties, chosen = bound, 1, k
        elif bound == best:
            ties += 1
            chosen = k if draw(scratch.stream, 0) * ties < 1.0 else chosen
    return chosen


@inlined
def select(nodes, scratch, node, p, rule):  # type: ignore[no-untyped-def]
    """Chooses the index of a player's action; returns its probability too, and adds to the average strategies."""
    count, mix = nodes.counts[node, p], scratch.mixes[p]
    if count == 1:
        nodes.weights[node, p, 0] = 1.0
        return 0, 1.0
    if rule == UCT:
        chosen = _upper_bound(nodes, scratch, node, p)
        nodes.weights[node, p, chosen] += 1.0
        return chosen, 1.0
    explores = EXPLORES
    if rule == REGRET:
        _positive_part(nodes.scores[node, p], mix, count)
        explores = REGRET_EXPLORES / math.sqrt(math.sqrt(nodes.visits[node] + 1.0))
    elif rule == EXP3:
        _softmax(nodes.scores[node, p], mix, count, _rate(nodes, node, p))
        explores = 0.0
    for k in range(count):
        if rule == MATRIX:
            mix[k] = nodes.weights[node, p, k]
        else:
            nodes.weights[node, p, k] += mix[k]
        prior = nodes.priors[node, p, k] if len(nodes.priors) else 1.0 / count
        mix[k] = (1.0 - explores) * mix[k] + explores * prior
    chosen = _drawn(mix, count, scratch)
    return chosen, mix[chosen]


@inlined
def next_untried(nodes, node):  # type: ignore[no-untyped-def]
    """Returns the next joint action of a node that tries each once, spread evenly over the actions of both players."""
    rows, columns = nodes.counts[node, 0], nodes.counts[node, 1]
    turn, first = divmod(nodes.visits[node], rows)
    return first, (first + turn) % columns


@inlined
def _regrets(nodes, scratch, node, i, j, chances, value, scale):  # type: ignore[no-untyped-def]
    """Adds the regrets of all actions against the other player's action, by the mean payoffs of joint actions.

    Payoffs are weighted so that moves that explore add nothing on average, and compared with the mean payoff of the
    player's strategy, not with that of the action drawn. So exploration does not bias the strategies at this node.
    """
    means, x, y = nodes.means[node], scratch.mixes[0], scratch.mixes[1]
    means[i, j] += (value - means[i, j]) / nodes.tries[node, i, j]
    _positive_part(nodes.scores[node, 0], x, nodes.counts[node, 0])
    _positive_part(nodes.scores[node, 1], y, nodes.counts[node, 1])
    first, second = 0.0, 0.0
    for k in range(nodes.counts[node, 0]):
        first += x[k] * means[k, j]
    for k in range(nodes.counts[node, 1]):
        second += y[k] * means[i, k]
    weight_0, weight_1 = y[j] / (chances[1] * scale), x[i] / (chances[0] * scale)
    for k in range(nodes.counts[node, 0]):
        nodes.scores[node, 0, k] += weight_0 * (means[k, j] - first)
    for k in range(nodes.counts[node, 1]):
        nodes.scores[node, 1, k] += weight_1 * (second - means[i, k])


@inlined
def _solve(nodes, scratch, work, node, i, j, value, settings):  # type: ignore[no-untyped-def]
    """Updates the payoffs of a joint action and solves the matrix game again, if it has changed; returns its value."""
    rows, columns = nodes.counts[node, 0], nodes.counts[node, 1]
    # The values of later nodes improve, so the newest counts alone or, if there is chance, in proportion to its number.
    rate = 1.0 if settings.certain else 2.0 / (nodes.tries[node, i, j] + 1.0)
    change = (value - nodes.means[node, i, j]) * rate
    tried, all_of_them = nodes.visits[node], rows * columns
    if change == 0.0 and tried != all_of_them:
        return nodes.values[node]
    nodes.means[node, i, j] += change
    matrix = scratch.payoffs[: rows * columns].reshape((rows, columns))
    for k in range(rows):
        for m in range(columns):
            matrix[k, m] = nodes.means[node, k, m]
    x, y = nodes.weights[node, 0, :rows], nodes.weights[node, 1, :columns]
    low, high = certify(matrix, x, y)
    if not high - low <= TOLERANCE * settings.scale:
        low, high = solve_with(matrix, x, y, work)
    # A learned value is better than that of a matrix game in which it stands for what was not tried.
    if tried >= all_of_them or not len(nodes.priors):
        nodes.values[node] = 0.5 * (low + high)
    return nodes.values[node]


@inlined
def update(nodes, searches, scratch, work, settings, g):  # type: ignore[no-untyped-def]
    """Completes a simulation of search `g`: updates the nodes on its path by the estimate of the state reached."""
    value, leaf, rule = searches.estimates[g], searches.leaves[g], settings.rule
    if leaf >= 0 and rule == MATRIX:  # the value also of all joint actions that are not tried yet
        nodes.values[leaf] = value
        nodes.means[leaf] = value
        for p in range(2):
            for k in range(nodes.counts[leaf, p]):
                nodes.weights[leaf, p, k] = 1.0 / nodes.counts[leaf, p]
    searches.leaves[g] = -1
    for depth in range(searches.lengths[g] - 1, -1, -1):
        i, j, node = searches.path[g, depth, 0], searches.path[g, depth, 1], searches.path[g, depth, 2]
        value += searches.paid[g, depth]
        if len(nodes.tries):
            nodes.tries[node, i, j] += 1
        if rule == MATRIX:
            value = _solve(nodes, scratch, work, node, i, j, value, settings)
        elif rule == REGRET:
            _regrets(nodes, scratch, node, i, j, searches.chances[g, depth], value, settings.scale)
        elif rule == UCT:
            nodes.scores[node, 0, i] += value / settings.scale
            nodes.scores[node, 1, j] -= value / settings.scale
        else:
            chances = searches.chances[g, depth]
            half_0, half_1 = 0.5 * _rate(nodes, node, 0), 0.5 * _rate(nodes, node, 1)
            nodes.scores[node, 0, i] += 0.5 * (value / settings.scale - 1.0) / (chances[0] + half_0)
            nodes.scores[node, 1, j] -= 0.5 * (value / settings.scale + 1.0) / (chances[1] + half_1)


@inlined
def report(nodes, searches, root, g):  # type: ignore[no-untyped-def]
    """Writes the recommended strategies of both players, and the value of the root, as results of search `g`."""
    searches.values[g] = nodes.values[root]
    for p in range(2):
        total = 0.0
        for k in range(nodes.counts[root, p]):
            total += nodes.weights[root, p, k]
        for k in range(nodes.counts[root, p]):
            searches.strategies[g, p, nodes.actions[root, p, k]] = nodes.weights[root, p, k] / total
