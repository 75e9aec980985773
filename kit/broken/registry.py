"""What a broken environment is: a game with one defect, the skins that have it, and a witness that shows it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum
from importlib import import_module
from pathlib import Path

from broken.bases import BASES, skinned

DEFECTS = Path(__file__).parent / "defects"


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
    """One broken environment.

    A witness gets a callable that makes the environment, and returns whether it sees the defect. Where the defect is
    that the skins disagree it gets two such callables, of AEC and of Parallel.
    """

    game: type
    kind: Kind
    skins: Skins
    witness: Callable[..., bool]

    @property
    def name(self):
        return self.game.__name__

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


BROKEN: dict[str, Broken] = {}


def broken(kind, skins, witness):
    """Enters a broken environment into the set."""

    def enter(game):
        assert game.__doc__, f"the docstring of {game.__name__} must name its defect"
        assert game.__name__ not in BROKEN, f"there are two environments {game.__name__}"
        BROKEN[game.__name__] = Broken(game, kind, skins, witness)
        return game

    return enter


def all_broken():
    """Name -> broken environment, by class of defect."""
    for path in sorted(DEFECTS.glob("*.py")):
        import_module(f"broken.defects.{path.stem}")
    order = list(Kind)
    return {name: BROKEN[name] for name in sorted(BROKEN, key=lambda name: (order.index(BROKEN[name].kind), name))}
