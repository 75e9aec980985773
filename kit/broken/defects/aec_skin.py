"""AEC by itself: rewards, flags and agents are told wrongly, which can be seen without a Parallel beside it."""

from collections import Counter

import numpy as np

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.playing import exact, is_out, plays
from broken.witnesses import at_each_step, raises

AEC = Skins.AEC


def ledger_is_wrong(make):
    """What last() tells an agent, turn by turn, is not the sum of the rewards that each step gave it."""
    for seed in range(5):
        env, told, given = make(), Counter(), Counter()
        for agent in plays(env, seed):
            for receiver, reward in env.rewards.items():
                given[receiver] += reward
            told[agent] += env.last()[1]
        if any(not abs(told[agent] - given[agent]) < 1e-9 for agent in env.possible_agents):
            return True
    return False


def paid_in_mid_round(make):
    """There are rewards although some have still to commit."""
    env = make()
    previous = None
    for agent in plays(env):
        if previous is not None and agent != env.agents[0] and not is_out(env, agent) and any(env.rewards.values()):
            return True
        previous = agent
    return False


def has_no_end(make):
    env = make()
    return len(list(plays(env, most=200))) == 200


@broken(Kind.AEC, AEC, ledger_is_wrong, Bidding)
def RewardsTwice(self, announce):
    """Rewards are accumulated twice."""
    announce()
    self._accumulate_rewards()


@broken(Kind.AEC, AEC, ledger_is_wrong, Lowest)
def RewardsAtEachCommit(self, commit, agent, action):
    """Rewards are not cleared at a commitment, and accumulated at each: PettingZoo's best known trap."""
    self._cumulative_rewards[agent] = 0.0
    self._committed[agent] = action
    self._accumulate_rewards()


@broken(Kind.AEC, AEC, paid_in_mid_round, Bidding)
def RewardsStay(self, commit, agent, action):
    """Rewards of the round before still stand in `rewards` while the next is committed; a converter counts twice."""
    self._cumulative_rewards[agent] = 0.0
    self._committed[agent] = action


@broken(Kind.AEC, AEC, ledger_is_wrong, Pennies)
def LastMoversRewardLost(self, resolve):
    """The last one to commit loses the reward: its cumulative reward is set to 0 after the round."""
    agent = self.agent_selection
    resolve()
    self._cumulative_rewards[agent] = 0.0


@broken(Kind.AEC, AEC, ledger_is_wrong, Bidding)
def FinalRewardLost(self, _accumulate_rewards):
    """The rewards of the last round are not accumulated."""
    if not self.out():
        _accumulate_rewards()


@broken(Kind.AEC, AEC, ledger_is_wrong, Pennies)
def CumulativeForever(self, commit, agent, action):
    """Cumulative rewards are never set to 0, so last() tells the total of the game."""
    cumulative = self._cumulative_rewards[agent]
    commit(agent, action)
    self._cumulative_rewards[agent] = cumulative


@broken(Kind.AEC, AEC, ledger_is_wrong, Lowest)
def LastTellsRewards(self, last, observe=True):
    """last() tells the reward of the last step instead of all since the agent's own."""
    observation, _, *others = last(observe)
    return observation, self.rewards[self.agent_selection], *others


@broken(Kind.AEC, AEC, ledger_is_wrong, Lowest)
def RewardOfTheFallenLost(self, resolve):
    """Who is out at the end of a round does not get that round's reward from last()."""
    resolve()
    for agent in self.out():
        if agent in self._cumulative_rewards:
            self._cumulative_rewards[agent] = 0.0


@broken(Kind.AEC, AEC, ledger_is_wrong, Pennies)
def SeatsOfLastSwapped(self, last, observe=True):
    """last() tells player_0 the reward of player_1, and the other way round."""
    observation, _, *others = last(observe)
    for other in set(self.agents) - {self.agent_selection}:
        return observation, self._cumulative_rewards[other], *others
    return last(observe)


def seen_changing_in_mid_round(make):
    """What an agent sees changes because another commits."""
    env = make()
    seen, previous = None, None
    for agent in plays(env):
        if (
            previous == env.agents[0]
            and agent != previous
            and not is_out(env, agent)
            and seen != exact(env.observe(agent))
        ):
            return True
        seen, previous = exact(env.observe(env.agents[-1])), agent
    return False


