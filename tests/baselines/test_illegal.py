"""Policies that give probability to illegal actions: an error, or their legal part, said loudly."""

import re
import sys
import warnings

import pytest
from command import run, run_json

from baselines import IllegalMass, best_response, exploitability, make_policy, nash_conv
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import make_game
from cardwar_envs.core.policy import IllegalProbabilityError
from train.policies.files import save_policy
from train.policies.table import LearnedTable

GAME = make_game("jujitsu", num_cards=3)
GAMES = [GAME, make_game("dice_poker", sides=3)]


class Leaky:
    """Another policy, but for a share that goes to the action that is illegal with the lowest number, if there is."""

    def __init__(self, policy, share):
        self.policy, self.share = policy, share

    def action_probabilities(self, observations, masks):
        answer = self.policy.action_probabilities(observations, masks)
        some = ~masks.all(axis=1)
        answer[some] *= 1.0 - self.share
        answer[some, masks[some].argmin(axis=1)] = self.share
        return answer


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.facts.name)
def test_the_legal_part_is_what_is_measured(game):
    legal, leaky = make_policy("uniform", game), Leaky(make_policy("uniform", game), 0.25)
    plain = nash_conv(game, legal, illegal="renormalise")
    assert plain.removed == IllegalMass(0.0, 0.0)
    assert nash_conv(game, legal).removed is None
    if game.facts.name == "dice_poker":  # every action is legal
        assert nash_conv(game, leaky) == nash_conv(game, legal)
        return
    with pytest.warns(UserWarning, match="illegal actions had .* at most 25 %"):
        found = nash_conv(game, leaky, illegal="renormalise")
    assert found.total == pytest.approx(plain.total, abs=1e-12)
    assert found.payoffs == pytest.approx(plain.payoffs, abs=1e-12)
    assert found.removed.most == pytest.approx(0.25)
    assert 0.0 < found.removed.mean < 0.25
    with pytest.warns(UserWarning, match="not the exact figure of the given policy"):
        response = best_response(game, leaky, illegal="renormalise")
    assert response.value == pytest.approx(best_response(game, legal).value, abs=1e-12)
    assert response.removed.most == pytest.approx(0.25)


@pytest.mark.parametrize("ask", [exploitability, nash_conv, best_response])
def test_the_warning_points_at_the_line_that_asks(ask):
    leaky = Leaky(make_policy("uniform", GAME), 0.25)
    line = sys._getframe().f_lineno + 2
    with pytest.warns(UserWarning, match="illegal actions had") as warned:
        ask(GAME, leaky, illegal="renormalise")
    assert [(each.filename, each.lineno) for each in warned] == [(__file__, line)]


def test_one_policy_per_seat_and_both_are_counted():
    seats = (Leaky(make_policy("uniform", GAME), 0.5), make_policy("uniform", GAME))
    with pytest.warns(UserWarning, match="at most 50 %"):
        found = exploitability(GAME, seats, illegal="renormalise")
    assert found == pytest.approx(exploitability(GAME, "uniform"), abs=1e-12)


def test_by_default_it_is_an_error_that_names_the_option():
    leaky = Leaky(make_policy("uniform", GAME), 0.25)
    for ask in (exploitability, nash_conv, best_response):
        with pytest.raises(IllegalProbabilityError, match=re.escape('illegal="renormalise" measures its legal part')):
            ask(GAME, leaky)


def test_nothing_is_left_of_a_policy_that_plays_illegal_actions_only():
    with pytest.raises(IllegalProbabilityError, match="all probability is on illegal actions; legal actions are"):
        exploitability(GAME, Leaky(make_policy("uniform", GAME), 1.0), illegal="renormalise")


def test_policies_of_words_stay_policies_of_words():
    """A game that is exact for them only stays within reach."""
    game = make_game("jujitsu", num_cards=6)
    policy = Leaky(make_policy("uniform", game), 0.1)
    policy.by_words, policy.asked = True, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = nash_conv(game, policy, illegal="renormalise")
    assert found.total == pytest.approx(nash_conv(game, "uniform").total, abs=1e-12)


def test_the_command_says_so(tmp_path, capsys):
    _, seen, masks = full_graph(GAME).seen_by(0)
    rows = Leaky(make_policy("uniform", GAME), 0.25).action_probabilities(seen, masks)
    path = tmp_path / "leaky.safetensors"
    save_policy(path, LearnedTable(GAME, seen, rows))
    words = ["exploit", "jujitsu", "num_cards=3", "--policy", str(path)]
    code, _, err = run(capsys, *words)
    assert code == 2
    assert 'illegal="renormalise"' in err
    _, out, _ = run(capsys, *words, "--illegal", "renormalise")
    assert "Illegal actions had" in out
    assert "exploitability 0.5" in out
    assert run_json(capsys, *words, "--illegal", "renormalise")["illegal_mass"]["most"] == pytest.approx(0.25)
    assert "illegal_mass" not in run_json(capsys, "exploit", "jujitsu", "num_cards=3")
    assert (
        "cannot be combined with --approximate" in run(capsys, *words, "--illegal", "renormalise", "--approximate")[2]
    )
