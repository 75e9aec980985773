"""Further broken environments, apart from the frozen set: one defect each, and the check that must catch it."""

import logging
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from gymnasium import spaces

from broken.bases import Bidding, Lowest, Pennies, skinned
from broken.unusual.spaces_of_all_kinds import ContinuousActions, MaskInInfos, Numbers


@dataclass(frozen=True)
class Further:
    """A broken environment, the check that must catch it or note it, and what makes it in each skin."""

    game: type
    check: str
    makers: dict[str, Callable]
    status: str = "failed"


FURTHER: dict[str, Further] = {}


def further(check, *offered, beside=None, status="failed"):
    """Enters a broken environment; `beside` is a game whose AEC stands beside a broken Parallel."""

    def enter(game):
        makers = {skin: skinned(game, skin) for skin in offered or ("aec", "parallel")}
        makers |= {"aec": skinned(beside, "aec")} if beside else {}
        FURTHER[game.__name__] = Further(game, check, makers, status)
        return game

    return enter


# -- what is committed or to come shows -----------------------------------------------------------


@further("commitments_are_kept_inside", "aec", status="note")
class MoveOfTheClass(Pennies):
    """The class keeps what has been committed."""

    def commit(self, agent, action):
        super().commit(agent, action)
        type(self).latest = dict(self._committed)


@further("commitments_are_kept_inside", "aec")
class MoveIsPrinted(Pennies):
    """A move is printed when it is committed."""

    say = staticmethod(print)

    def commit(self, agent, action):
        super().commit(agent, action)
        self.say(f"{agent} shows {action}")


@further("commitments_are_kept_inside", "aec")
class MoveInAWarning(MoveIsPrinted):
    """A move stands in a warning when it is committed."""

    say = staticmethod(warnings.warn)


@further("commitments_are_kept_inside", "aec")
class MoveIsLogged(MoveIsPrinted):
    """A move is logged when it is committed."""

    say = logging.getLogger("pennies").warning


@further("pictures_hide_commitments", "aec")
class MoveOnStderr(Pennies):
    """Drawing prints what has been committed on stderr."""

    def text(self):
        print(self._committed, file=sys.stderr)
        return super().text()


@further("chance_to_come_is_hidden")
class GeneratorInInfos(Bidding):
    """Infos hold the game's generator."""

    def info(self, agent):
        return {"generator": self._rng}


@further("seats_are_asked_in_order", "aec")
class AskedBackwards(Pennies):
    """The last agent is asked first."""

    def announce(self):
        super().announce()
        self.agent_selection = self.agents[0 if self.out() else -1]


# -- seeds, earlier games and copies --------------------------------------------------------------


@further("same_seed_same_episode")
class NumpysSeedsIgnored(Bidding):
    """Seeds that are numpy's integers are ignored."""

    def begin(self, seed, options):
        super().begin(seed if type(seed) is int else None, options)


@further("same_seed_same_episode")
class OneSeedInEight(Bidding):
    """One seed in eight is ignored."""

    def begin(self, seed, options):
        super().begin(None if seed is not None and seed % 8 == 5 else seed, options)


@further("other_seed_other_episode")
class ParityOfTheSeed(Bidding):
    """Of a seed only its parity counts."""

    def begin(self, seed, options):
        super().begin(seed and seed % 2, options)


@further("unseeded_reset_goes_on")
class NewGeneratorEachTime(Bidding):
    """reset() without a seed makes a new generator."""

    def begin(self, seed, options):
        self._rng = np.random.default_rng(seed)
        self.deal()


@further("seeded_reset_starts_anew")
class AbandonedGamesCount(Bidding):
    """After four abandoned games the prizes come in another order."""

    abandoned = 0

    def deal(self):
        super().deal()
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


@further("global_randomness_is_left_alone")
class ConstantSeedOfNumpy(Pennies):
    """Each round seeds numpy's global generator with 5."""

    def play(self, actions):
        np.random.seed(5)
        return super().play(actions)


@further("legal_play_goes_on")
class BreaksInTheSecondGame(Pennies):
    """An environment can play one game only."""

    def deal(self):
        if hasattr(self, "_memory"):
            raise RuntimeError("no pennies left")
        super().deal()


