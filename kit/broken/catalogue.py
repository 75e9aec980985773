"""The catalogue: games with one defect each, which a witness shows, and healthy games that are unusual in one thing.

A kit that finds nothing wrong with the former, or something with the latter, is wrong. A game is a class, or a function
that replaces one method of an honest game: its second parameter names the method, and gets the honest one.

    @broken(Kind.SHOWN, Skins.AEC, leaks(state), Bidding)
    def StateIsShifted(self, state):
        \"\"\"The state is off by the cards that have been laid.\"\"\"
        return state() + sum(self._committed.values())
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum
from importlib import import_module
from inspect import signature
from pathlib import Path

from broken.bases import BASES, skinned


class Kind(StrEnum):
    """The classes of defects."""

    SHOWN = "a committed move is drawn, written or kept where all can look"
    TOLD = "a committed move is told to the others"
    GENERATORS = "a committed move shows in a generator or a space"
    CHANCE = "chance to come shows"
    NUMBERS = "numbers that are not finite or not numbers"
    PAYOFFS = "rewards do not sum as declared"
    INPUT = "input outside the space is accepted or does something"
    ORDER = "the order of a dict or the hash seed decides"
    HISTORY = "earlier games decide"
    SEEDS = "seeds and options"
    AEC = "AEC by itself"
    PARALLEL = "Parallel by itself"
    SKINS = "AEC and Parallel disagree"
    TURNS = "turns and agents that are out"
    SPACES = "observations, masks and spaces"
    ALIASES = "what was handed out is shared, and copies share"
    DECLARED = "what is declared and offered"
    RARE = "in rare states only"


class Skins(Enum):
    """Which skins an environment offers, and which of them have the defect."""

    AEC = ("aec",), ("aec",)
    PARALLEL = ("parallel",), ("parallel",)
    BOTH = ("aec", "parallel"), ("aec", "parallel")
    AEC_BESIDE = ("aec", "parallel"), ("aec",)  # beside an honest Parallel
    PARALLEL_BESIDE = ("aec", "parallel"), ("parallel",)

    def __init__(self, offered, broken):
        self.offered, self.broken = offered, broken


@dataclass(frozen=True)
class Broken:
    """One broken environment: of the set, with a kind and a witness, or a further one, with the check to catch it.

    A witness gets a callable that makes the environment, and returns whether it sees the defect. Where the defect is
    that the skins disagree it gets two such callables, of AEC and of Parallel.
    """

    game: type
    skins: Skins
    kind: Kind | None = None
    witness: Callable[..., bool] | None = None
    check: str = ""
    status: str = "failed"  # what the check must say

    @property
    def base(self):
        return next(base for base in BASES if issubclass(self.game, base))

    @property
    def makers(self):
        """Skin -> what makes the environment."""
        return {
            skin: skinned(self.game if skin in self.skins.broken else self.base, skin) for skin in self.skins.offered
        }

    def shows(self, honest=False):
        """Whether the witness sees the defect, in each skin that should have it; or in one of the honest base."""
        makers = {skin: skinned(self.base, skin) for skin in self.skins.offered} if honest else self.makers
        if self.kind is Kind.SKINS:
            return self.witness(makers["aec"], makers["parallel"])
        return (any if honest else all)(self.witness(makers[skin]) for skin in self.skins.broken)


@dataclass(frozen=True)
class Healthy:
    """One healthy environment.

    Attributes:
        makers: Skin -> what makes it.
        says: What a kit may say of it, which is no fault; empty for nothing.
    """

    game: type
    makers: dict[str, Callable]
    says: str = ""


BROKEN: dict[str, Broken] = {}
FURTHER: dict[str, Broken] = {}
HEALTHY: dict[str, Healthy] = {}


def as_game(made, base, members):
    """A game as a class: `made` itself, or `base` with `members` and the method that the function `made` replaces."""
    assert made.__doc__, f"the docstring of {made.__name__} must say what is special"
    if base is None:
        return made
    name = list(signature(made).parameters)[1]

    def method(self, *args, **named):
        return made(self, getattr(super(game, self), name, None), *args, **named)

    own = {name: method, "_source": made, "__doc__": made.__doc__, "__module__": made.__module__}
    game = type(made.__name__, (base,), {**members, **own})
    return game


def broken(kind, skins, witness, base=None, **members):
    """Enters a broken environment into the set."""

    def enter(made):
        assert made.__name__ not in BROKEN, f"there are two environments {made.__name__}"
        game = as_game(made, base, members)
        BROKEN[made.__name__] = Broken(game, skins, kind, witness)
        return game

    return enter


def further(check, skins=Skins.BOTH, status="failed", base=None, **members):
    """Enters a broken environment apart from the set, and the check that must catch it or note it."""

    def enter(made):
        game = as_game(made, base, members)
        FURTHER[made.__name__] = Broken(game, skins, check=check, status=status)
        return game

    return enter


def healthy(*offered, says="", wrap=lambda env: env, base=None, **members):
    """Enters a healthy environment into the set, in the skins `offered` or in both."""

    def maker(game, skin):
        return lambda **arguments: wrap(skinned(game, skin)(**arguments))

    def enter(made, name=None):
        game = as_game(made, base, members)
        makers = {skin: maker(game, skin) for skin in offered or Skins.BOTH.offered}
        HEALTHY[name or made.__name__] = Healthy(game, makers, says)
        return game

    return enter


for honest in BASES:
    healthy()(honest)
    for single in Skins.BOTH.offered:
        healthy(single)(honest, f"{honest.__name__}In{single.title()}Alone")


def entered(folder, entries):
    """The entries, after the modules of a folder have made theirs."""
    for path in sorted((Path(__file__).parent / folder).glob("*.py")):
        import_module(f"broken.{folder}.{path.stem}")
    return entries


def all_further():
    """Name -> broken environment apart from the set."""
    import_module("broken.further")
    return FURTHER


def all_broken():
    """Name -> broken environment, by class of defect."""
    order = list(Kind)
    return dict(sorted(entered("defects", BROKEN).items(), key=lambda item: (order.index(item[1].kind), item[0])))


def all_healthy():
    """Name -> healthy environment."""
    return entered("unusual", HEALTHY)
