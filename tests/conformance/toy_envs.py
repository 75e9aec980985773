"""A good toy environment, and toys with one defect each, by the check that must catch it.

Undercut: three players hold cards 1, 2, 3 and play one each at once, for a prize that is drawn and shown
before. Who plays the lowest card pays the prize, which the others share; two pay half of it each. Who plays it
alone is out. The game ends when one is left or all rounds are played. It knows nothing of cardwar_envs:
anyone's environment could look so.
"""

import copy
import logging
import re
import sys
import warnings

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import aec_to_parallel

from cardwar_envs.conformance import Subject
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.session import Session

CARDS = 3


class Table:
    """What both kinds share: the rules, the generator, and what is shown."""

    def __init__(self, max_rounds=3, render_mode=None):
        modes = ["ansi", "rgb_array"]
        self.metadata = {"name": "undercut_v0", "render_modes": modes, "is_parallelizable": True, "zero_sum": True}
        self.render_mode = render_mode
        self.max_rounds = max_rounds
        self.possible_agents = [f"player_{seat}" for seat in range(3)]
        self.agents = []
        self.rng = None
        self._spaces = {}
        self.held = {agent: np.ones(CARDS, dtype=np.int8) for agent in self.possible_agents}

    def observation_space(self, agent):
        return self._spaces.setdefault(("observation", agent), self.new_observation_space(agent))

    def new_observation_space(self, agent):
        return spaces.Dict(
            {
                "observation": spaces.Box(0.0, 3.0, (5,), dtype=np.float32),
                "action_mask": spaces.Box(0, 1, (CARDS,), dtype=np.int8),
            }
        )

    def action_space(self, agent):
        return self._spaces.setdefault(("action", agent), spaces.Discrete(CARDS))

    def generator(self, seed):
        return self.rng if seed is None and self.rng is not None else np.random.default_rng(seed)

    def deal(self, seed):
        self.rng = self.generator(seed)
        for cards in self.held.values():
            cards[:] = 1
        self.live, self.round = list(self.possible_agents), 0
        self.prize = self.draw()

    def draw(self):
        return int(self.rng.integers(1, 4))

    def mask(self, agent):
        return self.held[agent].copy() if agent in self.live else np.zeros(CARDS, dtype=np.int8)

    def observe(self, agent):
        shown = [*(float(each in self.live) for each in self.possible_agents), self.prize, self.round]
        return {"observation": np.array(shown, dtype=np.float32), "action_mask": self.mask(agent)}

    def state(self):
        return np.concatenate([*self.held.values(), [self.prize]])

    def info(self, agent):
        return {"action_mask": self.mask(agent)}

    def checked(self, agent, action):
        if not self.action_space(agent).contains(action) or not self.held[agent][action]:
            raise ValueError(f"{agent} does not hold card {action}")
        return int(action)

    def payments(self, lowest, others):
        pays, gets = self.prize / len(lowest), self.prize / max(1, len(others))
        return {agent: -pays if agent in lowest else gets for agent in self.live}

    def play(self, actions):
        """Plays a joint action; returns what each is paid, nothing if all play the same."""
        agents = self.live
        for agent, action in actions.items():
            self.held[agent][action] = 0
        lowest = [agent for agent in agents if actions[agent] == min(actions.values())]
        others = [agent for agent in agents if agent not in lowest]
        paid = self.payments(lowest, others) if others else dict.fromkeys(agents, 0.0)
        if len(lowest) == 1:
            self.live = others
        self.round += 1
        if self.last_round():
            self.live = []
        else:
            self.prize = self.draw()
        return paid

    def last_round(self):
        return len(self.live) < 2 or self.round == self.max_rounds

    def text(self):
        return f"round {self.round}, prize {self.prize}, cards {[mask.tolist() for mask in self.held.values()]}"

    def pixels(self):
        return np.full((2, 2, 3), self.prize, dtype=np.uint8)

    def render(self):
        return {"ansi": self.text, "rgb_array": self.pixels}.get(self.render_mode, lambda: None)()

    def close(self):
        pass


