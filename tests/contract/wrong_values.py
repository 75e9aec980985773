"""Wrong games: states and games as values, `check`, words, and the rules as arrays."""

import itertools
from dataclasses import dataclass, field, make_dataclass, replace
from types import ModuleType

import numpy as np
from bidding import Bidding, Bids
from lies import MIDDLE, lie, outcomes, with_prize, wrong

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


def of_states(what, made):
    lie("states_are_values", what, base=Other, made=lambda self, state: made(*state))


of_states("states with lists", lambda hands, prize: Bids([*hands], prize))
of_states("states that can be changed", OpenBids)
of_states("states that are equal at another prize", BlindBids)
of_states("equal states of unequal hashes", RestlessBids)

TURNS = itertools.count()
lie(
    "answers_repeat",
    "transitions in another order each time",
    **outcomes(lambda found: found[:: -1 if next(TURNS) % 3 else 1]),
)


def _eats_actions(self, state, actions):
    found = Bidding.transitions(self, state, actions)
    actions.clear()
    return found


lie("answers_repeat", "transitions eats the actions", transitions=_eats_actions)


# -- games ------------------------------------------------------------------------------------------


@wrong("unlike_games_differ", "a parameter left out of comparison")
@dataclass(frozen=True)
class Uncompared(Bidding):
    bonus: float = field(default=0.0, compare=False)


@wrong("unlike_games_differ", "all games are equal")
@dataclass(frozen=True)
class AllEqual(Bidding):
    def __eq__(self, other):
        return isinstance(other, AllEqual)

    def __hash__(self):
        return 1


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


SIZES = "other_sizes_are_the_same_game"
lie(SIZES, "the smallest is another game", smallest=lambda self: Jujitsu(num_cards=2))
lie(SIZES, "a size of another game", with_size=lambda self, size: Jujitsu(num_cards=size))
lie(SIZES, "one card more than asked for", with_size=lambda self, size: replace(self, cards=size + 1))
lie(SIZES, "always the same size", with_size=lambda self, size: self)

# -- check and words --------------------------------------------------------------------------------

lie("check_refuses_junk", "check takes everything", check=lambda self, state: None)


def _asks_only_hands(self, state):
    if not isinstance(state, Bids) or any(card not in range(self.cards) for hand in state.hands for card in hand):
        raise ValueError(f"state ({state!r}) must be Bids")


lie("check_refuses_junk", "check raises TypeError", check=_asks_only_hands)


def _any_prize(self, state):
    if not isinstance(state, Bids) or not isinstance(state.hands, tuple):
        raise ValueError(f"state ({state!r}) must be Bids")
    Bidding.check(self, with_prize(state, 1 if state.hands[0] else 0))


lie("check_refuses_junk", "check takes any prize", check=_any_prize)


def _refuses_one(self, state):
    Bidding.check(self, state)
    if state in MIDDLE:
        raise ValueError("not this one")


lie("check_takes_states", "check refuses a state", check=_refuses_one)
lie(
    "states_and_actions_have_words",
    "two cards of one name",
    describe_action=lambda self, action, player=0: "a card" if action else "the lowest",
)
lie(
    "states_and_actions_have_words",
    "describe raises",
    describe=lambda self, state: f"the highest is {max(state.hands[0])}",
)
lie("states_and_actions_have_words", "how_to_play is a method", how_to_play=lambda self: "Bid high.")

# -- arrays -----------------------------------------------------------------------------------------


def _ties_discarded(self):
    rules = Jujitsu.compiled_rules(self)
    *others, carry, margin, word = rules.tables
    return replace(rules, tables=(*others, not carry, margin, word))


lie(
    "compiled_rules_are_the_rules",
    "compiled rules discard ties",
    base=Jujitsu,
    compiled_rules=_ties_discarded,
    of={"num_cards": 3},
)


def _other_strengths(self, starts, max_positions):
    form = War.rounds_form(self, starts, max_positions)
    return replace(form, strengths=form.strengths[::-1].copy())


def _only_one_prize(self):
    rules = Goofspiel.compiled_rules(self)

    def outcomes(tables, rows, actions, after, probabilities, rewards, over):
        rules.bodies.outcomes(tables, rows, actions, after, probabilities, rewards, over)
        probabilities[:, 0], probabilities[:, 1:] = 1.0, 0.0

    bodies = ModuleType("only_one_prize")
    vars(bodies).update(vars(rules.bodies), __name__="only_one_prize", outcomes=outcomes)
    return replace(rules, bodies=bodies)


lie(
    "compiled_rules_are_the_rules",
    "compiled rules list one prize",
    base=Goofspiel,
    compiled_rules=_only_one_prize,
    of={"num_cards": 3},
)


def _loaded_dice(self):
    rules = DiceWars.compiled_rules(self)
    start, win, *others = rules.tables
    return replace(rules, tables=(start, 0.9 * win, *others))


lie(
    "compiled_rules_are_the_rules",
    "loaded dice in compiled rules",
    base=DiceWars,
    compiled_rules=_loaded_dice,
    of={"num_cards": 3, "sides": 2},
)

SMALL_WAR = {"ranks": 3, "discards": 1, "max_rounds": 3}
lie("rounds_form_is_the_rules", "other cards win in the arrays", base=War, rounds_form=_other_strengths, of=SMALL_WAR)
lie(
    "rounds_form_is_the_rules",
    "another limit of rounds",
    base=War,
    facts=property(lambda self: replace(War.facts.func(self), max_rounds=2)),
    of=SMALL_WAR,
)


def _with(**changes):
    def bayesian_form(self):
        form = DicePoker.bayesian_form(self)
        return replace(form, **{name: change(getattr(form, name)) for name, change in changes.items()})

    return {"bayesian_form": bayesian_form}


lie(
    "bayesian_form_is_the_rules",
    "payoffs twice as high in the arrays",
    base=DicePoker,
    **_with(payoffs=lambda p: 2 * p),
)
lie(
    "bayesian_form_is_the_rules",
    "loaded dice in the arrays",
    base=DicePoker,
    **_with(deals=lambda deals: deals + np.eye(len(deals), dtype=int)),
    of={"sides": 3},
)
