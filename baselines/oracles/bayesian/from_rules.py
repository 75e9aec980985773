"""Arrays of a game in which both players move once on private information, from its rules alone."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from baselines.oracles.results import exactly
from cardwar_envs.core.arrays import observation_keys
from cardwar_envs.core.forms import BayesianForm
from cardwar_envs.core.game import Game
from cardwar_envs.core.play import listed
from cardwar_envs.core.rules import Transition

# Maximum number of deals that are listed, and largest sum of `BayesianForm.deals`.
MOST_DEALS, MOST_WEIGHT = 100_000, 2**53


def form_from_rules(game: Game[Any]) -> BayesianForm:
    """Computes what `Game.bayesian_form` returns; the payoffs are Fractions if floats would round them.

    Raises:
        ValueError: If the players do not both move exactly once, simultaneously and with the same actions after every
            deal, or there are too many deals.
    """
    starts = listed(game, game.initial())
    if len(starts) > MOST_DEALS:
        raise ValueError(f"{len(starts):,} deals are more than {MOST_DEALS:,}; declare bayesian_form")
    actions = _actions(game, starts)
    numbers: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})
    seen: tuple[list[Any], list[Any]] = ([], [])
    weights: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    sums: dict[tuple[int, ...], Any] = defaultdict(lambda: np.full(tuple(map(len, actions)), Fraction(0)))
    in_floats, certain = False, True
    for start in starts:
        deal = []
        for player, observations in enumerate(seen):
            observation = game.observation(start.state, player)
            (key,) = observation_keys(observation[None])
            deal.append(numbers[player].setdefault(key, len(observations)))
            if deal[player] == len(observations):
                observations.append(observation)
        paid, rounded, fixed = _payoffs(game, start, actions)
        known = weights[tuple(deal)] > 0
        certain = certain and fixed and (not known or (sums[tuple(deal)] == weights[tuple(deal)] * paid).all())
        weights[tuple(deal)] += start.probability
        sums[tuple(deal)] += start.probability * paid
        in_floats |= rounded
    shape = len(seen[0]), len(seen[1])
    payoffs = np.zeros((*shape, *map(len, actions)), dtype=object)
    unit = math.lcm(*(weight.denominator for weight in weights.values()))
    if unit > MOST_WEIGHT:
        raise ValueError(f"the probabilities of the deals have the common denominator {unit:,}; declare bayesian_form")
    deals = np.zeros(shape, dtype=np.int64)
    for place, weight in weights.items():
        deals[place], payoffs[place] = int(weight * unit), sums[place] / weight
    floats = payoffs.astype(np.float64)
    return BayesianForm(
        deals=deals,
        payoffs=floats if in_floats or (floats == payoffs).all() else payoffs,
        observations=(np.array(seen[0]), np.array(seen[1])),
        actions=actions,
        types=(_names(seen[0]), _names(seen[1])),
        certain=certain,
    )


def _actions(game: Game[Any], starts: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    found = set()
    for start in starts:
        if game.acting_players(start.state) != (0, 1):
            raise ValueError(f"after the deal {start.state!r}, the players do not both move")
        found.add((tuple(game.legal_actions(start.state, 0)), tuple(game.legal_actions(start.state, 1))))
    if len(found) > 1:
        raise ValueError("the legal actions depend on the deal")
    return found.pop()


def _payoffs(
    game: Game[Any], start: Transition[Any], actions: tuple[tuple[int, ...], tuple[int, ...]]
) -> tuple[Any, bool, bool]:
    """Returns player 0's mean payoff for each pair of actions as a fraction, including the payment at the deal.

    Also returns whether some payoffs were rounded floats, and whether the actions determine the payoff.
    """
    fixed = True
    payoffs, rounded = np.full(tuple(map(len, actions)), Fraction(0)), False
    for (i, first), (j, second) in product(*map(enumerate, actions)):
        outcomes = listed(game, game.transitions(start.state, {0: first, 1: second}))
        fixed = fixed and len({outcome.rewards[0] for outcome in outcomes}) == 1
        for outcome in outcomes:
            if game.acting_players(outcome.state):
                raise ValueError(f"after the actions {first} and {second}, the game goes on")
            paid = start.rewards[0], outcome.rewards[0]
            payoffs[i, j] += outcome.probability * sum(map(Fraction, paid))
            rounded = rounded or any(map(_is_rounded, paid))
    return payoffs, rounded, fixed


def _is_rounded(number: Any) -> bool:
    try:
        exactly(number)
    except ValueError:
        return True
    return False


def _names(observations: list[Any]) -> tuple[str, ...]:
    """Names each type by the entries of its observation that differ between types."""
    rows = np.array(observations)
    differ = (rows != rows[0]).any(axis=0)
    return tuple(" ".join(f"{entry:g}" for entry in row) for row in (rows[:, differ] if differ.any() else rows))
