"""Steps many games at once with the game's compiled rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.forms import CompiledRules, Info
from cardwar_envs.core.game import Game, S
from cardwar_envs.core.kernels import kernels
from cardwar_envs.core.play import require_playable
from cardwar_envs.envs.engines.engine import Engine, Outcomes, Views
from cardwar_envs.envs.engines.memory import Memory

# Plain Python's time per number in the rows of all games and per player, averaged over all functions and games.
SECONDS_PER_NUMBER = 4e-7


class CompiledEngine(Engine[S]):
    """Stores games as rows of numbers and steps them with the game's `CompiledRules`.

    In WAR, uniform play here draws the cards of a war one by one; with the Python rules it draws a whole choice. The
    probabilities are equal, but the same seed gives different actions.
    """

    def __init__(self, game: Game[S], streams: NDArray[np.uint64], rules: CompiledRules[S]) -> None:
        super().__init__(game, streams)
        self._rules = rules
        self._memory = Memory()
        self._to_row = rules.to_row or (lambda state: game.observation(state, 0))
        self._from_row = rules.from_row or (lambda row: game.state_of(row)[0])
        # Compiled functions of other packages may differ from plain Python, e.g. where integers wrap around.
        self._compiled = not rules.bodies.__name__.startswith("cardwar_envs.")
        self._rows = np.zeros((len(streams), rules.row_size), dtype=np.float32)

    def keep(self, where: NDArray[np.bool_]) -> None:
        super().keep(where)
        self._rows = self._rows[where]

    @property
    def _bodies(self) -> Any:
        bodies = self._rules.bodies
        if self._compiled:
            return bodies
        chosen = kernels(bodies.__name__, SECONDS_PER_NUMBER * self._rows.size * self.shape[1])
        self._compiled = chosen is bodies
        return chosen

    @property
    def _know(self) -> tuple[tuple[Any, ...], NDArray[np.float32]]:
        return self._rules.tables, self._rows

    def deal(self, where: NDArray[np.bool_], random: bool) -> NDArray[np.float64]:
        self._bodies.deal(*self._know, self.streams, where, random)
        return np.zeros(self.shape)

    def place(self, states: Sequence[S], where: NDArray[np.bool_]) -> None:
        self._rows[where] = [self._to_row(state) for state in states]

    def place_seen(self, observations: NDArray[np.float32]) -> None:
        self._rows[:] = observations  # the row of a public state is player 0's observation

    def states(self, places: NDArray[np.intp] | None = None) -> list[S]:
        return [self._from_row(row) for row in (self._rows if places is None else self._rows[places])]

    def snapshot(self) -> dict[str, NDArray[Any]]:
        return {"rows": self._rows.copy()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        rows = arrays["rows"]
        if rows.shape != self._rows.shape or not np.isfinite(rows).all():
            raise ValueError(f"{self.game.facts.name}: rows of other games, or not finite")
        states = [self._from_row(row) for row in rows]
        for state in states:  # a kernel does not check the rows that it reads
            require_playable(self.game, state)
        self.place(states, np.ones(self.shape[0], dtype=np.bool_))

    def acting(self) -> NDArray[np.bool_]:
        acts = np.empty(self.shape, dtype=np.bool_)
        self._bodies.acting(*self._know, acts)
        return acts

    def live(self) -> NDArray[np.bool_]:
        if self._rules.live is not None:
            return self._rules.live(self._rows)
        return np.repeat(_anyone(self.acting())[:, None], self.shape[1], axis=1)

    def asked(self, player: int, places: NDArray[np.intp] | None = None) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        rows = self._rows if places is None else self._rows[places]
        acts = np.empty((len(rows), self.shape[1]), dtype=np.bool_)
        self._bodies.acting(self._rules.tables, rows, acts)
        live = _anyone(acts) if self._rules.live is None else self._rules.live(rows)[:, player]
        return acts[:, player], live

    def illegal(self, actions: NDArray[np.int64], where: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        flags = np.empty(self.shape, dtype=np.bool_)
        return flags if self._bodies.illegal(*self._know, actions, where, flags) else None

    def play(self, actions: NDArray[np.int64], where: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        rewards, over = np.empty(self.shape), np.empty(len(where), dtype=np.bool_)
        self._bodies.play(*self._know, self.streams, actions, where, rewards, over)
        return rewards, over

    def outcomes(self, actions: NDArray[np.int64]) -> Outcomes | None:
        games, most, players = len(self._rows), self._rules.most_outcomes, self.shape[1]
        after = np.empty((games, most, self._rules.row_size), dtype=np.float32)
        probabilities, rewards = np.ones((games, most)), np.empty((games, most, players))
        over = np.empty((games, most), dtype=np.bool_)
        if most > 1:
            self._bodies.outcomes(*self._know, actions, after, probabilities, rewards, over)
        elif self.game.facts.chance == "moves":
            return None
        else:  # playing draws no numbers
            rows = after[:, 0]
            rows[:] = self._rows
            self._bodies.play(
                self._rules.tables, rows, self.streams, actions, np.ones(games, np.bool_), rewards[:, 0], over[:, 0]
            )
        found = probabilities > 0.0
        where, rows = np.nonzero(found)[0], after[found]
        return Outcomes(where, probabilities[found], rewards[found], over[found], self._seen(rows, 0, players))

    def views(self, places: NDArray[np.intp] | None = None, player: int | None = None) -> Views:
        rows = self._rows if places is None else self._rows[places]
        if player is None:
            return self._seen(rows, 0, self.shape[1])
        return self._seen(rows, player, 1).of((slice(None), 0))

    def _seen(self, rows: NDArray[np.float32], first: int, players: int) -> Views:
        """The views `[len(rows), players, ...]` of the players from `first`."""
        facts, shape = self.game.facts, (len(rows), players)
        observations = self._memory.empty((*shape, facts.observation_size), np.float32)
        views = Views(observations, self._memory.empty((*shape, facts.num_actions), np.int8))
        self._bodies.observe(self._rules.tables, rows, first, *views)
        return views

    def uniform(self, player: int, where: NDArray[np.bool_]) -> NDArray[np.int64]:
        actions = np.empty(len(where), dtype=np.int64)
        self._bodies.uniform(*self._know, self.streams, where, player, actions)
        return actions

    def info(self, player: int, places: NDArray[np.intp], observations: NDArray[np.float32]) -> Info:
        return self._rules.info(observations)


def _anyone(acts: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """`acts.any(axis=1)`, which NumPy computes slowly for few players."""
    return reduce(np.logical_or, acts.T)
