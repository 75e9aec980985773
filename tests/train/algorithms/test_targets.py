"""What learners learn from: targets, losses, weights and moving averages against direct computation."""

import copy
import dataclasses
from collections import Counter
from itertools import product

import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategorical
from toys import END, Toy

from baselines import solve, solve_matrices, solve_matrix
from baselines.matrix_game.lookahead import Lookahead, StateValues, one_view
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import make_game
from cardwar_envs.envs.game_batch import GameBatch
from train.algorithms import joint_critic, mmd
from train.algorithms.experience.decisions import actor, kl_divergence
from train.algorithms.joint_critic import joint_payoffs
from train.algorithms.registry import ALGORITHMS
from train.policies.learned_policy import has_many_actions
from train.policies.networks import Network

GAME = make_game("jujitsu", num_cards=3)
FOUR = make_game("jujitsu", num_cards=4)
UNLIKE = make_game("dinosaur_war", hand_0=(1, 3, 3), hand_1=(2, 2, 4))
DICE = make_game("dice_wars", hand_0=(1, 3), hand_1=(2, 2), sides=2)
LIMITED_WAR = make_game("war", ranks=3, discards=1, max_rounds=4)
IN_TURN = Toy(
    (  # the seats are not alike, and one player acts at first
        ((0,), {(0,): [(1, 1, 0.5)], (1,): [("1/3", 1, 0), ("2/3", 2, 0)]}),
        ((0, 1), {(0, 0): [(1, 3, 1)], (0, 1): [(1, END, -1)], (1, 0): [(1, END, -2)], (1, 1): [(1, 3, 2)]}),
        ((0, 1), {(0, 0): [(1, END, 3)], (0, 1): [(1, 3, 0)], (1, 0): [(1, END, 1)], (1, 1): [(1, END, 2)]}),
        ((1,), {(0,): [("1/2", END, 3), ("1/2", END, -1)], (2,): [(1, END, 2)]}),
    )
)
SMALL_WAR = make_game("war", ranks=6, discards=2, max_rounds=5)
LITTLE = {"num_games": 8, "width": 8, "rollout": 4, "batch_size": 16, "replay_size": 64, "memory": 256}


def learner_of(name, game, **more):
    algorithm = ALGORITHMS[name]
    names = algorithm.args_type().__dataclass_fields__
    return algorithm.learner(game, algorithm.args(**{k: v for k, v in {**LITTLE, **more}.items() if k in names}), 0)


@pytest.mark.parametrize("game", [GAME, UNLIKE, make_game("goofspiel", num_cards=3)], ids=lambda game: game.facts.name)
def test_the_targets_of_minimax_q_are_littmans(game):
    learner = learner_of("minimax_q", game)
    learner.advance(1_000)
    assert learner._target.memory is learner._network.memory
    assert learner._network.memory.any()
    policy = learner.policy()
    moves = learner._replay.sample(60, np.random.default_rng(0))
    targets = learner._targets(moves)
    assert np.array_equal(targets[moves["done"]], moves["rewards"][moves["done"], 0])
    for move in np.flatnonzero(~moves["done"]):
        seen, masks = moves["next_observations"][move], moves["next_masks"][move]
        own, other = map(np.flatnonzero, masks)
        payoffs = (policy.payoffs(seen[:1])[0] - policy.payoffs(seen[1:])[0].T) / 2
        value = solve_matrix(payoffs[np.ix_(own, other)]).value
        assert targets[move] == pytest.approx(moves["rewards"][move, 0] + value, abs=1e-5)


@pytest.mark.parametrize("game", [GAME, UNLIKE], ids=lambda game: game.facts.name)
def test_minimax_q_learns_from_each_move_though_it_evaluates_distinct_states(game):
    learner = learner_of("minimax_q", game, batch_size=200)
    learner.advance(1_000)
    moves = learner._replay.sample(200, copy.deepcopy(learner._rng))
    payoffs = learner._payoffs(learner._network, moves["observations"]).detach().numpy()
    errors = payoffs[:, np.arange(200), *moves["actions"].T] - learner._targets(moves)
    assert learner._update() == pytest.approx(np.square(errors).mean(), rel=1e-5)


