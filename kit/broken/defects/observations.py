"""Observations, masks and spaces."""

import numpy as np
from gymnasium import spaces

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.playing import rounds
from broken.witnesses import act, in_space, raises, violates

SPACES, BOTH, AEC, PARALLEL = Kind.SPACES, Skins.BOTH, Skins.AEC, Skins.PARALLEL


def something_allowed(env, agent, view):
    return view.terminated or view.observation["action_mask"].any()


@broken(SPACES, BOTH, violates(in_space), Bidding)
def ScoreTooHigh(self, new_observation_space, agent):
    """The space bounds the score by 9; the prizes sum to 15."""
    space = new_observation_space(agent)
    return spaces.Dict({**space, "observation": spaces.Box(-9, 9, (12,), np.float32)})


@broken(SPACES, BOTH, violates(in_space), Lowest)
def WrongDtype(self, observe, agent):
    """Observations are float64, the space is float32."""
    return observe(agent).astype(np.float64)


@broken(SPACES, AEC, violates(in_space), Lowest)
def ShapeAtTheEnd(self, observe, agent):
    """The last observation of a game lacks the number of rounds."""
    return observe(agent)[: 10 - bool(self.out() | self.cut())]


@broken(SPACES, BOTH, violates(in_space), Bidding)
def WideMask(self, mask, agent):
    """The mask is of int64; the space says int8."""
    return mask(agent).astype(np.int64)


@broken(SPACES, PARALLEL, violates(in_space), Bidding)
def NoMaskAtTheEnd(self, observe, agent):
    """The last observation of a game has no mask."""
    seen = observe(agent)
    return {"observation": seen["observation"]} if self.out() else seen


@broken(SPACES, BOTH, violates(something_allowed), Bidding)
def NothingAllowed(self, observe, agent):
    """While the other holds one card only, the mask of player_1 allows nothing."""
    seen = observe(agent)
    if agent == "player_1" and self._round == 4:
        seen["action_mask"][:] = 0
    return seen


def mask_is_kept(make):
    """Every action that a mask allows is accepted."""
    env = make()
    for seed in range(5):
        try:
            for views in rounds(env, seed):
                for agent, view in views.items():
                    if not view.terminated:
                        for action in np.flatnonzero(view.observation["action_mask"]):
                            env.check(agent, int(action))
        except ValueError:
            return False
    return True


@broken(SPACES, BOTH, lambda make: not mask_is_kept(make))
class MaskOfThePast(Bidding):
    """The mask still allows the card of the round before, which is then refused."""

    def deal(self):
        super().deal()
        self._latest = {}

    def play(self, actions):
        self._latest = dict(actions)
        return super().play(actions)

    def observe(self, agent):
        seen = super().observe(agent)
        if agent in self._latest:
            seen["action_mask"][self._latest[agent]] = 1
        return seen


def other_objects(use):
    def witness(make):
        env = make()
        return use(env) is not use(env)

    return witness


@broken(SPACES, BOTH, other_objects(lambda env: env.action_space("player_0")), Pennies)
def NewActionSpaces(self, action_space, agent):
    """action_space() makes a new space at each call, so seeding it has no effect."""
    return self.new_action_space(agent)


@broken(SPACES, PARALLEL, other_objects(lambda env: env.observation_space("player_0")), Pennies)
def NewObservationSpaces(self, observation_space, agent):
    """observation_space() makes a new space at each call."""
    return self.new_observation_space(agent)


def space_changes(make):
    env = make()
    games = [[repr(env.action_space("ann")) for _ in rounds(env, seed)] for seed in range(8)]
    return len({text for game in games for text in game}) > 1


@broken(SPACES, BOTH, space_changes)
class ActionSpaceOfTheRound(Lowest):
    """In the last round only two numbers are left in the action space."""

    def deal(self):
        super().deal()
        self._action_spaces = {agent: self.new_action_space(agent) for agent in self.players}

    def play(self, actions):
        rewards = super().play(actions)
        if self._round == self.rounds - 1:
            self._action_spaces = {agent: spaces.Discrete(2) for agent in self.players}
        return rewards


@broken(SPACES, BOTH, violates(in_space))
class SpaceOfTheFirst(Lowest):
    """All seats have one space, and the numbers of cy stand in other places, where they exceed it."""

    def new_observation_space(self, agent):
        high = [2, 2, 2, 6, 6, 6, 4, 4, 4, 6]
        return spaces.Box(np.zeros(10, np.float32), np.array(high, np.float32))

    def observe(self, agent):
        shift = 2 * (agent == "cy")
        return np.roll(super().observe(agent), shift)


@broken(SPACES, BOTH, violates(lambda env, agent, view: env.state_space.contains(env.state())), Bidding)
def StateTooHigh(self, state):
    """The state is beyond its space: the prize is counted in tens."""
    return state() * np.where(np.arange(12) == 10, 10.0, 1.0)


@broken(SPACES, BOTH, violates(in_space), Pennies)
def BatchOfOne(self, observe, agent):
    """The observation is a batch of one."""
    return observe(agent)[None]


@broken(SPACES, AEC, violates(in_space))
class NoneAtTheEnd(Lowest):
    """The last observation of who is out is None."""

    def observe(self, agent):
        return None if self.terminations.get(agent) else super().observe(agent)

    def reset(self, seed=None, options=None):
        self.terminations = {}
        super().reset(seed, options)


def use_all_actions(env):
    for action in range(env.action_space("ann").start, env.action_space("ann").start + 4):
        env.reset(seed=0)
        act(env, action)


@broken(SPACES, BOTH, raises(use_all_actions), Lowest, new_action_space=lambda self, agent: spaces.Discrete(4, start=1))
def SpaceStartsAtOne(self, check, agent, action):
    """The space has the numbers 1 to 4, but step() wants 0 to 3."""
    if action not in (0, 1, 2, 3):
        raise ValueError(f"{agent} cannot name {action}")


@broken(SPACES, BOTH, raises(lambda env: env.observation_space("player_0")))
class NoSpaceBeforeReset(Pennies):
    """The spaces are made by reset(); asking for them before raises AttributeError."""

    def prepare(self):
        del self._observation_spaces

    def deal(self):
        super().deal()
        if not hasattr(self, "_observation_spaces"):
            self._observation_spaces = {agent: self.new_observation_space(agent) for agent in self.players}


@broken(SPACES, PARALLEL, violates(lambda env, agent, view: len(view.info.get("action_mask", "12345")) == 5), Bidding)
def MaskInInfoTooShort(self, info, agent):
    """The mask in the infos lacks the last card."""
    return {**info(agent), "action_mask": self.mask(agent)[:4]}


@broken(SPACES, BOTH, violates(lambda env, agent, view: same_masks(view)), Bidding)
def TwoMasks(self, info, agent):
    """The mask in the infos allows all cards, the one in the observation those that are left."""
    return {**info(agent), "action_mask": np.ones(5, np.int8)}


def same_masks(view):
    mask = view.observation["action_mask"]
    return (view.info.get("action_mask", mask) == mask).all()
