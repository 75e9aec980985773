"""A small tree as a toy: its information states have one history each."""

import dataclasses
from itertools import product

from toys import END, Toy


@dataclasses.dataclass(frozen=True)
class CloseToy(Toy):
    """A toy that says what is at stake."""

    @property
    def facts(self):
        return dataclasses.replace(super().facts, min_payoff=-4.0, max_payoff=4.0)

    def __hash__(self):
        return id(self)


def pennies(a, b, c, d):
    """A last state in which both play 0 or 1; payoffs to player 0."""
    cells = product((0, 1), (0, 1))
    return (0, 1), {cell: [(1, END, paid)] for cell, paid in zip(cells, (a, b, c, d), strict=True)}


def tree():
    """Both move, then, after three of the four ways that this can go, play a matrix game: no two histories meet."""
    ways = {(0, 0): [(1, 1, 0)], (0, 1): [(1, 2, 0)], (1, 0): [(1, 3, 0)], (1, 1): [(1, END, 0.5)]}
    return CloseToy((((0, 1), ways), pennies(3, 0, 0, 1), pennies(-1, 2, 1, -1), pennies(0, 4, 2, -1)))
