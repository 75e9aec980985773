"""Actor with a critic of joint actions: its losses by direct computation, what it plays, that it learns."""

import numpy as np
import pytest
import torch
from thinning import each_row

from baselines import solve
from cardwar_envs import make_game
from train.algorithms import joint_critic
from train.algorithms.joint_critic import Args, Learner, joint_payoffs
from train.measures.exact import evaluate

GAME = make_game("jujitsu", num_cards=3)
UNLIKE = make_game("dice_wars", hand_0=(1, 3), hand_1=(2, 2), sides=2)
SMALL = {"num_games": 16, "batch_size": 32, "width": 16, "replay_size": 64}


@pytest.fixture(scope="module", params=[GAME, UNLIKE], ids=["jujitsu", "dice_wars"])
def learner(request):
    """One that has played a little, whose four networks differ."""
    torch.manual_seed(0)
    made = Learner(request.param, Args(**SMALL, temperature=0.25), seed=0)
    made.advance(320)
    return made


def direct_matrix(network, views):
    """`[own action, other's action]` payoffs to seat 0 by numpy: half of what each seat's view says."""
    own, other = (network.outputs(view[None])[0].reshape(-1, round(network[-1].out_features ** 0.5)) for view in views)
    return (own - other.T) / 2


def direct_policy(network, view, mask):
    weights = np.where(mask == 1, np.exp(network.outputs(view[None])[0]), 0.0)
    return weights / weights.sum()


def test_masks_are_what_each_seat_could_play(learner):
    moves = learner._sample()
    for seat in (0, 1):
        for view, mask, joint in zip(moves.observations[seat], moves.masks[seat], moves.joint[seat], strict=True):
            state, player = learner._game.state_of(view.numpy())
            assert mask.tolist() == learner._game.action_mask(state, player).tolist()
            own, other = divmod(int(joint), len(mask))
            assert mask[own] == 1
            assert learner._game.action_mask(state, 1 - player)[other] == 1


def test_targets_are_rewards_and_what_the_magnet_earns_against_itself(learner):
    moves = learner._sample()
    targets = learner._targets(moves)
    assert moves.done.any()
    assert not moves.done.all()
    for row in range(targets.shape[1]):
        expected = moves.rewards[0, row].item()
        if not moves.done[0, row]:
            views, masks = moves.next_observations[:, row].numpy(), moves.next_masks[:, row].numpy()
            first, second = (direct_policy(learner._magnet, views[seat], masks[seat]) for seat in (0, 1))
            expected += first @ direct_matrix(learner._target, views) @ second
        assert targets[0, row].item() == pytest.approx(expected, abs=1e-5)
        assert targets[1, row].item() == pytest.approx(-expected, abs=1e-5)


def test_the_policy_loss_counts_every_action(learner):
    moves = learner._sample()
    payoffs = joint_payoffs(learner._critic, moves.observations).detach()
    losses = []
    for row in range(payoffs.shape[1]):
        views, masks = moves.observations[:, row].numpy(), moves.masks[:, row].numpy()
        actor = [direct_policy(learner._actor, views[seat], masks[seat]) for seat in (0, 1)]
        magnet = [direct_policy(learner._magnet, views[seat], masks[seat]) for seat in (0, 1)]
        for seat in (0, 1):
            matrix = direct_matrix(learner._critic, views[[seat, 1 - seat]])
            loss = 0.0
            for own in np.flatnonzero(masks[seat]):
                earned = sum(actor[1 - seat][b] * matrix[own, b] for b in np.flatnonzero(masks[1 - seat]))
                pull = 0.25 * np.log(actor[seat][own] / magnet[seat][own])
                loss += actor[seat][own] * (pull - earned)
            losses.append(loss)
    assert learner._policy_loss(moves, payoffs).item() == pytest.approx(np.mean(losses), abs=1e-6)


def test_an_actor_learns_against_its_opponent_as_it_is():
    """Both seats play with one network, so a gradient through the opponent's policy would cancel the own one."""
    learner = Learner(make_game("jujitsu", num_cards=2), Args(**SMALL, temperature=0.0), seed=0)
    learner.advance(64)
    moves = learner._sample()
    whole_hands = moves.masks.sum(dim=(0, 2)) == 4
    moves = joint_critic._Moves(*(column[:, whole_hands] for column in moves))
    better_first = torch.tensor([[0.0, 1.0], [-1.0, 0.0]]).expand(2, int(whole_hands.sum()), 2, 2)
    learner._optimizer.zero_grad()
    learner._policy_loss(moves, better_first).backward()
    by_bias = learner._actor[-1].bias.grad
    # By hand: p(0) p(1) times how much less the first action's logit loses, 1 whatever the opponent plays.
    first = joint_critic.log_policies(learner._actor, moves.observations, moves.masks).exp()[:, :, 0]
    expected = -(first * (1.0 - first)).mean().item()
    assert by_bias.tolist() == pytest.approx([expected, -expected], abs=1e-6)


@each_row("exploration", [0.0, 0.5, 1.0])
def test_it_explores_as_much_as_it_is_told(exploration):
    learner = Learner(make_game("jujitsu", num_cards=2), Args(num_games=1000, exploration=exploration), seed=0)
    with torch.no_grad():  # an actor that always plays its first action
        for parameter in learner._actor.parameters():
            parameter.zero_()
        learner._actor[-1].bias.copy_(torch.tensor([50.0, 0.0]))
    observations, masks = learner._batch.reset()
    first = (learner._actions(observations, masks) == 0).mean()
    assert first == pytest.approx(1.0 - exploration / 2, abs=0.05)


def test_the_magnet_follows_the_actor_ever_more_slowly(monkeypatch):
    learner = Learner(GAME, Args(**SMALL, steps=160, magnet_rate=0.25, final_rate=0.5), seed=0)
    expected = learner._actor[0].weight.detach().clone()
    update = learner._update

    def update_and_follow():
        losses = update()
        # from a quarter of the way at the start to an eighth at the end
        expected.lerp_(learner._actor[0].weight.detach(), 0.25 - 0.125 * learner.steps / 160)
        return losses

    monkeypatch.setattr(learner, "_update", update_and_follow)
    learner.advance(160)
    assert learner.policy().network[0].weight.detach() == pytest.approx(expected, abs=1e-6)
    assert not torch.equal(learner._actor[0].weight, learner._magnet[0].weight)


def test_learning_rates_fall_over_the_whole_run():
    learner = Learner(GAME, Args(**SMALL, steps=320, actor_rate=0.01, critic_rate=0.002, final_rate=0.5), seed=0)
    for steps, share in ((160, 0.75), (320, 0.5)):
        learner.advance(steps)
        rates = [group["lr"] for group in learner._optimizer.param_groups]
        assert rates == pytest.approx([0.01 * share, 0.002 * share])


@pytest.mark.parametrize("game", [pytest.param(GAME, marks=pytest.mark.wide), UNLIKE], ids=lambda game: game.facts.name)
def test_it_learns_small_games(game):
    args = Args(
        steps=8_000, num_games=16, batch_size=32, width=32, actor_rate=3e-3, critic_rate=3e-3, magnet_rate=0.03,
        target_rate=0.1,
    )  # fmt: skip
    learner = Learner(game, args, seed=0)
    figures = learner.advance(args.steps)
    assert learner.steps == args.steps
    assert game is UNLIKE or figures["q_loss"] < 0.1
    value = solve(game).value
    assert evaluate(game, learner.policy()).guarantees == pytest.approx((value, -value), abs=0.05)
