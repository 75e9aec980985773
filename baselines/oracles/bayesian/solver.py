"""Solves two-player games in which each player moves once, with private information, by one linear program.

The payoff of player 0's behaviour strategy x[type, action] is a sum over the types of player 1. Each type plays the
action with the lowest payoff to player 0, and this payoff is linear in x. So the optimal strategy solves a linear
program, whose dual solution is player 1's strategy.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game.limits import LARGEST_PAYOFF
from baselines.matrix_game.optimal_sets import MOST_DISTANCE, distances_if_unique
from baselines.oracles.answers.guards import exact_probabilities
from baselines.oracles.answers.protocol import ExactPayoffs, Payoffs, Request
from baselines.oracles.answers.results import Behaviour, BestResponse, HeadToHead, PrivateSolution
from baselines.oracles.bayesian.from_rules import NotBayesianError, all_exactly, exact_payoffs, form_from_rules
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.constant_sum import is_constant_sum, require_constant_sum, zero_sum_form
from cardwar_envs.core.forms import BayesianForm
from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.policy import Policy, checked_probabilities, observation_keys
from cardwar_envs.core.table_policy import TablePolicy

# With at most this many pairs of a type and an action, rationals are fast enough to be the default.
EXACT_CHOICES = 48
# The seconds in rational arithmetic, for each cubed pair: Dice Poker of 120 sides, with 240 pairs, takes 16.
EXACT_SECONDS = 1.2e-6


@cached_by_game(8)
def form_of(game: Game[Any]) -> BayesianForm:
    """Returns the arrays of the game's zero-sum form, cached; raises a ValueError for malformed arrays.

    The error is a NotBayesianError if the players do not both move exactly once.
    """
    require_constant_sum(game, "an exact answer on private information")
    game = zero_sum_form(game)
    try:
        form = game.bayesian_form()
    except ValueError as not_declared:
        try:
            form = form_from_rules(game)
        except NotBayesianError as error:
            raise NotBayesianError(f"{not_declared}: {error}") from None
    if not ((form.deals >= 0).all() and 0 < form.deals.sum() < np.inf):
        raise ValueError(f"{game.facts.name}: deals must be finite and non-negative, and at least one must be positive")
    if not (np.abs(form.payoffs) <= LARGEST_PAYOFF).all():
        raise ValueError(f"{game.facts.name}: payoffs must be finite, at most {LARGEST_PAYOFF:g} in absolute value")
    for player, seen in enumerate(form.observations):
        if np.isnan(seen).any():
            raise ValueError(f"{game.facts.name}: a type of player_{player} sees NaN; observations must be numbers")
        if len(set(observation_keys(seen))) < len(form.types[player]):
            raise ValueError(f"{game.facts.name}: two types of player_{player} have the same observation")
    return form


def moves_once(game: Game[Any]) -> bool:
    """Returns whether a game has private information and two players who move once; raises ValueError like `form_of`.

    The tree of histories measures such games as well. This family is for sizes that it cannot reach, such as Dice
    Poker of 1,000 sides with its million deals; it also determines the ranges of all optimal strategies.
    """
    if game.facts.public_state or not is_constant_sum(game):
        return False
    try:
        form_of(game)
    except NotBayesianError:
        return False
    return True


class BayesianOracle:
    """The `Oracle` of two-player games in which each player moves once, with private information."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game

    def response(self, policies: Sequence[Policy], player: int) -> BestResponse:
        form = form_of(self._game)
        other = behaviour_of(self._game, policies[1 - player], 1 - player)
        replies = (1.0 if player == 0 else -1.0) * _replies(form, player, other)
        choices = np.eye(replies.shape[1])[replies.argmax(axis=1)]
        return BestResponse(float(replies.max(axis=1).sum()), _table(self._game, form, {player: choices}))

    def payoffs(self, policies: Sequence[Policy]) -> tuple[Payoffs, Payoffs]:
        worth, probabilities = outcomes(self._game, policies)
        payoff = float((worth * probabilities).sum())
        return (payoff, -payoff), (self.response(policies, 0).value, self.response(policies, 1).value)

    def exact_response(self, policies: Sequence[Policy], player: int) -> BestResponse:
        form = form_of(self._game)
        other = exact_behaviour_of(self._game, policies[1 - player], 1 - player)
        replies = _exact_replies(form, player, other)
        choices, value = np.eye(replies.shape[1])[replies.argmax(axis=1)], replies.max(axis=1).sum()
        return BestResponse(float(value), _table(self._game, form, {player: choices}), exact=value)

    def exact_payoffs(self, policies: Sequence[Policy]) -> tuple[ExactPayoffs, ExactPayoffs]:
        form = form_of(self._game)
        first, second = (exact_behaviour_of(self._game, policy, seat) for seat, policy in enumerate(policies))
        replies = _exact_replies(form, 0, second), _exact_replies(form, 1, first)
        payoff = (replies[0] * first).sum()
        return (payoff, -payoff), (replies[0].max(axis=1).sum(), replies[1].max(axis=1).sum())

    def check_invariances(self, policies: Sequence[Policy | None]) -> int:
        return 0

    def odds(self, policies: Sequence[Policy]) -> HeadToHead:
        if not form_of(self._game).certain:
            raise ValueError(
                f"{self._game.facts.name}: the odds of winning are not computed, because chance after the moves, or "
                "something that neither player sees, decides the payoff; nash_conv computes mean payoffs"
            )
        worth, odds = outcomes(self._game, policies)
        win, loss, tie = (float(odds[sign].sum()) for sign in (worth > 0, worth < 0, worth == 0))
        return HeadToHead(win, loss, tie, float((worth * odds).sum()))


