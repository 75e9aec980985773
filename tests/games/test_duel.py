"""The rules of a duel, by written games; what its states may be; what its players see."""

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
from brute_force import interleaving_word, reachable, sub_hands
from thinning import each_row

from cardwar_envs import DuelState, make_game

CERTAIN = Fraction(1)
# (hands, score, ties), (card of player 0, card of player 1), (hands, score, ties) after, reward of player 0
CARRY_WIN = [
    # Sanwal and Drechsler 2002, section 1.1: "The winner of the first non-tie trick wins all the accumulated ties".
    [(((1, 2, 3, 4), (1, 2, 3, 4)), 0, 0), (2, 2), (((1, 3, 4), (1, 3, 4)), 0, 1), 0],
    [(((1, 3, 4), (1, 3, 4)), 0, 1), (3, 3), (((1, 4), (1, 4)), 0, 2), 0],
    [(((1, 4), (1, 4)), 0, 2), (1, 4), (((4,), (1,)), -3, 0), 0],
    [(((4,), (1,)), -3, 0), (4, 1), (((), ()), -2, 0), -1],
    # Tricks still tied at the end belong to nobody.
    [(((1, 4), (1, 4)), 0, 2), (1, 1), (((4,), (4,)), 0, 3), 0],
    [(((4,), (4,)), 0, 3), (4, 4), (((), ()), 0, 4), 0],
    [(((4,), (4,)), 1, 0), (4, 4), (((), ()), 1, 1), 1],
    # A win is one point however large the margin.
    [(((4,), (1,)), -1, 2), (4, 1), (((), ()), 2, 0), 1],
    [(((1,), (4,)), 1, 0), (1, 4), (((), ()), 0, 0), 0],
]
CARRY_MARGIN = [
    [(((2, 3, 4), (2, 3, 4)), 0, 1), (2, 2), (((3, 4), (3, 4)), 0, 2), 0],
    [(((3, 4), (3, 4)), 0, 2), (4, 3), (((3,), (4,)), 3, 0), 3],
    [(((3,), (4,)), 3, 0), (3, 4), (((), ()), 2, 0), -1],
    [(((4,), (4,)), 0, 3), (4, 4), (((), ()), 0, 4), 0],
]
DISCARD_WIN = [
    # Sanwal and Drechsler 2002, section 4: tied tricks "thrown out".
    [(((1, 2, 3, 4), (1, 2, 3, 4)), 0, 0), (2, 2), (((1, 3, 4), (1, 3, 4)), 0, 0), 0],
    [(((1, 3, 4), (1, 3, 4)), 0, 0), (1, 4), (((3, 4), (1, 3)), -1, 0), 0],
    [(((3, 4), (1, 3)), -1, 0), (4, 1), (((3,), (3,)), 0, 0), 0],
    [(((3,), (3,)), 0, 0), (3, 3), (((), ()), 0, 0), 0],
    [(((3,), (3,)), -1, 0), (3, 3), (((), ()), -1, 0), -1],
]
DISCARD_MARGIN = [
    # Fetterman 2023, section 1.1: "If there is a tie, no points are awarded."
    [(((2, 3, 4), (2, 3, 4)), 0, 0), (3, 3), (((2, 4), (2, 4)), 0, 0), 0],
    [(((2, 4), (2, 4)), 0, 0), (4, 2), (((2,), (4,)), 1, 0), 1],
    [(((2,), (4,)), 1, 0), (2, 4), (((), ()), 0, 0), -1],
]
TABLES = {
    ("carry", "win"): CARRY_WIN,
    ("carry", "margin"): CARRY_MARGIN,
    ("discard", "win"): DISCARD_WIN,
    ("discard", "margin"): DISCARD_MARGIN,
}
WRITTEN = [(*switches, *row) for switches, table in TABLES.items() for row in table]


def play(game, state, cards):
    """The certain outcome of both cards."""
    (outcome,) = game.transitions(state, {p: game.ranks.index(card) for p, card in enumerate(cards)})
    return outcome


@each_row(("ties", "payoff", "before", "cards", "after", "reward"), WRITTEN)
def test_written_tricks(ties, payoff, before, cards, after, reward):
    game = make_game("jujitsu", num_cards=4, ties=ties, payoff=payoff)
    state = DuelState(*before)
    game.check(state)
    assert play(game, state, cards) == (CERTAIN, DuelState(*after), (reward, -reward))
    # and from the other seat
    mirror = DuelState(before[0][::-1], -before[1], before[2])
    mirror_after = DuelState(after[0][::-1], -after[1], after[2])
    assert play(game, mirror, cards[::-1]) == (CERTAIN, mirror_after, (-reward, reward))


