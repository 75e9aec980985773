"""What a game is: pure rules on immutable states, with chance as a list.

A `Game` never calls a random generator. `Game.initial` and `Game.transitions` list all
outcomes with their probabilities. Environments sample from the very lists that solvers sum
over, so the two cannot disagree.
"""

from __future__ import annotations

import dataclasses
import inspect
from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.forms import BayesianForm, CompiledRules, RoundsForm
from cardwar_envs.core.scene import Revealed, Scene, in_points, plain_scene, spoken

S = TypeVar("S", bound=Hashable)
G = TypeVar("G", bound="Game[Any]")

CERTAIN = Fraction(1)
# Where a game has chance, see `GameFacts.chance`.
Chance = Literal["none", "deal", "moves"]
# What stands in a joint action for an illegal action by which a player forfeits the game.
FORFEIT = -1


class Transition(NamedTuple, Generic[S]):
    """One way in which a joint action, or the deal at the start, can turn out.

    Attributes:
        probability: Exact probability of this outcome.
        state: The state that it leads to.
        rewards: Payoff points paid on the way, one per player.
    """

    probability: Fraction
    state: S
    rewards: tuple[float, ...]


class Canonical(NamedTuple, Generic[S]):
    """An equal-valued representative of a state, its canonical form, so that solvers solve both at once.

    In Jujitsu with nothing but the order of ranks to go by, and the seats swapped:

        state      player 0 holds 3 and 4, player 1 holds 1 and 6, player 0 leads by 1
        canonical  player 0 holds 1 and 3, player 1 holds 2 and 2, player 1 leads by 1, seats (1, 0)

    Attributes:
        state: The representative.
        seats: `seats[p]` is the seat that player `p` holds in the representative:
            what is still to be paid to `p` here is what is still to be paid to
            `seats[p]` there. `(1, 0)` means that the two seats were swapped.
    """

    state: S
    seats: tuple[int, ...]


class ActionImage(NamedTuple):
    """Where an action of a state stands in its representative.

    Attributes:
        action: The action in the state itself.
        image: The action in the representative that stands for it.
        share: The share of the image's probability that belongs to this action
            (several interchangeable actions can have one image).
    """

    action: int
    image: int
    share: Fraction


