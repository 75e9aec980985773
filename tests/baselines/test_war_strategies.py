"""The strategies of WAR 2017, by the hands they are given; places are those of the paper and its program."""

from functools import cache

import numpy as np
import pytest
from brute_force import asked
from thinning import each_row
from toys import Answering, Arbitrary

from baselines import make_policy, match
from baselines.opponents.war import DummiePlayer, SimpleMindedPlayer1
from cardwar_envs import make_game
from cardwar_envs.core.play import play_episode
from cardwar_envs.core.policy import checked_probabilities
from cardwar_envs.core.policy_names import needs_others, seated_policies
from cardwar_envs.games.war.actions import WarChoice
from cardwar_envs.games.war.state import new_state

ONE_ANSWER = (
    "min", "max", "simple_minded_1", "simple_minded_2", "simple_minded_1_as_written", "simple_minded_2_as_written",
)  # fmt: skip
NAMES = (*ONE_ANSWER, "dummie", "weighted_cards")
ADVERSARIES = ("general_purpose_adversary", "general_purpose_adversary_as_written")


def war(players=2, **parameters):
    return make_game("war", num_players=players, **parameters)


def standing(*hands, tied=(), rounds_left=9):
    """A state of these hands alone: strategies look at no more, so the other cards need not be anywhere."""
    live = tuple(p for p, hand in enumerate(hands) if hand or p in tied)
    return new_state(tuple(map(tuple, hands)), ((),) * len(hands), (), tuple(tied), live, rounds_left)


def played(game, policy, state, player=0):
    """What a policy that is certain plays: a card, a war choice or None."""
    answer = asked(game, policy, state, player)
    assert sorted(answer.tolist())[-2:] == [0.0, 1.0]
    return game.actions.decode(int(answer.argmax()))


def test_dummie_draws_cards_without_putting_them_back():
    """All hands of discards and a battle card, counted card by card (III.C; lines 31-34)."""
    game, hand = war(ranks=4, discards=2), (2, 2, 3, 5, 5)
    state = standing(hand, (3, 4, 4), tied=(0, 1))
    ways = np.zeros(game.facts.num_actions)
    for i, j, k in ((i, j, k) for i in range(5) for j in range(5) for k in range(5) if len({i, j, k}) == 3):
        ways[game.actions.encode(((hand[i], hand[j]), hand[k]))] += 1
    for name in ("dummie", "uniform"):
        assert asked(game, make_policy(name, game), state, 0) == pytest.approx(ways / ways.sum())
    assert asked(game, make_policy("dummie", game), standing(hand, (3,)), 0)[:4].tolist() == [0.4, 0.2, 0, 0.4]


# -- against a second writing-down, on random states --------------------------------------------


def card_1(hand, others, enough, bold=False):
    """SimpleMindedPlayer1's card by the program; `bold` stands for its second player in a round."""
    others = [sorted(other) for other in others if other]
    best = max((other[-1] for other in others), default=0)
    sure = [card for card in hand if card > best]
    if sure:
        return min(sure)
    dares = max(hand) == best and len(hand) >= enough
    seconds = [other[-2] for other in others if len(other) > 1]
    if dares and (bold or not seconds or sorted(hand)[-2] >= max(seconds)):
        return max(hand)
    return min(hand)


def written_1(hand, others, enough):
    """SimpleMindedPlayer1's card by the text."""
    others = [sorted(other) for other in others if other]
    sure = [card for card in hand if all(card > other[-1] for other in others)]
    second = sorted(hand)[-2] if len(hand) > 1 else 0
    dared = [o[-1] for o in others if o[-1] in hand and (len(o) == 1 or second >= o[-2])]
    return min(sure) if sure else max(dared) if dared and len(hand) >= enough else min(hand)


def written_2(hand, others, enough):
    sure = [card for card in hand if all(card > max(other) for other in others if other)]
    return min(sure) if sure else max(hand) if len(hand) >= enough else min(hand)


