"""Arrays of a game in which both players move once on private information, from its rules alone."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.state_graph.game_graph import END, build_graph
from baselines.oracles.state_graph.soundness import legal_actions, require_shape, require_starts
from cardwar_envs.core.forms import BayesianForm
from cardwar_envs.core.game import Game
from cardwar_envs.core.numbers import exactly
from cardwar_envs.core.policy import observation_keys
from cardwar_envs.core.rules import TooLargeError, Transition

# Maximum number of deals that are listed, and largest sum of `BayesianForm.deals`.
MOST_DEALS, MOST_WEIGHT = 100_000, 2**53


class NotBayesianError(ValueError):
    """A game is not of the kind that `form_from_rules` computes."""


def form_from_rules(game: Game[Any]) -> BayesianForm:
    """Computes what `Game.bayesian_form` returns; the payoffs are Fractions unless the rules give rounded floats.

    Raises:
        NotBayesianError: If the players do not both move exactly once, simultaneously and with the same actions after
            every deal, or there are too many deals.
        ValueError: If the rules fail the checks of `state_graph/soundness.py`.
    """
    require_starts(game)
    starts = [start for start in game.initial() if start.probability]
    if len(starts) > MOST_DEALS:
        raise NotBayesianError(f"{len(starts):,} deals are more than {MOST_DEALS:,}; declare bayesian_form")
    actions = _actions(game, starts)
    _require_sound_moves(game, starts)
    numbers: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})
    seen: tuple[list[Any], list[Any]] = ([], [])
    weights: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    sums: dict[tuple[int, ...], Any] = defaultdict(lambda: np.full(tuple(map(len, actions)), Fraction(0)))
    certain, rounded = True, list[float]()
    for start in starts:
        deal = []
        for player, observations in enumerate(seen):
            observation = game.observation(start.state, player)
            require_shape(game, "an observation", observation, game.facts.observation_size)
            (key,) = observation_keys(observation[None])
            deal.append(numbers[player].setdefault(key, len(observations)))
            if deal[player] == len(observations):
                observations.append(observation)
        paid, fixed = _payoffs(game, start, actions, rounded)
        known, probability = weights[tuple(deal)] > 0, _fraction(start.probability, rounded)
        certain = certain and fixed and (not known or (sums[tuple(deal)] == weights[tuple(deal)] * paid).all())
        weights[tuple(deal)] += probability
        sums[tuple(deal)] += probability * paid
    shape = len(seen[0]), len(seen[1])
    payoffs = np.zeros((*shape, *map(len, actions)), dtype=object)
    unit = math.lcm(*(weight.denominator for weight in weights.values()))
    if unit > MOST_WEIGHT:
        raise NotBayesianError(
            f"the probabilities of the deals have the common denominator {unit:,}; declare bayesian_form"
        )
    deals = np.zeros(shape, dtype=np.int64)
    for types, weight in weights.items():
        deals[types], payoffs[types] = int(weight * unit), sums[types] / weight
    return BayesianForm(
        deals=deals,
        payoffs=payoffs.astype(np.float64) if rounded else payoffs,
        observations=(np.array(seen[0]), np.array(seen[1])),
        actions=actions,
        types=(_names(seen[0]), _names(seen[1])),
        certain=certain,
        rounded=rounded[0] if rounded else None,
    )


def _actions(game: Game[Any], starts: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    found = set()
    for start in starts:
        if game.acting_players(start.state) != (0, 1):
            raise NotBayesianError(f"after the deal {start.state!r}, the players do not both move")
        found.add((tuple(legal_actions(game, start.state, 0)), tuple(legal_actions(game, start.state, 1))))
    if len(found) > 1:
        raise NotBayesianError("the legal actions depend on the deal")
    return found.pop()


def _require_sound_moves(game: Game[Any], starts: list[Transition[Any]]) -> None:
    """Raises a ValueError unless one joint action ends the game; `build_graph` checks probabilities and payments."""
    try:
        ends = bool((build_graph(game, starts, max_states=len(starts)).children == END).all())
    except TooLargeError:
        ends = False
    if not ends:
        raise NotBayesianError("after one joint action, the game goes on")


def _payoffs(
    game: Game[Any], start: Transition[Any], actions: tuple[tuple[int, ...], tuple[int, ...]], rounded: list[float]
) -> tuple[Any, bool]:
    """Returns player 0's mean payoff for each pair of actions as a fraction, including the payment at the deal.

    Also returns whether the actions determine the payoff, and appends floats that were rounded to `rounded`.
    """
    payoffs, fixed = np.full(tuple(map(len, actions)), Fraction(0)), True
    for (i, first), (j, second) in product(*map(enumerate, actions)):
        outcomes = game.transitions(start.state, {0: first, 1: second})
        fixed = fixed and len({outcome.rewards[0] for outcome in outcomes if outcome.probability}) == 1
        for outcome in outcomes:
            paid = _fraction(start.rewards[0], rounded) + _fraction(outcome.rewards[0], rounded)
            payoffs[i, j] += _fraction(outcome.probability, rounded) * paid
    return payoffs, fixed


def _fraction(number: Any, rounded: list[float]) -> Fraction:
    try:
        return exactly(number)
    except ValueError:
        rounded.append(float(number))
        return Fraction(rounded[-1])


def _names(observations: list[Any]) -> tuple[str, ...]:
    """Names each type by the entries of its observation that differ between types."""
    rows = np.array(observations)
    differ = (rows != rows[0]).any(axis=0)
    return tuple(" ".join(f"{entry:g}" for entry in row) for row in (rows[:, differ] if differ.any() else rows))


def all_exactly(numbers: NDArray[Any]) -> NDArray[Any]:
    """Converts the numbers of an array to fractions; raises ValueError like `exactly`."""
    return np.asarray(np.frompyfunc(exactly, 1, 1)(numbers.astype(object)), dtype=object)


def exact_payoffs(form: BayesianForm) -> NDArray[Any]:
    """Returns a form's payoffs as fractions; raises ValueError like `exactly`, also for means of rounded floats."""
    if form.rounded is not None:
        exactly(form.rounded)
    return all_exactly(form.payoffs)
