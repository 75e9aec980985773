"""Choosing among equilibria: all are optimal, each is best at what it is for."""

import numpy as np
import pytest
from brute_force import asked
from scipy.optimize import linprog
from thinning import each_row
from tiny_games import SOLVABLE, each_of
from toys import Arbitrary, in_turn, paid_start

from baselines import Exploit, exploitability, head_to_head, make_policy, solve
from baselines.matrix_game import solve_matrices
from baselines.matrix_game.max_entropy import ENTROPY_GAP, most_even
from baselines.matrix_game.optimal_sets import best_optimal, both_sides
from baselines.oracles.state_graph.game_graph import build_graph, full_graph
from baselines.oracles.state_graph.response import GraphOracle
from baselines.oracles.state_graph.selection import OptimalPlay
from cardwar_envs import DuelState, make_game
from lab.papers.sanwal_drechsler.optimal_play import vertices
from train.policies.by_word import policy_from

GAMES = {**SOLVABLE, "in turn": in_turn(), "paid start": paid_start(), "jujitsu-5": make_game("jujitsu", num_cards=5)}
SELECTIONS = ("max_entropy", "exploit:uniform", Exploit(Arbitrary(3)))
JUJITSU = make_game("jujitsu", num_cards=5)


@pytest.mark.thin
@pytest.mark.parametrize("selection", SELECTIONS, ids=["max_entropy", "uniform", "arbitrary"])
@each_of(GAMES)
def test_nothing_is_lost_to_a_perfect_opponent_and_values_stay(game, selection):
    chosen, default = solve(game, selection=selection), solve(game)
    assert exploitability(game, chosen.policy) <= 1e-9
    assert chosen.value == pytest.approx(default.value, abs=1e-13)
    if chosen.method == default.method:
        assert (chosen.value, chosen.gap, chosen.states) == (default.value, default.gap, default.states)


@pytest.mark.thin
@pytest.mark.parametrize("opponent", ["uniform", Arbitrary(3)], ids=["uniform", "arbitrary"])
@each_of({name: game for name, game in GAMES.items() if game.facts.name != "war"})  # a hundred thousand edges
def test_no_other_choice_earns_more(game, opponent):
    exploiting = solve(game, selection=Exploit(opponent)).policy
    for other in ("default", "max_entropy", "exploit:uniform"):
        policy = solve(game, selection=other).policy
        assert head_to_head(game, exploiting, opponent).mean >= head_to_head(game, policy, opponent).mean - 1e-9
        assert head_to_head(game, opponent, exploiting).mean <= head_to_head(game, opponent, policy).mean + 1e-9


def test_against_uniform_at_five_cards_strictly_more_is_earned():
    exploiting, default = solve(JUJITSU, selection="exploit:uniform"), solve(JUJITSU)
    earned = head_to_head(JUJITSU, exploiting.policy, "uniform").mean
    assert earned == pytest.approx(0.2103697470, abs=1e-9)
    assert earned > head_to_head(JUJITSU, default.policy, "uniform").mean + 0.04
    assert exploitability(JUJITSU, exploiting.policy) <= 1e-9


def best_by_enumeration(game, solution, opponent, state, player):
    """The most that optimal play earns: every vertex of every polytope, on the tree of raw states."""
    if not game.acting_players(state):
        return 0.0
    if (settled := game.settled(state)) is not None:
        return settled[player]
    matrix, value, other = solution.payoff_matrix(state), solution.value_at(state), 1 - player
    corners = vertices(matrix, value) if player == 0 else vertices(-matrix.T, -value)
    replies = asked(game, opponent, state, other)
    worth = [
        sum(
            replies[b] * float(outcome.probability)
            * (outcome.rewards[player] + best_by_enumeration(game, solution, opponent, outcome.state, player))
            for b in game.legal_actions(state, other)
            for outcome in game.transitions(state, {player: a, other: b})
        )
        for a in game.legal_actions(state, player)
    ]  # fmt: skip
    return float((corners @ worth).max())


@pytest.mark.thin
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    "game",
    [
        make_game("jujitsu", num_cards=4),
        make_game("jujitsu", hand_0=(1, 1, 3), hand_1=(1, 2, 3)),
        make_game("dice_wars", num_cards=2, sides=2),
    ],
    ids=["jujitsu", "duplicates", "dice"],
)
def test_what_is_earned_is_the_most_by_enumeration(game, seed):
    opponent, solution = Arbitrary(seed), solve(game)
    policy = solve(game, selection=Exploit(opponent)).policy
    start = game.initial()[0].state
    first = best_by_enumeration(game, solution, opponent, start, 0)
    second = best_by_enumeration(game, solution, opponent, start, 1)
    assert head_to_head(game, policy, opponent).mean == pytest.approx(first, abs=1e-9)
    assert -head_to_head(game, opponent, policy).mean == pytest.approx(second, abs=1e-9)


