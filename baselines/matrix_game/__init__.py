"""Zero-sum matrix games: certified value and strategies, and the set of all optimal strategies."""

from baselines.matrix_game.solve import (
    ExactMatrixSolution,
    MatrixSolution,
    MatrixSolutions,
    solve_matrices,
    solve_matrix,
    solve_matrix_exact,
)

__all__ = [
    "ExactMatrixSolution",
    "MatrixSolution",
    "MatrixSolutions",
    "solve_matrices",
    "solve_matrix",
    "solve_matrix_exact",
]
