"""Games with one rule overridden: every door of the oracles is right about them, or refuses."""

import pytest
from brute_force import outcome_distribution, true_response, true_value
from changed_rules import BASES, changed_rules
from toys import Arbitrary

from baselines import best_response, exploitability, head_to_head, nash_conv, solve, solve_matrix
from cardwar_envs import make_game
from cardwar_envs.core.policy_names import as_policies

GAMES = dict(changed_rules())


def of_base(base):
    """The names of the changed games of one base."""
    return [name for name in GAMES if name.startswith(f"{base}-")]


def answer(question, *arguments, **options):
    """The answer, or None if it is refused with a ValueError."""
    try:
        return question(*arguments, **options)
    except ValueError:
        return None


@pytest.mark.parametrize("base", BASES)
def test_solutions_are_right_or_refused(base):
    for name in of_base(base):
        game = GAMES[name]
        truth = true_value(game, lambda matrix: solve_matrix(matrix).value)
        for options in ({}, {"exact": True}, {"selection": "max_entropy"}):
            solution = answer(solve, game, **options)
            if solution is not None:
                assert solution.value == pytest.approx(truth, abs=1e-9), name
                own = answer(exploitability, game, solution.policy)
                assert own is None or own == pytest.approx(0.0, abs=1e-9), name


@pytest.mark.parametrize("base", BASES)
def test_results_of_policies_are_right_or_refused(base):
    for name in of_base(base):
        game = GAMES[name]
        policies = [*as_policies("uniform", game)[:1], Arbitrary(3)]
        paid = outcome_distribution(game, policies).items()
        payoffs = [sum(points[player] * p for points, p in paid) for player in (0, 1)]
        responses = [true_response(game, policies, player) for player in (0, 1)]
        gains = [best - payoff for best, payoff in zip(responses, payoffs, strict=True)]
        result = answer(nash_conv, game, policies)
        if result is not None:
            assert result.payoffs == pytest.approx(payoffs, abs=1e-9), name
            assert result.per_player == pytest.approx(gains, abs=1e-9), name
        for player in (0, 1):
            response = answer(best_response, game, policies, player)
            assert response is None or response.value == pytest.approx(responses[player], abs=1e-9), name
        odds = answer(head_to_head, game, *policies)
        if odds is not None:
            assert odds.win == pytest.approx(sum(p for (first, second), p in paid if first > second), abs=1e-9), name
            assert odds.mean == pytest.approx(payoffs[0], abs=1e-9), name


def test_games_of_public_state_are_not_refused():
    refused = {name for name, game in GAMES.items() if answer(nash_conv, game, "uniform") is None}
    # The last one says that it has positions as arrays, and then does not hand them over.
    assert {name for name in refused if GAMES[name].facts.public_state} <= {"war-rounds_form"}


def test_where_the_lower_card_wins_everybody_knows():
    game, usual = GAMES["jujitsu-trick_outcomes"], make_game("jujitsu", num_cards=3)
    assert head_to_head(usual, "lowest_card", "highest_card").win == 1.0
    assert head_to_head(game, "lowest_card", "highest_card").loss == 1.0
    assert solve(game).method == "backward induction"
    assert solve(usual).method == "backward induction over words"
