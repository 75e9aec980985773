"""Searches for simultaneous moves: what they converge to, equal answers to equal queries, refusals."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from shifted import shifted
from toys import END, Toy, in_turn

from baselines import exploitability, head_to_head, make_policy, solve
from baselines.search.policy import SELECTIONS, SearchPolicy
from baselines.search.rules import ListedRules, SearchRules
from cardwar_envs import make_game
from cardwar_envs.core import compiled, kernels
from cardwar_envs.core.policy import Uniform
from train.policies.by_word import policy_from, split_policies
from train.policies.networks import Network, PolicyValue
from train.policies.search import search

JUJITSU = make_game("jujitsu", num_cards=3)
PENNIES = ((1.0, -1.0), (-0.5, 0.2))  # matching pennies with unequal stakes


@dataclass(frozen=True)
class OneMove(Toy):
    """A matrix game, with payoffs from -1 to 1."""

    @property
    def facts(self):
        return replace(super().facts, min_payoff=-1.0, max_payoff=1.0, max_length=1, chance="none")

    __hash__ = Toy.__hash__


def one_move(matrix):
    moves = {(i, j): [(Fraction(1), END, paid)] for i, row in enumerate(matrix) for j, paid in enumerate(row)}
    return OneMove(table=(((0, 1), moves),))


def random_matrices(count):
    rng = np.random.default_rng(0)
    return [rng.uniform(-1.0, 1.0, rng.integers(2, 4, 2)) for _ in range(count)]


def seen(game, player=0):
    state = game.initial()[0].state
    return game.observation(state, player)[None], game.action_mask(state, player)[None]


def missed(matrices, selection, simulations):
    """How exploitable the strategies found are."""
    return [exploitability(game, SearchPolicy(game, selection, simulations)) for game in map(one_move, matrices)]


@pytest.mark.parametrize(("selection", "within"), [("matrix", 1e-9), ("regret", 0.03), ("exp3", 0.05)])
def test_matrix_games_are_solved(selection, within):
    assert max(missed(random_matrices(20), selection, 10_000)) < within


@pytest.mark.slow
@pytest.mark.parametrize(("selection", "within"), [("regret", 0.01), ("exp3", 0.012)])
def test_many_matrix_games_are_solved(selection, within):
    assert max(missed(random_matrices(200), selection, 100_000)) < within


def test_exact_nodes_need_each_joint_action_once():
    for matrix in random_matrices(20):
        assert missed([matrix], "matrix", matrix.size) < [1e-9]


def test_decoupled_uct_stays_away_from_the_equilibrium_of_matching_pennies():
    """M. Shafiei, N. Sturtevant, J. Schaeffer, "Comparing UCT versus CFR in simultaneous games" (2009)."""
    regret, uct = (missed([PENNIES], selection, 100_000)[0] for selection in ("regret", "uct"))
    assert 10 * regret < 0.02 < uct


@pytest.mark.parametrize(
    "game",
    [
        JUJITSU,
        pytest.param(make_game("goofspiel", num_cards=3, prizes="descending"), marks=pytest.mark.slow),
        pytest.param(make_game("oshi_zumo", coins=4, size=1), marks=pytest.mark.slow),
        pytest.param(make_game("jujitsu", num_cards=3, view="word"), marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_exact_nodes_with_transpositions_solve_small_games(game):
    assert exploitability(game, SearchPolicy(game, "matrix", 5_000)) < 1e-4


def test_compiled_rules_are_searched(monkeypatch):
    """In plain Python, since each game's rules take seconds to compile."""
    monkeypatch.setattr(compiled, "BEFORE_LOADING", np.inf)
    monkeypatch.setattr(compiled, "BEFORE_COMPILING", np.inf)
    game = make_game("jujitsu", num_cards=2, view="word")
    assert exploitability(game, SearchPolicy(game, "matrix", 12)) < 1e-9


@pytest.mark.parametrize(("num_cards", "most"), [(5, 12e6), (13, 40e6)])
def test_ten_thousand_nodes_take_little_memory(num_cards, most):
    policy = SearchPolicy(make_game("jujitsu", num_cards=num_cards), "matrix", 10_000, transpositions=False)
    assert sum(array.nbytes for array in policy._nodes(policy._rules, 1)) < most


def test_exact_nodes_converge_with_chance():
    game = make_game("goofspiel", num_cards=3)
    few, many = (exploitability(game, SearchPolicy(game, "matrix", count)) for count in (20, 5_000))
    assert many < 0.05 < few


