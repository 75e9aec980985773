"""Duels at full size: equal to the generic solver at every state, found again after every kind of loss."""

import json
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from brute_force import assert_optimal, reachable, undecided_words
from hypothesis import given, settings
from hypothesis import strategies as st
from thinning import each_row
from tiny_games import SWITCHES, UNLIKE_HANDS

from baselines.matrix_game import solve_matrix
from baselines.matrix_game.continuation import matrix_at
from baselines.oracles.answers.protocol import Request
from baselines.oracles.rank_games import interleavings as duel_words
from baselines.oracles.rank_games import layers as duel_layers
from baselines.oracles.rank_games.solver import DuelTable, solves_ranks
from baselines.oracles.state_graph.backward_induction import EquilibriumTable
from cardwar_envs import DuelState, make_game
from cardwar_envs.core.play import random_state

TOLERANCE = 1e-9


def solved(game, **options):
    table = DuelTable(game, **options)
    table.solve()
    return table


def jujitsu(num_cards, **switches):
    return make_game("jujitsu", num_cards=num_cards, **switches)


def truth_at(game):
    table = EquilibriumTable(game)
    table.solve(game.initial())
    return table


def assert_optimal_play(game, table, truth, state):
    """Both strategies guarantee the true value against every answer, by the rules and the truth."""
    matrix = np.array(matrix_at(game, state, float, truth.value_to_go))
    assert_optimal(game, state, matrix, table.strategies(state), truth.value_to_go(state), TOLERANCE)


def assert_as_generic(game, table, strategies=True):
    truth = truth_at(game)
    for state in reachable(game):
        assert table.value_to_go(state) == pytest.approx(truth.value_to_go(state), abs=TOLERANCE)
        assert 0.0 <= table.gap_at(state) <= TOLERANCE
        if strategies and game.acting_players(state):
            assert_optimal_play(game, table, truth, state)


# -- layout -----------------------------------------------------------------------------------

SEVERAL_OF_A_RANK = {"hand_0": (1, 1, 2, 4, 6, 7), "hand_1": (2, 3, 4, 4, 5, 8)}


@pytest.mark.parametrize("game", [jujitsu(8), make_game("dinosaur_war", **SEVERAL_OF_A_RANK)])
def test_a_layer_laid_out_in_pieces_is_the_layer(game, monkeypatch):
    whole, pieces = DuelTable(game).layers, DuelTable(game).layers
    assert all(len(cut) == 1 for cut, _ in whole._pieces)
    monkeypatch.setattr(duel_layers, "LEAST_TO_LAY_OUT", 4)
    assert max(len(cut) for cut, _ in pieces._pieces) > 10
    assert pieces.sizes == whole.sizes
    for cards in range(1, len(whole.sizes) + 1):
        one, many = whole.empty_layer(cards), pieces.empty_layer(cards)
        assert np.array_equal(one.row_of, many.row_of)
        assert np.array_equal(one.base, many.base)


# -- values and strategies ------------------------------------------------------------------


@pytest.mark.plain_kernels
@pytest.mark.thin
@pytest.mark.parametrize(("ties", "payoff"), SWITCHES)
@pytest.mark.parametrize("num_cards", [1, 2, 3, 4, 5])
def test_values_and_strategies_are_those_of_the_generic_solver(num_cards, ties, payoff):
    game = jujitsu(num_cards, ties=ties, payoff=payoff)
    table = solved(game)
    assert_as_generic(game, table)
    start = game.initial()[0].state
    assert game.settled(start) is not None or len(table.strategies(start)) == 2
    assert not table._detours, "a state that can be reached was not in the layers"


LONGER = [((1, 3, 5, 7, 9), (2, 4, 6, 8, 10)), ((1, 1, 1, 2, 2), (1, 1, 2, 2, 2))]


@pytest.mark.thin
@pytest.mark.parametrize(("ties", "payoff"), SWITCHES)
@pytest.mark.parametrize("hands", [*UNLIKE_HANDS, *LONGER], ids=str)
def test_unlike_hands_and_cards_held_several_times(hands, ties, payoff):
    game = make_game("dinosaur_war", hand_0=hands[0], hand_1=hands[1], ties=ties, payoff=payoff)
    table = solved(game)
    assert_as_generic(game, table)
    assert not table._detours


@st.composite
def two_hands(draw, most):
    size = draw(st.integers(1, most))
    ranks = st.lists(st.integers(1, 6), min_size=size, max_size=size)
    return draw(ranks), draw(ranks)