@further("agents_are_a_list_of_their_own", "aec")
class SeatedAsBefore(Bidding):
    """A game begins with the list of agents of the game before."""

    def reset(self, seed=None, options=None):
        kept = self.__dict__.setdefault("_seated", list(self.possible_agents))
        super().reset(seed, options)
        self.agents = kept

    def info(self, agent):
        return {}


@further("agents_are_a_list_of_their_own", "aec")
class OneListOfAgents(Lowest):
    """Agents are removed from the list of possible agents."""

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.agents = self.possible_agents


@further("pickle_goes_on")
class PickleForgetsTheScore(Bidding):
    """In a pickled environment the score is 0."""

    def __getstate__(self):
        return {**vars(self), "_score": 0}


@further("pickle_goes_on", status="note")
class CannotBePickled(Bidding):
    """A function without a name hangs on the environment, which pickle refuses."""

    def deal(self):
        super().deal()
        self._hook = lambda: None


# -- observations, infos and input ----------------------------------------------------------------


@further("infos_are_steady")
class LuckInInfos(Bidding):
    """Infos have a number that no seed determines."""

    def info(self, agent):
        return {"luck": np.random.default_rng().random()}


@further("observations_fit_their_spaces")
class ListForAnArray(Pennies):
    """Observations are lists, where the space has arrays."""

    def observe(self, agent):
        return self.seen(agent)


@further("rendering_changes_nothing")
class BlindUnlessDrawn(Pennies):
    """Observations are zeros unless there is a render mode."""

    def observe(self, agent):
        return super().observe(agent) * (self.render_mode is not None)


@further("input_outside_the_space_is_refused", status="note")
class NumpysTrueIsOne(Pennies):
    """numpy's booleans count as sides."""

    def check(self, agent, action):
        super().check(agent, int(action) if type(action) is np.bool_ else action)


@further("input_outside_the_space_is_refused", "parallel", status="note")
class ActionsAreClipped(ContinuousActions):
    """Numbers beyond the bounds are played as the nearest bound."""

    def check(self, agent, action):
        space = self.action_space(agent)
        super().check(agent, np.clip(action, space.low, space.high) if np.shape(action) == space.shape else action)

    def play(self, actions):
        return super().play({agent: np.clip(action, 0, 1) for agent, action in actions.items()})


@further("input_outside_the_space_is_refused", "parallel")
class BoundsAreIgnored(ContinuousActions):
    """Numbers beyond the bounds are played as they are."""

    def check(self, agent, action):
        if np.shape(action) != self.action_space(agent).shape or not np.isfinite(action).all():
            super().check(agent, action)


@further("refusals_change_nothing", status="note")
class RefusedActionIsPublic(Pennies):
    """A public attribute keeps the last action, also if it is refused."""

    def check(self, agent, action):
        self.tried = action
        super().check(agent, action)


@further("observations_fit_their_spaces", status="note")
class WiderIntegers(Pennies):
    """Observations are of int32, where the space has int64 and contains them."""

    def observe(self, agent):
        return super().observe(agent).astype(np.int32)


@further("equal_actions_play_alike", status="note")
class IntegersOfTheAction(Pennies):
    """Observations have the integers of the last action."""

    kind = np.dtype(np.int64)

    def play(self, actions):
        self.kind = np.asarray(actions["player_0"]).dtype
        return super().play(actions)

    def observe(self, agent):
        return super().observe(agent).astype(self.kind)


@further("equal_actions_play_alike")
class NumpysIntegersRefused(Pennies):
    """Only Python's integers are accepted."""

    def check(self, agent, action):
        super().check(agent, action)
        if type(action) is not int:
            raise ValueError("a side is an int")


@further("the_callers_actions_are_left_alone", "aec")
class ActionIsBorrowed(ContinuousActions):
    """The caller's array is kept until all have committed."""

    def commit(self, agent, action):
        super(Numbers, self).commit(agent, action)  # without the copy


@further("order_of_actions_does_not_matter", "parallel")
class FallenVote(Lowest):
    """Each action of an agent that is out is a point for the first player."""

    def step(self, actions):
        self._points["ann"] += sum(agent not in self.agents for agent in actions)
        return super().step(actions)


