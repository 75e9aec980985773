"""What the checks find in environments that are not ours; each finding was verified by hand."""

import numpy as np
import pytest

from history import official
from zoocheck import load, run, run_all

# Environment that passes PettingZoo's own tests -> the check that catches it.
CAUGHT = {
    "SeedIgnoredFromTheSecondRound": "same_seed_same_episode",
    "OutOfItsSpace": "observations_fit_their_spaces",
    "RewardsAreInfinite": "nobody_is_paid_after_the_end",
    "OneArray": "arrays_are_fresh",
    "ScoreSurvives": "seeded_reset_starts_anew",
    "SeedZeroIsNoSeed": "same_seed_same_episode",
    "AlwaysTheSameGame": "unseeded_reset_goes_on",
    "AnyActionCounts": "input_outside_the_space_is_refused",
    "TheSecondSeesTheFirst": "commitments_are_hidden",
}


@pytest.mark.parametrize("kind", official.BROKEN)
def test_what_pettingzoos_own_tests_pass_is_caught(kind):
    assert official.passed(kind)
    check = CAUGHT.get(kind.__name__, "same_seed_same_episode")
    result = run(check, load(f"history.official:{kind.__name__}", games=8))
    assert result.status == ("failed" if kind.__name__ in CAUGHT else "passed"), result


def findings(word):
    return {result.check: result.reason for result in run_all(load(word, games=4)) if result.status == "failed"}


@pytest.mark.slow
def test_rps_v2():
    pytest.importorskip("pygame")
    found = findings("pettingzoo.classic.rps_v2")
    assert set(found) >= {"pictures_hide_commitments", "observations_fit_their_spaces"}
    assert "render()" in found["pictures_hide_commitments"]
    assert "'dict' object is not callable" in found["observations_fit_their_spaces"]


def test_the_picture_of_rps_v2_shows_the_first_move():
    """By hand what the check finds: player_1, who is to move, can see what player_0 has chosen."""
    pytest.importorskip("pygame")
    import pettingzoo

    pictures = []
    for action in range(2):
        env = pettingzoo.make("aec", "classic/rps_v2", render_mode="rgb_array")
        env.reset(seed=0)
        env.step(action)
        assert env.agent_selection == "player_1"
        pictures.append(env.render())
    assert not np.array_equal(*pictures)


@pytest.mark.slow
def test_tictactoe_v3():
    pytest.importorskip("pygame")
    found = findings("pettingzoo.classic.tictactoe_v3")
    assert "arrays_are_fresh" in found


def test_writing_into_the_mask_of_tictactoe_v3_loses_the_game():
    """By hand: `TerminateIllegalWrapper` judges by the very array that the caller was given."""
    pytest.importorskip("pygame")
    import pettingzoo

    env = pettingzoo.make("aec", "classic/tictactoe_v3")
    env.reset(seed=0)
    env.last()[0]["action_mask"][:] = 0
    env.step(4)
    assert all(env.terminations.values())
