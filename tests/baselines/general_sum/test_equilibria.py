"""Equilibria of one-shot games: textbooks, random games against other programs, and what is claimed about them."""

from fractions import Fraction

import numpy as np
import pytest
from bimatrix import JORDAN, TEXTBOOK, by_pygambit, plays_of, random_payoffs, travellers_dilemma
from thinning import each_row, parametrize

import baselines
from baselines.general_sum import extreme
from baselines.general_sum.logit import Branch
from cardwar_envs import TableState, make_game, table_game

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
FIFTHS = (Fraction(3, 5), Fraction(2, 5))
PURE = [(1, 0), (0, 1)]
SMALL, ONCE = make_game("jujitsu", num_cards=3), make_game("lowest_unique")
CHUNK = 25


@each_row(
    ("name", "plays"),
    [
        # Luce and Raiffa: the pure ones, and 3/5 for one's own favourite, which pays 1/5
        ("battle of the sexes", [*zip(PURE, PURE, strict=True), (FIFTHS, FIFTHS[::-1])]),
        ("hawk-dove", [*zip(PURE, PURE[::-1], strict=True), ((HALF, HALF), (HALF, HALF))]),
        ("chicken", [*zip(PURE, PURE[::-1], strict=True), ((Fraction(2, 3), THIRD), (Fraction(2, 3), THIRD))]),
        ("Shapley's game", [((THIRD,) * 3, (THIRD,) * 3)]),
    ],
)
def test_all_equilibria_of_textbook_games(name, plays):
    found = baselines.equilibria(table_game(TEXTBOOK[name]))
    assert set(plays_of(found)) == set(plays)
    assert found.claim == ("unique" if len(plays) == 1 else "all")
    assert all(each.exact and type(each.gain) is Fraction for each in found)
    pure = baselines.equilibria(table_game(TEXTBOOK[name]), "pure")
    assert plays_of(pure) == sorted((p for p in plays if {*p[0], *p[1]} == {0, 1}), reverse=True)


def test_the_lowest_claim_is_the_only_equilibrium_of_the_travellers_dilemma():
    found = baselines.equilibria(table_game(travellers_dilemma(9)))
    assert (found.claim, plays_of(found)) == ("unique", [((1,) + (0,) * 7,) * 2])
    assert found[0].payoffs == (2, 2)
    assert found.label.startswith("the only equilibrium, proved; by enumeration")
    pure = baselines.equilibria(table_game(travellers_dilemma(40)), "pure")
    assert [each.payoffs for each in pure] == [(2, 2)]


def test_three_players_who_match_pennies_play_evenly():
    game = table_game(JORDAN)
    assert len(pure := baselines.equilibria(game, "pure")) == 0
    assert "there are none" in pure.label
    found = baselines.equilibria(game)
    assert plays_of(found) == [((HALF, HALF),) * 3]  # Jordan 1993
    assert (found.claim, found[0].exact) == ("one", True)


def reference(name):
    return pytest.importorskip(name, reason=f"{name} is not installed")


