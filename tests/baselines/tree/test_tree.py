"""Hidden information over several moves: exact figures against a recursion over beliefs, and against OpenSpiel."""

from dataclasses import replace
from fractions import Fraction
from unittest.mock import Mock

import numpy as np
import pytest
from hidden_games import Amnesia, Hashed, Kuhn, Veils, worth
from thinning import each_row

import baselines
from baselines.oracles.tree.histories import sequence_form
from baselines.oracles.tree.regrets import minimise_regrets
from baselines.oracles.tree.sequence_form import bounds
from baselines.system.layer_files import LayerFolder
from cardwar_envs import make_game

GOOFSPIEL = [
    make_game("goofspiel", num_cards=3, prizes=prizes, ties=ties, payoff=payoff, bids="hidden")
    for prizes in ("random", "descending", "ascending")
    for ties in ("discard", "carry")
    for payoff in ("margin", "win")
]
FORGETFUL = [Kuhn(forgets=True), Amnesia(), Veils(3, forgets=True), Veils(4, players=3, zero_sum=False, forgets=True)]
GAMES = [Kuhn(), *(Veils(seed) for seed in range(3)), Veils(3, zero_sum=False), Veils(4, players=3), *FORGETFUL]


@each_row("game", [*GAMES, *GOOFSPIEL])
def test_payoffs_and_best_responses_are_those_of_a_recursion_over_beliefs(game):
    policies = [Hashed(seat) for seat in range(game.facts.num_players)]
    found = baselines.nash_conv(game, policies)
    for player in range(game.facts.num_players):
        followed, best = (worth(game, policies, player, responds) for responds in (False, True))
        assert found.payoffs[player] == pytest.approx(followed, abs=1e-12)
        assert found.per_player[player] == pytest.approx(best - followed, abs=1e-12)
    assert found.recall.forgets == (game in FORGETFUL)


@each_row("game", [game for game in GAMES if game not in FORGETFUL])
def test_the_best_response_as_a_policy_gets_its_value(game):
    policies = [Hashed(seat) for seat in range(game.facts.num_players)]
    for player in range(game.facts.num_players):
        response = baselines.best_response(game, policies, player)
        policies[player] = response.policy
        assert worth(game, policies, player, False) == pytest.approx(response.value, abs=1e-12)
        policies[player] = Hashed(player)


@each_row("game", FORGETFUL)
def test_a_result_says_that_policies_forget(game):
    found = baselines.nash_conv(game, "uniform")
    assert "policies forget" in repr(found)
    response = baselines.best_response(game, "uniform")
    with pytest.raises(ValueError, match="depends on earlier observations"):
        baselines.nash_conv(game, response.policy)
    if game.facts.zero_sum:
        with pytest.raises(ValueError, match="no policy is an equilibrium"):
            baselines.solve(game)


def test_head_to_head_counts_whole_games():
    game = GOOFSPIEL[0]
    found = baselines.head_to_head(game, Hashed(0), Hashed(1))
    win = replace(game, payoff="win")
    assert found.win - found.loss == pytest.approx(worth(win, _forgetting_score(win), 0, False), abs=1e-12)
    assert found.win + found.loss + found.tie == pytest.approx(1.0, abs=1e-12)
    assert found.mean == pytest.approx(worth(game, [Hashed(0), Hashed(1)], 0, False), abs=1e-12)


def _forgetting_score(game):
    """The policies `Hashed(0)` and `Hashed(1)` of the same game without a score in its observations."""
    score = game.facts.observation_size - 1

    class WithoutScore(Hashed):
        def action_probabilities(self, observations, action_masks):
            return super().action_probabilities(np.ascontiguousarray(np.delete(observations, score, 1)), action_masks)

    return [WithoutScore(0), WithoutScore(1)]


def test_kuhn_poker():
    solution = baselines.solve(Kuhn())
    assert solution.value == pytest.approx(-1 / 18, abs=1e-9)  # Kuhn 1950, "A simplified two-person poker"
    assert solution.gap <= 1e-9
    assert worth(Kuhn(), [solution.policy] * 2, 0, True) <= -1 / 18 + 1e-9
    assert worth(Kuhn(), [solution.policy] * 2, 1, True) <= 1 / 18 + 1e-9
    assert solution.labelled()[1]["seen by player_1: 1 3 2 0"] == pytest.approx(
        {"pass": 0.0, "bet": 1.0}
    )  # calls a bet with the best card


@each_row("game", [Veils(0), Veils(1), *GOOFSPIEL])
def test_equilibria_cannot_be_exploited(game):
    solution = baselines.solve(game)
    assert solution.gap <= 1e-9
    gains = [worth(game, [solution.policy] * 2, player, True) for player in (0, 1)]
    assert sum(gains) == pytest.approx(0.0, abs=1e-9)
    assert gains[0] == pytest.approx(solution.value, abs=1e-9)


@each_row("game", [Kuhn(), Veils(2), make_game("goofspiel", num_cards=4, prizes="descending", bids="hidden")])
def test_regret_minimisation_agrees_with_the_linear_program(game):
    form, counted = sequence_form(game), []
    found = minimise_regrets(form, counted.append)
    low, high = bounds(form, found.behaviours)
    assert high - low == pytest.approx(found.nash_conv, abs=1e-9)
    assert low - 1e-9 <= baselines.solve(game).value <= high + 1e-9
    assert found.nash_conv <= 1e-5 * np.ptp(form.payoffs)
    assert counted[-1] == found.iterations


