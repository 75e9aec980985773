"""The arrays that oracles work on: all states, all moves, in an order that ends."""

from fractions import Fraction

import pytest
from thinning import each_row
from tiny_games import SOLVABLE, each_of
from toys import END as OVER
from toys import Toy, endless, paid_start

from baselines import solve
from baselines.oracles.state_graph.game_graph import END, build_graph, full_graph
from cardwar_envs import Transition, make_game


@each_of(SOLVABLE)
def test_the_canonical_graph_holds_representatives_only(game):
    roots = [start._replace(state=game.canonical(start.state).state) for start in game.initial()]
    graph = build_graph(game, roots, canonical=True)
    assert all(game.canonical(state) == (state, (0, 1)) for state in graph.states)
    assert set(graph.states) == {game.canonical(s).state for s in full_graph(game).states}
    assert len(graph.states) <= len(full_graph(game).states)


def test_roots_of_a_canonical_graph_are_canonical():
    """Else nobody would know whose value it is."""
    game = make_game("jujitsu", hand_0=(2, 3, 6), hand_1=(1, 3, 5))
    swapped = [start for start in game.initial() if game.canonical(start.state).seats == (1, 0)]
    assert swapped
    with pytest.raises(ValueError, match="roots of a canonical graph must be canonical"):
        build_graph(game, swapped, canonical=True)


def test_a_start_that_is_the_end():
    graph = full_graph(paid_start())
    assert graph.roots.tolist() == [END, 0]
    assert graph.root_probabilities.tolist() == [0.25, 0.75]
    assert graph.root_rewards.tolist() == [[4, -4], [-1, 1]]
    only_the_end = build_graph(paid_start(), paid_start().initial()[:1])
    assert only_the_end.states == []
    assert list(only_the_end.backward()) == []


def test_layers_go_by_the_longest_way():
    """0 leads to 1 and, past it, to 2: 2 comes before 1, and 1 before 0."""
    short_cut = Toy(
        (
            ((0, 1), {(0, 0): [(1, 1, 0)], (1, 0): [(1, 2, 0)]}),
            ((0, 1), {(0, 0): [(1, 2, 0)]}),
            ((0, 1), {(0, 0): [(1, OVER, 1)]}),
        )
    )
    graph = build_graph(short_cut, short_cut.initial())
    assert graph.states == [2, 1, 0]
    assert graph.layers.tolist() == [0, 1, 2, 3]


def test_a_game_that_can_go_on_for_ever_is_refused():
    with pytest.raises(ValueError, match="the game can visit a state twice; this oracle needs games that always end"):
        full_graph(endless())
    itself = Toy((((0, 1), {(0, 0): [(1, 0, 0)]}),))
    with pytest.raises(ValueError, match="the game can visit a state twice"):
        full_graph(itself)


@pytest.mark.parametrize("canonical", [False, True])
def test_too_many_states_are_refused_as_soon_as_there_are(canonical):
    game, explored = make_game("jujitsu", num_cards=13), []
    with pytest.raises(ValueError, match=r"jujitsu has more than 3,000 undecided states \(max_states\)"):
        build_graph(game, game.initial(), canonical=canonical, max_states=3000, progress=explored.append)
    assert max(explored, default=0) <= 3000


def test_too_many_outcomes_for_the_memory_are_refused(monkeypatch):
    dice = make_game("dice_wars", num_cards=3)
    edges = len(build_graph(dice, dice.initial()).children)
    monkeypatch.setattr("baselines.oracles.state_graph.game_graph.MAX_EDGES", edges - 1)
    with pytest.raises(ValueError, match=f"dice_wars has more than {edges - 1} outcomes of joint actions"):
        build_graph(dice, dice.initial())
    monkeypatch.setattr("baselines.oracles.state_graph.game_graph.MAX_EDGES", 400)
    with pytest.raises(ValueError, match="oshi_zumo has more than 400 joint actions"):
        full_graph(make_game("oshi_zumo", coins=20, size=1))


def test_exactly_as_many_states_as_allowed_are_no_offence():
    game = make_game("jujitsu", num_cards=4)
    number = len(full_graph(game).states)
    assert len(build_graph(game, game.initial(), max_states=number).states) == number
    with pytest.raises(ValueError, match=f"more than {number - 1} undecided states"):
        build_graph(game, game.initial(), max_states=number - 1)


def test_progress_counts_states():
    seen, game = [], make_game("jujitsu", num_cards=6)
    graph = build_graph(game, game.initial(), progress=seen.append)
    assert seen == list(range(1024, len(graph.states) + 1, 1024))


def test_a_graph_is_built_once():
    assert full_graph(make_game("jujitsu", num_cards=3)) is full_graph(make_game("jujitsu", num_cards=3))


def test_transitions_of_no_probability_are_harmless():
    game = Toy((((0, 1), {(0, 0): [(0, 1, 5), (1, OVER, 2)]}), ((0, 1), {(0, 0): [(1, OVER, 7)]})))
    assert Transition(Fraction(0), 1, (5.0, -5.0)) in game.transitions(0, {0: 0, 1: 0})
    assert len(full_graph(game).states) == 2


COUNTED = [
    ("jujitsu", {"num_cards": 4}),
    ("jujitsu", {"num_cards": 3, "ties": "discard"}),
    ("jujitsu", {"num_cards": 1}),
    ("jujitsu", {"num_cards": 5, "ties": "discard"}),
    ("dinosaur_war", {"num_cards": 5}),
    ("dinosaur_war", {"hand_0": (1, 1, 3), "hand_1": (2, 3, 3)}),
    ("dice_wars", {"hand_0": (1, 2), "hand_1": (1, 1), "sides": 2}),
    ("war", {"ranks": 4, "discards": 0, "max_rounds": 4}),
    ("war", {"ranks": 4, "discards": 1, "max_rounds": 6}),
]


@each_row(("name", "parameters"), COUNTED)
def test_there_are_at_least_so_many_states(name, parameters):
    game = make_game(name, **parameters)
    listed = full_graph(game).states
    assert 0 < game.count_states(False) <= len(listed)
    canonical = game.count_states(True)
    assert canonical is None or canonical <= len({game.canonical(state).state for state in listed})


def test_the_bounds_are_these():
    # pairs of hands of 2, 3 and 4 of 4 cards: 6 * 6 + 4 * 4 + 1
    assert make_game("jujitsu", num_cards=4).count_states(False) == 53
    # orders of 2 cards of each of both, seats swapped or not
    assert make_game("jujitsu", num_cards=5).count_states(True) == 3
    # of 2 or 3 cards: {11, 13} and {23, 33}, and all
    assert make_game("dinosaur_war", hand_0=(1, 1, 3), hand_1=(2, 3, 3)).count_states(False) == 5
    # after 2 and 3 rounds: 6 * 6 + 4 * 4
    assert make_game("war", ranks=4, discards=1).count_states(False) == 52
    assert make_game("war", num_players=3).count_states(False) is None
    assert make_game("jujitsu", num_cards=4, view="word").count_states(False) is None


@each_row(
    ("name", "parameters", "count"),
    [("jujitsu", {}, "5,200,300"), ("war", {}, "2,704,010"), ("jujitsu", {"num_cards": 30}, "77,558,760")],
)
def test_large_games_are_refused_before_their_states_are_listed(name, parameters, count):
    question = solve if parameters else full_graph
    with pytest.raises(ValueError, match=f"{name} has at least {count} undecided states"):
        question(make_game(name, **parameters))
