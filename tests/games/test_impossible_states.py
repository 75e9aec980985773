"""States that cannot come up are refused, in one line that says why. WAR's stand with its rules in `test_war`."""

import numpy as np
import pytest
from thinning import each_row

from cardwar_envs import DuelState, make_game
from cardwar_envs.games.dice_poker import DicePoker, DicePokerState
from cardwar_envs.games.goofspiel import GoofspielState
from cardwar_envs.games.lowest_unique import LowestUniqueState
from cardwar_envs.games.oshi_zumo import OshiZumoState

JUJITSU = make_game("jujitsu", num_cards=4)
DISCARD = make_game("jujitsu", num_cards=4, ties="discard")
UNLIKE = make_game("dinosaur_war", hand_0=(1, 1, 2), hand_1=(2, 3, 3), ties="carry")
DICE = make_game("dice_wars", num_cards=3, ties="carry")
FULL = (1, 2, 3, 4)
WORD = make_game("jujitsu", num_cards=4, view="word")
MARGIN = make_game("jujitsu", num_cards=4, payoff="margin", view="word")
OSHI_ZUMO = make_game("oshi_zumo", coins=5, size=1)
UNIQUE = make_game("lowest_unique", rounds=2)
POKER = make_game("dice_poker")


def played(hands=((1, 2), (1, 3)), prize=3, prizes=(1,), score=0, carried=0):
    """A state of three cards each in which player 0 has bid 3 for a prize of 2, and player 1 bid 2."""
    return GoofspielState(hands, prize, prizes, score, carried)


