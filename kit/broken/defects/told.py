"""A committed move is told to those who have not committed: observations, infos, masks, rewards, who is asked."""

import numpy as np

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.leaks import flags, informed, leaks, observed, paid

TOLD, AEC, AEC_BESIDE = Kind.TOLD, Skins.AEC, Skins.AEC_BESIDE


@broken(TOLD, AEC, leaks(observed), Bidding)
def HandSeenShrinking(self, observe, agent):
    """The other's hand in the observation lacks the card that was laid."""
    seen = observe(agent)
    for other, card in self._committed.items():
        if other != agent:
            seen["observation"][5 + card] = 0
    return seen


@broken(TOLD, AEC_BESIDE, leaks(observed), Bidding)
def ObservationLastBit(self, observe, agent):
    """The prize in the observation is off by a last bit if the other laid a card above 3."""
    seen = observe(agent)
    if max(self._committed.values(), default=0) > 2:
        seen["observation"][-2] = np.nextafter(seen["observation"][-2], np.float32(9))
    return seen


@broken(TOLD, AEC, leaks(observed), Lowest)
def ObservationSignOfZero(self, observe, agent):
    """The zeros of the observation are -0.0 once somebody has named 1."""
    seen = observe(agent)
    return np.where(seen == 0, np.float32(-0.0), seen) if 0 in self._committed.values() else seen


@broken(TOLD, AEC, leaks(observed), Pennies)
def MemoryWrittenTooEarly(self, seen, agent):
    """The oldest cell of the memory already has the penny that lies face down."""
    numbers = seen(agent)
    for other, side in self._committed.items():
        numbers[3] = numbers[3] if other == agent else side
    return numbers


@broken(TOLD, AEC, leaks(observed), Bidding)
def MaskLacksTheCard(self, mask, agent):
    """The mask is taken by rank for both, so the others cannot play the card that was laid."""
    allowed = mask(agent)
    for card in self._committed.values():
        if allowed.sum() > 1:
            allowed[card] = 0
    return allowed


@broken(TOLD, AEC, leaks(informed), Bidding)
def InfoReady(self, commit, agent, action):
    """The info of who waits has the strength of the bid as `opponent_ready`."""
    commit(agent, action)
    for other in self.others(agent):
        self.infos[other] = {**self.info(other), "opponent_ready": action > 2}


@broken(TOLD, AEC, leaks(informed))
class InfoOrderOfKeys(Pennies):
    """The order of the keys of an info depends on the committed penny; the values do not."""

    def info(self, agent):
        return {"round": self._round, "game": "pennies"}

    def commit(self, agent, action):
        super().commit(agent, action)
        if action:
            self.infos = {each: dict(reversed(info.items())) for each, info in self.infos.items()}


@broken(TOLD, AEC, leaks(informed), Lowest)
def InfoOfTheRace(self, commit, agent, action):
    """The infos tell the lowest number so far."""
    commit(agent, action)
    for info in self.infos.values():
        info["lowest"] = min(self._committed.values())


@broken(TOLD, AEC, leaks(informed), Lowest)
def InfoOfOneNumber(self, commit, agent, action):
    """The info of cy alone says whether ann and bob have collided."""
    commit(agent, action)
    if agent == "bob" and "cy" in self.infos:
        self.infos["cy"]["collision"] = self._committed.get("ann") == action


@broken(TOLD, AEC, leaks(lambda env, others: [type(env.infos[other].get("round")) for other in others]), Bidding)
def InfoTypeOfNumber(self, commit, agent, action):
    """The round in the infos is a numpy integer after an even card, and a Python one otherwise."""
    commit(agent, action)
    for info in self.infos.values():
        info["round"] = int(info["round"]) if action % 2 else np.int64(info["round"])


@broken(TOLD, AEC, leaks(paid), Bidding)
def PaidAtOnce(self, commit, agent, action):
    """The bid is charged to the rewards when it is laid, and given back when the round is played."""
    commit(agent, action)
    self.rewards[agent] = -0.1 * (action + 1)
    for other in self.others(agent):
        self.rewards[other] = 0.1 * (action + 1)


@broken(TOLD, AEC, leaks(paid), Pennies)
def RewardSignOfZero(self, commit, agent, action):
    """The reward of who waits is -0.0 if the other laid tails."""
    commit(agent, action)
    if action:
        self.rewards = dict.fromkeys(self.rewards, -0.0)


@broken(TOLD, AEC, leaks(paid))
class CumulativeOfWhoWaits(Lowest):
    """A point on account is added to the cumulative rewards of the others, and taken away at the end of the round."""

    def commit(self, agent, action):
        super().commit(agent, action)
        for other in self.waiting():
            self._cumulative_rewards[other] += 0.25 * action

    def resolve(self):
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        super().resolve()


@broken(TOLD, AEC, leaks(flags, games=15), Lowest)
def EndForeseen(self, commit, agent, action):
    """In the last round it is said to be cut as soon as somebody names 4."""
    commit(agent, action)
    if self._round == self.rounds - 1 and action == 3:
        self.truncations["cy"] = "cy" in self.agents


@broken(TOLD, AEC, leaks(lambda env, others: env.agent_selection), Lowest)
def NextAskedByMove(self, waiting):
    """After an even number cy is asked before bob."""
    left = waiting()
    return left[::-1] if self._committed.get("ann", 0) % 2 else left


@broken(TOLD, AEC, leaks(lambda env, others: list(env.agents)))
class AgentsSortedByMove(Lowest):
    """The list of agents is sorted by the numbers that have been named."""

    def commit(self, agent, action):
        super().commit(agent, action)
        self.agents.sort(key=lambda each: (each not in self._committed, self._committed.get(each, 0)))
        if action == 0:
            self.agents.append(self.agents.pop(0))

    def resolve(self):
        self.agents.sort()
        super().resolve()


@broken(TOLD, AEC, leaks(lambda env, others: env.last()), Bidding)
def LastTellsMore(self, last, observe=True):
    """last() adds to the info the card that was laid; the dict `infos` has nothing of it."""
    *told, info = last(observe)
    return *told, {**info, "laid": tuple(self._committed.values())}
