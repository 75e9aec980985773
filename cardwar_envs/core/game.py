"""The base class of all games: rules (`rules.py`), texts (`texts.py`), and optional declarations about the rules.

The declarations save time in solvers, batches and learners. Every default is valid for every game.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Generic, NamedTuple, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.forms import BayesianForm, CompiledRules, RoundsForm
from cardwar_envs.core.rules import CERTAIN, FORFEIT, Chance, GameFacts, IllegalActionError, Rules, S, Transition
from cardwar_envs.core.texts import Texts


class Canonical(NamedTuple, Generic[S]):
    """A state's canonical form: a representative of equal value, so that solvers solve both at once.

    In Jujitsu, with ranks renumbered in order and the seats swapped:

        state      player 0 holds 3 and 4, player 1 holds 1 and 6, player 0 leads by 1
        canonical  player 0 holds 1 and 3, player 1 holds 2 and 2, player 1 leads by 1, seats (1, 0)

    Attributes:
        state: The representative.
        seats: `seats[p]` is player `p`'s seat in the representative: the remaining payoff of `p` in the state equals
            that of `seats[p]` in the representative. `(1, 0)` means that the seats were swapped.
    """

    state: S
    seats: tuple[int, ...]


class ActionImage(NamedTuple):
    """An action of a state and the corresponding action of the state's representative.

    Attributes:
        action: The action in the state itself.
        image: The corresponding action in the representative.
        share: Fraction of the probability of `image` that this action receives (interchangeable actions have the same
            image).
    """

    action: int
    image: int
    share: Fraction


# Maps each declaration to the rules that it depends on; () means all. Every declaration depends on private methods.
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
    "moves_left": (),
    # Listed because inherited texts would describe the rules of another game.
    "how_to_play": (),
    "seat_in_words": (),
}
# Methods that affect neither play nor observations.
TEXTS = {
    *("describe", "describe_action", "describe_play", "describe_revealed", "describe_course", "scene"),
    *("check", "how_to_play", "parameters", "player_names", "seat_in_words", "smallest", "state_defaults", "waits"),
}
# Special methods through which an instance can have methods that its class lacks.
SPECIAL = {"__post_init__", "__getattribute__"}


def changed_rule(kind: type, base: type, about: Collection[str] = ()) -> str:
    """The first rule of `base` that `kind` overrides, among those in `about` (default: all) and private ones; or ""."""
    below = [vars(each) for each in kind.__mro__ if each not in base.__mro__]
    fields = {name for each in below for name in each.get("__annotations__", ())}  # instance attributes
    for name in sorted(fields.union(*below) & set(dir(base))):
        unasked = name in TEXTS or (name.startswith("__") and name not in SPECIAL)
        if unasked or (about and name not in about and not name.startswith("_")):
            continue
        rule = inspect.getattr_static(base, name)
        is_rule = callable(rule) or hasattr(rule, "__get__")
        if is_rule and (name in fields or inspect.getattr_static(kind, name, None) is not rule):
            return name
    return ""


class LostClaim(NamedTuple):
    """A declaration that `loser` does not inherit from `owner` because `loser` overrides `rule`."""

    claim: str
    owner: str
    loser: str
    rule: str


class Structure(Rules[S]):
    """Optional declarations about the rules."""

    _lost_claims: ClassVar[tuple[LostClaim, ...]] = ()

    def _lost(self, claim: str) -> str:
        """Explains, for an error message, why the class lost an inherited declaration; "" if it did not."""
        lost = next((each for each in self._lost_claims if each.claim == claim), None)
        if lost is None:
            return ""
        _, owner, loser, rule = lost
        kept = f"declare {loser} with keeps_claims=True if all claims of its bases still hold"
        return (
            f"; {claim} of {owner} was dropped because {loser} overrides {rule}: {kept}, or define {claim} in {loser}"
        )

    def settled(self, state: S) -> tuple[float, ...] | None:
        """Each player's remaining payoff if the state is settled, else None.

        A state is settled if no choice affects the payoffs any more. In Jujitsu, for example:

            two cards each left, no ties carried, player 0 leads by 3: player 0 wins, (1.0, -1.0)
            two cards each left, no ties carried, player 0 leads by 1: not settled, None
        """
        return None

    def state_of(self, observation: NDArray[np.float32]) -> tuple[S, int]:
        """The state that an observation determines, and the observing player.

        In a seat-symmetric game the seats are rotated so that the observer is player 0.

        Raises:
            ValueError: If the game has no public state.
        """
        raise ValueError(f"{self.facts.name}: an observation does not show the whole state{self._lost('state_of')}")

    def bayesian_form(self) -> BayesianForm:
        """The whole game as arrays, for games in which two players each move once, knowing only private information.

        Raises:
            ValueError: If the game is not of that kind.
        """
        lost = self._lost("bayesian_form")
        raise ValueError(f"{self.facts.name}: not a game in which both players move once on private information{lost}")

    def rounds_form(self, starts: Sequence[S], max_positions: int) -> RoundsForm[S]:
        """All positions reachable from `starts` as arrays, for games whose positions recur.

        Raises:
            ValueError: If the game is not of that kind, or there are more than `max_positions` nodes.
        """
        lost = self._lost("rounds_form")
        raise ValueError(f"{self.facts.name}: not a two-player game of many rounds{lost}")

    def canonical(self, state: S) -> Canonical[S]:
        """A representative of equal value (see `Canonical`); by default the state itself."""
        return Canonical(state, tuple(range(self.facts.num_players)))

    def canonical_actions(self, state: S, player: int) -> tuple[ActionImage, ...]:
        """For each legal action of `player`, the corresponding action in the representative of `state`."""
        return tuple(ActionImage(a, a, CERTAIN) for a in self.legal_actions(state, player))

    def action_counts(self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """The number of ways to play each action, e.g. the number of cards held of a rank; 0 for illegal actions.

        Takes `[batch, observation_size]` and `[batch, num_actions]`; returns `[batch, num_actions]`.
        """
        return action_masks.astype(np.float64)

    def action_parts(self) -> NDArray[np.int64] | None:
        """Decomposes actions into parts, for games with too many actions for a learner to try each.

        A choice of two discards and a battle card, for example, has the parts "discard a 3" (once or twice) and "battle
        with a 7". What is learned about a part then applies to every action that contains it.

        Returns:
            `[num_actions, parts]`: how often each part occurs in each action, the same for all players; no two actions
            have equal rows. None if every action is its own part.
        """
        return None

    def uniform_is_optimal(self) -> bool:
        """Whether playing each card with equal probability, as `uniform` does, is always optimal for both players.

        Solvers then select that equilibrium wherever their certificate confirms it.
        """
        return False

    def opponent_masks(self, observations: NDArray[np.float32]) -> NDArray[np.int8]:
        """`[batch, num_actions]`: 1 where an action is legal for the observer's opponent, in two-player games.

        Raises:
            ValueError: If observations do not determine the state.
        """
        seen = [self.state_of(observation) for observation in observations]
        masks = [self.action_mask(state, 1 - player) for state, player in seen]
        return np.array(masks, dtype=np.int8).reshape(len(observations), self.facts.num_actions)

    def moves_left(self, observations: NDArray[np.float32]) -> NDArray[np.int64] | None:
        """How long the game can still last, if every player's observation shows it, e.g. by the cards left.

        Takes `[batch, observation_size]` observations at states in which players act; returns `[batch]`: upper bounds
        on the number of joint actions left, which fall by at least 1 with every joint action. None if not declared.
        """
        return None

    def compiled_rules(self) -> CompiledRules[S] | None:
        """Compiled rules for many states at once; None if the game has none."""
        return None

    def count_states(self, canonical: bool) -> int | None:
        """A lower bound on the number of unsettled decision states if there is a formula, else None.

        An oracle can then reject games with too many states before enumerating them. If `canonical` is true, counts
        representatives (see `Game.canonical`) instead of states.
        """
        return None


G = TypeVar("G", bound="Game[Any]")

__all__ = [
    "CERTAIN",
    "CLAIMS",
    "FORFEIT",
    "ActionImage",
    "Canonical",
    "Chance",
    "Game",
    "GameFacts",
    "IllegalActionError",
    "S",
    "Transition",
    "require_game",
    "same_rules_as",
]


class Game(Structure[S], Texts[S]):
    """Rules of a simultaneous-move game; subclasses are frozen dataclasses of parameters.

    A class may declare structure beyond the rules themselves: states of equal value (`canonical`), states in which no
    choice matters any more (`settled`), compiled rules (`compiled_rules`), and so on (see `CLAIMS`). A subclass that
    overrides a rule is a different game, for which these declarations may be false. So it loses the inherited
    declarations about that rule and falls back to the defaults:

        class LowestWins(Jujitsu):  # correctly solved state by state, not as Jujitsu
            def trick_outcomes(self, rank_0, rank_1):
                return ((CERTAIN, (rank_0 < rank_1) - (rank_0 > rank_1)),)

    If all of them still hold, write `class DiceWars(Duel, keeps_claims=True)`. A subclass can also redefine single
    declarations.

    Two conditions cannot be checked. Methods must be defined in the class body: assigning one later, to the class or an
    instance, does not drop the declarations. And rules must not depend on mutable state outside the game and its class,
    such as a module variable, because results are cached per game (`core/cached.py`).
    """

    name: ClassVar[str]
    version: ClassVar[int] = 0

    def __init_subclass__(cls, keeps_claims: bool = False, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        lost = {each.claim: each for each in cls._lost_claims if each.claim not in vars(cls)}
        for claim, about in CLAIMS.items():
            made = next(place for place, base in enumerate(cls.__mro__) if claim in vars(base))
            # A mixin that is not a game passes its declarations to the game class that it is mixed into.
            owner = [base for base in cls.__mro__[: made + 1] if issubclass(base, Game)][-1]
            if keeps_claims:
                setattr(cls, claim, inspect.getattr_static(cls, claim))  # stored as the class's own
            elif owner not in (cls, Game) and (rule := changed_rule(cls, owner, about)):
                lost.setdefault(claim, LostClaim(claim, owner.__name__, cls.__name__, rule))
                setattr(cls, claim, inspect.getattr_static(Game, claim))
        cls._lost_claims = tuple(lost.values())

    def info(self, state: S, player: int) -> dict[str, Any]:
        """Entries of a player's `infos` besides the mask; must not reveal hidden information."""
        return {}

    def with_size(self, size: int) -> Game[S]:
        """This game with another size, for games that define `count_states`; larger sizes have more states.

        The size is the value of one parameter, e.g. of the number of cards.

        Raises:
            ValueError: If there is no game of that size.
        """
        raise ValueError(f"{self.facts.name} has no size")

    def smallest(self) -> Game[S] | None:
        """Returns the smallest game of this kind, e.g. for tests; None if undefined."""
        return None

    def parameters(self) -> dict[str, Any]:
        """Returns the fields of this game as plain data, from which `make_game(name, **parameters)` restores it."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]  # subclasses are dataclasses

    # Games are immutable, so a copy is the game itself. Pickles hold only the parameters, no cached values.
    def __deepcopy__(self, memo: dict[int, Any]) -> Game[S]:
        return self

    def __getstate__(self) -> dict[str, Any]:
        return self.parameters()

    def __setstate__(self, parameters: dict[str, Any]) -> None:
        self.__dict__.update(parameters)


def same_rules_as(game: Game[Any], kind: type[G]) -> TypeGuard[G]:
    """Returns whether a game follows the rules of the class `kind`, with any parameters.

    Returns False for a subclass that overrides a method or property of `kind` other than texts. A solver that
    hard-codes the rules of `kind` must call this function, because `isinstance` is not enough.
    """
    return isinstance(game, kind) and not changed_rule(type(game), kind)


def require_game(game: object) -> None:
    """Raises a ValueError unless `game` is a game; the message shows how to make one."""
    if not isinstance(game, Game):
        example = 'such as cardwar_envs.make_game("jujitsu", num_cards=5)'
        kind = "class" if isinstance(game, type) else type(game).__name__
        raise ValueError(f"game ({game!r}) must be a game, {example}; it is a {kind}")
