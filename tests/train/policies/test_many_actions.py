"""Networks for many actions: legal pairs against dense arrays, parts against actions, policies on disk."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from thinning import each_row

from cardwar_envs import make_game
from cardwar_envs.games.goofspiel import Goofspiel
from cardwar_envs.games.jujitsu import Jujitsu
from cardwar_envs.games.war import War
from cardwar_envs.games.war.actions import LOWEST_CARD, WarActions, WarChoice
from train.policies.files import load_policy, save_policy
from train.policies.layers import ActionParts, LegalPairs, Scaling, as_bits
from train.policies.learned_policy import has_many_actions
from train.policies.networks import GreedyPolicy, MatrixPolicy, Network, SoftmaxPolicy

WAR = make_game("war")


@st.composite
def batches(draw):
    """Masks `[rows, actions]`, some rows perhaps without a legal action, and a generator."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, actions = draw(st.integers(1, 6)), draw(st.integers(1, 20))
    masks = (rng.random((rows, actions)) < draw(st.floats(0.0, 1.0))).astype(np.int8)
    return masks, rng


@given(batches())
def test_pairs_are_the_legal_actions_row_by_row(batch):
    masks, _ = batch
    expected = np.argwhere(masks)
    for given_as in (masks, as_bits(masks)):
        pairs = LegalPairs.of(given_as)
        assert np.array_equal(np.stack([pairs.rows, pairs.actions], axis=1), expected)
        assert pairs.count == len(masks)


@given(batches())
def test_their_softmax_is_the_dense_masked_one_with_its_gradient(batch):
    masks, rng = batch
    logits = torch.tensor(rng.normal(0.0, 30.0, masks.shape), requires_grad=True)
    weights = torch.from_numpy(rng.normal(size=masks.shape))
    pairs, chooses = LegalPairs.of(masks), masks.any(axis=1)
    logs = pairs.log_softmax(logits[pairs.rows, pairs.actions])
    (found,) = torch.autograd.grad((logs.exp() * weights[pairs.rows, pairs.actions]).sum(), logits)
    dense = torch.where(torch.from_numpy(masks == 1), logits, -torch.inf)[torch.from_numpy(chooses)].softmax(dim=1)
    assert np.allclose(pairs.dense(logs.detach().exp(), masks.shape[1])[chooses], dense.detach(), atol=1e-12)
    (expected,) = torch.autograd.grad((dense * weights[torch.from_numpy(chooses)]).sum(), logits)
    assert torch.allclose(found, expected, atol=1e-12)
    assert not found[torch.from_numpy(~chooses)].any()


@given(batches())
def test_greatest_and_sampled_actions_are_legal(batch):
    masks, rng = batch
    pairs, chooses = LegalPairs.of(masks), masks.any(axis=1)
    logits = rng.integers(3, size=masks.shape).astype(np.float64)  # with ties
    best = pairs.dense(pairs.greatest(torch.from_numpy(logits)[pairs.rows, pairs.actions]), masks.shape[1])
    expected = np.where(masks == 1, logits, -np.inf).argmax(axis=1)
    assert np.array_equal(best[chooses], np.eye(masks.shape[1])[expected[chooses]])
    for draws in (np.zeros(len(masks)), rng.random(len(masks)), np.full(len(masks), np.nextafter(1.0, 0.0))):
        actions = pairs.sample(torch.from_numpy(rng.random(len(pairs.rows)) + 1e-3), torch.from_numpy(draws)).numpy()
        assert masks[np.flatnonzero(chooses), actions[chooses]].all()
        assert not actions[~chooses].any()


def test_actions_are_drawn_as_their_weights_say():
    masks = np.array([[0, 1, 1, 0, 1], [0, 0, 0, 0, 0], [1, 0, 0, 0, 1]], dtype=np.int8)
    pairs, draws = LegalPairs.of(masks), (np.arange(1000) + 0.5) / 1000
    weights = torch.tensor([1.0, 2.0, 1.0, 3.0, 1.0])
    drawn = np.stack([pairs.sample(weights, torch.full((3,), draw, dtype=torch.float64)) for draw in draws])
    shares = [np.bincount(column, minlength=5) / 1000 for column in drawn.T]
    assert np.allclose(shares, [[0, 0.25, 0.5, 0, 0.25], [1, 0, 0, 0, 0], [0.75, 0, 0, 0, 0.25]], atol=1e-3)


