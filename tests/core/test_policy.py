"""What is taken as a policy, how one is found by name, and which answers are refused."""

import re

import numpy as np
import pytest
from thinning import each_row
from toys import BAD_ANSWERS, Answering, Arbitrary, uniform_over

from baselines.opponents.strategies import HighestCard
from cardwar_envs import Policy, make_game
from cardwar_envs.core.policy import checked_probabilities, sample_action, sample_actions
from cardwar_envs.core.policy_names import as_policy, named_policy, policy_names

GAME = make_game("jujitsu", num_cards=3)
OBSERVATIONS = np.zeros((3, 8), dtype=np.float32)
MASKS = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 1]], dtype=np.int8)


@each_row(("answer", "message"), BAD_ANSWERS.values())
def test_an_answer_that_is_no_strategy_is_refused_with_policy_and_value(answer, message):
    masks = MASKS.copy()
    with pytest.raises(ValueError, match="policy Answering: " + message) as caught:
        checked_probabilities(Answering(answer), OBSERVATIONS, masks)
    assert "\n" not in str(caught.value)
    assert np.array_equal(masks, MASKS)


def test_the_message_names_the_worst_offence():
    def answer(observations, masks):
        return np.array([[0.5, 0.5, 0.0], [0.2, 0.5, 0.3], [0.0, 0.0, 1.0]])

    with pytest.raises(ValueError, match=r"probability 0\.5 on illegal action 1; legal actions are \[0, 2\]"):
        checked_probabilities(Answering(answer), OBSERVATIONS, MASKS)


def test_what_a_policy_does_to_its_inputs_stays_with_it():
    def writes(observations, masks):
        answer = uniform_over(masks)
        observations += 5
        masks[:] = 0
        return answer

    observations, masks = OBSERVATIONS.copy(), MASKS.copy()
    answer = checked_probabilities(Answering(writes), observations, masks)
    assert np.array_equal(observations, OBSERVATIONS)
    assert np.array_equal(masks, MASKS)
    assert np.array_equal(answer, uniform_over(MASKS))


def test_a_policy_can_write_into_what_it_is_given():
    """torch warns when it is given an array that cannot be written to."""

    def looks(observations, masks):
        assert observations.flags.writeable
        assert masks.flags.writeable
        return uniform_over(masks)

    frozen = OBSERVATIONS.copy(), MASKS.copy()
    for array in frozen:
        array.flags.writeable = False
    checked_probabilities(Answering(looks), *frozen)