def solve_bayesian(game: Game[Any], request: Request) -> PrivateSolution:
    """Returns the vertex where the deterministic solver stops: `exact_lp`'s simplex for rationals, else HiGHS."""
    if request.selection != "default":
        raise ValueError(f"selection ({request.selection!r}) must be 'default' for {game.facts.name}")
    form, begin = form_of(game), time.perf_counter()
    choices = [len(form.types[player]) * len(form.actions[player]) for player in (0, 1)]
    if request.exact or (request.exact is None and max(choices) <= EXACT_CHOICES and not _rounded(form)):
        if (forecast := getattr(request.progress, "forecast", None)) is not None:
            forecast(EXACT_SECONDS * max(choices) ** 3)
        value, fractions = _programs().solve_in_rationals(form)
        exact_behaviour: Any = tuple(tuple(map(tuple, strategy)) for strategy in fractions)
        behaviour = fractions[0].astype(float), fractions[1].astype(float)
        method = "linear program in rationals"
    else:
        value, exact_behaviour, behaviour = None, None, _programs().solve_in_floats(form)
        method = "linear program"
    lower = _replies(form, 1, behaviour[0]).min(axis=1).sum()
    upper = _replies(form, 0, behaviour[1]).max(axis=1).sum()
    states = sum(map(len, form.types))
    return PrivateSolution(
        game=game,
        value=float((lower + upper) / 2) if value is None else float(value),
        policy=_table(game, form, dict(enumerate(behaviour if value is None else fractions))),
        method=method,
        gap=max(float(upper - lower), 0.0) + (0.0 if value is not None else _rounding(form)),
        states=states,
        solved=states,
        seconds=time.perf_counter() - begin,
        exact=value,
        behaviour=behaviour,
        exact_behaviour=exact_behaviour,
        _form=form,
        _ranges=partial(optimal_range, game) if value is not None else partial(range_in_floats, game, behaviour),
    )


def _rounded(form: BayesianForm) -> bool:
    """Returns whether some payoffs are rounded floats, so that there is no solution in rationals."""
    try:
        exact_payoffs(form)
    except ValueError:
        return True
    return False


def _replies(form: BayesianForm, player: int, other: Behaviour) -> NDArray[np.float64]:
    """Returns player 0's payoff for each action of each type of `player`, times the type's probability."""
    weighted = form.weights[:, :, None, None] * np.asarray(form.payoffs, dtype=np.float64)
    path = "ijab,jb->ia" if player == 0 else "ijab,ia->jb"
    return np.asarray(np.einsum(path, weighted, other, optimize=True))


def _rounding(form: BayesianForm) -> float:
    """Bounds the rounding error of a sum of `_replies`, in which weights and strategies add up to 1."""
    terms = sum(len(form.types[player]) * (len(form.actions[player]) + 1) for player in (0, 1))
    return float(
        terms * np.finfo(np.float64).eps / 2 * np.abs(np.asarray(form.payoffs, dtype=np.float64)).max(initial=0.0)
    )


def _exact_replies(form: BayesianForm, player: int, other: NDArray[Any]) -> NDArray[Any]:
    """Like `_replies`, in fractions and with the payoffs of `player`."""
    weights = all_exactly(form.deals) / all_exactly(form.deals).sum()
    worth = weights[:, :, None, None] * exact_payoffs(form)
    if player == 0:
        return np.asarray((worth * other[None, :, None, :]).sum(axis=(1, 3)))
    return np.asarray((-worth * other[:, None, :, None]).sum(axis=(0, 2)))


