"""Bounds for games that may last for ever."""

import numpy as np
import pytest
from brute_force import Values
from thinning import each_row

from baselines import solve
from baselines.oracles.finite_horizon.positions import form_of
from cardwar_envs import make_game
from lab.papers.war.endless_bounds import endless_bounds


def war(ranks, discards, max_rounds=50):
    return make_game("war", ranks=ranks, discards=discards, max_rounds=max_rounds)


@each_row(("ranks", "discards"), [(3, 0), (3, 3), (4, 1)])
def test_bounds_only_get_closer(ranks, discards):
    last = None
    for sweeps in (1, 2, 5, 20):
        found = endless_bounds(war(ranks, discards), sweeps)
        if last is not None:
            assert (found.bounds[:, 0] >= last.bounds[:, 0]).all()
            assert (found.bounds[:, 1] <= last.bounds[:, 1]).all()
        assert (found.widths >= -1e-12).all()
        assert found.sweeps == sweeps
        assert found.lower == pytest.approx(-found.upper, abs=1e-14)
        last = found


@pytest.mark.parametrize(("ranks", "discards"), [(3, 1), (3, 3), (4, 1)])
def test_values_with_a_last_round_lie_between(ranks, discards):
    """Unfinished games are worth 0 there, between lost and won, for the same number of rounds."""
    game = war(ranks, discards)
    solution, found, form = solve(game), endless_bounds(game, 50), form_of(game)
    for place, (lower, upper) in enumerate(found.bounds):
        value = solution.value_at(form.state(2 * int(form.levels[-2] + place), 50))
        assert lower - 1e-12 <= value <= upper + 1e-12


class Sure(Values):
    """What player 0 can make sure of if an unfinished game is lost, by plain recursion over the rules."""

    def value(self, state):
        return -1.0 if not state.rounds_left and len(state.live) > 1 else super().value(state)


@pytest.mark.plain_kernels
def test_bounds_are_those_of_plain_recursion():
    game, rounds = war(3, 0), 2
    found, form, sure = endless_bounds(game, rounds), form_of(game), Sure(game)
    for place, (lower, upper) in enumerate(found.bounds):
        node = int(form.levels[-2]) + place
        assert lower == pytest.approx(sure.value(form.state(2 * node, rounds)), abs=1e-9)
        assert upper == pytest.approx(-sure.value(form.state(2 * node + 1, rounds)), abs=1e-9)


def test_with_four_ranks_and_one_discard_every_game_can_be_ended():
    found = endless_bounds(war(4, 1), 1000)
    assert found.settled
    assert found.sweeps < 1000
    assert (len(found.bounds), found.wider(1e-9)) == (732, 0)
    assert found.lower == pytest.approx(0, abs=1e-12)


def test_with_three_ranks_and_three_discards_a_game_can_go_round_in_circles():
    found = endless_bounds(war(3, 3), 1000)
    assert found.settled
    assert found.wider(1e-2) == 22
    assert (found.lower, found.upper) == (pytest.approx(-0.0766416880), pytest.approx(0.0766416880))
    assert len(found.widest) == 5
    widest = [
        found.bounds[form_of(war(3, 3)).code(state) // 2 - form_of(war(3, 3)).levels[-2]] for state in found.widest
    ]
    assert np.ptp(widest, axis=1) == pytest.approx(found.widths.max(), abs=1e-7)


def test_progress_is_told_and_other_games_are_refused():
    told = []
    endless_bounds(war(3, 1), 3, told.append)
    assert told == [114, 228, 342]
    with pytest.raises(ValueError, match="jujitsu: not a two-player game of many rounds"):
        endless_bounds(make_game("jujitsu", num_cards=3))
