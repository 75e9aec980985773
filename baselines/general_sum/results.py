"""What `baselines.equilibria` returns: what was found, what is claimed about it, and how far that is verified."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from baselines.display.export import Table, csv_text, latex, matrix_rows, plain
from baselines.display.html import Number, short, table
from baselines.general_sum.decision import Decision
from baselines.general_sum.solve import Claim
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Chance(NamedTuple):
    """The probability of an action of a player at a state, or of a joint action, whose `player` is "joint"."""

    state: Any
    player: str
    action: str
    probability: Number


@dataclass(frozen=True, repr=False)
class Equilibrium:
    """A profile of strategies, or a distribution over joint actions, and what players gain by deviating from it.

    Attributes:
        policies: One policy per seat, for all functions of `baselines`; none for joint play.
        joint: `[actions of player 0, ...]` probabilities of joint play; None for a profile.
        payoffs: Each player's payoff, in payoff points; Fractions if computed exactly.
        gain: The sum of what players gain by deviating, in payoff points: NashConv of a profile, `ce_gap` or `cce_gap`
            of joint play. A Fraction if computed exactly; about 1e-16 is an equilibrium up to rounding.
        chances: All probabilities.
    """

    policies: tuple[Policy, ...]
    joint: NDArray[Any] | None
    payoffs: tuple[Number, ...]
    gain: Number
    chances: tuple[Chance, ...]

    @property
    def exact(self) -> bool:
        """Whether no player gains anything, proved in fractions."""
        return isinstance(self.gain, Fraction) and not self.gain

    def labelled(self, state: Any = None) -> list[dict[str, Number]]:
        """Returns each player's mix as a dict from action to probability; of joint play, one dict from joint actions.

        Raises:
            ValueError: If no state is given and there are several, or players do not choose in it.
        """
        states = {each.state for each in self.chances}
        state = next(iter(states)) if state is None and len(states) == 1 else state
        if state not in states:
            raise ValueError(f"state ({state!r}) must be one of the {len(states):,} states in which players choose")
        mixes = dict(_by_player(each for each in self.chances if each.state == state))
        seats = ["joint"] if self.joint is not None else [f"player_{seat}" for seat in range(len(self.payoffs))]
        return [{each.action: each.probability for each in mixes.get(seat, ())} for seat in seats]


def _by_player(chances: Any) -> Iterator[tuple[str, list[Chance]]]:
    return ((player, list(mix)) for player, mix in groupby(chances, lambda each: each.player))


@dataclass(frozen=True, repr=False)
class Equilibria:
    """Equilibria of a game; a sequence.

    Attributes:
        game: The rules.
        kind: The kind that was asked for.
        found: The equilibria.
        claim: Whether these are "all" of their kind, "one" of possibly many, or the only, "unique", equilibrium.
        label: The claim in words, and the method.
        decision: The payoffs, if players choose once; else None.
    """

    game: Game[Any]
    kind: str
    found: tuple[Equilibrium, ...]
    claim: Claim
    label: str
    decision: Decision | None = field(repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, index: int) -> Equilibrium:
        return self.found[index]

    def __repr__(self) -> str:
        return f"<Equilibria of {self.game.facts.name}: {self.label}>"

    def tables(self) -> list[Table]:
        """Returns the payoffs, if two players choose once, and what was found, as tables of text."""
        rows = [row for index, each in enumerate(self.found, 1) for row in self._rows(index, each)]
        found = Table(self.label, ("", "play", "payoffs", "gain of deviating"), rows)
        if self.decision is None or len(self.decision.payoffs) != 2:
            return [found]
        headings, *payoffs = matrix_rows(self.decision.payoffs, self.decision.names, ", ")
        return [Table("payoffs to player_0, player_1", headings, payoffs), found]

    def _rows(self, index: int, found: Equilibrium) -> Iterator[tuple[str, ...]]:
        payoffs = ", ".join(short(each, 4) for each in found.payoffs)
        measured = payoffs, "0" if found.exact else f"{float(found.gain):.1e}"
        for state, chances in groupby(found.chances, lambda each: each.state):
            mixes = [
                f"{player} "
                + ", ".join(f"{each.action}: {short(each.probability, 4)}" for each in mix if each.probability)
                for player, mix in _by_player(chances)
            ]
            where = str(index) if self.decision else self.game.describe(state).replace("\n", ", ")
            yield where, "; ".join(mixes), *measured
            measured = "", ""  # of the whole game

    def to_latex(self) -> str:
        """Returns the tables in LaTeX; they need the package booktabs."""
        return latex(self.tables())

    def to_csv(self) -> str:
        """Returns a row for every probability: number of the equilibrium, state, player, action, probability."""
        rows = [(index, *chance) for index, each in enumerate(self.found, 1) for chance in each.chances]
        return csv_text([("equilibrium", *Chance._fields), *rows])

    def as_data(self) -> dict[str, Any]:
        """Returns everything as JSON data; numbers that are proved also as fractions."""
        found = [
            {
                "exact": each.exact,
                "gain": float(each.gain),
                "payoffs": list(map(float, each.payoffs)),
                "exact_payoffs": list(map(plain, each.payoffs)) if each.exact else None,
                "chances": [
                    {**chance._asdict(), "state": repr(chance.state), "probability": float(chance.probability)}
                    | ({"exact_probability": plain(chance.probability)} if each.exact else {})
                    for chance in each.chances
                ],
            }
            for each in self.found
        ]
        return {"kind": self.kind, "claim": self.claim, "label": self.label, "equilibria": found}

    def show(self) -> Figure:
        """Draws the mixes of each equilibrium, at the only state in which players choose.

        Raises:
            ValueError: If players choose in several states, or nothing was found.
            ImportError: If matplotlib is not installed; it comes with the extra `plot`.
        """
        from baselines.display.figures import profiles_figure

        if not self.found:
            raise ValueError(f"{self.game.facts.name}: {self.label}")
        return profiles_figure([each.labelled() for each in self.found], f"{self.game.facts.name}: {self.label}")

    def _repr_html_(self) -> str:
        return "".join(table(*each) for each in self.tables())
