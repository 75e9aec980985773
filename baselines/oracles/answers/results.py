"""The results that the public functions of `baselines` return: frozen, in payoff points and probabilities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from baselines.display import html
from baselines.display.at_state import Mix, PlayAt, exact_mix, proven_mix, rounded_mix
from baselines.matrix_game import solve_matrix_exact
from baselines.matrix_game.optimal_sets import MOST_DISTANCE, distances_if_unique
from baselines.oracles.answers.continuation import ExactPlay, N, equal_actions, matrix_at
from baselines.oracles.answers.guards import QueryCounts
from baselines.oracles.answers.legal_part import IllegalMass
from cardwar_envs.core.forms import BayesianForm
from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import abbreviated
from cardwar_envs.core.policy import Policy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Rounding adds at most this fraction of the largest payoff to the error of a value, for each move that is left.
ROUNDING_OF_MOVE = 1e-14
# Bound on the error of the ranges of a `PrivateSolution` in floats.
RANGE_TOLERANCE = MOST_DISTANCE
# Ranges of at most this many probabilities are quick to compute.
QUICK_RANGES = 48
# Strategies of both players, each `[num_actions]` probabilities.
Strategies = tuple[NDArray[np.float64], NDArray[np.float64]]
# The same, with probabilities as fractions.
ExactStrategies = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]
# A strategy of a player with private information: `[types, own actions]` probabilities.
Behaviour = NDArray[np.float64]
ExactBehaviour = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True, repr=False)
class NashConv:
    """The gain of each player from switching to a best response.

    Attributes:
        total: The sum over players, in payoff points; 0 at an equilibrium.
        per_player: The gain of each player's best response over its payoff, in payoff points.
        payoffs: Each player's payoff without deviations, in payoff points.
        removed: With `illegal="renormalise"`, the probability of illegal actions that was removed; else None.
        queries: Counts of queries and repeated queries.
        exact: `total` as a fraction; None, like the next two, if not computed exactly.
        exact_per_player: `per_player` as fractions.
        exact_payoffs: `payoffs` as fractions.
    """

    total: float
    per_player: tuple[float, ...]
    payoffs: tuple[float, ...]
    removed: IllegalMass | None = None
    queries: QueryCounts = field(default=QueryCounts(), compare=False)
    exact: Fraction | None = None
    exact_per_player: tuple[Fraction, ...] | None = None
    exact_payoffs: tuple[Fraction, ...] | None = None

    def __repr__(self) -> str:
        gains, payoffs = (", ".join(map(html.number, figures)) for figures in (self._gains(), self._payoffs()))
        return f"<{self._title()}, exact; gains {gains}; payoffs when nobody deviates {payoffs}>"

    def _gains(self) -> tuple[html.Number, ...]:
        return self.per_player if self.exact_per_player is None else self.exact_per_player

    def _payoffs(self) -> tuple[html.Number, ...]:
        return self.payoffs if self.exact_payoffs is None else self.exact_payoffs

    def _title(self) -> str:
        title = f"NashConv {html.number(self.total, self.exact)} payoff points"
        if self.removed is not None and self.removed.any:
            title += f", of the policy without its illegal actions ({self.removed})"
        return title

    def _repr_html_(self) -> str:
        gains = zip(self._payoffs(), self._gains(), strict=True)
        rows = [(f"player_{player}", payoff, gain) for player, (payoff, gain) in enumerate(gains)]
        return html.table(self._title(), ("", "payoff when nobody deviates", "gain of a best response"), rows)


@dataclass(frozen=True, repr=False)
class BestResponse:
    """A best response of one player to fixed policies of the others.

    Attributes:
        value: The player's expected payoff with it, in payoff points.
        policy: A deterministic best response for that seat; ties go to the lowest action.
        removed: As in `NashConv`.
        queries: Counts of queries and repeated queries.
        exact: `value` as a fraction; None if it was not computed exactly.
    """

    value: float
    policy: Policy
    removed: IllegalMass | None = None
    queries: QueryCounts = field(default=QueryCounts(), compare=False)
    exact: Fraction | None = None

    def __repr__(self) -> str:
        legal = " to the legal part of the policies" if self.removed is not None and self.removed.any else ""
        value = html.number(self.value, self.exact)
        return f"<BestResponse{legal} value {value} payoff points, exact; policy {self.policy!r}>"


@dataclass(frozen=True, repr=False)
class HeadToHead:
    """The exact result of two policies playing each other, from the point of view of the first policy.

    Attributes:
        win: Probability that the first policy gets more than the second.
        loss: Probability that the first policy gets less.
        tie: Probability that both policies get the same.
        mean: Expected payoff to the first policy, in payoff points.
        queries: Counts of queries and repeated queries.
    """

    win: float
    loss: float
    tie: float
    mean: float
    queries: QueryCounts = field(default=QueryCounts(), compare=False)

    def __repr__(self) -> str:
        win, loss, tie, mean = map(html.number, (self.win, self.loss, self.tie, self.mean))
        return (
            f"<HeadToHead of the first policy, exact: P(win) {win}, P(loss) {loss}, P(tie) {tie}, mean payoff {mean}>"
        )

    def _repr_html_(self) -> str:
        headings = ("P(win)", "P(loss)", "P(tie)", "mean payoff")
        return html.table("the first policy, exactly", headings, [(self.win, self.loss, self.tie, self.mean)])


@dataclass(frozen=True, kw_only=True, repr=False)
class Solution(ABC):
    """An equilibrium of a two-player zero-sum game, with its certificate.

    Attributes:
        unit: The unit of `states`.
        game: The rules.
        value: Expected payoff to player 0 under optimal play, in payoff points.
        policy: An equilibrium behaviour strategy, for either seat.
        method: The solution method.
        gap: Certified bound on the error of `value`, in payoff points; valid if `cardwar_envs.check_game` passes.
        states: Number of matrix games or information states that the solution covers.
        solved: Number of those solved in this call; less than `states` if some were cached.
        seconds: Wall time of solving, excluding the start of a cluster.
        exact: `value` as a fraction; None if the game was not solved exactly.
    """

    unit: ClassVar[str]

    game: Game[Any]
    value: float
    policy: Policy
    method: str
    gap: float
    states: int
    solved: int
    seconds: float = field(compare=False)
    exact: Fraction | None

    @abstractmethod
    def labelled(self, state: Any = None) -> list[dict[str, Any]]:
        """Returns each player's strategy as a dict from action to probability (a `Fraction` if solved exactly).

        In games with private information, it maps each type of the player to such a dict, and `state` must be None.

        Args:
            state: A state; the initial one by default.

        Raises:
            ValueError: Like `StateSolution.strategies`; also if no state is given and the game can start in several.
        """

    @abstractmethod
    def show(self, state: Any = None) -> Figure:
        """Draws optimal play: both players' strategies, and the payoff matrix if players see the state.

        Without `state`, draws the initial state. If there are several, draws the first and says how to pass another.

        Raises:
            ValueError: If the state is impossible or the game is over in it; also if players do not see the state.
            ImportError: If matplotlib is not installed; it comes with the extra `plot`.
        """

    @property
    def certificate(self) -> str:
        """The accuracy of the value in words: "exact", or "certified to" the gap."""
        return f"certified to {self.gap:.1e}" if self.exact is None else "exact"

    def __repr__(self) -> str:
        value = html.number(self.value, self.exact)
        how = f"{self.states:,} {self.unit} by {self.method}"
        return (
            f"<{type(self).__name__} of {self.game.facts.name}: value {value} to player_0, {self.certificate}; {how}>"
        )

    def _repr_html_(self) -> str:
        figures = [
            ("value to player_0, payoff points", html.number(self.value, self.exact)),
            ("certified to", f"{self.gap:.1e}") if self.exact is None else ("certificate", "exact"),
            (self.unit, f"{self.states:,}"),
            ("method", self.method),
        ]
        name = self.game.facts.name
        return html.table(f"an equilibrium of {name}", ("", ""), figures) + self._mixes_in_html()

    @abstractmethod
    def _mixes_in_html(self) -> str:
        """Returns a table of `labelled`, or an empty string if the game can start in several states."""


class StatePlay(Protocol):
    """The lookups that a `StateSolution` needs from a solved `Table`."""

    def value_to_go(self, state: Any) -> float: ...
    def gap_at(self, state: Any) -> float: ...
    def exact_value_to_go(self, state: Any) -> Fraction: ...
    def strategies(self, state: Any) -> Strategies: ...
    def exact_strategies(self, state: Any) -> ExactStrategies: ...


@dataclass(frozen=True, kw_only=True, repr=False)
class StateSolution(Solution):
    """The `Solution` of a game in which players see the state.

    `gap` adds up the duality gaps of the matrix games along the worst trajectory.

    Attributes:
        states: Matrix games solved. In a game of many rounds: the number of positions (including wars, mirror images
            counted once) times the number of sweeps until the values repeat bit for bit.
    """

    unit: ClassVar[str] = "matrix games"

    _play: StatePlay = field(repr=False, compare=False)

    def value_at(self, state: Any) -> float:
        """Returns the continuation value of `state` to player 0, in payoff points.

        Raises:
            ValueError: If the state is impossible.
        """
        self.game.check(state)
        return self._play.value_to_go(state)

    def strategies(self, state: Any) -> Strategies:
        """Returns equilibrium strategies of both players at `state`, each `[num_actions]` probabilities.

        Raises:
            ValueError: If the state is impossible or the game is over in it.
        """
        self.game.check(state)
        return self._play.strategies(state)

    def payoff_matrix(self, state: Any) -> NDArray[np.float64]:
        """Returns the matrix game at `state`: continuation payoffs to player 0 for each joint action, in payoff points.

        The shape is `[legal actions of player 0, legal actions of player 1]`; a player who does not act has one row or
        column.

        Raises:
            ValueError: If the state is impossible or the game is over in it.
        """
        return np.array(self._matrix(state, float, self._play.value_to_go))

    def exact_value_at(self, state: Any) -> Fraction:
        """Returns `value_at` as a fraction.

        Raises:
            ValueError: If the game was not solved exactly, or the state is impossible.
        """
        self.game.check(state)
        return self._play.exact_value_to_go(state)

    def exact_strategies(self, state: Any) -> ExactStrategies:
        """Returns `strategies` as fractions.

        Raises:
            ValueError: If the game was not solved exactly, the state is impossible or the game is over in it.
        """
        self.game.check(state)
        return self._play.exact_strategies(state)

    def exact_payoff_matrix(self, state: Any) -> tuple[tuple[Fraction, ...], ...]:
        """Returns `payoff_matrix` as fractions.

        Raises:
            ValueError: If the game was not solved exactly, the state is impossible or the game is over in it.
        """
        return tuple(map(tuple, self._matrix(state, Fraction, self._play.exact_value_to_go)))

    def at(self, state: Any = None) -> PlayAt:
        """Returns optimal play at a state (by default the initial one), with the range of all optimal strategies.

        The ranges are local: they cover the strategies that are optimal here, given optimal play in all later states.
        If the game was solved in floats, they are determined where the optimal strategy is provably unique, and where
        the rest of the game is small enough for rational arithmetic.

        Raises:
            ValueError: If the state is impossible or the game is over in it; also if no state is given and the game can
                start in several.
        """
        state = self._start() if state is None else state
        game, matrix, strategies = self.game, self.payoff_matrix(state), self._strategies(state)
        seats: list[tuple[list[str], list[Any]]] = []
        named: dict[tuple[int, str], None] = {}
        for player, strategy in enumerate(strategies):
            legal = game.legal_actions(state, player) if player in game.acting_players(state) else ()
            names = [game.describe_action(action, player) for action in legal]
            seats.append((names, [strategy[action] for action in legal]))
            named |= dict.fromkeys(zip(legal, names, strict=True))
        actions = tuple(dict.fromkeys(name for _, name in sorted(named)))
        if self.exact is None:
            mixes = self._mixes_in_floats(state, matrix, seats)
            return PlayAt(game.describe(state), self.value_at(state), None, matrix, mixes, actions)
        exact, payoffs = self.exact_value_at(state), self.exact_payoff_matrix(state)
        mixes = _exact_mixes(seats, payoffs, exact)
        return PlayAt(game.describe(state), self.value_at(state), exact, matrix, mixes, actions, payoffs)

    def _mixes_in_floats(
        self, state: Any, matrix: NDArray[np.float64], seats: Sequence[tuple[list[str], list[float]]]
    ) -> tuple[Mix, Mix]:
        first, second = seats
        same = equal_actions(self.game, state)
        if (distances := self._distances(state, matrix, seats, same)) is not None:
            return proven_mix(*first, same[0], distances[0]), proven_mix(*second, same[1], distances[1])
        try:
            payoffs = ExactPlay(self.game).matrix(state)
        except ValueError:  # too large, or rounded floats in the rules
            return rounded_mix(*first), rounded_mix(*second)
        solved = solve_matrix_exact(payoffs)
        exact = (first[0], solved.row_strategy), (second[0], solved.column_strategy)
        one, other = _exact_mixes(exact, payoffs, solved.value)
        return rounded_mix(*first, one), rounded_mix(*second, other)

    def _distances(
        self,
        state: Any,
        matrix: NDArray[np.float64],
        seats: Sequence[tuple[list[str], list[float]]],
        same: Sequence[Sequence[int]],
    ) -> tuple[float, float] | None:
        """Returns `distances_if_unique` at a state, where actions that are the same by the rules count as one."""
        facts = self.game.facts
        size = max(abs(facts.min_payoff), abs(facts.max_payoff), float(np.abs(matrix).max()))
        error = self._play.gap_at(state) + ROUNDING_OF_MOVE * (facts.max_length + 1) * size
        kept = [sorted({*alike}) for alike in same]
        first, second = (
            np.bincount(alike, np.array(likely or [1.0], dtype=np.float64))[rows].astype(np.float64)
            for alike, rows, (_, likely) in zip(same, kept, seats, strict=True)
        )
        return distances_if_unique(matrix[np.ix_(*kept)], (first, second), error)

    def labelled(self, state: Any = None) -> list[dict[str, Any]]:
        state = self._start() if state is None else state
        strategies, acting = self._strategies(state), self.game.acting_players(state)
        return [
            {
                self.game.describe_action(action, player): strategies[player][action]
                for action in (self.game.legal_actions(state, player) if player in acting else ())
            }
            for player in (0, 1)
        ]

    def _strategies(self, state: Any) -> Sequence[Sequence[Any]]:
        """Returns both strategies in floats, or in fractions if the game was solved exactly."""
        if self.exact is None:
            return [strategy.tolist() for strategy in self.strategies(state)]
        return self.exact_strategies(state)

    def show(self, state: Any = None) -> Figure:
        from baselines.display.figures import play_figure

        starts = [start.state for start in self.game.initial() if self.game.acting_players(start.state)]
        if state is not None or len(starts) < 2:
            return play_figure(self.at(state), self.game.facts.name)
        hint = f"the first of {len(starts):,} initial states; another: show({abbreviated(repr(starts[1]))})"
        return play_figure(self.at(starts[0]), self.game.facts.name, hint)

    def _mixes_in_html(self) -> str:
        if len(self.game.initial()) != 1:
            return ""
        mixes = self.labelled()
        actions = dict.fromkeys(action for mix in mixes for action in mix)
        rows = [(action, *(mix.get(action, "") for mix in mixes)) for action in actions]
        return html.table("at the start (probability)", ("play", "player_0", "player_1"), rows)

    def _start(self) -> Any:
        starts = self.game.initial()
        if len(starts) != 1:
            raise ValueError(
                f"{self.game.facts.name} can start in {len(starts)} states; name one of them, "
                f"such as {abbreviated(repr(starts[0].state))}"
            )
        return starts[0].state

    def _matrix(self, state: Any, number: Callable[[Any], N], value_to_go: Callable[[Any], N]) -> list[list[N]]:
        self.game.check(state)
        if not self.game.acting_players(state):
            raise ValueError(f"the game is over in {state!r}")
        return matrix_at(self.game, state, number, value_to_go)


@dataclass(frozen=True, kw_only=True, repr=False)
class PrivateSolution(Solution):
    """The `Solution` of a game in which both players move once, with private information.

    `gap` is player 0's best-response payoff against player 1's strategy minus the payoff that player 0's strategy
    guarantees. Players do not see the state, so strategies depend on types: `behaviour` has one for each type.

    Attributes:
        states: Number of information states of both players.
        behaviour: Per player, `[types, own actions]` probabilities.
        exact_behaviour: The same as fractions; None if not computed exactly.
    """

    unit: ClassVar[str] = "information states"

    behaviour: tuple[Behaviour, Behaviour] = field(repr=False, compare=False)
    exact_behaviour: tuple[ExactBehaviour, ExactBehaviour] | None = field(default=None, repr=False, compare=False)
    _form: BayesianForm = field(repr=False, compare=False)
    _ranges: Callable[[int], tuple[NDArray[Any], NDArray[Any]] | None] = field(repr=False, compare=False)

    @property
    def quick_ranges(self) -> bool:
        """Whether the ranges of optimal probabilities are quick to compute."""
        return sum(strategy.size for strategy in self.behaviour) <= QUICK_RANGES

    def unique(self, player: int) -> bool | None:
        """Returns whether a player's optimal strategy is unique; None if that is not determined in floats.

        Raises:
            ValueError: If there is no such player.
        """
        ranges = self._ranges(player)
        return None if ranges is None else bool((ranges[0] == ranges[1]).all())

    def free(self, player: int) -> list[tuple[str, html.Number, html.Number]]:
        """Returns the probabilities that can vary: type and action, lowest and highest probability.

        The list is empty if the ranges are not determined.

        Raises:
            ValueError: If there is no such player.
        """
        number = float if self.exact is None else Fraction
        return [
            (f"with type {kind}: {action}", number(low), number(high))
            for kind, bounds in (self._exact_or_rounded(player) or {}).items()
            for action, (low, high) in bounds.items()
            if low < high
        ]

    def ranges(self, player: int) -> dict[str, dict[str, tuple[html.Number, html.Number]]] | None:
        """Returns the range of each probability over all optimal strategies: type -> action -> (low, high).

        They are fractions if the game was solved exactly, else floats to within 1e-6, or None if they are not
        determined: where payoffs tie up to rounding, floats cannot tell which strategies are optimal.

        Raises:
            ValueError: If there is no such player.
        """
        ranges, number = self._exact_or_rounded(player), float if self.exact is None else Fraction
        return ranges and {
            kind: {action: (number(low), number(high)) for action, (low, high) in bounds.items()}
            for kind, bounds in ranges.items()
        }

    def _exact_or_rounded(self, player: int) -> dict[str, dict[str, tuple[html.Number, html.Number]]] | None:
        """Returns `ranges`, in fractions wherever they were computed: two of them can round to the same float."""
        ranges = self._ranges(player)
        if ranges is None:
            return None
        low, high = ranges
        names = [self.game.describe_action(action, player) for action in self._form.actions[player]]
        return {
            kind: dict(zip(names, zip(least, most, strict=True), strict=True))
            for kind, least, most in zip(self._form.types[player], low.tolist(), high.tolist(), strict=True)
        }

    def labelled(self, state: Any = None) -> list[dict[str, Any]]:
        if state is not None:
            raise ValueError(
                f"{self.game.facts.name}: players do not see the state, so strategies depend on their types; "
                "call labelled() without a state"
            )
        behaviour = self.exact_behaviour or [strategy.tolist() for strategy in self.behaviour]
        return [
            {
                kind: {
                    self.game.describe_action(action, player): probability
                    for action, probability in zip(self._form.actions[player], row, strict=True)
                }
                for kind, row in zip(self._form.types[player], behaviour[player], strict=True)
            }
            for player in (0, 1)
        ]

    def show(self, state: Any = None) -> Figure:
        from baselines.display.figures import behaviour_figure

        value = self.value if self.exact is None else self.exact
        ranges = [self.ranges(player) for player in (0, 1)] if self.quick_ranges else None
        return behaviour_figure(self.labelled(state), self.game.facts.name, value, ranges)

    def _mixes_in_html(self) -> str:
        tables = []
        for player, strategy in enumerate(self.labelled()):
            actions = list(next(iter(strategy.values())))
            rows = [(kind, *mix.values()) for kind, mix in strategy.items()]
            tables.append(html.table(f"player_{player} (probability)", ("sees", *actions), rows))
            if self.quick_ranges and (free := self.free(player)):
                title = f"player_{player} has many optimal strategies, with these ranges of probabilities"
                tables.append(html.table(title, ("plays", "lowest", "highest"), free))
        return "".join(tables)


def _exact_mixes(
    seats: Sequence[tuple[Sequence[str], Sequence[Fraction]]],
    payoffs: Sequence[Sequence[Fraction]],
    value: Fraction,
) -> tuple[Mix, Mix]:
    """Returns both players' mixes from their actions and strategies and player 0's payoff matrix."""
    turned = [[-payoff for payoff in column] for column in zip(*payoffs, strict=True)]
    first, second = (probabilities for _, probabilities in seats)
    return exact_mix(*seats[0], payoffs, value, second), exact_mix(*seats[1], turned, -value, first)
