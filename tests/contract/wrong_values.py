"""Wrong games: states and games as values, `check`, words, and the rules as arrays."""

import itertools
from dataclasses import dataclass, field, make_dataclass, replace
from types import ModuleType

import numpy as np
from bidding import Bidding, Bids
from lies import MIDDLE, in_the_middle, lies, with_prize, wrong

from cardwar_envs.games.dice_poker import DicePoker
from cardwar_envs.games.dice_wars import DiceWars
from cardwar_envs.games.goofspiel import Goofspiel
from cardwar_envs.games.jujitsu import Jujitsu
from cardwar_envs.games.war import War

# -- states -----------------------------------------------------------------------------------------


class Other(Bidding):
    """The same game on states of another kind."""

    def made(self, state):
        raise NotImplementedError

    def initial(self):
        return [each._replace(state=self.made(each.state)) for each in super().initial()]

    def transitions(self, state, actions):
        return [each._replace(state=self.made(each.state)) for each in super().transitions(state, actions)]

    def state_of(self, observation):
        state, seat = Bidding.state_of(self, observation)
        return self.made(state), seat

    def check(self, state):
        try:
            plain = Bids(state.hands, state.prize)
        except AttributeError:
            raise ValueError(f"state ({state!r}) must have hands and a prize") from None
        super().check(plain)


OpenBids = make_dataclass("OpenBids", ["hands", "prize"], unsafe_hash=True)
BlindBids = make_dataclass("BlindBids", ["hands", ("prize", int, field(compare=False))], frozen=True)
RestlessBids = make_dataclass("RestlessBids", ["hands", "prize"], frozen=True, namespace={"__hash__": object.__hash__})
for kind in (OpenBids, BlindBids, RestlessBids):
    kind.__module__ = __name__  # so that it can be pickled

TURNS = itertools.count()


def eats_actions(self, state, actions):
    found = Bidding.transitions(self, state, actions)
    actions.clear()
    return found


lies(
    "states_are_values",
    {
        "states with lists": {"made": lambda self, state: Bids([*state[0]], state[1])},
        "states that can be changed": {"made": lambda self, state: OpenBids(*state)},
        "states that are equal at another prize": {"made": lambda self, state: BlindBids(*state)},
        "equal states of unequal hashes": {"made": lambda self, state: RestlessBids(*state)},
    },
    base=Other,
)
lies(
    "answers_repeat",
    {
        "transitions in another order each time": in_the_middle(lambda found: found[:: -1 if next(TURNS) % 3 else 1]),
        "transitions eats the actions": {"transitions": eats_actions},
    },
)

# -- games ------------------------------------------------------------------------------------------


@wrong("unlike_games_differ", "a parameter left out of comparison")
@dataclass(frozen=True)
class Uncompared(Bidding):
    bonus: float = field(default=0.0, compare=False)


@wrong("unlike_games_differ", "parameters that cannot be hashed")
@dataclass(frozen=True)
class Unhashable(Bidding):
    prizes: list = field(default_factory=list)


@wrong("game_is_a_frozen_dataclass", "parameters can be set")
class Settable(Bidding):
    def __setattr__(self, name, value):
        self.__dict__[name] = value


@wrong("game_is_a_frozen_dataclass", "a parameter without the decorator")
class Undecorated(Bidding):
    bonus: float = 0.0


@wrong("parameters_make_the_game_again", "a parameter not named")
class Forgetful(Bidding):
    def parameters(self):
        return {}


@wrong("parameters_make_the_game_again", "copies of another size", cards=2)
class Shrinks(Bidding):
    def __setstate__(self, parameters):
        self.__dict__["cards"] = 3


lies(
    "other_sizes_are_the_same_game",
    {
        "the smallest is another game": {"smallest": lambda self: Jujitsu(num_cards=2)},
        "a size of another game": {"with_size": lambda self, size: Jujitsu(num_cards=size)},
        "one card more than asked for": {"with_size": lambda self, size: replace(self, cards=size + 1)},
        "always the same size": {"with_size": lambda self, size: self},
    },
)

