"""Every question about every family of games, against plain recursion over the rules.

A family joins by a row of `GAMES`; the tiny games of the suite are there already.
"""

import numpy as np
import pytest
from bayes import random_toy
from brute_force import (
    Values,
    asked,
    assert_optimal,
    best_of_all,
    can_be,
    has_few_strategies,
    mean_payoff,
    minimax,
    outcome_distribution,
    reachable,
    true_response,
    true_value,
)
from thinning import each_row
from tiny_games import TINY_GAMES, each_of
from toys import END, Arbitrary, Toy, in_turn, paid_start

from baselines import best_response, exploitability, head_to_head, nash_conv, solve, solve_matrix
from baselines.oracles.choice import within_reach
from baselines.oracles.state_graph.backward_induction import EquilibriumTable
from cardwar_envs import make_game
from cardwar_envs.core.policy_names import as_policies

GAMES = {
    **{name: game for name, game in TINY_GAMES.items() if has_few_strategies(game)},
    "jujitsu-2": make_game("jujitsu", num_cards=2),
    "duplicates": make_game("dinosaur_war", hand_0=(1, 1, 3), hand_1=(1, 2, 2)),
    "in turn": in_turn(),
    "paid start": paid_start(),
    **{
        f"war-{ranks}-{discards}-{rounds}": make_game("war", ranks=ranks, discards=discards, max_rounds=rounds)
        for ranks, discards, rounds in ((3, 0, 4), (3, 1, 6), (4, 1, 2))
    },
    "dice_poker-4": make_game("dice_poker", sides=4),
    "dice_poker, no ante": make_game("dice_poker", sides=4, ante=0.0),
    "dice_poker, unlike stakes": make_game("dice_poker", sides=4, ante=2, raise_size=0.25),
    **{f"private-{seed}": random_toy(seed) for seed in range(5)},
    "private, one type": random_toy(1, (1, 4), ((0, 1), (0, 1))),
    "private, one action": random_toy(2, (2, 3), ((1,), (0, 3, 4))),
}
CHANCE = {
    (0, 0): [("1/3", END, 3), ("2/3", 1, 1)],
    (0, 1): [("1/2", END, 0), ("1/2", END, -1)],
    (1, 0): [(1, END, -2)],
    (1, 1): [("1/4", 1, 4), ("3/4", END, 0)],
}
LAST = {(0, 0): [(1, END, 2)], (0, 2): [(1, END, -2)], (1, 0): [(1, END, 0)], (1, 2): [(1, END, 1)]}
GAMES["chance by both choices"] = Toy((((0, 1), CHANCE), ((0, 1), LAST)))
ZERO_SUM = {name: game for name, game in GAMES.items() if game.facts.num_players == 2 and game.facts.zero_sum}
PUBLIC = {name: game for name, game in ZERO_SUM.items() if game.facts.public_state}
# Per seat; the first is one policy for all seats.
LINE_UPS = [[Arbitrary(1)] * 3, [Arbitrary(1), Arbitrary(2), Arbitrary(3)], ["uniform", Arbitrary(4), "uniform"]]


def close(expected):
    return pytest.approx(expected, abs=1e-12)


@each_of(GAMES)
def test_policies_get_what_the_rules_say(game):
    players = range(game.facts.num_players)
    for line_up in LINE_UPS:
        policies = as_policies(line_up[: len(players)], game)
        paid = outcome_distribution(game, policies)
        payoffs = [sum(p * points[player] for points, p in paid.items()) for player in players]
        responses = [true_response(game, policies, player) for player in players]
        result = nash_conv(game, policies)
        assert result.payoffs == close(payoffs)
        assert result.per_player == close([best - mean for best, mean in zip(responses, payoffs, strict=True)])
        assert result.total == close(sum(result.per_player))
        assert min(result.per_player) >= -1e-12
        for player in players:
            response = best_response(game, policies, player)
            assert response.value == close(responses[player])
            seats = [response.policy if seat == player else each for seat, each in enumerate(policies)]
            assert mean_payoff(game, seats, player) == close(response.value)
        if len(players) == 2:
            odds = [sum(p for (a, b), p in paid.items() if np.sign(round(a - b, 9)) == sign) for sign in (1, -1, 0)]
            found = head_to_head(game, *policies)
            assert [found.win, found.loss, found.tie, found.mean] == close([*odds, payoffs[0]])
            if game.facts.zero_sum:
                assert exploitability(game, policies) == result.total / 2


@each_of(GAMES)
def test_fractions_are_those_of_floats(game):
    exact, floats = (nash_conv(game, "uniform", exact=exact) for exact in (True, False))
    assert floats.exact is floats.exact_payoffs is floats.exact_per_player is None
    assert (exact.total, exact.payoffs) == (float(exact.exact), tuple(map(float, exact.exact_payoffs)))
    assert exact.exact == sum(exact.exact_per_player)
    assert (exact.payoffs, exact.per_player) == (close(floats.payoffs), close(floats.per_player))
    for player, payoff in enumerate(exact.exact_payoffs):
        response = best_response(game, "uniform", player, exact=True)
        assert response.exact == payoff + exact.exact_per_player[player]
        assert response.value == float(response.exact)


