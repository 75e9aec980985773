"""Policies measured in duels and Goofspiel, against a recursion over the rules and published figures."""

from dataclasses import replace

import numpy as np
import pytest
from brute_force import asked, best_response_value, reachable
from tiny_games import TINY_GAMES, each_of
from toys import Answering, Arbitrary

import baselines
from baselines import best_response, exploitability, head_to_head, nash_conv
from baselines.oracles.rank_games.oracle import RankOracle
from baselines.oracles.rank_games.sizes import ranks_matter, states_at_most
from baselines.oracles.rank_games.solver import FEW
from baselines.oracles.rank_games.word_policy import WordPolicy, packed_counts
from baselines.oracles.state_graph.backward_induction import EquilibriumTable
from baselines.oracles.state_graph.game_graph import full_graph
from baselines.oracles.state_graph.response import GraphOracle
from cardwar_envs import Duel, make_game
from cardwar_envs.core.play import random_state
from cardwar_envs.core.policy import Uniform

RANKS = {name: game for name, game in TINY_GAMES.items() if ranks_matter(game)}
LARGER = {
    "jujitsu 5": make_game("jujitsu", num_cards=5),
    "jujitsu 6 as words": make_game("jujitsu", num_cards=6, view="word"),
    "duplicates": make_game("dinosaur_war", hand_0=(1, 1, 3, 3, 4), hand_1=(1, 3, 3, 3, 5), ties="carry"),
    "duplicates, win": make_game(
        "dinosaur_war", hand_0=(1, 1, 3, 3, 4), hand_1=(1, 3, 3, 3, 5), payoff="win", view="word"
    ),
    "goofspiel 4": make_game("goofspiel", num_cards=4, ties="carry", payoff="win"),
    "goofspiel 5 as words": make_game("goofspiel", num_cards=5, prizes="ascending", ties="carry", view="word"),
}
DUELS = {name: game for name, game in {**RANKS, **LARGER}.items() if isinstance(game, Duel)}
SHOWN = {name: game for name, game in DUELS.items() if game.view == "cards"}


class Wave:
    """A mixed policy that depends on all that is seen of the packed hands and, unless `score` is False, the rest."""

    by_words = True

    def __init__(self, phase=0.0, score=True):
        self.phase, self.score = phase, score

    def action_probabilities(self, observations, action_masks):
        ranks = action_masks.shape[1]
        own, other, numbers = packed_counts(observations[:, :ranks], observations[:, ranks : 2 * ranks])
        rest = observations[:, 2 * ranks + (not self.score) :]
        weights = np.arange(1, ranks + 1)
        seen = own @ weights + 2 * other @ weights + rest @ np.arange(3, 3 + rest.shape[1]) + self.phase
        wave = (1.5 + np.sin(0.37 * seen[:, None] * (1 + np.clip(numbers, 0, None)))) * observations[:, :ranks]
        return wave / wave.sum(axis=1, keepdims=True)


def in_both_seats(policy):
    return policy, policy


def waves(game):
    score = not isinstance(game, Duel) or game.payoff == "win"
    return Wave(score=score), Wave(1.0, score)


def pure(game):
    """A policy without chance, which reaches few states."""
    matches = game.name == "goofspiel" and game.view == "cards"
    name = "matching" if matches else "highest_card" if isinstance(game, Duel) else None
    return baselines.make_policy(name, game) if name else Answering(lambda _, m: np.eye(m.shape[1])[m.argmax(axis=1)])


POLICIES = {
    "one without a pattern": lambda game: in_both_seats(Arbitrary(1)),
    "two without a pattern": lambda game: (Arbitrary(2), Arbitrary(3)),
    "uniform": lambda game: (Uniform(game), Uniform(game)),
    "equilibrium": lambda game: in_both_seats(baselines.make_policy("equilibrium", game)),
    "one by words": lambda game: in_both_seats(waves(game)[0]),
    "two by words": waves,
    "by words and not": lambda game: (Arbitrary(4), waves(game)[1]),
    "pure": lambda game: in_both_seats(pure(game)),
    "pure against mixed": lambda game: (pure(game), Arbitrary(5)),
    "mixed against pure": lambda game: (Arbitrary(6), pure(game)),
}


def close(first, second):
    return np.allclose(np.array(first), np.array(second), rtol=0.0, atol=1e-12)


def figures(result):
    return result.win, result.loss, result.tie, result.mean


