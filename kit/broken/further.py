"""Further broken environments, apart from the frozen set: one defect each, and the check that must catch it."""

import logging
import sys
import threading
import time
import warnings

import numpy as np
from gymnasium import spaces

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Skins, further
from broken.unusual.spaces_of_all_kinds import ContinuousActions, MaskInInfos, Numbers

AEC, PARALLEL, BESIDE = Skins.AEC, Skins.PARALLEL, Skins.PARALLEL_BESIDE


# -- what is committed or to come shows -----------------------------------------------------------


@further("commitments_are_kept_inside", AEC, status="note", base=Pennies)
def MoveOfTheClass(self, commit, agent, action):
    """The class keeps what has been committed."""
    commit(agent, action)
    type(self).latest = dict(self._committed)


@further("commitments_are_kept_inside", AEC, base=Pennies, say=staticmethod(print))
def MoveIsPrinted(self, commit, agent, action):
    """A move is printed when it is committed."""
    commit(agent, action)
    self.say(f"{agent} shows {action}")


@further("commitments_are_kept_inside", AEC)
class MoveInAWarning(MoveIsPrinted):
    """A move stands in a warning when it is committed."""

    say = staticmethod(warnings.warn)


@further("commitments_are_kept_inside", AEC)
class MoveIsLogged(MoveIsPrinted):
    """A move is logged when it is committed."""

    say = logging.getLogger("pennies").warning


@further("pictures_hide_commitments", AEC, base=Pennies)
def MoveOnStderr(self, text):
    """Drawing prints what has been committed on stderr."""
    print(self._committed, file=sys.stderr)
    return text()


@further("chance_to_come_is_hidden", base=Bidding)
def GeneratorInInfos(self, info, agent):
    """Infos hold the game's generator."""
    return {"generator": self._rng}


@further("seats_are_asked_in_order", AEC, base=Pennies)
def AskedBackwards(self, announce):
    """The last agent is asked first."""
    announce()
    self.agent_selection = self.agents[0 if self.out() else -1]


# -- seeds, earlier games and copies --------------------------------------------------------------


@further("same_seed_same_episode", base=Bidding)
def NumpysSeedsIgnored(self, begin, seed, options):
    """Seeds that are numpy's integers are ignored."""
    begin(seed if type(seed) is int else None, options)


@further("same_seed_same_episode", base=Bidding)
def OneSeedInEight(self, begin, seed, options):
    """One seed in eight is ignored."""
    begin(None if seed is not None and seed % 8 == 5 else seed, options)


@further("other_seed_other_episode", base=Bidding)
def ParityOfTheSeed(self, begin, seed, options):
    """Of a seed only its parity counts."""
    begin(seed and seed % 2, options)


@further("unseeded_reset_goes_on", base=Bidding)
def NewGeneratorEachTime(self, begin, seed, options):
    """reset() without a seed makes a new generator."""
    self._rng = np.random.default_rng(seed)
    self.deal()


@further("seeded_reset_starts_anew", base=Bidding, abandoned=0)
def AbandonedGamesCount(self, deal):
    """After four abandoned games the prizes come in another order."""
    deal()
    self.abandoned += bool(self.agents)
    self._deck = self._deck[::-1] if self.abandoned > 3 else self._deck


@further("environments_leave_nothing_behind")
class MemoryAsADefaultArgument(Bidding):
    """A default argument counts the rounds of all environments; after thirty the prizes come in another order."""

    def __init__(self, memory=[], **parameters):  # noqa: B006  # which is the defect
        super().__init__(**parameters)
        self._memory = memory

    def deal(self):
        super().deal()
        self._deck = self._deck[::-1] if len(self._memory) > 30 else self._deck

    def play(self, actions):
        self._memory.append(self._round)
        return super().play(actions)


@further("global_randomness_is_left_alone", base=Pennies)
def ConstantSeedOfNumpy(self, play, actions):
    """Each round seeds numpy's global generator with 5."""
    np.random.seed(5)
    return play(actions)


@further("legal_play_goes_on", base=Pennies)
def BreaksInTheSecondGame(self, deal):
    """An environment can play one game only."""
    if hasattr(self, "_memory"):
        raise RuntimeError("no pennies left")
    deal()


@further("agents_are_a_list_of_their_own", AEC)
class SeatedAsBefore(Bidding):
    """A game begins with the list of agents of the game before."""

    def reset(self, seed=None, options=None):
        kept = self.__dict__.setdefault("_seated", list(self.possible_agents))
        super().reset(seed, options)
        self.agents = kept

    def info(self, agent):
        return {}