def test_the_targets_of_minimax_q_with_a_model_are_littmans():
    learner = learner_of("minimax_q_model", GAME, num_games=64)
    learner.advance(1_000)  # so that the memory is not empty
    assert learner._target.memory is learner._network.memory
    assert learner._network.memory.any()
    tried = learner._trials.all_joint(learner._draw())
    targets = learner._targets(tried)
    assert tried.done.any()
    assert np.array_equal(targets[tried.done], tried.rewards[tried.done])
    for trial in np.flatnonzero(~tried.done)[::5]:
        own, other = (np.flatnonzero(mask) for mask in tried.masks_after[trial])
        payoffs = learner._target.outputs(tried.after[trial, :1]).reshape(3, 3)[np.ix_(own, other)]
        assert targets[trial] == pytest.approx(tried.rewards[trial] + solve_matrix(payoffs).value, abs=1e-6)


def test_both_players_of_minimax_q_with_a_model_learn_the_same_from_distinct_situations():
    learner = learner_of("minimax_q_model", GAME, num_games=64)
    situations = learner._draw()
    tried = learner._trials.all_joint(situations)
    lessons, count = learner._seen_by_both(situations, tried), len(situations.masks)
    assert len(np.unique(situations.observations[:, 0], axis=0)) == count > 10
    payoffs, weights = (each.reshape(2, count, 3, 3).numpy() for each in (lessons.payoffs, lessons.weights))
    assert np.array_equal(payoffs[0], -payoffs[1].transpose(0, 2, 1))
    assert np.array_equal(weights[0], weights[1].transpose(0, 2, 1))
    assert weights.sum(axis=(2, 3)) == pytest.approx(1.0)
    assert np.array_equal(weights[0] > 0, situations.masks[:, 0, :, None] & situations.masks[:, 1, None, :])
    place = tried.situations, *tried.joint.T
    assert payoffs[0][place] == pytest.approx(learner._targets(tried), abs=1e-6)
    assert np.array_equal(lessons.observations[count:].numpy(), situations.observations[:, 1])


class KnownValues:
    """True values, where a learner has a network's."""

    def __init__(self, game):
        self._table = solve(game).policy.table
        self._game = game

    def __call__(self, views):
        return np.array([self._table.value_to_go(self._game.state_of(seen)[0]) for seen in views[:, 0]])


@pytest.mark.parametrize("game", [FOUR, UNLIKE], ids=lambda game: game.facts.name)
def test_one_move_ahead_of_true_values_is_the_equilibrium(game):
    views = GameBatch(game, 60, seed=2, start="random").reset()
    values = KnownValues(game)
    matrices = Lookahead(game).matrices(views, values)
    solved = solve_matrices(matrices, views.masks[:, 0], views.masks[:, 1])
    assert solved.values == pytest.approx(values(views.observations), abs=1e-9)
    assert not matrices[~(views.masks[:, 0, :, None] & views.masks[:, 1, None, :]).astype(bool)].any()


def test_values_to_both_players_add_up_to_0_and_stay_within_the_payoffs():
    network = Network(FOUR, 16, 2, 1, "relu", memory=0)
    with torch.no_grad():
        network[-1].weight *= 100  # so that it is far off
    views, values_of = GameBatch(FOUR, 300, seed=2, start="random").reset().observations, StateValues(FOUR, network)
    values = values_of(views)
    assert np.array_equal(values, -values_of(views[:, ::-1]))
    assert np.abs(values).max() == 1.0
    alike = (views[:, 0] == views[:, 1]).all(axis=1)
    assert alike.any()
    assert not values[alike].any()
    assert values_of(views[:0]).shape == (0,)
    (taken, signs), (turned, others) = one_view(views), one_view(views[:, ::-1])
    assert np.array_equal(taken, turned)
    assert np.array_equal(signs, -others)
    assert set(signs) == {-1.0, 0.0, 1.0}