@each_row("game", [JUJITSU, make_game("jujitsu", hand_0=(2, 3, 6), hand_1=(1, 3, 5))])
@each_row("selection", ["default", "max_entropy", "exploit:highest_card"])
def test_policy_and_strategies_say_the_same_from_both_seats(game, selection):
    solution = solve(game, selection=selection)
    for state in full_graph(game).states[::7]:
        for player, strategy in enumerate(solution.strategies(state)):
            assert np.array_equal(asked(game, solution.policy, state, player), strategy)
            assert strategy.sum() == pytest.approx(1.0, abs=1e-12)


def test_states_off_the_ways_of_the_game_are_answered():
    game = make_game("jujitsu", hand_0=(1, 2, 4), hand_1=(1, 3, 5))
    solution = solve(game, selection="exploit:uniform")
    turned = DuelState(((1, 3), (1, 4)), 1)  # hands that these seats never hold
    assert asked(game, solution.policy, turned, 0).sum() == pytest.approx(1.0, abs=1e-12)
    settled = DuelState(((1,), (3,)), 2)
    assert [strategy.sum() for strategy in solution.strategies(settled)] == [1.0, 1.0]


class LooksAtRanks:
    """Plays the lowest card while it holds the 3, else the highest: not alike in states of one canonical form."""

    def action_probabilities(self, observations, action_masks):
        highest = action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(axis=1)
        chosen = np.where(action_masks[:, 2] == 1, action_masks.argmax(axis=1), highest)
        return np.eye(action_masks.shape[1])[chosen]


def test_a_policy_that_looks_at_ranks_is_exploited_where_it_differs():
    game = make_game("jujitsu", num_cards=4)
    opponent = LooksAtRanks()
    policy = solve(game, selection=Exploit(opponent)).policy
    most = best_by_enumeration(game, solve(game), opponent, game.initial()[0].state, 0)
    assert head_to_head(game, policy, opponent).mean == pytest.approx(most, abs=1e-9)
    assert most > head_to_head(game, "equilibrium", opponent).mean + 1e-3


def test_selections_are_policies_by_name():
    for selection in ("max_entropy", "exploit:uniform"):
        named, solved = make_policy(f"equilibrium:{selection}", JUJITSU), solve(JUJITSU, selection=selection).policy
        graph = full_graph(JUJITSU)
        assert np.array_equal(graph.action_probabilities(named, 1), graph.action_probabilities(solved, 1))
    with pytest.raises(ValueError, match="policy 'uniform' takes no suffix after a colon"):
        make_policy("uniform:max_entropy", JUJITSU)
    with pytest.raises(ValueError, match="unknown policy 'nobody:max_entropy'"):
        make_policy("nobody:max_entropy", JUJITSU)


def test_environments_and_the_command_take_them_too():
    gymnasium = pytest.importorskip("gymnasium")
    environment = gymnasium.make("cardwar/Jujitsu-v0", num_cards=3, opponent="equilibrium:exploit:uniform")
    environment.reset(seed=1)
    environment.close()
    game = make_game("jujitsu", num_cards=3)
    found = policy_from("equilibrium:max_entropy", game)
    assert exploitability(game, found) <= 1e-9
    with pytest.raises(ValueError, match="selection"):
        policy_from("equilibrium:best", game)


# -- max_entropy ------------------------------------------------------------------------------------


@each_row("hands", [((1, 3, 4, 5, 6), (2, 2, 2, 2, 7)), ((1, 2, 3, 4),) * 2])
def test_with_ties_discarded_max_entropy_is_uniform_over_cards(hands):
    """Uniform play is optimal (Fetterman 2023, section 3), and nothing has more entropy."""
    game = make_game("dinosaur_war", hand_0=hands[0], hand_1=hands[1])
    for player, strategy in enumerate(solve(game, selection="max_entropy").strategies(DuelState(hands))):
        shares = [hands[player].count(rank) / len(hands[player]) for rank in game.ranks]
        assert strategy == pytest.approx(shares, abs=1e-6)


def layers(game, canonical=True):
    starts = [s._replace(state=game.canonical(s.state).state) for s in game.initial()]
    return OptimalPlay(build_graph(game, starts, canonical=canonical))


