"""Steps many games with the Python rules, for games without compiled rules and for tests of compiled rules.

The rules are queried once per state and joint action; `Remembered` caches the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.forms import Info
from cardwar_envs.core.game import Game, S
from cardwar_envs.core.play import listed
from cardwar_envs.core.streams import draw
from cardwar_envs.envs.engines.engine import Engine, Views, chosen_actions
from cardwar_envs.envs.engines.remembered import Remembered


class RulesEngine(Engine[S]):
    """Stores each game as the number of its state in a table, and steps it with the Python rules."""

    def __init__(self, game: Game[S], streams: NDArray[np.uint64]) -> None:
        super().__init__(game, streams)
        self._begin_table([listed(game, game.initial())[0].state] * len(streams))

    def _begin_table(self, states: Sequence[S]) -> None:
        table = Remembered(self.game, least=4 * len(states))
        deals, now = table.add_outcomes(self.game.initial()), table.numbers(states)
        self._table, self._deals, self._now = table, deals, now  # not before the rules have succeeded

    def deal(self, where: NDArray[np.bool_], random: bool) -> NDArray[np.float64]:
        paid, places = np.zeros(self.shape), np.flatnonzero(where)
        first, count = (np.full(len(places), number) for number in self._deals)
        self._now[places], dealt = self._follow(first, count, places)
        if random:
            self._walk(places)
        else:
            paid[places] = dealt
        return paid

    def keep(self, where: NDArray[np.bool_]) -> None:
        super().keep(where)
        self._now = self._now[where]

    def _walk(self, places: NDArray[np.intp]) -> None:
        """Plays uniformly to a drawn depth; a game that ends earlier stops at a random state that it has visited."""
        longest = self.game.facts.max_length
        if longest <= 1 or not len(places):
            return
        depths = (draw(self.streams, places) * longest).astype(np.int64)
        passed, moving = [self._now.copy()], depths > 0
        while moving.any():
            walkers = places[moving]
            actions = np.zeros((len(walkers), self.shape[1]), dtype=np.int64)
            for player in range(self.shape[1]):
                acts = self._table.acting[self._now[walkers], player]
                actions[acts, player] = self._any_actions(player, walkers[acts])
            self._now[walkers], _ = self._step(walkers, actions)
            over = walkers[~self._table.acting[self._now[walkers]].any(axis=1)]
            if len(over):
                chosen = (draw(self.streams, over) * len(passed)).astype(np.int64)
                self._now[over] = np.stack(passed)[chosen, over]
            passed.append(self._now.copy())
            moving &= (depths > len(passed) - 1) & ~np.isin(places, over)

    def _step(
        self, places: NDArray[np.intp], actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The outcomes of joint actions, `[places, num_players]`, in the current states, and their payments."""
        return self._follow(*self._table.outcomes_of(self._table.plays(self._now[places], actions)), places)

    def _follow(
        self, first: NDArray[np.int64], count: NDArray[np.int64], places: NDArray[np.intp]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Draws one of `count` outcomes, starting at index `first`, per place; draws no number if `count` is 1."""
        outcomes, chance = first.copy(), count > 1
        if chance.any():
            draws = draw(self.streams, places[chance])
            outcomes[chance] = self._table.drawn(first[chance], count[chance], draws)
        return self._table.reached(outcomes)

    def place(self, states: Sequence[S], where: NDArray[np.bool_]) -> None:
        places = np.flatnonzero(where)
        self._now[places] = self._table.numbers(states[i % len(states)] for i in range(len(places)))

    def place_seen(self, observations: NDArray[np.float32]) -> None:
        self._now = self._table.numbers(self.game.state_of(observation)[0] for observation in observations)

    def states(self, places: NDArray[np.intp] | None = None) -> list[S]:
        return [self._table.states[number] for number in (self._now if places is None else self._now[places]).tolist()]

    def acting(self) -> NDArray[np.bool_]:
        return self._table.acting[self._now]

    def live(self) -> NDArray[np.bool_]:
        return self._table.live[self._now]

    def illegal(self, actions: NDArray[np.int64], where: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        inside = actions.clip(0, self.game.facts.num_actions - 1)
        masks = np.take_along_axis(self._table.masks[self._now], inside[:, :, None], axis=2)[:, :, 0]
        flags: NDArray[np.bool_] = self.acting() & where[:, None] & ((inside != actions) | (masks == 0))
        return flags if flags.any() else None

    def play(self, actions: NDArray[np.int64], where: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        if self._table.full:
            self._begin_table(self.states())
        rewards, over, places = np.zeros(self.shape), np.zeros(len(where), dtype=np.bool_), np.flatnonzero(where)
        self._now[places], rewards[places] = self._step(places, actions[places])
        over[places] = ~self._table.acting[self._now[places]].any(axis=1)
        return rewards, over

    def views(self, places: NDArray[np.intp] | None = None) -> Views:
        now = self._now if places is None else self._now[places]
        return Views(self._table.observations[now], self._table.masks[now])

    def uniform(self, player: int, where: NDArray[np.bool_]) -> NDArray[np.int64]:
        # A player who does not act has only the action to wait, or none.
        actions: NDArray[np.int64] = self._table.masks[self._now, player].argmax(axis=1).astype(np.int64)
        places = np.flatnonzero(where & self._table.acting[self._now, player])
        actions[places] = self._any_actions(player, places)
        return actions

    def _any_actions(self, player: int, places: NDArray[np.intp]) -> NDArray[np.int64]:
        now = self._now[places]
        counts = self.game.action_counts(self._table.observations[now, player], self._table.masks[now, player])
        return chosen_actions(counts, draw(self.streams, places))

    def info(self, player: int, places: NDArray[np.intp], observations: NDArray[np.float32]) -> Info:
        told = [self.game.info(self._table.states[number], player) for number in self._now[places].tolist()]
        return {key: np.array([info[key] for info in told]) for key in (told[0] if told else ())}