@pytest.mark.parametrize("game", [FOUR, DICE, make_game("goofspiel", num_cards=3), LIMITED_WAR, IN_TURN], ids=range(5))
def test_the_targets_of_fitted_value_iteration_are_shapleys(game):
    learner = learner_of("fitted_value", game, steps=100)
    learner.advance(100)
    networks, states = learner._networks, learner._layers()[-1].situations
    worth = StateValues(game, networks)

    def to_go(state):
        if not game.acting_players(state):
            return 0.0
        return worth(np.array([[game.observation(state, player) for player in (0, 1)]]))[0]

    values = learner._values(states)
    assert len(values) > 0
    for seen, value in zip(states.observations[::3, 0], values[::3], strict=True):
        state, _ = game.state_of(seen)
        own, other = (game.legal_actions(state, p) if p in game.acting_players(state) else (0,) for p in (0, 1))
        payoffs = np.zeros((len(own), len(other)))
        for (i, a), (j, b) in product(enumerate(own), enumerate(other)):
            outcomes = game.transitions(state, {p: (a, b)[p] for p in game.acting_players(state)})
            payoffs[i, j] = sum(float(each.probability) * (each.rewards[0] + to_go(each.state)) for each in outcomes)
        assert value == pytest.approx(solve_matrix(payoffs).value, abs=1e-5)


def test_fitted_value_iteration_learns_all_states_of_a_small_game_from_the_last_move_to_the_second():
    learner = learner_of("fitted_value", FOUR, steps=60)
    layers = learner._layers()
    assert [layer.moves_left for layer in layers] == [1, 2, 3]
    everything = {FOUR.observation(state, player).tobytes() for state in full_states(FOUR) for player in (0, 1)}
    listed = {seen.tobytes() for layer in layers for views in layer.situations.observations for seen in views}
    alike = {seen for seen in everything if not one_view(both(FOUR, seen))[1].any()}
    assert listed == {seen for seen in everything - alike if np.frombuffer(seen, np.float32)[:4].sum() < 4}
    few = learner_of("fitted_value", FOUR, num_states=7)
    assert {len(layer.situations.masks) for layer in few._layers()} <= {5, 6, 7}
    while not learner._finished:
        learner.advance(learner.steps + 1)
    assert list(learner._networks) == ["1"]
    kept = copy.deepcopy(learner._networks["1"].state_dict())
    learner.advance(59)
    assert learner._finished == 2
    learner.advance(60)
    assert learner._finished == 3
    assert list(learner._networks) == ["1", "2", "3"]
    assert all(torch.equal(each, kept[name]) for name, each in learner._networks["1"].state_dict().items())


def full_states(game):
    """All states in which players act, also settled ones."""
    found, waiting = set(), [start.state for start in game.initial()]
    while waiting:
        state = waiting.pop()
        if state not in found and game.acting_players(state):
            found.add(state)
            joint = product(*(game.legal_actions(state, player) for player in (0, 1)))
            waiting += [each.state for a, b in joint for each in game.transitions(state, {0: a, 1: b})]
    return found


def both(game, seen):
    """Both players' views, given the bytes of one."""
    state, _ = game.state_of(np.frombuffer(seen, dtype=np.float32))
    return np.array([[game.observation(state, player) for player in (0, 1)]])


def test_the_rate_of_fitted_value_iteration_falls_linearly_in_each_layer():
    learner = learner_of("fitted_value", FOUR, steps=300, learning_rate=0.01, final_rate=0.2)
    spans = set()
    for step in range(300):
        learner.advance(step + 1)
        begin, end = learner._span
        share = (step / 300 - begin) / (end - begin)
        rates = [group["lr"] for optimizer in learner._optimizers.values() for group in optimizer.param_groups]
        assert rates == pytest.approx([0.01 * (1.0 - 0.8 * share)] * len(rates))
        spans.add(learner._span)
    assert len(spans) == len(learner._layers()) == learner._finished
    assert max(spans)[1] == 1.0