class AEC(Table, AECEnv):
    def reset(self, seed=None, options=None):
        self.deal(seed)
        self.agents = list(self.live)
        self._pending = {}
        self.rewards, self._cumulative_rewards = (dict.fromkeys(self.agents, 0.0) for _ in range(2))
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self.announce()

    def order(self):
        return self.live

    def announce(self):
        self.terminations = {agent: agent not in self.live for agent in self.agents}
        self.infos = {agent: self.info(agent) for agent in self.agents}
        if self.live:
            self.agent_selection = self.order()[0]
        self._deads_step_first()

    def step(self, action):
        if not self.agents:
            raise ValueError("call reset() first")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._pending[agent] = self.checked(agent, action)
        self.clear()
        self._cumulative_rewards[agent] = 0.0
        if len(self._pending) < len(self.live):
            self.agent_selection = self.order()[len(self._pending)]
            return
        actions, self._pending = self._pending, {}
        self.rewards.update(self.play(actions))
        self._accumulate_rewards()
        self.announce()

    def clear(self):
        self._clear_rewards()


class Parallel(Table, ParallelEnv):
    def reset(self, seed=None, options=None):
        self.deal(seed)
        self.agents = list(self.live)
        return self.views(self.agents)

    def views(self, agents):
        return {agent: self.observe(agent) for agent in agents}, {agent: self.info(agent) for agent in agents}

    def step(self, actions):
        agents = self.agents
        if not agents:
            raise ValueError("call reset() first")
        rewards = self.play({agent: self.checked(agent, actions[agent]) for agent in agents})
        self.agents = list(self.live)
        observations, infos = self.views(agents)
        return observations, rewards, self.ends(agents), dict.fromkeys(agents, False), infos

    def ends(self, agents):
        return {agent: agent not in self.live for agent in agents}


# Enough to find what is wrong with a toy. No test hangs on how fast the machine is.
GAMES = 8
GOOD = Subject("good toy", AEC, Parallel, games=2 * GAMES)
# Name of the toy -> (the check that must catch it, the toy).
BROKEN = {}


def broken(check, name, games=GAMES, **methods):
    """Adds a toy: the good one with these methods, in each kind that has a method of that name."""
    kinds = []
    for kind in (AEC, Parallel):
        title = re.sub(r"\W", "", name.title()) + kind.__name__
        own = {key: method for key, method in methods.items() if hasattr(kind, key) or key.startswith("__")}
        globals()[title] = type(title, (kind,), {**own, "__module__": __name__})  # so that it can be pickled
        kinds.append(globals()[title])
    BROKEN[name] = (check, Subject(name, *kinds, games=games))


# -- what is committed shows ------------------------------------------------------------------


def pending(self):
    return getattr(self, "_pending", {})


def shows_commitments(self, agent):
    seen = Table.observe(self, agent)
    seen["observation"][4] = sum(pending(self).values())
    return seen


def narrows_the_mask(self, agent):
    mask = Table.mask(self, agent)
    if mask.sum() > 1 and 2 in pending(self).values():
        mask[2] = 0
    return mask


def draws_at_once(self, agent, action):
    if action == 2:
        self.rng.random()
    return Table.checked(self, agent, action)


def draws_commitments(self):
    pixels = Table.pixels(self)
    pixels[0, 0, : len(pending(self))] = [10 + action for action in pending(self).values()]
    return pixels


