"""The one-shot game of a payoff table: all players choose an action at once, and the table pays them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import CERTAIN, Game, GameFacts, Transition
from cardwar_envs.core.numbers import shortest
from cardwar_envs.core.parameters import reading_state, whole_number
from cardwar_envs.tables.files import read_table, table_from_json
from cardwar_envs.tables.table import Table, make_table

# Maximum number of joint actions, and of actions of each of two players, whose payoffs `describe` shows.
MOST_LISTED = 36


class TableState(NamedTuple):
    """A state of the game.

    Attributes:
        played: The action of each player; empty before they choose.
    """

    played: tuple[int, ...] = ()


@dataclass(frozen=True)
class TableGame(Game[TableState]):
    """The one-shot game of a payoff table.

    Attributes:
        table: The table, the name of its file, or its JSON text.
        sha256: The table's checksum; a game whose file has changed is refused.

    Raises:
        ValueError: If there is no such table, or it has another checksum.
    """

    name: ClassVar[str] = "table"
    checksum: ClassVar[str] = "sha256"

    table: Table
    sha256: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.table, str):
            read = table_from_json if self.table.startswith("{") else read_table
            object.__setattr__(self, "table", read(self.table))
        if not isinstance(self.table, Table):
            raise ValueError(f"table ({self.table!r:.100}) must be a Table, which table_game makes from payoffs")
        if self.sha256 not in ("", self.table.sha256):
            raise ValueError(
                f"{self.facts.name} has the checksum {self.table.sha256}, not {self.sha256:.64}: it has changed"
            )
        object.__setattr__(self, "sha256", self.table.sha256)

    @cached_property
    def facts(self) -> GameFacts:
        """The facts; bounds on payoffs are the smallest and the largest one."""
        shape, payoffs = self.table.shape, self.table.payoffs
        return GameFacts(
            name=f"table:{self.table.title}",
            version=self.version,
            num_players=len(shape),
            num_actions=max(shape),
            observation_low=(0.0,) * (1 + len(shape)),
            observation_high=(float(len(shape) - 1), *map(float, shape)),
            min_payoff=float(payoffs.min()),
            max_payoff=float(payoffs.max()),
            zero_sum=self.table.is_zero_sum,
            seat_symmetric=False,
            public_state=True,
            max_length=1,
            chance="none",
        )

    def parameters(self) -> dict[str, Any]:
        """The name of the table's file, or without one its JSON text; and its checksum."""
        return {"table": self.table.title if self.table.is_file else self.table.to_json(), "sha256": self.sha256}

    def __getstate__(self) -> dict[str, Any]:
        return {"table": self.table, "sha256": self.sha256}

    def initial(self) -> Sequence[Transition[TableState]]:
        return [Transition(CERTAIN, TableState(), (0.0,) * len(self.table.shape))]

    def acting_players(self, state: TableState) -> tuple[int, ...]:
        return () if state.played else self._everyone

    def legal_actions(self, state: TableState, player: int) -> tuple[int, ...]:
        return () if state.played else tuple(range(self.table.shape[player]))

    def transitions(self, state: TableState, actions: Mapping[int, int]) -> Sequence[Transition[TableState]]:
        """The end of the game, with the payoffs of the table; those that a float would round are Fractions."""
        played = tuple(actions[player] for player in self._everyone)
        return [Transition(CERTAIN, TableState(played), self._paid(played))]

    def _paid(self, played: tuple[int, ...]) -> tuple[float, ...]:
        cell: Any = (..., *played)
        if self.table.exact is None:
            return tuple(self.table.payoffs[cell].tolist())
        return tuple(map(shortest, self.table.exact[cell].tolist()))

    def observation(self, state: TableState, player: int) -> NDArray[np.float32]:
        """The seat, and what was played once the game is over.

        Entries:
            1: the seat
            num_players: 0 before the players choose; afterwards 1 for a player's first action, 2 for its second, ...
        """
        seen = np.zeros(1 + len(self.table.shape), dtype=np.float32)
        seen[0] = player
        seen[1:] = [action + 1 for action in state.played] or 0
        return seen

    def state_of(self, observation: NDArray[np.float32]) -> tuple[TableState, int]:
        seat, *played = observation.astype(int).tolist()
        return TableState(tuple(action - 1 for action in played) if any(played) else ()), seat

    def check(self, state: TableState) -> None:
        shape = self.table.shape
        with reading_state(state, f"a TableState whose played is () or has {len(shape)} actions"):
            if len(state.played) not in (0, len(shape)):
                raise ValueError
        for player, action in enumerate(state.played):
            whole_number(f"played[{player}]", action, range(shape[player]))

    def describe(self, state: TableState) -> str:
        """What was played and what it pays; before, a grid for two players, or a list of few joint actions."""
        table = self.table
        if state.played:
            return self._line(state.played)
        if len(table.shape) == 2 and max(table.shape) <= MOST_LISTED:
            return self._grid(*table.players)
        joint = list(np.ndindex(*table.shape)) if table.payoffs[0].size <= MOST_LISTED else []
        return "\n".join([f"{table.title}: {' x '.join(map(str, table.shape))} actions", *map(self._line, joint)])

    def _line(self, played: tuple[int, ...]) -> str:
        paid = ", ".join(_written(self._paid(played)))
        return f"{', '.join(map(self.describe_action, played, self._everyone))}: {paid}"

    def _grid(self, rows: str, columns: str) -> str:
        """The payoffs, with a row per action of the first player; in a zero-sum game only that player's."""
        zero_sum, (own, other) = self.table.is_zero_sum, self.table.actions
        entries = f"points from {columns} to {rows}" if zero_sum else f"points to {rows}; points to {columns}"
        cells = [["", *other], *([name] for name in own)]
        for row, column in np.ndindex(*self.table.shape):
            cells[row + 1].append("; ".join(_written(self._paid((row, column))[: 2 - zero_sum])))
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(map(str.rjust, line, widths)) for line in cells]
        return "\n".join([f"{self.table.title}: rows {rows}, columns {columns}, entries {entries}", *lines])

    def relabelled(self, words: Iterator[str]) -> tuple[TableGame, dict[str, str]]:
        """A copy with other names of actions and players, and the new name of each; it has no title."""
        names = {name: next(words) for name in chain(*self.table.actions, self.table.players)}
        actions = tuple(tuple(names[name] for name in own) for own in self.table.actions)
        players = tuple(names[name] for name in self.table.players)
        return TableGame(replace(self.table, title="table", players=players, actions=actions, is_file=False)), names

    def describe_action(self, action: int, player: int = 0) -> str:
        labels = self.table.actions[player]
        return labels[action] if action < len(labels) else f"(no action {action})"

    @property
    def player_names(self) -> tuple[str, ...]:
        """The names of the table's players."""
        return self.table.players

    def _moves_in_words(self) -> str:
        seats = zip(self.table.players, self.table.actions, strict=True)
        lists = [f"{name} (seat {seat}) plays {', '.join(own[:MOST_LISTED])}" for seat, (name, own) in enumerate(seats)]
        return f"{'; '.join(lists)}."


def _written(paid: Iterable[float]) -> list[str]:
    return [f"{each:.12g}" if isinstance(each, float) else str(each) for each in paid]


def table_game(
    payoffs: Any,
    *,
    players: Sequence[str] | None = None,
    actions: Sequence[Sequence[str]] | None = None,
    title: str = "",
) -> TableGame:
    """Makes the one-shot game of a payoff table.

    Integers, Fractions, decimals and strings such as "1/3" stay exact. So do floats that are what they are printed as,
    such as 0.5; with any other float, such as 0.1, the table counts as rounded.

    Args:
        payoffs: Payoff points: an array `[players, actions of player 0, ..., actions of the last player]`, such as a
            pair of matrices; or a single matrix, the row player's payoffs in a zero-sum game. At most 500,000 numbers.
        players: The players' names; by default player_0, player_1, ...
        actions: The names of each player's actions; by default 1, 2, ...
        title: The name of the game.

    Raises:
        ValueError: If the payoffs are not such an array of finite numbers, or names are missing or not distinct.
    """
    return TableGame(make_table(payoffs, players, actions, title))
