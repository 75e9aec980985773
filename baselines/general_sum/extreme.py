"""All extreme equilibria of a bimatrix game, in integer arithmetic.

Every equilibrium is a convex combination of extreme ones, whose strategies are vertices of the best-response polyhedra.
They are the pairs of vertices that have all labels: D. Avis, G. Rosenberg, R. Savani and B. von Stengel, "Enumeration
of Nash equilibria for two-player games", Economic Theory 42 (2010). The vertices are found by the double description
method (K. Fukuda and A. Prodon, "Double description method revisited", 1996), which covers degenerate games.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import gcd, lcm
from operator import mul
from typing import Any

from numpy.typing import NDArray

from baselines.general_sum.decision import Play

# With more vertices, enumeration takes minutes.
MOST_VERTICES = 2_000
# A point in homogeneous coordinates, and the numbers of the constraints that are tight there, as bits.
Vertex = tuple[tuple[int, ...], int]


def extreme_equilibria(payoffs: NDArray[Any]) -> list[Play]:
    """Lists all extreme equilibria, those with the fewest actions first; none if there are too many vertices.

    `payoffs` are `[2, rows, columns]` Fractions.
    """
    _, rows, columns = payoffs.shape
    firsts = _vertices(payoffs[1].T)
    seconds = _vertices(payoffs[0]) if firsts else []
    labels, own = (1 << rows + columns) - 1, (1 << columns) - 1
    # Row i and column j have the labels i and rows + j: not played, or a best response.
    turned = [(point, tight >> columns | (tight & own) << rows) for point, tight in seconds]
    pairs = [(x, y) for (x, of_x), (y, of_y) in product(firsts, turned) if of_x | of_y == labels]
    found = [tuple(tuple(Fraction(p, sum(point[:-1])) for p in point[:-1]) for point in pair) for pair in pairs]
    return sorted(found, key=lambda play: [(sum(map(bool, mix)), [not p for p in mix]) for mix in play])


def _vertices(payoffs: NDArray[Any]) -> list[Vertex]:
    """Lists the vertices, except 0, of {x >= 0, M x <= 1}, where M are payoffs scaled and shifted to be positive.

    Constraint k < len(x) is x[k] >= 0, the others are the rows of M. Returns an empty list if there are too many.
    """
    scale, least, size = lcm(*(each.denominator for each in payoffs.flat)), payoffs.min(), payoffs.shape[1]
    matrix = [[int((each - least) * scale) + 1 for each in row] for row in payoffs.tolist()]
    signs = (1 << size) - 1
    units = [[int(k == other) for other in range(size)] for k in range(size)]
    found = [((*units[k], matrix[0][k]), signs ^ 1 << k | 1 << size) for k in range(size)]
    found.append(((0,) * size + (1,), signs))
    for number, row in enumerate(matrix[1:], size + 1):
        normal = (*(-each for each in row), 1)
        slacks = [(*vertex, sum(map(mul, normal, vertex[0]))) for vertex in found]
        new = []
        for (x, of_x, inside), (y, of_y, outside) in product(slacks, slacks):
            both = of_x & of_y
            # The new constraint cuts the edges between vertices inside and outside: only these share their constraints.
            if inside > 0 > outside and both.bit_count() >= size - 1 and sum(t & both == both for _, t in found) == 2:
                point = [inside * b - outside * a for a, b in zip(x, y, strict=True)]
                new.append((tuple(each // gcd(*point) for each in point), both | 1 << number))
        found = [(point, tight | (not slack) << number) for point, tight, slack in slacks if slack >= 0] + new
        if len(found) > MOST_VERTICES:
            return []
    return [(point, tight) for point, tight in found if any(point[:-1])]