def check_figures(game, policies):
    """Every question, against a recursion over the rules and the graph of all states."""
    odds = GraphOracle(game).odds(policies)
    best = [best_response_value(game, policies, player) for player in (0, 1)]
    for limit in (None, 1_000_000):
        found = nash_conv(game, policies, max_states=limit)
        assert close(found.payoffs, (odds.mean, -odds.mean))
        assert close(found.per_player, (best[0] - odds.mean, best[1] + odds.mean))
        assert close(figures(head_to_head(game, *policies, max_states=limit)), figures(odds))
    for player in (0, 1):
        response, seats = best_response(game, policies, player), list(policies)
        seats[player] = response.policy
        assert close((response.value, GraphOracle(game).payoffs(seats)[0][player]), best[player])


@pytest.mark.plain_kernels
@pytest.mark.thin
@pytest.mark.parametrize("policies", POLICIES)
@each_of(RANKS)
def test_figures_of_tiny_games_are_those_of_a_recursion(game, policies):
    check_figures(game, POLICIES[policies](game))


@pytest.mark.thin
@pytest.mark.parametrize("policies", POLICIES)
@each_of(LARGER)
def test_figures_are_those_of_a_recursion(game, policies):
    check_figures(game, POLICIES[policies](game))


@pytest.mark.thin
@each_of(RANKS)
@pytest.mark.parametrize("player", [0, 1])
def test_a_response_is_deterministic(game, player):
    response = best_response(game, Arbitrary(1), player).policy
    for state in reachable(game)[:40]:
        if game.acting_players(state) and game.settled(state) is None:
            assert sorted(asked(game, response, state, player))[-2:] in ([0.0, 1.0], [1.0])


def test_dice_and_other_games_go_through_the_graph():
    for game in TINY_GAMES.values():
        ranks = isinstance(game, Duel) and game.ranks_are_ordinal
        assert ranks_matter(game) == (ranks or game.name == "goofspiel")


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


def test_the_best_reply_to_uniform_play_in_goofspiel_bids_the_prize():
    """Ross 1971."""
    game = make_game("goofspiel", num_cards=6)
    best = best_response(game, "uniform")
    for state in [start.state for start in game.initial()]:
        assert asked(game, best.policy, state, 0).argmax() == state.prize - 1


def test_matching_loses_to_one_more():
    """Bidding one card above the prize, and the lowest for the highest prize, wins n (n - 3) / 2 points."""
    result = nash_conv(make_game("goofspiel", num_cards=6), "matching")
    assert result.total / 2 == pytest.approx(9, abs=1e-12)
    # Any hand against the one that matches the prizes left: the sum over k of k (6 over k)^2.
    assert result.queries.total == 2_772


@pytest.mark.slow
def test_thirteen_cards():
    game = make_game("goofspiel")
    assert exploitability(game, "uniform") == pytest.approx(28, abs=1e-9)
    assert exploitability(game, "matching") == pytest.approx(65, abs=1e-9)


def test_too_many_queries_of_interleavings_are_refused(monkeypatch):
    game = make_game("goofspiel", num_cards=4, ties="carry")
    monkeypatch.setattr("baselines.oracles.rank_games.sizes.MOST_STATES", 10)
    assert nash_conv(game, "uniform").queries.total == 0
    with pytest.raises(ValueError, match=r"at most 5 can be queried 2 times each, so the largest size .* is 1$"):
        nash_conv(game, Wave())


# -- how policies are asked ----------------------------------------------------------------------


class Noting:
    """Plays `Arbitrary` and keeps what it was shown."""

    def __init__(self, seed=1):
        self.shown, self._policy = [], Arbitrary(seed)

    def action_probabilities(self, observations, action_masks):
        self.shown.append(observations.copy())
        return self._policy.action_probabilities(observations, action_masks)


@each_of({**RANKS, **LARGER})
def test_each_undecided_observation_is_shown_once_to_a_policy_in_both_seats(game):
    policy = Noting()
    RankOracle(game, 100_000).payoffs([policy, policy])
    shown = [row.tobytes() for rows in policy.shown for row in rows]
    expected = [row.tobytes() for player in (0, 1) for row in full_graph(game).seen_by(player)[1]]
    alike = not isinstance(game, Duel) or game.hands[0] == game.hands[1]
    assert sorted(shown) == (sorted(set(expected)) if alike else sorted(expected))


