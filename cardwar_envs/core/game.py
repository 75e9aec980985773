"""The base class of all games: rules (`rules.py`), declarations about them (`structure.py`), and texts (`texts.py`)."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, ClassVar, TypeGuard, TypeVar

from cardwar_envs.core.rules import CERTAIN, FORFEIT, Chance, GameFacts, IllegalActionError, S, Transition
from cardwar_envs.core.structure import CLAIMS, ActionImage, Canonical, LostClaim, Structure, changed_rule
from cardwar_envs.core.texts import Texts

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
    "require_two_zero_sum",
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


def require_two_zero_sum(game: Game[Any], question: str, instead: str = "") -> None:
    """Raises a ValueError unless the game is two-player zero-sum; `question` is what needs this, `instead` a remedy."""
    if game.facts.num_players != 2 or not game.facts.zero_sum:
        raise ValueError(f"{game.facts.name}: {question} is for two-player zero-sum games{instead}")