@parametrize("chunk", [(k,) for k in range(500 // CHUNK)], always={0})
def test_random_bimatrix_games(chunk):
    """Every equilibrium is verified in rationals, and the list is that of another program."""
    pygambit, rng = reference("pygambit"), np.random.default_rng(chunk)
    for _ in range(CHUNK):
        payoffs = random_payoffs(rng, rng.integers(1, 7, 2))
        found = baselines.equilibria(table_game(payoffs))
        assert all(each.exact for each in found)
        plays = plays_of(found)
        assert len(set(plays)) == len(plays)
        assert set(plays) == by_pygambit(pygambit, payoffs)
        pure = plays_of(baselines.equilibria(table_game(payoffs), "pure"))
        assert set(pure) == {play for play in plays if all(max(mix) == 1 for mix in play)}


@pytest.mark.slow
@parametrize("chunk", [(k,) for k in range(4)], always={0})
def test_random_games_that_are_not_degenerate_as_quantecon_solves_them(chunk):
    theory, rng = reference("quantecon.game_theory"), np.random.default_rng(100 + chunk)
    for _ in range(CHUNK):
        payoffs = rng.integers(0, 10**6, (2, 4, 5))  # not degenerate, which QuantEcon's enumeration takes for granted
        first, second = payoffs.astype(float)
        players = theory.Player(first), theory.Player(np.ascontiguousarray(second.T))
        theirs = theory.vertex_enumeration(theory.NormalFormGame(players))
        ours = [np.concatenate(play).astype(float) for play in plays_of(baselines.equilibria(table_game(payoffs)))]
        assert len(ours) == len(theirs)
        for play in theirs:
            assert min(np.abs(np.concatenate(play) - mine).max() for mine in ours) < 1e-9


@parametrize("chunk", [(k,) for k in range(100 // CHUNK)], always={0})
def test_random_games_of_three_players(chunk):
    rng = np.random.default_rng(200 + chunk)
    for _ in range(CHUNK):
        game = table_game(random_payoffs(rng, rng.integers(1, 4, 3)))
        (found,) = baselines.equilibria(game)
        size = max(abs(game.facts.min_payoff), abs(game.facts.max_payoff), 1.0)
        assert 0 <= found.gain <= 1e-12 * size
        assert baselines.nash_conv(game, found.policies).total <= 1e-12 * size


def test_a_game_whose_branch_from_uniform_play_cannot_be_followed():
    """Found among random games: the branch ends at a singular point."""
    payoffs = [
        [[[1, 1, 1], [0, 0, 1], [0, 1, 0]], [[1, 0, 0], [0, 0, 0], [1, 0, 0]], [[0, 0, 1], [1, 0, 0], [0, 1, 1]]],
        [[[1, 0, 0], [0, 0, 0], [1, 1, 1]], [[0, 0, 0], [0, 0, 0], [1, 0, 1]], [[0, 1, 1], [1, 0, 1], [1, 1, 1]]],
        [[[1, 0, 1], [0, 0, 0], [1, 0, 1]], [[1, 0, 1], [0, 0, 0], [0, 0, 1]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]],
    ]
    assert Branch(np.array(payoffs, dtype=float)).nash() is None
    assert baselines.equilibria(table_game(payoffs))[0].exact


@each_row("size", [12, 30])
def test_one_equilibrium_by_lemke_and_howson_where_there_are_too_many_vertices(size, monkeypatch):
    reference("quantecon")
    monkeypatch.setattr(extreme, "MOST_VERTICES", 100)
    rng = np.random.default_rng(size)
    for high in (3, 1000):
        found = baselines.equilibria(table_game(rng.integers(0, high, (2, size, size))))
        assert (found.claim, len(found)) == ("one", 1)
        assert found.label == "one of possibly many equilibria; by Lemke and Howson's algorithm"
        assert found[0].exact


@each_row("numbers", list(range(3, 9)))
def test_the_symmetric_equilibrium_of_the_lowest_unique_number(numbers):
    """Three players: R. Östling, J. T. Wang, E. Y. Chou and C. F. Camerer (2011), online appendix A."""
    game = make_game("lowest_unique", num_players=3, numbers=numbers, payoff="prize")
    (found,) = baselines.equilibria(game, "symmetric")
    assert abs(found.gain) <= 1e-12
    assert abs(baselines.nash_conv(game, found.policies).total) <= 1e-12
    mixes = [list(mix.values()) for mix in found.labelled()]
    assert mixes[0] == mixes[1] == mixes[2]
    assert min(mixes[0]) > 0.0
    assert mixes[0] == pytest.approx(sorted(mixes[0], reverse=True), abs=1e-12)
    if numbers == 3:  # p = 2 sqrt(3) - 3 solves (1 - p)^2 = p (1 - p) + ((1 - p) / 2)^2 for equal odds to win
        assert mixes[0] == pytest.approx([2 * 3**0.5 - 3, 2 - 3**0.5, 2 - 3**0.5], abs=1e-13)


def test_only_a_symmetric_game_has_symmetric_equilibria():
    found = baselines.equilibria(table_game(TEXTBOOK["hawk-dove"]), "symmetric")
    assert plays_of(found) == [((HALF, HALF), (HALF, HALF))]
    with pytest.raises(ValueError, match="not symmetric: swapping player_0 and player_1"):
        baselines.equilibria(table_game(TEXTBOOK["battle of the sexes"]), "symmetric")
    with pytest.raises(ValueError, match="not symmetric: swapping player_0 and player_1"):
        baselines.equilibria(table_game(np.ones((2, 2, 3))), "symmetric")


@each_row("precision", [0.0, 0.1, 1.0, 3.0, 20.0])
def test_logit_equilibria_answer_themselves(precision):
    for payoffs in (*TEXTBOOK.values(), JORDAN, random_payoffs(np.random.default_rng(1), (3, 2, 4))):
        table = np.array(payoffs, dtype=float)
        (found,) = baselines.equilibria(table_game(payoffs), "logit", lambda_=precision)
        mixes = [np.array(list(mix.values()), dtype=float) for mix in found.labelled()]
        for player, mix in enumerate(mixes):
            worth = table[player]
            for other in reversed(range(len(mixes))):
                worth = worth if other == player else np.tensordot(worth, mixes[other], (other, 0))
            odds = np.exp(precision * (worth - worth.max()))
            assert mix == pytest.approx(odds / odds.sum(), abs=1e-9)


def test_a_logit_equilibrium_is_not_called_a_nash_equilibrium():
    found = baselines.equilibria(table_game(TEXTBOOK["battle of the sexes"]), "logit", lambda_=1.0)
    assert "not Nash" in found.label
    assert found[0].gain > 0.01
    assert not found[0].exact


def test_rounded_payoffs_are_verified_in_floats_and_say_so():
    found = baselines.equilibria(table_game(np.array(TEXTBOOK["battle of the sexes"]) / 10.0))
    assert "payoffs rounded to floats" in found.label
    assert all(type(each.gain) is float and abs(each.gain) < 1e-15 and not each.exact for each in found)
    assert plays_of(found)[2][0] == pytest.approx((0.6, 0.4), abs=1e-15)


@each_row(
    ("game", "arguments", "message"),
    [
        (SMALL, {"kind": "pure"}, "all players choose once"),
        (SMALL, {"kind": "correlated"}, "all players choose once"),
        (make_game("dice_poker"), {}, "players see the whole state"),
        (ONCE, {"kind": "some"}, r"kind \('some'\) must be one of 'pure', 'mixed'"),
        (ONCE, {"kind": "logit"}, r"lambda_ \(None\) must be a number"),
        (ONCE, {"kind": "logit", "lambda_": -1.0}, r"lambda_ \(-1.0\) must be a number"),
        (ONCE, {"kind": "logit", "lambda_": float("nan")}, r"lambda_ \(nan\) must be a number"),
        (ONCE, {"lambda_": 1.0}, r"lambda_ \(1.0\) must be a number"),
        (ONCE, {"selection": "best"}, r"selection \('best'\) must be one of 'sum', 'min', 'first'"),
        (ONCE, {"kind": "correlated", "selection": "first"}, r"must be one of 'sum', 'min'"),
    ],
)
def test_what_is_refused(game, arguments, message):
    with pytest.raises(ValueError, match=message):
        baselines.equilibria(game, **arguments)


def test_a_decision_with_too_many_payoffs_is_refused():
    with pytest.raises(ValueError, match="a decision has 500,000 payoffs; the most is 300,000"):
        baselines.equilibria(make_game("lowest_unique", num_players=5, numbers=10))
    with pytest.raises(ValueError, match=r"game .* must be a game"):
        baselines.equilibria("jujitsu")


@each_row("units", [(1, 10**12, Fraction(1, 10**9)), (Fraction(1, 10**12),) * 3])
def test_players_may_count_in_other_units(units):
    rng = np.random.default_rng(0)
    for _ in range(3):
        payoffs = [
            own * unit for own, unit in zip(rng.integers(-5, 6, (3, 2, 2, 2)).astype(object), units, strict=True)
        ]
        game = table_game(payoffs)
        (found,) = baselines.equilibria(game)
        gains = baselines.nash_conv(game, found.policies).per_player
        assert all(gain <= 1e-9 * unit for gain, unit in zip(gains, units, strict=True))


def test_payoffs_that_floats_cannot_tell_apart_stay_exact():
    found = baselines.equilibria(table_game(np.array(TEXTBOOK["battle of the sexes"], dtype=object) + 10**17))
    assert len(found) == 3
    assert all(each.exact for each in found)
    assert "rounded" not in found.label


def test_a_logit_equilibrium_near_a_pure_one_is_not_exact():
    assert not baselines.equilibria(table_game([[[3, 0], [5, 1]], [[3, 5], [0, 1]]]), "logit", lambda_=5_000.0)[0].exact


def test_a_state_without_a_choice_is_refused_even_if_nothing_was_found():
    found = baselines.equilibria(table_game([[[1, 0], [0, 1]], [[0, 2], [2, 0]]]), "pure")
    assert not len(found)
    with pytest.raises(ValueError, match="must be one of the 1 states in which players choose"):
        found.at(TableState((0, 0)))