def test_rounding_is_removed_and_nothing_else_is():
    single = (uniform_over(MASKS) * 1.000004).astype(np.float32)
    single[0, 2], single[2, 0] = -1e-10, 1e-10
    answer = checked_probabilities(Answering(lambda o, m: single), OBSERVATIONS, MASKS)
    assert answer.dtype == np.float64
    assert np.abs(answer.sum(axis=1) - 1.0).max() <= 1e-15
    assert np.all(answer[MASKS == 0] == 0.0)
    assert answer.min() >= 0.0
    assert answer == pytest.approx(uniform_over(MASKS), abs=1e-9)
    exact = np.array([[0.25, 0.75, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert np.array_equal(checked_probabilities(Answering(lambda o, m: exact), OBSERVATIONS, MASKS), exact)


def test_lists_are_taken_and_an_empty_batch_is_no_offence():
    as_list = checked_probabilities(Answering(lambda o, m: uniform_over(m).tolist()), OBSERVATIONS, MASKS)
    assert np.array_equal(as_list, uniform_over(MASKS))
    empty = checked_probabilities(Answering(lambda o, m: m * 1.0), OBSERVATIONS[:0], MASKS[:0])
    assert empty.shape == (0, 3)


@each_row(("answer", "message"), BAD_ANSWERS.values())
def test_a_bad_row_is_refused_alone_too(answer, message):
    """Single rows are checked in another way."""
    errors = []
    for row in range(len(MASKS)):
        try:
            checked_probabilities(Answering(answer), OBSERVATIONS[row : row + 1], MASKS[row : row + 1])
        except ValueError as error:
            errors.append(str(error))
    assert errors
    assert all(re.match("policy Answering: " + message, error) for error in errors)


@pytest.mark.parametrize("actions", [3, 13, 64, 65])
def test_a_row_alone_has_the_same_probabilities_as_among_others(actions):
    rng = np.random.default_rng(actions)
    masks = (rng.random((200, actions)) < 0.5).astype(np.int8)
    masks[:, 0] = 1
    weights = rng.random(masks.shape) * masks
    weights /= weights.sum(axis=1, keepdims=True)
    weights *= 1.0 + 4e-6 * (rng.random((len(masks), 1)) - 0.5)
    together = checked_probabilities(Answering(lambda o, m: weights), np.zeros((len(masks), 1), np.float32), masks)
    for row, mask in enumerate(masks):
        one = Answering(lambda o, m, row=row: weights[row : row + 1])
        alone = checked_probabilities(one, np.zeros((1, 1), np.float32), mask[None])
        assert np.array_equal(alone[0], together[row])


# -- drawing -----------------------------------------------------------------------------------


def test_actions_are_drawn_by_weight():
    rng = np.random.default_rng(0)
    weights = np.array([[0.0, 3.0, 0.0, 1.0], [0.2, 0.0, 0.8, 0.0]])
    draws = np.array([sample_actions(weights, rng) for _ in range(20_000)])
    for row, probabilities in enumerate(weights / weights.sum(axis=1, keepdims=True)):
        shares = np.bincount(draws[:, row], minlength=4) / len(draws)
        errors = np.sqrt(probabilities * (1 - probabilities) / len(draws))
        assert np.all(np.abs(shares - probabilities) <= 4.5 * errors)  # 0 where the weight is 0


class Stub:
    """A generator whose draws are given."""

    def __init__(self, draw):
        self.draw = draw

    def random(self, shape=()):
        return np.full(shape, self.draw)


@each_row(
    ("weights", "draw", "action"),
    [
        ([0.0, 0.5, 0.5, 0.0], 0.0, 1),  # the least draw does not fall on an action without weight
        ([0.0, 0.5, 0.5, 0.0], 0.4999999, 1),
        ([0.0, 0.5, 0.5, 0.0], 0.5, 2),
        ([0.0, 0.5, 0.5, 0.0], np.nextafter(1.0, 0.0), 2),
        ([0.0, 0.5, 0.5, 0.0], 1.0, 2),  # as if the product had been rounded up
        ([0.1, 0.1, 0.1, 0.0], np.nextafter(1.0, 0.0), 2),
        ([3.0, 0.0, 0.0, 0.0], np.nextafter(1.0, 0.0), 0),
    ],
)
def test_draws_at_the_edges_stay_on_actions_of_weight(weights, draw, action):
    assert sample_actions(np.array([weights]), Stub(draw)).tolist() == [action]
    assert sample_action(np.array(weights), Stub(draw)) == action


@pytest.mark.parametrize("actions", [1, 2, 13, 500])
def test_a_single_draw_is_that_of_a_batch(actions):
    rng = np.random.default_rng(actions)
    for seed in range(300):
        weights = rng.random(actions) * (rng.random(actions) < 0.5) + 1e-3 * (
            rng.integers(actions) == np.arange(actions)
        )
        first, second = np.random.default_rng(seed), np.random.default_rng(seed)
        assert sample_action(weights, first) == sample_actions(weights[None], second)[0]
        assert first.random() == second.random()


# -- by name -----------------------------------------------------------------------------------


def test_the_names_of_the_design_are_known():
    names = {"uniform", "uniform_actions", "equilibrium", "highest_card", "lowest_card", "second_lowest_card"}
    assert names <= set(policy_names())
    assert policy_names() == sorted(policy_names())
    for name in names:
        assert isinstance(named_policy(name, GAME), Policy)


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(
        ValueError, match=r"unknown policy 'best'; policies for jujitsu are equilibrium, .* random, .* uni"
    ):
        as_policy("best", GAME)
    with pytest.raises(ValueError, match=r"policies for jujitsu are .* level:1, .* level:5, lowest_card"):
        as_policy("levels", make_game("jujitsu", num_cards=5))


def test_the_name_of_a_file_is_answered_with_the_function_that_reads_it(tmp_path):
    with pytest.raises(ValueError, match=r"unknown policy .*load_policy reads files and run folders"):
        as_policy(str(tmp_path), GAME)


@each_row(
    "method", [lambda self, state, player_id=None: {}, lambda self: {}, lambda self, one, two, three: {}, "no method"]
)
def test_a_method_that_takes_no_batches_is_refused(method):
    """As OpenSpiel's, which has the same name."""
    policy = type("Other", (), {"action_probabilities": method})()
    with pytest.raises(ValueError, match=r"must have a method action_probabilities\(observations, action_masks\)"):
        as_policy(policy, GAME)


@each_row("policy", [None, 3, object(), HighestCard, lambda o, m: m])
def test_what_is_no_policy_is_refused(policy):
    """Also a class where an object of it is meant."""
    with pytest.raises(ValueError, match="must be a name or have a method action_probabilities"):
        as_policy(policy, GAME)


def test_a_policy_object_is_taken_as_it_is():
    policy = Arbitrary()
    assert as_policy(policy, GAME) is policy
