"""Wrong games: probabilities, facts, moves, payments, observations, representatives."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from bidding import HALF, Bidding, Bids
from hidden_games import Kuhn
from knock_out import Consoling
from lies import MIDDLE, START, in_the_middle, lies, with_prize, wrong

from cardwar_envs import Game, Transition
from cardwar_envs.core.game import CERTAIN, ActionImage, Canonical
from cardwar_envs.games.dinosaur_war import DinosaurWar
from cardwar_envs.games.jujitsu import Jujitsu
from cardwar_envs.games.war import War

CLAIMED = {claim: vars(Bidding)[claim] for claim in ("canonical", "settled", "state_of")}


def facts(**changed):
    """Other facts, with all claims."""
    return {"facts": property(lambda self: replace(Bidding().facts, **changed)), **CLAIMED}


def outcomes(**fields):
    """Outcomes that all have these fields, in the middle."""
    return in_the_middle(lambda found: [each._replace(**fields) for each in found])


# -- starts and probabilities -------------------------------------------------------------------------


def three_quarters(self):
    return [Transition(p, with_prize(START, prize), (0.0, 0.0)) for p, prize in ((HALF, 1), (HALF / 2, 2))]


def pays_at_once(self):
    first, second = Bidding.initial(self)
    return [first._replace(rewards=(1.0, -1.0)), second]


def over_at_once(self):
    starts = [each._replace(probability=each.probability / 2) for each in Bidding.initial(self)]
    return [*starts, Transition(HALF, Bids(((), ()), 0), (0.0, 0.0))]


lies(
    "probabilities_are_exact",
    {
        "floats for probabilities": outcomes(probability=0.5),
        "an outcome left out": in_the_middle(lambda found: [each for each in found if each.state.prize == 1]),
        "an outcome of probability 0": in_the_middle(
            lambda found: [*found, found[0]._replace(probability=Fraction(0))]
        ),
        "starts that sum to three quarters": {"initial": three_quarters},
    },
)
lies("starts_begin_a_game", {"a start that pays": {"initial": pays_at_once}})
lies("starts_begin_a_game", {"a start that is the end": {"initial": over_at_once}})
lies(
    "chance_is_as_declared",
    {"a coin after the deal": facts(chance="deal"), "two starts without chance": facts(chance="none")},
)

# -- facts ------------------------------------------------------------------------------------------

lies(
    "facts_are_well_formed",
    {
        "everyone acts, perhaps": facts(everyone_acts=None),
        "another name than the class": facts(name="auction"),
        "another version than the class": facts(version=3),
        "more rounds than moves": facts(max_rounds=50),
        "chance sometimes": facts(chance="sometimes"),
        "a bound that is not finite": facts(max_payoff=float("inf")),
    },
)
lies("payoffs_keep_their_bounds", {"max payoff too low": facts(max_payoff=5.0, min_payoff=-5.0)})
lies(
    "games_end_in_time",
    {
        "max length too short": facts(max_length=2),
        "one round where three are played": facts(max_rounds=1),
        "back to the start": outcomes(state=START),
    },
)

# -- who acts, what is legal ------------------------------------------------------------------------


def out_in_the_middle(self, state):
    return (0,) if state in MIDDLE else Game.live_players(self, state)


lies(
    "players_are_seats",
    {
        "fewer players than act": facts(num_players=1),
        "players in descending order": {"acting_players": lambda self, state: (1, 0) if state.prize else ()},
        "a player acts who is out": {"live_players": out_in_the_middle},
    },
)
lies(
    "players_are_seats",
    {"somebody waits": {"facts": property(lambda self: replace(War.facts.__get__(self), everyone_acts=True))}},
    **{"base": War, "num_players": 3, "ranks": 2, "discards": 0, "max_rounds": 3},
)


def legal(change):
    """Other legal actions, of a hand and a state."""
    return {"legal_actions": lambda self, state, player: change(state.hands[player], state)}


lies(
    "legal_actions_are_in_order",
    {
        "fewer actions than are legal": facts(num_actions=2),
        "descending actions": legal(lambda hand, state: hand[::-1]),
        "an action twice": legal(lambda hand, state: hand[:1] + hand),
        "no legal action": legal(lambda hand, state: () if state in MIDDLE else hand),
    },
)
lies(
    "masks_are_legal_actions",
    {
        "masks allow everything": {"action_mask": lambda self, state, player: np.ones(self.cards, dtype=np.int8)},
        "masks of bool": {"action_mask": lambda self, *at: Game.action_mask(self, *at).astype(bool)},
    },
)


def own_masks(self, observations):
    return (observations[:, : self.cards] > 0).astype(np.int8)


def fails_once(self, state, actions):
    return [][0] if state in MIDDLE else Bidding.transitions(self, state, actions)


lies("opponent_masks_fit", {"opponent masks are the own ones": {"opponent_masks": own_masks}})
lies("rules_answer", {"a legal action raises": {"transitions": fails_once}})

# -- payments ---------------------------------------------------------------------------------------


def settled_for_one(self, state):
    return (1.0, -1.0) if Bidding.settled(self, state) == (2.0, -2.0) else None


def first_wins_ties(self, first, second):
    return [(1 if first >= second else -1, CERTAIN)]


lies(
    "payments_are_numbers",
    {
        "a payment of nan": outcomes(rewards=(float("nan"),) * 2),
        "three payments": outcomes(rewards=(1.0, -1.0, 0.0)),
    },
)
wrong("players_who_left_are_not_paid", "a consolation for those who left")(Consoling)
lies("zero_sum_holds", {"nobody pays what is won": outcomes(rewards=(2.0, 2.0))})
lies("settled_is_what_play_pays", {"settled for one point": {"settled": settled_for_one}})
lies("seats_are_alike", {"ties go to player 0": {"winners": first_wins_ties}})

# -- observations -----------------------------------------------------------------------------------

BUFFER = np.zeros(7, dtype=np.float32)


def sees(change, **claims):
    """Other observations, from which the state is read as before."""
    return {
        "observation": lambda self, state, player: change(Bidding.observation(self, state, player)),
        "state_of": Bidding.state_of,
        **claims,
    }


def prize_unseen(seen):
    seen[-1] = min(seen[-1], 1)
    return seen


def into_the_buffer(seen):
    BUFFER[:] = seen
    return BUFFER


def reads_low_prizes(self, observation):
    state, seat = Bidding.state_of(self, observation)
    return with_prize(state, min(1, state.prize)), seat


def reads_seat_1(self, observation):
    return Bidding.state_of(self, observation)[0], 1


def masks_of_the_other(self, observations):
    return (observations[:, self.cards : 2 * self.cards] > 0).astype(np.int8)


lies("observations_tell_states_apart", {"the prize cannot be seen": sees(prize_unseen)})
lies(
    "observations_fit_their_bounds",
    {
        "a prize out of bounds": facts(observation_high=(1.0,) * 7),
        "observations of float64": sees(lambda seen: seen.astype(np.float64)),
        "an entry too many": sees(
            lambda seen: np.append(seen, np.float32(0)),
            state_of=lambda self, seen: Bidding.state_of(self, seen[:-1]),
        ),
    },
)
lies("arrays_are_fresh", {"one buffer for all observations": sees(into_the_buffer)})
lies(
    "state_of_reads_observations",
    {
        "the prize is not read": {"state_of": reads_low_prizes},
        "seat 1 is named": {"state_of": reads_seat_1, "opponent_masks": masks_of_the_other},
    },
)

# -- representatives --------------------------------------------------------------------------------


def stands_for(representative):
    """Other representatives, of a state."""
    return {"settled": Game.settled, "canonical": lambda self, state: Canonical(*representative(state))}


def crosswise(self, state, player):
    hand = state.hands[player]
    return tuple(ActionImage(card, image, CERTAIN) for card, image in zip(hand, hand[::-1], strict=True))


def half_shares(self, state, player):
    images = DinosaurWar.canonical_actions(self, state, player)
    return tuple(each._replace(share=each.share / 2) for each in images)


def no_way_to_play_a_card(self, observations, masks):
    return np.arange(self.cards) * masks.astype(float)


LINED = {"base": DinosaurWar, "hand_0": (1, 2, 6), "hand_1": (3, 4, 5)}
lies(
    "canonical_keeps_what_follows",
    {
        "the prize does not count": stands_for(lambda state: (with_prize(state, min(state.prize, 1)), (0, 1))),
        "actions crosswise": {"canonical_actions": crosswise},
    },
)
lies(
    "canonical_is_its_own",
    {"seats swapped again": stands_for(lambda state: (Bids(state.hands[::-1], state.prize), (1, 0)))},
)
lies(
    "action_images_fit",
    {"actions without image": {"canonical_actions": lambda self, *at: Game.canonical_actions(self, *at)[:1]}},
)
lies("action_images_fit", {"shares that sum to a half": {"canonical_actions": half_shares}}, **LINED)
lies("action_counts_fit", {"one way to play two cards": {"action_counts": Game.action_counts}}, **LINED)
lies("action_counts_fit", {"no way to play a card": {"action_counts": no_way_to_play_a_card}})

lies(
    "moves_left_fall",
    {"moves left that stay": {"moves_left": lambda self, observations: np.full(len(observations), self.cards)}},
)
lies(
    "moves_left_fall",
    {
        "moves left as float32": {
            "moves_left": lambda self, observations: observations[:, : len(self.ranks)].sum(axis=1)
        }
    },
    base=Jujitsu,
    num_cards=3,
)

# -- counts, parts, even play -----------------------------------------------------------------------


def counts(listed, representatives):
    return {
        "canonical": Bidding.canonical,
        "count_states": lambda self, canonical: representatives if canonical else listed,
    }


lies(
    "there_are_as_many_states_as_counted",
    {
        "one state more than there is": counts(39, None),
        "as many representatives as states": counts(38, 38),
        "half a state": counts(0.5, None),
    },
)
lies(
    "action_parts_tell_actions_apart",
    {
        "two actions of equal parts": {"action_parts": lambda self: np.array([[1, 0], [0, 1], [1, 0]])},
        "parts of two of three actions": {"action_parts": lambda self: np.eye(2, dtype=np.int64)},
        "parts that are floats": {"action_parts": lambda self: np.eye(3)},
    },
)
EVEN = {"uniform_is_optimal": lambda self: True}
lies("uniform_is_optimal_where_claimed", {"even play is optimal for a margin of two prizes": EVEN})
lies("uniform_is_optimal_where_claimed", {"even play is optimal in large games": EVEN}, Jujitsu, num_cards=8)


@wrong("observations_show_what_is_legal", "what is legal depends on the other card")
class TwoFaced(Kuhn):
    def legal_actions(self, state, player):
        return (0, 1) if state.cards[1 - player] == 3 else (0,)
