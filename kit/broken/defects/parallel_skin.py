"""Parallel by itself: dicts and agents are wrong, which can be seen without an AEC beside it."""

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.playing import Choices, exact
from broken.witnesses import passes

PARALLEL = Skins.PARALLEL


def plays(env, seed=0, most=40):
    """Plays a game; yields (agents asked, actions, what step() returned)."""
    env.reset(seed=seed)
    choices = Choices(seed)
    for _ in range(most):
        if not env.agents:
            return
        asked = list(env.agents)
        actions = {agent: choices(env, agent, env.observe(agent), {}) for agent in asked}
        yield asked, actions, env.step(dict(actions))


def keys_are_wrong(place):
    """A dict that step() returns has not the agents that were asked as its keys."""

    def witness(make):
        told = [each for seed in range(8) for each in plays(make(), seed)]
        return any(set(result[place]) != set(asked) for asked, _, result in told)

    return witness


def agents_are_wrong(make):
    """Who stays in `agents` is not who was asked and is not out."""
    for seed in range(8):
        env = make()
        for asked, _, (_, _, terminations, truncations, _) in plays(env, seed):
            out = {agent for agent in asked if terminations.get(agent) or truncations.get(agent)}
            if set(env.agents) != set(asked) - out:
                return True
    return False


OBSERVATIONS, REWARDS, TERMINATIONS, TRUNCATIONS, INFOS = map(keys_are_wrong, range(5))


def changed(result, **parts):
    """What step() returned, with some parts changed by functions."""
    names = ("observations", "rewards", "terminations", "truncations", "infos")
    return tuple(parts.get(name, lambda each: each)(each) for name, each in zip(names, result, strict=True))


@broken(Kind.PARALLEL, PARALLEL, REWARDS, Lowest)
def ZerosLeftOut(self, resolve, actions):
    """Rewards of 0 are left out."""
    return changed(resolve(actions), rewards=lambda each: {a: r for a, r in each.items() if r})


@broken(Kind.PARALLEL, PARALLEL, INFOS, Pennies)
def NoInfos(self, resolve, actions):
    """step() returns no infos."""
    return changed(resolve(actions), infos=lambda each: {})


def no_infos_at_reset(make):
    env = make()
    return set(env.reset(seed=0)[1]) != set(env.agents)


@broken(Kind.PARALLEL, PARALLEL, no_infos_at_reset, Bidding)
def NoInfosAtReset(self, reset, seed=None, options=None):
    """reset() returns no infos."""
    return reset(seed, options)[0], {}


@broken(Kind.PARALLEL, PARALLEL, agents_are_wrong, Pennies)
def AllStayAtTheEnd(self, resolve, actions):
    """The agents stay in `agents` when the game has ended."""
    result = resolve(actions)
    self.agents = list(self.possible_agents)
    return result


@broken(Kind.PARALLEL, PARALLEL, agents_are_wrong, Lowest)
def TheFallenStay(self, resolve, actions):
    """Who is out stays in `agents` until the game ends."""
    asked = list(self.agents)
    result = resolve(actions)
    self.agents = asked if self.agents else []
    return result


@broken(Kind.PARALLEL, PARALLEL, REWARDS, Lowest)
def RewardsOfTheGoneToo(self, share, winner, agents):
    """Rewards go on for agents that went out in earlier rounds."""
    return share(winner, self.possible_agents)


@broken(Kind.PARALLEL, PARALLEL, OBSERVATIONS, Lowest)
def TheFallenSeeNothing(self, resolve, actions):
    """Who goes out gets no last observation."""
    result = resolve(actions)
    return changed(result, observations=lambda each: {a: seen for a, seen in each.items() if a in self.agents})


@broken(Kind.PARALLEL, PARALLEL, TRUNCATIONS, Bidding)
def NoTruncations(self, resolve, actions):
    """step() returns an empty dict of truncations, as nothing is ever cut."""
    return changed(resolve(actions), truncations=lambda each: {})


@broken(Kind.PARALLEL, PARALLEL, TERMINATIONS, Bidding)
def AllKey(self, resolve, actions):
    """Terminations have a key `__all__`."""
    return changed(resolve(actions), terminations=lambda each: {**each, "__all__": all(each.values())})


# A step in which the action of a live agent is missing is accepted.
takes_half = passes(lambda env: (env.reset(seed=0), env.step({env.agents[0]: 0})))


@broken(Kind.PARALLEL, PARALLEL, takes_half, Lowest)
def MissingMeansZero(self, step, actions):
    """Whoever hands in no action plays the lowest number."""
    return step({**dict.fromkeys(self.agents, 0), **actions})


def eats_the_dict(make):
    env = make()
    env.reset(seed=0)
    actions = dict.fromkeys(env.agents, 0)
    env.step(actions)
    return not actions


@broken(Kind.PARALLEL, PARALLEL, eats_the_dict, Pennies)
def ActionsArePopped(self, step, actions):
    """The actions are popped from the caller's dict."""
    given = {agent: actions[agent] for agent in self.agents if agent in actions}
    result = step(given)
    actions.clear()
    return result


def sees_the_past(make):
    """What step() returned is not what the agents see after it."""
    for seed in range(3):
        env = make()
        for asked, _, (observations, *_) in plays(env, seed):
            if exact([observations[agent] for agent in asked]) != exact([env.observe(agent) for agent in asked]):
                return True
    return False


@broken(Kind.PARALLEL, PARALLEL, sees_the_past, Bidding)
def ObservedBeforePlayed(self, resolve, actions):
    """step() returns the observations from before the round, which allow cards that are gone."""
    before = {agent: self.observe(agent) for agent in self.agents}
    return changed(resolve(actions), observations=lambda each: before)


@broken(Kind.PARALLEL, PARALLEL, agents_are_wrong, Pennies)
def AgentsLeaveUntold(self, resolve, actions):
    """The agents are gone at the end, but no termination and no truncation says so."""
    return changed(resolve(actions), terminations=lambda each: dict.fromkeys(each, False))


@broken(Kind.PARALLEL, PARALLEL, agents_are_wrong, Bidding)
def OneEndsAlone(self, resolve, actions):
    """Only player_0 is told that the game has ended."""
    return changed(resolve(actions), terminations=lambda each: {**each, "player_1": False})


def four_results(make):
    env = make()
    env.reset(seed=0)
    return len(env.step(dict.fromkeys(env.agents, 0))) != 5


@broken(Kind.PARALLEL, PARALLEL, four_results, Pennies)
def FourResults(self, resolve, actions):
    """step() returns `done` in one dict, as PettingZoo did before 1.23."""
    observations, rewards, terminations, _, infos = resolve(actions)
    return observations, rewards, terminations, infos
