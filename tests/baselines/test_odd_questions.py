"""Games, arguments and samples of which no figure means anything: each is one clear error, never a number."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from thinning import each_row
from toys import END, Toy, endless, general_sum, one_step

import baselines
from baselines import cross_play, head_to_head, match, mean_interval, share_interval
from baselines.oracles.bayesian.solver import form_of, optimal_range
from cardwar_envs import DuelState, Transition, make_game, play_episode
from cardwar_envs.core.policy import Uniform
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.games.dice_poker import DicePoker

HALF = Fraction(1, 2)
PENNIES = {(i, j): [(1, END, 1 if i == j else 0)] for i in (0, 1) for j in (0, 1)}
NAN, INF = float("nan"), float("inf")


def after(*outcomes):
    return Toy((((0, 1), {(0, 0): list(outcomes)}),))


def changed(**methods):
    """Matching pennies with other methods."""
    return type("Changed", (Toy,), {**methods, "__hash__": Toy.__hash__})((((0, 1), PENNIES),))


HIDDEN = (
    ((0, 1), {(0, 0): [(HALF, 1, 0), (HALF, 2, 0)]}),
    ((0, 1), {(0, 0): [(1, END, 1)], (1, 0): [(1, END, -1)]}),
    ((0, 1), {(0, 0): [(1, END, -1)], (1, 0): [(1, END, 1)]}),
)
Blind = type("Blind", (Toy,), {"observation": lambda *_: np.zeros(2, np.float32), "__hash__": Toy.__hash__})
CHANCES = r"the probabilities of what follows \[0, 0\] in 0 are \[.*\]; they must be at least 0 and sum to 1"
LEGAL = r"player_0 acts in 0, and its legal actions are \(.*\); they must be ascending numbers in 0..2"
PAYMENT = r"a payment is .*; payments must be finite, at most 1e\+299 in absolute value"
ODD_GAMES = {
    "too little chance": (after((Fraction(9, 10), END, 1)), CHANCES),
    "too much chance": (after((1, END, 1), (1, END, 1)), CHANCES),
    "a negative chance": (after((Fraction(3, 2), END, 1), (-HALF, END, -5)), CHANCES),
    "no outcome": (after(), r"a joint action, \[0, 0\], has no outcome"),
    "starts that may not be": (Toy((((0, 1), PENNIES),), starts=((HALF, 0, 0.0),)), "of the starts are"),
    "no start": (Toy((((0, 1), PENNIES),), starts=()), "the rules return \\[\\], which must be a list"),
    "a payment that is no number": (after((1, END, NAN)), PAYMENT),
    "an endless payment": (after((1, END, INF)), PAYMENT),
    "payments that overflow": (after((1, END, 1e308)), PAYMENT),
    "no action": (changed(legal_actions=lambda *_: ()), LEGAL),
    "an action twice": (changed(legal_actions=lambda *_: (0, 0, 1)), LEGAL),
    "actions out of order": (changed(legal_actions=lambda *_: (1, 0)), LEGAL),
    "an action that does not exist": (changed(legal_actions=lambda *_: (-1, 0)), LEGAL),
    **{
        f"payments {what}": (changed(_rewards=paid), "an outcome is .* with 2 rewards, one for each player")
        for what, paid in {
            "for three": lambda self, paid: (paid, -paid, 0.0),
            "for one": lambda self, paid: (paid,),
            "by name": lambda self, paid: {0: paid, 1: -paid},
            "as one number": lambda self, paid: paid,
        }.items()
    },
    "zero-sum in words only": (changed(_rewards=lambda self, paid: (paid, paid)), "declares that it is zero-sum, but"),
}


@each_row(("name", "public"), product(ODD_GAMES, (True, False)))
def test_a_game_of_which_no_figure_means_anything_is_refused(name, public):
    game, message = ODD_GAMES[name]
    game = replace(game, public=public)
    for question in (baselines.nash_conv, baselines.best_response, baselines.exploitability):
        with pytest.raises(ValueError, match=rf"toy.* {message}|toy: {message}"):
            question(game, "uniform_actions")
    with pytest.raises(ValueError, match=rf"{message}"):
        head_to_head(game, "uniform_actions", "uniform_actions")
    with pytest.raises(ValueError, match=rf"{message}"):
        baselines.solve(game)


WHOLE = Transition(Fraction(1), END, (0.0, 0.0))
# What rules may return by mistake instead of a list of transitions.
NOT_LISTED = {
    "plain tuples": [tuple(WHOLE)],
    "nothing": None,
    "a dict": {1.0: END},
    "one transition": WHOLE,
    "an empty list": [],
    "a generator": (each for each in ()),
    "a payment for one": [WHOLE._replace(rewards=(0.0,))],
    "a payment of None": [WHOLE._replace(rewards=(None, 0.0))],
}


@pytest.mark.parametrize("method", ["initial", "transitions"])
@each_row("what", NOT_LISTED)
def test_rules_that_do_not_list_transitions_are_refused(what, method):
    game = changed(**{method: lambda *_: NOT_LISTED[what]})
    env = ParallelGameEnv(game)
    for ask in (
        lambda: baselines.solve(game),
        lambda: baselines.nash_conv(game, "uniform"),
        lambda: play_episode(game, ["uniform"] * 2, 0),
        lambda: env.reset(seed=0) and env.step({"player_0": 0, "player_1": 0}),
        lambda: match(game, "uniform", "uniform", games=2),
    ):
        with pytest.raises(ValueError, match=r"a list of Transition|must be a Transition|must have 2|has no outcome"):
            ask()


def test_players_who_do_not_see_what_they_are_said_to_see_have_no_exact_figures():
    with pytest.raises(
        ValueError, match="declares that players see the state, but player_0 has the same observation in 1 and in 2"
    ):
        baselines.nash_conv(Blind(HIDDEN), "uniform")
    assert baselines.nash_conv(Toy(HIDDEN), "uniform").total == 1.0


def test_rows_of_another_length_are_not_spread_over_arrays():
    narrow = changed(observation=lambda *_: np.zeros(1, np.float32))
    with pytest.raises(ValueError, match="toy: an observation must have 2 numbers"):
        baselines.nash_conv(narrow, "uniform")
    for game in (narrow, changed(_rewards=lambda self, paid: (paid,))):
        with pytest.raises(ValueError, match=r"by the game's facts its shape|with 2 rewards, one for each"):
            match(game, "uniform", "uniform", games=2)


class Form(DicePoker):
    """Dice Poker whose arrays are changed."""

    def bayesian_form(self):
        form = super().bayesian_form()
        name, change, _ = CHANGES[self.ante]
        return replace(form, **{name: change(getattr(form, name))})


# Ante -> which array is changed, how, and what is said of it.
CHANGES = {
    1: ("deals", lambda deals: deals * 0, "deals must be"),
    2: ("deals", lambda deals: deals * np.array([[1], [1], [-1]]), "deals must be"),
    3: ("payoffs", lambda payoffs: payoffs * np.array([1.0, NAN]), "payoffs must be finite"),
    4: ("payoffs", lambda payoffs: payoffs * 1e301, "payoffs must be finite"),
    5: ("observations", lambda seen: (seen[0], np.zeros_like(seen[1])), "two types of player_1 have the same"),
}


@each_row("ante", CHANGES)
def test_arrays_of_private_information_that_mean_nothing_are_refused(ante):
    message = CHANGES[ante][2]
    for question in (baselines.solve, lambda game: baselines.nash_conv(game, "uniform")):
        with pytest.raises(ValueError, match=f"dice_poker: {message}"):
            question(Form(sides=3, ante=ante))


def test_who_is_ahead_by_rounding_is_not_ahead():
    paid = [0.1, 0.2, -0.3]
    assert sum(paid) > 0.0
    game = Toy(tuple(((0, 1), {(0, 0): [(1, place + 1, points)]}) for place, points in enumerate(paid)))
    game = replace(game, table=(*game.table, ((), {})))
    odds = head_to_head(game, "uniform", "uniform")
    assert (odds.win, odds.loss, odds.tie) == (0.0, 0.0, 1.0)
    assert match(game, "uniform", "uniform", games=2).wins.mean == 0.0
    assert cross_play(game, ["uniform"] * 2).nobody == 1


GAME = make_game("jujitsu", num_cards=2)
ONE = np.array([0.0, 0.5, 1.0])
LIMITS, SEEDS = (0, -1, 1.5, True, "5", NAN), (-1, 1.5, None, "a", NAN, True)
CONFIDENCES = (0, 1, 2, -1, NAN, "x", None)
# (how the argument is called, a question with it, values that it cannot have)
ODD_ARGUMENTS = [
    ("max_states", lambda n: baselines.nash_conv(GAME, "uniform", max_states=n), LIMITS),
    ("max_states", lambda n: baselines.solve(GAME, max_states=n), LIMITS),
    ("player", lambda p: baselines.best_response(GAME, "uniform", p), (True, 1.0, -1, 2, "0", None, NAN)),
    ("seed", lambda s: match(GAME, "uniform", "uniform", seed=s), SEEDS),
    ("seed", lambda s: cross_play(GAME, ["uniform"] * 2, seed=s), SEEDS),
    ("games", lambda n: match(GAME, "uniform", "uniform", games=n), (0, -1, 1.5, None, "5", NAN, True)),
    ("confidence", lambda c: mean_interval(ONE, 0, 1, c), CONFIDENCES),
    ("confidence", lambda c: share_interval(3, 10, c), CONFIDENCES),
    ("samples", lambda s: mean_interval(s, 0, 1), ([], [NAN, 1], [[0, 1]], ["a"], [2.0], [None], 3)),
    ("samples", lambda b: mean_interval(ONE, *b), ((1, 0), (NAN, 1), (0, NAN), (0.1, 1), (0, 0.9))),
    ("successes|trials", lambda a: share_interval(*a), ((1.5, 3), (True, 2), (NAN, 2), (1, INF), (3, 2), (0, 0))),
]


@each_row(("named", "question", "values"), ODD_ARGUMENTS)
def test_odd_arguments_are_refused_by_name(named, question, values):
    for value in values:
        with pytest.raises(ValueError, match=named):
            question(value)


THREE = make_game("jujitsu", num_cards=3)
DICE, MANY = make_game("dice_poker"), make_game("jujitsu", num_cards=5)
FOR_TWO = "toy: solving is for two-player zero-sum games"
HIDDEN_FOR_TWO = "toy: an exact answer on private information is for two-player zero-sum games"
SELECTIONS = {
    "sharpest": r"selection \('sharpest'\) must be one of default, max_entropy, exploit:POLICY",
    "exploit:": "must be one of default",
    "max_entropy:2": "must be one of default",
    "exploit:nobody": "unknown policy 'nobody'",
    baselines.Exploit("nobody"): "unknown policy 'nobody'",
    baselines.Exploit(3): r"policy \(3\) must be a name",
    None: r"selection \(None\) must be a name or an Exploit",
}
DUELS = ("highest_card", "lowest_card", "second_lowest_card")
WARS = ("min", "max", "dummie", "simple_minded_1", "simple_minded_2_as_written", "general_purpose_adversary")
IMPOSSIBLE = (DuelState(((1, 2), (1, 4))), DuelState(((1, 2), (1, 2)), 3), DuelState(((1, 3), (2,))), None)
SOLVED = baselines.solve(THREE)
TENTHS = changed(_rewards=lambda self, paid: (paid / 10, -paid / 10))
# (a question, what the error says)
REFUSED = [
    (lambda: baselines.best_response(THREE, "nobody"), "unknown policy 'nobody'"),
    (lambda: baselines.best_response(THREE, ("uniform",)), "1 policies given for 2 players"),
    (lambda: baselines.best_response(THREE, ("uniform",) * 3), "3 policies given for 2 players"),
    (lambda: baselines.best_response(THREE, None), r"policy \(None\) must be a name or have"),
    (lambda: baselines.best_response(DICE, ("uniform",), 1), "1 policies given for 2 players"),
    (lambda: head_to_head(THREE, 3, "uniform"), r"policy \(3\) must be a name"),
    (lambda: head_to_head(one_step(players=3), "uniform", "uniform"), "supports only two-player games"),
    (lambda: head_to_head(endless(), "uniform", "uniform"), "the game can visit a state twice"),
    (lambda: baselines.exploitability(one_step(players=3), "uniform"), "two-player zero-sum games; use nash_conv"),
    (lambda: baselines.nash_conv(one_step(players=3), ("uniform",) * 2), "2 policies given for 3 players"),
    (lambda: baselines.nash_conv(THREE, "uniform", max_states=5), "jujitsu has more than 5 undecided states"),
    (lambda: baselines.nash_conv(DICE, "uniform", max_states=5), r"max_states \(5\) does not apply to dice_poker: its"),
    (
        lambda: baselines.exploitability(THREE, "uniform", illegal="ignore"),
        r"illegal \('ignore'\) must be one of 'raise', 'renormalise'",
    ),
    (lambda: baselines.nash_conv(THREE, "uniform", exact=True, illegal="renormalise"), "must be 'raise'"),
    (lambda: baselines.nash_conv(TENTHS, "uniform", exact=True), "in the rules is a rounded float"),
    *((lambda g=g: baselines.solve(g), FOR_TWO) for g in (one_step(players=3), general_sum())),
    *((lambda g=g: form_of(g), HIDDEN_FOR_TWO) for g in (one_step(players=3), general_sum())),
    (lambda: form_of(THREE), "move once on private information: .* the game goes on"),
    (lambda: optimal_range(DICE, 2), r"player \(2\) must be in 0..1"),
    (lambda: baselines.solve(endless()), "the game can visit a state twice"),
    (lambda: baselines.solve(DICE, selection="max_entropy"), "must be 'default' for dice_poker"),
    (lambda: baselines.solve(MANY, selection="max_entropy", exact=True), "must be 'default'"),
    *((lambda s=s: baselines.solve(MANY, selection=s), message) for s, message in SELECTIONS.items()),
    *((lambda n=n: baselines.make_policy(n, TENTHS), f"^{n} plays duels such as jujitsu, not toy; ") for n in DUELS),
    *(
        (lambda n=n: baselines.make_policy(n, THREE), f"^{n} plays war, not jujitsu; policies for jujitsu")
        for n in WARS
    ),
    (
        lambda: baselines.make_policy("matching", THREE),
        "^matching plays goofspiel with view='cards', not jujitsu;",
    ),
    (
        lambda: baselines.make_policy("matching", make_game("goofspiel", view="word")),
        "^matching plays goofspiel with view='cards', not goofspiel with view='word'; policies",
    ),
    *((lambda s=s: SOLVED.value_at(s), "state") for s in IMPOSSIBLE),
    *((lambda s=s: SOLVED.strategies(s), "state") for s in IMPOSSIBLE),
    *((lambda s=s: SOLVED.payoff_matrix(s), "state") for s in IMPOSSIBLE),
    *(
        (lambda ask=ask: ask(DuelState(((), ()), 3)), "the game is over in DuelState")
        for ask in (SOLVED.strategies, SOLVED.payoff_matrix, SOLVED.at, SOLVED.labelled, SOLVED.show)
    ),
    (lambda: SOLVED.exact_strategies(THREE.initial()[0].state), "solve it with exact=True"),
]


@each_row(("question", "message"), REFUSED)
def test_questions_without_an_answer_are_refused(question, message):
    with pytest.raises(ValueError, match=message) as error:
        question()
    assert "\n" not in str(error.value)


HUGE = [[10**400]]
UNORDERED = [{"uniform", "lowest_card"}, frozenset({"uniform", "lowest_card"}), {"uniform": 0, "lowest_card": 1}]
ODD_MATRICES = [[[NAN, 1]], [[INF, 1]], [[1j]], [["a"]], [[None]], HUGE, np.zeros((1, 1), "M8[s]"), [], [[]], None, 5]


@each_row("question", [baselines.nash_conv, baselines.best_response, cross_play])
def test_policies_without_an_order_have_no_seats(question):
    for policies in UNORDERED:
        with pytest.raises(ValueError, match="in the order of the seats"):
            question(GAME, policies)


def test_a_matrix_that_is_none_is_refused():
    for matrix in ODD_MATRICES:
        with pytest.raises(ValueError, match=r"payoffs|matrix|convert"):
            baselines.solve_matrix(matrix)
        if matrix is not HUGE:  # a fraction can be as large
            with pytest.raises(ValueError, match=r"matrix|Fraction|NaN"):
                baselines.solve_matrix_exact(matrix)
    for mask in ([[NAN, 1]], [[INF, 1]], [["a", "b"]], [[None, 1]], [[1j, 1]]):
        with pytest.raises(ValueError, match="row_masks must be numbers"):
            baselines.solve_matrices([[[1.0], [0.0]]], mask)


class Lowest(Uniform):
    """Is made of uniform play, but plays the lowest card."""

    def action_probabilities(self, observations, action_masks):
        return np.eye(action_masks.shape[1])[action_masks.argmax(axis=1)]


def test_a_strategy_made_of_uniform_play_is_played_as_it_is():
    patched = baselines.make_policy("uniform", GAME)
    patched.action_probabilities = Lowest(GAME).action_probabilities
    for policy in (Lowest(GAME), patched):
        assert match(GAME, policy, "highest_card").payoff == match(GAME, "lowest_card", "highest_card").payoff
    assert baselines.make_policy("uniform", GAME).plays_uniformly
