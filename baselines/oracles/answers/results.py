"""The results that the public functions of `baselines` return: frozen, in payoff points and probabilities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from baselines.display import html
from baselines.display.at_state import PlayAt
from baselines.display.export import Table, csv_text, latex
from baselines.display.mixes import ConstantSumPlay, StatePlay, play_at, strategies_of
from baselines.matrix_game.continuation import ExactStrategies, Strategies, matrix_at
from baselines.matrix_game.optimal_sets import MOST_DISTANCE
from baselines.oracles.answers.guards import QueryCounts
from baselines.oracles.answers.legal_part import IllegalMass
from cardwar_envs.core.constant_sum import Sums
from cardwar_envs.core.forms import BayesianForm
from cardwar_envs.core.game import Game
from cardwar_envs.core.numbers import exactly
from cardwar_envs.core.parameters import abbreviated
from cardwar_envs.core.policy import Policy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Bound on the error of the ranges of a `PrivateSolution` in floats.
RANGE_TOLERANCE = MOST_DISTANCE
# Ranges of at most this many probabilities are quick to compute.
QUICK_RANGES = 48
# A strategy of a player with private information: `[types, own actions]` probabilities.
Behaviour = NDArray[np.float64]
ExactBehaviour = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class Recall:
    """How much of what players have seen their observations hold, in games with hidden information over several moves.

    Attributes:
        information_states: Number of information states in which players act: sequences of own observations and
            actions.
        observations: Number of distinct observations in them, summed over players.
    """

    information_states: int
    observations: int

    @property
    def forgets(self) -> bool:
        """Whether a policy, which sees only the present observation, cannot tell some information states apart."""
        return self.observations < self.information_states

    def __str__(self) -> str:
        if not self.forgets:
            return "observations hold everything that players have seen"
        return (
            f"policies forget: they see {self.observations:,} observations in {self.information_states:,} information "
            "states, while a responder remembers everything that it has seen"
        )


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
        recall: Whether policies forget, in games with hidden information over several moves; else None.
    """

    total: float
    per_player: tuple[float, ...]
    payoffs: tuple[float, ...]
    removed: IllegalMass | None = None
    queries: QueryCounts = field(default=QueryCounts(), compare=False)
    exact: Fraction | None = None
    exact_per_player: tuple[Fraction, ...] | None = None
    exact_payoffs: tuple[Fraction, ...] | None = None
    recall: Recall | None = field(default=None, compare=False)

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
        if self.recall is not None and self.recall.forgets:
            title += f"; {self.recall}"
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
        recall: As in `NashConv`. If observations forget, no policy can play the response, and `policy` raises a
            ValueError when it is queried.
    """

    value: float
    policy: Policy
    removed: IllegalMass | None = None
    queries: QueryCounts = field(default=QueryCounts(), compare=False)
    exact: Fraction | None = None
    recall: Recall | None = field(default=None, compare=False)

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
    """An equilibrium of a two-player zero-sum or constant-sum game, with its certificate.

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
    _sums: Sums | None = field(default=None, repr=False, compare=False)

    def sum_to_go(self, state: Any) -> Fraction | float:
        """Returns the expected sum of what both players are still paid from `state`: 0 if `zero_sum` is declared."""
        return Fraction(0) if self._sums is None else self._sums(state)

    @property
    def total(self) -> Fraction | float:
        """The sum of the values to both players: 0 if the game declares `zero_sum`."""
        return Fraction(0) if self._sums is None else self._sums.total

    @property
    def values(self) -> tuple[float, float]:
        """The value to each player, in payoff points."""
        return self.value, float(self.total) - self.value

    @property
    def other_value(self) -> str:
        """The value to player 1 in words, if the game is constant-sum and not zero-sum; else empty."""
        exact = None if self.exact is None else Fraction(self.total) - self.exact
        return "" if self._sums is None else f", {html.number(self.values[1], exact)} to player_1"

    def of_constant_sum(self, game: Game[Any], sums: Sums) -> Self:
        """Returns the solution of a constant-sum game from that of its zero-sum form."""
        half = sums.total / 2
        exact = None if self.exact is None else self.exact + exactly(half)
        return replace(self, game=game, value=self.value + float(half), exact=exact, _sums=sums)

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

    @abstractmethod
    def tables(self, state: Any = None) -> list[Table]:
        """Returns optimal play as tables: payoffs if players see the state, mixes, ranges; errors as for `labelled`."""

    def to_latex(self, state: Any = None) -> str:
        """Returns `tables` in LaTeX; they need the package booktabs."""
        return latex(self.tables(state))

    def to_csv(self, state: Any = None) -> str:
        """Returns the last of `tables` as CSV: a row for each probability."""
        (*_, (_, headings, rows)) = self.tables(state)
        return csv_text([headings, *rows])

    @property
    def _heading(self) -> str:
        """The heading of a table of optimal play."""
        value = html.number(self.value, self.exact)
        return f"optimal play, {self.certificate}; value {value} to player_0{self.other_value}"

    @property
    def certificate(self) -> str:
        """The accuracy of the value in words: "exact", or "certified to" the gap."""
        return f"certified to {self.gap:.1e}" if self.exact is None else "exact"

    def __repr__(self) -> str:
        value = html.number(self.value, self.exact)
        how = f"{self.states:,} {self.unit} by {self.method}"
        return (
            f"<{type(self).__name__} of {self.game.facts.name}: value {value} to player_0{self.other_value}, "
            f"{self.certificate}; {how}>"
        )

    def _repr_html_(self) -> str:
        figures = [
            ("value to player_0, payoff points", f"{html.number(self.value, self.exact)}{self.other_value}"),
            ("certified to", f"{self.gap:.1e}") if self.exact is None else ("certificate", "exact"),
            (self.unit, f"{self.states:,}"),
            ("method", self.method),
        ]
        name = self.game.facts.name
        return html.table(f"an equilibrium of {name}", ("", ""), figures) + self._mixes_in_html()

    @abstractmethod
    def _mixes_in_html(self) -> str:
        """Returns a table of `labelled`, or an empty string if the game can start in several states."""


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

    def of_constant_sum(self, game: Game[Any], sums: Sums) -> Self:
        return replace(super().of_constant_sum(game, sums), _play=ConstantSumPlay(self._play, sums))

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
        self._require_choice(state)
        return np.array(matrix_at(self.game, state, float, self._play.value_to_go))

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
        self._require_choice(state)
        return tuple(map(tuple, matrix_at(self.game, state, Fraction, self._play.exact_value_to_go)))

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
        self._require_choice(state)
        play = play_at(self.game, state, self._play, self.exact is not None)
        return replace(play, total=self.sum_to_go(state))

    def labelled(self, state: Any = None) -> list[dict[str, Any]]:
        state = self._start() if state is None else state
        self.game.check(state)
        seats = strategies_of(self.game, state, self._play, self.exact is not None)
        return [dict(zip(*seat, strict=True)) for seat in seats]

    def tables(self, state: Any = None) -> list[Table]:
        return self.at(state).tables()

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
        return html.mixes_at_start(self.labelled())

    def _start(self) -> Any:
        starts = self.game.initial()
        if len(starts) != 1:
            raise ValueError(
                f"{self.game.facts.name} can start in {len(starts)} states; name one of them, "
                f"such as {abbreviated(repr(starts[0].state))}"
            )
        return starts[0].state

    def _require_choice(self, state: Any) -> None:
        self.game.check(state)
        if not self.game.acting_players(state):
            raise ValueError(f"the game is over in {state!r}")


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
            (f"with type {own_type}: {action}", number(low), number(high))
            for own_type, bounds in (self._exact_or_rounded(player) or {}).items()
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
            own_type: {action: (number(low), number(high)) for action, (low, high) in bounds.items()}
            for own_type, bounds in ranges.items()
        }

    def _exact_or_rounded(self, player: int) -> dict[str, dict[str, tuple[html.Number, html.Number]]] | None:
        """Returns `ranges`, in fractions wherever they were computed: two of them can round to the same float."""
        ranges = self._ranges(player)
        if ranges is None:
            return None
        low, high = ranges
        names = [self.game.describe_action(action, player) for action in self._form.actions[player]]
        return {
            own_type: dict(zip(names, zip(least, most, strict=True), strict=True))
            for own_type, least, most in zip(self._form.types[player], low.tolist(), high.tolist(), strict=True)
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
                own_type: {
                    self.game.describe_action(action, player): probability
                    for action, probability in zip(self._form.actions[player], row, strict=True)
                }
                for own_type, row in zip(self._form.types[player], behaviour[player], strict=True)
            }
            for player in (0, 1)
        ]

    def tables(self, state: Any = None) -> list[Table]:
        rows = []
        for player, strategy in enumerate(self.labelled(state)):
            ranges = self.ranges(player) if self.quick_ranges else None
            for own_type, mix in strategy.items():
                for action, share in mix.items():
                    between = ("", "") if ranges is None else ranges[own_type][action]
                    rows.append((f"player_{player}", own_type, action, share, *between))
        return [Table(self._heading, ("player", "sees", "action", "probability", "lowest", "highest"), rows)]

    def show(self, state: Any = None) -> Figure:
        from baselines.display.figures import behaviour_figure

        value = self.value if self.exact is None else self.exact
        ranges = [self.ranges(player) for player in (0, 1)] if self.quick_ranges else None
        return behaviour_figure(self.labelled(state), self.game.facts.name, value, ranges)

    def _mixes_in_html(self) -> str:
        free = [self.free(player) if self.quick_ranges else [] for player in (0, 1)]
        return "".join(map(html.mixes_by_type, (0, 1), self.labelled(), free))