@each_row(("ranks", "discards"), [(12, 3), (3, 0), (2, 4)])
def test_the_parts_of_wars_actions_are_what_they_put_down(ranks, discards):
    actions = WarActions(ranks, discards)
    parts = actions.parts()
    assert parts.shape == (actions.size, 3 * ranks + 1)
    assert len(np.unique(parts, axis=0)) == actions.size
    for action, row in enumerate(parts):
        card, discarded, battle = row[:-1].reshape(3, ranks)
        play = actions.decode(action)
        assert row[-1] == (play is None)
        put_down = play.discards if isinstance(play, WarChoice) else ()
        assert np.repeat(np.arange(ranks), discarded).tolist() == [each - LOWEST_CARD for each in put_down]
        shown = [play.battle] if isinstance(play, WarChoice) else []
        assert (np.flatnonzero(battle) + LOWEST_CARD).tolist() == shown
        assert (np.flatnonzero(card) + LOWEST_CARD).tolist() == ([play] if isinstance(play, int) else [])


def test_a_logit_is_the_sum_over_the_parts_of_an_action():
    parts, table = ActionParts(WAR), WAR.action_parts()
    rng, rows = np.random.default_rng(0), np.array([0, 0, 2, 2, 2])
    pairs = LegalPairs(torch.from_numpy(rows), torch.tensor([0, 4380, 77, 1000, 4379]), 3)
    outputs, weights = rng.normal(size=(3, parts.size)), rng.normal(size=5)
    logits = parts.logits(torch.from_numpy(outputs), pairs).numpy()
    assert np.allclose(logits, (outputs @ table.T)[rows, pairs.actions])
    expected = np.zeros((3, parts.size))
    np.add.at(expected, rows, weights[:, None] * table[pairs.actions])
    assert np.allclose(parts.expected(torch.from_numpy(weights), pairs), expected)
    assert np.array_equal(parts.of(pairs.actions), table[pairs.actions])


def test_a_game_that_declares_no_parts_has_one_for_each_action():
    parts = ActionParts(make_game("jujitsu", num_cards=3))
    outputs = torch.arange(6.0).reshape(2, 3)
    pairs = LegalPairs.of(np.array([[1, 0, 1], [0, 1, 0]], dtype=np.int8))
    assert parts.size == 3
    assert parts.logits(outputs, pairs).tolist() == [0.0, 2.0, 4.0]
    assert parts.of(torch.tensor([2, 0])).tolist() == [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]


@each_row("wrong", [np.ones((2, 3)), np.ones(3, int), np.ones((2, 3), int), -np.ones((3, 2), int)])
def test_parts_that_cannot_be_are_refused(wrong):
    class Wrong(Jujitsu):
        def action_parts(self):
            return wrong

    with pytest.raises(ValueError, match="action_parts must be counts, with a row for each of 3 actions"):
        ActionParts(Wrong(num_cards=3))


def test_a_game_with_other_rules_loses_the_parts():
    class Other(War):
        def legal_actions(self, state, player):
            return super().legal_actions(state, player)[:1]

    assert Other().action_parts() is None
    assert has_many_actions(WAR)
    assert not has_many_actions(make_game("war", ranks=4, discards=1))


@pytest.mark.parametrize("kind", [SoftmaxPolicy, GreedyPolicy])
def test_a_policy_of_parts_is_the_dense_one(kind):
    torch.manual_seed(0)
    policy = kind(WAR, Network.of_actions(WAR, 8, 2, "tanh"))
    start = WAR.initial()[0].state
    war = start._replace(tied=(0, 1))
    observations = np.stack([WAR.observation(state, 0) for state in (start, war)])
    masks = np.stack([WAR.action_mask(state, 0) for state in (start, war)])
    found = policy.action_probabilities(observations, masks)
    logits = policy.network.outputs(observations) @ WAR.action_parts().T
    weights = np.where(masks == 1, np.exp(logits), 0.0)
    if kind is SoftmaxPolicy:
        assert found == pytest.approx(weights / weights.sum(axis=1, keepdims=True), abs=1e-6)
    else:
        assert np.array_equal(found, np.eye(WAR.facts.num_actions)[weights.argmax(axis=1)])


def test_files_with_a_wrong_number_of_parts_are_refused(tmp_path):
    save_policy(tmp_path / "few", SoftmaxPolicy(WAR, Network(WAR, 4, 1, 36, "tanh", parts=True)))
    save_policy(tmp_path / "joint", MatrixPolicy(WAR, Network(WAR, 4, 1, 37, "tanh", parts=True)))
    for name in ("few", "joint"):
        with pytest.raises(ValueError, match="the tensors do not fit the network"):
            load_policy(tmp_path / name, WAR)


def test_wide_entries_are_scaled_and_others_are_not():
    scaling, start = Scaling(WAR), WAR.initial()[0].state
    seen = WAR.observation(start, 0)
    scaled = scaling(torch.from_numpy(seen[None]))[0].numpy()
    assert np.array_equal(scaled[:-1], seen[:-1])
    assert (seen[-1], scaled[-1]) == (1000.0, 1.0)
    assert Scaling(Goofspiel(num_cards=13, payoff="win")).needed
    assert not Scaling(Jujitsu(num_cards=13)).needed
