"""Subgame-perfect equilibria by backward induction."""

from fractions import Fraction

import pytest
from thinning import each_row

import baselines
from cardwar_envs import make_game


@each_row(
    ("name", "parameters"),
    [
        ("jujitsu", {"num_cards": 3}),
        ("oshi_zumo", {"coins": 3}),
        ("dinosaur_war", {"hand_0": (1, 3), "hand_1": (2, 4)}),
    ],
)
def test_zero_sum_games_have_the_value_that_solve_finds(name, parameters):
    game = make_game(name, **parameters)
    found, solution = baselines.equilibria(game), baselines.solve(game, exact=True)
    assert (found.kind, found.decision) == ("subgame_perfect", None)
    assert found[0].exact
    assert found[0].payoffs == (solution.exact, -solution.exact)
    assert baselines.exploitability(game, found[0].policies, exact=True) == 0


def test_the_selection_decides_among_the_equilibria_of_each_round():
    """Two players, two numbers, the winner gets a prize: if both play 1 nobody wins, and one of them should yield."""
    game = make_game("lowest_unique", num_players=2, numbers=2, rounds=2, payoff="prize")
    payoffs = {}
    for selection in ("sum", "min", "first"):
        found = baselines.equilibria(game, selection=selection)
        assert found[0].exact
        assert f"selection {selection!r}" in found.label
        assert found.claim == "one"
        payoffs[selection] = found[0].payoffs
    assert sum(payoffs["sum"]) == 2  # somebody wins in every round
    assert payoffs["first"] == payoffs["min"] == (0, 0)  # both play 1: 2 never wins against it


def test_more_than_two_players_and_states_that_have_mixed_equilibria_only():
    game = make_game("lowest_unique", num_players=3, numbers=3, rounds=2, payoff="prize")
    (found,) = baselines.equilibria(game)
    assert found.exact
    assert sum(found.payoffs) == 2
    state = game.initial()[0].state
    assert [sum(mix.values()) for mix in found.labelled(state)] == [1, 1, 1]
    for missing in (lambda: found.labelled(), lambda: baselines.equilibria(game).at(3)):
        with pytest.raises(ValueError, match="must be one of the 5 states in which players choose"):
            missing()


def test_the_only_equilibrium_at_every_state_is_the_only_subgame_perfect_one():
    game = make_game("oshi_zumo", coins=1, min_bid=1)
    found = baselines.equilibria(game, "subgame_perfect")
    assert found.claim == "unique"
    assert found.label.startswith("the only subgame-perfect equilibrium, proved; by backward induction")
    assert found[0].payoffs == (Fraction(0), Fraction(0))
