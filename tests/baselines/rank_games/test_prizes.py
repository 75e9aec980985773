"""Goofspiel on interleavings against a plain recursion on hands, and its layers."""

from functools import cache

import numpy as np
import pytest

import baselines
from baselines.matrix_game import solve_matrix
from baselines.oracles.answers.protocol import Request
from baselines.oracles.rank_games.solver import GoofspielTable
from cardwar_envs import make_game
from cardwar_envs.games.goofspiel import GoofspielState

VARIANTS = [
    {"prizes": prizes, "ties": ties, "payoff": payoff}
    for prizes in ("random", "descending", "ascending")
    for ties in ("discard", "carry")
    for payoff in ("margin", "win")
]


def by_hand(prizes, ties, payoff):
    """The value of a state, by a recursion of its own on the cards: no interleavings, no symmetry."""

    def turned(left):
        return {"random": left, "descending": left[-1:], "ascending": left[:1]}[prizes]

    @cache
    def value(own, other, prize, later, score, carried):
        games = np.zeros((len(own), len(other)))
        for i, card in enumerate(own):
            for j, answer in enumerate(other):
                stake, won = prize + carried, (card > answer) - (card < answer)
                kept = stake if won == 0 and ties == "carry" else 0
                hands = own[:i] + own[i + 1 :], other[:j] + other[j + 1 :]
                total = score + won * stake
                games[i, j] = won * stake if payoff == "margin" else 0
                nexts = turned(later)
                for following in nexts:
                    left = tuple(each for each in later if each != following)
                    after = total if payoff == "win" else 0
                    games[i, j] += value(*hands, following, left, after, kept) / len(nexts)
                if not nexts and payoff == "win":
                    games[i, j] = np.sign(total)
        return solve_matrix(games).value

    return value


def every_state(game):
    states, todo = set(), [start.state for start in game.initial()]
    while todo:
        state = todo.pop()
        if state in states or not game.acting_players(state):
            continue
        states.add(state)
        todo += [
            outcome.state
            for first in game.legal_actions(state, 0)
            for second in game.legal_actions(state, 1)
            for outcome in game.transitions(state, {0: first, 1: second})
        ]
    return states


MORE = [*((5, variant) for variant in VARIANTS), (6, VARIANTS[0]), (8, VARIANTS[4])]


@pytest.mark.parametrize(
    ("cards", "parameters"),
    [
        *((3, variant) for variant in VARIANTS),
        *((4, VARIANTS[number]) for number in (0, 5)),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in MORE),
    ],
)
def test_values_are_those_of_a_recursion_on_hands(cards, parameters):
    game, value = make_game("goofspiel", num_cards=cards, **parameters), by_hand(**parameters)
    solution = baselines.solve(game)
    assert solution.method == "backward induction over words"
    for state in every_state(game) if cards < 6 else [start.state for start in game.initial()]:
        hands, prize, later, score, carried, _ = state
        assert solution.value_at(state) == pytest.approx(value(*hands, prize, later, score, carried), abs=1e-11)


@pytest.mark.slow
def test_seven_cards_are_worth_what_the_graph_says():
    game = make_game("goofspiel", num_cards=7)
    words, graph = baselines.solve(game), baselines.solve(game, selection="max_entropy")
    assert words.states == graph.states >= game.count_states(canonical=True)
    for start in game.initial():
        assert words.value_at(start.state) == pytest.approx(graph.value_at(start.state), abs=1e-11)


def test_layers_that_are_kept_on_disk_are_not_solved_again(tmp_path):
    game = make_game("goofspiel", num_cards=6)
    first, again = (GoofspielTable(game, folder=tmp_path) for _ in range(2))
    assert first.solve() == first.states == 5_988
    assert again.solve() == 0
    state = GoofspielState(((2, 3, 5, 6), (1, 2, 4, 6)), 3, (1, 4, 6))
    assert again.value_to_go(state) == first.value_to_go(state)
    with pytest.raises(ValueError, match="holds layers of another game"):
        GoofspielTable(make_game("goofspiel", num_cards=6, payoff="win"), folder=tmp_path)


def test_states_of_layers_that_are_not_kept_are_solved_as_starts():
    game = make_game("goofspiel", num_cards=6)
    whole, narrow = GoofspielTable(game), GoofspielTable(game, keep_layers=3)
    for table in (whole, narrow):
        table.solve(request=Request())
    state = GoofspielState(((2, 3, 5), (1, 2, 4)), 3, (1, 6))
    assert narrow.value_to_go(state) == pytest.approx(whole.value_to_go(state), abs=1e-12)
    assert narrow.gap_at(state) <= 1e-11


def test_games_that_the_simplex_fails_on_are_solved_exactly(monkeypatch):
    game = make_game("goofspiel", num_cards=5)
    usual = GoofspielTable(game)
    usual.solve()
    monkeypatch.setattr("baselines.oracles.rank_games.prizes.RELATIVE_GAP", 0.0)
    strict = GoofspielTable(game)
    strict.solve()
    assert strict.layers.failures > 20 > usual.layers.failures
    for start in game.initial():
        assert strict.value_to_go(start.state) == pytest.approx(usual.value_to_go(start.state), abs=1e-13)
