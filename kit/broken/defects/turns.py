"""Turns: who is asked, agents that are out, games without end."""

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.defects.parallel_skin import plays as plays_parallel
from broken.playing import is_out, plays
from broken.witnesses import act, ended, passes

TURNS, BOTH, AEC, PARALLEL = Kind.TURNS, Skins.BOTH, Skins.AEC, Skins.PARALLEL


# step() after the end raises no error.
goes_on_after_the_end = passes(lambda env: act(ended(env)))


@broken(TURNS, PARALLEL, goes_on_after_the_end, Pennies)
def StepAfterTheEnd(self, step, actions):
    """step() after the end returns empty dicts instead of an error."""
    return step(actions) if self.agents else ({}, {}, {}, {}, {})


@broken(TURNS, AEC, goes_on_after_the_end, Bidding)
def StepAfterTheEndIsIgnored(self, step, action):
    """step() after the end does nothing, silently."""
    if self.agents:
        step(action)


@broken(TURNS, BOTH, passes(act))
class StartsByItself(Pennies):
    """step() before reset() deals a game by itself."""

    started = False

    def reset(self, seed=None, options=None):
        self.started = True
        return super().reset(seed, options)

    def step(self, action):
        if not self.started:
            self.reset()
        return super().step(action)


def the_dead_may_act(make):
    """An agent that is out can hand in an action."""
    for seed in range(8):
        env = make()
        for agent in plays(env, seed):
            if is_out(env, agent):
                try:
                    env.step(0)
                except ValueError:
                    break
                return True
    return False


@broken(TURNS, AEC, the_dead_may_act, Lowest)
def TheDeadMayAct(self, _was_dead_step, action):
    """An agent that is out may hand in any action; it is taken for None."""
    _was_dead_step(None)


def asked_in_rounds(make):
    """Per round the agents that were asked, and those that were live."""
    for seed in range(8):
        env = make()
        asked, live, number = [], [], 0
        for agent in plays(env, seed):
            if is_out(env, agent):
                continue
            if env._round != number or not asked:
                yield asked, live
                asked, live, number = [], list(env.agents), env._round
            asked.append(agent)


def not_everyone_once(make):
    """Some agent is asked twice in a round, or not at all."""
    return any(sorted(asked) != sorted(live) for asked, live in asked_in_rounds(make))


@broken(TURNS, AEC, not_everyone_once, Lowest, _fresh={"_asked_again": False})
def AskedTwice(self, waiting):
    """ann is asked a second time in the first round; what she said first does not count."""
    waiting = waiting()
    if not waiting and self._round == 0 and not self._asked_again:
        self._asked_again = True
        return ["ann"]
    return waiting


@broken(TURNS, AEC, not_everyone_once)
class SeatPassedOver(Lowest):
    """In the third round cy is not asked, and plays its last number again."""

    def resolve(self):
        if "cy" in self.agents and "cy" not in self._committed:
            self._committed["cy"] = max(self._last["cy"] - 1, 0)
        super().resolve()

    def waiting(self):
        return [agent for agent in super().waiting() if self._round != 2 or agent != "cy"]


@broken(TURNS, AEC, not_everyone_once, Bidding, _fresh={"_asked": -1})
def WinnerAsksAgain(self, waiting):
    """Whoever bid the higher card is asked twice in the next round, and may change the bid."""
    if self._score > 0 and list(self._committed) == ["player_0"] and self._asked != self._round:
        self._asked = self._round
        return ["player_0"]
    return waiting()


def selects_a_stranger(make):
    """The agent that is selected is not among the agents."""
    env = make()
    return any(env.agent_selection not in env.agents for seed in range(8) for _ in around_the_fallen(env, seed))


def around_the_fallen(env, seed):
    """Moments of a game, up to the first in which a removed agent is selected."""
    try:
        yield from plays(env, seed)
    except (KeyError, ValueError):
        yield None


@broken(TURNS, AEC, selects_a_stranger, Lowest)
def TheFallenIsSelected(self, _was_dead_step, action):
    """After bob has gone out and been removed, bob is selected once more."""
    gone = self.agent_selection
    _was_dead_step(action)
    if gone == "bob" and self.agents:
        self.agent_selection = gone


def comes_back(make):
    """An agent that was told that it is out is asked again."""
    for seed in range(12):
        out = set()
        for asked, _, (_, _, terminations, *_) in plays_parallel(make(), seed):
            if out & set(asked):
                return True
            out |= {agent for agent in asked if terminations[agent]}
    return False


@broken(TURNS, PARALLEL, comes_back, Lowest)
def ComesBack(self, resolve, actions):
    """Who went out comes back with one life after a round in which nobody lost one."""
    lives = dict(self._lives)
    result = resolve(actions)
    if self.agents and lives == self._lives:
        self._lives = {agent: max(each, 1) for agent, each in lives.items()}
        self.agents = list(self.possible_agents)
    return result


def starts_with_fewer(make):
    for seed in range(8):
        env = ended(make(), seed)
        env.reset(seed=1)
        if set(env.agents) != set(make.players):
            return True
    return False


@broken(TURNS, BOTH, starts_with_fewer)
class SurvivorsOnly(Lowest):
    """The list of possible agents is the list from which agents are removed, so the next game has fewer."""

    def out(self):
        out = super().out()
        if len(out) < len(self.players):
            self.possible_agents = [agent for agent in self.possible_agents if agent not in out]
        return out

    def observe(self, agent):
        self.possible_agents, kept = list(self.players), self.possible_agents
        seen = super().observe(agent)
        self.possible_agents = kept
        return seen
