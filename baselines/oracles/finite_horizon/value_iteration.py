"""Equilibria of two-player games of many rounds over few positions, sweep by sweep.

With `r` rounds left, a position is a matrix game. Its entries are the values of later positions with `r - 1` rounds
left and of positions in the same round, which are solved first. The guarantees of both strategies bound the value of
each matrix game, and `gap` adds up the distances between these bounds. Values need not converge as rounds are added, so
all sweeps are stored until one repeats another bit for bit.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game import solve_matrix
from baselines.matrix_game.continuation import Strategies
from baselines.matrix_game.limits import RELATIVE_GAP
from baselines.oracles.answers.protocol import (
    PLAIN,
    Progress,
    Request,
    Starts,
    Table,
    expect,
    solve_table,
)
from baselines.oracles.answers.results import StateSolution
from baselines.oracles.finite_horizon.positions import (
    MAX_POSITIONS,
    Arrays,
    History,
    Nodes,
    arrays_of,
    at_codes,
    choice_indices,
    choice_starts,
    form_of,
    in_threads,
    kernel,
    levels_of,
    put,
)
from cardwar_envs.core.forms import RoundsForm
from cardwar_envs.core.game import CERTAIN, Game, Transition
from cardwar_envs.core.rules import TooLargeError

# Limit on stored values, 8 bytes each.
MAX_VALUES = 250_000_000
# Number of cached solutions: one from the start, the others from states that are unreachable from it.
MAX_REGIONS = 4


def solve_nodes(
    arrays: Arrays, nodes: Nodes, values: NDArray[np.float64], threads: int | None = None
) -> NDArray[np.float64]:
    """Returns certified lower and upper bounds, `[2, k]`, on the values of `k` nodes whose children have known values.

    `values` are to player 0, by code. The result is the same for any number of threads.
    """

    def work(run: Nodes) -> NDArray[np.float64]:
        bounds = np.empty((2, len(run)))
        kernel(len(run)).solve_nodes(arrays, run, values, *bounds)
        return bounds

    lower, upper = bounds = np.concatenate(in_threads(work, nodes, threads), axis=1)
    for k in np.flatnonzero(~(upper - lower <= RELATIVE_GAP)):  # "not <=" catches nan as well
        solution = solve_matrix(matrix_of(arrays, int(nodes[k]), values))
        if not upper[k] - lower[k] <= solution.gap:
            lower[k], upper[k] = solution.value - solution.gap / 2, solution.value + solution.gap / 2
    return bounds


def matrix_of(arrays: Arrays, node: int, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns `[choices of player 0, choices of player 1]`: the matrix game of a node, not mirrored."""
    matrix = np.empty(kernel(1).shape(arrays, node))
    kernel(1).fill(arrays, node, values, matrix)
    return matrix


class RoundValues:
    """The values of all positions of a form, for any number of rounds left up to `rounds`.

    Attributes:
        form: The positions.
        rounds: Maximum number of rounds left.
        history: `history[r]` is `[positions]` values to player 0 with `r` rounds left, in payoff points.
        gaps: `[rounds + 1]` certified bounds on the error for each number of rounds left.
        sweeps: The number of sweeps computed; later ones repeat them.
    """

    def __init__(
        self, form: RoundsForm[Any], rounds: int, *, progress: Progress | None = None, threads: int | None = None
    ) -> None:
        expect(progress, rounds * (len(form.lists) - 2))
        self.form, self.rounds = form, rounds
        self.arrays = arrays_of(form)
        self.history, self.sweeps = History(np.zeros(form.positions)), 0
        levels = levels_of(form)
        values, added = at_codes(form, self.history[0]), [0.0]
        while self.sweeps < rounds and self.history.period is None:
            gap = 0.0
            for nodes in levels:
                lower, upper = bounds = solve_nodes(self.arrays, nodes, values, threads)
                put(values, nodes, bounds.mean(axis=0))
                gap += float((upper - lower).max(initial=0.0))
            self.sweeps += 1
            self.history.append(bounds.mean(axis=0))
            # Rounding can swap the bounds by an ulp.
            added.append(max(gap, 0.0))
            if progress is not None:
                progress(self.sweeps * (len(form.lists) - 2))
        while len(added) <= rounds:
            added.append(added[-(self.history.period or 1)])
        self.gaps = np.cumsum(added)

    def around(self, nodes: Nodes, rounds_left: int) -> NDArray[np.float64]:
        """Returns the values, by code, of all that can follow `nodes` within a round with this many rounds left."""
        values = at_codes(self.form, self.history[rounds_left - 1])
        levels = self.form.levels
        needed = np.zeros(levels[-2], dtype=np.bool_)
        kernel(len(nodes)).mark_wars(self.arrays, nodes, needed)
        for start, stop in reversed(list(pairwise(levels[:-1]))):
            kernel(stop - start).mark_wars(self.arrays, start + np.flatnonzero(needed[start:stop]), needed)
        for start, stop in pairwise(levels[:-1]):
            wars = start + np.flatnonzero(needed[start:stop])
            if len(wars):
                put(values, wars, solve_nodes(self.arrays, wars, values).mean(axis=0))
        return values

    def value(self, code: int, rounds_left: int) -> float:
        """Returns the continuation value at a code to player 0, in payoff points."""
        node, position = code >> 1, (code >> 1) - int(self.form.levels[-2])
        if position >= 0:
            worth = float(self.history[rounds_left][position])
        else:
            nodes = np.array([node])
            worth = float(solve_nodes(self.arrays, nodes, self.around(nodes, rounds_left)).mean())
        return -worth if code & 1 else worth

    def probabilities(self, codes: NDArray[np.int64], rounds_left: int) -> NDArray[np.float64]:
        """Returns player 0's equilibrium strategies at codes: the probabilities of its choices, concatenated."""
        starts = choice_starts(self.form, codes)
        probabilities, gaps = np.empty(starts[-1]), np.empty(len(codes))
        values = self.around(codes >> 1, rounds_left)

        def work(rows: Nodes) -> None:
            run, gap = codes[rows], np.empty(len(rows))
            kernel(10 * len(run)).strategies_of(self.arrays, run, values, starts[rows], probabilities, gap)
            gaps[rows] = gap

        in_threads(work, np.arange(len(codes)))
        for k in np.flatnonzero(~(gaps <= RELATIVE_GAP)):
            solution = solve_matrix(matrix_of(self.arrays, int(codes[k] >> 1), values))
            if not gaps[k] <= solution.gap:
                own = solution.column_strategy if codes[k] & 1 else solution.row_strategy
                probabilities[starts[k] : starts[k + 1]] = own
        return probabilities