def test_one_card_of_several_of_a_rank_is_played():
    game = make_game("dinosaur_war", hand_0=(2, 2, 5), hand_1=(2, 3, 3))
    first = play(game, game.initial()[0].state, (2, 3))
    assert first == (CERTAIN, DuelState(((2, 5), (2, 3)), -1), (-1.0, 1.0))
    second = play(game, first.state, (2, 2))
    assert second == (CERTAIN, DuelState(((5,), (3,)), -1), (0.0, 0.0))
    assert play(game, second.state, (5, 3)) == (CERTAIN, DuelState(((), ()), 0), (1.0, -1.0))


def test_the_defaults_are_those_of_the_sources():
    # Fetterman 2023, section 1.1: ten cards each; Sanwal and Drechsler 2002, section 1.1: "The standard version".
    dinosaur_war, jujitsu, dice_wars = (make_game(n) for n in ("dinosaur_war", "jujitsu", "dice_wars"))
    assert dinosaur_war.hands == (tuple(range(1, 11)),) * 2
    assert (dinosaur_war.ties, dinosaur_war.payoff) == ("discard", "margin")
    assert jujitsu.hands == (tuple(range(1, 14)),) * 2
    assert (jujitsu.ties, jujitsu.payoff) == ("carry", "win")
    assert dice_wars.hands == (tuple(range(1, 7)),) * 2
    assert (dice_wars.ties, dice_wars.payoff, dice_wars.sides) == ("discard", "margin", 6)


@each_row(
    ("payoff", "score", "ties", "settled"),
    [
        # Three cards left: with t carried ties, 3 + t tricks can still be won.
        ("win", 3, 0, None), ("win", 4, 0, (1.0, -1.0)), ("win", -4, 0, (-1.0, 1.0)),
        ("win", 4, 1, None), ("win", 5, 1, (1.0, -1.0)), ("win", -5, 1, (-1.0, 1.0)),
        ("win", 0, 0, None), ("margin", 6, 0, None),
    ],
)  # fmt: skip
def test_a_game_is_settled_when_the_score_cannot_be_caught(payoff, score, ties, settled):
    game = make_game("jujitsu", num_cards=9, payoff=payoff)
    assert game.settled(DuelState(((1, 2, 3), (1, 2, 3)), score, ties)) == settled


# -- what players see --------------------------------------------------------------------------


@each_row(
    ("player", "expected"),
    [(0, [2, 0, 0, 1, 0, 1, 2, 0, -3, 1]), (1, [0, 1, 2, 0, 2, 0, 0, 1, 3, 1])],
)
def test_observation_is_own_counts_other_counts_own_score_and_carried_ties(player, expected):
    game = make_game("jujitsu", hand_0=(1, 1, 3, 3, 4, 5, 5), hand_1=(1, 3, 3, 3, 4, 5, 5))
    assert game.ranks == (1, 3, 4, 5)
    seen = game.observation(DuelState(((1, 1, 5), (3, 4, 4)), -3, 1), player)
    assert seen.tolist() == expected


def test_action_counts_are_cards_in_hand():
    game = make_game("dinosaur_war", hand_0=(1, 1, 1, 2), hand_1=(2, 2, 3, 3))
    state = game.initial()[0].state
    rows = np.stack([game.observation(state, p) for p in (0, 1)])
    masks = np.stack([game.action_mask(state, p) for p in (0, 1)])
    assert game.action_counts(rows, masks).tolist() == [[3, 1, 0], [0, 2, 2]]


def test_describe_lines_up_the_ranks():
    game = make_game("jujitsu", hand_0=(1, 2, 2, 4), hand_1=(2, 3, 4, 11))
    lines = game.describe(DuelState(((1, 2, 2), (3, 4, 11)), -1, 0)).splitlines()
    assert lines == [
        "player_0   1  2  2  .  .  .",
        "player_1   .  .  .  3  4 11",
        "score -1 for player_0, carried ties 0",
    ]
    assert [game.describe_action(a) for a in range(5)] == ["1", "2", "3", "4", "11"]


