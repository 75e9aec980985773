"""Best responses learned by DQN, and those of both learners in games of any kind and number of players."""

import numpy as np
import pytest
from thinning import each_row

from cardwar_envs import make_game
from cardwar_envs.envs.game_batch import GameBatch
from train.algorithms.registry import ALGORITHMS
from train.policies.files import load_policy, save_policy

GAME = make_game("jujitsu", num_cards=3)
UNIQUE = make_game("lowest_unique", numbers=3)
WAR = make_game("war", num_players=3, ranks=3, discards=1, max_rounds=30)
SMALL = {"num_games": 8, "batch_size": 32, "width": 16}
RESPONDERS = ["best_response", "dqn_response"]


def learner(name, game=GAME, **values):
    entry = ALGORITHMS[name]
    return entry.learner(game, entry.args(**SMALL | values), seed=0)


@pytest.mark.parametrize("opponent", ["uniform", pytest.param("highest_card", marks=pytest.mark.wide)])
def test_a_best_response_is_found_on_three_cards(opponent):
    rates = {"learning_rate": 0.005, "target_rate": 0.1}
    learning = learner("dqn_response", steps=2400, num_games=12, batch_size=64, width=32, opponent=opponent, **rates)
    figures = learning.advance(2400)
    assert figures["share"] == pytest.approx(1.0)
    assert figures.keys() == {"loss", "share", "shortfall", "payoff_0", "payoff_1", "best_0", "best_1"}


def test_the_policy_plays_what_is_worth_most_and_can_be_stored(tmp_path):
    game = make_game("war", ranks=10)  # whose actions are learned by their parts
    assert game.facts.num_actions > 1000
    for rules in (GAME, game):
        learning = learner("dqn_response", rules, steps=400)
        learning.advance(200)
        policy = learning.policy()
        views, seen = learning._envs.reset(), 0
        for _ in range(12):
            observations, masks = views[:, : rules.facts.observation_size], learning._envs.venv.action_masks()
            probabilities = policy.action_probabilities(observations, masks)
            assert probabilities.argmax(axis=1).tolist() == learning._dqn.best(views).tolist()
            assert (probabilities.max(axis=1) == 1.0).all()
            assert not probabilities[masks == 0].any()
            seen += (masks.sum(axis=1) > 10).sum()
            views, *_ = learning._envs.step(probabilities.argmax(axis=1))
        save_policy(tmp_path / "policy.safetensors", policy)
        kept = load_policy(tmp_path, rules)
        assert np.array_equal(
            kept.action_probabilities(observations, masks), policy.action_probabilities(observations, masks)
        )


def test_a_replay_of_many_actions_stays_small():
    game = make_game("war")
    replay = learner("dqn_response", game, replay_size=400)._dqn.replay_buffer
    decisions = replay.buffer_size * replay.n_envs
    assert decisions == 400
    kept = replay.observations.nbytes + replay.next_observations.nbytes
    assert kept / decisions < 2 * 4 * (game.facts.observation_size + game.facts.num_actions / 7)


@each_row("final", [0.0, 1.0])
def test_exploration_falls_to_its_final_share(final):
    learning = learner("dqn_response", steps=800, final_exploration=final, num_games=200)
    learning.steps = 800
    views = learning._envs.reset()
    others = np.mean(learning._actions(views) != learning._dqn.best(views))
    assert others == pytest.approx(final * 2 / 3, abs=0.1)


@pytest.mark.parametrize("name", [RESPONDERS[0], pytest.param(RESPONDERS[1], marks=pytest.mark.wide)])
@each_row(
    ("game", "opponent"),
    [
        (UNIQUE, "uniform"),
        (UNIQUE, "uniform,uniform_actions"),
        (make_game("lowest_unique", num_players=2, numbers=3, payoff="prize"), "uniform"),
        (WAR, "dummie,max"),
        (make_game("war"), "dummie"),
        (make_game("jujitsu"), "highest_card"),
    ],
)
def test_games_that_no_oracle_reaches_are_learned_without_exact_figures(name, game, opponent):
    learning = learner(name, game, steps=80, opponent=opponent)
    figures = learning.advance(80)
    assert learning.steps == 80
    assert all(np.isfinite(figure) for figure in figures.values())
    assert not {"payoff_0", "best_0", "share", "shortfall"} & figures.keys()
    observations, masks = GameBatch(game, 3, seed=0).reset()
    for seat in range(game.facts.num_players):
        assert np.allclose(learning.policy().action_probabilities(observations[:, seat], masks[:, seat]).sum(axis=1), 1)


@pytest.mark.parametrize("name", RESPONDERS)
def test_a_best_response_against_two_is_found(name):
    """Against two who play 1, 2 or 3 alike, 1 wins with probability 4/9, and 2 and 3 with 2/9."""
    learning = learner(name, UNIQUE, steps=960, num_games=48, learning_rate=0.01)
    learning.advance(960)
    observations, masks = GameBatch(UNIQUE, 1, seed=0).reset()
    assert learning.policy().action_probabilities(observations[0], masks[0]).argmax(axis=1).tolist() == [0, 0, 0]


@each_row("name", RESPONDERS)
def test_a_line_up_has_one_policy_or_one_for_each_other_seat(name):
    message = r"opponent \(uniform,max,min\) names 3 policies; war needs one for all 2 other seats, or one for each"
    with pytest.raises(ValueError, match=message):
        learner(name, WAR, opponent="uniform,max,min")
    with pytest.raises(ValueError, match=r"opponent \(uniform,uniform\) names 2 policies; jujitsu needs one$"):
        learner(name, opponent="uniform,uniform")