def test_outputs_beyond_the_greatest_payoff_are_right_where_the_value_is_the_greatest_payoff():
    learner = learner_of("fitted_value", FOUR)
    outputs, values = torch.tensor([1.5, 1.5, -1.5, -1.5, 0.5]), torch.tensor([1.0, 0.9, -1.0, 1.0, 0.0])
    assert learner._misses(outputs, values).tolist() == pytest.approx([0.0, 0.6, 0.0, -2.5, 0.5])


@pytest.mark.parametrize("game", [GAME, DICE, SMALL_WAR], ids=lambda game: game.facts.name)
def test_targets_and_losses_of_the_joint_critic_are_sums_over_all_joint_actions(game):
    learner = learner_of("joint_critic", game, num_games=16, temperature=0.25, batch_size=24)
    learner.advance(320)
    moves, actions = learner._sample(), game.facts.num_actions
    parts = game.action_parts().astype(float) if has_many_actions(game) else np.eye(actions)

    def matrix(network, views):
        """`[own action, opponent's action]` payoffs to seat 0: half of what each seat's view says."""
        own, other = (network.outputs(view[None])[0].reshape(2 * [parts.shape[1]]) for view in views)
        return parts @ ((own - other.T) / 2) @ parts.T

    def policy(network, view, mask):
        weights = np.where(unpacked(mask) == 1, np.exp(parts @ network.outputs(view[None])[0]), 0.0)
        return weights / weights.sum()

    def unpacked(mask):
        return np.unpackbits(mask)[:actions] if has_many_actions(game) else mask

    payoffs = joint_payoffs(learner._critic, moves.observations).detach()
    played, targets, losses, natural = learner._played(moves, payoffs), learner._targets(moves), [], []
    assert 0 < moves.done[0].sum() < moves.done.shape[1] or game is SMALL_WAR
    for row in range(moves.done.shape[1]):
        views, after = moves.observations[:, row].numpy(), moves.next_observations[:, row].numpy()
        masks, masks_after = moves.masks[:, row].numpy(), moves.next_masks[:, row].numpy()
        for seat in (0, 1):
            state, player = game.state_of(views[seat])
            assert unpacked(masks[seat]).tolist() == game.action_mask(state, player).tolist()
        joint, dense = divmod(int(moves.joint[0, row]), actions), matrix(learner._critic, views)
        assert played[:, row].tolist() == pytest.approx([dense[joint], -dense[joint]], abs=1e-4)
        expected = moves.rewards[0, row].item()
        if not moves.done[0, row]:
            one, two = (policy(learner._magnet, after[seat], masks_after[seat]) for seat in (0, 1))
            expected += one @ matrix(learner._target, after) @ two
        assert targets[:, row].tolist() == pytest.approx([expected, -expected], abs=1e-4)
        acts, magnet = (
            [policy(net, views[seat], masks[seat]) for seat in (0, 1)] for net in (learner._actor, learner._magnet)
        )
        earned = [dense @ acts[1], -dense.T @ acts[0]]
        for seat in (0, 1):
            legal = acts[seat] > 0
            pull = 0.25 * np.log(acts[seat][legal] / magnet[seat][legal])
            costs = pull - earned[seat][legal]
            losses.append(acts[seat][legal] @ costs)
            natural.append(np.log(acts[seat][legal]) @ (costs - costs.mean()))
    for by_nature, terms in enumerate((losses, natural)):
        learner._args = dataclasses.replace(learner._args, natural=by_nature)
        assert learner._policy_loss(moves, payoffs).item() == pytest.approx(np.mean(terms), abs=1e-4)


