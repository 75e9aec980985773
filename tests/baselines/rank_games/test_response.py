"""Results of policies in duels worked out layer by layer, held to the graph of all states."""

from dataclasses import replace

import numpy as np
import pytest
from brute_force import asked, reachable, seen
from tiny_games import TINY_GAMES, each_of
from toys import Answering, Arbitrary, uniform_over

import baselines
from baselines import best_response, exploitability, head_to_head, nash_conv
from baselines.oracles.rank_games.response import DuelOracle, DuelPlay, plays_by_words
from baselines.oracles.rank_games.sizes import states_at_most
from baselines.oracles.rank_games.solver import FEW
from baselines.oracles.rank_games.word_policy import WordPolicy
from baselines.oracles.state_graph.backward_induction import EquilibriumTable
from baselines.oracles.state_graph.game_graph import full_graph
from baselines.oracles.state_graph.response import GraphOracle
from cardwar_envs import Duel, make_game
from cardwar_envs.games.duel.interleaving import interleaving

LAYERED = {name: game for name, game in TINY_GAMES.items() if DuelOracle.takes(game)}
LARGER = {
    "jujitsu 5": make_game("jujitsu", num_cards=5),
    "jujitsu 6 as words": make_game("jujitsu", num_cards=6, view="word"),
    "duplicates": make_game("dinosaur_war", hand_0=(1, 1, 3, 3, 4), hand_1=(1, 3, 3, 3, 5), ties="carry"),
    "duplicates, win": make_game(
        "dinosaur_war", hand_0=(1, 1, 3, 3, 4), hand_1=(1, 3, 3, 3, 5), payoff="win", view="word"
    ),
}
each_duel = each_of({**LAYERED, **LARGER})
BY_WORDS = ("uniform", "highest_card", "lowest_card", "second_lowest_card", "equilibrium")


def close(first, second):
    return np.allclose(np.array(first), np.array(second), rtol=0.0, atol=1e-12)


def figures(result):
    return result.win, result.loss, result.tie, result.mean


def policies_for(game):
    """One policy in both seats, two that differ, and two that play by words."""
    same = Arbitrary(1)
    named = [baselines.make_policy(name, game) for name in ("uniform", "lowest_card")]
    return [(same, same), (Arbitrary(2), Arbitrary(3)), (named[0], named[0]), tuple(named), (named[0], same)]


def test_dice_and_what_is_no_duel_go_through_the_graph():
    for game in TINY_GAMES.values():
        assert DuelOracle.takes(game) == (isinstance(game, Duel) and game.ranks_are_ordinal)


@pytest.mark.plain_kernels
@each_of(LAYERED)
def test_results_of_tiny_games_are_those_of_the_graph(game):
    hold_to_the_graph(game)


@each_of(LARGER)
def test_results_are_those_of_the_graph(game):
    hold_to_the_graph(game)


def hold_to_the_graph(game):
    for policies in policies_for(game):
        truth, found = GraphOracle(game), nash_conv(game, policies)
        payoffs, responses = truth.payoffs(policies)
        assert close(found.payoffs, payoffs)
        assert close(np.add(found.payoffs, found.per_player), responses)
        assert close(figures(head_to_head(game, *policies)), figures(truth.odds(policies)))


@pytest.mark.thin
@each_duel
@pytest.mark.parametrize("player", [0, 1])
def test_a_response_earns_its_value_and_is_deterministic(game, player):
    for policies in policies_for(game):
        response = best_response(game, policies, player)
        assert response.value == pytest.approx(GraphOracle(game).response(policies, player).value, abs=1e-12)
        seats = list(policies)
        seats[player] = response.policy
        assert GraphOracle(game).payoffs(seats)[0][player] == pytest.approx(response.value, abs=1e-12)
        for state in reachable(game)[:40]:
            if game.acting_players(state) and game.settled(state) is None:
                assert sorted(asked(game, response.policy, state, player))[-2:] in ([0.0, 1.0], [1.0])


@pytest.mark.slow
def test_a_response_plays_cards_at_full_size_where_the_policy_plays_by_words():
    """Sanwal and Drechsler 2002, section 5.2: second lowest card beats lowest card; at full size."""
    game = make_game("jujitsu")
    response = best_response(game, "lowest_card")
    assert response.value == 1.0
    assert head_to_head(game, "second_lowest_card", "lowest_card").win == 1.0
    states = [game.initial()[0].state]
    for _ in range(12):  # one course of play against the lowest card
        played = int(asked(game, response.policy, states[-1], 0).argmax())
        lowest = game.legal_actions(states[-1], 1)[0]
        states.append(game.transitions(states[-1], {0: played, 1: lowest})[0].state)
    assert states[-1].score > 0


