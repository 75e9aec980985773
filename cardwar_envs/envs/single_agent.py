"""Any game as a Gymnasium environment: the agent has one seat, and policies have the other seats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import one_of
from cardwar_envs.core.play import draw_action
from cardwar_envs.core.policy import Policy
from cardwar_envs.envs import spaces
from cardwar_envs.envs.opponents import MAX_STARTS, UNIFORM, Opponent, seated_opponents
from cardwar_envs.envs.render import RENDER_FPS, RENDER_MODES, ShownGame
from cardwar_envs.envs.session import checked_seed, own_stream, refuse_late_payments


class SingleAgentEnv(ShownGame, gymnasium.Env[spaces.Observation, int]):
    """A Gymnasium environment in which one agent plays against policies.

    Args:
        game: A game or its name.
        opponent: For all other seats, a policy, its name ("uniform" and "random" both mean uniform play), or a `Pool`
            from which one is drawn per game; or a sequence of these, one per other seat.
        seat: The agent's seat.
        render_mode: "human" (a window, updated after each change; text if no window is available),
            "ansi" (text), "rgb_array" (pixels `[height, width, 3]`) or None.
        illegal_action: "raise" or "forfeit", as for `PettingZooSkin`.
        **parameters: Parameters of the game, if it is given by name.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": RENDER_FPS}  # noqa: RUF012  # Gymnasium declares it so

    def __init__(
        self,
        game: str | Game[Any],
        *,
        opponent: Opponent | Sequence[Opponent] = UNIFORM,
        seat: int = 0,
        render_mode: str | None = None,
        illegal_action: str = "raise",
        **parameters: Any,
    ) -> None:
        self._set_up(game, parameters, render_mode, illegal_action)
        refuse_late_payments(self.game)
        self.seat = self._viewer = int(one_of("seat", seat, tuple(range(self.game.facts.num_players))))
        self._owed = 0.0  # rewards before the agent's first action; the first step returns them
        self._opponents = seated_opponents(opponent, self.game, self.seat)
        self._sitting: dict[int, Policy] = {}  # the opponents in this game
        self.observation_space = spaces.observation_space(self.game)
        self.action_space = spaces.action_space(self.game)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[spaces.Observation, dict[str, Any]]:
        """Starts a game.

        Args:
            seed: Seed for chance and the opponents' draws. `GameVectorEnv` draws different numbers from the same
                seed.
            options: As for `AECGameEnv.reset`.

        Returns:
            Observation and info; the info holds the `action_mask`.

        Raises:
            ValueError: For an invalid seed or option, if an opponent does not return probabilities, or
                if the agent never acts in 100 games; the game in progress is then unchanged.
        """
        seed = checked_seed(seed)
        self._session.check_options(options, needed=self.seat)
        before = self._snapshot()
        try:
            super().reset(seed=seed)
            if seed is not None or self._rng is None:
                self._rng = own_stream(self.np_random)
            self._start(self._rng, options)
        except BaseException:
            self._restore(*before)
            raise
        return self._seen()

    def _start(self, rng: np.random.Generator, options: dict[str, Any] | None) -> None:
        for _ in range(MAX_STARTS):
            self._sitting = {player: pool.sitting(rng) for player, pool in self._opponents.items()}
            self._session.reset(rng, options)
            self._show()
            self._owed = self._play_others_until_asked()
            if self.seat in self._session.acting:
                return
        raise ValueError(f"{self._session.agents[self.seat]} never acted in {MAX_STARTS} games")

    def step(self, action: int) -> tuple[spaces.Observation, float, bool, bool, dict[str, Any]]:
        """Plays one joint action, then continues until the agent must choose again.

        Returns:
            Observation, reward (payoff points), terminated, truncated (always False), info.

        Raises:
            IllegalActionError: If the action is illegal; the game is then unchanged.
            ValueError: If an opponent does not return probabilities; the game is then unchanged.
            ResetNeeded: If there is no game in progress.
        """
        if self.seat not in self._session.acting:
            raise ResetNeeded("step() needs a game in progress: call reset() first")
        chosen = self._session.committed(self.seat, action)
        before = self._snapshot()
        try:
            reward = self._owed + self._play(chosen)
            self._owed = 0.0
            reward += self._play_others_until_asked()
        except BaseException:
            self._restore(*before)
            raise
        observation, info = self._seen()
        return observation, reward, self.seat not in self._session.live, False, info

    def _snapshot(self) -> tuple[dict[str, Any], dict[str, Any], Any]:
        """What `_restore` needs after an error, e.g. of an opponent."""
        stream = None if self._rng is None else self._rng.bit_generator.state
        return vars(self).copy(), vars(self._session).copy(), stream

    def _restore(self, attributes: dict[str, Any], session: dict[str, Any], stream: Any) -> None:
        for owner, kept in ((self._session, session), (self, attributes)):
            vars(owner).clear()
            vars(owner).update(kept)
        if self._rng is not None:
            self._rng.bit_generator.state = stream

    def _play_others_until_asked(self) -> float:
        """Continues the game until the agent must choose; returns the agent's reward."""
        reward = 0.0
        while self.seat in self._session.live and self.seat not in self._session.acting:
            reward += self._play(None)
        return reward

    def _play(self, action: int | None) -> float:
        session = self._session
        assert self._rng is not None  # set by reset
        actions = {}
        for player in session.acting:
            if player == self.seat:
                assert action is not None  # given whenever the agent acts
                actions[player] = action
            else:
                actions[player] = draw_action(self.game, session.state, player, self._sitting[player], self._rng)
        reward = session.resolve(actions, self._rng)[self.seat]
        self._show()
        return reward

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _seen(self) -> tuple[spaces.Observation, dict[str, Any]]:
        agent = self._session.agents[self.seat]
        return self._session.observe(self.seat), self._session.infos([agent])[agent]

    def action_masks(self) -> NDArray[np.bool_]:
        """The action mask, `[num_actions]`, under the name that sb3-contrib expects."""
        return self._session.mask(self.seat).astype(np.bool_)