@pytest.mark.parametrize("natural", [0, 1])
def test_no_gradient_passes_through_the_opponents_policy(natural):
    """Both seats play with one network, so a gradient through the opponent's policy would cancel the own one."""
    given = {"batch_size": 32, "temperature": 0.0, "natural": natural}
    learner = learner_of("joint_critic", make_game("jujitsu", num_cards=2), **given)
    learner.advance(64)
    moves = learner._sample()
    whole_hands = moves.masks.sum(dim=(0, 2)) == 4
    moves = joint_critic._Moves(*(column[:, whole_hands] for column in moves))
    better_first = torch.tensor([[0.0, 1.0], [-1.0, 0.0]]).expand(2, int(whole_hands.sum()), 2, 2)
    learner._optimizer.zero_grad()
    learner._policy_loss(moves, better_first).backward()
    # By hand: p(0) p(1) times how much less the first action's logit loses, 1 whatever the opponent plays.
    first = joint_critic.log_policies(learner._actor, moves.observations, moves.masks).exp()[:, :, 0]
    # Natural: half of that, as it is what the first action gains over the mean of both.
    expected = -0.5 if natural else -(first * (1.0 - first)).mean().item()
    assert learner._actor[-1].bias.grad.tolist() == pytest.approx([expected, -expected], abs=1e-6)


@pytest.mark.parametrize("exploration", [0.0, 0.5, 1.0])
def test_exploration_is_the_share_of_uniform_actions(exploration):
    game = make_game("jujitsu", num_cards=2)
    critic = learner_of("joint_critic", game, num_games=1000, exploration=exploration)
    with torch.no_grad():  # an actor that always plays its first action
        for parameter in critic._actor.parameters():
            parameter.zero_()
        critic._actor[-1].bias.copy_(torch.tensor([50.0, 0.0]))
    assert (critic._actions(*critic._batch.reset()) == 0).mean() == pytest.approx(1.0 - exploration / 2, abs=0.05)
    dqn = learner_of("dqn_response", game, steps=800, num_games=800, final_exploration=exploration)
    dqn.steps = 800  # after which the final exploration has been reached
    views = dqn._envs.reset()
    assert np.mean(dqn._actions(views) != dqn._dqn.greedy_actions(views)) == pytest.approx(exploration / 2, abs=0.05)


# Algorithm; the weights that follow, and the weights that they follow; the rate after half of the run.
FOLLOWS = [
    *(
        (name, lambda parts: (parts["target"], [*parts["network"].parameters()][1:]), {"target_rate": 0.25}, 0.25)
        for name in ("minimax_q", "minimax_q_model")
    ),
    ("joint_critic", lambda parts: (parts["target"], parts["critic"].dense),
     {"target_rate": 0.25}, 0.25),
    ("joint_critic", lambda parts: (parts["magnet"].dense, parts["actor"].dense),
     {"magnet_rate": 0.25, "final_rate": 0.5}, 0.1875),
    ("mmd", lambda parts: (parts["network"].average.parameters(), actor(parts["network"]).parameters()),
     {"average_share": 2.56e-4}, 0.25),
    ("nfsp", lambda parts: (parts["dqn"].q_net_target.parameters(), parts["dqn"].q_net.parameters()),
     {"target_rate": 0.25}, 0.25),
    ("dqn_response", lambda parts: (parts["dqn"].q_net_target.parameters(), parts["dqn"].q_net.parameters()),
     {"target_rate": 0.25}, 0.25),
]  # fmt: skip


@pytest.mark.parametrize(("name", "weights", "values", "rate"), FOLLOWS)
def test_slow_weights_follow_fast_weights_at_their_rate(name, weights, values, rate):
    learner = learner_of(name, GAME, steps=10**6, passes=1, batch_size=1000, width=16, **values)
    learner.advance(100)
    tensors, data = copy.deepcopy(learner.state())
    learner.restore(tensors, data | {"steps": 500_000})
    before = [each.detach().clone() for each in weights(learner.parts)[0]]
    learner.advance(500_001)  # one update
    after, fast = ([each.detach() for each in group] for group in weights(learner.parts))
    for old, new, target in zip(before, after, fast, strict=True):
        assert torch.allclose(new, old + rate * (target - old), atol=1e-5)
    assert any(not torch.equal(old, new) for old, new in zip(before, after, strict=True))