@pytest.mark.slow
@pytest.mark.parametrize("selection", SELECTIONS)
def test_tables_and_compiled_rules_lead_to_strategies_of_equal_quality(selection):
    policies, rules = (
        [SearchPolicy(JUJITSU, selection, 3_000, seed=seed) for seed in range(4)],
        JUJITSU.compiled_rules(),
    )
    assert isinstance(policies[0]._rules, ListedRules)
    listed = np.mean([exploitability(JUJITSU, each) for each in policies])
    for each in policies:
        each._rules = SearchRules(JUJITSU, rules.bodies, rules.tables, rules.row_size)
    assert np.mean([exploitability(JUJITSU, each) for each in policies]) == pytest.approx(listed, abs=0.1)


def test_a_large_game_without_compiled_rules_is_refused(monkeypatch):
    monkeypatch.setattr("baselines.search.rules.MOST_STATES_OTHERWISE", 2)
    with pytest.raises(ValueError, match="search lists the states of a game without compiled rules"):
        SearchPolicy(in_turn())


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("leaf", ["uniform", pytest.param("policy", marks=pytest.mark.slow), "network"])
def test_equal_queries_have_equal_answers(selection, leaf, monkeypatch):
    """In any batch, in any number of threads, compiled or not."""
    game = make_game("jujitsu", num_cards=4)
    network = Network(game, 16, 2, game.facts.num_actions + 1, "relu", 0)
    leaf = {"policy": Uniform(game), "network": PolicyValue(game, network)}.get(leaf, leaf)
    policy = SearchPolicy(game, selection, 60, leaf)
    observations, masks = map(np.concatenate, zip(*(seen(game, p) for p in (0, 1)), strict=True))
    after = game.transitions(game.initial()[0].state, {0: 3, 1: 1})[0].state
    observations = np.concatenate([observations, game.observation(after, 1)[None]] * 4)
    masks = np.concatenate([masks, game.action_mask(after, 1)[None]] * 4)
    together = policy.action_probabilities(observations, masks)
    assert np.array_equal(together[:3], together[3:6])
    monkeypatch.setattr("baselines.search.policy.processors", lambda: 8)
    monkeypatch.setattr(kernels, "processors", lambda: 8)
    with compiled.always_compiled():
        alone = [policy.action_probabilities(observations[[i]], masks[[i]])[0] for i in range(3)]
        assert np.array_equal(policy.action_probabilities(observations, masks), together)
    assert np.array_equal(alone, together[:3])
    other = SearchPolicy(game, selection, 60, leaf, seed=1)
    if (selection, isinstance(leaf, PolicyValue)) == ("matrix", True):
        return  # a network's values need no draws, and exact nodes find the same strategies in another order
    assert not np.array_equal(other.action_probabilities(observations, masks), together)


def test_states_that_the_game_does_not_reach_are_searched_too():
    state = JUJITSU.initial()[0].state._replace(score=1)
    answer = SearchPolicy(JUJITSU, "matrix", 2_000).action_probabilities(
        JUJITSU.observation(state, 0)[None], JUJITSU.action_mask(state, 0)[None]
    )
    assert answer.sum() == pytest.approx(1.0)
    assert (answer > 0).sum() > 0


def test_players_can_move_in_turn():
    game = in_turn()
    assert exploitability(game, SearchPolicy(game, "matrix", 500)) < 1e-9


def test_without_transpositions_a_tree_takes_more_simulations():
    game = make_game("jujitsu", num_cards=4)
    graph, tree = (exploitability(game, SearchPolicy(game, "matrix", 3_000, transpositions=t)) for t in (True, False))
    assert graph < tree


class ExactValues:
    """A leaf that knows the values of all states."""

    def __init__(self, game):
        self.game, self.solution = game, solve(game)

    def estimate(self, views):
        states = [self.game.state_of(seen)[0] for seen in views.observations[:, 0]]
        return np.array([float(self.solution.at(state).value) for state in states]), None


def test_a_leaf_with_good_values_needs_few_simulations():
    game = make_game("jujitsu", num_cards=4)
    good, none = (exploitability(game, SearchPolicy(game, "matrix", 16, leaf)) for leaf in (ExactValues(game), "none"))
    assert good < 1e-6 < 0.1 < none


