"""WAR with Auction Rounds (2017): the rules on written games, and what is true of every game."""

import copy
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from thinning import each_row

from cardwar_envs import IllegalActionError, check_game
from cardwar_envs.core.play import play_episode
from cardwar_envs.games.war import War
from cardwar_envs.games.war.actions import WarActions, WarChoice
from cardwar_envs.games.war.state import WarState, new_state, utility

SMALL = War(ranks=4, discards=1, max_rounds=9)  # cards 2..5; a war costs two cards
THREE = War(num_players=3, ranks=4, discards=1, max_rounds=9)


def state(hands, wins=None, pot=(), **rest):
    rest.setdefault("rounds_left", 9)
    return WarState(hands, wins or [()] * len(hands), pot, **rest)


def after(game, now, *plays):
    """Where the plays of those who act lead, and what it pays."""
    game.check(now)
    acting = game.acting_players(now)
    actions = {p: game.actions.encode(play) for p, play in zip(acting, plays, strict=True)}
    assert all(action in game.legal_actions(now, p) for p, action in actions.items())
    (outcome,) = game.transitions(now, actions)
    assert outcome.probability == 1
    game.check(outcome.state)
    return outcome.state, outcome.rewards


# -- written games ------------------------------------------------------------------------------


def test_everyone_starts_with_every_card_once():
    (start,) = War(num_players=3).initial()
    assert start.state == state([range(2, 14)] * 3, rounds_left=1500)
    assert start.rewards == (0, 0, 0)
    assert War().rounds == 1000
    assert War().acting_players(War().initial()[0].state) == (0, 1)


def test_the_highest_card_takes_all():
    now, paid = after(THREE, THREE.initial()[0].state, 3, 5, 4)
    assert now == state([(2, 4, 5), (2, 3, 4), (2, 3, 5)], [(), (3, 4, 5), ()], rounds_left=8)
    assert paid == (0, 0, 0)


def test_a_war_is_one_choice_more():
    now, paid = after(THREE, THREE.initial()[0].state, 5, 3, 5)
    assert now == state([(2, 3, 4), (2, 4, 5), (2, 3, 4)], pot=(3, 5, 5), tied=(0, 2))  # the round goes on
    assert THREE.acting_players(now) == (0, 2)
    assert THREE.legal_actions(now, 1) == (THREE.actions.wait,)
    now, paid = after(THREE, now, ((4,), 3), ((3,), 4))
    assert now == state([(2,), (2, 4, 5), (2,)], [(), (), (3, 3, 3, 4, 4, 5, 5)], rounds_left=8)
    assert paid == (0, 0, 0)


def test_a_tie_in_a_war_is_war_again():
    game = War(ranks=5, discards=1, max_rounds=9)
    now, _ = after(game, game.initial()[0].state, 6, 6)
    now, _ = after(game, now, ((2,), 5), ((3,), 5))
    assert now == state([(3, 4), (2, 4)], pot=(2, 3, 5, 5, 6, 6), tied=(0, 1))
    now, paid = after(game, now, ((4,), 3), ((4,), 2))
    # Player 0 has picked up what it won at the end of the round, and player 1 is out.
    assert now == state([(2, 2, 3, 3, 4, 4, 5, 5, 6, 6), ()], rounds_left=8)
    assert paid == (1, -1)
    assert game.acting_players(now) == game.live_players(now) == ()


def test_only_those_tied_again_go_on():
    game = War(num_players=4, ranks=5, discards=1, max_rounds=9)
    now, _ = after(game, game.initial()[0].state, 6, 6, 6, 5)
    assert now.tied == (0, 1, 2)
    now, _ = after(game, now, ((2,), 5), ((2,), 4), ((3,), 5))
    assert now.tied == (0, 2)
    now, _ = after(game, now, ((3,), 4), ((4,), 2))
    # Those who went to the second war have no cards left: player 0 picks up what it won, player 2 is out.
    assert now == state([(2, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6), (3, 5), (), (2, 3, 4, 6)], rounds_left=8)


