"""Optimal play at a state: how wide each player's set of optimal strategies is, and what is said of it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from thinning import each_row

from baselines import PrivateSolution, make_policy, solve, solve_matrix_exact
from baselines.display.at_state import play_from
from baselines.display.mixes import exact_mix
from baselines.matrix_game import solve_matrix
from baselines.matrix_game.optimal_sets import PRIME, exact_ranges, proves_unique
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import DuelState, make_game
from cardwar_envs.games.dice_wars import DiceWars
from cardwar_envs.games.dinosaur_war import DinosaurWar
from lab.papers.sanwal_drechsler.optimal_play import vertices

UNIQUE = [[2, -1], [-1, 1]]  # 2/5 and 3/5
FLAT = [[0, 0], [0, 0]]
# The second row is a mean of the others, against every column, so any share of it can be exchanged for these.
SPARE = [[2, -2], [0, 0], [-2, 2]]


@each_row("seed", range(12))
def test_ranges_are_those_of_the_vertices(seed):
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(1, 6, size=2)
    matrix = rng.integers(-2, 3, size=(rows, columns))  # few different payoffs: many games have several optima
    exact = solve_matrix_exact([[Fraction(int(payoff)) for payoff in row] for row in matrix])
    corners = vertices(matrix.astype(float), float(exact.value))
    payoffs = [[Fraction(int(payoff)) for payoff in row] for row in matrix]
    fractions = exact_ranges(payoffs, exact.value)
    unique = all(least == most for least, most in fractions)
    assert proves_unique(payoffs, exact.value, exact.column_strategy) <= unique
    assert [float(least) for least, _ in fractions] == pytest.approx(corners.min(axis=0), abs=1e-9)
    assert [float(most) for _, most in fractions] == pytest.approx(corners.max(axis=0), abs=1e-9)


@each_row(
    ("matrix", "unique", "low", "high"),
    [
        (UNIQUE, True, [0.4, 0.6], [0.4, 0.6]),
        (FLAT, False, [0, 0], [1, 1]),
        (SPARE, False, [0, 0, 0], [0.5, 1, 0.5]),
        ([[1]], True, [1], [1]),
        ([[1], [1], [0]], False, [0, 0, 0], [1, 1, 0]),
    ],
)
def test_one_mix_or_many(matrix, unique, low, high):
    payoffs = [[*map(Fraction, row)] for row in matrix]
    solved = solve_matrix_exact(payoffs)
    mix = exact_mix("abc"[: len(matrix)], solved.row_strategy, payoffs, solved.value, solved.column_strategy)
    assert mix.unique is unique
    assert mix.low == pytest.approx(low, abs=1e-9)
    assert mix.high == pytest.approx(high, abs=1e-9)
    assert mix.verdict() == ("the only optimal strategy" if unique else "one of many optimal strategies")
    assert [action for action, *_ in mix.free()] == [
        name for name, least, most in zip("abc", low, high, strict=False) if least < most
    ]


def test_what_is_not_determined_is_not_claimed():
    game = make_game("war", ranks=4, discards=1)  # too many rounds for fractions, and both players lose at times
    play = solve(game).at()
    mix = play.mixes[0]
    assert (mix.determined, mix.unique, mix.free(), mix.low) == (False, None, [], None)
    assert mix.verdict() == "an optimal strategy; others are not determined in floats"
    data = play.as_data()["players"][0]
    assert (data["determined"], data["unique"], "slack" in data) == (False, None, False)
    assert {*map(tuple, data["actions"].values())} == {("probability",)}
    assert play_from(play.as_data(), "").as_data() == play.as_data()


@pytest.mark.parametrize("exact", [None, True])
def test_play_at_a_state_of_jujitsu(exact):
    play = solve(make_game("jujitsu", num_cards=3), exact=exact).at(DuelState(((1, 3), (2, 3)), score=1))
    # If 3 meets 2 player 0 leads by 2; if 3 meets 3 the tie goes to whoever wins the last trick, 1 against 2.
    assert play.matrix.tolist() == [[0, 1], [1, -1]]
    assert play.value == pytest.approx(1 / 3)
    assert [mix.labelled() for mix in play.mixes] == [
        pytest.approx({"1": 2 / 3, "3": 1 / 3}),
        pytest.approx({"2": 2 / 3, "3": 1 / 3}),
    ]
    assert [mix.unique for mix in play.mixes] == [True, True]
    assert (play.headings, play.actions) == ((("1", "3"), ("2", "3")), ("1", "2", "3"))
    data = play.as_data()
    assert data["players"][0]["actions"]["1"]["high"] == pytest.approx(2 / 3)
    assert ("exact" in data) is bool(exact)
    if exact:
        assert (data["exact"], data["players"][1]["actions"]["3"]["exact"]) == ("1/3", ["1/3", "1/3"])


def test_a_denominator_that_is_zero_modulo_the_prime_proves_nothing():
    matrix = [[Fraction(1, PRIME), Fraction(0)], [Fraction(0), Fraction(1, PRIME)]]
    assert not proves_unique(matrix, Fraction(1, 2 * PRIME), [Fraction(1, 2)] * 2)
    assert proves_unique([[PRIME * each for each in row] for row in matrix], Fraction(1, 2), [Fraction(1, 2)] * 2)


def test_ranges_of_the_only_optimal_strategy_take_no_programs(monkeypatch):
    solution = solve(make_game("jujitsu", num_cards=5), exact=True)
    ranges = [mix.exact for mix in solution.at().mixes]
    monkeypatch.setattr("baselines.display.mixes.proves_unique", lambda *_: False)
    assert [mix.exact for mix in solution.at().mixes] == ranges
    monkeypatch.undo()
    monkeypatch.setattr("baselines.display.mixes.exact_ranges", None)
    assert all(least == most for mix in solution.at().mixes for least, most in mix.exact)


def test_ranges_in_fractions():
    matrix = [[Fraction(payoff) for payoff in row] for row in SPARE]
    mix = exact_mix("abc", (Fraction(0), Fraction(1), Fraction(0)), matrix, Fraction(0), [Fraction(1, 2)] * 2)
    assert mix.free() == [("a", 0, Fraction(1, 2)), ("b", 0, 1), ("c", 0, Fraction(1, 2))]
    assert mix.unique is False
    assert repr(mix) == "<Mix b: 1 (one of many optimal strategies)>"


def test_play_by_what_a_player_knows():
    solution = solve(make_game("dice_poker"))
    assert isinstance(solution, PrivateSolution)
    assert [mix["raise"] for mix in solution.labelled()[0].values()] == [Fraction(2, 3), 0, 0, 0, 1, 1]
    assert solution.exact_behaviour[0][0] == (Fraction(1, 3), Fraction(2, 3))
    assert solution.behaviour[0][0].tolist() == [1 / 3, 2 / 3]
    # Rauscher 2017: player 0 must bluff with a 1 in two cases of three; player 1's calls with 2, 3 and 4 can vary.
    assert (solution.unique(0), solution.unique(1)) == (True, False)
    assert solution.ranges(1)["4"] == {"fold": (0, Fraction(2, 3)), "call": (Fraction(1, 3), 1)}
    assert [name for name, *_ in solution.free(1)] == [
        f"with type {kind}: {action}" for kind in (2, 3, 4) for action in ("fold", "call")
    ]
    assert solve(make_game("dice_poker"), exact=False).free(1)[-1] == ("with type 4: call", 1 / 3, 1.0)
    with pytest.raises(ValueError, match="dice_poker: players do not see the state"):
        solution.labelled(state=(1, 1))


# -- every card alike, where that is optimal -----------------------------------------------------------------

EVEN = [
    make_game("dinosaur_war", num_cards=4),
    make_game("dinosaur_war", hand_0=(2, 3, 6, 6), hand_1=(1, 3, 5, 5)),
    make_game("dinosaur_war", hand_0=(2, 3, 6, 6), hand_1=(1, 3, 5, 5), view="word"),
    make_game("dice_wars", hand_0=(1, 2, 2), hand_1=(1, 1, 3), sides=3),
]


@pytest.mark.parametrize("game", EVEN, ids=repr)
@pytest.mark.parametrize("exact", [None, True])
def test_the_equilibrium_plays_every_card_alike_where_that_is_optimal(game, exact):
    solution, uniform = solve(game, exact=exact), make_policy("uniform", game)
    for seat in (0, 1):
        _, observations, masks = full_graph(game).seen_by(seat)
        expected = uniform.action_probabilities(observations, masks)
        assert solution.policy.action_probabilities(observations, masks) == pytest.approx(expected, abs=1e-12)
        few = slice(0, 3)  # answered one by one
        assert solution.policy.action_probabilities(observations[few], masks[few]) == pytest.approx(expected[few])


class HighTrickCountsTwice(DinosaurWar):
    """A trick won by the highest card of both hands pays 2: even play is not optimal at every state."""

    def transitions(self, state, actions):
        top = len(self.ranks) - 1
        return [
            replaced
            if max(actions.values()) < top
            else replaced._replace(rewards=tuple(2 * r for r in replaced.rewards))
            for replaced in super().transitions(state, actions)
        ]


class WrongClaim(HighTrickCountsTwice):
    def uniform_is_optimal(self):
        return True


def test_changed_rules_lose_the_claim_and_a_wrong_one_does_no_harm():
    assert EVEN[0].uniform_is_optimal()
    assert EVEN[3].uniform_is_optimal()
    assert not HighTrickCountsTwice(num_cards=3).uniform_is_optimal()
    assert not replace(EVEN[0], ties="carry").uniform_is_optimal()
    assert not replace(EVEN[0], payoff="win").uniform_is_optimal()
    assert not make_game("jujitsu").uniform_is_optimal()

    class Other(DiceWars):
        def settled(self, state):
            return None

    assert not Other().uniform_is_optimal()
    for exact in (None, True):
        honest, wrong = (solve(kind(num_cards=3), exact=exact) for kind in (HighTrickCountsTwice, WrongClaim))
        assert wrong.value == honest.value
        for state in full_graph(wrong.game).states:
            matrix = honest.payoff_matrix(state)
            row, column = wrong.strategies(state)
            kept = [list(wrong.game.legal_actions(state, player)) for player in (0, 1)]
            assert (row[kept[0]] @ matrix).min() == pytest.approx(honest.value_at(state), abs=1e-9)
            assert (matrix @ column[kept[1]]).max() == pytest.approx(honest.value_at(state), abs=1e-9)


def test_other_games_keep_their_choice():
    solution = solve(make_game("jujitsu", num_cards=4))
    uneven = 0
    for state in full_graph(solution.game).states:
        if solution.game.canonical(state).state == state and solution.game.settled(state) is None:
            kept = [list(solution.game.legal_actions(state, player)) for player in (0, 1)]
            expected = solve_matrix(solution.payoff_matrix(state))
            row, column = solution.strategies(state)
            assert row[kept[0]] == pytest.approx(np.array(expected.row_strategy), abs=1e-12)
            assert column[kept[1]] == pytest.approx(np.array(expected.column_strategy), abs=1e-12)
            uneven += len(set(expected.row_strategy)) > 1
    assert uneven > 5