@further("agents_are_a_list_of_their_own", AEC, base=Lowest)
def OneListOfAgents(self, reset, seed=None, options=None):
    """Agents are removed from the list of possible agents."""
    reset(seed, options)
    self.agents = self.possible_agents


@further("pickle_goes_on", base=Bidding)
def PickleForgetsTheScore(self, __getstate__):
    """In a pickled environment the score is 0."""
    return {**vars(self), "_score": 0}


@further("pickle_goes_on", status="note", base=Bidding)
def CannotBePickled(self, deal):
    """A function without a name hangs on the environment, which pickle refuses."""
    deal()
    self._hook = lambda: None


# -- observations, infos and input ----------------------------------------------------------------


@further("infos_are_steady", base=Bidding)
def LuckInInfos(self, info, agent):
    """Infos have a number that no seed determines."""
    return {"luck": np.random.default_rng().random()}


@further("observations_fit_their_spaces", base=Pennies)
def ListForAnArray(self, observe, agent):
    """Observations are lists, where the space has arrays."""
    return self.seen(agent)


@further("rendering_changes_nothing", base=Pennies)
def BlindUnlessDrawn(self, observe, agent):
    """Observations are zeros unless there is a render mode."""
    return observe(agent) * (self.render_mode is not None)


@further("input_outside_the_space_is_refused", status="note", base=Pennies)
def NumpysTrueIsOne(self, check, agent, action):
    """numpy's booleans count as sides."""
    check(agent, int(action) if type(action) is np.bool_ else action)


@further("input_outside_the_space_is_refused", PARALLEL, status="note")
class ActionsAreClipped(ContinuousActions):
    """Numbers beyond the bounds are played as the nearest bound."""

    def check(self, agent, action):
        space = self.action_space(agent)
        super().check(agent, np.clip(action, space.low, space.high) if np.shape(action) == space.shape else action)

    def play(self, actions):
        return super().play({agent: np.clip(action, 0, 1) for agent, action in actions.items()})


@further("input_outside_the_space_is_refused", PARALLEL, base=ContinuousActions)
def BoundsAreIgnored(self, check, agent, action):
    """Numbers beyond the bounds are played as they are."""
    if np.shape(action) != self.action_space(agent).shape or not np.isfinite(action).all():
        check(agent, action)


@further("refusals_change_nothing", status="note", base=Pennies)
def RefusedActionIsPublic(self, check, agent, action):
    """A public attribute keeps the last action, also if it is refused."""
    self.tried = action
    check(agent, action)


@further("observations_fit_their_spaces", status="note", base=Pennies)
def WiderIntegers(self, observe, agent):
    """Observations are of int32, where the space has int64 and contains them."""
    return observe(agent).astype(np.int32)


@further("equal_actions_play_alike", status="note")
class IntegersOfTheAction(Pennies):
    """Observations have the integers of the last action."""

    kind = np.dtype(np.int64)

    def play(self, actions):
        self.kind = np.asarray(actions["player_0"]).dtype
        return super().play(actions)

    def observe(self, agent):
        return super().observe(agent).astype(self.kind)


@further("equal_actions_play_alike", base=Pennies)
def NumpysIntegersRefused(self, check, agent, action):
    """Only Python's integers are accepted."""
    check(agent, action)
    if type(action) is not int:
        raise ValueError("a side is an int")


@further("the_callers_actions_are_left_alone", AEC)
class ActionIsBorrowed(ContinuousActions):
    """The caller's array is kept until all have committed."""

    def commit(self, agent, action):
        super(Numbers, self).commit(agent, action)  # without the copy


@further("order_of_actions_does_not_matter", PARALLEL, base=Lowest)
def FallenVote(self, step, actions):
    """Each action of an agent that is out is a point for the first player."""
    self._points["ann"] += sum(agent not in self.agents for agent in actions)
    return step(actions)


# -- rewards and ends -----------------------------------------------------------------------------


@further("zero_sum_holds", base=Bidding)
def InfinitiesCancel(self, play, actions):
    """Rewards are infinities that cancel out."""
    paid = play(actions)
    return {agent: reward and float(np.copysign(np.inf, reward)) for agent, reward in paid.items()}


@further("nobody_is_paid_after_the_end", PARALLEL, base=Lowest)
def FallenArePaid(self, step, actions):
    """Who is out gets half a point in each later round."""
    observations, rewards, *rest = step(actions)
    return observations, dict.fromkeys(set(self.possible_agents) - set(actions), 0.5) | rewards, *rest


@further("nobody_is_paid_after_the_end", PARALLEL, base=ContinuousActions)
def ShareOfNothing(self, play, actions):
    """Rewards are shares of the sum of all actions, which are NaN if all are 0."""
    play(actions)
    total = np.float64(sum(float(action[0]) for action in actions.values()))
    return {agent: float(np.float64(action[0]) / total) for agent, action in actions.items()}


