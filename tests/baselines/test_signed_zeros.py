"""Observations with -0.0 in them, whose bytes are not those of 0.0: a policy earns what its value says all the same."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from bayes import PrivateToy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from thinning import each_row
from toys import END, Arbitrary, Toy

from baselines import TablePolicy, best_response, exploitability, head_to_head, nash_conv, solve
from cardwar_envs.core.forms import BayesianForm
from train.policies.table import LearnedTable

SIGNS, DTYPES = st.sampled_from([-1.0, 1.0]), st.sampled_from([np.float32, np.float64])
PAYOFFS = st.integers(-2, 2)
PAIRS = [(0, 0), (0, 1), (1, 0), (1, 1)]


@dataclass(frozen=True, eq=False)
class Signed(Toy):
    """A `Toy` that shows `sign * (state - zero)`, so -0.0 at the state `zero` if the sign is -1."""

    sign: float = -1.0
    zero: int = 0
    dtype: type = np.float32

    def observation(self, state, player):
        return np.array([self.sign * (state - self.zero), self.sign * player], dtype=self.dtype)

    def state_of(self, observation):
        return int(self.sign * observation[0]) + self.zero, int(self.sign * observation[1])


@dataclass(frozen=True, eq=False)
class SignedPrivate(PrivateToy):
    """A `PrivateToy` whose observations are multiplied by a sign, with a zero that is -0.0 if it is -1."""

    sign: float = -1.0
    dtype: type = np.float32

    def observation(self, state, player):
        return (self.sign * super().observation(state, player)).astype(self.dtype)

    def bayesian_form(self) -> BayesianForm:
        form = super().bayesian_form()
        return replace(form, observations=tuple((self.sign * o).astype(self.dtype) for o in form.observations))


@st.composite
def signed_games(draw):
    """Two moves of both players; the first one leads to one of some states or to the end."""
    states = draw(st.integers(1, 3))
    after = st.sampled_from([*range(1, states + 1), END])
    first = {pair: [(1, draw(after), draw(PAYOFFS))] for pair in PAIRS}
    later = [{pair: [(1, END, draw(PAYOFFS))] for pair in PAIRS} for _ in range(states)]
    table = tuple(((0, 1), moves) for moves in (first, *later))
    return Signed(table, sign=draw(SIGNS), zero=draw(st.integers(0, states)), dtype=draw(DTYPES))


@st.composite
def signed_private_games(draw):
    deals = np.array(draw(st.lists(st.integers(1, 3), min_size=4, max_size=4))).reshape(2, 2)
    payoffs = np.array(draw(st.lists(PAYOFFS, min_size=16, max_size=16)), dtype=np.float64).reshape(2, 2, 2, 2)
    return SignedPrivate(deals, payoffs, ((0, 1), (0, 1)), sign=draw(SIGNS), dtype=draw(DTYPES))


# The second action of player 0 pays 1 at once and 1 later; the first, of those that are played alike, nothing.
SCORES = Signed((((0, 1), {(a, 0): [(1, 1, a)] for a in (0, 1)}), ((0, 1), {(a, 0): [(1, END, a)] for a in (0, 1)})))


@settings(deadline=None, max_examples=40)  # the first example waits for imports
@given(st.one_of(signed_games(), signed_private_games()), st.integers(0, 9))
@example(SCORES, 0)
def test_best_responses_and_solutions_earn_their_values(game, seed):
    other = Arbitrary(seed)
    for player in (0, 1):
        response = best_response(game, other, player)
        seats = (response.policy, other) if player == 0 else (other, response.policy)
        earned = head_to_head(game, *seats).mean * (1 - 2 * player)
        assert earned == pytest.approx(response.value, abs=1e-9)
    solution = solve(game)
    assert head_to_head(game, solution.policy, solution.policy).mean == pytest.approx(solution.value, abs=1e-9)
    assert exploitability(game, solution.policy) == pytest.approx(0.0, abs=1e-9)


@each_row(
    "made",
    [
        lambda seen: TablePolicy({seen.tobytes(): np.array([0.0, 1.0, 0.0])}),
        lambda seen: LearnedTable(SCORES, seen[None], np.array([[0.0, 1.0, 0.0]])),
    ],
)
@each_row("kept", [-0.0, 0.0])
@each_row("shown", [-0.0, 0.0])
def test_a_table_takes_zeros_of_either_sign_for_the_same(made, kept, shown):
    policy = made(np.array([kept, 0.0], dtype=np.float32))
    asked = np.array([[shown, 0.0]], dtype=np.float32)
    for observations in (asked, asked.astype(np.float64), np.asfortranarray(np.repeat(asked, 2, axis=0))):
        answers = policy.action_probabilities(observations, np.array([[1, 1, 0]] * len(observations), dtype=np.int8))
        assert answers.tolist() == [[0.0, 1.0, 0.0]] * len(observations)


def test_a_table_has_one_row_for_an_observation():
    keys = [np.array([zero], dtype=np.float32).tobytes() for zero in (0.0, -0.0)]
    with pytest.raises(ValueError, match=r"two keys of the table are the same observation: 0\.0 and -0\.0 are equal"):
        TablePolicy(dict.fromkeys(keys, np.array([1.0])))


def test_states_that_differ_by_the_sign_of_a_zero_look_alike():
    class Alike(Signed):
        def observation(self, state, player):
            return np.array([0.0 if state else -0.0, player], dtype=np.float32)

    with pytest.raises(ValueError, match="player_0 has the same observation in"):
        nash_conv(Alike(SCORES.table), "uniform")


def test_an_observation_that_is_no_number_is_refused():
    class Nan(Signed):
        def observation(self, state, player):
            return np.array([np.nan if state else 0.0, player], dtype=np.float32)

    with pytest.raises(ValueError, match="player_1 sees NaN in 1"):
        best_response(Nan(SCORES.table), "uniform")
    seen = np.array([[0.0, np.nan, 0.0], [1.0, 0.0, 0.0]])

    class PrivateNan(SignedPrivate):
        def bayesian_form(self):
            return replace(super().bayesian_form(), observations=(seen, seen))

    game = PrivateNan(np.ones((2, 2)), np.zeros((2, 2, 2, 2)), ((0, 1), (0, 1)))
    with pytest.raises(ValueError, match="a type of player_0 sees NaN"):
        best_response(game, "uniform")
