"""Games with one lie each, by the check that must find it.

A class that overrides a rule loses the claims about it, so the lie stays alone.
"""

import itertools
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from bidding import HALF, Bidding, Bids

from cardwar_envs import Game, Transition
from cardwar_envs.core.game import CERTAIN, ActionImage, Canonical
from cardwar_envs.games.dice_poker import DicePoker
from cardwar_envs.games.dice_wars import DiceWars
from cardwar_envs.games.dinosaur_war import DinosaurWar
from cardwar_envs.games.jujitsu import Jujitsu
from cardwar_envs.games.war import War

WRONG = {}  # what is wrong -> (the check that finds it, the game)
START = Bids(((0, 1, 2), (0, 1, 2)), 2)
MIDDLE = (Bids(((0, 1), (1, 2)), 2), Bids(((1, 2), (0, 1)), 2))


def wrong(check, what, base=Bidding, game=None, **parameters):
    """Registers a lie: a class, or the methods and parameters that make one of `base`."""

    def register(kind):
        WRONG[what] = (check, kind(**parameters))
        return kind

    if game is None:
        return register
    title = "".join(word.capitalize() for word in what.replace("-", " ").split())
    # Under its name in this module, so that it can be pickled.
    kind = globals()[title] = type(title, (base,), {**game, "__module__": __name__}, keeps_claims=base is not Bidding)
    return register(kind)


def says(check, what, base=Bidding, **facts):
    """A game whose facts are others."""
    told = property(lambda self: replace(base().facts, **facts))
    wrong(check, what, base, {"facts": told, **{claim: vars(base)[claim] for claim in CLAIMED if claim in vars(base)}})


CLAIMED = ("canonical", "settled", "state_of")


def outcomes(change):
    """Transitions that are changed in one state."""

    def transitions(self, state, actions):
        found = Bidding.transitions(self, state, actions)
        return change(found) if state in MIDDLE else found

    return {"transitions": transitions}


# -- probabilities ----------------------------------------------------------------------------------

wrong(
    "probabilities_are_exact",
    "floats for probabilities",
    game=outcomes(lambda found: [each._replace(probability=float(each.probability)) for each in found]),
)
wrong(
    "probabilities_are_exact",
    "an outcome left out",
    game=outcomes(lambda found: [each for each in found if each.state.prize == 1]),
)
wrong(
    "probabilities_are_exact",
    "an outcome of probability 0",
    game=outcomes(lambda found: [*found, found[0]._replace(probability=Fraction(0))]),
)
wrong(
    "probabilities_are_exact",
    "starts that sum to three quarters",
    game={
        "initial": lambda self: [
            Transition(p, replace_prize(START, i), (0.0, 0.0)) for p, i in ((HALF, 1), (HALF / 2, 2))
        ]
    },
)


def _pays_at_once(self):
    first, second = Bidding.initial(self)
    return [first._replace(rewards=(1.0, -1.0)), second]


wrong("starts_begin_a_game", "a start that pays", game={"initial": _pays_at_once})
wrong(
    "starts_begin_a_game",
    "a start that is the end",
    game={
        "initial": lambda self: (
            [each._replace(probability=each.probability / 2) for each in Bidding.initial(self)]
            + [Transition(HALF, Bids(((), ()), 0), (0.0, 0.0))]
        )
    },
)


def replace_prize(state, prize):
    return state._replace(prize=prize)


# -- facts ------------------------------------------------------------------------------------------

says("players_are_seats", "fewer players than act", num_players=1)
says("legal_actions_are_in_order", "fewer actions than are legal", num_actions=2)
says("games_end_in_time", "max length too short", max_length=2)
says("payoffs_keep_their_bounds", "max payoff too low", max_payoff=5.0, min_payoff=-5.0)
says("facts_are_well_formed", "another name than the class", name="auction")
says("facts_are_well_formed", "another version than the class", version=3)
says("facts_are_well_formed", "more rounds than moves", max_rounds=50)
says("facts_are_well_formed", "a bound that is not finite", max_payoff=float("inf"))
wrong(
    "zero_sum_holds",
    "nobody pays what is won",
    game=outcomes(lambda found: [each._replace(rewards=(2.0, 2.0)) for each in found]),
)
wrong(
    "seats_are_alike",
    "ties go to player 0",
    game={"winners": lambda self, first, second: [(1 if first >= second else -1, CERTAIN)]},
)


def _prize_unseen(self, state, player):
    seen = Bidding.observation(self, state, player)
    seen[-1] = min(seen[-1], 1)
    return seen


wrong(
    "observations_tell_states_apart",
    "the prize cannot be seen",
    game={"observation": _prize_unseen, "state_of": Bidding.state_of},
)

# -- who acts, what is legal ------------------------------------------------------------------------