# -- states that can be ------------------------------------------------------------------------


def test_a_state_sorts_its_hands():
    assert DuelState(([3, 1], (2, 0))) == DuelState(((1, 3), (0, 2)), score=0, ties=0)
    assert DuelState(hands=((1, 3), (2, 3)), score=1, ties=0).hands == ((1, 3), (2, 3))


LIKE, DOUBLES = ((1, 2, 3, 4),) * 2, ((1, 1, 2, 3), (1, 2, 2, 4))
BY_CARD = [
    ("cards", hands, ties, "win") for hands in (LIKE, DOUBLES, ((2, 2, 3), (1, 3, 3))) for ties in ("carry", "discard")
]
BY_WORD = [
    ("word", ((1, 2, 3), (1, 2, 3)), "carry", "win"),
    ("word", ((1, 1, 2), (1, 2, 3)), "carry", "margin"),
    ("word", ((1, 3, 4), (2, 3, 5)), "discard", "win"),
]


@each_row(("view", "hands", "ties", "payoff"), BY_CARD[1::2] + BY_WORD[1:])
def test_check_takes_all_that_can_be_and_not_much_more(view, hands, ties, payoff):
    """The conditions are necessary, and of all hands, scores and carried ties they leave few too many."""
    game = make_game("dinosaur_war", hand_0=hands[0], hand_1=hands[1], ties=ties, payoff=payoff, view=view)
    size, passed = len(hands[0]), set()
    for left in range(size + 1):
        packed = [*combinations_with_replacement(game.ranks, left)]
        choices = [packed, packed] if view == "word" else [sub_hands(hand, left) for hand in hands]
        for held, score, carried in product(product(*choices), range(-size, size + 1), range(size + 1)):
            state = DuelState(held, score, carried)
            with suppress(ValueError):
                game.check(state)
                passed.add(state)
    can_be = set(reachable(game))
    assert can_be <= passed
    assert len(passed) <= 3 * len(can_be)


# -- equal situations --------------------------------------------------------------------------


@each_row("payoff", ["win", "margin"])
def test_states_that_interleave_alike_share_a_representative(payoff):
    """Two states share a representative exactly if their interleavings, scores and ties agree, seats swapped or not."""
    game = make_game("jujitsu", hand_0=(1, 2, 2, 4), hand_1=(2, 3, 4, 4), payoff=payoff)
    groups = {}
    for state in reachable(game):
        score = state.score if payoff == "win" else 0
        here = (interleaving_word(*state.hands), score, state.ties)
        there = (interleaving_word(*state.hands[::-1]), -score, state.ties)
        groups.setdefault(min(here, there), set()).add(game.canonical(state).state)
    assert all(len(group) == 1 for group in groups.values())
    assert len(set.union(*groups.values())) == len(groups)


INTERLEAVED = [
    make_game("jujitsu", num_cards=5),
    make_game("dinosaur_war", hand_0=(1, 1, 2, 4, 4), hand_1=(2, 3, 3, 3, 4)),
    make_game("dice_wars", num_cards=4),
    make_game("jujitsu", num_cards=5, view="word"),
    make_game("goofspiel", num_cards=5, ties="carry", payoff="win"),
]


@each_row("game", INTERLEAVED)
def test_what_players_see_does_not_depend_on_what_was_played_before(game):
    """One game object serves several games in any order, while it keeps the hands of the last state counted."""
    rng = np.random.default_rng(0)
    states = [game.initial()[0].state] * 3
    for _ in range(300):
        place = rng.integers(3)
        if not game.acting_players(states[place]):
            states[place] = game.initial()[0].state
        state = states[place]
        if rng.random() < 0.5:
            game.observation(state, int(rng.integers(2)))
        actions = {player: int(rng.choice(game.legal_actions(state, player))) for player in (0, 1)}
        outcomes = game.transitions(state, actions)
        states[place] = state = outcomes[rng.integers(len(outcomes))].state
        for player in (0, 1) if rng.random() < 0.7 else ():
            alone = replace(game)  # has counted nothing yet
            assert np.array_equal(game.observation(state, player), alone.observation(state, player))
            assert np.array_equal(game.action_mask(state, player), alone.action_mask(state, player))
            assert np.flatnonzero(game.action_mask(state, player)).tolist() == list(game.legal_actions(state, player))