@settings(max_examples=60, deadline=None)
@given(two_hands(4), st.sampled_from(SWITCHES))
def test_any_hands(hands, switches):
    game = make_game("dinosaur_war", hand_0=hands[0], hand_1=hands[1], ties=switches[0], payoff=switches[1])
    table = solved(game)
    assert_as_generic(game, table, strategies=False)
    assert not table._detours


def random_states(game, count, seed):
    """States that random play comes to."""
    rng = np.random.default_rng(seed)
    return [random_state(game, rng) for _ in range(count)]


@pytest.mark.parametrize(("ties", "payoff"), [("carry", "win"), ("carry", "margin"), ("discard", "win")])
def test_seven_cards_at_random_states(ties, payoff):
    game = jujitsu(7, ties=ties, payoff=payoff)
    table, truth = solved(game), truth_at(game)
    for state in random_states(game, 300, seed=1):
        assert table.value_to_go(state) == pytest.approx(truth.value_to_go(state), abs=TOLERANCE)
        assert_optimal_play(game, table, truth, state)


@pytest.mark.plain_kernels
def test_a_state_that_cannot_be_reached_is_solved_for_itself():
    # Both have played their 5, which was a tie; the game's cheap check allows a score of 1 all the same.
    game = make_game("jujitsu", num_cards=5)
    table, truth = solved(game), EquilibriumTable(game)
    state = DuelState(((1, 2, 3, 4), (1, 2, 3, 4)), 1, 0)
    game.check(state)
    assert table.value_to_go(state) == pytest.approx(truth.value_to_go(state), abs=TOLERANCE)
    assert table._detours
    assert_optimal_play(game, table, truth, state)
    assert table.gap_at(state) <= TOLERANCE


def test_ranks_by_their_distance_are_not_for_it():
    assert not solves_ranks(make_game("dice_wars"), Request())
    assert not solves_ranks(make_game("dinosaur_war", num_cards=30), Request())
    assert solves_ranks(jujitsu(13), Request())
    assert not solves_ranks(jujitsu(13), Request(exact=True))
    assert not solves_ranks(jujitsu(13), Request(selection="max_entropy"))


# -- what is solved --------------------------------------------------------------------------


@each_row("num_cards", [3, 4, 8])
def test_just_the_representatives_that_can_be_reached_are_solved(num_cards):
    words = undecided_words(range(1, num_cards + 1))
    representatives = {min(state, mirrored) for state, mirrored in words.items()}
    table = DuelTable(jujitsu(num_cards))
    assert table.states == len(representatives)
    assert table.solve() == len(representatives)
    if num_cards == 8:
        assert (len(words), len(representatives)) == (5262, 2641)


def test_known_counts_of_words():
    # 13 cards: 326,197 words over all layers, each a pair of hands up to interleaving.
    assert sum(size.words for size in DuelTable(jujitsu(13)).layers.sizes) == 326_197


def test_progress_ends_at_the_total():
    table, seen = DuelTable(jujitsu(8)), []
    table.solve(request=Request(progress=seen.append))
    assert seen == sorted(seen)
    assert seen[-1] == table.states


def test_too_many_states_are_refused_before_any_work():
    table = DuelTable(jujitsu(8))
    with pytest.raises(ValueError, match=r"jujitsu has 2,641 matrix games to solve, more than max_states \(2,640\)"):
        table.solve(request=Request(max_states=2640))
    assert table.layers.solved == 0
    assert table.solve(table.game.initial(), Request(max_states=2641)) == 2641


def test_rationals_and_other_starts_are_refused():
    table = DuelTable(jujitsu(3))
    with pytest.raises(ValueError, match="neither exact arithmetic nor a custom start"):
        table.solve(request=Request(exact=True))
    with pytest.raises(ValueError, match="custom start state"):
        table.solve([])


def test_threads_do_not_change_a_value(monkeypatch):
    several = solved(jujitsu(9))
    monkeypatch.setattr("cardwar_envs.core.kernels.processors", lambda: 1)
    alone = solved(jujitsu(9))
    for cards in range(1, 10):
        assert np.array_equal(several.layers._layers[cards].values, alone.layers._layers[cards].values)


@pytest.mark.plain_kernels
def test_games_that_the_simplex_fails_on_are_solved_all_the_same(monkeypatch):
    game = jujitsu(5)
    table = DuelTable(game)
    # A tolerance that rounding alone exceeds sends games to the slow solver.
    table.layers._rules = table.layers._rules._replace(tolerance=-1.0)
    table.solve()
    assert table.layers.failures == table.states
    assert_as_generic(game, table, strategies=False)


