"""Wrong games: probabilities, facts, moves, payments, observations, representatives."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from bidding import HALF, Bidding, Bids
from knock_out import Consoling
from lies import MIDDLE, START, lie, outcomes, with_prize, wrong

from cardwar_envs import Game, Transition
from cardwar_envs.core.game import CERTAIN, ActionImage, Canonical
from cardwar_envs.games.dinosaur_war import DinosaurWar
from cardwar_envs.games.jujitsu import Jujitsu
from cardwar_envs.games.war import War

CLAIMED = {claim: vars(Bidding)[claim] for claim in ("canonical", "settled", "state_of")}


def lie_of_facts(check, what, **facts):
    """A game whose facts are others."""
    lie(check, what, facts=property(lambda self: replace(Bidding().facts, **facts)), **CLAIMED)


def lie_of_outcomes(check, what, **fields):
    """A game in which all outcomes have these fields, in the middle."""
    lie(check, what, **outcomes(lambda found: [each._replace(**fields) for each in found]))


# -- probabilities ----------------------------------------------------------------------------------

lie_of_outcomes("probabilities_are_exact", "floats for probabilities", probability=0.5)
lie(
    "probabilities_are_exact",
    "an outcome left out",
    **outcomes(lambda found: [each for each in found if each.state.prize == 1]),
)
lie(
    "probabilities_are_exact",
    "an outcome of probability 0",
    **outcomes(lambda found: [*found, found[0]._replace(probability=Fraction(0))]),
)
lie(
    "probabilities_are_exact",
    "starts that sum to three quarters",
    initial=lambda self: [Transition(p, with_prize(START, i), (0.0, 0.0)) for p, i in ((HALF, 1), (HALF / 2, 2))],
)


def _pays_at_once(self):
    first, second = Bidding.initial(self)
    return [first._replace(rewards=(1.0, -1.0)), second]


lie("starts_begin_a_game", "a start that pays", initial=_pays_at_once)
lie(
    "starts_begin_a_game",
    "a start that is the end",
    initial=lambda self: (
        [each._replace(probability=each.probability / 2) for each in Bidding.initial(self)]
        + [Transition(HALF, Bids(((), ()), 0), (0.0, 0.0))]
    ),
)


# -- facts ------------------------------------------------------------------------------------------

lie_of_facts("players_are_seats", "fewer players than act", num_players=1)
lie(
    "players_are_seats",
    "somebody waits where everyone acts",
    facts=property(lambda self: replace(War.facts.__get__(self), everyone_acts=True)),
    base=War,
    of={"num_players": 3, "ranks": 2, "discards": 0, "max_rounds": 3},
)
lie_of_facts("facts_are_well_formed", "everyone acts, perhaps", everyone_acts=None)
lie_of_facts("legal_actions_are_in_order", "fewer actions than are legal", num_actions=2)
lie_of_facts("games_end_in_time", "max length too short", max_length=2)
lie_of_facts("payoffs_keep_their_bounds", "max payoff too low", max_payoff=5.0, min_payoff=-5.0)
lie_of_facts("facts_are_well_formed", "another name than the class", name="auction")
lie_of_facts("facts_are_well_formed", "another version than the class", version=3)
lie_of_facts("facts_are_well_formed", "more rounds than moves", max_rounds=50)
lie_of_facts("games_end_in_time", "one round where three are played", max_rounds=1)
lie_of_facts("facts_are_well_formed", "chance sometimes", chance="sometimes")
lie_of_facts("chance_is_as_declared", "a coin after the deal", chance="deal")
lie_of_facts("chance_is_as_declared", "two starts without chance", chance="none")
lie_of_facts("facts_are_well_formed", "a bound that is not finite", max_payoff=float("inf"))
lie_of_outcomes("zero_sum_holds", "nobody pays what is won", rewards=(2.0, 2.0))
lie(
    "seats_are_alike",
    "ties go to player 0",
    winners=lambda self, first, second: [(1 if first >= second else -1, CERTAIN)],
)


def _prize_unseen(self, state, player):
    seen = Bidding.observation(self, state, player)
    seen[-1] = min(seen[-1], 1)
    return seen


lie("observations_tell_states_apart", "the prize cannot be seen", observation=_prize_unseen, state_of=Bidding.state_of)

# -- who acts, what is legal ------------------------------------------------------------------------

lie(
    "players_are_seats", "players in descending order", acting_players=lambda self, state: (1, 0) if state.prize else ()
)
lie(
    "players_are_seats",
    "a player acts who is out",
    live_players=lambda self, state: (0,) if state in MIDDLE else Game.live_players(self, state),
)
lie(
    "legal_actions_are_in_order",
    "descending actions",
    legal_actions=lambda self, state, player: state.hands[player][::-1],
)
lie(
    "legal_actions_are_in_order",
    "an action twice",
    legal_actions=lambda self, state, player: state.hands[player][:1] + state.hands[player],
)
lie(
    "legal_actions_are_in_order",
    "no legal action",
    legal_actions=lambda self, state, player: () if state in MIDDLE else state.hands[player],
)
lie(
    "masks_are_legal_actions",
    "masks allow everything",
    action_mask=lambda self, state, player: np.ones(self.cards, dtype=np.int8),
)
lie(
    "masks_are_legal_actions",
    "masks of bool",
    action_mask=lambda self, state, player: Game.action_mask(self, state, player).astype(bool),
)
lie(
    "opponent_masks_fit",
    "opponent masks are the own ones",
    opponent_masks=lambda self, observations: (observations[:, : self.cards] > 0).astype(np.int8),
)


def _fails_once(self, state, actions):
    return [][0] if state in MIDDLE else Bidding.transitions(self, state, actions)


lie("rules_answer", "a legal action raises", transitions=_fails_once)

# -- payments and length ----------------------------------------------------------------------------

lie_of_outcomes("payments_are_numbers", "a payment of nan", rewards=(float("nan"),) * 2)
lie_of_outcomes("payments_are_numbers", "three payments", rewards=(1.0, -1.0, 0.0))
lie_of_outcomes("games_end_in_time", "back to the start", state=START)
wrong("players_who_left_are_not_paid", "a consolation for those who left")(Consoling)
lie(
    "settled_is_what_play_pays",
    "settled for one point",
    settled=lambda self, state: (1.0, -1.0) if Bidding.settled(self, state) == (2.0, -2.0) else None,
)

# -- observations -----------------------------------------------------------------------------------

lie(
    "observations_fit_their_bounds",
    "a prize out of bounds",
    facts=property(lambda self: replace(Bidding().facts, observation_high=(1.0,) * 7)),
    **{claim: vars(Bidding)[claim] for claim in CLAIMED},
)


def sees(change):
    return {
        "observation": lambda self, state, player: change(Bidding.observation(self, state, player)),
        "state_of": Bidding.state_of,
    }


lie("observations_fit_their_bounds", "observations of float64", **sees(lambda seen: seen.astype(np.float64)))
lie(
    "observations_fit_their_bounds",
    "an entry too many",
    **(
        sees(lambda seen: np.append(seen, np.float32(0)))
        | {"state_of": lambda self, seen: Bidding.state_of(self, seen[:-1])}
    ),
)
BUFFER = np.zeros(7, dtype=np.float32)


def _into_the_buffer(seen):
    BUFFER[:] = seen
    return BUFFER


lie("arrays_are_fresh", "one buffer for all observations", **sees(_into_the_buffer))


def _reads_low_prizes(self, observation):
    state, seat = Bidding.state_of(self, observation)
    return with_prize(state, min(1, state.prize)), seat


lie("state_of_reads_observations", "the prize is not read", state_of=_reads_low_prizes)
lie(
    "state_of_reads_observations",
    "seat 1 is named",
    state_of=lambda self, seen: (Bidding.state_of(self, seen)[0], 1),
    opponent_masks=lambda self, seen: (seen[:, self.cards : 2 * self.cards] > 0).astype(np.int8),
)

# -- representatives --------------------------------------------------------------------------------

lie(
    "canonical_keeps_what_follows",
    "the prize does not count",
    settled=Game.settled,
    canonical=lambda self, state: Canonical(with_prize(state, min(state.prize, 1)), (0, 1)),
)
lie(
    "canonical_is_its_own",
    "seats swapped again",
    settled=Game.settled,
    canonical=lambda self, state: Canonical(Bids(state.hands[::-1], state.prize), (1, 0)),
)


def crosswise(self, state, player):
    hand = state.hands[player]
    return tuple(ActionImage(card, image, CERTAIN) for card, image in zip(hand, hand[::-1], strict=True))


lie("canonical_keeps_what_follows", "actions crosswise", canonical_actions=crosswise)
lie(
    "action_images_fit",
    "actions without image",
    canonical_actions=lambda self, state, player: Game.canonical_actions(self, state, player)[:1],
)

LINED = {"hand_0": (1, 2, 6), "hand_1": (3, 4, 5)}
lie(
    "action_images_fit",
    "shares that sum to a half",
    base=DinosaurWar,
    canonical_actions=lambda self, state, player: tuple(
        each._replace(share=each.share / 2) for each in DinosaurWar.canonical_actions(self, state, player)
    ),
    of=LINED,
)
lie("action_counts_fit", "one way to play two cards", base=DinosaurWar, action_counts=Game.action_counts, of=LINED)
lie(
    "action_counts_fit",
    "no way to play a card",
    action_counts=lambda self, observations, masks: np.arange(self.cards) * masks.astype(float),
)

lie(
    "moves_left_fall",
    "moves left that stay",
    moves_left=lambda self, observations: np.full(len(observations), self.cards),
)
lie(
    "moves_left_fall",
    "moves left of the cards' points",
    base=Jujitsu,
    moves_left=lambda self, observations: observations[:, : len(self.ranks)].sum(axis=1),
    of={"num_cards": 3},
)

# -- counts, parts, even play -----------------------------------------------------------------------


def counts(listed, representatives):
    return {
        "canonical": Bidding.canonical,
        "count_states": lambda self, canonical: representatives if canonical else listed,
    }


COUNTED = "there_are_as_many_states_as_counted"
lie(COUNTED, "one state more than there is", **counts(39, None))
lie(COUNTED, "as many representatives as states", **counts(38, 38))
lie(COUNTED, "half a state", **counts(0.5, None))

APART = "action_parts_tell_actions_apart"
lie(APART, "two actions of equal parts", action_parts=lambda self: np.array([[1, 0], [0, 1], [1, 0]]))
lie(APART, "parts of two of three actions", action_parts=lambda self: np.eye(2, dtype=np.int64))
lie(APART, "parts that are floats", action_parts=lambda self: np.eye(3))

EVEN = "uniform_is_optimal_where_claimed"
lie(EVEN, "even play is optimal for a margin of two prizes", uniform_is_optimal=lambda self: True)
lie(
    EVEN,
    "even play is optimal where most tricks win",
    uniform_is_optimal=lambda self: True,
    base=Jujitsu,
    of={"num_cards": 4},
)
lie(
    EVEN, "even play is optimal in large games", uniform_is_optimal=lambda self: True, base=Jujitsu, of={"num_cards": 8}
)