@broken(Kind.AEC, AEC, seen_changing_in_mid_round)
class StaleObservation(Bidding):
    """Until somebody has committed, the agents that are not asked yet see the round before."""

    def resolve(self):
        self._before = {agent: super(StaleObservation, self).observe(agent) for agent in self.agents}
        super().resolve()

    def observe(self, agent):
        if self._round and not self._committed and agent != self.agent_selection:
            return {name: array.copy() for name, array in self._before[agent].items()}
        return super().observe(agent)


@broken(Kind.AEC, AEC, at_each_step(lambda env: env.infos[env.agent_selection] == env.info(env.agent_selection)))
class StaleInfo(Bidding):
    """Infos are those of the round before: the round in them contradicts what the agent sees."""

    def announce(self):
        kept = getattr(self, "infos", {}) if self._round else {}
        super().announce()
        self.infos = {agent: kept.get(agent, info) for agent, info in self.infos.items()}
        self._next_infos = {agent: self.info(agent) for agent in self.agents}

    def commit(self, agent, action):
        super().commit(agent, action)
        if not self.waiting():
            self.infos = self._next_infos


def flags_of_last(env):
    agent = env.agent_selection
    return env.last()[2:4] == (env.terminations[agent], env.truncations[agent])


@broken(Kind.AEC, AEC, at_each_step(flags_of_last), Lowest)
def LastSwapsFlags(self, last, observe=True):
    """last() returns the truncation in the place of the termination."""
    observation, reward, terminated, truncated, info = last(observe)
    return observation, reward, truncated, terminated, info


@broken(Kind.AEC, AEC, has_no_end, Pennies)
def AgentsNeverRemoved(self, _was_dead_step, action):
    """The step of an agent that is out does not remove it: agent_iter() has no end."""
    self.agent_selection = self.others(self.agent_selection)[0]


def never_told_the_end(make):
    """The agents are gone, and nobody's last() has said that it is out."""
    env = make()
    return sum(is_out(env, agent) for agent in plays(env)) == 0


@broken(Kind.AEC, AEC, never_told_the_end, Bidding)
def AgentsVanish(self, announce):
    """All agents are removed as the game ends, before any of them is told its last reward."""
    announce()
    if self.out():
        self.agents = []


@broken(
    Kind.AEC, AEC, at_each_step(lambda env: exact(env.last()[0]) == exact(env.observe(env.agent_selection))), Lowest
)
def LastSeesOtherwise(self, last, observe=True):
    """last() gives the observation of the first seat to everybody; observe() is right."""
    _, *told = last(observe)
    return self.observe(self.agents[0]) if observe else None, *told


@broken(Kind.AEC, AEC, raises(lambda env: list(plays(env))))
class InfosOfTheFirstOnly(Pennies):
    """`infos` has an entry for the agent that is asked first, and none for the others."""

    def announce(self):
        super().announce()
        self.infos = {agent: info for agent, info in self.infos.items() if agent != "player_1"}

    def _was_dead_step(self, action):
        self.infos.setdefault(self.agent_selection, {})
        super()._was_dead_step(action)


@broken(Kind.AEC, AEC, at_each_step(lambda env: set(env.rewards) == set(env.agents)))
class RewardsOfTheGone(Lowest):
    """`rewards` has an entry for each possible agent, also for those that have been removed."""

    def share(self, winner, agents):
        return super().share(winner, self.possible_agents)

    def _accumulate_rewards(self):
        for agent in self.agents:
            self._cumulative_rewards[agent] += self.rewards[agent]


@broken(Kind.AEC, AEC, at_each_step(lambda env: np.isscalar(env._cumulative_rewards[env.agent_selection])), Bidding)
def CumulativeIsAnArray(self, _accumulate_rewards):
    """Cumulative rewards are arrays, to which later rounds are added in place."""
    for agent, reward in self.rewards.items():
        self._cumulative_rewards[agent] = np.array([self._cumulative_rewards[agent] + reward]).sum(keepdims=True)