HIDDEN, INSIDE = "commitments_are_hidden", "commitments_are_kept_inside"
broken(HIDDEN, "observations show commitments", observe=shows_commitments)
broken(HIDDEN, "masks show commitments", mask=narrows_the_mask)
broken(INSIDE, "state() shows commitments", state=lambda self: np.array(list(pending(self).values())))
broken(
    "pictures_hide_commitments", "render() shows commitments", text=lambda self: f"{Table.text(self)} {pending(self)}"
)
broken("commitments_touch_nothing", "commitments use the generator", checked=draws_at_once)
broken("pictures_hide_commitments", "pixels show commitments", pixels=draws_commitments)
broken("seats_are_asked_in_order", "seats asked backwards", order=lambda self: self.live[::-1])


# -- masks ------------------------------------------------------------------------------------


def all_cards(self, agent):
    return np.ones(CARDS, dtype=np.int8) if agent in self.live else Table.mask(self, agent)


def nothing_at_last(self, agent):
    return Table.mask(self, agent) * np.int8(self.round < 2)


def lowest_instead(self, agent, action):
    return action if self.held[agent][action] else int(np.flatnonzero(self.held[agent])[0])


HONEST = "masks_allow_what_is_legal"
broken(HONEST, "masks of bool", mask=lambda self, agent: Table.mask(self, agent).astype(bool))
broken(HONEST, "masks allow cards that are gone", mask=all_cards)
broken(HONEST, "masks of nothing in the last round", mask=nothing_at_last)
broken("illegal_actions_are_refused", "illegal cards are replaced", checked=lowest_instead)


# -- observations -----------------------------------------------------------------------------


def last_round_is_four(self, agent):
    seen = Table.observe(self, agent)
    seen["observation"][4] *= 1 + (self.round == 3)
    return seen


def doubles(self, agent):
    return {**Table.observe(self, agent), "observation": Table.observe(self, agent)["observation"].astype(np.float64)}


def same_buffer(self, agent):
    buffers = self.__dict__.setdefault("buffers", {each: np.zeros(5, np.float32) for each in self.possible_agents})
    buffers[agent][:] = Table.observe(self, agent)["observation"]
    return {**Table.observe(self, agent), "observation": buffers[agent]}


def own_mask(self, agent):
    return self.held[agent] if agent in self.live else Table.mask(self, agent)


def endless_space(self, agent):
    parts = Table.new_observation_space(self, agent).spaces
    return spaces.Dict({**parts, "observation": spaces.Box(-np.inf, np.inf, (5,), dtype=np.float32)})


def endless_prize(self, agent):
    seen = Table.observe(self, agent)
    seen["observation"][3] = np.inf
    return seen


FIT = "observations_fit_their_spaces"
broken(FIT, "infinite observations in an unbounded space", observe=endless_prize, new_observation_space=endless_space)
broken(FIT, "observations out of bounds at the end", observe=last_round_is_four)
broken(FIT, "observations of float64", observe=doubles)
broken("arrays_are_fresh", "one buffer for all observations", observe=same_buffer)
broken("arrays_are_fresh", "hands out its own masks", mask=own_mask)


def blind_without_a_watcher(self, agent):
    seen = Table.observe(self, agent)
    seen["observation"] *= self.render_mode is not None
    return seen


broken("rendering_changes_nothing", "blind unless rendered", observe=blind_without_a_watcher)


# -- two kinds, one game ------------------------------------------------------------------------

broken("skins_are_one_game", "rewards of AEC not cleared", clear=lambda self: None)


# -- seeds --------------------------------------------------------------------------------------


def draws_unseeded_later(self):
    return Table.draw(self) if self.round == 0 else 1 + 2 * np.random.default_rng().random()


def keeps_the_prize(self, seed):
    before = getattr(self, "prize", 0) if getattr(self, "round", 0) in (1, 2) else 0  # of a game left unfinished
    Table.deal(self, seed)
    self.prize = before or self.prize


def first_seed_again(self, seed):
    self.first = seed if seed is not None else getattr(self, "first", None)
    return np.random.default_rng(self.first)