@pytest.mark.parametrize("every", [1, 2])
def test_the_magnets_memory_moves_where_the_actor_learns_or_everywhere_from_time_to_time(every):
    given = {"batch_size": 4, "magnet_rate": 0.5, "final_rate": 1.0, "magnet_every": every}
    learner = learner_of("joint_critic", FOUR, num_games=8, **given)
    learner.advance(320)
    before = learner._magnet.memory.detach().clone()
    learner.advance(328 if every == 1 else 336)
    after, actor_rows = learner._magnet.memory.detach(), learner._actor.memory.detach()
    moved = (after != before).any(dim=1)
    behind = (before != actor_rows).any(dim=1)
    assert torch.allclose(after[moved], before[moved].lerp(actor_rows[moved], 0.5), atol=1e-6)
    assert moved.any()
    assert torch.equal(moved, behind) == (every == 2)


def small_mmd(**args):
    return mmd.Learner(GAME, mmd.Args(**{"num_games": 8, "rollout": 3, "batch_size": 16, "width": 8, **args}), seed=0)


def softmax(logits, masks):
    """`[batch, num_actions]` probabilities, action by action in double precision."""
    legal = np.exp(logits.astype(np.float64)) * masks
    return legal / legal.sum(axis=1, keepdims=True)


def test_the_divergence_stays_finite_where_the_magnet_all_but_rules_an_action_out():
    sure, unlike = torch.tensor([[200.0, 0.0, 0.0]]), torch.tensor([[0.0, 0.0, 0.0]], requires_grad=True)
    mask = torch.tensor([[1, 1, 0]])
    divergence = kl_divergence(*(MaskableCategorical(logits=each, masks=mask) for each in (unlike, sure)))
    assert divergence.item() == pytest.approx(100.0 - np.log(2.0))
    divergence.sum().backward()
    assert torch.isfinite(unlike.grad).all()


def test_the_bonus_of_mmd_is_weighted_entropy_minus_divergences_and_its_gradient_spares_the_magnet():
    """The gradient at the last layer's biases is the mean over the batch of the derivatives by the logits."""
    learner = small_mmd(magnet_every=1000)  # the magnet is not where the actor is
    learner.advance(240)
    policy, (_, *seen) = learner._model.policy, full_graph(GAME).seen_by(0)
    observations, masks = map(torch.from_numpy, seen)
    policy.entropy_weight, policy.magnet_weight, policy.proximal_weight = 0.3, 0.7, 0.5
    policy.zero_grad()  # of what learning left
    _, _, bonus = policy.evaluate_actions(observations, masks.argmax(dim=1), masks)
    bonus.mean().backward()
    with torch.no_grad():
        networks = actor(policy), policy.magnet, policy.last
        p, q, last = (softmax(net(observations).numpy(), masks.numpy()) for net in networks)
    p_logs, q_logs, last_logs = (np.log(np.where(masks.numpy() == 1, each, 1.0)) for each in (p, q, last))
    assert (p * (p_logs - q_logs)).sum(axis=1).max() > 1e-3
    assert (p * (p_logs - last_logs)).sum(axis=1).max() > 1e-8
    # An action's share of the bonus, per probability.
    worth = -0.3 * p_logs - 0.7 * (p_logs - q_logs) - 0.5 * (p_logs - last_logs)
    assert bonus.detach().numpy() == pytest.approx((p * worth).sum(axis=1), abs=1e-5)
    expected = p * (worth - (p * worth).sum(axis=1, keepdims=True))
    assert np.abs(expected.mean(axis=0)).max() > 1e-4
    assert policy.action_net.bias.grad.numpy() == pytest.approx(expected.mean(axis=0), abs=1e-6)
    assert all(each.grad is None for each in [*policy.magnet.parameters(), *policy.average.parameters()])


