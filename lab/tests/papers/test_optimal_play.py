"""Figures over all optimal play, by vertices and by single results."""

import numpy as np
import pytest
from scipy.optimize import linprog
from toys import Arbitrary, in_turn

from baselines import head_to_head
from baselines.matrix_game import solve_matrices
from baselines.matrix_game.optimal_sets import both_sides
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import make_game
from lab.papers.sanwal_drechsler.optimal_play import AllOptimalPlay, probability_ranges, vertices


def test_ranges_of_probabilities_are_those_of_the_vertices():
    matrices = np.random.default_rng(3).integers(-1, 2, (12, 3, 3)).astype(float)
    masks = np.ones((12, 3), bool), np.ones((12, 3), bool)
    for faces in both_sides(matrices, solve_matrices(matrices), masks):
        low, high = probability_ranges(faces)
        for game, (matrix, value) in enumerate(zip(faces.matrices, faces.values, strict=True)):
            corners = vertices(matrix, value)
            assert low[game] == pytest.approx(corners.min(axis=0), abs=1e-9)
            assert high[game] == pytest.approx(corners.max(axis=0), abs=1e-9)


def test_play_for_player_0_alone_is_evaluated_where_others_wait():
    game = in_turn()
    play = AllOptimalPlay(full_graph(game))
    own = [play.graph.action_probabilities(Arbitrary(1), seat) for seat in (0, 1)]
    other = [play.graph.action_probabilities(Arbitrary(2), seat) for seat in (0, 1)]
    worth = play.worth(own, other, play.graph.rewards)[:, play.graph.roots[0]]
    assert worth[0] == pytest.approx(head_to_head(game, Arbitrary(1), Arbitrary(2)).mean, abs=1e-12)
    assert worth[1] == pytest.approx(-head_to_head(game, Arbitrary(2), Arbitrary(1)).mean, abs=1e-12)


def test_what_two_optimal_players_can_do_together():
    """In 1, 2, 3 v. 1, 2, 3 the start has one optimal strategy, (1/5, 3/5, 1/5) for both."""
    game = make_game("jujitsu", num_cards=3)
    play = AllOptimalPlay(full_graph(game))
    root = play.graph.roots[0]
    assert play.unique()[:, root].all()
    assert play.default()[0, root] == pytest.approx([0.2, 0.6, 0.2])
    assert play.jointly(np.zeros(len(play.graph.children)))[root] == 0.0
    with pytest.raises(ValueError, match=r"state \(99999\) must be in"):
        play.matrix_at(99999)


def test_vertices_are_optimal_and_none_lies_between_others():
    matrices = np.random.default_rng(2).integers(-1, 2, (12, 4, 3)).astype(float)
    for matrix, value in zip(matrices, solve_matrices(matrices).values, strict=True):
        corners = vertices(matrix, value)
        assert (corners @ matrix).min() >= value - 1e-9
        assert corners.min() >= -1e-12
        assert corners.sum(axis=1) == pytest.approx(1.0)
        for i, corner in enumerate(corners):
            others = np.delete(corners, i, axis=0)
            if len(others):
                equations = np.vstack([others.T, np.ones(len(others))])
                inside = linprog(np.zeros(len(others)), A_eq=equations, b_eq=np.append(corner, 1.0))
                assert inside.status == 2  # no mixture of the others