def test_max_entropy_is_certified_and_beats_mixtures_of_vertices():
    rng = np.random.default_rng(5)
    for faces in random_faces(rng):
        cards = rng.integers(1, 4, faces.strategies.shape).astype(float)
        found = most_even(faces, cards)
        slopes = np.where(found > 0.0, -np.log(np.maximum(found, 1e-300) / cards), 0.0)
        gains = ((best_optimal(faces, slopes)[0] - found) * slopes).sum(axis=1)
        assert gains.max() <= ENTROPY_GAP
        assert faces.shortfall(found).max() <= 1e-13
        for game in range(len(found)):
            corners = vertices(faces.matrices[game], faces.values[game])
            mixtures = rng.dirichlet(np.ones(len(corners)), 20) @ corners
            best = max(entropy(mixture, cards[game]) for mixture in mixtures)
            assert entropy(found[game], cards[game]) >= best - ENTROPY_GAP


def entropy(strategy, cards):
    held = strategy > 0
    return -(strategy[held] * np.log(strategy[held] / cards[held])).sum()


# -- the polytope of a matrix game ------------------------------------------------------------------


def random_faces(rng, batch=12):
    """Small integers and low rank make games with many optimal strategies."""
    for rows, columns in ((3, 3), (4, 2), (2, 5), (5, 5)):
        for matrices in (
            rng.integers(-1, 2, (batch, rows, columns)).astype(float),
            rng.normal(size=(batch, rows, 1)) * rng.normal(size=(batch, 1, columns)),
        ):
            masks = np.ones((batch, rows), bool), np.ones((batch, columns), bool)
            yield from both_sides(matrices, solve_matrices(matrices), masks)


def most_by_highs(matrix, value, objective):
    """The same by another program: the most of an objective over {x : x M >= v - tiny}."""
    rows = len(matrix)
    outcome = linprog(
        -objective, A_ub=-matrix.T, b_ub=np.full(matrix.shape[1], 1e-9 - value), A_eq=np.ones((1, rows)), b_eq=[1.0]
    )
    assert outcome.status == 0
    return -outcome.fun


def test_the_best_optimal_strategy_is_best_and_optimal():
    rng = np.random.default_rng(1)
    several = 0
    for faces in random_faces(rng):
        objectives = rng.normal(size=faces.strategies.shape)
        found, slack = best_optimal(faces, objectives)
        assert faces.shortfall(found).max() <= 1e-13
        assert slack.max() <= 1e-9
        for game, objective in enumerate(objectives):
            corners = vertices(faces.matrices[game], faces.values[game])
            most = float(found[game] @ objective)
            assert most == pytest.approx((corners @ objective).max(), abs=1e-9)
            assert most == pytest.approx(most_by_highs(faces.matrices[game], faces.values[game], objective), abs=1e-6)
            several += len(corners) > 1
    assert several > 50


def test_masked_actions_are_never_chosen():
    matrices = np.zeros((1, 3, 3))
    masks = np.array([[True, True, False]]), np.array([[True, False, True]])
    faces, _ = both_sides(matrices, solve_matrices(matrices, *masks), masks)
    assert best_optimal(faces, np.array([[1.0, 2.0, 9.0]]))[0].tolist() == [[0.0, 1.0, 0.0]]


# -- all optimal play of a game ---------------------------------------------------------------------


def test_canonical_states_give_the_extremes_of_the_states_themselves():
    for game in (make_game("jujitsu", num_cards=4), make_game("jujitsu", hand_0=(1, 2, 5, 6), hand_1=(2, 3, 4, 7))):
        reduced, full = layers(game), OptimalPlay(full_graph(game))
        seat = 1 if game.canonical(game.initial()[0].state).seats == (1, 0) else 0
        for name in ("uniform", "highest_card", "lowest_card"):
            found = []
            for play, place in ((reduced, seat), (full, 0)):
                opponent = [play.graph.action_probabilities(make_policy(name, game), s) for s in (0, 1)]
                for sign in (1.0, -1.0):
                    extreme = play.extreme(opponent, sign * play.graph.rewards)
                    assert extreme.slack <= 1e-9
                    found.append(extreme.worth[place, play.graph.roots[0]])
            assert found[:2] == pytest.approx(found[2:], abs=1e-12)


@pytest.mark.parametrize("opponent", ["lowest_card", "second_lowest_card"])
def test_results_of_an_exploiting_equilibrium_are_not_summed_over_words(opponent):
    """Whom it exploits may tell hands of one word apart, and so does the choice among optimal strategies."""
    game = make_game("jujitsu", num_cards=5)
    for target in (0, 1):
        policies = [solve(game, selection=Exploit(Arbitrary(target))).policy, make_policy(opponent, game)]
        truth = GraphOracle(game).odds(policies)
        assert head_to_head(game, *policies).mean == pytest.approx(truth.mean, abs=1e-9)