class RoundsTable(Table):
    """Values and strategies at every state of a game of many rounds.

    Among several optimal strategies, selects as `baselines.matrix_game` does at the position or its mirror image,
    whichever is stored.
    """

    work = 1 / 6  # WAR of 5 and 6 ranks
    bound = "at most "  # values may repeat earlier

    def __init__(self, game: Game[Any]) -> None:
        super().__init__(game)
        self.regions: list[RoundValues] = []

    def solve(self, starts: Starts, request: Request = PLAIN) -> int:
        # Matrix games: the positions, including wars, up to swapping the seats, times the sweeps.
        states, most = [start.state for start in starts], request.max_states or MAX_POSITIONS
        self._require_room(states, most)
        form = form_of(self.game) if most >= MAX_POSITIONS else self.game.rounds_form(states, most)
        if any(form.code(state) < 0 for state in states):
            form = self.game.rounds_form(states, most)
        values = RoundValues(form, max(map(form.rounds_left, states)), progress=request.progress)
        self.regions = [*self.regions[:1], *self.regions[1:][-MAX_REGIONS + 2 :], values]
        return values.sweeps * (len(form.lists) - 2)

    def _require_room(self, states: list[Any], most: int) -> None:
        """Raises a TooLargeError if there would be more than `MAX_VALUES` values, without listing more positions."""
        rounds = self.game.facts.max_rounds or 0
        fitting = MAX_VALUES // (rounds + 1)
        if fitting < most:
            try:
                self.game.rounds_form(states, fitting)
            except TooLargeError as error:
                raise TooLargeError(f"{error} or fewer rounds, as values are stored for each of {rounds:,}") from None

    def region(self, state: Any) -> tuple[RoundValues, int, int]:
        """Returns a solution that contains the state, its code and rounds left; solves from the state if none does."""
        for region in self.regions:
            code, rounds_left = region.form.code(state), region.form.rounds_left(state)
            if code >= 0 and rounds_left <= region.rounds:
                return region, code, rounds_left
        self.solve([Transition(CERTAIN, state, (0.0, 0.0))])
        return self.region(state)

    def _value(self, state: Any) -> float:
        region, code, rounds_left = self.region(state)
        return region.value(code, rounds_left)

    def _gap(self, state: Any) -> float:
        region, _, rounds_left = self.region(state)
        return float(region.gaps[rounds_left])

    def all_seen(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """Returns `seen` of many observations, `[batch, num_actions]`, round by round."""
        answers, start = np.zeros((len(observations), self.game.facts.num_actions)), self.regions[0]
        codes, rounds_left = start.form.codes_seen(observations)
        known = (codes >= 0) & (rounds_left <= start.rounds)
        for r in np.unique(rounds_left[known]):
            rows = np.flatnonzero(known & (rounds_left == r))
            sizes = np.diff(choice_starts(start.form, codes[rows]))
            actions = _actions(start.form, codes[rows])
            answers[np.repeat(rows, sizes), actions] = start.probabilities(codes[rows], int(r))
        answers[~known] = super().all_seen(observations[~known])
        return answers

    def strategies(self, state: Any) -> Strategies:
        acting = self.game.acting_players(state)
        if not acting:
            raise ValueError(f"the game is over in {state!r}")
        region, code, rounds_left = self.region(state)
        strategies = np.zeros((2, self.game.facts.num_actions))
        for player in acting:
            own = np.array([code ^ player])
            strategies[player, _actions(region.form, own)] = region.probabilities(own, rounds_left)
        return strategies[0], strategies[1]


def _actions(form: RoundsForm[Any], codes: NDArray[np.int64]) -> NDArray[np.int32]:
    """Returns the actions of player 0's choices at codes, concatenated."""
    begins = form.rows[form.lists[codes >> 1, codes & 1]]
    return np.asarray(form.actions[choice_indices(form, codes, begins)])


def solve_rounds(game: Game[Any], request: Request) -> StateSolution:
    """Returns the equilibrium of a game that `RoundsOracle` takes, in floats."""
    return solve_table(RoundsTable(game), "value iteration", request)