wrong(
    "players_are_seats",
    "players in descending order",
    game={"acting_players": lambda self, state: (1, 0) if state.prize else ()},
)
wrong(
    "players_are_seats",
    "a player acts who is out",
    game={"live_players": lambda self, state: (0,) if state in MIDDLE else Game.live_players(self, state)},
)
wrong(
    "legal_actions_are_in_order",
    "descending actions",
    game={"legal_actions": lambda self, state, player: state.hands[player][::-1]},
)
wrong(
    "legal_actions_are_in_order",
    "an action twice",
    game={"legal_actions": lambda self, state, player: state.hands[player][:1] + state.hands[player]},
)
wrong(
    "legal_actions_are_in_order",
    "no legal action",
    game={"legal_actions": lambda self, state, player: () if state in MIDDLE else state.hands[player]},
)
wrong(
    "masks_are_legal_actions",
    "masks allow everything",
    game={"action_mask": lambda self, state, player: np.ones(self.cards, dtype=np.int8)},
)
wrong(
    "masks_are_legal_actions",
    "masks of bool",
    game={"action_mask": lambda self, state, player: Game.action_mask(self, state, player).astype(bool)},
)
wrong(
    "opponent_masks_fit",
    "opponent masks are the own ones",
    game={"opponent_masks": lambda self, observations: (observations[:, : self.cards] > 0).astype(np.int8)},
)


def _fails_once(self, state, actions):
    return [][0] if state in MIDDLE else Bidding.transitions(self, state, actions)


wrong("rules_answer", "a legal action raises", game={"transitions": _fails_once})

# -- payments and length ----------------------------------------------------------------------------

wrong(
    "payments_are_numbers",
    "a payment of nan",
    game=outcomes(lambda found: [each._replace(rewards=(float("nan"),) * 2) for each in found]),
)
wrong(
    "payments_are_numbers",
    "three payments",
    game=outcomes(lambda found: [each._replace(rewards=(*each.rewards, 0.0)) for each in found]),
)
wrong(
    "games_end_in_time",
    "back to the start",
    game=outcomes(lambda found: [each._replace(state=START) for each in found]),
)
wrong(
    "settled_is_what_play_pays",
    "settled for one point",
    game={"settled": lambda self, state: (1.0, -1.0) if Bidding.settled(self, state) == (2.0, -2.0) else None},
)

# -- observations -----------------------------------------------------------------------------------

wrong(
    "observations_fit_their_bounds",
    "a prize out of bounds",
    game={
        "facts": property(lambda self: replace(Bidding().facts, observation_high=(1.0,) * 7)),
        **{claim: vars(Bidding)[claim] for claim in CLAIMED},
    },
)


def sees(change):
    return {
        "observation": lambda self, state, player: change(Bidding.observation(self, state, player)),
        "state_of": Bidding.state_of,
    }


wrong("observations_fit_their_bounds", "observations of float64", game=sees(lambda seen: seen.astype(np.float64)))
wrong(
    "observations_fit_their_bounds",
    "an entry too many",
    game=sees(lambda seen: np.append(seen, np.float32(0)))
    | {"state_of": lambda self, seen: Bidding.state_of(self, seen[:-1])},
)
BUFFER = np.zeros(7, dtype=np.float32)


def _into_the_buffer(seen):
    BUFFER[:] = seen
    return BUFFER


wrong("arrays_are_fresh", "one buffer for all observations", game=sees(_into_the_buffer))


def _reads_low_prizes(self, observation):
    state, seat = Bidding.state_of(self, observation)
    return replace_prize(state, min(1, state.prize)), seat


wrong("state_of_reads_observations", "the prize is not read", game={"state_of": _reads_low_prizes})
wrong(
    "state_of_reads_observations",
    "seat 1 is named",
    game={
        "state_of": lambda self, seen: (Bidding.state_of(self, seen)[0], 1),
        "opponent_masks": lambda self, seen: (seen[:, self.cards : 2 * self.cards] > 0).astype(np.int8),
    },
)

# -- representatives --------------------------------------------------------------------------------

wrong(
    "canonical_keeps_what_follows",
    "the prize does not count",
    game={
        "settled": Game.settled,
        "canonical": lambda self, state: Canonical(replace_prize(state, min(state.prize, 1)), (0, 1)),
    },
)
wrong(
    "canonical_is_its_own",
    "seats swapped again",
    game={
        "settled": Game.settled,
        "canonical": lambda self, state: Canonical(Bids(state.hands[::-1], state.prize), (1, 0)),
    },
)


def crosswise(self, state, player):
    hand = state.hands[player]
    return tuple(ActionImage(card, image, CERTAIN) for card, image in zip(hand, hand[::-1], strict=True))


wrong("canonical_keeps_what_follows", "actions crosswise", game={"canonical_actions": crosswise})
wrong(
    "action_images_fit",
    "actions without image",
    game={"canonical_actions": lambda self, state, player: Game.canonical_actions(self, state, player)[:1]},
)

