"""What was handed out is shared with the game or with others, and copies share."""

import copy

import numpy as np

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.playing import exact, rounds
from broken.witnesses import copies_differ, copies_disturb, differ, game, play_again, play_on

ALIASES, BOTH, AEC, PARALLEL = Kind.ALIASES, Skins.BOTH, Skins.AEC, Skins.PARALLEL


def changes_later(take, **arguments):
    """What has been handed out changes in the course of the game. `take(env, views)`."""

    def witness(make):
        env = make(**arguments)
        taken = [(take(env, views), exact(take(env, views))) for views in rounds(env, 1)]
        return any(exact(value) != before for value, before in taken)

    return witness


def can_be_written(write, **arguments):
    """Writing into what was handed out changes the game. `write(views, env)`."""

    def writing(make, seed):
        env, said = make(**arguments), []
        for views in rounds(env, seed):
            said.append(exact(views))
            write(views, env)
        return said

    return differ(game, writing)


def observations(env, views):
    return [view.observation for view in views.values()]


def fill(views, env):
    for view in views.values():
        seen = view.observation
        for array in seen.values() if isinstance(seen, dict) else [seen]:
            array[...] = 1


@broken(ALIASES, BOTH, changes_later(observations))
class ReusedBuffer(Lowest):
    """Each agent's observation is one array that is filled anew at each call."""

    def prepare(self):
        self._buffers = {agent: np.zeros(10, np.float32) for agent in self.players}

    def observe(self, agent):
        self._buffers[agent][:] = super().observe(agent)
        return self._buffers[agent]


@broken(ALIASES, BOTH, can_be_written(fill), Bidding)
def MaskIsTheHand(self, mask, agent):
    """The mask is the hand itself: who writes into it gets cards back."""
    return self._hands[agent]


@broken(ALIASES, PARALLEL, changes_later(observations), Pennies, _array=np.zeros(5, np.int64))
def OneArrayForBoth(self, observe, agent):
    """Both seats get the same array, which is filled for one after the other."""
    self._array[:] = observe(agent)
    return self._array


@broken(
    ALIASES,
    BOTH,
    can_be_written(lambda views, env: [view.info.get("lives", {}).update(ann=9) for view in views.values()]),
    Lowest,
)
def InfoIsTheTable(self, info, agent):
    """The infos hold the very dict of lives that the game goes by."""
    return {"lives": self._lives}


@broken(ALIASES, BOTH, changes_later(lambda env, views: env.state()))
class StateIsTheTable(Bidding):
    """state() returns the array in which the game keeps its table, which then changes."""

    def deal(self):
        super().deal()
        self._table = super().state()

    def play(self, actions):
        rewards = super().play(actions)
        self._table[:] = super().state()
        return rewards

    def state(self):
        return self._table


@broken(ALIASES, BOTH, changes_later(lambda env, views: env.render(), render_mode="rgb_array"), Lowest, _frame=None)
def ReusedFrame(self, render):
    """Pictures are drawn on one frame that is handed out each time."""
    frame = render()
    if self.render_mode != "rgb_array":
        return frame
    self._frame = frame if self._frame is None else self._frame
    self._frame[:] = frame
    return self._frame


def one_info_for_all(make):
    env = make()
    return any(
        first.info is second.info
        for views in rounds(env, 0)
        for place, first in enumerate(views.values())
        for second in list(views.values())[place + 1 :]
    )


@broken(ALIASES, BOTH, one_info_for_all)
class OneInfoForAll(Pennies):
    """All agents get the same dict as their info: what a wrapper adds for one, all have."""

    def begin(self, seed, options):
        super().begin(seed, options)
        self._info = {}

    def info(self, agent):
        return self._info


def keeps_the_actions(make):
    """Changing a dict of actions after it was handed in changes what is seen."""
    env = make()
    env.reset(seed=0)
    actions = {"ann": 0, "bob": 1, "cy": 2}
    env.step(actions)
    before = exact(env.observe("ann"))
    actions.update(ann=3, bob=3, cy=3)
    return exact(env.observe("ann")) != before