@each_of(ZERO_SUM)
def test_solutions_have_the_value_and_nothing_beats_them(game):
    truth = true_value(game, minimax if game.facts.max_rounds is None else lambda matrix: solve_matrix(matrix).value)
    for exact in (False, True):
        solution = solve(game, exact=exact)
        assert solution.value == pytest.approx(truth, abs=1e-9)
        assert 0.0 <= solution.gap <= 1e-12
        assert solution.exact is None or solution.value == float(solution.exact)
        result = nash_conv(game, solution.policy)
        assert result.payoffs == pytest.approx((truth, -truth), abs=1e-9)
        assert np.abs(result.per_player).max() <= 1e-9


@each_of(PUBLIC)
def test_strategies_guarantee_the_value_at_every_state(game):
    """Of games solved in floats, in fractions, and by the state graph where that is not the default."""
    floats, exact, table = solve(game), solve(game, exact=True), EquilibriumTable(game)
    truth = Values(game, lambda matrix: solve_matrix(matrix).value)
    assert table.solve(game.initial()) == exact.states
    assert (floats.exact, exact.gap, exact.method) == (None, 0.0, "backward induction in rationals")
    for state in (each for each in reachable(game) if can_be(game, each)):
        value = truth.value(state)
        for found in (floats.value_at(state), exact.value_at(state), table.value_to_go(state)):
            assert found == pytest.approx(value, abs=1e-11)
        if acting := game.acting_players(state):
            matrix = floats.payoff_matrix(state)
            for strategies in (floats.strategies(state), exact.strategies(state), table.strategies(state)):
                assert_optimal(game, state, matrix, strategies, value, 1e-11)
            for player in acting:
                assert np.array_equal(asked(game, floats.policy, state, player), floats.strategies(state)[player])
            assert_optimal_in_fractions(game, exact, state)


def assert_optimal_in_fractions(game, solution, state):
    matrix, acting = solution.exact_payoff_matrix(state), game.acting_players(state)
    row, column = (
        [strategy[action] for action in game.legal_actions(state, player)] if player in acting else [1]
        for player, strategy in enumerate(solution.exact_strategies(state))
    )
    assert sum(row) == sum(column) == 1
    by_column = [
        sum(p * payoff for p, payoff in zip(row, payoffs, strict=True)) for payoffs in zip(*matrix, strict=True)
    ]
    by_row = [sum(q * payoff for q, payoff in zip(column, payoffs, strict=True)) for payoffs in matrix]
    assert min(by_column) == max(by_row) == solution.exact_value_at(state)


@each_row("name", ["jujitsu-2", "duplicates", "in turn", "paid start"])
def test_no_pure_strategy_is_better_than_a_best_response(name):
    policies = [Arbitrary(1), Arbitrary(2)]
    for player in (0, 1):
        assert best_response(GAMES[name], policies, player).value == close(best_of_all(GAMES[name], policies, player))


@each_of(GAMES)
def test_small_games_are_within_reach(game):
    assert within_reach(game)


def test_large_games_are_not_within_reach():
    for cards, view, reach in ((8, "word", True), (7, "cards", False), (9, "cards", False), (9, "word", False)):
        assert within_reach(make_game("goofspiel", num_cards=cards, view=view)) is reach
    assert not any(map(within_reach, map(make_game, ("jujitsu", "war"))))


BEYOND_BRUTE_FORCE = [
    *(make_game("jujitsu", num_cards=n) for n in (5, 6)),
    *(
        make_game(name, hand_0=first, hand_1=second, ties=ties, payoff=payoff)
        for name, first, second in (
            ("jujitsu", (2, 3, 6, 8), (1, 3, 5, 8)),
            ("dinosaur_war", (1, 1, 4, 4), (2, 2, 2, 5)),
            ("dice_wars", (1, 3, 3), (2, 2, 4)),
        )
        for ties in ("carry", "discard")
        for payoff in ("win", "margin")
    ),
    *(
        make_game("goofspiel", num_cards=4, prizes=order, ties=ties, payoff=payoff, view="word")
        for order in ("random", "descending", "ascending")
        for ties in ("discard", "carry")
        for payoff in ("margin", "win")
    ),
    make_game("war", ranks=4, discards=1, max_rounds=60),
    make_game("dice_poker", sides=200),
]


@each_row("game", BEYOND_BRUTE_FORCE)
def test_the_certificate_by_best_responses(game):
    solution = solve(game)
    result = nash_conv(game, solution.policy)
    assert np.abs(result.per_player).max() <= 1e-9
    assert result.payoffs == pytest.approx((solution.value, -solution.value), abs=1e-9)
    assert solution.gap <= 1e-9