@dataclass(frozen=True)
class GameFacts:
    """What is true of a game before it is played; solvers are chosen by these facts.

    Attributes:
        name: Name in `GAMES`.
        version: Number that goes up when a change might alter learning results.
        num_players: Number of seats.
        num_actions: Size of the flat action space of every player.
        observation_low: Least value of each entry of an observation.
        observation_high: Greatest value of each entry of an observation.
        min_payoff: A lower bound on what a player gets in a whole game, payoff points.
        max_payoff: An upper bound on what a player gets in a whole game, payoff points.
        zero_sum: Whether the payoffs of a whole game always sum to zero; with two players, so does
            every payment.
        seat_symmetric: Whether the rules treat all seats alike, so that an
            observation need not say which seat it is seen from.
        public_state: Whether an observation determines the state (nothing is hidden
            but the move about to be revealed).
        max_length: No game has more joint actions than this.
        max_rounds: Rounds after which the game ends, if positions come up again and states count the
            rounds left; else None.
        chance: Where chance can come in: "none" nowhere, "deal" in `Game.initial` only, "moves" also when a
            joint action is played. "moves" allows everything, so it is the default.
        everyone_acts: Whether every player who is still in the game chooses in every state, so that nobody waits.
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

    @cached_property
    def observation_size(self) -> int:
        """Number of entries of an observation."""
        return len(self.observation_low)


class IllegalActionError(ValueError):
    """An action that the rules do not allow where it was tried."""


# What a class claims about its rules, beyond the rules themselves -> the rules that the claim is about (and the
# private methods that these may call); () stands for all rules.
CLAIMS: dict[str, tuple[str, ...]] = {
    "canonical": (),
    "canonical_actions": (),
    "settled": (),
    "compiled_rules": (),
    "rounds_form": (),
    "bayesian_form": (),
    "state_of": ("observation",),
    "uniform_is_optimal": (),
    "count_states": (),
    "action_parts": (),
    "action_counts": ("observation", "legal_actions"),
    "action_mask": ("legal_actions",),
    "opponent_masks": ("observation", "legal_actions"),
}
# Methods that neither change what is played nor what players are told.
TEXTS = {
    *("describe", "describe_action", "describe_play", "describe_revealed", "describe_course", "scene"),
    *("check", "parameters", "smallest"),
}
# Special methods that can give an instance other methods than its class has.
SPECIAL = {"__post_init__", "__getattribute__"}


def _same_rules(kind: type, base: type, about: Collection[str] = ()) -> bool:
    """Whether a class inherits these rules, or all, from `base` unchanged, and the private methods with them."""
    below = [each for each in kind.__mro__ if each not in base.__mro__]
    fields = {name for each in below for name in inspect.get_annotations(each)}  # instances have these themselves
    for name in dir(base):
        rule = inspect.getattr_static(base, name)
        unasked = name in TEXTS or (name.startswith("__") and name not in SPECIAL)
        is_rule = (callable(rule) or hasattr(rule, "__get__")) and not unasked
        asked = not about or name in about or name.startswith("_")
        if is_rule and asked and (name in fields or inspect.getattr_static(kind, name, None) is not rule):
            return False
    return True


def same_rules_as(game: Game[Any], kind: type[G]) -> TypeGuard[G]:
    """Whether a game is played by the rules of the class `kind`, whatever its parameters are.

    A subclass that overrides a method or a property of `kind` is not, unless it only changes texts.
    Solvers that have the rules of `kind` built in must ask this, not only for the class.
    """
    return isinstance(game, kind) and _same_rules(type(game), kind)


class Game(ABC, Generic[S]):
    """Rules of a simultaneous-move game; subclasses are frozen dataclasses of parameters.

    States are immutable and hashable. Actions are integers in
    `range(facts.num_actions)` for every player.

    A class may claim more about its rules than the rules themselves say: which states are equal in
    value (`canonical`), when nothing matters any more (`settled`), the same rules compiled
    (`compiled_rules`), and so on (see `CLAIMS`). A subclass that overrides a rule is another game, for
    which these claims may be false. So it loses the inherited claims about that rule and gets the
    defaults of this class:

        class LowestWins(Jujitsu):  # solved, correctly, state by state, not as Jujitsu
            def trick_outcomes(self, rank_0, rank_1):
                return ((CERTAIN, (rank_0 < rank_1) - (rank_0 > rank_1)),)

    A subclass for which all claims are still true says so: `class DiceWars(Duel, keeps_claims=True)`. A
    subclass can also define a claim anew.

    Two things cannot be checked and are up to whoever writes a subclass. Rules stand in the class from the
    start, because the claims are settled when the class is made: a method that is set later, in the class or in a
    game, is not noticed. And rules depend on nothing outside the game and its class that can change, such as a
    variable of their module: what was worked out for a game is kept, by all that is in it (`core/kept.py`).
    """

    name: ClassVar[str]
    version: ClassVar[int] = 0

    def __init_subclass__(cls, keeps_claims: bool = False, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        for claim, about in CLAIMS.items():
            made = next(place for place, base in enumerate(cls.__mro__) if claim in vars(base))
            # A mixin that is no game makes its claims about the game class that it is mixed into.
            owner = [base for base in cls.__mro__[: made + 1] if issubclass(base, Game)][-1]
            if keeps_claims:
                setattr(cls, claim, inspect.getattr_static(cls, claim))  # from here on they are this class's own
            elif owner not in (cls, Game) and not _same_rules(cls, owner, about):
                setattr(cls, claim, vars(Game)[claim])

    @property
    @abstractmethod
    def facts(self) -> GameFacts:
        """What is true of this game before it is played."""

    @abstractmethod
    def initial(self) -> Sequence[Transition[S]]:
        """The possible starts with their probabilities, which sum to one."""

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
        """A fresh array `[observation_size]`: the state from that player's seat, own things first."""

    @abstractmethod
    def check(self, state: S) -> None:
        """Raises ValueError for a state that cannot be (cheap necessary conditions)."""

    @abstractmethod
    def describe(self, state: S) -> str:
        """The state as a few lines of text."""

    @abstractmethod
    def describe_action(self, action: int, player: int = 0) -> str:
        """What `player` does with the action, as a word."""

    def describe_play(self, action: int, player: int) -> str:
        """What `player` did, as a word: `describe_action`, or that it forfeited the game."""
        return "forfeits" if action == FORFEIT else self.describe_action(action, player)

    def scene(self, revealed: Revealed[S]) -> Scene:
        """A picture of what is revealed; by default the text of `describe`, the last moves and the payoffs.

        All pictures of a game are of one size. A picture shows no more than `revealed` allows.
        """
        lines = self.describe(revealed.state).splitlines()
        if revealed.last_actions is not None:
            moves = (f"player_{p}  {self.describe_play(a, p)}" for p, a in revealed.last_actions.items())
            lines += ["", "last moves", *moves]
        if any(revealed.payoffs):
            payoffs = (f"player_{player}  {in_points(paid)}" for player, paid in enumerate(revealed.payoffs))
            lines += ["", "payoffs so far", *payoffs]
        aside = "the game is over" if revealed.over else ""
        return plain_scene(spoken(self.facts.name), aside, lines, self.describe_revealed(revealed))

    def describe_revealed(self, revealed: Revealed[S]) -> str:
        """What is revealed as lines of text: the state, then what `describe_course` says."""
        return "\n".join([self.describe(revealed.state), *self.describe_course(revealed)])

    def describe_course(self, revealed: Revealed[S]) -> list[str]:
        """The last moves, if there were any, and whether the game is over, as lines of text."""
        lines = []
        if revealed.last_actions is not None:
            moves = (f"player_{p} {self.describe_play(a, p)}" for p, a in revealed.last_actions.items())
            lines.append("played  " + "  ".join(moves))
        if revealed.over:
            lines.append("the game is over")
        return lines

    def live_players(self, state: S) -> tuple[int, ...]:
        """The players who are still in the game; empty when it is over."""
        return self._everyone if self.acting_players(state) else ()

    @cached_property
    def _everyone(self) -> tuple[int, ...]:
        return tuple(range(self.facts.num_players))

    def settled(self, state: S) -> tuple[float, ...] | None:
        """What is still to be paid to each player if the state is settled, else None.

        A state is settled if no choice matters any more. In Jujitsu, for example:

            two cards each left, no ties carried, player 0 leads by 3: player 0 wins, (1.0, -1.0)
            two cards each left, no ties carried, player 0 leads by 1: not settled, None
        """
        return None

    def state_of(self, observation: NDArray[np.float32]) -> tuple[S, int]:
        """The state that an observation shows, and the player who sees it.

        In a seat-symmetric game the state is turned so that the observer is player 0.

        Raises:
            ValueError: If the game is not one of public state.
        """
        raise ValueError(f"{self.facts.name}: an observation does not show the whole state")

    def bayesian_form(self) -> BayesianForm:
        """The whole game as arrays, if both of two players move once, on private information.

        Raises:
            ValueError: If the game is not of that kind.
        """
        raise ValueError(f"{self.facts.name}: not a game in which both players move once on private information")

    def rounds_form(self, starts: Sequence[S], max_positions: int) -> RoundsForm[S]:
        """All positions that can follow some states as arrays, if positions come up again in this game.

        Raises:
            ValueError: If the game is not of that kind, or there are more than `max_positions` nodes.
        """
        raise ValueError(f"{self.facts.name}: not a two-player game whose positions come up again")

    def canonical(self, state: S) -> Canonical[S]:
        """An equal-valued representative (see `Canonical`); by default the state itself."""
        return Canonical(state, tuple(range(self.facts.num_players)))

    def canonical_actions(self, state: S, player: int) -> tuple[ActionImage, ...]:
        """Where each legal action of `player` stands in the representative of `state`."""
        return tuple(ActionImage(a, a, CERTAIN) for a in self.legal_actions(state, player))

    def action_counts(self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """In how many ways each action can be played, for example how many cards of a rank are held.

        Args:
            observations: `[batch, observation_size]`.
            action_masks: `[batch, num_actions]`, 1 where an action is legal.

        Returns:
            `[batch, num_actions]` counts, 0 where an action is illegal.
        """
        return action_masks.astype(np.float64)

    def action_parts(self) -> NDArray[np.int64] | None:
        """What actions are made of, in games with so many actions that a learner cannot try each of them.

        A choice of two discards and a card to battle with, for example, has the parts "discard a 3" (once or twice)
        and "battle with a 7". What is learned of a part then holds for every action that has it.

        Returns:
            `[num_actions, parts]`: how often each part occurs in each action, the same for all players. Different
            actions must differ in it. None if each action is a part of its own.
        """
        return None

    def uniform_is_optimal(self) -> bool:
        """Whether playing every card alike, as `uniform` does, is optimal for both players at every state.

        Solvers then choose that equilibrium among several, at every state at which their certificate confirms it.
        """
        return False

    def opponent_masks(self, observations: NDArray[np.float32]) -> NDArray[np.int8]:
        """What the opponent of the observer may play, in two-player games whose observations show the state.

        Args:
            observations: `[batch, observation_size]`.

        Returns:
            `[batch, num_actions]`, 1 where an action is legal for the player who does not observe.

        Raises:
            ValueError: If observations do not show the state.
        """
        seen = [self.state_of(observation) for observation in observations]
        masks = [self.action_mask(state, 1 - player) for state, player in seen]
        return np.array(masks, dtype=np.int8).reshape(len(observations), self.facts.num_actions)

    def info(self, state: S, player: int) -> dict[str, Any]:
        """What environments tell a player in `infos` beside the mask; nothing that is hidden from it."""
        return {}

    def compiled_rules(self) -> CompiledRules[S] | None:
        """The compiled rules for many states at once; None if the game has none."""
        return None

    def action_mask(self, state: S, player: int) -> NDArray[np.int8]:
        """A fresh array `[num_actions]`: 1 where `player` may play the action, else 0."""
        mask = np.zeros(self.facts.num_actions, dtype=np.int8)
        mask[list(self.legal_actions(state, player))] = 1
        return mask

    def count_states(self, canonical: bool) -> int | None:
        """At least how many states there are in which something is decided, if there is a formula; else None.

        A game with more states than an oracle can list is then refused before the work.

        Args:
            canonical: Count representatives (see `canonical`) instead of states.
        """
        return None

    def with_size(self, size: int) -> Game[S]:
        """The same game with another size, in games that have `count_states`; a larger one has more states.

        Raises:
            ValueError: If there is no game of that size.
        """
        raise ValueError(f"{self.facts.name} has no size")

    def smallest(self) -> Game[S] | None:
        """The same game at its smallest, e.g. to compile what solves it; None if the game does not say."""
        return None

    def parameters(self) -> dict[str, Any]:
        """The fields of this game as plain data; `make_game(name, **parameters)` restores it."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]  # subclasses are dataclasses

    # Games are immutable, so a copy is the game itself. A pickle holds the parameters only, not what a
    # game has memoised about itself.
    def __deepcopy__(self, memo: dict[int, Any]) -> Game[S]:
        return self

    def __getstate__(self) -> dict[str, Any]:
        return self.parameters()

    def __setstate__(self, parameters: dict[str, Any]) -> None:
        self.__dict__.update(parameters)


def require_game(game: object) -> None:
    """Raises a ValueError if something is given where a game belongs, and says how a game is made."""
    if not isinstance(game, Game):
        made = 'as cardwar_envs.make_game("jujitsu", num_cards=5) makes one'
        raise ValueError(f"game ({game!r}) must be a game, {made}; it is a {_kind(game)}")


def _kind(thing: object) -> str:
    return "class" if isinstance(thing, type) else type(thing).__name__