@broken(ALIASES, PARALLEL, keeps_the_actions)
class ActionsAreKept(Lowest):
    """The caller's dict of actions is kept, and read again when the agents observe."""

    def step(self, actions):
        self._given = actions
        return super().step(actions)

    def observe(self, agent):
        if self._round:
            self._last = {each: int(self._given.get(each, -1)) + 1 for each in self.players}
        return super().observe(agent)


def rewards_change(make):
    env = make()
    env.reset(seed=0)
    kept = [(told[1], exact(told[1])) for told in (env.step(dict(actions)) for actions in STEPS)]
    return any(exact(rewards) != before for rewards, before in kept)


STEPS = ({"player_0": 0, "player_1": 1}, {"player_0": 1, "player_1": 1}, {"player_0": 0, "player_1": 1})


@broken(ALIASES, PARALLEL, rewards_change, Pennies, _fresh={"_paid": {}})
def OneDictOfRewards(self, play, actions):
    """step() returns the same dict of rewards each time, filled anew."""
    self._paid.update(play(actions))
    return self._paid


# -- copies ---------------------------------------------------------------------------------------


@broken(ALIASES, BOTH, copies_disturb(play_again), Bidding)
def CopySharesTheGenerator(self, __deepcopy__, memo):
    """A deep copy shares the generator, so games of the copy change the games to come of the original."""
    memo[id(self._rng)] = self._rng
    other = copy.copy(self)
    vars(other).update({name: copy.deepcopy(value, memo) for name, value in vars(self).items()})
    return other


@broken(ALIASES, BOTH, copies_disturb(play_on), Bidding)
def CopyIsShallow(self, __deepcopy__, memo):
    """A deep copy is a shallow one: both play with the same hands."""
    return copy.copy(self)


TABLE = []


@broken(ALIASES, BOTH, copies_disturb(play_on))
class HandleInTheCopy(Lowest):
    """Lives are kept in a table of the module under a number, and a copy has the same number."""

    @property
    def _lives(self):
        return TABLE[self._number]

    @_lives.setter
    def _lives(self, lives):
        self._number = len(TABLE)
        TABLE.append(lives)


GENERATORS = {}


@broken(ALIASES, BOTH, copies_disturb(play_again))
class GeneratorOfTheClass(Pennies):
    """The generator belongs to the class, so copies draw from it too."""

    @property
    def _rng(self):
        return GENERATORS.setdefault(type(self), np.random.default_rng())

    @_rng.setter
    def _rng(self, rng):
        GENERATORS[type(self)] = rng


@broken(ALIASES, BOTH, copies_differ(play_again))
class CopyForgetsTheSeed(Bidding):
    """A copy gets a new generator without seed: it does not go on as the original."""

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "_rng"}

    def __setstate__(self, state):
        vars(self).update(state, _rng=np.random.default_rng())


def copy_forgets_bids(make):
    """A copy that is made in the middle of a round asks the first seat again."""
    env = make()
    env.reset(seed=0)
    env.step(0)
    return copy.deepcopy(env).agent_selection != env.agent_selection


@broken(ALIASES, AEC, copy_forgets_bids, Bidding)
def CopyForgetsBids(self, __setstate__, state):
    """A copy forgets what has been committed in this round."""
    vars(self).update(state)
    if self.agents and self._committed:
        self._committed, self.agent_selection = {}, self.agents[0]


def copies_share_spaces(make):
    env = make()
    env.reset(seed=0)
    return copy.deepcopy(env).action_space("player_0") is env.action_space("player_0")


@broken(ALIASES, BOTH, copies_share_spaces)
class CopySharesSpaces(Pennies):
    """The action spaces are of the class: what one environment samples changes what the others sample."""

    shared_spaces = {}  # noqa: RUF012

    def action_space(self, agent):
        return self.shared_spaces.setdefault(agent, self.new_action_space(agent))