SECOND_WRITING = {
    "min": lambda hand, others, enough, at_war: min(hand),
    "max": lambda hand, others, enough, at_war: max(hand),
    "simple_minded_1": lambda hand, others, enough, at_war: card_1(hand, others, enough),
    "simple_minded_2": lambda hand, others, enough, at_war: card_1(hand, others, enough, bold=not at_war),
    "simple_minded_1_as_written": lambda hand, others, enough, at_war: written_1(hand, others, enough),
    "simple_minded_2_as_written": lambda hand, others, enough, at_war: written_2(hand, others, enough),
}
DECKS = [
    war(players, ranks=ranks, discards=discards)
    for players, ranks, discards in [(2, 12, 3), (3, 12, 3), (7, 12, 3), (2, 4, 1), (3, 5, 0), (7, 3, 2), (2, 2, 9)]
]


def random_table(game, rng):
    """Hands of any kind, from few cards or many, in a round or in a war; player 0 has something to choose."""
    players, ranks = game.num_players, game.ranks
    while True:
        cards = rng.permutation(np.repeat(game.cards, players)).tolist()
        sizes = rng.integers(0, rng.integers(1, 2 * ranks + 2), size=players)
        hands = [sorted(cards.pop() for _ in range(min(size, len(cards)))) for size in sizes]
        tied = ()
        if rng.random() < 0.5:
            tied = (0, *np.flatnonzero(rng.random(players - 1) < 0.7) + 1)
        enough = game.discards if tied else 0
        if len(hands[0]) > enough and len(tied) != 1 and any(hands[1:]):
            return standing(*hands, tied=tuple(map(int, tied)))


@cache
def hundreds(game, count=700):
    rng = np.random.default_rng(game.num_players)
    states = [random_table(game, rng) for _ in range(count)]
    seen = np.stack([game.observation(state, 0) for state in states])
    return states, seen, np.stack([game.action_mask(state, 0) for state in states])


def rivals(state):
    """The hands of the others; in a war, of those who are in it."""
    return [state.hands[player] for player in state.tied or range(len(state.hands)) if player]


@each_row("game", DECKS)
def test_a_second_writing_down_agrees_on_random_states(game):
    states, seen, masks = hundreds(game)
    for name, card in SECOND_WRITING.items():
        answers = make_policy(name, game).action_probabilities(seen, masks)
        assert set(np.unique(answers)) == {0.0, 1.0}
        for state, action in zip(states, answers.argmax(axis=1), strict=True):
            hand, cost = list(state.hands[0]), game.discards if state.tied else 0
            battle = card(hand[cost:], rivals(state), game.discards + 2, bool(state.tied))
            expected = WarChoice(tuple(hand[: game.discards]), battle) if state.tied else battle
            assert game.actions.decode(int(action)) == expected, (name, state)


def card_weights(hand, others, enough, at_war):
    """The weights of `weighted_cards`, card by card of the hand (in a war, of the upper hand)."""
    best = max((card for other in others for card in other), default=0)
    if at_war:
        return [50 if card == max(hand) else 1 for card in hand]
    return [30 if card > best else 7 if card == best and len(hand) >= enough else 1 for card in hand]


@each_row("game", DECKS)
def test_weighted_cards_are_drawn_in_proportion_to_their_weights(game):
    states, seen, masks = hundreds(game)
    answers = make_policy("weighted_cards", game).action_probabilities(seen, masks)
    for state, answer in zip(states, answers, strict=True):
        hand = list(state.hands[0][game.discards if state.tied else 0 :])
        weights = card_weights(hand, rivals(state), game.discards + 2, bool(state.tied))
        expected = np.zeros(game.facts.num_actions)
        for card, weight in zip(hand, weights, strict=True):
            play = WarChoice(tuple(state.hands[0][: game.discards]), card) if state.tied else card
            expected[game.actions.encode(play)] += weight / sum(weights)
        assert np.allclose(answer, expected, rtol=0, atol=1e-12), state


BEATABLE = ("dummie", "min", "max", "simple_minded_1", "simple_minded_2")


