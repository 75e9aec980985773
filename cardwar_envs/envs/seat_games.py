"""Games in which the caller has one seat and policies have the other seats; the core of the vector environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import FORFEIT, Game
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.core.scene import Revealed
from cardwar_envs.core.streams import draw, streams_of
from cardwar_envs.envs.engines import new_engine
from cardwar_envs.envs.engines.engine import Engine, chosen_actions
from cardwar_envs.envs.opponents import MAX_STARTS, SeatPool
from cardwar_envs.envs.session import forfeit_payoffs, refuse_late_payments


class SeatGames:
    """Games of one kind, each with its own random stream for chance and for the opponents' draws.

    The argument `where`, `[count]` bool, selects games. A finished game restarts only when `start` is called.

    Attributes:
        engine: The engine that steps the games.
        started: Whether there are games.
        fails_late: Whether an opponent may be queried, and fail, after others' actions have been played.
        out: `[count]`: whether the caller's seat is out of its game, or the game is over.
        revealed: What the caller's seat may see of each game, if recorded. Each change makes a new list.
    """

    def __init__(
        self,
        game: Game[Any],
        count: int,
        seat: int,
        opponents: Mapping[int, SeatPool],
        *,
        engine: str,
        revealing: bool,
    ) -> None:
        """Sets up the games; `start` must be called first.

        Args:
            game: The rules.
            count: Number of games.
            seat: The caller's seat.
            opponents: The pool of policies of every other seat.
            engine: "compiled", "rules", or "auto": compiled rules if the game has them.
            revealing: Whether to record `revealed`; games that are not rendered run faster without it.
        """
        refuse_late_payments(game)
        self.game, self.seat, self.count = game, seat, count
        self._opponents = opponents
        policies = [policy for pool in opponents.values() for policy in pool.policies]
        self.fails_late = not (game.facts.everyone_acts or all(map(_plays_uniformly, policies)))
        self.engine: Engine[Any] = new_engine(game, streams_of([None] * count), engine, records=False)
        self.started = False
        self.out = self._asked = np.zeros(count, dtype=np.bool_)
        self._revealing = revealing
        self.revealed: list[Revealed[Any]] = []
        # `[count, num_players]`: index of each seat's policy in its pool.
        self._sitting = np.zeros((count, game.facts.num_players), dtype=np.int64)
        # The seat's payoff in each game so far, and the part of it that `collected` has not returned yet.
        self._paid, self._owed = np.zeros(count), np.zeros(count)
        # `[count, num_players]`: payments of the deals, which rewards and pictures show after the first turn.
        self._dealt = np.zeros((count, game.facts.num_players))

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Restores everything if an error is raised, e.g. by an opponent."""
        kept = dict(vars(self))
        copied = deepcopy({name: kept[name] for name in ("engine", "_sitting", "_paid", "_owed", "_dealt")})
        try:
            yield
        except BaseException:
            vars(self).clear()
            vars(self).update(kept | copied)
            raise

    def start(self, where: NDArray[np.bool_], options: Mapping[str, Any]) -> None:
        """Starts games, and restarts those that end before the caller acts.

        Args:
            where: The games.
            options: Checked options of `reset`.

        Raises:
            ValueError: If the caller never acts in 100 games.
        """
        for _ in range(MAX_STARTS):
            if not where.any():
                self.started = True
                return
            self._seat_opponents(where)
            state = options.get("state")
            if state is not None:
                self.engine.place([state], where)
                dealt = np.zeros(self.engine.shape)
            else:
                dealt = self.engine.deal(where, options.get("start") == "random")
            self._reveal_starts(where, dealt)
            self._paid = np.where(where, 0.0, self._paid)
            self._owed = np.where(where, 0.0, self._owed)
            self._pay(dealt[:, self.seat])
            self._play_until_asked(where)
            where = where & ~self._asked
        raise ValueError(f"player_{self.seat} never acted in {MAX_STARTS} games")

    def offends(self, actions: NDArray[np.int64], where: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """`[count]`: whether the caller's action, `[count]`, is illegal in each of the games `where`."""
        flags = self.engine.illegal(self._joint(actions), where)
        return np.zeros(self.count, dtype=np.bool_) if flags is None else flags[:, self.seat]

    def _joint(self, actions: NDArray[np.int64] | int) -> NDArray[np.int64]:
        joint = np.zeros(self.engine.shape, dtype=np.int64)
        joint[:, self.seat] = actions
        return joint

    def play(self, actions: NDArray[np.int64], where: NDArray[np.bool_], offends: NDArray[np.bool_]) -> None:
        """Plays the caller's actions, then continues until the caller must choose again.

        Args:
            actions: `[count]`.
            where: The games.
            offends: The games in which the action is illegal: these end with the minimal payoff for the caller's seat.
        """
        self._play(self._joint(actions), where, offends)
        if offends.any():
            self._pay(np.where(offends, self.game.facts.min_payoff - self._paid, 0.0))
        self._play_until_asked(where & ~offends)

    def collected(self, where: NDArray[np.bool_]) -> NDArray[np.float64]:
        """`[count]`: the caller's payoff points since the last call; 0 in games outside `where`."""
        collected = np.where(where, self._owed, 0.0)
        self._owed = np.where(where, 0.0, self._owed)
        return collected

    def _pay(self, rewards: NDArray[np.float64]) -> None:
        self._paid = self._paid + rewards
        self._owed = self._owed + rewards

    def _seat_opponents(self, where: NDArray[np.bool_]) -> None:
        places = np.flatnonzero(where)
        for player, pool in self._opponents.items():
            if len(pool.policies) > 1:
                self._sitting[places, player] = pool.drawn(draw(self.engine.streams, places))

    def _play_until_asked(self, where: NDArray[np.bool_]) -> None:
        while where.any():
            places = None if where.all() else np.flatnonzero(where)
            asked, live = self.engine.asked(self.seat, places)
            self._asked, self.out = _replaced(self._asked, places, asked), _replaced(self.out, places, ~live)
            where = where & ~self._asked & ~self.out
            if where.any():
                self._play(self._joint(0), where, np.zeros_like(where))

    def _play(self, joint: NDArray[np.int64], where: NDArray[np.bool_], offends: NDArray[np.bool_]) -> None:
        """Adds the opponents' actions in the games `where`, and plays these games but for those that offenders end."""
        self._draw(joint, where)
        paid = self.engine.play(joint, where & ~offends)[0]
        self._pay(paid[:, self.seat])
        self._reveal_play(where, joint, paid, offends)

    def _reveal_starts(self, where: NDArray[np.bool_], dealt: NDArray[np.float64]) -> None:
        if self._revealing:
            self._dealt[where] = dealt[where]
            nothing = (0.0,) * self.game.facts.num_players
            starts = [
                Revealed(state, self.seat, None, nothing, not self.game.acting_players(state))
                for state in self.engine.states()
            ]
            before = self.revealed or starts
            self.revealed = [new if anew else old for new, old, anew in zip(starts, before, where, strict=True)]

    def _reveal_play(
        self,
        where: NDArray[np.bool_],
        joint: NDArray[np.int64],
        paid: NDArray[np.float64],
        offends: NDArray[np.bool_],
    ) -> None:
        if not self._revealing:
            return
        revealed, states, facts = list(self.revealed), self.engine.states(), self.game.facts
        for place in np.flatnonzero(where).tolist():
            old, state = revealed[place], states[place]
            actions = {player: int(joint[place, player]) for player in self.game.acting_players(old.state)}
            earlier = self._dealt[place].tolist() if old.last_actions is None else old.payoffs
            if offends[place]:
                actions[self.seat] = FORFEIT
                payoffs = forfeit_payoffs(facts, earlier, self.game.live_players(state), [self.seat])
            else:
                payoffs = [sum(both) for both in zip(earlier, paid[place].tolist(), strict=True)]
            over = bool(offends[place]) or not self.game.acting_players(state)
            revealed[place] = Revealed(state, self.seat, actions, tuple(payoffs), over, old.state)
        self.revealed = revealed

    def _draw(self, joint: NDArray[np.int64], where: NDArray[np.bool_]) -> None:
        """Writes the opponents' actions into `joint`, `[count, num_players]`."""
        engine, acting = self.engine, None
        uniform: list[tuple[int, NDArray[np.bool_]]] = []
        answers: list[tuple[int, NDArray[np.intp], NDArray[np.float64]]] = []
        for player, pool in self._opponents.items():
            for place, policy in enumerate(pool.policies):
                sits = where if len(pool.policies) == 1 else where & (self._sitting[:, player] == place)
                if _plays_uniformly(policy):
                    uniform.append((player, sits))
                    continue
                acting = engine.acting() if acting is None else acting
                games = np.flatnonzero(sits & acting[:, player])
                if len(games):
                    answers.append((player, games, checked_probabilities(policy, *engine.views(games, player))))
        # Query all policies before drawing, so that invalid probabilities leave the streams unchanged.
        for player, sits in uniform:
            np.copyto(joint[:, player], engine.uniform(player, sits), where=sits)
        for player, games, probabilities in answers:
            joint[games, player] = chosen_actions(probabilities, draw(engine.streams, games))


def _replaced(old: NDArray[np.bool_], places: NDArray[np.intp] | None, new: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A copy of `old` with `new` at `places`; only `new` if these are all places."""
    if places is None:
        return new
    replaced = old.copy()
    replaced[places] = new
    return replaced


def _plays_uniformly(policy: Policy) -> bool:
    """Whether the engine may draw the policy's actions."""
    return getattr(policy, "plays_uniformly", False)
