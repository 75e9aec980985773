"""The solution of a game with hidden information over several moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from baselines.display import html
from baselines.display.export import Table
from baselines.oracles.answers.results import Behaviour, Solution
from baselines.oracles.tree.sequence_form import SequenceForm
from cardwar_envs.core.scene import Revealed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Tables in notebooks have at most this many information states.
MOST_SHOWN = 100
# Between the lines of what a player has seen.
SEPARATOR = "; "


@dataclass(frozen=True, kw_only=True, repr=False)
class TreeSolution(Solution):
    """The `Solution` of a game with hidden information over several moves.

    `gap` is the NashConv of `policy`: what both players' best responses gain together. In games whose rules treat the
    seats alike, both seats play the same strategy.

    Attributes:
        states: Number of information states of both players.
    """

    unit: ClassVar[str] = "information states"

    _form: SequenceForm = field(repr=False, compare=False)
    _behaviours: tuple[Behaviour, Behaviour] = field(repr=False, compare=False)

    def labelled(self, state: Any = None) -> list[dict[str, Any]]:
        if state is not None:
            raise ValueError(
                f"{self.game.facts.name}: players do not see the state, so strategies depend on what they have seen; "
                "call labelled() without a state"
            )
        return [self._labelled(player) for player in (0, 1)]

    def _labelled(self, player: int) -> dict[str, Any]:
        own, behaviour = self._form.decisions[player], self._behaviours[player].tolist()
        names, rows = self._names(player), self._seen(player)
        played: dict[str, Any] = {}
        for state, seen in enumerate(rows[row] for row in own.seen):
            sequences = range(own.first[state], own.first[state + 1])
            played[seen] = {names[own.actions[each]]: behaviour[each] for each in sequences}
        return played

    def _seen(self, player: int) -> Sequence[str]:
        """Names a player's observations by what the game says to the player, or by their entries if that is not enough.

        In a solved game, observations are information states.
        """
        own, nothing = self._form.decisions[player], (0.0,) * 2
        revealed = (Revealed(state, player, None, nothing, over=False) for state in own.examples)
        names = [SEPARATOR.join(self.game.describe_revealed(each).splitlines()) for each in revealed]
        return names if len(set(names)) == len(names) else observation_names(own.observations)

    def _names(self, player: int) -> list[str]:
        return [self.game.describe_action(action, player) for action in range(self.game.facts.num_actions)]

    def _padded(self) -> list[dict[str, Any]]:
        """Returns `labelled` for displays: each mix has all actions, with probability 0 for illegal ones."""
        return [
            {seen: dict.fromkeys(self._names(player), 0.0) | mix for seen, mix in strategy.items()}
            for player, strategy in enumerate(self.labelled())
        ]

    def tables(self, state: Any = None) -> list[Table]:
        rows = [
            (f"player_{player}", seen, action, share)
            for player, strategy in enumerate(self.labelled(state))
            for seen, mix in strategy.items()
            for action, share in mix.items()
        ]
        return [Table(self._heading, ("player", "sees", "action", "probability"), rows)]

    def show(self, state: Any = None) -> Figure:
        if state is not None:
            self.labelled(state)  # raises
        from baselines.display.figures import behaviour_figure

        return behaviour_figure(self._padded(), self.game.facts.name, self.value if self.exact is None else self.exact)

    def _mixes_in_html(self) -> str:
        if self.states > MOST_SHOWN:
            return ""
        return "".join(html.mixes_by_type(player, strategy, []) for player, strategy in enumerate(self._padded()))


def observation_names(observations: NDArray[np.float32]) -> tuple[str, ...]:
    """Names each of `[k, observation_size]` distinct observations by the entries that differ between them."""
    differ = (observations != observations[:1]).any(axis=0)
    rows = observations[:, differ] if differ.any() else observations
    return tuple(" ".join(f"{entry:g}" for entry in row) for row in rows)