broken("same_seed_same_episode", "second prize drawn unseeded", draw=draws_unseeded_later)
broken("other_seed_other_episode", "seed ignored", generator=lambda self, seed: self.rng or np.random.default_rng(0))
broken("seeded_reset_starts_anew", "prize outlasts the reset", deal=keeps_the_prize)
broken("unseeded_reset_goes_on", "reset reseeds", generator=lambda self, seed: np.random.default_rng(seed))
broken("unseeded_reset_goes_on", "reset starts the seed again", generator=first_seed_again)


# -- copies -------------------------------------------------------------------------------------


def shares_cards(self, memo):
    memo[id(self.held)] = self.held
    twin = type(self).__new__(type(self))
    twin.__dict__.update(copy.deepcopy(vars(self), memo))
    return twin


def with_a_lambda(self, seed):
    Table.deal(self, seed)
    self.hook = lambda: None


def for_all_tables(self, seed):
    Table.shared = Table.generator(self, seed)
    return Table.shared


def seeds_numpy(self, seed):
    np.random.seed(seed)
    return Table.generator(self, seed)


broken("deepcopy_goes_on", "copies share the cards", __deepcopy__=shares_cards)
broken("pickle_goes_on", "cannot be pickled", deal=with_a_lambda)
broken(
    "environments_do_not_meet",
    "one generator for all tables",
    generator=for_all_tables,
    draw=lambda self: int(Table.shared.integers(1, 4)),
)
broken("global_randomness_is_left_alone", "seeds numpy.random", generator=seeds_numpy)


# -- ends ---------------------------------------------------------------------------------------


class Lazarus(Parallel):
    """Who is out sits down again in the last round."""

    def step(self, actions):
        observations, rewards, terminations, truncations, infos = super().step(actions)
        if self.agents and self.round == 2:
            self.live = self.agents = list(self.possible_agents)
            observations, infos = self.views(self.agents)
        return observations, rewards, terminations, truncations, infos


class PaysTheDead(Parallel):
    """Who is out has its share of what is paid later."""

    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        for agent in set(self.possible_agents) - set(actions):
            loser = min(rewards, key=rewards.get)
            rewards[agent], rewards[loser] = 0.5, rewards[loser] - 0.5
        return observations, rewards, *rest


def never_says_out(self, agents):
    return dict.fromkeys(agents, not self.live)


def ends_when_empty(self):
    return len(self.live) < 2 or self.round == CARDS


def everyone_wins_the_prize(self, lowest, others):
    return {agent: -self.prize if agent in lowest else self.prize for agent in self.live}


def pays_nan(self, lowest, others):
    return dict.fromkeys(self.live, float("nan"))


def pays_without_end(self, lowest, others):
    return {agent: -np.inf if agent in lowest else np.inf for agent in self.live}


broken("ends_are_final", "out without being told", ends=never_says_out)
BROKEN["back from the dead"] = ("ends_are_final", Subject("back from the dead", None, Lazarus))
BROKEN["pays who is out"] = ("nobody_is_paid_after_the_end", Subject("pays who is out", None, PaysTheDead))
broken("limit_of_rounds_is_kept", "max_rounds ignored", last_round=ends_when_empty)
broken("zero_sum_holds", "prize paid to everyone", payments=everyone_wins_the_prize)
broken("zero_sum_holds", "pays NaN", payments=pays_nan)
broken("zero_sum_holds", "pays infinities that cancel out", payments=pays_without_end)


# -- what is declared, calls and input ------------------------------------------------------------


def breaks_in_the_last_round(self):
    if self.round == 2:
        raise RuntimeError("no prizes left")
    return Table.draw(self)


def without(key):
    def begin(self, **parameters):
        Table.__init__(self, **parameters)
        del self.metadata[key]

    return begin


def clips(self, agent, action):
    return Table.checked(self, agent, min(action, 2) if isinstance(action, int) else action)


def draws_before_it_refuses(self, agent, action):
    self.rng.random()
    return Table.checked(self, agent, action)