def test_the_magnet_is_renewed_on_schedule_also_after_a_resume():
    learner = small_mmd(magnet_every=3)
    renewed, before = [], [each.clone() for each in learner._model.policy.magnet.parameters()]
    for rollout in range(1, 10):
        if rollout == 5:
            state = learner.state()
            learner = small_mmd(magnet_every=3)
            learner.restore(*state)
        learner.advance(24 * rollout)
        policy = learner._model.policy
        magnet, average = ([p.clone() for p in net.parameters()] for net in (policy.magnet, policy.average))
        if not all(map(torch.equal, magnet, before)):
            assert all(map(torch.equal, magnet, average))
            renewed.append(rollout)
        before = magnet
    assert renewed == [3, 6, 9]


def test_bonuses_fall_over_the_run_and_weigh_less_against_many_opponents():
    """With three opponents what there is to win from one of them is a third."""
    two, four = (make_game("war", num_players=players, max_rounds=5) for players in (2, 4))
    for game, share in ((two, 1.0), (four, 1 / 3)):
        given = {"steps": 1000, "entropy": 0.3, "final_entropy": 0.5, "magnet": 0.6}
        ppo, mirror = (learner_of(name, game, **given) for name in ("ppo", "mmd"))
        for learner in (ppo, mirror):
            learner.steps = 500
            learner._before_rollout()
        policy = mirror._model.policy
        weights = ppo._model.ent_coef, policy.entropy_weight, policy.magnet_weight
        assert weights == pytest.approx((0.225 * share, 0.225 * share, 0.6 * share))
        assert mirror._model.ent_coef == 1.0


def test_games_start_at_the_beginning_unless_random_starts_are_requested():
    def left(learner):
        observations, _ = learner._batch.reset()
        return set(observations[:, 0, :3].sum(axis=1).astype(int).tolist())

    assert left(small_mmd(num_games=64)) == {3}
    assert left(small_mmd(num_games=64, random_starts=1)) == {1, 2, 3}


class OneGoesOut(Toy):
    """Three moves; after the first, player 2 pays a point to player 0 and is out."""

    def _rewards(self, paid):
        return paid or (0.0, 0.0, 0.0)

    def live_players(self, state):
        return self.acting_players(state)


def one_goes_out():
    moves = (3, 1, (1.0, 0.0, -1.0)), (2, 2, None), (2, END, None)
    table = [(range(n), {joint: [(1, after, paid)] for joint in product((0, 1), repeat=n)}) for n, after, paid in moves]
    return OneGoesOut(tuple((tuple(acting), ways) for acting, ways in table), players=3, zero_sum=False)


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
    more = {"anticipatory": 1.0, "replay_size": 10_000, "reservoir_size": 1000}
    learner = learner_of("nfsp", one_goes_out(), **more)
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
    ("name", "values"), [("ppo", {"relu": 0}), ("ppo", {"relu": 1}), ("mmd", {}), ("best_response", {})]
)
def test_the_policy_is_the_trained_networks(name, values):
    """The actor's softmax, its average's or, for a best response, its most probable action."""
    learner = learner_of(name, GAME, **values)
    learner.advance(240)
    _, observations, masks = full_graph(GAME).seen_by(1)
    model, found = learner._model.policy, learner.policy().action_probabilities(observations, masks)
    with torch.no_grad():
        net = model.average if name == "mmd" else actor(model)
        expected = softmax(net(torch.from_numpy(observations)).numpy(), masks)
        if name == "mmd":
            assert not np.allclose(expected, softmax(actor(model)(torch.from_numpy(observations)).numpy(), masks))
        else:
            distribution = model.get_distribution(torch.from_numpy(observations), masks).distribution
            assert expected == pytest.approx(distribution.probs.numpy(), abs=1e-6)
    if name == "best_response":
        expected = np.eye(3)[expected.argmax(axis=1)]
    assert found == pytest.approx(expected, abs=1e-5)
