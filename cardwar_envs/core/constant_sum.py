"""Two-player games in which the payoffs of both players sum to a constant, whatever they do.

From every state, the expected sum of what both players are still paid must be the same for all joint actions. This is
proved on all states of the game. Such a game has the same optimal strategies and the same gains from deviating as its
`zero_sum_form`, in which each player is paid half of the difference; a player's payoff is that plus half of the sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.game import Game, GameFacts, Transition, require_game
from cardwar_envs.core.numbers import exact_or_rounded, shortest
from cardwar_envs.core.play import joint_actions

# Larger games are not listed for the proof.
MOST_OUTCOMES = 1_000_000
# Sums of rounded floats may differ by this fraction of the largest payoff.
ROUNDING = 1e-9

Number = Fraction | float


class NotConstantError(ValueError):
    """The sum of the payoffs depends on the moves, or the game is too large to prove that it does not."""


class Sums:
    """The expected sum of what both players are still paid, at each state; proved by listing what follows."""

    def __init__(self, game: Game[Any]) -> None:
        self._game, self._sums, self._listed = game, dict[Any, Number](), 0
        self._rounding = ROUNDING * max(abs(game.facts.min_payoff), abs(game.facts.max_payoff))

    @property
    def total(self) -> Number:
        """The sum in the whole game."""
        return self._mean(self._game.initial())

    def __call__(self, state: Any) -> Number:
        """Returns the sum from a state on, in payoff points; raises a NotConstantError if it depends on moves."""
        stack = {} if state in self._sums else {state: self._children(state)}  # the path to a state not finished
        while stack:
            last, children = next(reversed(stack.items()))
            child = next(children, None)
            if child is None:
                del stack[last]
            elif child.state in stack:
                raise NotConstantError("a state can repeat")
            else:
                stack[child.state] = self._children(child.state)
        return self._sums[state]

    def _mean(self, outcomes: Sequence[Transition[Any]]) -> Number:
        return sum(
            (exact_or_rounded(each.probability) * (sum(map(exact_or_rounded, each.rewards)) + self(each.state))
             for each in outcomes),
            Fraction(0),
        )  # fmt: skip

    def _children(self, state: Any) -> Iterator[Transition[Any]]:
        """Yields the outcomes after which the sum is not known yet, and then adds that of `state`."""
        found: Any = None if self._game.acting_players(state) else Fraction(0)
        for actions in joint_actions(self._game, state):
            outcomes = self._game.transitions(state, actions)
            self._listed += len(outcomes)
            if self._listed > MOST_OUTCOMES:
                raise NotConstantError(f"its {MOST_OUTCOMES:,} first outcomes do not prove it constant-sum")
            yield from (each for each in outcomes if each.state not in self._sums)
            total: Any = self._mean(outcomes)
            found = total if found is None else found
            rounded = isinstance(total, float) or isinstance(found, float)
            if not abs(total - found) <= (self._rounding if rounded else 0):  # NaN is not
                raise NotConstantError("the sum of the payoffs depends on the moves")
        self._sums[state] = found


@cached_by_game(32)
def _sums_or_reason(game: Game[Any]) -> Sums | str:
    """The sums of a two-player game, proved to be constant; else why not, for messages."""
    sums = Sums(game)
    try:
        sums.total  # noqa: B018  # lists the game
    except NotConstantError as error:
        return f"; {error}"
    return sums


def proved_sums(game: Game[Any]) -> Sums | None:
    """Returns the sums in a constant-sum game that does not declare `zero_sum`; None for any other game."""
    require_game(game)
    if game.facts.num_players != 2 or game.facts.zero_sum or isinstance(found := _sums_or_reason(game), str):
        return None
    return found


def payoff_sum(game: Game[Any]) -> Number:
    """Returns the sum of both payoffs in a constant-sum game, and 0 for any other game."""
    sums = proved_sums(game)
    return Fraction(0) if sums is None else sums.total


def is_constant_sum(game: Game[Any]) -> bool:
    """Whether this is a two-player game that declares to be zero-sum, or whose payoffs provably sum to a constant."""
    return proved_sums(game) is not None or (game.facts.num_players == 2 and game.facts.zero_sum)


def require_constant_sum(game: Game[Any], question: str, instead: str = "") -> None:
    """Raises a ValueError unless `is_constant_sum`; `question` is what needs this, `instead` a remedy."""
    if not is_constant_sum(game):
        reason = "" if game.facts.num_players != 2 else _sums_or_reason(game)
        raise ValueError(f"{game.facts.name}: {question} is for two-player zero-sum games{instead}{reason}")


def zero_sum_form(game: Game[Any]) -> Game[Any]:
    """Returns the zero-sum form of a constant-sum game; any other game, and a zero-sum game, is returned itself."""
    return game if proved_sums(game) is None else ZeroSumForm(game)


def _of_game(name: str) -> Any:
    """A method that calls the game's method of that name."""
    return lambda self, *arguments: getattr(self.game, name)(*arguments)


@dataclass(frozen=True)
class ZeroSumForm(Game[Any]):
    """A constant-sum game in which each player is paid half of the difference to the other's payment instead.

    States, observations and declarations about them are those of the game.

    Attributes:
        game: The game.
    """

    name: ClassVar[str] = "zero_sum_form"

    game: Game[Any]

    @cached_property
    def facts(self) -> GameFacts:
        """The game's facts, with bounds on half of the difference."""
        facts = self.game.facts
        most = (facts.max_payoff - facts.min_payoff) / 2
        return replace(facts, zero_sum=True, min_payoff=-most, max_payoff=most)

    def parameters(self) -> dict[str, Any]:
        """The parameters of the game."""
        return self.game.parameters()

    def __getstate__(self) -> dict[str, Any]:
        return {"game": self.game}

    def initial(self) -> Sequence[Transition[Any]]:
        """The game's starts, with other payments."""
        return [each._replace(rewards=_halved(each.rewards)) for each in self.game.initial()]

    def transitions(self, state: Any, actions: Mapping[int, int]) -> Sequence[Transition[Any]]:
        """The game's outcomes, with other payments."""
        return [each._replace(rewards=_halved(each.rewards)) for each in self.game.transitions(state, actions)]

    def settled(self, state: Any) -> tuple[float, ...] | None:
        """What the game settles, with other payments."""
        settled = self.game.settled(state)
        return None if settled is None else _halved(settled)

    acting_players = _of_game("acting_players")
    legal_actions = _of_game("legal_actions")
    observation = _of_game("observation")
    check = _of_game("check")
    describe = _of_game("describe")
    describe_action = _of_game("describe_action")
    live_players = _of_game("live_players")
    action_mask = _of_game("action_mask")
    state_of = _of_game("state_of")
    canonical = _of_game("canonical")
    canonical_actions = _of_game("canonical_actions")
    action_counts = _of_game("action_counts")
    action_parts = _of_game("action_parts")
    uniform_is_optimal = _of_game("uniform_is_optimal")
    opponent_masks = _of_game("opponent_masks")
    moves_left = _of_game("moves_left")
    count_states = _of_game("count_states")


def _halved(rewards: Sequence[float]) -> tuple[float, ...]:
    first, second = map(exact_or_rounded, rewards)
    half = shortest((first - second) / 2)
    return half, (-half if half else half)
