"""The common part of the two PettingZoo APIs, which differ in how they collect actions."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.utils.seeding import np_random
from numpy.typing import NDArray

from cardwar_envs.core.game import Game
from cardwar_envs.envs import spaces
from cardwar_envs.envs.render import RENDER_FPS, RENDER_MODES, ShownGame
from cardwar_envs.envs.session import checked_seed, own_stream


class PettingZooSkin(ShownGame):
    """The base class of both PettingZoo environments.

    Args:
        game: A game or its name.
        render_mode: "human" (a window, updated after each change; text if no window is available),
            "ansi" (text), "rgb_array" (pixels `[height, width, 3]`) or None.
        illegal_action: "raise" raises an IllegalActionError and leaves the game unchanged. "forfeit" ends the game once
            all have committed; each offender gets the game's minimal payoff. In a zero-sum game the other players share
            what the offenders lose (all get 0 if all offend); in other games they keep their payoffs so far.
        **parameters: Parameters of the game, if it is given by name.

    Raises:
        ValueError: If an argument is invalid.
    """

    # Whether players without a choice act too. PettingZoo's `aec_to_parallel` requires all live agents to act in every
    # cycle; `is_parallelizable` in the metadata declares whether they do.
    asks_everyone: ClassVar[bool]

    def __init__(
        self,
        game: str | Game[Any],
        *,
        render_mode: str | None = None,
        illegal_action: str = "raise",
        **parameters: Any,
    ) -> None:
        self._set_up(game, parameters, render_mode, illegal_action)
        facts = self.game.facts
        self.metadata = {
            "name": f"{facts.name}_v{facts.version}",
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "is_parallelizable": self.asks_everyone or facts.everyone_acts,
        }
        self.possible_agents = list(self._session.agents)
        self._player_of = self._session.player_of
        self.agents: list[str] = []
        self.observation_spaces = {agent: spaces.observation_space(self.game) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.action_space(self.game) for agent in self.possible_agents}
        self.state_space = spaces.state_space(self.game)

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """The space of the agent's observations, dicts of "observation" and "action_mask"."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """The space of all actions, including illegal ones."""
        return self.action_spaces[agent]

    def _start(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Starts a game. An invalid seed or option raises a ValueError and leaves the game in progress unchanged."""
        seed = checked_seed(seed)
        self._session.check_options(options)
        if seed is not None or self._rng is None:
            self._rng = own_stream(np_random(seed)[0])
        self._session.reset(self._rng, options)
        self.agents = [self.possible_agents[player] for player in self._session.live]

    def state(self) -> NDArray[np.float32]:
        """The concatenated observations of all players, `[num_players * observation_size]`.

        The state includes hidden information, such as both rolls in Dice Poker, but no pending commitments.
        """
        return self._session.global_state()