WIN = {"ties": "carry", "payoff": "win"}
DUELS = [
    (JUJITSU, DuelState(((1, 2), (1,))), "hands of unequal size, 2 and 1"),
    (JUJITSU, DuelState(((1, 5), (1, 2))), r"player_0 cards that it cannot hold: \[5\]"),
    (JUJITSU, DuelState(((1, 2), (2, 2))), r"player_1 cards that it cannot hold: \[2\]"),
    (JUJITSU, DuelState._make((((2, 1), (1, 2)), 0, 0)), r"unsorted hand \(2, 1\)"),
    (JUJITSU, DuelState((FULL, FULL), 0, 1), r"1 carried tie, which must be in 0\.\.0"),
    (JUJITSU, DuelState(((1, 2), (1, 2)), 3), "score 3, impossible after 2 tricks with 0 carried ties"),
    (JUJITSU, DuelState(((1, 2), (1, 2)), 2, 1), "score 2, impossible after 2 tricks with 1"),
    (JUJITSU, DuelState(((1, 2), (1, 2)), 0, 3), r"3 carried ties, which must be in 0\.\.2"),
    (JUJITSU, DuelState(((1, 2), (1, 2)), 0, -1), "-1 carried ties"),
    (DISCARD, DuelState(((1, 2), (1, 2)), 0, 1), r"1 carried tie, which must be in 0\.\.0"),
    (DISCARD, DuelState(((1, 2), (3, 4)), 1), "score 1, impossible after 2 tricks"),
    (UNLIKE, DuelState(((1, 1), (3, 3)), 0, 2), r"2 carried ties, which must be in 0\.\.1"),
    (DICE, DuelState(((1, 2, 3), (1, 2, 3)), 0, 1), "1 carried tie"),
    (DICE, DuelState(((1,), (2,)), 2, 1), "score 2, impossible after 2 tricks with 1"),
    (JUJITSU, DuelState(((1.0, 2), (1, 2))), "must be a DuelState of two hands"),
    (JUJITSU, DuelState(((1, 2), (1, 2)), 0.0), "must be a DuelState of two hands"),
    (JUJITSU, DuelState._make((((1, 2), (1, 2), (1, 2)), 0, 0)), "must be a DuelState of two hands"),
    (JUJITSU, DuelState._make((5, 0, 0)), "must be a DuelState of two hands"),
    (JUJITSU, (((1, 2), (1, 2)), 0, 0), "must be a DuelState of two hands"),
    (WORD, DuelState(((2, 3), (2, 3))), r"must be packed: \(\(1, 2\), \(1, 2\)\)"),
    (WORD, DuelState(((1, 2), (3, 4))), r"must be packed: \(\(1, 1\), \(2, 2\)\)"),
    (WORD, DuelState(((1, 1, 1), (2, 2, 2))), "no hands that can remain in this game interleave like that"),
    (WORD, DuelState(((1, 1), (2, 2)), 1), "score 1, impossible after 2 tricks"),
    (WORD, DuelState(((1, 1), (2, 2)), 0, 1), r"1 carried tie, which must be in 0\.\.0"),
    (MARGIN, DuelState(((1, 2), (1, 2)), 2), "score 2, which must be 0 in a game"),
]
GOOFSPIEL = [
    ({}, played(hands=((2, 1), (1, 3))), r"unsorted hand \(2, 1\)"),
    ({}, played(hands=((1, 1), (1, 3))), r"hand \(1, 1\) of player_0, which must be distinct cards"),
    ({}, played(hands=((1, 2), (1, 4))), r"hand \(1, 4\) of player_1"),
    ({}, played(prizes=()), "hands of 2 and 2 cards, and 1 prizes"),
    ({}, played(prize=1), r"prizes \(1, 1\), which must be distinct numbers in 1\.\.3"),
    ({}, played(prize=0, prizes=(1, 2)), "no prize to bid for"),
    ({}, played(score=1), "score 1, which must be 0 in a game in which the score"),
    ({}, played(carried=1), r"1 carried points, which must be in 0\.\.0"),
    ({"prizes": "descending"}, played(), "prize 3 and later .*, impossible if the order is descending"),
    ({"prizes": "ascending"}, played(prizes=(2,), prize=3), "impossible if the order is ascending"),
    (WIN, played(carried=2), r"2 carried points, which must be in 0\.\.0"),
    (WIN, played(score=1), "score 1, impossible if at most 2 points were won"),
    ({"view": "word"}, played(hands=((2, 3), (2, 3))), r"must be packed: \(\(1, 2\), \(1, 2\)\)"),
    ({"view": "word"}, played(hands=((1, 1), (1, 1))), "no hands that can remain in this game interleave like that"),
]
OTHERS = [
    (OSHI_ZUMO, OshiZumoState((6, 5), 0, 5), r"coins \(6, 5\), which must be in 0\.\.5"),
    (OSHI_ZUMO, OshiZumoState((5, 4), 1, 4), r"position 1, impossible with coins \(5, 4\) left"),
    (OSHI_ZUMO, OshiZumoState((0, 5), 3, 4), "position 3, impossible"),
    (OSHI_ZUMO, OshiZumoState((5, 5), 0, 6), r"6 moves left, which must be in 0\.\.5"),
    (OSHI_ZUMO, OshiZumoState((3, 2), 0, 4), r"4 moves left, which must be in 0\.\.3"),
    (OSHI_ZUMO, OshiZumoState((3, 2.5), 0, 3), "must be an OshiZumoState of two coin counts"),
    (UNIQUE, LowestUniqueState(3), "0..2 rounds left"),
    (UNIQUE, LowestUniqueState(1, 3), "a player or None"),
    (UNIQUE, LowestUniqueState(2, 0), "last_winner 0, but no round was played"),
    (POKER, DicePokerState((0, 1)), r"roll 0 of player_0, which must be in 1\.\.6"),
    (POKER, DicePokerState((1, 2), (0, 2)), r"actions \(0, 2\), which must be None or two of 0 and 1"),
    (POKER, DicePokerState((1, 2, 3)), "must be a DicePokerState"),
    (POKER, DicePokerState((1.5, 2)), "must be a DicePokerState"),
    (POKER, DicePokerState([1, 2]), "must be a DicePokerState"),
    (POKER, DicePokerState((1, 2), [0, 1]), "must be a DicePokerState"),
    (POKER, ((1, 2), None), "must be a DicePokerState"),  # no field of it could be asked for later
]
IMPOSSIBLE = [
    *DUELS,
    *((make_game("goofspiel", num_cards=3, **parameters), *row) for parameters, *row in GOOFSPIEL),
    *OTHERS,
]


@each_row(("game", "state", "message"), IMPOSSIBLE)
def test_impossible_states_are_refused(game, state, message):
    with pytest.raises(ValueError, match=f"state.*{message}") as caught:
        game.check(state)
    assert "\n" not in str(caught.value)


def test_states_that_can_be():
    make_game("goofspiel", num_cards=3, ties="carry").check(GoofspielState(((1, 2), (1, 2)), 3, (1,), 0, 2))
    for game, state in (
        (POKER, DicePokerState((1, 6))),
        (POKER, DicePokerState((6, 1), (1, 0))),
        (DicePoker(sides=10), DicePokerState((np.int64(10), 1))),
    ):
        game.check(state)