def test_batches_are_no_larger_than_they_should_be(monkeypatch):
    game, policy = LARGER["jujitsu 5"], Noting()
    whole = RankOracle(game).payoffs([policy, policy])
    for module in ("positions", "oracle"):
        monkeypatch.setattr(f"baselines.oracles.rank_games.{module}.BATCH", 11)
    policy.shown.clear()
    assert RankOracle(game).payoffs([policy, policy]) == whole
    assert max(map(len, policy.shown)) == 11


@each_of(LARGER)
def test_pieces_in_threads_change_nothing(game, monkeypatch):
    seats = Arbitrary(1), pure(game)
    whole = nash_conv(game, seats), head_to_head(game, *seats), nash_conv(game, "uniform")
    for module in ("positions", "oracle"):
        monkeypatch.setattr(f"baselines.oracles.rank_games.{module}.BATCH", 7)
    assert (nash_conv(game, seats), head_to_head(game, *seats), nash_conv(game, "uniform")) == whole


# -- words ---------------------------------------------------------------------------------------


@each_of(SHOWN)
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


@each_of(SHOWN)
def test_the_count_of_states_is_a_bound(game):
    pairs, states = states_at_most(game)
    undecided = full_graph(game).states
    assert len(undecided) <= states
    assert len({state.hands for state in undecided}) <= pairs
    # Pairs that the start can lead to at all: every pair of hands of equal size.
    assert pairs == len({state.hands for state in reachable(game) if state.hands[0]})


def test_too_many_words_are_refused_as_soon_as_there_are(monkeypatch):
    monkeypatch.setattr("baselines.oracles.rank_games.oracle.MOST_STATES", 1000)
    with pytest.raises(ValueError, match="jujitsu has more than 1,000 undecided states"):
        exploitability(make_game("jujitsu", num_cards=8, view="word"), "uniform")


def test_as_many_queries_as_there_are_undecided_interleavings():
    game = make_game("jujitsu", num_cards=8)
    assert nash_conv(game, "uniform").queries.total == 5262


@pytest.mark.slow
def test_optimal_play_at_full_size_cannot_be_exploited():
    game = make_game("jujitsu", view="word")
    assert exploitability(game, "equilibrium") == pytest.approx(0.0, abs=1e-12)
    assert exploitability(make_game("jujitsu"), "uniform") == pytest.approx(0.3500643347778766, abs=1e-12)


# -- optimal play in batches -----------------------------------------------------------------------


@each_of(DUELS)
def test_optimal_play_in_batches_is_that_of_single_states(game):
    policy = baselines.make_policy("equilibrium", game)
    for player in (0, 1):
        _, observations, _ = full_graph(game).seen_by(player)
        few = observations[: FEW + 1].repeat(FEW, axis=0)
        for rows in (observations, few, observations[:FEW]):
            single = EquilibriumTable.all_seen(policy.table, rows)
            assert np.allclose(policy.table.all_seen(rows), single, rtol=0.0, atol=1e-12)


def test_strategies_kept_do_not_pile_up(monkeypatch):
    monkeypatch.setattr("baselines.oracles.rank_games.solver.MAX_KEPT", 50)
    game = make_game("jujitsu", num_cards=5)
    solution = baselines.solve(game)
    states = [state for state in reachable(game) if game.acting_players(state)]
    expected = baselines.solve(game)
    for state in states[::3]:
        assert np.array_equal(solution.strategies(state)[0], expected.strategies(state)[0])
        assert len(solution._play._solved) <= 50


def test_many_strategies_of_an_equilibrium_of_goofspiel_are_those_of_one_at_a_time():
    for payoff in ("margin", "win"):
        game = make_game("goofspiel", num_cards=5, payoff=payoff, ties="carry")
        table = baselines.solve(game).policy.table
        rng = np.random.default_rng(0)
        states = [state for state in (random_state(game, rng) for _ in range(60)) if game.settled(state) is None]
        seen = np.array([game.observation(state, seat) for state in states for seat in (0, 1)])
        one = [table.seen(each) for each in seen]
        np.testing.assert_allclose(table.all_seen(seen), one, atol=1e-12)


def test_a_policy_that_does_not_play_by_words_is_refused():
    class Liar(Wave):
        def action_probabilities(self, observations, action_masks):
            first = np.eye(action_masks.shape[1])[action_masks.argmax(axis=1)]
            odd = observations[:, :1] > 0  # holds the lowest card
            return np.where(odd, first, super().action_probabilities(observations, action_masks))

    with pytest.raises(
        ValueError, match="declares by_words, but plays differently in states with the same interleaving,"
    ):
        nash_conv(make_game("goofspiel", num_cards=4), Liar())
