"""Records the history of each game that is needed to render it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import FORFEIT, Game
from cardwar_envs.core.scene import Revealed
from cardwar_envs.envs.engines.engine import Engine
from cardwar_envs.envs.session import forfeit_payoffs


class Courses:
    """Records the part of each game's history that one seat may see, for games that an engine steps.

    Args:
        game: The rules.
        viewer: The seat.
        kept: Whether to record anything; games that are not rendered run faster without records.

    Attributes:
        revealed: One per game. Each change makes a new list, so that callers can restore an old one.
    """

    def __init__(self, game: Game[Any], viewer: int, kept: bool) -> None:
        self._game, self._viewer, self._kept = game, viewer, kept
        self.revealed: list[Revealed[Any]] = []

    def start(self, engine: Engine[Any], where: NDArray[np.bool_], dealt: NDArray[np.float64]) -> None:
        """Records the start of games; `dealt` is the payoff points that the deals paid, `[num_games, num_players]`."""
        if not self._kept:
            return
        started = [self._seen(state, None, paid) for state, paid in zip(engine.states(), dealt.tolist(), strict=True)]
        kept = self.revealed or started
        self.revealed = [new if anew else old for new, old, anew in zip(started, kept, where, strict=True)]

    def play(
        self, engine: Engine[Any], where: NDArray[np.bool_], joint: NDArray[np.int64], paid: NDArray[np.float64]
    ) -> None:
        """Records joint actions and rewards, each `[num_games, num_players]`, after the engine has played them."""
        if not self._kept:
            return
        revealed, states = list(self.revealed), engine.states()
        for place in np.flatnonzero(where).tolist():
            before = revealed[place]
            acting = self._game.acting_players(before.state)
            actions = {player: int(joint[place, player]) for player in acting}
            payoffs = [sum(both) for both in zip(before.payoffs, paid[place].tolist(), strict=True)]
            revealed[place] = replace(self._seen(states[place], actions, payoffs), before=before.state)
        self.revealed = revealed

    def forfeit(self, where: NDArray[np.bool_], joint: NDArray[np.int64]) -> None:
        """Records that the viewer ended games by an illegal action; `joint` is `[num_games, num_players]`."""
        if not self._kept:
            return
        revealed = list(self.revealed)
        for place in np.flatnonzero(where).tolist():
            old, live = revealed[place], self._game.live_players(revealed[place].state)
            actions = {player: int(joint[place, player]) for player in self._game.acting_players(old.state)}
            payoffs = forfeit_payoffs(self._game.facts, old.payoffs, live, [self._viewer])
            chosen = {**actions, self._viewer: FORFEIT}
            revealed[place] = Revealed(old.state, self._viewer, chosen, tuple(payoffs), True, old.state)
        self.revealed = revealed

    def _seen(self, state: Any, actions: dict[int, int] | None, payoffs: Sequence[float]) -> Revealed[Any]:
        over = not self._game.acting_players(state)
        return Revealed(state, self._viewer, actions, tuple(payoffs), over)
