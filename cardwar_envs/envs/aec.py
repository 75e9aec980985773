"""Any game as a PettingZoo AEC environment: players commit one after the other, unseen."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils.seeding import np_random
from numpy.typing import NDArray
from pettingzoo import AECEnv

from cardwar_envs.core.game import Game
from cardwar_envs.envs import spaces
from cardwar_envs.envs.render import render
from cardwar_envs.envs.session import RENDER_MODES, Session, one_of, own_stream, resolved_game


class AECGameEnv(AECEnv[str, spaces.Observation, int]):
    """Players commit in order of seat; the joint action is played when the last one has.

    No PettingZoo wrapper is needed around it: order and bounds are checked here.

    Args:
        game: A game or its name.
        render_mode: "ansi" (text), "human" (the text printed) or None.
        illegal_action: "raise" an IllegalActionError that leaves the game as it was, or
            "forfeit": judged when all have committed, the game ends, an offender's payoff is
            the least of the game, the others share what that leaves (nobody gets anything if
            all offend).
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
        super().__init__()  # type: ignore[no-untyped-call]  # PettingZoo's
        self.game = resolved_game(game, parameters)
        self.render_mode = one_of("render_mode", render_mode, (None, *RENDER_MODES))
        facts = self.game.facts
        self.metadata = {
            "name": f"{facts.name}_v{facts.version}",
            "render_modes": RENDER_MODES,
            "render_fps": 2,
            "is_parallelizable": True,
        }
        self._session = Session(self.game, illegal_action)
        self._rng: np.random.Generator | None = None
        self._pending: dict[int, int] = {}
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

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game.

        Args:
            seed: Reseeds chance; without it the generator goes on as it was.
            options: `{"state": s}` starts from that state of the game, `{"start": "random"}`
                from one reached by uniform play to a uniformly drawn depth. Other keys are
                ignored.

        Raises:
            ValueError: For a bad option; the game in progress is then untouched.
        """
        self._session.check_options(options)
        if seed is not None or self._rng is None:
            self._rng = own_stream(np_random(seed)[0])
        self._session.reset(self._rng, options)
        self.agents = [self.possible_agents[player] for player in self._session.live]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.truncations = dict.fromkeys(self.agents, False)
        self._pending = {}
        self._skip_agent_selection = None  # type: ignore[assignment]  # "none" to AECEnv, which annotates str
        self._announce()

    def observe(self, agent: str) -> spaces.Observation:
        """What the agent sees: fresh arrays, and nothing of what others have committed to."""
        if self._rng is None:
            self._session.require_start()
        return self._session.observe(self._player_of[agent])

    def state(self) -> NDArray[np.float32]:
        """The observations of all players in a row, `[num_players * observation_size]`."""
        return self._session.global_state()

    def step(self, action: int | None) -> None:
        """Commits the selected agent to an action, and plays the joint action if it was the last.

        Raises:
            IllegalActionError: If the action is illegal; the game is then as it was.
            ResetNeeded: If there is no game in progress.
        """
        if not self.agents:
            raise ResetNeeded("step() needs a game in progress: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)  # type: ignore[arg-type]  # it must be None here
            return
        session = self._session
        player = self._player_of[agent]
        committed = session.committed(player, action)
        self._pending[player] = committed
        self._clear_rewards()
        self._cumulative_rewards[agent] = 0.0
        if len(self._pending) < len(session.acting):
            self.agent_selection = self.possible_agents[session.acting[len(self._pending)]]
            return
        assert self._rng is not None  # reset has made it
        actions, self._pending = self._pending, {}
        payments = session.resolve(actions, self._rng)
        for receiver in self.agents:
            self.rewards[receiver] = payments[self._player_of[receiver]]
        self._accumulate_rewards()
        self._announce()

    def _announce(self) -> None:
        """Says who is out, what everyone may play, and whose turn it is to commit."""
        session, players = self._session, self._player_of
        self.terminations = {agent: players[agent] not in session.live for agent in self.agents}
        self.infos = {agent: {"action_mask": session.mask(players[agent])} for agent in self.agents}
        if session.acting:
            self.agent_selection = self.possible_agents[session.acting[0]]
        if len(session.live) < len(self.agents):
            self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """The state as text (mode "ansi"), or printed (mode "human")."""
        return render(self._session, self.render_mode)

    def close(self) -> None:
        """Nothing is held open."""
