"""Equilibria of one decision, from `[players, actions of player 0, ...]` payoffs that are Fractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from baselines.general_sum.decision import Play, deviation_gains
from baselines.general_sum.extreme import extreme_equilibria
from baselines.general_sum.logit import Branch, gain
from cardwar_envs.core.rules import TooLargeError

# What a list of equilibria is: every one of its kind, one of possibly many, or provably the only one.
Claim = Literal["all", "one", "unique"]
Payoffs = NDArray[np.object_]
# Floats are tried as fractions with denominators up to these. Smaller probabilities are rounding errors.
DENOMINATORS, NEGLIGIBLE = (100, 10_000, 1_000_000), 1e-9
# Two players with more actions together in the support of an equilibrium keep its probabilities in floats.
MOST_PLAYED = 24
# The most entries of a linear program, 8 bytes each.
MOST_ENTRIES = 20_000_000


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
        return [limit(payoffs)], "one", "the limit of logit equilibria"
    found = pure_equilibria(payoffs) if len(payoffs) == 1 else extreme_equilibria(payoffs)
    if not found:
        return [_lemke_howson(payoffs)], "one", "Lemke and Howson's algorithm"
    return found, "unique" if len(found) == 1 else "all", "enumeration of vertices"


def _lemke_howson(payoffs: Payoffs) -> Play:
    from quantecon.game_theory import NormalFormGame, Player, lemke_howson

    first, second = _normalised(payoffs)
    second = np.ascontiguousarray(second.T)
    return _rational(payoffs, lemke_howson(NormalFormGame((Player(first), Player(second)))))


def limit(payoffs: Payoffs, symmetric: bool = False) -> Play:
    """Returns the equilibrium to which logit equilibria lead; with `symmetric`, one in which all players play alike."""
    found = Branch(_normalised(payoffs), symmetric).limit()
    return _rational(payoffs, [np.mean(found, axis=0)] * len(found) if symmetric else found)


def _normalised(payoffs: Payoffs) -> NDArray[np.float64]:
    """Returns payoffs in which each player's range from 0 to 1: players' units and offsets do not matter."""
    least = [own.min() for own in payoffs]
    return np.array([
        ((own - low) / ((own.max() - low) or 1)).astype(float) for own, low in zip(payoffs, least, strict=True)
    ])  # fmt: skip


def _rational(payoffs: Payoffs, mixes: Sequence[NDArray[np.float64]]) -> Play:
    """Returns an equilibrium in fractions near one in floats; if none is recognised, the one in floats."""
    for most in DENOMINATORS:
        play = [[Fraction(p).limit_denominator(most) for p in mix.tolist()] for mix in mixes]
        if all(sum(mix) == 1 for mix in play) and not gain(payoffs, [np.array(mix, dtype=object) for mix in play]):
            return tuple(map(tuple, play))
    played = [np.flatnonzero(mix > NEGLIGIBLE) for mix in mixes]
    if len(mixes) == 2 and sum(map(len, played)) <= MOST_PLAYED:
        for part in extreme_equilibria(payoffs[np.ix_(np.arange(2), *played)]):
            whole = [np.full(len(mix), Fraction(0)) for mix in mixes]
            for mix, actions, shares in zip(whole, played, part, strict=True):
                mix[actions] = shares
            if not gain(payoffs, whole):
                return tuple(tuple(mix.tolist()) for mix in whole)
    return in_fractions(mixes)


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


def correlated(payoffs: Payoffs, coarse: bool, objective: str) -> NDArray[Any]:
    """Returns the distribution over joint actions, `[actions of player 0, ...]`, with the largest sum or minimum.

    The sum of payoffs ("sum") or the smallest one ("min") is maximised by a linear program over (coarse) correlated
    equilibria. Probabilities are Fractions if they are recognised, and then no player gains anything; else floats.

    Raises:
        TooLargeError: If the linear program has more than `MOST_ENTRIES` entries.
    """
    flat = payoffs.reshape(len(payoffs), -1).astype(float)
    deviations = sum(size * (1 if coarse else size) for size in payoffs.shape[1:])
    if deviations * flat.shape[1] > MOST_ENTRIES:
        raise TooLargeError(f"{flat.shape[1]:,} joint actions with {deviations:,} deviations are too many")
    flat = (flat - flat.min()) / (float(np.ptp(flat)) or 1.0)
    limits = np.array([*_gains(_normalised(payoffs), coarse), *-flat])
    least = np.append(np.zeros(len(limits) - len(flat)), np.ones(len(flat)))  # the last variable is at most each payoff
    outcome = linprog(
        -np.append(flat.sum(axis=0), 0.0) if objective == "sum" else -np.append(np.zeros(flat.shape[1]), 1.0),
        A_ub=np.column_stack([limits, least]),
        b_ub=np.zeros(len(limits)),
        A_eq=np.append(np.ones(flat.shape[1]), 0.0)[None],
        b_eq=[1.0],
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if outcome.status != 0:
        raise ArithmeticError(f"HiGHS found no correlated equilibrium, although there is one: {outcome.message}")
    joint = np.maximum(np.asarray(outcome.x)[:-1], 0.0).reshape(payoffs.shape[1:])
    for most in DENOMINATORS:
        exact = np.array([Fraction(p).limit_denominator(most) for p in joint.flat], dtype=object).reshape(joint.shape)
        if exact.sum() == 1 and not deviation_gains(payoffs, exact, coarse).total:
            return exact
    return np.asarray(joint / joint.sum())


def _gains(payoffs: NDArray[np.float64], coarse: bool) -> Iterator[NDArray[np.float64]]:
    """Yields what every deviation gains at each joint action, one row for each player, recommendation and action."""
    for player, own in enumerate(payoffs):
        own = np.moveaxis(own, player, 0)
        for recommended, played in product([slice(None)] if coarse else range(len(own)), range(len(own))):
            row = np.zeros_like(own)
            row[recommended] = (own[played] - own)[recommended]
            yield np.moveaxis(row, 0, player).ravel()
