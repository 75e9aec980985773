"""Continuation payoffs at a state, in floats or in fractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game.solve import solve_matrix_exact
from cardwar_envs.core.game import Game, Transition
from cardwar_envs.core.numbers import exactly
from cardwar_envs.core.rules import TooLargeError

# Strategies of both players, each `[num_actions]` probabilities.
Strategies = tuple[NDArray[np.float64], NDArray[np.float64]]
# The same, with probabilities as fractions.
ExactStrategies = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]
# The number types used in computations.
N = TypeVar("N", float, Fraction)
# Limits of `ExactPlay`, for less than a second: the sum over all matrix games of the product of rows, columns and
# shorter side, plus 10; the bits of a fraction; and the length of a game.
MOST_WORK, MOST_BITS, MOST_MOVES = 8_000, 1_000, 50


class ExactPlay:
    """Values in rational arithmetic at states from which the rest of the game is small.

    Which states are small enough depends on the state alone, if each is asked of a new object.
    """

    def __init__(self, game: Game[Any]) -> None:
        self._game, self._values = game, dict[Any, Fraction]()
        self._work, self._moves = 0, 0

    def matrix(self, state: Any) -> list[list[Fraction]]:
        """Returns the matrix game at a state.

        Raises:
            TooLargeError: If the rest of the game is too large.
            ValueError: If numbers in the rules are rounded floats.
        """
        acting = self._game.acting_players(state)
        first, second = (len(self._game.legal_actions(state, p)) if p in acting else 1 for p in (0, 1))
        self._work += first * second * min(first, second) + 10
        if self._work > MOST_WORK or self._moves == MOST_MOVES:
            raise TooLargeError(f"the rest of {self._game.facts.name} is too large for quick answers in fractions")
        self._moves += 1
        matrix = matrix_at(self._game, state, exactly, self._value_to_go)
        self._moves -= 1
        return matrix

    def _value_to_go(self, state: Any) -> Fraction:
        if not self._game.acting_players(state):
            return Fraction(0)
        if (settled := self._game.settled(state)) is not None:
            return exactly(settled[0])
        representative, seats = self._game.canonical(state)
        if representative not in self._values:
            value = solve_matrix_exact(self.matrix(representative)).value
            if value.denominator.bit_length() > MOST_BITS:
                raise TooLargeError(f"{self._game.facts.name}: fractions get too long for quick answers")
            self._values[representative] = value
        value = self._values[representative]
        return -value if seats == (1, 0) else value


def matrix_at(
    game: Game[Any], state: Any, number: Callable[[Any], N], value_to_go: Callable[[Any], N]
) -> list[list[N]]:
    """Returns the matrix game at a state: player 0's continuation payoffs per joint action, floats or fractions."""

    def worth(outcomes: Sequence[Transition[Any]]) -> N:
        return sum(
            (number(each.probability) * (number(each.rewards[0]) + value_to_go(each.state)) for each in outcomes),
            number(0),
        )

    return [[worth(outcomes) for outcomes in row] for row in _outcomes(game, state)]


def equal_actions(game: Game[Any], state: Any) -> tuple[list[int], list[int]]:
    """Returns, for each row and column of the matrix game at a state, the first that is the same by the rules.

    These have the same outcomes, up to states with the same representative, whatever the other player does.
    """

    def future(after: Any) -> Any:
        settled = game.settled(after) if game.acting_players(after) else (0.0, 0.0)
        return game.canonical(after) if settled is None else settled[0]

    futures = [
        [tuple((each.probability, each.rewards[0], future(each.state)) for each in outcomes) for outcomes in row]
        for row in _outcomes(game, state)
    ]
    columns = list(zip(*futures, strict=True))
    return [futures.index(row) for row in futures], [columns.index(column) for column in columns]


def _outcomes(game: Game[Any], state: Any) -> list[list[Sequence[Transition[Any]]]]:
    """Returns the outcomes of each joint action; a player who does not act has one row or column."""
    acting = game.acting_players(state)  # others add nothing to a joint action
    choices: list[list[dict[int, int]]] = [
        [{player: action} for action in game.legal_actions(state, player)] if player in acting else [{}]
        for player in (0, 1)
    ]
    return [[game.transitions(state, {**row, **column}) for column in choices[1]] for row in choices[0]]
