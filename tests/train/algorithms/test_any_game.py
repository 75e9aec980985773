"""Learners on games of many actions, and on games in which players go out before the end."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
import torch
from toys import END, Toy

from cardwar_envs import make_game
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.sb3.self_play import SelfPlayVecEnv
from train.algorithms.joint_critic import joint_payoffs
from train.algorithms.registry import ALGORITHMS
from train.policies.action_count import has_many_actions
from train.policies.files import load_policy, save_policy
from train.policies.many_actions import LegalPairs
from train.runs.loop import own_generators

SHORT_WAR = {"max_rounds": 5}
LITTLE = {"num_games": 8, "width": 8, "rollout": 4, "batch_size": 16, "replay_size": 200, "reservoir_size": 50}


class OneGoesOut(Toy):
    """Three moves; after the first, player 2 pays a point to player 0 and is out."""

    def _rewards(self, paid):
        return paid or (0.0, 0.0, 0.0)

    def live_players(self, state):
        return self.acting_players(state)


def one_goes_out(late=None):
    """`late` is paid after the last move."""
    moves = (3, 1, (1.0, 0.0, -1.0)), (2, 2, None), (2, END, late)
    table = [(range(n), {joint: [(1, after, paid)] for joint in product((0, 1), repeat=n)}) for n, after, paid in moves]
    return OneGoesOut(tuple((tuple(acting), ways) for acting, ways in table), players=3, zero_sum=False)


def learner_of(name, game, **more):
    algorithm = ALGORITHMS[name]
    names = algorithm.args_type().__dataclass_fields__
    return algorithm.learner(game, algorithm.args(**{k: v for k, v in {**LITTLE, **more}.items() if k in names}), 0)


def test_a_seat_that_goes_out_is_done_and_gets_what_is_paid_then():
    envs = SelfPlayVecEnv(GameBatch(one_goes_out(), 1, seed=0))
    envs.reset()
    seen = [envs.step(np.zeros(3, dtype=np.int64)) for _ in range(3)]
    assert [dones.tolist() for _, _, dones, _ in seen] == [[False, False, True]] * 2 + [[True] * 3]
    assert [rewards.tolist() for _, rewards, _, _ in seen] == [[1.0, 0.0, -1.0], [0.0] * 3, [0.0] * 3]


def test_a_payment_to_a_player_who_is_out_is_refused():
    envs = SelfPlayVecEnv(GameBatch(one_goes_out(late=(0.0, 0.0, 0.5)), 1, seed=0))
    envs.reset()
    envs.step(np.zeros(3, dtype=np.int64))
    envs.step(np.zeros(3, dtype=np.int64))
    with pytest.raises(ValueError, match="toy: pays a player who has left"):
        envs.step(np.zeros(3, dtype=np.int64))


@pytest.mark.parametrize("rollout", [4, 3, pytest.param(2, marks=pytest.mark.wide)])
def test_a_rollout_gives_back_each_decision_once_and_what_it_earned(monkeypatch, rollout):
    learner = learner_of("ppo", one_goes_out(), rollout=rollout, epochs=1, gae_lambda=1.0)
    buffer, given = learner._model.rollout_buffer, []
    get = buffer.get
    monkeypatch.setattr(buffer, "get", lambda size: (given.append(each) or each for each in get(size)))
    learner.advance(8 * rollout)
    rows = [tuple(row) for each in given for row in each.observations.int().tolist()]
    moves = [move % 3 for move in range(rollout)]
    decisions = [(move, player) for move in moves for player in range(3) if player < 2 or move == 0]
    assert Counter(rows) == Counter(decisions * 8)
    returns = torch.cat([each.returns for each in given])
    # Player 2 gets -1 whatever the critic says of the rest of the game, also if the rollout ends there.
    assert [float(each) for row, each in zip(rows, returns, strict=True) if row[1] == 2] == pytest.approx(
        [-1.0] * 8 * moves.count(0)
    )


def test_fictitious_self_play_keeps_decisions_only():
    learner = learner_of("nfsp", one_goes_out(), anticipatory=1.0, replay_size=10_000, reservoir_size=1000)
    learner.advance(240)
    kept = learner._reservoir.state()[0]["observations"].numpy()
    drawn = learner._dqn.replay_buffer.sample(500)
    for seen in (kept, drawn.observations[:, :2].numpy()):
        assert set(map(tuple, seen.astype(int).tolist())) == {(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0), (2, 1)}
    out = drawn.observations[:, 1] == 2
    assert drawn.rewards[out].unique().tolist() == [-1.0]
    assert drawn.dones[out].unique().tolist() == [1.0]
    assert len(learner._reservoir.state()[0]["actions"]) == learner._reservoir.added == 80 * 7


def test_a_row_without_legal_action_has_no_gradient_and_no_entropy():
    game = make_game("war")
    policy = learner_of("ppo", game)._model.policy
    observations = torch.from_numpy(np.stack([game.observation(game.initial()[0].state, 0)] * 2))
    masks = np.zeros((2, game.facts.num_actions), dtype=np.int8)
    masks[0, :12] = 1
    outputs = policy.action_net(policy.mlp_extractor.forward_actor(policy.extract_features(observations)))
    outputs.retain_grad()
    distribution = policy.action_dist.proba_distribution(outputs)
    distribution.apply_masking(masks)
    logs, entropy = distribution.log_prob(torch.tensor([3, 0])), distribution.entropy()
    assert (logs[1].item(), entropy[1].item(), distribution.sample()[1].item()) == (0.0, 0.0, 0)
    (logs.sum() + entropy.sum()).backward()
    assert outputs.grad[0].abs().max() > 0.0
    assert not outputs.grad[1].any()


def test_log_probabilities_entropy_and_divergence_are_those_of_dense_arrays():
    game = make_game("war")
    distribution = learner_of("ppo", game)._model.policy.action_dist
    rng = np.random.default_rng(0)
    masks = (rng.random((3, game.facts.num_actions)) < 0.01).astype(np.int8)
    outputs, others = (torch.from_numpy(rng.normal(size=(3, 37)).astype(np.float32)) for _ in range(2))
    distribution.proba_distribution(outputs).apply_masking(masks)
    parts = torch.from_numpy(game.action_parts().astype(np.float32))
    dense = [torch.where(torch.from_numpy(masks == 1), each @ parts.T, -1e9) for each in (outputs, others)]
    p, q = (torch.distributions.Categorical(logits=each) for each in dense)
    actions = torch.from_numpy(masks.argmax(axis=1))
    assert torch.allclose(distribution.log_prob(actions), p.log_prob(actions), atol=1e-5)
    assert torch.allclose(distribution.entropy(), p.entropy(), atol=1e-4)
    assert torch.allclose(distribution.divergence(others), torch.distributions.kl_divergence(p, q), atol=1e-4)
    assert torch.equal(distribution.mode(), dense[0].argmax(dim=1))


@pytest.mark.parametrize(
    ("name", "players"),
    [("ppo", 2), pytest.param("mmd", 3, marks=pytest.mark.wide), ("nfsp", 3), ("joint_critic", 2)],
)
def test_full_decks_of_war_are_learned_and_go_on_after_a_stop(tmp_path, name, players):
    game = make_game("war", num_players=players, **SHORT_WAR)
    assert has_many_actions(game)
    first, second = (learner_of(name, game, evaluate_every=64) for _ in range(2))
    with own_generators(0, 1):
        first.advance(64)
        tensors, data = first.state()
        kept = {key: tensor.clone() for key, tensor in tensors.items()}
        assert sum(tensor.nbytes for tensor in kept.values()) < 4e6
    second.restore(kept, data)
    ends = []
    for learner in (first, second):
        with own_generators(1, 1):
            figures = learner.advance(128)
            ends.append((figures, learner.state()[0]))
    assert ends[0][0] == ends[1][0]
    assert np.isfinite(list(ends[0][0].values())).all()
    assert all(torch.equal(tensor, ends[1][1][key]) for key, tensor in ends[0][1].items())
    save_policy(tmp_path / "policy.safetensors", first.policy())
    state = game.initial()[0].state
    seen, mask = game.observation(state, 0)[None], game.action_mask(state, 0)[None]
    again = load_policy(tmp_path, game).action_probabilities(seen, mask)
    assert np.allclose(again, first.policy().action_probabilities(seen, mask), rtol=0.0, atol=1e-6)


def test_the_joint_critics_sums_over_parts_are_those_over_actions():
    """Targets, predictions and the policy's loss by dense matrices `[actions, actions]`."""
    game = make_game("war", ranks=6, discards=2, **SHORT_WAR)
    learner = learner_of("joint_critic", game, temperature=0.25, batch_size=6)
    learner.advance(64)
    moves, parts = learner._sample(), game.action_parts().astype(float)

    def matrix(network, views):
        own, other = (network.outputs(view[None])[0].reshape(2 * [parts.shape[1]]) for view in views)
        return parts @ ((own - other.T) / 2) @ parts.T

    def policy(network, view, bits):
        mask = np.unpackbits(bits)[: len(parts)]
        weights = np.where(mask == 1, np.exp(parts @ network.outputs(view[None])[0]), 0.0)
        return weights / weights.sum()

    payoffs = joint_payoffs(learner._critic, moves.observations).detach()
    played, targets, losses = learner._played(moves, payoffs), learner._targets(moves), []
    for row in range(6):
        views, after = moves.observations[:, row].numpy(), moves.next_observations[:, row].numpy()
        masks, masks_after = moves.masks[:, row].numpy(), moves.next_masks[:, row].numpy()
        actions = divmod(int(moves.joint[0, row]), len(parts))
        dense = matrix(learner._critic, views)
        assert played[:, row].tolist() == pytest.approx([dense[actions], -dense[actions]], abs=1e-4)
        expected = moves.rewards[0, row].item()
        if not moves.done[0, row]:
            one, two = (policy(learner._magnet, after[seat], masks_after[seat]) for seat in (0, 1))
            expected += one @ matrix(learner._target, after) @ two
        assert targets[:, row].tolist() == pytest.approx([expected, -expected], abs=1e-4)
        actor, magnet = (
            [policy(net, views[seat], masks[seat]) for seat in (0, 1)] for net in (learner._actor, learner._magnet)
        )
        earned = [dense @ actor[1], -dense.T @ actor[0]]
        for seat in (0, 1):
            legal = actor[seat] > 0
            pull = 0.25 * np.log(actor[seat][legal] / magnet[seat][legal])
            losses.append(actor[seat][legal] @ (pull - earned[seat][legal]))
    assert learner._policy_loss(moves, payoffs).item() == pytest.approx(np.mean(losses), abs=1e-4)


def test_what_keeps_play_mixed_weighs_less_against_many_opponents():
    """With three opponents what there is to win from one of them is a third."""
    two, four = (make_game("war", num_players=players, **SHORT_WAR) for players in (2, 4))
    weights = []
    for game in (two, four):
        ppo, mmd = learner_of("ppo", game, entropy=0.3), learner_of("mmd", game, entropy=0.3, magnet=0.6)
        for learner in (ppo, mmd):
            learner._before_rollout()
        policy = mmd._model.policy
        weights.append((ppo._model.ent_coef, policy.entropy_weight, policy.magnet_weight))
    assert weights == [pytest.approx((0.3, 0.3, 0.6)), pytest.approx((0.1, 0.1, 0.2))]


def test_legal_pairs_of_nothing_are_empty():
    pairs = LegalPairs.of(np.zeros((2, 5), dtype=np.int8))
    assert pairs.log_softmax(torch.zeros(0)).tolist() == []
    assert pairs.sample(torch.zeros(0), torch.zeros(2)).tolist() == [0, 0]
