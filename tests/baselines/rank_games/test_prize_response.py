"""Policies measured in Goofspiel, on interleavings and on cards, against the enumerated graph and published figures."""

import numpy as np
import pytest
from thinning import each_row

import baselines
from baselines.opponents.strategies import Matching, Uniform
from baselines.oracles.rank_games import prize_response
from baselines.oracles.rank_games.engine import work_for
from baselines.oracles.rank_games.prize_response import PrizePlay
from baselines.oracles.rank_games.reached import ReachedPlay
from baselines.oracles.rank_games.word_policy import packed_counts
from baselines.oracles.state_graph.response import GraphOracle
from cardwar_envs import make_game
from cardwar_envs.core.play import random_state

VARIANTS = [
    {"prizes": prizes, "ties": ties, "payoff": payoff}
    for prizes in ("random", "descending", "ascending")
    for ties in ("discard", "carry")
    for payoff in ("margin", "win")
]


class Wave:
    """A mixed policy that depends on all that is seen of the packed hands, and on nothing else."""

    by_words = True

    def __init__(self, phase=0.0):
        self.phase = phase

    def action_probabilities(self, observations, action_masks):
        ranks = action_masks.shape[1]
        own, other, numbers = packed_counts(observations[:, :ranks], observations[:, ranks : 2 * ranks])
        rest = observations[:, 2 * ranks :]
        weights = np.arange(1, ranks + 1)
        seen = own @ weights + 2 * other @ weights + rest @ np.arange(3, 3 + rest.shape[1]) + self.phase
        wave = (1.5 + np.sin(0.37 * seen[:, None] * (1 + np.clip(numbers, 0, None)))) * observations[:, :ranks]
        return wave / wave.sum(axis=1, keepdims=True)


def assert_same_figures(game, policies):
    graph = GraphOracle(game)
    payoffs, responses = graph.payoffs(policies)
    measured = baselines.nash_conv(game, policies)
    np.testing.assert_allclose(measured.payoffs, payoffs, atol=1e-12)
    np.testing.assert_allclose(measured.per_player, np.subtract(responses, payoffs), atol=1e-12)
    odds, expected = baselines.head_to_head(game, *policies), graph.odds(policies)
    found, wanted = ((each.win, each.loss, each.tie, each.mean) for each in (odds, expected))
    np.testing.assert_allclose(found, wanted, atol=1e-12)


@each_row("parameters", VARIANTS)
def test_measured_on_interleavings_as_on_the_graph(parameters):
    compare_with_the_graph(3, parameters)


@pytest.mark.slow
@each_row("parameters", VARIANTS)
def test_measured_on_interleavings_as_on_the_graph_with_more_cards(parameters):
    compare_with_the_graph(4, parameters)


def compare_with_the_graph(cards, parameters):
    game = make_game("goofspiel", num_cards=cards, **parameters)
    one, other, uniform = Wave(), Wave(1.0), Uniform(game)
    for policies in ([one, other], [uniform, uniform]):
        assert_same_figures(game, policies)
    graph = GraphOracle(game)
    for player in (0, 1):
        best, seats = baselines.best_response(game, one, player), [one, one]
        assert best.value == pytest.approx(graph.response(seats, player).value, abs=1e-12)
        seats[player] = best.policy
        assert graph.payoffs(seats)[0][player] == pytest.approx(best.value, abs=1e-12)
    assert_same_figures(make_game("goofspiel", num_cards=cards, view="word", **parameters), [one, other])


@each_row(("cards", "parameters"), [(3, variant) for variant in VARIANTS] + [(4, VARIANTS[3])])
def test_measured_at_the_states_that_are_reached_as_on_the_graph(cards, parameters):
    game = make_game("goofspiel", num_cards=cards, **parameters)
    graph, matching, payoff = GraphOracle(game), Matching(game), parameters["payoff"]
    for policies in ([matching, matching], [Wave(), matching], [matching, Wave()]):
        (mean, _), (first, second) = graph.payoffs(policies)
        odds = graph.odds(policies)
        cases = [
            (policies, payoff, mean),
            ([None, policies[1]], payoff, first),
            ([policies[0], None], payoff, -second),
            (policies, "win", odds.win - odds.loss),
            (policies, "decided", odds.win + odds.loss),
        ]
        for seats, form, value in cases:
            assert ReachedPlay(game, seats, form).value() == pytest.approx(value, abs=1e-12)


def test_uniform_play_loses_what_ross_computed():
    """Ross 1971: the best reply bids the prize's rank, and wins (n^2 - 1) / 6 points."""
    for cards in (1, 2, 5, 6):
        game = make_game("goofspiel", num_cards=cards)
        assert baselines.exploitability(game, "uniform") == pytest.approx((cards**2 - 1) / 6, abs=1e-12)
    game = make_game("goofspiel", num_cards=6)
    best = baselines.best_response(game, "uniform")
    for state in [start.state for start in game.initial()]:
        seen, mask = game.observation(state, 0)[None], game.action_mask(state, 0)[None]
        assert best.policy.action_probabilities(seen, mask).argmax() == state.prize - 1


def test_matching_loses_to_one_more():
    """Bidding one card above the prize, and the lowest for the highest prize, wins n (n - 3) / 2 points."""
    assert baselines.exploitability(make_game("goofspiel", num_cards=8), "matching") == pytest.approx(20, abs=1e-12)


@pytest.mark.slow
def test_thirteen_cards():
    game = make_game("goofspiel")
    assert baselines.exploitability(game, "uniform") == pytest.approx(28, abs=1e-9)
    assert ReachedPlay(game, [None, Matching(game)], "margin").value() == pytest.approx(65, abs=1e-9)


def test_an_equilibrium_too_large_for_queries_is_computed_again(monkeypatch):
    game = make_game("goofspiel", num_cards=4, ties="carry")
    policy = baselines.solve(game).policy
    queried = baselines.nash_conv(game, policy)
    monkeypatch.setattr(prize_response, "MOST_STATES", 10)
    again = baselines.nash_conv(game, policy)
    assert queried.queries.total > again.queries.total == 0
    assert max(queried.total, again.total) <= 1e-12
    with pytest.raises(ValueError, match=r"at most 5 can be queried 2 times each, so the largest size .* is 1$"):
        PrizePlay(game, [Wave(), Wave()][:1] * 2)


def test_a_recomputed_mix_is_the_equilibrium_of_what_follows():
    bodies = prize_response.kernel(0.0)
    cells, x, y = np.zeros((2, 2, 3)), np.zeros(2), np.zeros(2)
    cells[:, :, bodies.MEAN] = [[3, -1], [-2, 1]]
    nothing = np.zeros((2, 2), dtype=np.int64)
    bodies._mix(
        bodies.SOLVED, 0, 0, nothing, 2, nothing, np.zeros((1, 2, 0, 0)), cells, 1e-9, work_for(2, bodies), x, y
    )
    np.testing.assert_allclose((x, y), ((3 / 7, 4 / 7), (2 / 7, 5 / 7)), atol=1e-12)


def test_many_strategies_of_an_equilibrium_are_those_of_one_at_a_time():
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
        baselines.nash_conv(make_game("goofspiel", num_cards=4), Liar())