@pytest.mark.parametrize(("players", "games"), [(2, 200), pytest.param(11, 40, marks=pytest.mark.slow)])
def test_no_simple_strategy_of_the_paper_beats_weighted_cards(players, games):
    """Alone against one or ten of it, sampled; `python -m lab.benchmarks.war_unbeaten` plays more games."""
    game = war(players)
    payoffs = {name: match(game, name, "weighted_cards", games=games, seed=2017).payoff for name in BEATABLE}
    assert {name: payoff.low for name, payoff in payoffs.items() if payoff.low > 0.0} == {}
    assert max(payoffs[name].mean for name in ("dummie", "min", "max")) < 0.0
    # The same measure finds who beats uniform play.
    assert match(game, "max", "dummie", games=games, seed=2017).payoff.low > 0.0


@each_row("game", DECKS)
def test_text_and_program_of_the_first_agree_against_one_opponent_only(game):
    """A copy of the only opponent's highest card is the own highest card if none is certain to win."""
    states, seen, masks = hundreds(game)
    names = ("simple_minded_1", "simple_minded_1_as_written")
    program, text = (make_policy(name, game).action_probabilities(seen, masks) for name in names)
    differ = (program != text).any(axis=1)
    assert not differ[[sum(map(bool, rivals(state))) < 2 for state in states]].any()
    assert game.num_players == 2 or differ.any()


@each_row("game", DECKS)
def test_a_batch_is_its_rows_and_nothing_else_of_the_table_matters(game):
    players, ranks = game.num_players, game.ranks
    _, seen, masks = hundreds(game, 40)
    other = seen.copy()
    wins_and_pot = np.r_[tuple(np.r_[p * 2 * ranks + ranks : (p + 1) * 2 * ranks] for p in range(players))]
    other[:, np.r_[wins_and_pot, 2 * players * ranks : (2 * players + 1) * ranks]] = 1.0
    other[:, -1] = 3.0
    for name in NAMES:
        policy = make_policy(name, game)
        answer = row_by_row(policy, seen, masks)
        assert np.array_equal(answer, checked_probabilities(policy, other, masks))
        assert policy.stationary
        assert checked_probabilities(policy, seen[:0], masks[:0]).shape == masks[:0].shape


def row_by_row(policy, seen, masks):
    """What a policy answers to a batch, which is what it answers to its rows."""
    answer = checked_probabilities(policy, seen, masks)
    rows = [checked_probabilities(policy, seen[i : i + 1], masks[i : i + 1])[0] for i in range(len(seen))]
    assert np.array_equal(answer, rows)
    return answer


@each_row("name", [*NAMES, *ADVERSARIES])
def test_who_is_not_in_a_war_waits(name):
    game = war(4)
    state = standing((2, 3, 4, 5), (2, 3, 4), (6, 7, 8, 9), (10,), tied=(0, 1))
    policy = make_policy(name, game, **({"others": ["min"] * 3} if name in ADVERSARIES else {}))
    for player in (1, 2, 3):  # cannot pay, not tied, not tied
        assert played(game, policy, state, player) is None


def adversary(game, others, as_written=False):
    return make_policy(ADVERSARIES[as_written], game, others=others)


def both(state, others):
    """What the program's and the text's adversary play."""
    game = war(len(state.hands))
    cards = [played(game, adversary(game, others, as_written), state) for as_written in (False, True)]
    return tuple(card.battle if isinstance(card, WarChoice) else card for card in cards)