def test_who_alone_can_pay_pays_and_wins_it_back():
    now = state([(2, 3, 4), (4,)], [(), (2, 3)], (5, 5), tied=(0, 1))
    assert SMALL.acting_players(now) == (0,)
    assert SMALL.legal_actions(now, 1) == (SMALL.actions.wait,)
    now, paid = after(SMALL, now, ((2,), 3))
    assert now == state([(4,), (2, 3)], [(2, 3, 4, 5, 5), ()], rounds_left=8)
    assert paid == (0, 0)


def test_who_cannot_pay_loses_its_hand_even_if_it_is_not_the_winner_who_takes_it():
    now = state([(2, 3), (4,), (2, 4), (3,)], [(), (2, 2, 3, 3, 4, 4), (), ()], (5, 5, 5, 5), tied=(0, 1, 2))
    game = War(num_players=4, ranks=4, discards=1, max_rounds=9)
    now, paid = after(game, now, ((2,), 3), ((2,), 4))
    assert now.hands == ((), (2, 2, 3, 3, 4, 4), (2, 2, 3, 4, 4, 5, 5, 5, 5), (3,))
    assert now.live == (1, 2, 3)
    assert paid == pytest.approx((-1 / 3, 0, 0, 0))


def test_if_nobody_can_pay_the_pot_is_carried_over():
    now = state([(2, 5), (5,)], [(3, 3, 4), (2, 4)])
    now, _ = after(SMALL, now, 5, 5)
    # No war: both hands are lost to the pot, and the wins piles are picked up.
    assert now == state([(3, 3, 4), (2, 4)], pot=(2, 5, 5), rounds_left=8)
    now, _ = after(SMALL, now, 3, 4)
    assert now == state([(3, 4), (2,)], [(), (2, 3, 4, 5, 5)], rounds_left=7)


def test_a_war_that_leaves_nobody_is_carried_over_too():
    now = state([(2, 4), (2, 4)], [(3,), (3,)], (5, 5), tied=(0, 1))
    now, _ = after(SMALL, now, ((2,), 4), ((2,), 4))
    assert now == state([(3,), (3,)], pot=(2, 2, 4, 4, 5, 5), rounds_left=8)


def test_a_wins_pile_is_picked_up_only_when_the_hand_is_empty():
    now = state([(5,), (2, 3, 4)], [(2, 3, 4), (5,)])
    now, _ = after(SMALL, now, 5, 2)
    assert now == state([(2, 2, 3, 4, 5), (3, 4)], [(), (5,)], rounds_left=8)


def test_without_discards_a_war_costs_the_battle_card():
    game = War(ranks=2, discards=0, max_rounds=5)
    now, _ = after(game, game.initial()[0].state, 3, 3)
    assert [game.actions.decode(a) for a in game.legal_actions(now, 0)] == [WarChoice((), 2)]
    now, paid = after(game, now, ((), 2), ((), 2))
    assert now == state([(), ()], pot=(2, 2, 3, 3), rounds_left=4)
    assert paid == (0, 0)


# Hands and wins, rounds left, what is played, and what is paid then.
PAYMENTS = [
    # two players: out, or both out
    ([(3,), (2,)], [(2, 3), ()], 5, (3, 2), (1, -1)),
    ([(3,), (3,)], [(), ()], 5, (3, 3), (0, 0)),
    # the limit of rounds: nobody has paid, so nothing is shared
    ([(3,), (2,)], [(), (2, 3)], 1, (3, 2), (0, 0)),
    # three players: one is out, one stays out, the last two go out together
    ([(3,), (2,), (2,)], [(2,), (3,), ()], 5, (3, 2, 2), (0, 0, -1 / 2)),
    ([(3,), (2,), ()], [(2, 2, 3), (), ()], 5, (3, 2), (1, -1 / 2, 0)),
    ([(3,), (3,), ()], [(), (), ()], 5, (3, 3), (1 / 4, 1 / 4, 0)),
    ([(3,), (3,), (3,)], [(), (), ()], 5, (3, 3, 3), (0, 0, 0)),
    # two of three at once: they pay, and the last one has it all
    ([(3,), (2,), (2,)], [(2, 3), (), ()], 5, (3, 2, 2), (1, -1 / 2, -1 / 2)),
    ([(3,), (3,), (2,)], [(), (), (2, 2, 3)], 5, (3, 3, 2), (-1 / 2, -1 / 2, 1)),
    # at the limit the standing share what the others paid, before or now
    ([(3,), (2,), ()], [(), (2, 2, 3), ()], 1, (3, 2), (1 / 4, 1 / 4, 0)),
    ([(3,), (2,), (2,)], [(2,), (3,), ()], 1, (3, 2, 2), (1 / 4, 1 / 4, -1 / 2)),
    # five players
    ([(3,), (2,), (2,), (2,), (2,)], [(), (3,), (3,), (3,), ()], 5, (3, 2, 2, 2, 2), (0, 0, 0, 0, -1 / 4)),
    ([(3,), (2,), (2,), (), ()], [(), (2, 3), (), (), ()], 5, (3, 2, 2), (0, 0, -1 / 4, 0, 0)),
    ([(3,), (2,), (2,), (), ()], [(), (2, 3), (), (), ()], 1, (3, 2, 2), (3 / 8, 3 / 8, -1 / 4, 0, 0)),
    ([(3,), (3,), (2,), (), ()], [(), (), (), (), ()], 5, (3, 3, 2), (1 / 6, 1 / 6, 1 / 6, 0, 0)),
    ([(3,), (2,), (2,), (), ()], [(2, 3), (), (), (), ()], 5, (3, 2, 2), (1, -1 / 4, -1 / 4, 0, 0)),
]


