"""The linear program on sequences.

Source: D. Koller, N. Megiddo and B. von Stengel, "Fast algorithms for finding randomized strategies in game trees",
STOC 1994, section 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from baselines.oracles.tree.sequence_form import Decisions, Floats, SequenceForm

TOLERANCE = 1e-10


def solve_program(form: SequenceForm) -> list[Floats]:
    """Returns both players' last choices, `[sequences]` each; player 1's are the dual solution of player 0's program.

    Unknowns: player 0's plan, and for each information state of player 1 what it concedes.
    """
    first, second = form.decisions
    payoffs = form.matrices[0]
    scale = float(np.abs(payoffs).max()) or 1.0
    conceded, played = _constraints(second).T, _constraints(first)
    objective = np.zeros(played.shape[1] + conceded.shape[1])
    objective[played.shape[1]] = -1.0
    sums = np.zeros(played.shape[0])
    sums[0] = 1.0
    outcome: Any = linprog(
        objective,
        A_ub=sparse.hstack([-payoffs.T / scale, conceded], format="csr"),
        b_ub=np.zeros(conceded.shape[0]),
        A_eq=sparse.hstack([played, sparse.csr_matrix((played.shape[0], conceded.shape[1]))], format="csr"),
        b_eq=sums,
        bounds=[(0.0, None)] * played.shape[1] + [(None, None)] * conceded.shape[1],
        method="highs",
        options={"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE},
    )
    if outcome.status != 0:
        raise ArithmeticError(f"the linear program was not solved: {outcome.message}")
    plans = outcome.x[: played.shape[1]], -outcome.ineqlin.marginals
    return [own.choices(np.maximum(plan, 0.0)) for own, plan in zip(form.decisions, plans, strict=True)]


def _constraints(own: Decisions) -> Any:
    """Returns the plans' equalities, `[1 + states, sequences]`: 1 is played in all, and what is played before a state.

    Row 0 is for the empty sequence.
    """
    states = len(own.parents)
    rows = np.concatenate([[0], 1 + own.owners, 1 + np.arange(states)])
    columns = np.concatenate([[0], 1 + np.arange(len(own.owners)), own.parents])
    signs = np.concatenate([np.ones(1 + len(own.owners)), -np.ones(states)])
    return sparse.csr_matrix((signs, (rows, columns)), shape=(1 + states, len(own.actions)))