@each_row(
    ("state", "others", "expected"),
    [
        # as cheaply as it can (III.F; lines 121-136)
        (standing((2, 7, 13), (6, 13)), ["min"], (7, 7)),
        (standing((2, 7, 13), (6, 13), (8, 9)), ["min", "max"], (13, 13)),
        (standing((2, 7, 13), (6, 13), (), (5,)), ["min", "max", "max"], (7, 7)),
        (standing((2, 3), (13,)), ["max"], (2, 2)),
        # with four cards the program forces no tie (line 137); the text sees that it would not win it
        (standing((2, 3, 4, 13), (2, 3, 4, 5, 13)), ["max"], (2, 2)),
        # a tie that is lost: 5 against 12 (lines 143-151)
        (standing((2, 3, 4, 5, 13), (2, 3, 4, 12, 13)), ["max"], (2, 2)),
        # a tie that is won, and one that the other cannot pay for
        (standing((2, 3, 4, 12, 13), (2, 3, 4, 5, 13)), ["max"], (13, 13)),
        (standing((2, 3, 4, 5, 13), (2, 3, 12, 13)), ["max"], (13, 13)),
        # a tie that would be one again is forced by the program; nobody can pay for the second war
        (standing((2, 3, 4, 12, 13), (2, 3, 4, 12, 13)), ["max"], (13, 2)),
        # the second war is won, because only the adversary can pay for it; then the other can too
        (standing((2, 3, 4, 5, 6, 7, 8, 12, 13), (2, 3, 4, 5, 6, 7, 12, 13)), ["max"], (13, 13)),
        (standing((2, 3, 4, 5, 6, 7, 8, 12, 13), (2, 3, 4, 5, 6, 7, 11, 12, 13)), ["max"], (2, 2)),
        # a tie with four cards: the text's adversary is the only one to pay
        (standing((2, 3, 4, 5, 13), (2, 13), (2, 13)), ["max", "max"], (13, 13)),
        # inside a war the program asks for the card that the other would play in a round
        (standing((2, 3, 4, 5, 6, 7, 8), (2, 3, 4, 6), tied=(0, 1)), ["min"], (5, 7)),
        (standing((2, 3, 4, 5, 6, 7, 8), (2, 3, 4, 6), tied=(0, 1)), ["max"], (7, 7)),
        (standing((2, 3, 4, 5, 6), (2, 3, 4, 9), tied=(0, 1)), ["max"], (5, 5)),
        # those who are tied and cannot pay are asked by the program, not by the text
        (standing((2, 3, 4, 5, 6, 7), (2, 6), tied=(0, 1)), ["max"], (7, 5)),
        (standing((2, 3, 4, 5, 6, 7), (), (2, 3, 4), tied=(0, 1)), ["max", "max"], (5, 5)),
        # one of the tied has no cards left, and is passed over
        (standing((2, 3, 4, 5, 6, 7), (), (2, 3, 5, 6), tied=(0, 1, 2)), ["simple_minded_1"] * 2, (5, 7)),
    ],
)
def test_what_the_adversaries_play(state, others, expected):
    assert both(state, others) == expected


@each_row(
    ("theirs", "expected"),
    [
        ((2, 3, 4, 5, 6, 7, 12), (12, 12)),  # after 12 against 12 it holds 8, the other 7 or nothing to pay with
        ((2, 3, 4, 5, 6, 8, 12), (12, 12)),  # 8 against 8 does not stop the program
        ((2, 3, 4, 5, 6, 7, 9, 12), (5, 5)),  # 9 would win
        ((2, 3, 4, 5, 9, 12), (5, 12)),  # the other cannot pay any more, but for the program it can
    ],
)
def test_adversaries_look_ahead_from_a_war_too(theirs, expected):
    """The program has the others keep the discards of the war from which it looks ahead (lines 138-145, 159-162)."""
    assert both(standing((2, 3, 4, 5, 6, 7, 8, 12), theirs, tied=(0, 1)), ["max"]) == expected


def test_a_player_without_cards_makes_the_program_skip_the_next():
    """It removes from the list that it goes through (lines 139-142): the next one keeps its copy of the card."""
    mine = (2, 3, 4, 12, 13)
    assert both(standing(mine, (13,), mine), ["max", "max"])[0] == 2  # is thought to battle with its 13
    assert both(standing(mine, mine, (13,)), ["max", "max"])[0] == 13  # 12 against 12
    assert both(standing(mine, mine, ()), ["max", "max"])[0] == 13


def test_adversaries_ask_the_seats_in_their_order():
    """The first of `others` sits next, from whichever seat the adversary looks."""
    game = war(3)
    hands = ((2, 9, 13), (3, 8), (4, 11))
    for turn in range(3):
        turned = standing(*hands[-turn:], *hands[:-turn]) if turn else standing(*hands)
        low = played(game, adversary(game, ["max", "min"]), turned, turn)
        high = played(game, adversary(game, ["min", "max"]), turned, turn)
        assert (low, high) == (9, 13)


