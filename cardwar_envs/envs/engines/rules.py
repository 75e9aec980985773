"""Many games at once, stepped by the rules themselves: for games without compiled rules, and to test compiled rules."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.forms import Info
from cardwar_envs.core.game import Game, S, Transition
from cardwar_envs.core.streams import draw
from cardwar_envs.envs.engines.engine import Engine, Views, chosen_actions


class RulesEngine(Engine[S]):
    """Games as a list of states, stepped by the rules themselves."""

    def __init__(self, game: Game[S], streams: NDArray[np.uint64]) -> None:
        super().__init__(game, streams)
        self._deals = game.initial()
        self._deals_up_to = _sums(self._deals)
        self._states = [self._deals[0].state] * len(streams)

    def deal(self, where: NDArray[np.bool_], random: bool) -> NDArray[np.float64]:
        """Starts games anew."""
        paid = np.zeros(self.shape)
        for g in np.flatnonzero(where):
            _, self._states[g], dealt = self._one(self._deals, self._deals_up_to, g)
            if random:
                self._states[g] = self._walk(self._states[g], g)
            else:
                paid[g] = dealt
        return paid

    def _walk(self, state: S, g: np.intp) -> S:
        """Uniform play to a drawn depth; if the game ends before, any state on the way."""
        longest, passed = self.game.facts.max_length, [state]
        for _ in range(int(self._draw(g) * longest) if longest > 1 else 0):
            actions = {player: self._any_action(state, player, g) for player in self.game.acting_players(state)}
            outcomes = self.game.transitions(state, actions)
            state = self._one(outcomes, _sums(outcomes), g).state
            if not self.game.acting_players(state):
                return passed[int(self._draw(g) * len(passed))]
            passed.append(state)
        return state

    def place(self, states: Sequence[S], where: NDArray[np.bool_]) -> None:
        """Puts the games into states."""
        for i, g in enumerate(np.flatnonzero(where)):
            self._states[g] = states[i % len(states)]

    def place_seen(self, observations: NDArray[np.float32]) -> None:
        """Puts every game into the state that player 0 sees."""
        self._states = [self.game.state_of(observation)[0] for observation in observations]

    def states(self) -> list[S]:
        """The state of every game."""
        return self._states[:]

    def acting(self) -> NDArray[np.bool_]:
        """Which players choose now."""
        return self._players(self.game.acting_players)

    def live(self) -> NDArray[np.bool_]:
        """Which players are still in their game."""
        return self._players(self.game.live_players)

    def _players(self, those: Callable[[S], tuple[int, ...]]) -> NDArray[np.bool_]:
        marks = np.zeros(self.shape, dtype=np.bool_)
        for g, state in enumerate(self._states):
            marks[g, list(those(state))] = True
        return marks

    def illegal(self, actions: NDArray[np.int64], where: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        """Which players choose an illegal action."""
        flags = np.zeros(self.shape, dtype=np.bool_)
        for g in np.flatnonzero(where):
            state = self._states[g]
            for player in self.game.acting_players(state):
                flags[g, player] = actions[g, player] not in self.game.legal_actions(state, player)
        return flags if flags.any() else None

    def play(self, actions: NDArray[np.int64], where: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Plays legal joint actions."""
        rewards, over = np.zeros(self.shape), np.zeros(len(where), dtype=np.bool_)
        for g in np.flatnonzero(where):
            state, chosen = self._states[g], actions[g].tolist()
            joint = {player: chosen[player] for player in self.game.acting_players(state)}
            outcomes = self.game.transitions(state, joint)
            _, self._states[g], rewards[g] = self._one(outcomes, _sums(outcomes), g)
            over[g] = not self.game.acting_players(self._states[g])
        return rewards, over

    def views(self, places: NDArray[np.intp] | None = None) -> Views:
        """What the players see."""
        facts, players = self.game.facts, range(self.shape[1])
        states = self._states if places is None else [self._states[g] for g in places]
        observations = [self.game.observation(state, player) for state in states for player in players]
        masks = np.zeros((len(states), len(players), facts.num_actions), dtype=np.int8)
        for mask, state in zip(masks, states, strict=True):
            for player in self.game.live_players(state):
                mask[player] = self.game.action_mask(state, player)
        shape = (len(states), len(players), facts.observation_size)
        return Views(np.array(observations, dtype=np.float32).reshape(shape), masks)

    def uniform(self, player: int, where: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Actions of uniform play."""
        actions = np.zeros(len(where), dtype=np.int64)
        for g in np.flatnonzero(where):
            state = self._states[g]
            if player in self.game.acting_players(state):
                actions[g] = self._any_action(state, player, g)
            else:  # a player who does not act has one action, to wait, or none
                actions[g] = next(iter(self.game.legal_actions(state, player)), 0)
        return actions

    def _any_action(self, state: S, player: int, g: np.intp) -> int:
        seen = self.game.observation(state, player)[None], self.game.action_mask(state, player)[None]
        return int(chosen_actions(self.game.action_counts(*seen), np.array([self._draw(g)]))[0])

    def info(self, player: int, places: NDArray[np.intp], observations: NDArray[np.float32]) -> Info:
        """What `Game.info` tells."""
        told = [self.game.info(self._states[g], player) for g in places]
        return {key: np.array([info[key] for info in told]) for key in (told[0] if told else ())}

    def _one(self, outcomes: Sequence[Transition[S]], up_to: Sequence[float], g: np.intp) -> Transition[S]:
        if len(outcomes) == 1:
            return outcomes[0]
        return outcomes[min(bisect_right(up_to, self._draw(g)), len(outcomes) - 1)]

    def _draw(self, g: np.intp) -> float:
        return float(draw(self.streams, np.array([g]))[0])


def _sums(outcomes: Sequence[Transition[Any]]) -> list[float]:
    """The probability of each outcome and all outcomes before it."""
    return [float(up_to) for up_to in accumulate(outcome.probability for outcome in outcomes)]