def python_only(self, agent, action):
    if type(action) is not int:
        raise ValueError("a card is an int")
    return Table.checked(self, agent, action)


class Sleeps(Parallel):
    """After the end step() returns nothing."""

    def step(self, actions):
        return super().step(actions) if self.agents else ({}, {}, {}, {}, {})


class First(Parallel):
    """The prize is higher if another than the first agent is named first."""

    def step(self, actions):
        self.prize += self.agents[:1] != list(actions)[:1]
        return super().step(actions)


class Eats(Parallel):
    """The actions are taken out of the caller's dict."""

    def step(self, actions):
        return super().step({agent: actions.pop(agent) for agent in list(actions)})


class Stubborn(Parallel):
    """reset() takes no options."""

    def reset(self, seed=None):
        return super().reset(seed)


def only(check, kind):
    """Adds a toy that comes in one kind."""
    name = kind.__doc__.strip().rstrip(".")
    skin = "aec" if issubclass(kind, AECEnv) else "parallel"
    BROKEN[name] = (check, Subject(name, **{skin: kind}, games=GAMES))


broken("legal_play_goes_on", "breaks in the last round", draw=breaks_in_the_last_round)
broken("metadata_say_what_is_offered", "has no name", __init__=without("name"))
broken("render_modes_are_kept", "draws a list of lines", text=lambda self: [Table.text(self)])
broken("every_situation_can_be_drawn", "cannot draw the end", text=lambda self: Table.text(self)[: 9 // len(self.live)])
broken("closing_does_no_harm", "closes once only", close=lambda self: self.metadata.pop("name") and None)
broken("is_parallelizable_is_declared", "says nothing of Parallel", __init__=without("is_parallelizable"))
broken("input_outside_the_space_is_refused", "high cards are clipped", checked=clips)
broken("refusals_change_nothing", "a refusal draws", checked=draws_before_it_refuses)
broken("equal_actions_play_alike", "Python's integers only", checked=python_only)
only("order_of_actions_does_not_matter", First)
only("calls_at_the_wrong_time_are_refused", Sleeps)
only("the_callers_actions_are_left_alone", Eats)
only("options_do_no_harm", Stubborn)
broken("results_name_the_agents", "a key for all", ends=lambda self, agents: {**Parallel.ends(self, agents), "all": 0})


# -- books, infos, spaces and chance --------------------------------------------------------------


class SwapsFlags(AEC):
    """last() swaps the flags."""

    def last(self, observe=True):
        observation, reward, termination, truncation, info = super().last(observe)
        return observation, reward, truncation, termination, info


class AddsTwice(AEC):
    """Rewards are added up twice."""

    def _accumulate_rewards(self):
        super()._accumulate_rewards()
        super()._accumulate_rewards()


class Late(AEC):
    """Until somebody commits, agents see the round before."""

    def observe(self, agent):
        old = self.__dict__.setdefault("_old", {})
        if pending(self) or self.round == 0 or agent not in old:
            old[agent] = super().observe(agent)
        return copy.deepcopy(old[agent])


class LateInfos(AEC):
    """Infos have the mask of the round before."""

    def announce(self):
        super().announce()
        old, self._old = getattr(self, "_old", {}) if self.round else {}, copy.deepcopy(self.infos)
        self.infos |= {agent: info for agent, info in old.items() if agent in self.agents}


def keeps_on_the_class(self):
    self._clear_rewards()
    type(self).latest = dict(self._pending)


def complains(self):
    print(pending(self), file=sys.stderr)
    return Table.text(self)


def names_the_card_to_beat(self, agent, action):
    try:
        return Table.checked(self, agent, action)
    except ValueError as error:
        raise ValueError(f"{error}; on the table: {list(pending(self).values())}") from None


def deals_another_after_games_that_were_left(self, seed):
    self._left = getattr(self, "_left", 0) + (getattr(self, "live", []) != [])
    Table.deal(self, seed)
    self.prize = 1 + self.prize % 3 if self._left > 3 else self.prize


def deals_a_deck(self, seed):
    self.rng = self.generator(seed)
    self._deck = [int(prize) for prize in self.rng.integers(1, 4, 4)]
    Table.deal(self, None)


def tells_the_next_prize(self, agent):
    return {**Table.info(self, agent), "next": self._deck[min(self.round + 1, 3)]}


def doubles_after_twenty_games(self, seed):
    self._games = getattr(self, "_games", 0) + 1
    Table.deal(self, seed)
    self.prize += self._games > 20


def seeds_spaces_alike(self, seed):
    Table.deal(self, seed)
    for agent in self.possible_agents:
        self.action_space(agent).seed(seed)


def lends_its_generator(self, seed):
    Table.deal(self, seed)
    for agent in self.possible_agents:
        self.action_space(agent)._np_random = self.rng


only("last_tells_what_is_so", SwapsFlags)
only("rewards_are_counted_once", AddsTwice)
only("observations_are_of_now", Late)
only("infos_are_of_now", LateInfos)
broken("commitments_are_kept_inside", "the class shows commitments", clear=keeps_on_the_class)
broken("commitments_are_kept_inside", "errors show commitments", checked=names_the_card_to_beat)
broken("pictures_hide_commitments", "render() prints commitments on stderr", text=complains)
broken(
    "input_outside_the_space_is_refused",
    "numpy's booleans are cards",
    checked=lambda self, agent, action: Table.checked(self, agent, int(action) if type(action) is np.bool_ else action),
)
broken(
    "same_seed_same_episode",
    "seeds of numpy are ignored",
    deal=lambda self, seed: Table.deal(self, seed if type(seed) is int else None),
)
broken("other_seed_other_episode", "odd or even seed", deal=lambda self, seed: Table.deal(self, seed and seed % 2))
broken("seeded_reset_starts_anew", "games that are left count", deal=deals_another_after_games_that_were_left)
broken(
    "global_randomness_is_left_alone",
    "seeds numpy.random with 5",
    draw=lambda self: np.random.seed(5) or Table.draw(self),
)
broken("infos_are_steady", "luck in infos", info=lambda self, agent: {"luck": np.random.default_rng().random()})
broken(
    "hash_seed_does_not_matter",
    "prize from a hash",
    draw=lambda self: 1 + hash(f"{Table.draw(self)} in {self.round}") % 3,
)
broken("earlier_games_do_not_matter", "more to win after twenty games", deal=doubles_after_twenty_games)
broken("looking_changes_nothing", "state() draws", state=lambda self: self.rng.random(3))
broken("sampling_leaves_the_game_alone", "spaces draw from the game", deal=lends_its_generator)
broken("containers_are_not_shared", "one info for all", info=lambda self, agent: self.__dict__.setdefault("_info", {}))
broken("spaces_stay_the_same", "new spaces each time", observation_space=Table.new_observation_space)
broken("spaces_of_seats_are_seeded_apart", "spaces of one seed", deal=seeds_spaces_alike)
broken(
    "chance_to_come_is_hidden",
    "infos name the next prize",
    games=64,  # to learn to guess takes many
    deal=deals_a_deck,
    draw=lambda self: self._deck[self.round],
    info=tells_the_next_prize,
)


# -- the truth ------------------------------------------------------------------------------------


class HouseEdge(Session):
    """A tenth of a point for every trick goes from player_1 to player_0."""

    def resolve(self, actions, rng):
        return tuple(np.add(super().resolve(actions, rng), (0.1, -0.1)))


class HouseEdgeAEC(AECGameEnv):
    def __init__(self, **parameters):
        super().__init__("dinosaur_war", num_cards=3, **parameters)
        self._session.__class__ = HouseEdge


class HouseEdgeParallel(ParallelGameEnv):
    def __init__(self, **parameters):
        super().__init__("dinosaur_war", num_cards=3, **parameters)
        self._session.__class__ = HouseEdge


BROKEN["pays a house edge"] = (
    "equilibrium_earns_its_value",
    Subject("pays a house edge", HouseEdgeAEC, HouseEdgeParallel),
)


# -- what others wrote, and toys did not have ------------------------------------------------------


def unseeded_in_one_game_of_eight(self, seed):
    Table.deal(self, seed)
    if seed is not None and seed % 8 == 5:
        self.prize = 1 + int(np.random.default_rng().integers(1000)) / 1000


def breaks_in_a_second_game(self, seed):
    Table.deal(self, seed)
    self._second = getattr(self, "_second", -1) + 1
    self.prize //= self._second < 1


class GhostVotes(Parallel):
    """Cards of agents that are out count."""

    def step(self, actions):
        self.prize += sum(agent not in self.agents for agent in actions)
        return super().step(actions)


class LateEnd(Parallel):
    """Parallel shows at the end what was shown before."""

    def step(self, actions):
        before = {agent: self.observe(agent) for agent in self.agents}
        _, *results = super().step(actions)
        return {agent: self.observe(agent) if agent in self.agents else before[agent] for agent in before}, *results


def lists(self, agent):
    seen = Table.observe(self, agent)
    return {**seen, "observation": seen["observation"].tolist()}


def says_it(say):
    return lambda self: say(pending(self)) or self._clear_rewards()


BROKEN["Parallel shows at the end what was shown before"] = (
    "skins_are_one_game",
    Subject("late end", AEC, LateEnd, games=GAMES),
)
only("order_of_actions_does_not_matter", GhostVotes)
broken("same_seed_same_episode", "unseeded in one game of eight", deal=unseeded_in_one_game_of_eight)
broken("legal_play_goes_on", "breaks in a second game", deal=breaks_in_a_second_game)
broken(INSIDE, "prints commitments", clear=says_it(print))
broken(INSIDE, "warns of commitments", clear=says_it(lambda moves: warnings.warn(str(moves), stacklevel=2)))
broken(INSIDE, "logs commitments", clear=says_it(lambda moves: logging.getLogger("undercut").warning(moves)))
broken("chance_to_come_is_hidden", "infos hold the generator", info=lambda self, agent: {"rng": self.rng})
broken(FIT, "lists for arrays", observe=lists)
broken(
    "ends_are_final",
    "flags are numbers",
    ends=lambda self, agents: {agent: int(agent not in self.live) for agent in agents},
)


# -- causes, which must be named before what follows from them -----------------------------------------


class OneList(AEC):
    """Who is out is taken out of the list of possible agents."""

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.agents = self.possible_agents


class LastList(AEC):
    """A game begins with the list of agents of the game before."""

    def reset(self, seed=None, options=None):
        kept = self.__dict__.setdefault("_seated", list(self.possible_agents))
        super().reset(seed, options)
        self.agents = kept
        self.announce()


def remembers_all_games(self, memory=[], **parameters):  # noqa: B006  # which is the defect
    Table.__init__(self, **parameters)
    self._memory = memory


def draws_another_after_some_games(self):
    self._memory.append(self.round)
    return 1 + (Table.draw(self) + (len(self._memory) > 30)) % 3


only("agents_are_a_list_of_their_own", OneList)
only("agents_are_a_list_of_their_own", LastList)
broken(
    "environments_leave_nothing_behind",
    "a memory as a default argument",
    __init__=remembers_all_games,
    draw=draws_another_after_some_games,
)


# -- actions of several numbers ------------------------------------------------------------------------


class Shares:
    """What both kinds share: all hand in two weights from 0 to 1, and share a point by them, or lose it."""

    def __init__(self, render_mode=None):
        self.metadata = {"name": "shares_v0", "render_modes": [], "is_parallelizable": True}
        self.render_mode = render_mode
        self.possible_agents, self.agents = ["ann", "bob"], []
        views, actions = spaces.Box(0.0, 8.0, (1,), np.float32), spaces.Box(0.0, 1.0, (2,), np.float32)
        self._spaces = {agent: (copy.deepcopy(views), copy.deepcopy(actions)) for agent in self.possible_agents}

    def observation_space(self, agent):
        return self._spaces[agent][0]

    def action_space(self, agent):
        return self._spaces[agent][1]

    def observe(self, agent):
        return np.array([self.round], np.float32)

    def state(self):
        return np.array([self.round], np.float32)

    def checked(self, agent, action):
        if not isinstance(action, np.ndarray) or not self.action_space(agent).contains(action):
            raise ValueError(f"{agent} plays {action!r}, not two weights from 0 to 1")
        return action.astype(float)

    def play(self, actions):
        self.round += 1
        return self.rewarded({agent: action.sum() for agent, action in actions.items()})

    def rewarded(self, weights):
        total = sum(weights.values()) or 1.0
        return {agent: float(weight / total) for agent, weight in weights.items()}

    def render(self):
        return None

    def close(self):
        pass


class SharesAEC(Shares, AECEnv):
    def reset(self, seed=None, options=None):
        self.agents, self.round, self._pending = list(self.possible_agents), 0, {}
        self.rewards, self._cumulative_rewards = (dict.fromkeys(self.agents, 0.0) for _ in range(2))
        self.terminations, self.truncations = (dict.fromkeys(self.agents, False) for _ in range(2))
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection, self._skip_agent_selection = self.agents[0], None

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._pending[agent] = self.checked(agent, action)
        self._clear_rewards()
        self._cumulative_rewards[agent] = 0.0
        self.agent_selection = self.agents[len(self._pending) % 2]
        if len(self._pending) == 2:
            actions, self._pending = self._pending, {}
            self.rewards = self.play(actions)
            self._accumulate_rewards()
            self.terminations = dict.fromkeys(self.agents, self.round == 3)


class SharesParallel(Shares, ParallelEnv):
    def reset(self, seed=None, options=None):
        self.agents, self.round = list(self.possible_agents), 0
        return {agent: self.observe(agent) for agent in self.agents}, {agent: {} for agent in self.agents}

    def step(self, actions):
        agents = self.agents
        if not agents:
            raise ValueError("call reset() first")
        rewards = self.play({agent: self.checked(agent, actions[agent]) for agent in agents})
        self.agents = [] if self.round == 3 else agents
        over, cut = dict.fromkeys(agents, self.round == 3), dict.fromkeys(agents, False)
        return {agent: self.observe(agent) for agent in agents}, rewards, over, cut, {agent: {} for agent in agents}


class SharesOfNothing(SharesParallel):
    """If all weights are 0, a share of nothing is NaN."""

    def rewarded(self, weights):
        return {agent: float(weight / np.float64(sum(weights.values()))) for agent, weight in weights.items()}


class Borrows(SharesAEC):
    """An agent's array is kept until all have committed."""

    def checked(self, agent, action):
        super().checked(agent, action)
        return action


only("nobody_is_paid_after_the_end", SharesOfNothing)
only("the_callers_actions_are_left_alone", Borrows)


class TwoObjectives:
    """Rewards have two entries: the share, and the rounds."""

    def rewarded(self, weights):
        return {agent: np.array([share, 1.0]) for agent, share in super().rewarded(weights).items()}


class TwoObjectivesAEC(TwoObjectives, SharesAEC):
    pass


class TwoObjectivesParallel(TwoObjectives, SharesParallel):
    pass


class Uncleared(AEC):
    """Its rewards stand until the next ones come, which only the environment beneath the converter shows."""

    def clear(self):
        pass


def converted(**parameters):
    return aec_to_parallel(Uncleared(**parameters))