# -- how policies are asked ----------------------------------------------------------------------


class Noting:
    """Plays `Arbitrary` and keeps what it was shown."""

    def __init__(self, seed=1):
        self.shown, self._policy = [], Arbitrary(seed)

    def action_probabilities(self, observations, action_masks):
        self.shown.append(observations.copy())
        return self._policy.action_probabilities(observations, action_masks)


@each_duel
def test_each_undecided_observation_is_shown_once_to_a_policy_in_both_seats(game):
    policy = Noting()
    DuelOracle(game).payoffs([policy, policy])
    shown = [row.tobytes() for rows in policy.shown for row in rows]
    expected = [row.tobytes() for player in (0, 1) for row in full_graph(game).seen_by(player)[1]]
    alike = game.hands[0] == game.hands[1]
    assert sorted(shown) == (sorted(set(expected)) if alike else sorted(expected))


def test_batches_are_no_larger_than_they_should_be(monkeypatch):
    game, policy = LARGER["jujitsu 5"], Noting()
    whole = DuelOracle(game).payoffs([policy, policy])
    monkeypatch.setattr("baselines.oracles.rank_games.response.BATCH", 11)
    policy.shown.clear()
    assert DuelOracle(game).payoffs([policy, policy]) == whole
    assert max(map(len, policy.shown)) == 11


def test_threads_change_nothing(monkeypatch):
    game = LARGER["jujitsu 6 as words"]
    whole = nash_conv(game, Arbitrary(1))
    monkeypatch.setattr("baselines.system.threads.CHUNK", 7)
    assert nash_conv(game, Arbitrary(1)) == whole


# -- words ---------------------------------------------------------------------------------------


@pytest.mark.thin
@pytest.mark.parametrize("name", BY_WORDS)
@each_of({name: g for name, g in {**LAYERED, **LARGER}.items() if g.view == "cards"})
def test_those_who_say_that_they_play_by_words_do(game, name):
    """Where two situations have one word, ranks of the word get the same probabilities, cards share alike."""
    policy = baselines.make_policy(name, game)
    assert plays_by_words(policy)
    seen = {}
    for state in reachable(game):
        if not game.acting_players(state) or game.settled(state) is not None:
            continue
        for player in (0, 1):
            hands = interleaving((state.hands[player], state.hands[1 - player]))
            score = (1 - 2 * player) * state.score if game.payoff == "win" else 0
            mix, of_word = asked(game, policy, state, player), np.zeros(len(game.ranks))
            for card, number in zip(state.hands[player], hands[0], strict=True):
                count = state.hands[player].count(card)
                of_word[number] += mix[game.ranks.index(card)] / count
            if name in ("uniform", "equilibrium"):
                for card, number in zip(state.hands[player], hands[0], strict=True):
                    share = mix[game.ranks.index(card)] / state.hands[player].count(card)
                    assert share == pytest.approx(of_word[number] / hands[0].count(number), abs=1e-12)
            known = seen.setdefault((hands, score, state.ties), of_word)
            assert of_word == pytest.approx(known, abs=1e-12)


@pytest.mark.thin
@pytest.mark.parametrize("name", BY_WORDS)
@each_duel
def test_what_is_said_to_play_by_words_comes_to_what_it_comes_to_card_by_card(game, name):
    policy = baselines.make_policy(name, game)
    plain = Answering(policy.action_probabilities)  # says nothing of itself
    for first, second in ((policy, policy), (policy, Arbitrary(1))):
        hidden = [plain if each is policy else each for each in (first, second)]
        expected, found = nash_conv(game, hidden), nash_conv(game, (first, second))
        assert close(found.payoffs, expected.payoffs)
        assert close(found.per_player, expected.per_player)
    assert close(*(figures(head_to_head(game, each, each)) for each in (policy, plain)))


@each_of({name: g for name, g in {**LAYERED, **LARGER}.items() if g.view == "cards"})
def test_a_policy_on_words_comes_to_the_same_at_cards(game):
    words, policy = replace(game, view="word"), Arbitrary(4)
    wrapped = WordPolicy(game, policy)
    plain = Answering(wrapped.action_probabilities)
    expected = nash_conv(words, policy)
    for each in (wrapped, plain):
        assert close(nash_conv(game, each).per_player, expected.per_player)
        assert close(nash_conv(game, each).payoffs, expected.payoffs)


