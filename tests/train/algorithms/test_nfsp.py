"""Neural fictitious self-play: what is sampled, what is masked, that it learns."""

import numpy as np
import pytest
import torch

from cardwar_envs import make_game
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.sb3.self_play import SelfPlayVecEnv
from train.algorithms import nfsp
from train.algorithms.experience.buffers import Reservoir
from train.algorithms.experience.masked_dqn import NEVER_PLAYED, MaskShowingEnv
from train.measures.exact import evaluate

GAME = make_game("jujitsu", num_cards=3)


def learner(game=GAME, **args):
    return nfsp.Learner(game, nfsp.Args(**{"num_games": 16, "batch_size": 32, "width": 16, **args}), seed=0)


def test_a_reservoir_keeps_every_decision_alike():
    """Each of 400 decisions is among the 50 kept with probability 1/8, whenever it came."""
    rng, counts = np.random.default_rng(0), np.zeros(400)
    for _ in range(600):
        reservoir = Reservoir(50, [1, 1])
        for begin in (0, 30, 130, 330):
            numbers = np.arange(begin, {0: 30, 30: 130, 130: 330, 330: 400}[begin])
            reservoir.add(numbers[:, None].astype(np.float32), np.ones((len(numbers), 1), np.int8), numbers, rng)
        kept = reservoir.state()[0]["actions"]
        assert len(set(kept.tolist())) == 50
        assert np.array_equal(reservoir.state()[0]["observations"][:, 0], kept)
        counts[kept] += 1
    quarters = counts.reshape(4, 100).sum(axis=1) / 600
    assert quarters == pytest.approx([12.5] * 4, abs=0.6)  # five standard deviations
    assert counts.max() < 125  # of 75 expected, 8.1 standard deviation


def test_nothing_is_sampled_from_an_empty_reservoir():
    with pytest.raises(ValueError, match="the buffer is empty"):
        Reservoir(5, [1, 1]).sample(1, np.random.default_rng(0))


def test_the_reservoir_holds_what_best_responses_played_and_nothing_else(monkeypatch):
    learning = learner(anticipatory=0.5, steps=1600)
    added, roles = [], []
    monkeypatch.setattr(learning._reservoir, "add", lambda *arrays: added.append(arrays[:3]))
    draw = learning._draw_roles
    monkeypatch.setattr(learning, "_draw_roles", lambda count: roles.append(draw(count)) or roles[-1])
    monkeypatch.setattr(learning, "_improve_average", lambda: 0.0)
    learning.advance(96)
    # Three tricks a game: roles are drawn at the start and hold for three joint actions.
    assert len(added) == 6
    for step, (observations, masks, actions) in enumerate(added):
        assert len(actions) == roles[0 if step < 3 else 3].sum()
        assert observations.shape == (len(actions), GAME.facts.observation_size)
        assert masks[np.arange(len(actions)), actions].all()


def test_roles_are_drawn_with_the_anticipatory_probability():
    drawn = learner(anticipatory=0.3)._draw_roles(10_000)
    assert drawn.mean() == pytest.approx(0.3, abs=0.02)


def test_illegal_actions_are_worth_less_than_any_other_and_never_played():
    learning = learner(anticipatory=1.0, exploration=0.5)
    envs = MaskShowingEnv(SelfPlayVecEnv(GameBatch(GAME, 50, seed=0)), GAME)
    views, rng = envs.reset(), np.random.default_rng(0)
    for _ in range(8):
        masks = envs.action_masks()
        assert np.array_equal(views[:, GAME.facts.observation_size :], masks)
        assert envs.observation_space.contains(views[0])
        values = learning._dqn.q_net(torch.from_numpy(views)).detach().numpy()
        assert (values[masks == 0] == NEVER_PLAYED).all()
        assert (values[masks == 1] > NEVER_PLAYED / 2).all()
        for responds in (np.ones(100, dtype=bool), rng.random(100) < 0.5):
            actions = learning._actions(views, responds)
            assert masks[np.arange(100), actions].all()
        views = envs.step(actions)[0]


def test_both_target_networks_follow_at_their_rate():
    learning = learner(target_rate=0.25)
    learning.advance(96)
    before = [p.clone() for p in learning._dqn.q_net_target.parameters()]
    learning._dqn.improve(learning._args.batch_size, learning._args.target_rate)
    now = zip(learning._dqn.q_net_target.parameters(), before, learning._dqn.q_net.parameters(), strict=True)
    assert all(torch.allclose(target, 0.75 * old + 0.25 * new) for target, old, new in now)


@pytest.mark.slow
def test_it_learns_three_cards():
    rates = {"learning_rate": 0.003, "average_rate": 0.003, "target_rate": 0.05}
    learning = learner(steps=20_000, width=32, batch_size=128, replay_size=5000, **rates)
    figures = learning.advance(20_000)
    assert set(figures) == {"response_loss", "average_loss"}
    # Uniform play's exploitability is 0.5.
    assert evaluate(GAME, learning.policy()).exploitability < 0.3


def test_it_plays_dice_poker_which_hides_the_rolls():
    game = make_game("dice_poker", sides=3)
    learning = learner(game)
    learning.advance(160)
    assert evaluate(game, learning.policy()).exploitability >= 0.0
