"""Any game as a PettingZoo Parallel environment: all players hand in their actions at once."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils.seeding import np_random
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from cardwar_envs.core.game import Game
from cardwar_envs.envs import spaces
from cardwar_envs.envs.render import render
from cardwar_envs.envs.session import FORFEIT, RENDER_MODES, Session, one_of, own_stream, resolved_game

Infos = dict[str, dict[str, Any]]
StepResult = tuple[dict[str, spaces.Observation], dict[str, float], dict[str, bool], dict[str, bool], Infos]


class ParallelGameEnv(ParallelEnv[str, spaces.Observation, int]):
    """All live agents act in every step; one who has nothing to choose has one legal action.

    Args:
        game: A game or its name.
        render_mode: "ansi" (text), "human" (the text printed) or None.
        illegal_action: "raise" or "forfeit", as for `AECGameEnv`.
        **parameters: Parameters of the game, if its name was given.
    """

    def __init__(
        self,
        game: str | Game[Any],
        *,
        render_mode: str | None = None,
        illegal_action: str = "raise",
        **parameters: Any,
    ) -> None:
        self.game = resolved_game(game, parameters)
        self.render_mode = one_of("render_mode", render_mode, (None, *RENDER_MODES))
        facts = self.game.facts
        self.metadata = {
            "name": f"{facts.name}_v{facts.version}",
            "render_modes": RENDER_MODES,
            "render_fps": 2,
        }
        self._session = Session(self.game, illegal_action)
        self._rng: np.random.Generator | None = None
        self.possible_agents = list(self._session.agents)
        self._player_of = {agent: player for player, agent in enumerate(self.possible_agents)}
        self.agents = []
        self.observation_spaces = {agent: spaces.observation_space(self.game) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.action_space(self.game) for agent in self.possible_agents}
        self.state_space = spaces.state_space(self.game)

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """The space of `{"observation", "action_mask"}`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """All actions of the game; the mask says which are legal."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, spaces.Observation], Infos]:
        """Starts a game.

        Args:
            seed: Reseeds chance; without it the generator goes on as it was.
            options: As for `AECGameEnv.reset`.

        Returns:
            Observations and infos by agent; infos hold the `action_mask`.

        Raises:
            ValueError: For a bad option; the game in progress is then untouched.
        """
        self._session.check_options(options)
        if seed is not None or self._rng is None:
            self._rng = own_stream(np_random(seed)[0])
        self._session.reset(self._rng, options)
        self.agents = [self.possible_agents[player] for player in self._session.live]
        if self.render_mode == "human":
            self.render()
        return self._views(self.agents)

    def step(self, actions: dict[str, int]) -> StepResult:
        """Plays one joint action.

        Args:
            actions: An action for every live agent.

        Returns:
            Observations, rewards (payoff points), terminations, truncations (always False) and
            infos, by agent.

        Raises:
            IllegalActionError: If an action is illegal; the game is then as it was.
            ValueError: If an agent's action is missing or an agent is not live; likewise.
            ResetNeeded: If there is no game in progress.
        """
        if not self.agents:
            raise ResetNeeded("step() needs a game in progress: call reset() first")
        if len(actions) != len(self.agents) or any(agent not in actions for agent in self.agents):
            raise ValueError(f"actions for {list(actions)} given; needed are those for {self.agents}")
        assert self._rng is not None  # reset has made it
        session, players = self._session, self._player_of
        agents = self.agents
        committed = {players[agent]: session.committed(players[agent], actions[agent]) for agent in agents}
        if len(committed) > len(session.acting):  # to wait is not part of the joint action, to refuse to is
            acting = session.acting
            committed = {p: action for p, action in committed.items() if p in acting or action == FORFEIT}
        payments = session.resolve(committed, self._rng)
        self.agents = [agent for agent in agents if players[agent] in session.live]
        observations, infos = self._views(agents)
        if self.render_mode == "human":
            self.render()
        return (
            observations,
            {agent: payments[players[agent]] for agent in agents},
            {agent: players[agent] not in session.live for agent in agents},
            dict.fromkeys(agents, False),
            infos,
        )

    def _views(self, agents: list[str]) -> tuple[dict[str, spaces.Observation], Infos]:
        observations = {agent: self._session.observe(self._player_of[agent]) for agent in agents}
        return observations, {
            agent: {"action_mask": seen["action_mask"].copy()} for agent, seen in observations.items()
        }

    def state(self) -> NDArray[np.float32]:
        """The observations of all players in a row, `[num_players * observation_size]`."""
        return self._session.global_state()

    def render(self) -> str | None:
        """The state as text (mode "ansi"), or printed (mode "human")."""
        return render(self._session, self.render_mode)

    def close(self) -> None:
        """Nothing is held open."""
