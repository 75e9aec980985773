"""Best responses and NashConv in rationals: the fractions are right, and only exact policies have them."""

from fractions import Fraction

import numpy as np
import pytest
from command import run, run_json, run_refused
from thinning import each_row
from toys import END, Answering, Toy

import baselines
from cardwar_envs import make_game
from cardwar_envs.core.policy import Uniform

GAME = make_game("jujitsu", num_cards=3)


@each_row("game", [GAME, make_game("dice_poker", sides=3), make_game("dice_wars", num_cards=2, sides=3)])
def test_an_equilibrium_in_rationals_is_exactly_unexploitable(game):
    solution = baselines.solve(game, exact=True)
    for policy in (solution.policy, [solution.policy, "equilibrium"]):
        figures = baselines.nash_conv(game, policy, exact=True)
        assert (figures.exact, figures.exact_payoffs) == (0, (solution.exact, -solution.exact))
    assert baselines.nash_conv(game, solution.policy).total == pytest.approx(0.0, abs=1e-12)


def test_the_result_shows_fractions():
    result = baselines.nash_conv(make_game("dice_poker"), "uniform", exact=True)
    assert repr(result).startswith("<NashConv 5/9 (0.555556) payoff points, exact; gains 1/4 (0.250000), 11/36")
    assert "11/36 (0.305556)" in result._repr_html_()
    assert "value 1/18 (0.055556)" in repr(baselines.best_response(make_game("dice_poker"), "uniform", 1, exact=True))
    found = baselines.exploitability(make_game("dice_poker"), "uniform", exact=True)
    assert (found, type(found)) == (Fraction(5, 18), Fraction)
    assert type(baselines.exploitability(GAME, "uniform")) is float


def by_thirds(masks):
    """A third more for the first legal action than for the others together."""
    rows = np.where(masks == 1, Fraction(1, 3), Fraction(0))
    return np.array([[Fraction(each) / sum(row) for each in row] for row in rows.tolist()], dtype=object)


class Thirds:
    def action_probabilities(self, observations, action_masks):
        return by_thirds(action_masks).astype(float)

    def exact_probabilities(self, observations, action_masks):
        return by_thirds(action_masks)


def test_fractions_come_from_a_table_or_a_method_or_plain_binary_floats():
    uniform = baselines.nash_conv(GAME, "uniform", exact=True).exact
    assert baselines.nash_conv(GAME, Thirds(), exact=True).exact == uniform
    form = make_game("dice_poker", sides=2).bayesian_form()
    rows = {seen.tobytes(): [Fraction(1, 3), Fraction(2, 3)] for player in (0, 1) for seen in form.observations[player]}
    table, game = baselines.TablePolicy(rows), make_game("dice_poker", sides=2)
    exact = baselines.nash_conv(game, table, exact=True)
    assert exact.total == pytest.approx(baselines.nash_conv(game, table).total, abs=1e-12)
    assert exact.exact.denominator % 3 == 0
    halves = Answering(lambda observations, masks: np.where(masks.sum(1, keepdims=True) == 2, masks / 2, first(masks)))
    assert baselines.nash_conv(GAME, halves, exact=True).exact == pytest.approx(baselines.nash_conv(GAME, halves).total)


def first(masks):
    return np.eye(masks.shape[1])[masks.argmax(axis=1)]


class Lying(Uniform):
    def action_probabilities(self, observations, action_masks):
        return first(action_masks)


class Short(Thirds):
    def exact_probabilities(self, observations, action_masks):
        return [[entry - Fraction(1, 10**12) for entry in row] for row in by_thirds(action_masks)]


@each_row(
    ("policy", "options", "message"),
    [
        (Answering(lambda _, masks: masks / masks.sum(1, keepdims=True)), {}, "0.3333333333333333 is a rounded float"),
        (Lying(GAME), {}, "policy Lying: exact_probabilities and action_probabilities differ"),
        (Short(), {}, "policy Short: exact probabilities sum to .*, not to 1"),
        (baselines.solve(GAME).policy, {}, "jujitsu was not solved in rational arithmetic; solve it with exact=True"),
        ("uniform", {"illegal": "renormalise"}, r"illegal \('renormalise'\) must be 'raise'"),
        ("uniform", {"max_states": 10}, "jujitsu has more than 10 undecided states"),
    ],
)
def test_what_has_no_exact_figure_is_refused(policy, options, message):
    for ask in (baselines.nash_conv, baselines.best_response):
        with pytest.raises(ValueError, match=message):
            ask(GAME, policy, exact=True, **options)


AsGiven = type("AsGiven", (Toy,), {"_rewards": lambda self, paid: (paid, -paid), "__hash__": Toy.__hash__})
HUGE = 2**62


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize(
    ("payoffs", "mean"),
    [
        ((np.int64(HUGE), np.int64(HUGE)), HUGE),
        ((np.int32(3), np.float32(0.5)), Fraction(7, 4)),
        ((Fraction(1, 3), 1), Fraction(2, 3)),
        ((1e12 + 0.5, 0), 500_000_000_000 + Fraction(1, 4)),
        ((0.1, 0.9), None),
        ((np.float32(0.1), 0), None),
        ((1e12 + 0.1, 0), None),
        ((1e17 / 3, 0), None),
    ],
)
def test_an_exact_value_is_that_of_the_numbers_in_the_rules(payoffs, mean, public):
    game = AsGiven((((0, 1), {(0, 0): [(Fraction(1, 2), END, paid) for paid in payoffs]}),), public=public)
    asks = (lambda: baselines.solve(game, exact=True), lambda: baselines.best_response(game, "uniform", exact=True))
    for ask in asks:
        if mean is None:
            with pytest.raises(ValueError, match="in the rules is a rounded float"):
                ask()
        else:
            assert ask().exact == mean
    assert baselines.solve(game, exact=False).value == pytest.approx(float(sum(map(Fraction, map(float, payoffs))) / 2))


@pytest.mark.parametrize("public", [True, False])
def test_deals_of_probability_0_change_nothing(public):
    pays = {(0, 0): [(1, END, 1)], (1, 0): [(1, END, 2)]}
    game = Toy((((0, 1), pays),) * 2, starts=((Fraction(1), 0, 0.0), (Fraction(0), 1, 0.0)), public=public)
    assert baselines.solve(game, exact=True).exact == 2


def test_the_command_shows_fractions(capsys):
    words = ["exploit", "dice_poker", "--exact"]
    answer = run_json(capsys, *words)
    gains, payoffs = ["1/4", "11/36"], ["1/4", "-1/4"]
    assert answer["exact"] == {"exploitability": "5/18", "nash_conv": "5/9", "per_player": gains, "payoffs": payoffs}
    assert answer["nash_conv"] == 5 / 9
    code, shown, _ = run(capsys, *words)
    assert (code, "NashConv 5/9 (0.555556) (the sum of the gains), exact" in shown) == (0, True)
    assert run_json(capsys, *words, "--policy=equilibrium")["exact"]["nash_conv"] == "0"
    assert "exact" not in run_json(capsys, "exploit", "dice_poker")
    assert "cannot be combined with --approximate" in run_refused(capsys, *words, "--approximate")