@each_row(("hands", "wins", "rounds_left", "plays", "paid"), PAYMENTS)
def test_payments(hands, wins, rounds_left, plays, paid):
    """Cards that are nowhere else lie in the pot, carried over."""
    players = len(hands)
    game = War(num_players=players, ranks=2, discards=3, max_rounds=5)
    missing = Counter({2: players, 3: players}) - Counter(card for pile in (*hands, *wins) for card in pile)
    now = state(hands, wins, missing.elements(), rounds_left=rounds_left)
    end, rewards = after(game, now, *plays)
    assert rewards == pytest.approx(paid)
    over = rounds_left == 1 or len(end.live) < 2
    assert (game.acting_players(end) == ()) is over
    assert (game.live_players(end) == ()) is over


def test_the_game_is_stopped_by_the_limit_only_between_rounds():
    game = War(ranks=4, discards=1, max_rounds=1)
    now, paid = after(game, game.initial()[0].state, 5, 5)
    assert (now.tied, now.rounds_left, paid) == ((0, 1), 1, (0, 0))
    assert game.acting_players(now) == game.live_players(now) == (0, 1)
    now, paid = after(game, now, ((2,), 4), ((2,), 3))
    assert (now.live, now.rounds_left, paid) == ((0, 1), 0, (0, 0))
    assert game.acting_players(now) == game.live_players(now) == game.legal_actions(now, 0) == ()


def test_the_utility_is_the_sum_of_the_cards():
    now = state([(2, 3), (4,)], [(), (2, 5)], (3, 4, 5))
    assert [SMALL.info(now, p) for p in (0, 1)] == [{"utility": 5}, {"utility": 11}]
    # Section II: 90 N for the winner, who has every card.
    episode = play_episode(War(num_players=4), ["general_purpose_adversary", "min", "max", "min"])
    assert [utility(episode.states[-1], p) for p in range(4)] == [4 * 90, 0, 0, 0]


def test_the_utility_in_vector_environments_is_exact_even_if_float32_is_not():
    game = War(num_players=101, ranks=1000, discards=0)
    start = np.stack([game.observation(game.initial()[0].state, 0)] * 2)
    start[1, :1000] = [*(101,) * 999, 50]  # the last card is 1001
    exact = 101 * (sum(game.cards) - 1001) + 50 * 1001
    assert game.compiled_rules().info(start)["utility"].tolist() == [sum(game.cards), exact]


# -- true of every game -------------------------------------------------------------------------


@each_row(("players", "ranks", "discards"), [(2, 2, 0), (3, 3, 1), (4, 2, 3), (5, 2, 0), (2, 4, 7)])
def test_other_decks_keep_the_contract(players, ranks, discards):
    report = check_game(War(num_players=players, ranks=ranks, discards=discards, max_rounds=20), max_states=30)
    assert report.passed, report


