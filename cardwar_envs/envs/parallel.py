"""Any game as a PettingZoo Parallel environment: all players submit their actions simultaneously."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gymnasium.error import ResetNeeded
from pettingzoo import ParallelEnv

from cardwar_envs.core.game import FORFEIT
from cardwar_envs.envs import spaces
from cardwar_envs.envs.pettingzoo_skin import PettingZooSkin

Infos = dict[str, dict[str, Any]]
StepResult = tuple[dict[str, spaces.Observation], dict[str, float], dict[str, bool], dict[str, bool], Infos]

if TYPE_CHECKING:
    _Base = ParallelEnv[str, spaces.Observation, int]
else:  # generic since PettingZoo 1.24
    _Base = ParallelEnv


class ParallelGameEnv(PettingZooSkin, _Base):
    """A Parallel environment in which every live agent acts in every step, if only with its single legal action.

    The arguments are those of `PettingZooSkin`.
    """

    asks_everyone = True

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, spaces.Observation], Infos]:
        """Starts a game.

        Args:
            seed: Seed for chance; if None, the generator continues.
            options: As for `AECGameEnv.reset`.

        Returns:
            Observations and infos by agent; infos hold the `action_mask`.

        Raises:
            ValueError: For an invalid seed or option; the game in progress is then unchanged.
        """
        self._start(seed, options)
        if self.render_mode == "human":
            self.render()
        observe, players = self._session.observe, self._player_of
        return {agent: observe(players[agent]) for agent in self.agents}, self._session.infos(self.agents)

    def step(self, actions: dict[str, int]) -> StepResult:
        """Plays one joint action.

        Args:
            actions: One action per live agent. Actions of agents that are out are ignored, as in PettingZoo's own
                Parallel environments.

        Returns:
            Observations, rewards (payoff points), terminations, truncations (always False) and
            infos, by agent.

        Raises:
            IllegalActionError: If an action is illegal; the game is then unchanged.
            ValueError: If the action of a live agent is missing, or an agent is unknown; the game is then unchanged.
            ResetNeeded: If there is no game in progress.
        """
        if not self.agents:
            raise ResetNeeded("step() needs a game in progress: call reset() first")
        session, players, agents = self._session, self._player_of, self.agents
        if type(actions) is not dict or actions.keys() != players.keys():
            self._require_actions(actions)
        assert self._rng is not None  # set by reset
        committed = {}
        for agent in agents:
            player = players[agent]
            committed[player] = session.committed(player, actions[agent])
        if len(committed) > len(session.acting):  # drop the actions of waiting players, except forfeits
            acting = session.acting
            committed = {p: action for p, action in committed.items() if p in acting or action == FORFEIT}
        payments = session.resolve(committed, self._rng)
        live, infos = session.live, session.infos(agents)
        observations, rewards, terminations, truncations = {}, {}, {}, {}  # one loop is faster than four
        for agent in agents:
            player = players[agent]
            observations[agent] = session.observe(player)
            rewards[agent] = payments[player]
            terminations[agent] = player not in live
            truncations[agent] = False
        if len(live) < len(agents):
            self.agents = [agent for agent in agents if players[agent] in live]
        if self.render_mode == "human":
            self.render()
        return observations, rewards, terminations, truncations, infos

    def _require_actions(self, actions: Mapping[str, int]) -> None:
        """Raises a ValueError unless there is an action for each live agent, and for no unknown agent."""
        if not isinstance(actions, Mapping):
            raise ValueError(f"actions ({actions!r}) must be a mapping from agents to actions")
        if not set(self.agents) <= actions.keys() <= self._player_of.keys():
            raise ValueError(f"actions are given for {list(actions)}, but must be given for {self.agents}")