# -- rewards and ends -----------------------------------------------------------------------------


@further("zero_sum_holds")
class InfinitiesCancel(Bidding):
    """Rewards are infinities that cancel out."""

    def play(self, actions):
        paid = super().play(actions)
        return {agent: reward and float(np.copysign(np.inf, reward)) for agent, reward in paid.items()}


@further("nobody_is_paid_after_the_end", "parallel")
class FallenArePaid(Lowest):
    """Who is out gets half a point in each later round."""

    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, dict.fromkeys(set(self.possible_agents) - set(actions), 0.5) | rewards, *rest


@further("nobody_is_paid_after_the_end", "parallel")
class ShareOfNothing(ContinuousActions):
    """Rewards are shares of the sum of all actions, which are NaN if all are 0."""

    def play(self, actions):
        super().play(actions)
        total = np.float64(sum(float(action[0]) for action in actions.values()))
        return {agent: float(np.float64(action[0]) / total) for agent, action in actions.items()}


@further("ends_are_final", "parallel")
class FlagsAreNumbers(Lowest):
    """Terminations are 0 and 1 instead of False and True."""

    def resolve(self, actions):
        observations, rewards, terminations, *rest = super().resolve(actions)
        return observations, rewards, {agent: int(out) for agent, out in terminations.items()}, *rest


@further("skins_are_one_game", "parallel", beside=Pennies)
class LateAtTheEnd(Pennies):
    """Parallel's last observations are from before the last round."""

    def step(self, actions):
        before = {agent: self.observe(agent) for agent in self.agents}
        observations, *rest = super().step(actions)
        return observations if self.agents else before, *rest


@further("limit_of_rounds_is_kept")
class LimitIgnored(Pennies):
    """The limit of rounds is taken and ignored."""

    def __init__(self, max_rounds=12, **parameters):
        super().__init__(**parameters)
        self.max_rounds = max_rounds


class BiddingWithRules(Bidding):
    """Its rules are known, and all prizes are worth the same. So all cards win as often, whatever is played."""

    game = SimpleNamespace(
        facts=SimpleNamespace(zero_sum=True, max_length=5), initial=lambda: [(1.0, None)], parameters=dict
    )

    def payment(self, own, other):
        return float(int(own > other) - int(own < other))


@further("equilibrium_earns_its_value")
class HouseEdge(BiddingWithRules):
    """A tenth of a point for every trick goes from player_1 to player_0."""

    def payment(self, own, other):
        return super().payment(own, other) + 0.1


@further("rewards_are_counted_once", "aec")
class RewardsStayAndCount(Bidding):
    """The rewards of a round are paid again while the next is committed."""

    def commit(self, agent, action):
        self._cumulative_rewards[agent] = 0.0
        self._committed[agent] = action
        if self.waiting():
            self._accumulate_rewards()


@further("seeded_reset_starts_anew", "parallel")
class RefusalReversesTheDeck(Bidding):
    """After an illegal action all later games deal the prizes backwards."""

    refused = False

    def check(self, agent, action):
        self.refused |= not self.mask(agent)[action]
        super().check(agent, action)

    def deal(self):
        super().deal()
        self._deck = self._deck[::-1] if self.refused else self._deck


@further("masks_allow_what_is_legal", "aec")
class BadlyMaskedInInfos(MaskInInfos):
    """Masks in infos are int64."""

    def info(self, agent):
        return {"action_mask": self.mask(agent).astype(np.int64)}


@further("legal_play_goes_on")
class ResetRaises(Pennies):
    """No game can be reset."""

    def begin(self, seed, options):
        raise RuntimeError("no deck")


@further("legal_play_goes_on")
class UnseededResetRaises(Pennies):
    """A reset needs a seed."""

    def begin(self, seed, options):
        super().begin(seed + 1, options)


@further("legal_play_goes_on")
class ObservationWithALock(Pennies):
    """Observations contain an object that cannot be copied."""

    def new_observation_space(self, agent):
        return spaces.Dict({"lock": spaces.Discrete(2)})

    def observe(self, agent):
        return {"lock": threading.Lock()}
