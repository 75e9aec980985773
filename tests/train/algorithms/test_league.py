"""Leagues: which games others join, who they are, and that a resumed run meets the same ones."""

import numpy as np
import pytest
from run_files import rows
from thinning import each_row

from baselines import head_to_head
from cardwar_envs import make_game
from cardwar_envs.sb3.self_play import SelfPlayVecEnv
from train.algorithms import mmd, ppo
from train.algorithms.experience.opponents import MOST_PAST, League
from train.algorithms.registry import ALGORITHMS
from train.runs.loop import run

GAME = make_game("jujitsu", num_cards=3)
UNIQUE = make_game("lowest_unique", numbers=3)
SMALL = {"steps": 600, "num_games": 20, "rollout": 3, "batch_size": 30, "width": 8, "opponents": "highest_card,past"}


def learner(name="ppo", game=GAME, **values):
    entry = ALGORITHMS[name]
    return entry.learner(game, entry.args(**SMALL | values), seed=0)


def test_without_opponents_all_games_are_self_play():
    learning = learner(opponents="")
    assert isinstance(learning._model.env, SelfPlayVecEnv)
    assert "opponents" not in learning.parts
    assert ppo.Args().opponents == mmd.Args().opponents == ""


@each_row(("share", "environments"), [(0.5, 10 * 3 + 10), (0.9, 2 * 3 + 18), (1.0, 20)])
def test_a_share_of_the_games_has_one_seat_of_the_learner_and_steps_count_all_games(share, environments):
    learning = learner(game=UNIQUE, opponent_share=share, opponents="uniform,past")
    assert learning._model.n_envs == environments
    learning.advance(120)
    assert learning.steps == 120
    seats = learning._league.learns[20 - round(20 * share) :]
    assert (seats.sum(axis=1) == 1).all()
    assert np.ptp(seats.sum(axis=0)) <= 1
    state = learning.state()
    again = learner(game=UNIQUE, opponent_share=share, opponents="uniform,past")
    again.restore(*state)
    assert again._model.num_timesteps == learning._model.num_timesteps == 6 * environments


def test_each_name_is_drawn_equally_often_and_ten_earlier_selves_are_kept():
    league, selves = League(GAME, 20, "highest_card,past,uniform", 0.5), []
    assert league.opponents().weights.tolist() == [[0.5, 0.5]]
    for _ in range(MOST_PAST + 3):
        selves.append(object())
        league.remember(selves[-1])
    drawn = league.opponents()
    assert drawn.policies[2:] == selves[-MOST_PAST:]
    assert drawn.weights[0] == pytest.approx([1 / 3] * 2 + [1 / 3 / MOST_PAST] * MOST_PAST)


@pytest.mark.parametrize("name", ["ppo", "mmd"])
def test_earlier_selves_are_the_policies_of_earlier_evaluations(name):
    learning, played = learner(name, opponents="past"), []
    for steps in (60, 120, 180):
        played.append(learning.policy())
        learning.advance(steps)
    observations, masks = (each[:, 0] for each in learning._batch.reset())
    answers = [policy.action_probabilities(observations, masks)[0] for policy in played]
    past = learning._model.env.opponents.policies
    assert np.array_equal([policy.action_probabilities(observations, masks)[0] for policy in past], answers)
    assert not np.array_equal(answers[0], answers[2])


def test_it_learns_to_beat_the_others():
    learning = learner(steps=3600, opponents="highest_card", opponent_share=1.0, num_games=60, width=32,
                       learning_rate=0.01, entropy=0.02)  # fmt: skip
    learning.advance(1800)
    assert head_to_head(GAME, learning.policy(), "highest_card").mean > 0.8


def test_a_killed_run_goes_on_and_notices_another_opponent(tmp_path, monkeypatch):
    for steps in (3, 4):
        run(GAME, "cfr_plus", ALGORITHMS["cfr_plus"].args(steps=steps), tmp_path / str(steps))
    (tmp_path / "cfr").symlink_to(tmp_path / "3")
    args = ALGORITHMS["ppo"].args(**SMALL | {"evaluate_every": 120, "opponents": f"{tmp_path / 'cfr'},past"})
    run(GAME, "ppo", args, tmp_path / "whole")
    with monkeypatch.context() as patch:

        def advance_or_die(self, steps, advance=ppo.Learner.advance):
            if steps > 360:
                raise KeyboardInterrupt
            return advance(self, steps)

        patch.setattr(ppo.Learner, "advance", advance_or_die)
        with pytest.raises(KeyboardInterrupt):
            run(GAME, "ppo", args, tmp_path / "killed")
    assert len(rows(tmp_path / "killed")) == 3
    (tmp_path / "cfr").unlink()
    (tmp_path / "cfr").symlink_to(tmp_path / "4")
    with pytest.raises(ValueError, match="cfr has changed since the run started: it plays differently now"):
        run(GAME, "ppo", args, tmp_path / "killed", resume=True)
    (tmp_path / "cfr").unlink()
    (tmp_path / "cfr").symlink_to(tmp_path / "3")
    run(GAME, "ppo", args, tmp_path / "killed", resume=True)
    assert rows(tmp_path / "whole") == rows(tmp_path / "killed")


@each_row(
    ("values", "message"),
    [
        ({"opponents": "uniform,nobody"}, "unknown policy 'nobody'; policies for jujitsu are "),
        ({"opponents": "runs/nowhere"}, "no run folder or policy file 'runs/nowhere'"),
        ({"opponents": "uniform,"}, "the policies 'uniform,' contain an empty name"),
        ({"opponents": "min"}, "jujitsu"),
        (
            {"opponents": "past", "opponent_share": 0.01},
            r"opponent_share \(0.01\) of num_games \(20\) must be at least",
        ),
    ],
)
def test_what_is_no_league_is_refused_in_one_line_before_any_work(tmp_path, values, message):
    with pytest.raises(ValueError, match=message) as caught:
        run(GAME, "ppo", ALGORITHMS["ppo"].args(**SMALL | values), tmp_path / "run")
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())
