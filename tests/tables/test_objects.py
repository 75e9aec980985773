"""Objects of other libraries become tables with the same payoffs."""

import numpy as np
import pytest

from cardwar_envs import from_nashpy, from_pyspiel, from_quantecon

PRISONERS = [[[5, 0], [10, 1]], [[5, 10], [0, 1]]]  # the payoffs of OpenSpiel's matrix_pd


def test_a_matrix_game_of_openspiel():
    spiel = pytest.importorskip("pyspiel")
    game = from_pyspiel(spiel.load_matrix_game("matrix_pd"))
    assert game.table.payoffs.tolist() == PRISONERS
    assert game.table.actions == (("Cooperate", "Defect"),) * 2
    assert game.facts.name == "table:matrix_pd"


def test_a_tensor_game_of_openspiel():
    spiel = pytest.importorskip("pyspiel")
    payoffs = np.arange(3 * 2 * 3 * 1, dtype=float).reshape(3, 2, 3, 1)
    names = [["a", "b"], ["c", "d", "e"], ["f"]]
    made = spiel.create_tensor_game("mine", "Mine", names, [each.ravel().tolist() for each in payoffs])
    game = from_pyspiel(made)
    assert (game.table.payoffs == payoffs).all()
    assert list(map(list, game.table.actions)) == names


def test_a_game_of_nashpy():
    nashpy = pytest.importorskip("nashpy")
    assert from_nashpy(nashpy.Game(*PRISONERS)).table.payoffs.tolist() == PRISONERS
    assert from_nashpy(nashpy.Game([[1, 2], [3, 4]])).facts.zero_sum


def test_a_game_of_quantecon():
    theory = pytest.importorskip("quantecon.game_theory")
    payoffs = np.arange(3 * 2 * 3 * 4).reshape(3, 2, 3, 4)
    players = [theory.Player(np.moveaxis(payoffs[i], range(i), range(-i, 0))) for i in range(3)]
    assert (from_quantecon(theory.NormalFormGame(players)).table.payoffs == payoffs).all()


@pytest.mark.parametrize("make", [from_nashpy, from_pyspiel, from_quantecon])
def test_another_object_is_refused_by_name(make):
    with pytest.raises(ValueError, match=r"game \(3\) must be a .*; it is a int"):
        make(3)
    spiel = pytest.importorskip("pyspiel")
    with pytest.raises(ValueError, match="must be a"):
        make(spiel.load_game("kuhn_poker"))