@further("ends_are_final", PARALLEL, base=Lowest)
def FlagsAreNumbers(self, resolve, actions):
    """Terminations are 0 and 1 instead of False and True."""
    observations, rewards, terminations, *rest = resolve(actions)
    return observations, rewards, {agent: int(out) for agent, out in terminations.items()}, *rest


@further("skins_are_one_game", BESIDE, base=Pennies)
def LateAtTheEnd(self, step, actions):
    """Parallel's last observations are from before the last round."""
    before = {agent: self.observe(agent) for agent in self.agents}
    observations, *rest = step(actions)
    return observations if self.agents else before, *rest


@further("limit_of_rounds_is_kept")
class LimitIgnored(Pennies):
    """The limit of rounds is taken and ignored."""

    def __init__(self, max_rounds=12, **parameters):
        super().__init__(**parameters)
        self.max_rounds = max_rounds


@further("rewards_are_counted_once", AEC, base=Bidding)
def RewardsStayAndCount(self, commit, agent, action):
    """The rewards of a round are paid again while the next is committed."""
    self._cumulative_rewards[agent] = 0.0
    self._committed[agent] = action
    if self.waiting():
        self._accumulate_rewards()


@further("seeded_reset_starts_anew", PARALLEL)
class RefusalReversesTheDeck(Bidding):
    """After an illegal action all later games deal the prizes backwards."""

    refused = False

    def check(self, agent, action):
        self.refused |= not self.mask(agent)[action]
        super().check(agent, action)

    def deal(self):
        super().deal()
        self._deck = self._deck[::-1] if self.refused else self._deck


@further("masks_allow_what_is_legal", AEC, base=MaskInInfos)
def BadlyMaskedInInfos(self, info, agent):
    """Masks in infos are int64."""
    return {"action_mask": self.mask(agent).astype(np.int64)}


@further("legal_play_goes_on", base=Pennies)
def ResetRaises(self, begin, seed, options):
    """No game can be reset."""
    raise RuntimeError("no deck")


@further("legal_play_goes_on", base=Pennies)
def UnseededResetRaises(self, begin, seed, options):
    """A reset needs a seed."""
    begin(seed + 1, options)


@further(
    "legal_play_goes_on",
    base=Pennies,
    new_observation_space=lambda self, agent: spaces.Dict({"lock": spaces.Discrete(2)}),
)
def ObservationWithALock(self, observe, agent):
    """Observations contain an object that cannot be copied."""
    return {"lock": threading.Lock()}


@further("rare_situations_are_no_exception")
class AllTwice(Lowest):
    """When all have named 3 twice in a row, observations are not in the space."""

    lives, highest = 9, 9

    def deal(self):
        super().deal()
        self._row = dict.fromkeys(self.players, 0)

    def play(self, actions):
        self._row = {agent: (self._row[agent] + 1) * (actions.get(agent) == 2) for agent in self.players}
        return super().play(actions)

    def observe(self, agent):
        return super().observe(agent) + np.float32(9) * (min(self._row.values()) >= 2)


@further("observations_are_informative", status="note", base=Bidding)
def ViewOfTheFirst(self, observe, agent):
    """All see what player_0 sees, but for their masks."""
    return {**observe("player_0"), "action_mask": self.mask(agent)}


@further("infos_are_of_now")
class LateForOne(Bidding):
    """player_1 sees the prize of the round before."""

    def observe(self, agent):
        seen = super().observe(agent)
        if agent == "player_1" and self._round:
            seen["observation"][-2] = self._deck[self._round - 1]
        return seen


@further("options_do_no_harm", base=Lowest, start=2)
def LivesAreKept(self, begin, seed, options):
    """The option that sets the lives of one game holds for all later ones."""
    begin(seed, options)
    self.start = min((options or {}).get("lives", self.start), 2)
    self._lives = dict.fromkeys(self.players, self.start)


@further("environments_do_not_meet", base=Pennies, dice=np.random.default_rng(5))
def DiceOfTheClass(self, play, actions):
    """A generator of the class is drawn from, to no effect."""
    self.dice.random()
    return play(actions)


@further("same_seed_same_episode", base=Pennies)
def LongThoughtEnds(self, out):
    """A game that takes more than an hour ends."""
    self._began = min(getattr(self, "_began", time.time()), time.time())
    return set(self.players) if time.time() - self._began > 3600 else out()


@further("ends_are_final", status="note", base=Lowest, lives=99, highest=99)
def LimitTerminates(self, out):
    """The limit of rounds terminates the game."""
    return set(self.players) if self._round == self.rounds else set()
