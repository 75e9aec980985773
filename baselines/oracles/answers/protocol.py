"""Common parts of all oracles: their protocol, solving options and solved tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game.continuation import ExactStrategies, Strategies
from baselines.oracles.answers.results import (
    BestResponse,
    HeadToHead,
    StateSolution,
)
from cardwar_envs.core.game import Game, Transition
from cardwar_envs.core.numbers import exactly
from cardwar_envs.core.play import listed
from cardwar_envs.core.policy import Masks, Observations, Policy, Probabilities
from cardwar_envs.core.process import Stopwatch
from cardwar_envs.core.rules import TooLargeError

# Payoffs within this relative tolerance (absolute below one point) count as equal.
ROUNDING = 1e-9
# Batch size of policy queries.
BATCH = 1 << 15

Progress = Callable[[int], None]
Seats = Policy | str | Sequence[Policy | str]
# Per player, in payoff points.
Payoffs = tuple[float, ...]
ExactPayoffs = tuple[Fraction, ...]


def expect(progress: Progress | None, total: int) -> None:
    """Announces the number of matrix games, if the progress callback has a method for it."""
    if (announced := getattr(progress, "expect", None)) is not None:
        announced(total)


@dataclass(frozen=True)
class Exploit:
    """The selection `exploit:POLICY` for a policy object: `solve(game, selection=Exploit(mine))`.

    Attributes:
        policy: The policy to exploit; an object or a name.
    """

    policy: Policy | str


Selection = str | Exploit


@dataclass(frozen=True)
class Request:
    """Options for solving a game; see `baselines.solve`."""

    selection: Selection = "default"
    exact: bool | None = None
    max_states: int | None = None
    progress: Progress | None = None
    engine: str | None = None
    keep_layers: int | None = None
    cache: Path | None = None

    @property
    def plain(self) -> bool:
        """True if any equilibrium in floats is acceptable."""
        return self.selection == "default" and not self.exact


# Any equilibrium, in floats.
PLAIN = Request()
# Starts as `Game.initial` lists them.
Starts = Sequence[Transition[Any]]


class Oracle(Protocol):
    """Computes exact results for one game; each family of games has an oracle (`baselines.oracles.choice`)."""

    def __init__(self, game: Game[Any]) -> None: ...

    def response(self, policies: Sequence[Policy], player: int) -> BestResponse:
        """Returns the best response of `player` to the policies in the other seats."""

    def payoffs(self, policies: Sequence[Policy]) -> tuple[Payoffs, Payoffs]:
        """Returns each player's payoff when all follow `policies`, and the payoff of its best response."""

    def odds(self, policies: Sequence[Policy]) -> HeadToHead:
        """Returns win, loss and tie probabilities between two policies."""

    def check_invariances(self, policies: Sequence[Policy | None]) -> int:
        """Checks, on a sample, the declared invariances that this oracle relies on.

        An entry is None if that policy is not queried. Returns the number of compared answers.

        Raises:
            ValueError: If a declared invariance fails.
        """


class ExactOracle(Oracle, Protocol):
    """An oracle that also measures policies exactly; the policies must have `exact_probabilities`."""

    def exact_response(self, policies: Sequence[Policy], player: int) -> BestResponse:
        """Like `response`, with the value as a fraction."""

    def exact_payoffs(self, policies: Sequence[Policy]) -> tuple[ExactPayoffs, ExactPayoffs]:
        """Like `payoffs`, in fractions."""


