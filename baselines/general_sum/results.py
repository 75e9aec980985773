"""What `baselines.equilibria` returns: what was found, what is claimed about it, and how far that is verified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from baselines.display.export import Table, csv_text, latex, matrix_rows, plain
from baselines.display.html import Number, short, table
from baselines.general_sum.decision import Decision
from baselines.general_sum.solve import Claim
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Equilibrium:
    """A profile of strategies, or a distribution over joint actions, and what players gain by deviating from it.

    Attributes:
        policies: One policy per seat, for all functions of `baselines`; none for joint play.
        joint: `[actions of player 0, ...]` probabilities of joint play; None for a profile.
        payoffs: Each player's payoff, in payoff points; Fractions if computed exactly.
        gain: The sum of what players gain by deviating, in payoff points: NashConv of a profile, `ce_gap` or `cce_gap`
            of joint play. A Fraction if computed exactly; about 1e-16 is an equilibrium up to rounding.
        mixes: For each state in which players choose, what `labelled` returns.
    """

    policies: tuple[Policy, ...]
    joint: NDArray[Any] | None
    payoffs: tuple[Number, ...]
    gain: Number
    mixes: Mapping[Any, Sequence[Mapping[str, Number]]]

    @property
    def exact(self) -> bool:
        """Whether no player gains anything, proved in fractions."""
        return isinstance(self.gain, Fraction) and not self.gain

    def labelled(self, state: Any = None) -> list[dict[str, Number]]:
        """Returns each player's mix as a dict from action to probability; of joint play, one dict from joint actions.

        Raises:
            ValueError: If no state is given and there are several, or players do not choose in it.
        """
        state = next(iter(self.mixes)) if state is None and len(self.mixes) == 1 else state
        if state not in self.mixes:
            raise ValueError(f"state ({state!r}) must be one of the {len(self.mixes):,} states in which players choose")
        return list(map(dict, self.mixes[state]))

    def named(self, state: Any) -> list[tuple[str, Mapping[str, Number]]]:
        """Returns the mixes of those who choose at a state, each with the name of its player."""
        seats = ["joint"] if self.joint is not None else [f"player_{seat}" for seat in range(len(self.payoffs))]
        return [(seat, mix) for seat, mix in zip(seats, self.mixes[state], strict=True) if mix]

    def chances(self) -> Iterator[tuple[Any, str, str, Number]]:
        """Yields state, player, action and probability; the player of joint actions is "joint"."""
        for state in self.mixes:
            for player, mix in self.named(state):
                yield from ((state, player, action, chance) for action, chance in mix.items())


@dataclass(frozen=True, repr=False)
class Equilibria:
    """Equilibria of a game; a sequence.

    Attributes:
        game: The rules.
        kind: The kind that was asked for.
        found: The equilibria.
        claim: Whether these are "all" of their kind, "one" of possibly many, or the only, "unique", equilibrium.
        label: The claim in words, and the method.
        decisions: The payoffs at each state in which players choose: those to go, if they play on as was found.
    """

    game: Game[Any]
    kind: str
    found: tuple[Equilibrium, ...]
    claim: Claim
    label: str
    decisions: Mapping[Any, Decision] = field(repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, index: int) -> Equilibrium:
        return self.found[index]

    def __repr__(self) -> str:
        return f"<Equilibria of {self.game.facts.name}: {self.label}>"

    @property
    def decision(self) -> Decision | None:
        """The payoffs, if players choose in one state only."""
        return next(iter(self.decisions.values())) if len(self.decisions) == 1 else None

    def at(self, state: Any) -> Equilibria:
        """Returns what was found at one state, with payoffs to go; `gain` is still that of the whole game.

        Raises:
            ValueError: If players do not choose in this state.
        """
        if state not in self.decisions:  # also if nothing was found
            states = f"{len(self.decisions):,} states in which players choose"
            raise ValueError(f"state ({state!r}) must be one of the {states}")
        found = []
        for each in self.found:
            play = [mix.values() for mix in each.labelled(state) if mix]
            decision = self.decisions[state]
            payoffs = each.payoffs if each.joint is not None else decision.worth(play)
            payoffs = payoffs if isinstance(each.gain, Fraction) else tuple(map(float, payoffs))
            found.append(replace(each, payoffs=payoffs, mixes={state: each.mixes[state]}))
        return replace(self, found=tuple(found), decisions={state: self.decisions[state]})

    def tables(self) -> list[Table]:
        """Returns the payoffs, if two players choose in one state, and what was found, as tables of text."""
        rows = [row for index, each in enumerate(self.found, 1) for row in self._rows(index, each)]
        found = Table(self.label, ("", "play", "payoffs", "gain of deviating"), rows)
        if self.decision is None or self.decision.payoffs.ndim != 3:
            return [found]
        headings, *payoffs = matrix_rows(self.decision.written, self.decision.names, ", ")
        return [Table("payoffs to player_0, player_1", headings, payoffs), found]

    def _rows(self, index: int, found: Equilibrium) -> Iterator[tuple[str, ...]]:
        payoffs = ", ".join(short(each, 4) for each in found.payoffs)
        measured = payoffs, "0" if found.exact else f"{float(found.gain):.1e}"
        for state in found.mixes:
            mixes = [
                f"{player} {', '.join(f'{action}: {short(chance, 4)}' for action, chance in mix.items() if chance)}"
                for player, mix in found.named(state)
            ]
            where = str(index) if self.decision else self.game.describe(state).replace("\n", ", ")
            yield where, "; ".join(mixes), *measured
            measured = "", ""  # of the whole game

    def to_latex(self) -> str:
        """Returns the tables in LaTeX; they need the package booktabs."""
        return latex(self.tables())

    def to_csv(self) -> str:
        """Returns a row for every probability: number of the equilibrium, state, player, action, probability."""
        rows = [(index, *chance) for index, each in enumerate(self.found, 1) for chance in each.chances()]
        return csv_text([("equilibrium", "state", "player", "action", "probability"), *rows])

    def as_data(self) -> dict[str, Any]:
        """Returns everything as JSON data; what is proved also as fractions."""
        data: dict[str, Any] = {"kind": self.kind, "claim": self.claim, "label": self.label}
        if self.decision is not None:
            payoffs = self.decision.written.astype(str).tolist()
            data |= {"players": self.game.player_names, "actions": self.decision.names, "payoffs": payoffs}
        found = []
        for each in self.found:
            chances = []
            for state, player, action, chance in each.chances():
                row = {"state": repr(state), "player": player, "action": action, "probability": float(chance)}
                chances.append(row | ({"exact_probability": plain(chance)} if each.exact else {}))
            exactly = {"exact_payoffs": list(map(plain, each.payoffs))} if each.exact else {}
            figures = {"exact": each.exact, "gain": float(each.gain), "payoffs": list(map(float, each.payoffs))}
            found.append(figures | exactly | {"chances": chances})
        return data | {"equilibria": found}

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
