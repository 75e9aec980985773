"""The linear programs of games with private types, in floats (by scipy) and in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from baselines.matrix_game.exact_lp import OptimalFace
from baselines.oracles.answers.results import Behaviour
from baselines.oracles.bayesian.from_rules import exact_payoffs
from cardwar_envs.core.forms import BayesianForm

TOLERANCE = 1e-10
FRACTIONS = np.frompyfunc(Fraction, 1, 1)


def solve_in_rationals(form: BayesianForm) -> tuple[Fraction, tuple[NDArray[Any], NDArray[Any]]]:
    """Returns the value and both strategies, each `[types, own actions]`, as fractions."""
    types_0, types_1, actions_0, actions_1 = form.payoffs.shape
    face, shift = _face_in_rationals(form)
    first = np.array(face.optimum.primal[: types_0 * actions_0], dtype=object).reshape(types_0, actions_0)
    second = np.array(face.optimum.dual[: types_1 * actions_1], dtype=object).reshape(types_1, actions_1)
    return face.optimum.value / int(form.deals.sum()) - shift, (distributions(first), distributions(second))


def ranges_in_rationals(form: BayesianForm) -> tuple[NDArray[Any], NDArray[Any]]:
    """Returns the lowest and highest probability over player 0's optimal strategies, each `[types, own actions]`."""
    face, _ = _face_in_rationals(form)
    types_0, types_1, actions_0, _ = form.payoffs.shape
    least, most = np.empty((2, types_0, actions_0), dtype=object)
    for own_type, action in np.ndindex(least.shape):
        itself, others = ([Fraction(0)] * (types_0 * actions_0 + types_1) for _ in range(2))
        for other in range(actions_0):
            (itself if other == action else others)[own_type * actions_0 + other] = Fraction(1)
        # A type that is never dealt may have probabilities of any sum up to 1 in this program.
        least[own_type, action], most[own_type, action] = 1 - face.most(others), face.most(itself)
    return least, most


def _face_in_rationals(form: BayesianForm) -> tuple[OptimalFace, Fraction]:
    """Returns player 0's optimal strategies, and what was added to all payoffs.

    Payoffs are shifted to be positive, so that all unknowns are positive and 0 is feasible.
    """
    types_0, types_1, actions_0, actions_1 = form.payoffs.shape
    choices, replies = types_0 * actions_0, types_1 * actions_1
    shift = 1 - Fraction(float(form.payoffs.min()))
    worth = form.deals.astype(object)[:, :, None, None] * (exact_payoffs(form) + shift)
    # Unknowns: player 0's probabilities, and for each type of player 1 the lowest payoff to player 0 over its actions.
    conceded = [-worth.transpose(1, 3, 0, 2).reshape(replies, choices), np.repeat(np.eye(types_1), actions_1, axis=0)]
    played = [np.repeat(np.eye(types_0), actions_0, axis=1), np.zeros((types_0, types_1))]
    objective, bounds = np.repeat((0, 1), (choices, types_1)), np.repeat((0, 1), (replies, types_0))
    return OptimalFace(*(FRACTIONS(part).tolist() for part in (objective, np.block([conceded, played]), bounds))), shift


def solve_in_floats(form: BayesianForm) -> tuple[Behaviour, Behaviour]:
    """Returns both strategies; player 1's is the dual solution of player 0's program."""
    program = Program(form)
    outcome = program.solve()
    duals = -outcome.ineqlin.marginals.reshape(form.payoffs.shape[1], form.payoffs.shape[3])
    return program.strategy(outcome.x), distributions(duals)


class Program:
    """Player 0's program in floats: unknowns x[type, action], replies[action of 1, type of 1], concessions[type of 1].

    A reply is player 0's payoff against an action of a type of player 1, a concession the lowest reply of a type.

    In games with ordered types, payoffs against neighbouring types of player 1 differ in few entries. So each reply is
    written as the reply of the previous type plus the difference. The difference keeps the program sparse; otherwise
    the program would have millions of entries for 1000 types.
    """

    def __init__(self, form: BayesianForm) -> None:
        self._shape = types_0, types_1, actions_0, actions_1 = form.payoffs.shape
        worth = (form.deals[:, :, None, None] * np.asarray(form.payoffs, dtype=np.float64)).transpose(3, 1, 0, 2)
        worth = worth.reshape(actions_1, types_1, types_0 * actions_0) / (np.abs(worth).max() or 1.0)
        steps = np.diff(worth, axis=1, prepend=0.0)
        choices, replies = types_0 * actions_0, types_1 * actions_1
        chains = sparse.kron(sparse.identity(actions_1), sparse.identity(types_1) - sparse.eye(types_1, k=-1))
        total = sparse.kron(sparse.identity(types_0), np.ones((1, actions_0)))
        # replies[b, j] - replies[b, j - 1] = steps . x; the probabilities of each type of player 0 sum to 1
        moves = sparse.csr_matrix(-steps.reshape(replies, choices))
        nothing = sparse.csr_matrix((types_0, types_1))
        self._equalities = sparse.bmat([[moves, chains, None], [total, None, nothing]], format="csr")
        self._sums = np.append(np.zeros(replies), np.ones(types_0))
        # concessions[j] <= replies[b, j]; rows in the order [j, b]
        concede = sparse.kron(sparse.identity(types_1), np.ones((actions_1, 1)))
        ordered = sparse.identity(replies, format="csr")[np.arange(replies).reshape(actions_1, types_1).T.ravel()]
        self._inequalities = sparse.hstack([sparse.csr_matrix((replies, choices)), -ordered, concede], format="csr")
        self._bounds = [(0.0, None)] * choices + [(None, None)] * (replies + types_1)
        self._guarantee = np.concatenate([np.zeros(choices + replies), np.ones(types_1)])

    def solve(self) -> Any:
        """Maximises the guarantee of player 0's strategy."""
        outcome = linprog(  # type: ignore[call-overload]  # its stubs know no sparse matrices
            -self._guarantee,
            A_ub=self._inequalities,
            b_ub=np.zeros(self._inequalities.shape[0]),
            A_eq=self._equalities,
            b_eq=self._sums,
            bounds=self._bounds,
            method="highs",
            options={"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE},
        )
        if outcome.status != 0:
            raise ArithmeticError(f"the linear program was not solved: {outcome.message}")
        return outcome

    def strategy(self, unknowns: NDArray[np.float64]) -> Behaviour:
        """Reads player 0's strategy from the unknowns."""
        types_0, _, actions_0, _ = self._shape
        return distributions(unknowns[: types_0 * actions_0].reshape(types_0, actions_0))


def distributions(rows: NDArray[Any]) -> NDArray[Any]:
    """Removes rounding errors; types that are never dealt play uniformly. Fractions stay fractions."""
    clipped = np.maximum(rows, 0)
    clipped[clipped.sum(axis=1) == 0] = Fraction(1)
    clipped /= clipped.sum(axis=1, keepdims=True)
    return np.asarray(clipped)
