"""One zero-sum matrix game: its value and strategies, certified, and the whole set of optimal strategies."""

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