def _table(game: Game[Any], form: BayesianForm, behaviour: Mapping[int, Behaviour]) -> TablePolicy:
    """Makes one policy for the given seats.

    Raises a ValueError if two seats have the same observation but must play differently.
    """
    table: dict[bytes, NDArray[np.float64]] = {}
    for player, strategy in behaviour.items():
        spread = np.zeros((len(strategy), game.facts.num_actions), dtype=strategy.dtype)
        spread[:, list(form.actions[player])] = strategy
        for key, row in zip(observation_keys(form.observations[player]), spread, strict=True):
            if not game.facts.seat_symmetric and not np.array_equal(table.get(key, row), row):
                raise ValueError(
                    f"{game.facts.name}: both players see the same observation but must play differently; observations "
                    "must show the seat, or facts.seat_symmetric be true"
                )
            table[key] = row
    return TablePolicy(table)


def _programs() -> Any:
    """Imports the module of linear programs on first use, since scipy takes half a second to import."""
    from baselines.oracles.bayesian import programs

    return programs


def optimal_range(game: Game[Any], player: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Returns the lowest and highest probability of each action over a player's optimal strategies.

    Each is `[types, own actions]` fractions.

    Raises:
        ValueError: If the game is of an unsupported kind, there is no such player, or payoffs are rounded floats.
    """
    player = whole_number("player", player, range(2))
    form = form_of(game) if player == 0 else _mirrored(form_of(game))
    return _programs().ranges_in_rationals(form)  # type: ignore[no-any-return]


def range_in_floats(
    game: Game[Any], behaviour: tuple[Behaviour, Behaviour], player: int
) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Returns `optimal_range`, given an equilibrium in floats; None if it is not determined.

    It is determined in fractions if the game is small and its payoffs are not rounded, and in floats if the equilibrium
    is provably unique.

    Raises:
        ValueError: If there is no such player.
    """
    player = whole_number("player", player, range(2))
    form = form_of(game)
    if max(each.size for each in behaviour) <= EXACT_CHOICES and not _rounded(form):
        low, high = optimal_range(game, player)
        # If rounding made the solver select a strategy that is not optimal, no range is right for it.
        near = (low - MOST_DISTANCE <= behaviour[player]) & (behaviour[player] <= high + MOST_DISTANCE)
        return (low, high) if near.all() else None
    worth = form.weights[:, :, None, None] * np.asarray(form.payoffs, dtype=np.float64)
    rows, columns = (each.size for each in behaviour)
    owners = [np.repeat(np.eye(len(each)), each.shape[1], axis=0) for each in behaviour]
    distances = distances_if_unique(
        worth.transpose(0, 2, 1, 3).reshape(rows, columns),
        (behaviour[0].ravel(), behaviour[1].ravel()),
        _rounding(form),
        (owners[0], owners[1]),
    )
    return None if distances is None else (behaviour[player], behaviour[player])


def _mirrored(form: BayesianForm) -> BayesianForm:
    """Returns the same game with the seats exchanged."""
    return replace(
        form,
        deals=form.deals.T,
        payoffs=-form.payoffs.transpose(1, 0, 3, 2),
        observations=form.observations[::-1],
        actions=form.actions[::-1],
        types=form.types[::-1],
    )


def behaviour_of(game: Game[Any], policy: Policy, player: int) -> Behaviour:
    """Queries a policy in a seat: `[types, own actions]`; raises a ValueError if it returns no behaviour strategy."""
    masks, actions = _masks(game, player)
    return checked_probabilities(policy, form_of(game).observations[player], masks)[:, actions]


def exact_behaviour_of(game: Game[Any], policy: Policy, player: int) -> NDArray[Any]:
    """Like `behaviour_of`, in fractions."""
    masks, actions = _masks(game, player)
    return exact_probabilities(policy, form_of(game).observations[player], masks)[:, actions]


def _masks(game: Game[Any], player: int) -> tuple[NDArray[np.int8], list[int]]:
    """Returns the masks of a player's types, and its actions."""
    form = form_of(game)
    actions = list(form.actions[player])
    masks = np.zeros((len(form.types[player]), game.facts.num_actions), dtype=np.int8)
    masks[:, actions] = 1
    return masks, actions


def outcomes(game: Game[Any], policies: Sequence[Policy]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns player 0's payoff and the probability of every outcome, `[types, types, actions, actions]`."""
    form = form_of(game)
    first, second = (behaviour_of(game, policy, seat) for seat, policy in enumerate(policies))
    probabilities = np.einsum("ij,ia,jb->ijab", form.weights, first, second, optimize=True)
    return np.asarray(form.payoffs, dtype=np.float64), probabilities
