"""Equilibria of one decision, from `[players, actions of player 0, ...]` payoffs that are Fractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from baselines.general_sum.decision import Play
from baselines.general_sum.extreme import extreme_equilibria
from baselines.general_sum.logit import Branch, gain
from baselines.matrix_game.exact_lp import maximise
from cardwar_envs.core.rules import TooLargeError

# What a list of equilibria is: every one of its kind, one of possibly many, or provably the only one.
Claim = Literal["all", "one", "unique"]
Payoffs = NDArray[np.object_]
# Floats are tried as fractions with denominators up to these. Smaller probabilities are rounding errors.
DENOMINATORS, NEGLIGIBLE = (100, 10_000, 1_000_000), 1e-9
# Two players with more actions together in the support of an equilibrium keep its probabilities in floats.
MOST_PLAYED = 24
# The most entries of a linear program, 8 bytes each; in rationals, the most entries times joint actions, for a second.
MOST_ENTRIES, MOST_EXACTLY = 20_000_000, 40_000
TOLERANCES: Any = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
NEAR_LOGIT = "Newton's method from logit equilibria"
# Seeds of where branches of logit equilibria start: uniform play, then random play.
STARTS = (None, *range(20))
# Fractions may differ by this much from the floats for which they are taken.
NEAR = 1e-7


def pure_equilibria(payoffs: Payoffs) -> list[Play]:
    """Lists all equilibria in pure strategies, the lowest actions first."""
    best = np.ones(payoffs.shape[1:], dtype=bool)
    for player, own in enumerate(payoffs):
        best &= own == own.max(axis=player, keepdims=True)
    units = [[tuple(map(Fraction, row)) for row in np.eye(size).tolist()] for size in map(int, best.shape)]
    return [tuple(unit[action] for unit, action in zip(units, played, strict=True)) for played in np.argwhere(best)]


def mixed_equilibria(payoffs: Payoffs) -> tuple[list[Play], Claim, str]:
    """Returns equilibria, what they are and how they were found: all extreme ones, or one if these are too many."""
    if len(payoffs) > 2:
        return [near_logit(payoffs)], "one", NEAR_LOGIT
    if len(payoffs) == 1:
        found, how = pure_equilibria(payoffs), "comparison of all actions"
    else:
        found, how = extreme_equilibria(payoffs), "enumeration of vertices"
    if not found:
        return [_lemke_howson(payoffs)], "one", "Lemke and Howson's algorithm"
    return found, "unique" if len(found) == 1 else "all", how


def _lemke_howson(payoffs: Payoffs) -> Play:
    from quantecon.game_theory import NormalFormGame, Player, lemke_howson

    first, second = _normalised(payoffs)
    second = np.ascontiguousarray(second.T)
    return _rational(payoffs, lemke_howson(NormalFormGame((Player(first), Player(second)))))


def near_logit(payoffs: Payoffs, symmetric: bool = False) -> Play:
    """Returns an equilibrium near a logit equilibrium; with `symmetric`, one in which all players play alike."""
    found = next(filter(None, (Branch(_normalised(payoffs), symmetric, seed).nash() for seed in STARTS)), None)
    if found is None:
        raise ValueError(f"no equilibrium was found: logit equilibria from {len(STARTS)} starts could not be followed")
    return _rational(payoffs, [np.mean(found, axis=0)] * len(found) if symmetric else found)


def _normalised(payoffs: Payoffs) -> NDArray[np.float64]:
    """Returns payoffs in which each player's range from 0 to 1: players' units and offsets do not matter."""
    least = [own.min() for own in payoffs]
    return np.array([
        ((own - low) / ((own.max() - low) or 1)).astype(float) for own, low in zip(payoffs, least, strict=True)
    ])  # fmt: skip


def _rational(payoffs: Payoffs, mixes: Sequence[NDArray[np.float64]]) -> Play:
    """Returns an equilibrium in fractions that floats are rounded from; if none is recognised, the one in floats."""
    given = in_fractions(mixes)
    for play in _near(payoffs, mixes):
        near = all(
            abs(p - q) <= NEAR
            for mix, floats in zip(play, given, strict=True)
            for p, q in zip(mix, floats, strict=True)
        )
        if near and not gain(payoffs, [np.array(mix, dtype=object) for mix in play]):
            return play
    return given


def _near(payoffs: Payoffs, mixes: Sequence[NDArray[np.float64]]) -> Iterator[Play]:
    """Yields profiles in fractions that may be an equilibrium near one in floats."""
    for most in DENOMINATORS:
        play = tuple(tuple(Fraction(p).limit_denominator(most) for p in mix.tolist()) for mix in mixes)
        if all(sum(mix) == 1 for mix in play):
            yield play
    played = [np.flatnonzero(mix > NEGLIGIBLE) for mix in mixes]
    if len(mixes) == 2 and sum(map(len, played)) <= MOST_PLAYED:
        for part in extreme_equilibria(payoffs[np.ix_(np.arange(2), *played)]):
            shares = [dict(zip(actions.tolist(), mix, strict=True)) for actions, mix in zip(played, part, strict=True)]
            yield tuple(
                tuple(own.get(action, Fraction(0)) for action in range(len(mix)))
                for own, mix in zip(shares, mixes, strict=True)
            )


def in_fractions(mixes: Sequence[NDArray[np.float64]]) -> Play:
    """Returns mixes in floats as fractions with sum 1."""
    exact = [[Fraction(p) for p in mix.tolist()] for mix in mixes]
    return tuple(tuple(p / sum(mix) for p in mix) for mix in exact)


def require_symmetric(payoffs: Payoffs, name: str) -> None:
    """Raises a ValueError unless swapping any two players changes nothing."""
    for one, other in pairwise(range(len(payoffs))):
        order = list(range(len(payoffs)))
        order[one], order[other] = other, one
        swapped = payoffs[order].transpose(0, *(1 + player for player in order))
        if not np.array_equal(swapped, payoffs):
            raise ValueError(f"{name} is not symmetric: swapping player_{one} and player_{other} changes its payoffs")


def correlated(payoffs: Payoffs, coarse: bool, objective: str) -> tuple[NDArray[Any], str]:
    """Returns the distribution over joint actions, `[actions of player 0, ...]`, with the largest sum or minimum.

    The sum of payoffs ("sum") or the smallest one ("min") is maximised by a linear program over (coarse) correlated
    equilibria: in rationals if it is small, which proves the optimum, else in floats by HiGHS. Also returns the method.

    Raises:
        TooLargeError: If the linear program has more than `MOST_ENTRIES` entries.
    """
    joint_actions, sizes = payoffs[0].size, payoffs.shape[1:]
    entries = joint_actions * sum(size * (1 if coarse else size) for size in sizes)
    if entries > MOST_ENTRIES:
        raise TooLargeError(
            f"{joint_actions:,} joint actions with {entries // joint_actions:,} deviations are too many"
        )
    own: NDArray[Any] = payoffs
    goals: NDArray[Any] = (payoffs if objective == "min" else payoffs.sum(axis=0)).reshape(-1, joint_actions)
    goals = (goals - goals.min()) / ((goals.max() - goals.min()) or 1) + 1
    exact = entries * joint_actions <= MOST_EXACTLY
    if not exact:
        own, goals = _normalised(payoffs), goals.astype(float)
    # The last variable is at most each goal. These are positive, so the probabilities, of sum at most 1, reach it.
    rows = np.array([*_gains(own, coarse), *-goals, np.ones_like(goals[0])])
    matrix = np.column_stack([rows, [0] * (len(rows) - 1 - len(goals)) + [1] * len(goals) + [0]])
    maximised, bounds = [0] * joint_actions + [1], [0] * (len(rows) - 1) + [1]
    if exact:
        exactly = np.vectorize(Fraction, otypes=[object])
        found = maximise(*(exactly(each).tolist() for each in (maximised, matrix, bounds))).primal
        return np.array(found[:-1], dtype=object).reshape(sizes), "the simplex method in rationals"
    outcome = linprog(-np.array(maximised), matrix, bounds, method="highs-ds", options=TOLERANCES)
    if outcome.status != 0:
        raise ArithmeticError(f"HiGHS found no correlated equilibrium, although there is one: {outcome.message}")
    joint = np.maximum(np.asarray(outcome.x)[:-1], 0.0).reshape(sizes)
    return np.asarray(joint / joint.sum()), "HiGHS, the optimum up to rounding"


def _gains(payoffs: NDArray[Any], coarse: bool) -> Iterator[NDArray[Any]]:
    """Yields what every deviation gains at each joint action, one row for each player, recommendation and action."""
    for player, own in enumerate(payoffs):
        own = np.moveaxis(own, player, 0)
        for recommended, played in product([slice(None)] if coarse else range(len(own)), range(len(own))):
            row = np.zeros_like(own)
            row[recommended] = (own[played] - own)[recommended]
            yield np.moveaxis(row, 0, player).ravel()