def test_large_games_are_refused_before_they_are_listed():
    game = make_game("goofspiel", num_cards=7, prizes="descending", bids="hidden")
    with pytest.raises(ValueError, match=r"7,101,914 undecided states.*largest size that can work .* is 6"):
        baselines.nash_conv(game, "uniform")
    assert baselines.nash_conv(Amnesia(), "uniform", max_states=63).recall.forgets  # 3, 12 and 48 histories
    with pytest.raises(ValueError, match="more than 62 histories"):
        baselines.nash_conv(Amnesia(), "uniform", max_states=62)


class TwoFaced(Kuhn):
    def legal_actions(self, state, player):
        return (0, 1) if state.cards[1 - player] == 3 else (0,)


def test_equal_observations_must_have_equal_legal_actions():
    with pytest.raises(ValueError, match="at the same observation"):
        baselines.nash_conv(TwoFaced(), "uniform")


def test_selections_do_not_apply():
    with pytest.raises(ValueError, match="selection"):
        baselines.solve(Kuhn(), selection="max_entropy")


@each_row("game", [Kuhn(), Veils(0), GOOFSPIEL[2], GOOFSPIEL[7]])
def test_fractions_agree_with_floats_and_prove_equilibria(game):
    found, exact = (baselines.nash_conv(game, "uniform", exact=exact) for exact in (False, True))
    assert found.per_player == pytest.approx([float(gain) for gain in exact.exact_per_player], abs=1e-12)
    best = baselines.best_response(game, "uniform", exact=True)
    assert best.exact == exact.exact_payoffs[0] + exact.exact_per_player[0]
    solution = baselines.solve(game, exact=True)
    assert float(solution.exact) == pytest.approx(baselines.solve(game).value, abs=1e-9)
    assert baselines.nash_conv(game, solution.policy, exact=True).exact == 0


def test_an_equilibrium_of_long_fractions_is_refused():
    with pytest.raises(ValueError, match="denominators above 1,000,000"):
        baselines.solve(Uneven(), exact=True)
    assert baselines.solve(Uneven()).gap <= 1e-9


class Uneven(Kuhn):
    """Bets of odd size, so that probabilities have long denominators."""

    def transitions(self, state, actions):
        (after,) = super().transitions(state, actions)
        bet = 1 if after.state.course in ("pp", "bp", "pbp") else Fraction(10_000_019, 10_000_000)
        won = Fraction(after.rewards[0]) * bet
        return [after._replace(rewards=(won, -won))]


def test_regret_minimisation_goes_on_after_a_kill(tmp_path):
    form = sequence_form(make_game("goofspiel", num_cards=4, prizes="descending", bids="hidden"))
    whole, store = minimise_regrets(form, None, target=0.0, iterations=60), LayerFolder(tmp_path, {"name": "a"})
    with pytest.raises(InterruptedError):
        minimise_regrets(form, Mock(side_effect=InterruptedError), target=0.0, iterations=60, store=store)
    counted = []
    rest = minimise_regrets(form, counted.append, target=0.0, iterations=60, store=store)
    assert counted[0] == 35  # checks come after 32, 35, 38, ... iterations
    assert rest.nash_conv == whole.nash_conv
    assert all(map(np.array_equal, rest.behaviours, whole.behaviours))
    assert minimise_regrets(form, None, target=1.0, store=store).iterations == 60


SPIEL = [(3, "descending"), (4, "descending"), (3, "random"), (3, "ascending")]


@each_row(("cards", "prizes"), SPIEL)
def test_figures_are_those_of_openspiel(cards, prizes):
    """OpenSpiel's point difference is half of our margin."""
    pyspiel = pytest.importorskip("pyspiel")
    game = make_game("goofspiel", num_cards=cards, prizes=prizes, bids="hidden")
    words = f"imp_info=True,num_cards={cards},points_order={prizes},returns_type=point_difference"
    theirs = pyspiel.convert_to_turn_based(pyspiel.load_game(f"goofspiel({words})"))
    for seed in range(5):
        policy = Hashed(seed)
        table = pyspiel.TabularPolicy(spiel_table(game, theirs, policy))
        assert baselines.nash_conv(game, policy).total == pytest.approx(2 * pyspiel.nash_conv(theirs, table), abs=1e-9)


def spiel_table(game, theirs, policy):
    """Our policy at OpenSpiel's information states: both games are walked together."""
    table = {}

    def walk(node, outcomes, bids):
        if node.is_chance_node():
            for action, _ in node.chance_outcomes():
                walk(node.child(action), [each for each in outcomes if each.state.prize == action + 1], bids)
        elif not node.is_terminal():
            (outcome,) = outcomes
            player, state = node.current_player(), outcome.state
            seen, mask = game.observation(state, player)[None], game.action_mask(state, player)[None]
            (mix,) = policy.action_probabilities(seen, mask)
            legal = node.legal_actions()
            assert tuple(legal) == game.legal_actions(state, player)
            table[node.information_state_string()] = [(action, mix[action]) for action in legal]
            for action in legal:
                after = outcomes if player == 0 else game.transitions(state, {0: bids[0], 1: action})
                walk(node.child(action), after, (action,) if player == 0 else ())

    walk(theirs.new_initial_state(), game.initial(), ())
    return table


# Southey et al. 2005, "Bayes' Bluff", introduced Leduc poker; its value is the one in OpenSpiel's tests.
SPIEL_VALUES = [("kuhn_poker", -1 / 18, 1e-9), ("leduc_poker", -0.0856, 1e-4)]


@each_row(("words", "value", "error"), SPIEL_VALUES)
def test_values_of_openspiels_poker(words, value, error):
    pytest.importorskip("pyspiel")
    solution = baselines.solve(make_game(f"openspiel:{words}"))
    assert solution.value == pytest.approx(value, abs=error)
    assert solution.gap <= 1e-9
