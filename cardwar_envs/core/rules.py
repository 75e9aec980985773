"""The methods that every game defines: pure functions of immutable states, with chance outcomes as lists.

Rules never call a random generator. `Rules.initial` and `Rules.transitions` list all outcomes with their
probabilities. Environments sample from the same lists that solvers sum over, so the two cannot disagree.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from random import Random
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.parameters import shown


def random_moves(game: Any, count: int) -> Iterator[tuple[Any, Sequence[Any]]]:
    """Yields `count` states of random games, the same in every call, each with the outcomes of one move.

    At the end of a game, no move has outcomes.
    """
    rng, outcomes = Random(0), game.initial()
    for _ in range(count):
        state = rng.choice(outcomes or game.initial()).state
        actions = {player: rng.choice(game.legal_actions(state, player)) for player in game.acting_players(state)}
        outcomes = game.transitions(state, actions) if actions else ()
        yield state, outcomes


def _parts(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yields a value and its parts at every depth, each with its path.

    Parts are the entries of tuples, whose position does not count unless they are named, and the fields of dataclasses.
    """
    yield path, value
    named = getattr(value, "_fields", ())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        named = tuple(field.name for field in dataclasses.fields(value))
    for name in named:
        yield from _parts(f"{path}, {name}", getattr(value, name))
    for part in value if type(value) in (tuple, frozenset) else ():
        yield from _parts(f"{path}, entry", part)


S = TypeVar("S", bound=Hashable)

CERTAIN = Fraction(1)
# Errors list at most this many legal actions; a war can have thousands.
LISTED = 40
# See `GameFacts.chance`.
Chance = Literal["none", "deal", "moves"]
# States of random games from which the default `check` learns types.
SHAPED = 500
# Types of masks and observations; NumPy takes longer to make an array of `np.int8`.
MASK, OBSERVED = np.dtype(np.int8), np.dtype(np.float32)
# Marks an illegal action that forfeits the game.
FORFEIT = -1


class Transition(NamedTuple, Generic[S]):
    """One possible outcome of a joint action or of the deal at the start.

    Attributes:
        probability: Exact probability of this outcome.
        state: The resulting state.
        rewards: Payoff points paid in this transition, one per player. If solvers are to use `exact=True`, write values
            that a float would round, such as 1/3, as a Fraction.
    """

    probability: Fraction
    state: S
    rewards: tuple[float, ...]


# Makes a Transition from its fields faster than its class.
new_transition: Callable[[tuple[Fraction, Any, tuple[float, ...]]], Transition[Any]] = partial(
    tuple.__new__, Transition
)


@dataclass(frozen=True)
class GameFacts:
    """Static properties of a game, which determine the solver that is used.

    Attributes:
        name: Name in `GAMES`.
        version: Increases when a change might alter learning results.
        num_players: Number of seats.
        num_actions: Size of the flat action space of every player.
        observation_low: Lower bound of each entry of an observation.
        observation_high: Upper bound of each entry of an observation.
        min_payoff: A lower bound on a player's total payoff in a game, in payoff points.
        max_payoff: An upper bound on a player's total payoff in a game, in payoff points.
        zero_sum: Whether total payoffs always sum to zero (with two players, each payment must too).
        seat_symmetric: Whether the rules treat all seats alike, so that observations need not identify the seat.
        public_state: Whether an observation determines the state (only the pending move is hidden).
        max_length: An upper bound on the number of joint actions in one game.
        max_rounds: Maximum number of rounds if positions can recur and states count the rounds left; otherwise None.
            Without a `rounds_form`, every joint action is a round.
        chance: Where chance occurs: "none" (nowhere), "deal" (only in `Game.initial`) or "moves" (also when a joint
            action is played). The default, "moves", is valid for every game.
        everyone_acts: Whether every player still in the game chooses an action in every state.
        state_identity: For games from other libraries, text, shown with results, that says which histories count as
            one state.
    """

    name: str
    version: int
    num_players: int
    num_actions: int
    observation_low: tuple[float, ...]
    observation_high: tuple[float, ...]
    min_payoff: float
    max_payoff: float
    zero_sum: bool
    seat_symmetric: bool
    public_state: bool
    max_length: int
    max_rounds: int | None = None
    chance: Chance = "moves"
    everyone_acts: bool = True
    state_identity: str = ""

    @cached_property
    def observation_size(self) -> int:
        """Number of entries of an observation."""
        return len(self.observation_low)