LINED = {"hand_0": (1, 2, 6), "hand_1": (3, 4, 5)}
wrong(
    "action_images_fit",
    "shares that sum to a half",
    DinosaurWar,
    {
        "canonical_actions": lambda self, state, player: tuple(
            each._replace(share=each.share / 2) for each in DinosaurWar.canonical_actions(self, state, player)
        )
    },
    **LINED,
)
wrong("action_counts_fit", "one way to play two cards", DinosaurWar, {"action_counts": Game.action_counts}, **LINED)
wrong(
    "action_counts_fit",
    "no way to play a card",
    game={"action_counts": lambda self, observations, masks: np.arange(self.cards) * masks.astype(float)},
)

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


@wrong("states_are_values", "states with lists")
class Lists(Other):
    def made(self, state):
        return Bids([*state.hands], state.prize)


@dataclass(unsafe_hash=True)
class OpenBids:
    hands: tuple
    prize: int


@wrong("states_are_values", "states that can be changed")
class Open(Other):
    def made(self, state):
        return OpenBids(*state)


@dataclass(frozen=True)
class BlindBids:
    hands: tuple
    prize: int = field(compare=False)


@wrong("states_are_values", "states that are equal at another prize")
class Blind(Other):
    def made(self, state):
        return BlindBids(*state)


@dataclass(frozen=True)
class RestlessBids:
    hands: tuple
    prize: int

    def __hash__(self):
        return id(self)


@wrong("states_are_values", "equal states of unequal hashes")
class Restless(Other):
    def made(self, state):
        return RestlessBids(*state)


TURNS = itertools.count()
wrong(
    "answers_repeat",
    "transitions in another order each time",
    game=outcomes(lambda found: found[:: -1 if next(TURNS) % 3 else 1]),
)


def _eats_actions(self, state, actions):
    found = Bidding.transitions(self, state, actions)
    actions.clear()
    return found


wrong("answers_repeat", "transitions eats the actions", game={"transitions": _eats_actions})


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


# -- check and words --------------------------------------------------------------------------------

wrong("check_refuses_junk", "check takes everything", game={"check": lambda self, state: None})


def _asks_only_hands(self, state):
    if not isinstance(state, Bids) or any(card not in range(self.cards) for hand in state.hands for card in hand):
        raise ValueError(f"state ({state!r}) must be Bids")


wrong("check_refuses_junk", "check raises TypeError", game={"check": _asks_only_hands})


def _any_prize(self, state):
    fitting = (
        state._replace(prize=1 if state.hands[0] else 0)
        if isinstance(state, Bids) and type(state.prize) is int
        else state
    )
    Bidding.check(self, fitting)


wrong("check_refuses_junk", "check takes any prize", game={"check": _any_prize})


def _refuses_one(self, state):
    Bidding.check(self, state)
    if state in MIDDLE:
        raise ValueError("not this one")


wrong("check_takes_states", "check refuses a state", game={"check": _refuses_one})
wrong(
    "states_and_actions_have_words",
    "two cards of one name",
    game={"describe_action": lambda self, action, player=0: "a card" if action else "the lowest"},
)
wrong(
    "states_and_actions_have_words",
    "describe raises",
    game={"describe": lambda self, state: f"the highest is {max(state.hands[0])}"},
)

# -- arrays -----------------------------------------------------------------------------------------


def _ties_discarded(self):
    rules = Jujitsu.compiled_rules(self)
    *others, carry, margin, word = rules.tables
    return replace(rules, tables=(*others, not carry, margin, word))


wrong(
    "compiled_rules_are_the_rules",
    "compiled rules discard ties",
    Jujitsu,
    {"compiled_rules": _ties_discarded},
    num_cards=3,
)


def _other_strengths(self, starts, max_positions):
    form = War.rounds_form(self, starts, max_positions)
    return replace(form, strengths=form.strengths[::-1].copy())


def _loaded_dice(self):
    rules = DiceWars.compiled_rules(self)
    start, win, *others = rules.tables
    return replace(rules, tables=(start, 0.9 * win, *others))


wrong(
    "compiled_rules_are_the_rules",
    "loaded dice in compiled rules",
    DiceWars,
    {"compiled_rules": _loaded_dice},
    num_cards=3,
    sides=2,
)

SMALL_WAR = {"ranks": 3, "discards": 1, "max_rounds": 3}
wrong("rounds_form_is_the_rules", "other cards win in the arrays", War, {"rounds_form": _other_strengths}, **SMALL_WAR)
wrong(
    "rounds_form_is_the_rules",
    "another limit of rounds",
    War,
    {"facts": property(lambda self: replace(War.facts.func(self), max_rounds=2))},
    **SMALL_WAR,
)


def _with(**changes):
    def bayesian_form(self):
        form = DicePoker.bayesian_form(self)
        return replace(form, **{name: change(getattr(form, name)) for name, change in changes.items()})

    return {"bayesian_form": bayesian_form}


wrong("bayesian_form_is_the_rules", "payoffs twice as high in the arrays", DicePoker, _with(payoffs=lambda p: 2 * p))
wrong(
    "bayesian_form_is_the_rules",
    "loaded dice in the arrays",
    DicePoker,
    _with(deals=lambda deals: deals + np.eye(len(deals), dtype=int)),
    sides=3,
)