def test_a_word_policy_is_for_duels_seen_as_cards():
    for game in (make_game("jujitsu", num_cards=3, view="word"), make_game("war")):
        with pytest.raises(ValueError, match="not a duel or goofspiel with view='cards'"):
            WordPolicy(game, "uniform")
    with pytest.raises(ValueError, match=r"view \(word\) must be cards"):
        WordPolicy(make_game("dice_wars", num_cards=3), "uniform")


# -- full size -----------------------------------------------------------------------------------


def test_a_policy_that_says_nothing_is_refused_at_full_size_without_being_asked():
    def refuses(observations, masks):
        raise AssertionError("asked")

    game = make_game("jujitsu")
    message = "up to 324,669,450 undecided states, .* far fewer with view='word'"
    for oracle in (nash_conv, exploitability, best_response):
        with pytest.raises(ValueError, match=message):
            oracle(game, Answering(refuses))
    with pytest.raises(ValueError, match=message):
        head_to_head(game, "uniform", Answering(refuses))


@each_of({name: g for name, g in LAYERED.items() if g.view == "cards"})
def test_the_count_of_states_is_a_bound(game):
    pairs, states = states_at_most(game)
    undecided = full_graph(game).states
    assert len(undecided) <= states
    assert len({state.hands for state in undecided}) <= pairs
    # Pairs that the start can lead to at all: every pair of hands of equal size.
    assert pairs == len({state.hands for state in reachable(game) if state.hands[0]})


def test_too_many_words_are_refused_as_soon_as_there_are(monkeypatch):
    monkeypatch.setattr("baselines.oracles.rank_games.response.MOST_STATES", 1000)
    with pytest.raises(ValueError, match="jujitsu has more than 1,000 undecided states"):
        exploitability(make_game("jujitsu", num_cards=8, view="word"), "uniform")


def test_as_many_queries_as_there_are_undecided_interleavings():
    game = make_game("jujitsu", num_cards=8)
    policy = baselines.make_policy("uniform", game)
    play = DuelPlay(game, [policy, policy])
    play.results()
    assert play.asked == 5262


@pytest.mark.slow
def test_optimal_play_at_full_size_cannot_be_exploited():
    game = make_game("jujitsu", view="word")
    assert exploitability(game, "equilibrium") == pytest.approx(0.0, abs=1e-12)
    assert exploitability(make_game("jujitsu"), "uniform") == pytest.approx(0.3500643347778766, abs=1e-12)


# -- optimal play in batches -----------------------------------------------------------------------


@each_duel
def test_optimal_play_in_batches_is_that_of_single_states(game):
    policy = baselines.make_policy("equilibrium", game)
    for player in (0, 1):
        _, observations, _ = full_graph(game).seen_by(player)
        few = observations[: FEW + 1].repeat(FEW, axis=0)
        for rows in (observations, few, observations[:FEW]):
            single = EquilibriumTable.all_seen(policy.table, rows)
            assert np.allclose(policy.table.all_seen(rows), single, rtol=0.0, atol=1e-12)


def test_optimal_play_in_batches_where_the_game_is_decided_or_the_start_does_not_lead():
    game = make_game("jujitsu", num_cards=6)
    policy = baselines.make_policy("equilibrium", game)
    states = [s for s in reachable(make_game("jujitsu", num_cards=6, payoff="margin")) if s.hands[0]][::7]
    rows, masks = seen(game, states, 0)
    assert sum(game.settled(state) is not None for state in states) > 10
    answers = policy.action_probabilities(rows, masks)
    assert np.allclose(answers, EquilibriumTable.all_seen(policy.table, rows), rtol=0.0, atol=1e-12)


def test_strategies_kept_do_not_pile_up(monkeypatch):
    monkeypatch.setattr("baselines.oracles.rank_games.solver.MAX_KEPT", 50)
    game = make_game("jujitsu", num_cards=5)
    solution = baselines.solve(game)
    states = [state for state in reachable(game) if game.acting_players(state)]
    expected = baselines.solve(game)
    for state in states[::3]:
        assert np.array_equal(solution.strategies(state)[0], expected.strategies(state)[0])
        assert len(solution._play._solved) <= 50


def test_answers_that_are_uniform_over_actions_are_not_uniform_over_cards():
    game = make_game("jujitsu", num_cards=6, view="word")
    answers = exploitability(game, Answering(lambda o, m: uniform_over(m)))
    assert answers == exploitability(game, "uniform_actions")
    assert abs(answers - exploitability(game, "uniform")) > 1e-3