class TooLargeError(ValueError):
    """A game is too large for a computation, which a smaller size of the game allows."""


class IllegalActionError(ValueError):
    """An action that is illegal in the current state."""


def illegal_action_error(who: str, action: Any, legal: Sequence[int], hint: str = "") -> IllegalActionError:
    """Returns the error for an illegal action; lists the legal actions and ends with `hint`."""
    listed = ", ".join(map(str, legal[:LISTED])) + (f", ... ({len(legal)} in total)" if len(legal) > LISTED else "")
    named = int(action) if isinstance(action, np.integer) else action
    return IllegalActionError(f"{who} cannot play action {named!r}; legal actions are {listed}{hint}")


class Rules(ABC, Generic[S]):
    """The methods that a game must define.

    States are immutable and hashable. Actions are integers in `range(facts.num_actions)` for every player.
    """

    @property
    @abstractmethod
    def facts(self) -> GameFacts:
        """The static properties of this game."""

    @abstractmethod
    def initial(self) -> Sequence[Transition[S]]:
        """All possible starts, with probabilities that sum to one."""

    @abstractmethod
    def acting_players(self, state: S) -> tuple[int, ...]:
        """The players who choose an action now, ascending; empty when the game is over."""

    @abstractmethod
    def legal_actions(self, state: S, player: int) -> tuple[int, ...]:
        """The actions that `player` may play, ascending."""

    @abstractmethod
    def transitions(self, state: S, actions: Mapping[int, int]) -> Sequence[Transition[S]]:
        """All outcomes when the acting players play `actions` (player -> action)."""

    @abstractmethod
    def observation(self, state: S, player: int) -> NDArray[np.float32]:
        """A fresh array `[observation_size]`: the state seen from that player's seat, own entries first."""

    def check(self, state: S) -> None:
        """Raises a ValueError if cheap checks show that the state is impossible.

        By default, compares the types of the state and its parts, and the lengths of tuples that always have the same
        length, with those in some random games. An override can call this first, and then test values.
        """
        for path, part in _parts("the state", state):
            types, lengths = self._shapes.get(path, ({type(part)}, set()))
            if type(part) not in types:
                allowed = " or ".join(sorted(kind.__name__ for kind in types))
                raise ValueError(f"state ({shown(state)}): {path} must be of type {allowed}, not {type(part).__name__}")
            if type(part) is tuple and len(lengths) == 1 and len(part) not in lengths:
                raise ValueError(f"state ({shown(state)}): {path} must have {min(lengths)} entries, not {len(part)}")

    @cached_property
    def _shapes(self) -> dict[str, tuple[set[type], set[int]]]:
        """The types of each part of some states, and its lengths if it is a plain tuple."""
        shapes: dict[str, tuple[set[type], set[int]]] = defaultdict(lambda: (set(), set()))
        for state, _ in random_moves(self, SHAPED):
            for path, part in _parts("the state", state):
                shapes[path][0].add(type(part))
                if type(part) is tuple:
                    shapes[path][1].add(len(part))
        return shapes

    @abstractmethod
    def describe(self, state: S) -> str:
        """The state as a few lines of text."""

    @abstractmethod
    def describe_action(self, action: int, player: int = 0) -> str:
        """A short name of the action when `player` plays it."""

    def live_players(self, state: S) -> tuple[int, ...]:
        """The players who are still in the game; empty when it is over.

        A player who has left is paid nothing more, because environments return rewards only to players in the game. A
        player who may still be paid stays in the game, with a single action while there is nothing to choose.
        """
        return self._everyone if self.acting_players(state) else ()

    @cached_property
    def _everyone(self) -> tuple[int, ...]:
        return tuple(range(self.facts.num_players))

    def action_mask(self, state: S, player: int) -> NDArray[np.int8]:
        """A fresh array `[num_actions]`: 1 where `player` may play the action, else 0."""
        mask = bytearray(self._num_actions)  # single entries are set much faster than those of an array
        for action in self.legal_actions(state, player):
            mask[action] = 1
        return np.frombuffer(mask, MASK)

    @cached_property
    def _num_actions(self) -> int:
        return self.facts.num_actions  # games may make their facts anew whenever they are read