# -- check and words --------------------------------------------------------------------------------


def asks_only_hands(self, state):
    if not isinstance(state, Bids) or any(card not in range(self.cards) for hand in state.hands for card in hand):
        raise ValueError(f"state ({state!r}) must be Bids")


def any_prize(self, state):
    if not isinstance(state, Bids) or not isinstance(state.hands, tuple):
        raise ValueError(f"state ({state!r}) must be Bids")
    Bidding.check(self, with_prize(state, 1 if state.hands[0] else 0))


def refuses_one(self, state):
    Bidding.check(self, state)
    if state in MIDDLE:
        raise ValueError("not this one")


lies(
    "check_refuses_junk",
    {
        "check takes everything": {"check": lambda self, state: None},
        "check raises TypeError": {"check": asks_only_hands},
        "check takes any prize": {"check": any_prize},
    },
)
lies("check_takes_states", {"check refuses a state": {"check": refuses_one}})
lies(
    "states_and_actions_have_words",
    {
        "two cards of one name": {
            "describe_action": lambda self, action, player=0: "a card" if action else "the lowest"
        },
        "describe raises": {"describe": lambda self, state: f"the highest is {max(state.hands[0])}"},
        "how_to_play is a method": {"how_to_play": lambda self: "Bid high."},
    },
)

# -- arrays -----------------------------------------------------------------------------------------

CARDS = {"num_cards": 3}
SMALL_WAR = {"base": War, "ranks": 3, "discards": 1, "max_rounds": 3}


def ties_discarded(self):
    rules = Jujitsu.compiled_rules(self)
    *others, carry, margin, word = rules.tables
    return replace(rules, tables=(*others, not carry, margin, word))


def only_one_prize(self):
    rules = Goofspiel.compiled_rules(self)

    def outcomes(tables, rows, actions, after, probabilities, rewards, over):
        rules.bodies.outcomes(tables, rows, actions, after, probabilities, rewards, over)
        probabilities[:, 0], probabilities[:, 1:] = 1.0, 0.0

    bodies = ModuleType("only_one_prize")
    vars(bodies).update(vars(rules.bodies), __name__="only_one_prize", outcomes=outcomes)
    return replace(rules, bodies=bodies)


def loaded_dice(self):
    rules = DiceWars.compiled_rules(self)
    start, win, *others = rules.tables
    return replace(rules, tables=(start, 0.9 * win, *others))


def other_strengths(self, starts, max_positions):
    form = War.rounds_form(self, starts, max_positions)
    return replace(form, strengths=form.strengths[::-1].copy())


def bayesian(**changes):
    def bayesian_form(self):
        form = DicePoker.bayesian_form(self)
        return replace(form, **{name: change(getattr(form, name)) for name, change in changes.items()})

    return {"bayesian_form": bayesian_form}


COMPILED, ROUNDS, BAYESIAN = "compiled_rules_are_the_rules", "rounds_form_is_the_rules", "bayesian_form_is_the_rules"
lies(COMPILED, {"compiled rules discard ties": {"compiled_rules": ties_discarded}}, Jujitsu, **CARDS)
lies(COMPILED, {"compiled rules list one prize": {"compiled_rules": only_one_prize}}, Goofspiel, **CARDS)
lies(COMPILED, {"loaded dice in compiled rules": {"compiled_rules": loaded_dice}}, DiceWars, sides=2, **CARDS)
lies(ROUNDS, {"other cards win in the arrays": {"rounds_form": other_strengths}}, **SMALL_WAR)
lies(
    ROUNDS,
    {"another limit of rounds": {"facts": property(lambda self: replace(War.facts.func(self), max_rounds=2))}},
    **SMALL_WAR,
)
lies(BAYESIAN, {"payoffs twice as high in the arrays": bayesian(payoffs=lambda payoffs: 2 * payoffs)}, DicePoker)
lies(
    BAYESIAN,
    {"loaded dice in the arrays": bayesian(deals=lambda deals: deals + np.eye(len(deals), dtype=int))},
    DicePoker,
    sides=3,
)