class Table(ABC):
    """Values and strategies at every state of a two-player zero-sum game with a public state.

    Attributes:
        game: The rules.
        by_words: Whether play is the same in all states with the same canonical form (in a duel: interleaving).
    """

    by_words = True
    work = 1.0  # cost of a matrix game, relative to one of a large duel
    bound = ""  # "at most " if it may solve fewer games than it announces

    def __init__(self, game: Game[Any]) -> None:
        self.game = game

    @property
    def policy(self) -> Policy:
        """The equilibrium policy, for either seat."""
        return EquilibriumPolicy(self)

    @property
    def states(self) -> int | None:
        """The number of matrix games to solve, if known beforehand."""
        return None

    @property
    def states_at_least(self) -> int:
        """A lower bound of `states` if it takes long to count them, else 0."""
        return 0

    @abstractmethod
    def solve(self, starts: Starts, request: Request = PLAIN) -> int:
        """Solves all states reachable from `starts`; returns the number of matrix games solved."""

    def value_to_go(self, state: Any) -> float:
        """Returns the expected continuation payoff to player 0 from `state`, in payoff points."""
        decided = self._decided(state)
        return self._value(state) if decided is None else decided

    def gap_at(self, state: Any) -> float:
        """Returns a certified bound on the error of `value_to_go(state)`, in payoff points."""
        return self._gap(state) if self._decided(state) is None else 0.0

    def _decided(self, state: Any) -> float | None:
        """Returns player 0's remaining payoff if no choice matters any more; else None."""
        if not self.game.acting_players(state):
            return 0.0
        settled = self.game.settled(state)
        return None if settled is None else settled[0]

    @abstractmethod
    def _value(self, state: Any) -> float:
        """Returns `value_to_go` of an undecided state."""

    @abstractmethod
    def _gap(self, state: Any) -> float:
        """Returns `gap_at` for an undecided state."""

    @abstractmethod
    def strategies(self, state: Any) -> Strategies:
        """Returns equilibrium strategies of both players, each `[num_actions]`; all 0 for a player who does not act."""

    def exact_value_to_go(self, state: Any) -> Fraction:
        """Returns `value_to_go` as a fraction; raises a ValueError if the game was not solved exactly."""
        raise ValueError(f"{self.game.facts.name} was not solved in rational arithmetic; solve it with exact=True")

    def exact_strategies(self, state: Any) -> ExactStrategies:
        """Returns `strategies` as fractions; raises a ValueError if the game was not solved exactly."""
        raise ValueError(f"{self.game.facts.name} was not solved in rational arithmetic; solve it with exact=True")

    def seen(self, observation: NDArray[np.float32]) -> NDArray[np.float64]:
        """Returns the strategy of the player who sees `observation`, `[num_actions]`."""
        state, player = self.game.state_of(observation)
        return self.strategies(state)[player]

    def all_seen(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """Returns the observers' strategies at observations `[batch, observation_size]`: `[batch, num_actions]`."""
        answers = [self.seen(observation) for observation in observations]
        return np.reshape(answers, (len(observations), self.game.facts.num_actions))


class SolvedState(NamedTuple):
    """A solved canonical state: strategies are `[2, num_actions]`, value and gap payoff points.

    `exact` are the strategies as fractions, if the game was solved exactly.
    """

    value: float
    gap: float
    strategies: NDArray[np.float64]
    exact: NDArray[Any] | None = None


class CanonicalTable(Table):
    """A table that solves only canonical states and maps others to them (see `Game.canonical`).

    Interchangeable actions split the probability of their canonical action in proportion to their numbers of cards.
    """

    @abstractmethod
    def _solve_state(self, representative: Any) -> SolvedState:
        """Solves a canonical state that is not settled."""

    def strategies(self, state: Any) -> Strategies:
        return self._strategy(state, 0), self._strategy(state, 1)

    def exact_strategies(self, state: Any) -> ExactStrategies:
        self.exact_value_to_go(state)  # rejects a table of floats
        first, second = (self._mapped(state, player, Fraction).tolist() for player in (0, 1))
        return tuple(first), tuple(second)

    def seen(self, observation: NDArray[np.float32]) -> NDArray[np.float64]:
        return self._strategy(*self.game.state_of(observation))

    def _strategy(self, state: Any, player: int) -> NDArray[np.float64]:
        """Returns one player's entry of `strategies`."""
        return self._mapped(state, player, float)

    def _mapped(self, state: Any, player: int, number: type[float] | type[Fraction]) -> NDArray[Any]:
        """Returns one player's strategy, `[num_actions]` floats or fractions, mapped from the canonical state."""
        acting, strategy = self.game.acting_players(state), np.full(self.game.facts.num_actions, number(0))
        if not acting:
            raise ValueError(f"the game is over in {state!r}")
        if player in acting:
            representative, seats = self.game.canonical(state)
            if self.game.settled(representative) is None:
                solved_state = self._solve_state(representative)
                mixes = solved_state.strategies if number is float or solved_state.exact is None else solved_state.exact
                solved = mixes[seats[player]]
            else:  # any strategy is optimal
                lowest = self.game.legal_actions(representative, seats[player])[0]
                solved = np.eye(1, len(strategy), lowest)[0]
            for action, image, share in self.game.canonical_actions(state, player):
                strategy[action] = number(solved[image]) * number(share)
        return strategy


class EquilibriumPolicy:
    """Plays the equilibrium of a game with a public state, from either seat; `by_words` comes from its `table`."""

    def __init__(self, table: Table) -> None:
        self.table, self.by_words = table, table.by_words

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.table.game.facts.name}>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """Returns equilibrium strategies at the states that the observations show, `[batch, num_actions]`."""
        return self.table.all_seen(observations)

    def exact_probabilities(self, observations: Observations, action_masks: Masks) -> list[tuple[Fraction, ...]]:
        """Returns the probabilities as fractions; raises a ValueError if the game was not solved exactly."""
        seen = map(self.table.game.state_of, observations)
        return [self.table.exact_strategies(state)[player] for state, player in seen]


def solve_table(table: Table, method: str, request: Request) -> StateSolution:
    """Solves a new table from the start of its game; `method` becomes `Solution.method`."""
    game, starts = table.game, listed(table.game, table.game.initial())
    if request.max_states is not None and table.states_at_least > request.max_states:  # counting them takes long
        raise TooLargeError(
            f"{game.facts.name} has at least {table.states_at_least:,} matrix games to solve, more than max_states "
            f"({request.max_states:,})"
        )
    if (foresee := getattr(request.progress, "foresee", None)) is not None:
        foresee(table.work, table.states_at_least, table.bound)
    if table.states is not None:
        expect(request.progress, table.states)
    watch = Stopwatch()
    solved = table.solve(starts, request)
    seconds = watch.seconds
    exact = None
    if request.exact:
        parts = (exactly(s.probability) * (exactly(s.rewards[0]) + table.exact_value_to_go(s.state)) for s in starts)
        exact = sum(parts, Fraction(0))
    return StateSolution(
        game=game,
        value=sum(float(s.probability) * (s.rewards[0] + table.value_to_go(s.state)) for s in starts),
        policy=table.policy,
        method=method,
        gap=sum(float(s.probability) * table.gap_at(s.state) for s in starts),
        states=solved if table.states is None else table.states,
        solved=solved,
        seconds=seconds,
        exact=exact,
        _play=table,
    )


def lead(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns `first - second` in points, 0 if the difference can be a rounding error.

    So 0.1 + 0.2 points are not ahead of 0.3, although their float sum is.
    """
    ahead = first - second
    size = np.maximum(1.0, np.maximum(np.abs(first), np.abs(second)).max(initial=0.0))
    return np.where(np.abs(ahead) <= ROUNDING * size, 0.0, ahead)