def test_what_is_legal_is_what_the_cards_can_pay_for():
    """Against a list of all choices of the hand's cards, in states of random games."""
    game, rng = War(num_players=3, ranks=5, discards=2, max_rounds=60), np.random.default_rng(2)
    wars = 0
    for _ in range(30):
        now = game.initial()[0].state
        while acting := game.acting_players(now):
            for player in now.live:
                hand = now.hands[player]
                expected = {game.actions.wait}
                if not now.tied:
                    expected = {game.actions.encode(card) for card in hand}
                elif player in acting:
                    wars += 1
                    picks = {(tuple(c[:i] + c[i + 1 :]), c[i]) for c in combinations(hand, 3) for i in range(3)}
                    expected = {game.actions.encode(pick) for pick in picks}
                assert game.legal_actions(now, player) == tuple(sorted(expected))
                assert np.flatnonzero(game.action_mask(now, player)).tolist() == sorted(expected)
            plays = {p: int(rng.choice(game.legal_actions(now, p))) for p in acting}
            now = game.transitions(now, plays)[0].state
    assert wars > 20


def test_actions_are_numbered_by_cards_then_discards_then_battle_card():
    actions = WarActions(ranks=3, discards=2)
    words = [actions.decode(number) for number in range(actions.size)]
    sets = [(2, 2), (2, 3), (2, 4), (3, 3), (3, 4), (4, 4)]
    assert words == [2, 3, 4, *(WarChoice(pair, card) for pair in sets for card in (2, 3, 4)), None]
    assert [actions.encode(word) for word in words] == list(range(actions.size))
    assert actions.encode(((4, 2), 3)) == actions.encode(WarChoice((2, 4), 3))
    assert War().facts.num_actions == 12 + 364 * 12 + 1


# -- bad input ----------------------------------------------------------------------------------


@each_row(
    ("play", "message"),
    [
        (((2,), 5), r"2 5 cannot be put down from a hand of 2 3 4"),  # a battle card that it does not hold
        (((5,), 2), r"2 5 cannot be put down"),
        (((2,), 2), r"2x2 cannot be put down"),  # one card twice
        (3, "3 is not a play for a war"),
        (None, "None is not a play for a war"),
    ],
)
def test_war_choices_that_cannot_be(play, message):
    now = state([(2, 3, 4), (2, 3, 4)], pot=(5, 5), tied=(0, 1))
    kept = copy.deepcopy(now)
    actions = {0: SMALL.actions.encode(play), 1: SMALL.actions.encode(((2,), 3))}
    assert actions[0] not in SMALL.legal_actions(now, 0)
    with pytest.raises(IllegalActionError, match=message):
        SMALL.transitions(now, actions)
    assert now == kept


def test_plays_that_are_no_plays_of_a_round():
    start = SMALL.initial()[0].state
    for play in (((2,), 3), None):
        with pytest.raises(IllegalActionError, match="is not a play for a round"):
            SMALL.transitions(start, {0: SMALL.actions.encode(play), 1: 0})
    without_two = state([(3, 4, 5), (2, 3, 4, 5)], [(2,), ()])
    with pytest.raises(IllegalActionError, match="2 cannot be put down from a hand of 3 4 5"):
        SMALL.transitions(without_two, {0: 0, 1: 0})


@each_row(
    ("play", "message"),
    [
        (6, r"card \(6\) must be in 2\.\.5"),
        (1, r"card \(1\) must be in 2\.\.5"),
        (((2, 3), 4), r"discards \(2, 3\) must be 1 cards"),
        (((), 4), r"discards \(\) must be 1 cards"),
        (((9,), 4), r"card \(9\) must be in 2\.\.5"),
    ],
)
def test_plays_that_are_no_actions(play, message):
    with pytest.raises(ValueError, match=message):
        SMALL.actions.encode(play)
    for number in (-1, SMALL.facts.num_actions):
        with pytest.raises(ValueError, match=r"action \(-?\d+\) must be in 0\.\.20"):
            SMALL.actions.decode(number)


FULL = ((2, 3, 4, 5), (2, 3, 4, 5))


