"""Any game as a PettingZoo AEC environment: players commit to hidden actions one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv

from cardwar_envs.envs import spaces
from cardwar_envs.envs.pettingzoo_skin import PettingZooSkin

if TYPE_CHECKING:
    _Base = AECEnv[str, spaces.Observation, int]
else:  # generic since PettingZoo 1.24
    _Base = AECEnv


class AECGameEnv(PettingZooSkin, _Base):
    """An AEC environment in which players commit in seat order; the last commitment plays the joint action.

    It needs no PettingZoo wrapper, because it checks the order and the bounds of actions itself.

    Only acting players are selected. In games in which players sometimes wait, such as WAR, a cycle skips some live
    agents, so `metadata["is_parallelizable"]` is False: PettingZoo's `aec_to_parallel` would stop at the first
    waiting agent. Use `ParallelGameEnv` for such games.

    The arguments are those of `PettingZooSkin`.
    """

    asks_everyone = False

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game.

        Args:
            seed: Seed for chance; if None, the generator continues.
            options: `{"state": s}` starts from the state `s`, `{"start": "random"}` from a state that uniform play
                reaches at a uniformly drawn depth. Other keys are ignored.

        Raises:
            ValueError: For an invalid seed or option; the game in progress is then unchanged.
        """
        self._start(seed, options)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._paying = False  # whether a reward may differ from 0
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.truncations = dict.fromkeys(self.agents, False)
        self._pending: dict[int, int] = {}
        self._skip_agent_selection = None  # type: ignore[assignment]  # "none" to AECEnv, which annotates str
        self.terminations = self.truncations.copy()
        self._announce()

    def observe(self, agent: str) -> spaces.Observation:
        """The agent's observation, as fresh arrays; it does not reveal the commitments of other agents."""
        if self._rng is None:
            self._session.require_start()
        return self._session.observe(self._player_of[agent])

    def step(self, action: int | None) -> None:
        """Commits the selected agent to an action, and plays the joint action after the last commitment.

        Raises:
            IllegalActionError: If the action is illegal; the game is then unchanged.
            ResetNeeded: If there is no game in progress.
        """
        if not self.agents:
            raise ResetNeeded("step() needs a game in progress: call reset() first")
        agent, session, pending = self.agent_selection, self._session, self._pending
        if self.terminations[agent]:
            self._was_dead_step(action)  # type: ignore[arg-type]  # it must be None here
            return
        player, rewards, cumulative = self._player_of[agent], self.rewards, self._cumulative_rewards
        pending[player] = session.committed(player, action)
        cumulative[agent] = 0.0
        acting = session.acting
        if len(pending) < len(acting):
            if self._paying:
                self._clear_rewards()
                self._paying = False
            self.agent_selection = self.possible_agents[acting[len(pending)]]
            return
        assert self._rng is not None  # set by reset
        self._pending = {}
        payments = session.resolve(pending, self._rng)
        if self._paying or any(payments):
            self._paying = True
            for receiver in self.agents:
                rewards[receiver] = paid = payments[self._player_of[receiver]]
                cumulative[receiver] += paid
        self._announce()

    def _announce(self) -> None:
        """Updates terminations, infos and the selected agent."""
        session, players, agents = self._session, self._player_of, self.agents
        self.infos = session.infos(agents)
        if session.acting:
            self.agent_selection = self.possible_agents[session.acting[0]]
        if len(session.live) < len(agents):
            self.terminations = {agent: players[agent] not in session.live for agent in agents}
            self._deads_step_first()
        if self.render_mode == "human":
            self.render()
