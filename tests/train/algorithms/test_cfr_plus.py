"""The learner without a network: that it converges, how it averages, what its policies are, what it refuses."""

from itertools import cycle

import numpy as np
import pytest
from brute_force import asked, mean_payoff
from thinning import each_row
from tiny_games import SOLVABLE
from toys import Arbitrary, Toy, in_turn
from trees import CloseToy, pennies, tree

from baselines import TablePolicy, exploitability, solve
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import make_game
from train.algorithms.information_states import PrivateTypes, PublicStates
from train.algorithms.registry import ALGORITHMS
from train.measures.exact import evaluate
from train.policies.files import load_policy, save_policy
from train.policies.table import LearnedTable, Seen
from train.storage.archive import Archive, read_archive, write_archive

GAME = make_game("jujitsu", num_cards=3)
UNLIKE = make_game("dinosaur_war", hand_0=(2, 3, 6), hand_1=(1, 3, 5))
# Values of its argument, and the exploitability after 300 iterations.
REACH = {0: 0.004, 1: 0.01}
EACH = pytest.mark.parametrize("reach", REACH)


def learner(reach, game=GAME):
    return ALGORITHMS["cfr_plus"].learner(game, ALGORITHMS["cfr_plus"].args(reach=reach), seed=0)


CONVERGES_ON = {
    "three cards": GAME,
    "unlike hands": UNLIKE,
    "dice": make_game("dice_wars", hand_0=(1, 3), hand_1=(2, 2), sides=2),
    "rounds": make_game("war", ranks=3, discards=1, max_rounds=4),
    "private dice": make_game("dice_poker"),
    "tree": tree(),
}


@EACH
@each_row("game", CONVERGES_ON.values())
def test_it_comes_close_to_an_equilibrium_of_tiny_games(reach, game):
    learning = learner(reach, game)
    assert learning.advance(300) == {}
    assert learning.steps == 300
    evaluation = evaluate(game, learning.policy())
    assert evaluation.exploitability < REACH[reach]
    value = solve(game).value
    guarantees = evaluation.guarantees
    assert value - 2 * REACH[reach] <= guarantees[0] <= value + 1e-9
    assert -value - 2 * REACH[reach] <= guarantees[1] <= -value + 1e-9


@EACH
def test_it_learns_a_game_in_which_a_player_waits(reach):
    game = CloseToy(in_turn().table)
    learning = learner(reach, game)
    learning.advance(400)
    policy = learning.policy()
    assert exploitability(game, policy) < 0.05
    # Worked out by hand: player 0 plays 1, player 1 answers it with 1, and 0 with 2.
    assert asked(game, policy, 0, 0)[1] > 0.95
    if not reach:  # player 0 stays away from state 1, so by reach nothing is learned there
        assert asked(game, policy, 1, 1)[2] > 0.95
    assert asked(game, policy, 2, 1)[1] > 0.95


def tabled(graph, strategy):
    """A strategy of player 0 as a policy."""
    seen = [graph.game.observation(state, 0).tobytes() for state in graph.states]
    return TablePolicy(dict(zip(seen, strategy, strict=True)))


def test_weighing_by_reach_matters():
    """Kuhn's theorem: the average weighted by own reach plays as the mixture does; the plain one does not."""
    game, played = tree(), []
    learning = learner(1, game)
    for number in range(1, 11):
        learning.advance(number)
        played.append(learning._strategies("regrets")[0])
    graph, opponent, weights = full_graph(game), Arbitrary(), np.arange(1.0, 11.0)

    def payoff(strategy):
        return mean_payoff(game, (tabled(graph, strategy), opponent), 0)

    mixture = float(weights @ [payoff(strategy) for strategy in played] / weights.sum())
    assert payoff(learning._strategies("sums")[0]) == pytest.approx(mixture, abs=1e-12)
    assert abs(payoff(np.average(played, axis=0, weights=weights)) - mixture) > 1e-3


def test_regrets_and_averages_of_two_iterations_are_those_worked_out_by_hand():
    # Player 0 chooses between the rows (4, 0) and (0, 2), player 1 between the columns.
    game = Toy((pennies(4, 0, 0, 2),))
    learning = learner(0, game)
    learning.advance(1)
    # Against (1/2, 1/2) the rows are worth 2 and 1, 3/2 on average; -1/2 is cut off. Player 1 then meets the
    # first row: its columns are worth -4 and 0, -2 on average.
    assert learning._memory["regrets_0"][0] == pytest.approx([0.5, 0, 0])
    assert learning._memory["regrets_1"][0] == pytest.approx([0, 2, 0])
    learning.advance(2)
    # Against the second column: worth 0 and 2, player 0 plays the first row. It then plays (1/5, 4/5), and player
    # 1's columns are worth -4/5 and -8/5.
    assert learning._memory["regrets_0"][0] == pytest.approx([0.5, 2, 0])
    assert learning._memory["regrets_1"][0] == pytest.approx([0.8, 2, 0])
    # The second iteration counts twice.
    assert asked(game, learning.policy(), 0, 0) == pytest.approx([(1 + 2 * 0.2) / 3, 2 * 0.8 / 3, 0])