def test_a_policy_plays_games_to_their_ends():
    values = [
        SearchPolicy(JUJITSU, "matrix", 200, leaf).action_probabilities(*seen(JUJITSU))
        for leaf in (Uniform(JUJITSU), make_policy("highest_card", JUJITSU))
    ]
    assert all(value.sum() == pytest.approx(1.0) for value in values)
    assert exploitability(JUJITSU, SearchPolicy(JUJITSU, "matrix", 2_000, Uniform(JUJITSU))) < 1e-4


class Wrong:
    """A leaf that says what it is told."""

    def __init__(self, values, share=None):
        self.values, self.share = values, share

    def estimate(self, views):
        count = len(views.masks)
        return np.full(count, self.values), None if self.share is None else self.share * views.masks


@pytest.mark.parametrize(
    ("leaf", "error"),
    [
        (Wrong(np.nan), "leaf Wrong: its values must be 1 finite numbers"),
        (Wrong(0.0, -1.0), "Wrong: probability -1 is negative"),
        (Wrong(0.0, 1.0), "Wrong: probabilities sum to 3, not to 1"),
        (3, r"policy \(3\) must be a name or have a method action_probabilities"),
        ("best", "unknown policy 'best'"),
        (SearchPolicy(make_game("jujitsu", num_cards=4)), r"is for Jujitsu\(num_cards=4.* not for Jujitsu\(num_"),
    ],
)
def test_wrong_leaves_are_refused(leaf, error):
    with pytest.raises(ValueError, match=error):
        SearchPolicy(JUJITSU, "regret", 20, leaf).action_probabilities(*seen(JUJITSU))


@pytest.mark.parametrize(
    ("game", "name", "error"),
    [
        (JUJITSU, "search:", r"selection \(''\) must be one of 'matrix', 'regret', 'uct', 'exp3'"),
        (JUJITSU, "search:best", r"selection \('best'\) must be one of 'matrix'"),
        (JUJITSU, "search:uct,regret", r"selection \('uct,regret'\) must be one of 'matrix'"),
        (JUJITSU, "search:uct,simulations=0", r"simulations \(0\) must be in 1\.\.1000000000"),
        (JUJITSU, "search:uct,simulations=1.5", r"simulations \(1.5\) must be an integer"),
        (JUJITSU, "search:uct,transpositions=2", r"transpositions \(2\) must be one of 0, 1"),
        (JUJITSU, f"search:uct,seed={'9' * 5000}", r"seed .* must be an integer"),
        (JUJITSU, "search:uct,seed=-1", r"seed \(-1\) must be in 0\.\.9223372036854775807"),
        (JUJITSU, "search:uct,sim=3", r"search has no parameter 'sim' \(did you mean 'simulations'\?\); it has simul"),
        (JUJITSU, "search:uct,seed=1,seed=2", r"seed is given twice"),
        (JUJITSU, "search:uct,leaf=best", r"leaf 'best': unknown policy 'best'"),
        (JUJITSU, "search:uct,leaf=matching", r"leaf 'matching': .* plays goofspiel"),
        (make_game("dice_poker"), "search:uct", r"dice_poker: search is for games with a public state"),
        (make_game("lowest_unique", num_players=3), "search:uct", r"search is for two-player zero-sum games"),
        (make_game("war"), "search:matrix", r"simulations \(1,000\): a search of war would take .* GiB"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(game, name, error):
    with pytest.raises(ValueError, match=error) as raised:
        make_policy(name, game)
    assert "\n" not in str(raised.value)


def test_names_with_options_are_split_at_the_right_commas():
    words = "search:uct,simulations=10,leaf=level:1,uniform, search:regret"
    assert split_policies(words) == ["search:uct,simulations=10,leaf=level:1", "uniform", "search:regret"]


def test_a_search_plays_wherever_a_policy_does():
    policy = policy_from("search:regret,simulations=50,leaf=none,transpositions=0,seed=3", JUJITSU)
    assert repr(policy) == "<SearchPolicy for jujitsu: regret, 50 simulations>"
    assert head_to_head(JUJITSU, policy, "search:matrix,simulations=500").mean <= 1e-6


def test_a_constant_sum_game_is_searched_by_name_as_its_zero_sum_form():
    game = shifted(type(JUJITSU), (1, 2))(num_cards=3)
    assert search.fits(game)
    assert not search.fits(make_game("goofspiel", num_cards=3, bids="hidden"))
    assert exploitability(game, search(game, "matrix,simulations=3000")) < 1e-4
