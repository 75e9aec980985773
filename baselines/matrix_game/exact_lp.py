"""Solves small linear programs in rational arithmetic: the simplex method with Bland's rule, which cannot cycle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Rationals = Sequence[Fraction]


@dataclass(frozen=True)
class ExactOptimum:
    """A checked optimum: primal (by column) and dual (by row) solutions, both feasible and of equal value."""

    value: Fraction
    primal: tuple[Fraction, ...]
    dual: tuple[Fraction, ...]


class OptimalFace:
    """All optima of a linear program: maximise `objective . x` over `matrix x <= bounds, x >= 0`.

    No bound may be negative, so 0 is feasible.

    Attributes:
        optimum: The vertex where the simplex method stops.

    Raises:
        ValueError: If a bound is negative or the program is unbounded.
    """

    def __init__(self, objective: Rationals, matrix: Sequence[Rationals], bounds: Rationals) -> None:
        if min(bounds, default=0) < 0:
            raise ValueError("bounds must not be negative")
        rows, columns = len(matrix), len(objective)
        tableau = [[*row, bound] for row, bound in zip(matrix, bounds, strict=True)]
        tableau.append([*(-gain for gain in objective), Fraction(0)])
        basis, outside = list(range(columns, columns + rows)), list(range(columns))
        while candidates := [(outside[j], j) for j in range(columns) if tableau[rows][j] < 0]:
            column = min(candidates)[1]
            limits = [
                (tableau[i][columns] / tableau[i][column], basis[i], i) for i in range(rows) if tableau[i][column] > 0
            ]
            if not limits:
                raise ValueError("the program is unbounded")
            row = min(limits)[2]
            _exchange(tableau, row, column)
            basis[row], outside[column] = outside[column], basis[row]
        primal, dual = [Fraction(0)] * columns, [Fraction(0)] * rows
        for i, label in enumerate(basis):
            if label < columns:
                primal[label] = tableau[i][columns]
        for j, label in enumerate(outside):
            if label >= columns:
                dual[label - columns] = tableau[rows][j]
        self.optimum = ExactOptimum(tableau[rows][columns], tuple(primal), tuple(dual))
        _check(objective, matrix, bounds, self.optimum)
        # Elsewhere on the face, variables outside the basis may grow only if that costs nothing.
        free = [j for j in range(columns) if tableau[rows][j] == 0]
        self._basis, self._outside = basis, [outside[j] for j in free]
        self._matrix, self._bounds = [[row[j] for j in free] for row in tableau[:rows]], [row[-1] for row in tableau]

    def most(self, objective: Rationals) -> Fraction:
        """Returns the maximum of another objective over all optima."""
        gains = dict(enumerate(objective))
        used = [(gains[label], i) for i, label in enumerate(self._basis) if gains.get(label)]
        fixed = sum((gain * self._bounds[i] for gain, i in used), Fraction(0))
        growth = [
            gains.get(label, Fraction(0)) - sum((gain * self._matrix[i][j] for gain, i in used), Fraction(0))
            for j, label in enumerate(self._outside)
        ]
        return fixed + maximise(growth, self._matrix, self._bounds[: len(self._matrix)]).value


def maximise(objective: Rationals, matrix: Sequence[Rationals], bounds: Rationals) -> ExactOptimum:
    """Returns one optimum; arguments and exceptions as for `OptimalFace`."""
    return OptimalFace(objective, matrix, bounds).optimum


def _exchange(tableau: list[list[Fraction]], row: int, column: int) -> None:
    pivot = tableau[row][column]
    pivot_row = [entry / pivot for entry in tableau[row]]
    for i, entries in enumerate(tableau):
        factor = entries[column]
        if i != row and factor:
            tableau[i] = [e - factor * p if p else e for e, p in zip(entries, pivot_row, strict=True)]
            tableau[i][column] = -factor / pivot
    pivot_row[column] = 1 / pivot
    tableau[row] = pivot_row


def _check(objective: Rationals, matrix: Sequence[Rationals], bounds: Rationals, optimum: ExactOptimum) -> None:
    """Raises an ArithmeticError if primal and dual values differ, which would be a bug in the code above."""
    x, y = optimum.primal, optimum.dual
    feasible = min((*x, *y, Fraction(0))) == 0 and all(
        _dot(row, x) <= bound for row, bound in zip(matrix, bounds, strict=True)
    )
    dual_feasible = all(
        _dot(column, y) >= gain for column, gain in zip(zip(*matrix, strict=True), objective, strict=True)
    )
    if not (feasible and dual_feasible and _dot(objective, x) == _dot(bounds, y) == optimum.value):
        raise ArithmeticError("an exact optimum fails its own certificate")


def _dot(first: Rationals, second: Rationals) -> Fraction:
    return sum((a * b for a, b in zip(first, second, strict=True) if a and b), Fraction(0))