@each_row(("reach", "game"), [*zip(cycle(REACH), [*SOLVABLE.values(), make_game("dice_poker", sides=3)])])
def test_what_is_learned_is_a_behaviour_strategy(reach, game):
    learning = learner(reach, game)
    learning.advance(3)
    assert evaluate(game, learning.policy()).exploitability >= -1e-12


@each_row("game", [GAME, UNLIKE, in_turn(), make_game("war", ranks=3, discards=1, max_rounds=4)])
def test_values_of_tables_are_those_of_following_every_course_of_play(game):
    tables, policies = PublicStates(game), (Arbitrary(), Arbitrary())
    graph = full_graph(game)
    strategies = tuple(
        np.where(each.sum(axis=1, keepdims=True) > 0, each, tables.masks[seat])
        for seat, each in enumerate(graph.action_probabilities(policy, seat) for seat, policy in enumerate(policies))
    )
    values, reach = tables.values(strategies), tables.reach(0, strategies)
    start = float(graph.root_probabilities @ (graph.root_rewards[:, 0] + values[graph.roots]))
    assert start == pytest.approx(mean_payoff(game, policies, 0))
    for player in (0, 1):
        worth = tables.action_values(player, strategies[1 - player], values)
        assert (strategies[player] * worth).sum(axis=1) == pytest.approx((1, -1)[player] * values[:-1])
    assert reach[graph.roots[0]] == 1.0
    # Every play ends once: what is reached times the chance to end there adds up to one.
    weights = graph.edge_weights([graph.action_probabilities(policy, seat) for seat, policy in enumerate(policies)])
    ends = graph.children == -1
    assert (reach[graph.parents] * weights)[ends].sum() == pytest.approx(1.0)


def test_types_that_are_never_dealt_are_worth_nothing():
    tables = PrivateTypes(make_game("dice_poker", sides=2))
    assert tables.reach(0, ()).sum() == pytest.approx(1.0)
    worth = tables.action_values(0, np.full((2, 2), 0.5), np.zeros(0))
    assert worth.shape == (2, 2)
    # Passing shows the dice for the ante of 1: a 1 meets 1 or 2, a 2 likewise.
    assert worth[:, 0] == pytest.approx([-0.5, 0.5])


@each_row(
    ("change", "message"),
    [
        (lambda tensors, data: tensors.update(observations=tensors["observations"][:, 1:]), "does not fit jujitsu"),
        (lambda tensors, data: tensors.update(probabilities=tensors["probabilities"][1:]), "does not fit jujitsu"),
        (
            lambda tensors, data: tensors.pop("probabilities"),
            "a table must contain observations .* and probabilities .*, not {.observations.*}",
        ),
        (lambda tensors, data: tensors.clear(), r"not \{\}"),
        (lambda tensors, data: data.update(kind="dream"), "contains a policy of the unknown kind 'dream'"),
    ],
)
def test_what_is_whole_but_not_a_table_of_the_game_is_refused(tmp_path, change, message):
    learning, stored = learner(0), tmp_path / "policy.safetensors"
    learning.advance(2)
    save_policy(stored, learning.policy())
    tensors, data = read_archive(stored)
    change(tensors, data)
    write_archive(stored, Archive(tensors, data))
    with pytest.raises(ValueError, match=message):
        load_policy(stored, GAME)


def test_a_table_for_both_seats_is_the_mean_by_how_much_each_counts():
    rows, seen = np.arange(2), np.zeros((2, GAME.facts.observation_size), dtype=np.float32)
    seen[1, 0] = 1.0
    one, other = np.array([[1.0, 0, 0], [0, 1.0, 0]]), np.array([[0, 0, 1.0], [0, 0, 1.0]])
    seats = [(Seen(rows, seen, one), np.array([3.0, 0.0])), (Seen(rows, -seen * 0 + seen, other), np.array([1.0, 0.0]))]
    table = LearnedTable.of_seats(GAME, seats)
    met = table.action_probabilities(seen, np.ones((2, 3), dtype=np.int8))
    assert met.tolist() == [[0.75, 0.0, 0.25], [0.0, 0.5, 0.5]]