@each_row(
    ("now", "message"),
    [
        (state([(2, 3, 4, 5), (2, 3, 4)]), "card 5 1 times, but must have it 2 times"),
        (state([(2, 3, 4, 5, 6), (2, 3, 4, 5)]), "card 6 1 times, but must have it 0 times"),
        (state([*FULL, ()]), "3 hands and 3 wins piles, not 2"),
        (state([(2, 3, 4, 5), ()], [(), FULL[0]]), "player_1 with wins .* and no hand"),
        (new_state(((3, 2, 4, 5), FULL[0]), ((), ()), (), (), (0, 1), 9), r"unsorted hands\[0\]"),
        (new_state(FULL, ((), ()), (), (), (0,), 9), r"live \(0,\), which must be the players with a hand"),
        (new_state(FULL, ((), ()), (), (), (1, 0), 9), r"live \(1, 0\), which must be players 0\.\.1, ascending"),
        (state(FULL, rounds_left=10), r"10 rounds left, which must be in 0\.\.9"),
        # wars
        (state([(2, 3, 4)] * 2, pot=(5, 5), tied=(0,)), r"tied \(0,\), which must be at least two"),
        (state([(2, 3, 4)] * 2, pot=(5, 5), tied=(0, 1), rounds_left=0), "state has a war, so rounds_left must be"),
        (state([(2, 3, 4, 5), (2, 3, 4)], pot=(5,), tied=(0, 1)), "does not have that many equal cards"),
        (state([(2,), (3,)], [(2, 3, 4), (4,)], (5, 5), tied=(0, 1)), "but none of them holds the 2 cards of a war"),
        (state([(2, 3, 4)] * 2, pot=(5, 5), tied=(0, 1), live=(0,)), "tied"),
        # no states at all
        ((1, 2), "must be a WarState"),
        (new_state([list(FULL[0]), FULL[1]], ((), ()), (), (), (0, 1), 9), "must be a WarState"),
        (new_state(FULL, ((), ()), (), (), (0, 1), "nine"), "must be a WarState"),
    ],
)
def test_states_that_cannot_be(now, message):
    with pytest.raises(ValueError, match=message):
        SMALL.check(now)


def test_a_state_sorts_what_it_is_given():
    now = WarState([[5, 2], [3]], [[], [4, 2]], [5, 4, 3], tied=[1, 0], rounds_left=4)
    assert now == new_state(((2, 5), (3,)), ((), (2, 4)), (3, 4, 5), (0, 1), (0, 1), 4)
    assert now.live == (0, 1)
    assert WarState([[5], []], [[], []], rounds_left=1).live == (0,)
    assert WarState([[5], []], [[], []], tied=[0, 1], rounds_left=1).live == (0, 1)


# -- what players see ---------------------------------------------------------------------------


def test_an_observation_counts_the_cards_from_the_own_seat_on():
    now = state([(2, 2, 3), (), (4, 5)], [(5,), (), (2, 3, 4)], (3, 4, 5), tied=(0, 2), rounds_left=7)
    seats = [[2, 1, 0, 0, 0, 0, 0, 1], [0] * 8, [0, 0, 1, 1, 1, 1, 1, 0]]
    for player in range(3):
        turned = [*range(player, 3), *range(player)]
        expected = [*(count for seat in turned for count in seats[seat]), 0, 1, 1, 1]
        expected += [*(int(seat in (0, 2)) for seat in turned)] * 2 + [7]
        assert THREE.observation(now, player).tolist() == expected
        hands = tuple(now.hands[seat] for seat in turned)
        seen, seat = THREE.state_of(THREE.observation(now, player))
        assert (seen.hands, seen.pot, seen.rounds_left, seat) == (hands, now.pot, 7, 0)
        assert {turned[p] for p in seen.tied} == {0, 2}


def test_words():
    now = state([(2, 2, 2, 3), (), (4, 5)], [(), (), (2, 3)], (4, 5), tied=(0, 2), rounds_left=7)
    assert THREE.describe(now).splitlines() == [
        "player_0  hand 3x2 3  wins -",
        "player_1  out",
        "player_2  hand 4 5  wins 2 3",
        "pot 4 5",
        "war between player_0 and player_2",
        "rounds left 7",
    ]
    words = [THREE.describe_action(THREE.actions.encode(play)) for play in (4, ((2,), 5), None)]
    assert words == ["4", "discards 2 and battles with 5", "waits"]
    free = War(discards=0)
    assert free.describe_action(free.actions.encode(((), 5))) == "battles with 5"