@each_row("others", [(name,) for name in ONE_ANSWER] + [("min", "max", "simple_minded_1")])
@each_row("name", ADVERSARIES)
def test_the_adversary_at_least_ties(name, others):
    """Section III.F says that it at least ties with any known strategies; here it wins."""
    game = war(1 + len(others))
    assert play_episode(game, [name, *others]).payoffs[0] == 1.0


@each_row("name", ADVERSARIES)
def test_an_adversary_must_be_told_whom_it_plays(name):
    game, needs = war(3), "needs the policies of the 2 other seats, next seat first"
    informed = [*ADVERSARIES, make_policy(name, game, others=["min", "min"])]
    for others, message in (
        *((others, needs) for others in (None, [], ["min"], ["min"] * 3, "min")),
        (["min", "best"], "unknown policy 'best'"),
        (["min", 3], r"policy \(3\) must be a name"),
        *((["min", each], "cannot play against another adversary that must know its play") for each in informed),
    ):
        with pytest.raises(ValueError, match=message):
            make_policy(name, game, others=others)
    with pytest.raises(ValueError, match=needs):
        make_policy(name, game)
    with pytest.raises(ValueError, match=f"^{name} plays war, not jujitsu; policies for jujitsu are"):
        make_policy(name, make_game("jujitsu"), others=["highest_card"])


@each_row("name", ADVERSARIES)
def test_an_adversary_must_be_certain_of_the_others(name):
    game = war()
    state = standing((2, 7), (3, 3, 5))
    with pytest.raises(ValueError, match=r"needs deterministic opponents, but dummie plays '3' with .* 0\.66"):
        asked(game, make_policy(name, game, others=["dummie"]), state, 0)
    bad = Answering(lambda seen, masks: masks * 0.0)
    with pytest.raises(ValueError, match="probabilities sum to 0, not to 1"):
        asked(game, make_policy(name, game, others=[bad]), state, 0)
    # Only where it asks: with one card the other has no choice.
    assert played(game, make_policy(name, game, others=["dummie"]), standing((2, 7), (3,))) == 7


def test_an_adversary_is_stationary_if_the_others_are():
    game = war(3)
    assert adversary(game, ["min", "max"]).stationary
    assert not adversary(game, ["min", Arbitrary()]).stationary


def test_a_line_up_tells_the_adversary_whom_it_plays():
    game = war(3)
    for name in ADVERSARIES:
        for seat in range(3):
            line_up = ["min", "max"]
            line_up.insert(seat, name)
            seated = seated_policies(line_up, game)
            others = [seated[(seat + k) % 3] for k in (1, 2)]
            assert [type(each) for each in seated[seat]._others] == [type(each) for each in others]
            assert seated[seat]._others == others
    assert needs_others("general_purpose_adversary")
    assert not needs_others("simple_minded_1")
    assert not needs_others(seated[2])


def test_a_line_up_takes_objects_as_they_are_and_asks_for_a_name_once():
    game = war(4)
    mine = make_policy("min", game)
    seated = seated_policies([mine, "dummie", "simple_minded_1", "dummie"], game)
    assert seated[0] is mine
    assert seated[1] is seated[3]
    assert [type(each) for each in seated[1:3]] == [DummiePlayer, SimpleMindedPlayer1]
    told = make_policy("general_purpose_adversary", war(2), others=["max"])
    assert seated_policies([told, "max"], war(2))[0] is told


def test_two_adversaries_cannot_play_each_other():
    game = war(2)
    with pytest.raises(ValueError, match=" and general_purpose_adversary_as_written: only one policy may depend"):
        seated_policies(ADVERSARIES, game)
    with pytest.raises(ValueError, match="cannot play against another adversary that must know"):
        seated_policies([adversary(game, ["min"]), "general_purpose_adversary"], game)
