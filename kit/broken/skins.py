"""The two honest skins, which a base game is put into. They know PettingZoo, and no game.

A game is a class with these members, of which a broken environment overrides one or two:

    players                     names of the agents
    metadata                    as PettingZoo wants it
    begin(seed, options)        deals a new game
    check(agent, action)        ValueError for what the agent may not do; nothing is changed
    play(actions)               plays a joint action and returns the rewards by agent
    out(), cut()                who is out after it, by the rules and by a limit of rounds
    observe(agent), info(agent) what an agent sees
    state(), render(), close()  as in PettingZoo
"""

from pettingzoo import AECEnv, ParallelEnv


class AEC(AECEnv):
    """Agents commit in order of seat. What they committed is kept in `_committed` until all have."""

    def reset(self, seed=None, options=None):
        self.begin(seed, options)
        self.agents = list(self.possible_agents)
        self._committed = {}
        self._skip_agent_selection = None
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.announce()

    def step(self, action):
        if not self.agents:
            raise ValueError("the game is over: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.check(agent, action)
        self.commit(agent, action)
        waiting = self.waiting()
        if waiting:
            self.agent_selection = waiting[0]
        else:
            self.resolve()

    def waiting(self):
        return [agent for agent in self.agents if agent not in self._committed]

    def commit(self, agent, action):
        self._clear_rewards()
        self._cumulative_rewards[agent] = 0.0
        self._committed[agent] = action

    def resolve(self):
        """Plays what has been committed."""
        committed, self._committed = self._committed, {}
        self.rewards = self.play(committed)
        self._accumulate_rewards()
        self.announce()

    def announce(self):
        """Says who is out, what everybody is told, and who is asked next."""
        out, cut = self.out(), self.cut()
        self.terminations = {agent: agent in out for agent in self.agents}
        self.truncations = {agent: agent in cut for agent in self.agents}
        self.infos = {agent: self.info(agent) for agent in self.agents}
        staying = [agent for agent in self.agents if agent not in out | cut]
        self.agent_selection = (staying or self.agents)[0]
        self._deads_step_first()


class Parallel(ParallelEnv):
    """All live agents hand in their actions at once; actions of agents that are out are ignored."""

    def reset(self, seed=None, options=None):
        self.begin(seed, options)
        self.agents = list(self.possible_agents)
        return self.views(self.agents)

    def step(self, actions):
        if not self.agents:
            raise ValueError("the game is over: call reset() first")
        for agent in self.agents:
            if agent not in actions:
                raise ValueError(f"the action of {agent} is missing")
            self.check(agent, actions[agent])
        return self.resolve({agent: actions[agent] for agent in self.agents})

    def resolve(self, actions):
        """Plays the actions of the live agents."""
        rewards, asked = self.play(actions), self.agents
        out, cut = self.out(), self.cut()
        self.agents = [agent for agent in asked if agent not in out | cut]
        observations, infos = self.views(asked)
        terminations = {agent: agent in out for agent in asked}
        return observations, rewards, terminations, {agent: agent in cut for agent in asked}, infos

    def views(self, agents):
        return {agent: self.observe(agent) for agent in agents}, {agent: self.info(agent) for agent in agents}
