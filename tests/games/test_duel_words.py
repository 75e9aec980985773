"""Duels seen as interleavings (`view="word"`): the game is the same, and situations that are equal look equal."""

from itertools import product

import numpy as np
import pytest
from brute_force import asked, interleaving_word, joint_actions, reachable, sub_hands
from thinning import each_row, pairwise

from baselines import make_policy, solve
from cardwar_envs import DuelState, make_game
from cardwar_envs.games.duel.interleaving import interleaving, most_held, most_ties

HANDS = [
    ((1, 2, 3, 4), (1, 2, 3, 4)),
    ((1, 1, 2, 4), (1, 2, 2, 5)),
    ((2, 3, 5, 8), (1, 3, 4, 9)),
    ((1, 2, 3, 3), (3, 3, 3, 7)),
    ((1, 2, 5, 6), (3, 4, 7, 8)),
]
PAIRS = [
    tuple(
        make_game("dinosaur_war", hand_0=hand_0, hand_1=hand_1, ties=ties, payoff=payoff, view=view)
        for view in ("cards", "word")
    )
    for hand_0, hand_1 in HANDS
    for ties in ("discard", "carry")
    for payoff in ("margin", "win")
]
both_views = pairwise(("cards", "packs"), PAIRS, lambda cards, packs: cards.parameters())


def packed(game, state):
    """A state of the game seen as cards, as the game seen as interleavings has it."""
    hands = tuple(tuple(number + 1 for number in hand) for hand in interleaving(state.hands))
    return DuelState(hands, state.score if game.payoff == "win" else 0, state.ties)


WRITTEN = [
    # hands, cards played, hands after: neighbours that one player alone holds are one rank
    (((1, 2, 3), (1, 2, 3)), (1, 3), ((2, 3), (1, 2))),  # A: 2, 3; B: 1, 2 -> B AB A
    (((2, 3), (1, 2)), (2, 2), ((2,), (1,))),
    (((1, 2, 3), (1, 2, 3)), (1, 2), ((2, 3), (1, 3))),  # A: 2, 3; B: 1, 3 -> B A AB
    (((2, 3), (1, 3)), (3, 1), ((1,), (2,))),
    (((2, 3), (1, 3)), (2, 3), ((2,), (1,))),
    (((1, 2, 3), (1, 2, 3)), (2, 2), ((1, 2), (1, 2))),
]


@each_row(("hands", "played", "after"), WRITTEN)
def test_written_tricks(hands, played, after):
    game = make_game("jujitsu", num_cards=3, view="word")
    (outcome,) = game.transitions(DuelState(hands), {p: rank - 1 for p, rank in enumerate(played)})
    assert outcome.state.hands == after


def test_runs_of_one_player_are_one_rank_held_several_times():
    game = make_game("dinosaur_war", hand_0=(1, 2, 5, 6), hand_1=(3, 4, 7, 8), view="word")
    assert game.hands == ((1, 1, 3, 3), (2, 2, 4, 4))
    assert game.facts.num_actions == 4
    seen = game.observation(game.initial()[0].state, 1)
    assert seen.tolist() == [0, 2, 0, 2, 2, 0, 2, 0, 0, 0]
    assert game == make_game("dinosaur_war", hand_0=(10, 20, 50, 51), hand_1=(30, 31, 60, 90), view="word")
    lines = game.describe(game.initial()[0].state).splitlines()
    assert lines[:2] == ["player_0  1 1 . . 3 3 . .", "player_1  . . 2 2 . . 4 4"]


@both_views
def test_the_game_is_the_same(cards, packs):
    """From every state, every card leads to the interleaving of what it leads to, for the same payment and value."""
    first, second = solve(cards), solve(packs)
    assert second.method == "backward induction over words"
    assert second.value == pytest.approx(first.value, abs=1e-12)
    states = reachable(packs)
    assert set(states) == {packed(cards, state) for state in reachable(cards)}
    for state in reachable(cards):
        same = packed(cards, state)
        assert second.value_at(same) == pytest.approx(first.value_at(state), abs=1e-12)
        numbers = [dict(zip(*hands, strict=True)) for hands in zip(state.hands, same.hands, strict=True)]
        for actions in joint_actions(cards, state):
            ranks = {player: numbers[player][cards.ranks[action]] for player, action in actions.items()}
            (here,) = cards.transitions(state, actions)
            (there,) = packs.transitions(same, {p: packs.ranks.index(r) for p, r in ranks.items()})
            assert there.state == packed(cards, here.state)
            assert there.rewards == here.rewards
    for state in states:
        mirrored = DuelState(state.hands[::-1], -state.score, state.ties)
        assert packs.canonical(state).state in (state, mirrored)
    # No rank is held more often than its bound.
    held = np.max([[hand.count(rank) for rank in packs.ranks] for s in states for hand in s.hands], axis=0)
    most = np.array(most_held(packs.hands))
    assert (held <= most).all()
    assert (most <= 2 * held).all()


@each_row("hands", HANDS)
def test_most_ties_by_listing_all_hands_that_can_be_left(hands):
    most = {}
    for left in range(len(hands[0]) + 1):
        for remaining in product(*(sub_hands(hand, left) for hand in hands)):
            gone = sum(
                min(*(hand.count(rank) - kept.count(rank) for hand, kept in zip(hands, remaining, strict=True)))
                for rank in {*hands[0], *hands[1]}
            )
            word = interleaving(remaining)
            most[word] = max(gone, most.get(word, 0))
    assert all(most_ties(hands, word) == ties for word, ties in most.items())
    assert most_ties(hands, ((0,) * 5, (1,) * 5)) is None
    assert {interleaving_word(*word) for word in most} == {
        interleaving_word(*remaining)
        for left in range(len(hands[0]) + 1)
        for remaining in product(*(sub_hands(hand, left) for hand in hands))
    }


WORD = make_game("jujitsu", num_cards=4, view="word")
MARGIN = make_game("jujitsu", num_cards=4, payoff="margin", view="word")


def test_dice_have_no_interleavings():
    with pytest.raises(ValueError, match=r"view \(word\) must be cards unless only the order of ranks matters"):
        make_game("dice_wars", num_cards=2, view="word")
    with pytest.raises(ValueError, match=r"view \('words'\) must be one of 'cards', 'word'"):
        make_game("jujitsu", num_cards=2, view="words")


def test_scores_are_left_out_where_they_cannot_matter():
    assert {state.score for state in reachable(MARGIN)} == {0}
    assert MARGIN.facts.observation_low[-2:] == (0.0, 0.0)
    assert MARGIN.facts.observation_high[-2:] == (0.0, 4.0)
    assert {state.score for state in reachable(WORD)} == {-3, -2, -1, 0, 1, 2, 3}


def test_uniform_play_goes_by_cards():
    game = make_game("dinosaur_war", hand_0=(1, 2, 5), hand_1=(3, 4, 6), view="word")
    mix = asked(game, make_policy("uniform", game), game.initial()[0].state, 0)
    assert mix == pytest.approx([2 / 3, 0, 1 / 3, 0])


# -- batches -----------------------------------------------------------------------------------
