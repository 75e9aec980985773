"""Solving a game: the one door to all solvers, and what comes out."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.bayesian import Behaviour, solve_bayesian
from baselines.duel.solver import DuelTable, can_solve
from baselines.graph.backward_induction import EquilibriumTable
from baselines.graph.game_graph import MAX_STATES
from baselines.graph.selection import Selection, table_for
from baselines.matrix_game import solve_matrices
from baselines.oracle import EquilibriumPolicy, Progress, Strategies, joint_choices
from baselines.rounds.positions import MAX_POSITIONS, counts_rounds
from baselines.rounds.value_iteration import RoundsPolicy, RoundsTable
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from cardwar_envs.games.jujitsu import Jujitsu
from cardwar_envs.games.war import War

# What can be solved of a duel by words is bounded by memory, which the table knows better.
MAX_WORD_STATES = 3_000_000_000
BY_WORDS = "backward induction over words"


@dataclass(frozen=True)
class Solution:
    """An equilibrium of a two-player zero-sum game, with its certificate.

    Attributes:
        game: The rules.
        value: Expected payoff to player 0 under optimal play, payoff points.
        policy: An equilibrium behaviour strategy, for either seat.
        method: How it was found.
        gap: Certified bound on the error of `value`, payoff points: the duality gaps of the
            matrix games on the worst way through the game, added up.
        states: Matrix games solved. In a game of many rounds: positions, wars included, up to swapping
            the seats, times the sweeps that were made until values repeated bit for bit.
        exact: `value` as a fraction, if rationals were asked for.
        behaviour: In a game on private information, per player `[types, own actions]`
            probabilities; None where players see the state.
    """

    game: Game[Any]
    value: float
    policy: Policy
    method: str
    gap: float
    states: int
    exact: Fraction | None
    behaviour: tuple[Behaviour, Behaviour] | None = field(repr=False, compare=False)
    _positions: EquilibriumTable | None = field(repr=False, compare=False)

    @property
    def _table(self) -> EquilibriumTable:
        if self._positions is None:
            raise ValueError(
                f"{self.game.facts.name}: players do not see the whole state, so there is no play at a state; "
                "see Solution.behaviour"
            )
        return self._positions

    def value_at(self, state: Any) -> float:
        """Value to go: what player 0 is still to be paid from `state` on, payoff points.

        Raises:
            ValueError: For a state that cannot be.
        """
        table = self._table
        self.game.check(state)
        return table.value_to_go(state)

    def strategies(self, state: Any) -> Strategies:
        """Equilibrium strategies of both players at `state`, each `[num_actions]` probabilities.

        Raises:
            ValueError: For a state that cannot be or in which the game is over.
        """
        table = self._table
        self.game.check(state)
        return table.strategies(state)

    def payoff_matrix(self, state: Any) -> NDArray[np.float64]:
        """The matrix game at `state`: payoff points to player 0, to go, for each joint action.

        Returns:
            `[legal actions of player 0, legal actions of player 1]`, both ascending; one row or
            column for a player who does not act.

        Raises:
            ValueError: For a state that cannot be or in which the game is over.
        """
        self.game.check(state)
        if not self.game.acting_players(state):
            raise ValueError(f"the game is over in {state!r}")
        rows, columns = joint_choices(self.game, state)
        return np.array([[self._worth(state, {**row, **column}) for column in columns] for row in rows])

    def exact_value_at(self, state: Any) -> Fraction:
        """`value_at` in rationals, if they were asked for.

        Raises:
            ValueError: If they were not; also for a state that cannot be.
        """
        self._check_exact()
        self.game.check(state)
        return self._table.exact_value_to_go(state)

    def exact_payoff_matrix(self, state: Any) -> tuple[tuple[Fraction, ...], ...]:
        """`payoff_matrix` in rationals, if they were asked for.

        Raises:
            ValueError: If they were not; also for a state that cannot be or in which the game is over.
        """
        self._check_exact()
        self.game.check(state)
        if not self.game.acting_players(state):
            raise ValueError(f"the game is over in {state!r}")
        rows, columns = joint_choices(self.game, state)
        return tuple(tuple(self._table.exact_worth(state, {**row, **column}) for column in columns) for row in rows)

    def _check_exact(self) -> None:
        if self.exact is None:
            raise ValueError(f"{self.game.facts.name} was not solved in rationals; ask for exact=True")

    def _worth(self, state: Any, actions: dict[int, int]) -> float:
        return sum(
            float(outcome.probability) * (outcome.rewards[0] + self._table.value_to_go(outcome.state))
            for outcome in self.game.transitions(state, actions)
        )


def solve(
    game: Game[Any],
    *,
    selection: Selection = "default",
    exact: bool | None = None,
    max_states: int | None = None,
    progress: Progress | None = None,
) -> Solution:
    """Finds an equilibrium.

    Args:
        game: A two-player zero-sum game of public state that always ends, or one in which both
            players move once on private information.
        selection: Which optimal strategy to play where there are several: "default",
            "max_entropy", "exploit:POLICY" with the name of a policy, or an `Exploit` with a
            policy object; see `baselines.graph.selection`. Values are the same for all.
        exact: Compute in rationals (small games): `Solution.exact` is then the value as a
            fraction, and values and strategies are roundings of exact ones. If None, only where
            that costs nothing (games on private information with few types).
        max_states: Give up beyond so many matrix games; a million if None, three thousand million in a duel
            that is solved by words. In a game of many rounds, beyond so many positions; four million if None.
        progress: Called now and then with the number of states explored.

    Returns:
        The solution with its certificate.

    Raises:
        ValueError: If the game is of another kind or too large, there is no such selection, or
            rationals are asked for with another than the default.
    """
    facts = game.facts
    if not (facts.num_players == 2 and facts.zero_sum):
        raise ValueError(f"{facts.name}: only two-player zero-sum games can be solved")
    if not facts.public_state:
        return _on_private_information(game, selection, exact)
    if exact and selection != "default":
        raise ValueError(f"selection ({selection!r}) must be 'default' where rationals are asked for")
    table, method, limit = _table_and_method(game, selection, bool(exact))
    states = table.solve(game.initial(), exact=bool(exact), max_states=max_states or limit, progress=progress)
    return _solution(table, method, states, bool(exact))


def solve_by_words(table: DuelTable, progress: Progress | None = None) -> Solution:
    """Finds an equilibrium of a duel as the table says: layers on disk, few of them in memory, on a cluster.

    Args:
        table: As it was made; it is solved here.
        progress: Called now and then with the number of states done, of `table.total_states`.

    Returns:
        The solution with its certificate, as `solve` returns it. `states` counts what was read from
        the table's folder as well; `table.layers.solved` is what was solved now.
    """
    table.solve(progress=progress)
    return _solution(table, BY_WORDS, table.total_states, exact=False)


def _solution(table: EquilibriumTable, method: str, states: int, exact: bool) -> Solution:
    game, starts = table.game, table.game.initial()
    value = sum(float(s.probability) * (s.rewards[0] + table.value_to_go(s.state)) for s in starts)
    gap = sum(float(s.probability) * table.gap_at(s.state) for s in starts)
    exact_value = None
    if exact:
        parts = (s.probability * (Fraction(s.rewards[0]) + table.exact_value_to_go(s.state)) for s in starts)
        exact_value = sum(parts, Fraction(0))
    return Solution(
        game=game,
        value=value,
        policy=RoundsPolicy(table) if isinstance(table, RoundsTable) else EquilibriumPolicy(table),
        method=method,
        gap=gap,
        states=states,
        exact=exact_value,
        behaviour=None,
        _positions=table,
    )


def _table_and_method(game: Game[Any], selection: Selection, exact: bool) -> tuple[EquilibriumTable, str, int]:
    """What can solve a game of public state, how it does so, and how many states it takes on."""
    if selection == "default" and not exact:
        if counts_rounds(game):
            return RoundsTable(game), "value iteration", MAX_POSITIONS
        if can_solve(game):
            return DuelTable(game), BY_WORDS, MAX_WORD_STATES
    method = "backward induction in rationals" if exact else "backward induction"
    return table_for(game, selection), method, MAX_STATES


def load_kernels(game: Game[Any]) -> None:
    """Lets the kernels that solve such a game be compiled or loaded, so that what is timed afterwards is work."""
    solve_matrices(np.zeros((1, 2, 2)))
    if counts_rounds(game):
        smallest = War(ranks=2, discards=0, max_rounds=2)
        RoundsTable(smallest).solve(smallest.initial())
    elif can_solve(game):
        DuelTable(Jujitsu(num_cards=4)).solve()


def _on_private_information(game: Game[Any], selection: Selection, exact: bool | None) -> Solution:
    if selection != "default":
        raise ValueError(f"selection ({selection!r}) must be 'default' for {game.facts.name}")
    solved = solve_bayesian(game, exact)
    return Solution(
        game=game,
        value=solved.value,
        policy=solved.policy,
        method=solved.method,
        gap=solved.gap,
        states=solved.states,
        exact=solved.exact,
        behaviour=solved.behaviour,
        _positions=None,
    )


@lru_cache(maxsize=8)
def equilibrium(game: Game[Any], selection: str = "default") -> Policy:
    """The policy `equilibrium` or `equilibrium:SELECTION`; kept for the next time it is asked for."""
    return solve(game, selection=selection).policy