@pytest.mark.plain_kernels
def test_a_value_of_the_slow_solver_holds_at_the_opposite_score_of_equal_hands_too(monkeypatch):
    """No game is solved there."""
    table = DuelTable(jujitsu(5))
    table.layers._rules = table.layers._rules._replace(tolerance=-1.0)
    monkeypatch.setattr(duel_layers, "solve_matrix", lambda game: replace(solve_matrix(game), value=game.size / 16))
    table.solve()
    values = [table.layers.value(DuelState(((1, 3), (1, 3)), score)) for score in (-1, 1)]
    assert values == [-0.25, 0.25]


# -- what is kept ----------------------------------------------------------------------------


def test_strategies_are_right_below_the_layers_that_are_kept():
    game = jujitsu(6)
    table, truth = solved(game, keep_layers=2), truth_at(game)
    assert sorted(table.layers._layers) == [5, 6]
    for state in random_states(game, 60, seed=3):
        assert table.value_to_go(state) == pytest.approx(truth.value_to_go(state), abs=TOLERANCE)
        assert_optimal_play(game, table, truth, state)
        assert table.gap_at(state) <= TOLERANCE
    with pytest.raises(ValueError, match=r"keep_layers \(0\)"):
        DuelTable(game, keep_layers=0)


DAMAGES = {
    "lost entry": lambda layers: layers.pop("4"),
    "loosened gap": lambda layers: layers["4"].update(gap=1.0),
    "lost seal": lambda layers: layers["4"].pop("seal"),
    "lost file": None,
}


@each_row("damage", DAMAGES)
def test_a_damaged_layer_alone_is_built_again(tmp_path, damage):
    game = jujitsu(6)
    first = solved(game, folder=tmp_path)
    whole = (tmp_path / "layer_4.bin").read_bytes()
    if DAMAGES[damage] is None:
        (tmp_path / "layer_4.bin").unlink()
    else:
        manifest = json.loads((tmp_path / "manifest.json").read_text())
        DAMAGES[damage](manifest["layers"])
        (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    again = DuelTable(game, folder=tmp_path)
    assert again.solve() == again.layers.sizes[3].games
    assert (tmp_path / "layer_4.bin").read_bytes() == whole
    assert again.layers.gap(6) == first.layers.gap(6)
    assert DuelTable(game, folder=tmp_path).solve() == 0


@each_row("manifest", ["{", "[]", '{"format": 0, "layers": {}}', '{"layers": 3}'])
def test_without_a_manifest_that_can_be_read_everything_is_built_again(tmp_path, manifest):
    game = jujitsu(5)
    solved(game, folder=tmp_path)
    (tmp_path / "manifest.json").write_text(manifest)
    table = DuelTable(game, folder=tmp_path)
    assert table.solve() == table.states


def test_a_solve_that_was_stopped_goes_on_where_it_was(tmp_path):
    game = jujitsu(6)
    table = DuelTable(game, folder=tmp_path)
    enough = sum(size.games for size in table.layers.sizes[:3])

    def stop(done):
        if done >= enough:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        table.solve(request=Request(progress=stop))
    again = DuelTable(game, folder=tmp_path)
    assert 0 < again.solve() <= again.states - sum(size.games for size in table.layers.sizes[:2])
    assert not list(tmp_path.glob("*.new"))
    assert_as_generic(game, again, strategies=False)


def test_a_folder_of_another_game_is_refused_and_left_alone(tmp_path):
    solved(jujitsu(4), folder=tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for other in (jujitsu(5), jujitsu(4, payoff="margin"), jujitsu(4, ties="discard")):
        with pytest.raises(ValueError, match=r"another game.*\[1, 2, 3, 4\]"):
            DuelTable(other, folder=tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


# -- words -----------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(two_hands(5))
def test_words_are_equal_just_where_the_game_says_that_states_are(hands):
    game = make_game("dinosaur_war", hand_0=hands[0], hand_1=hands[1])
    letters = duel_words.letters_of(game.hands)
    words = {}
    for state in islice(reachable(game), 300):
        words.setdefault(duel_words.packed_interleaving(state.hands, letters), set()).add(game._packed(state.hands))
    assert all(len(packed) == 1 for packed in words.values())
    assert len(words) == len(set.union(*words.values()))
