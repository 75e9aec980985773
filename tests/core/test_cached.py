"""Answers about games are kept for games by the same rules, and for no others, whatever these compare equal to."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from thinning import each_row
from toys import Toy

import baselines
from baselines.oracles.choice import oracle_for, within_reach
from cardwar_envs import GAMES, Transition, make_game
from cardwar_envs.core.cached import cached_by_game

END = 99


@dataclass(frozen=True)
class Penny(Toy):
    """Player 0 chooses to get 1 point or `bonus` points, which is no field that counts."""

    table: tuple = ()
    bonus: object = field(default=0, compare=False)

    def acting_players(self, state):
        return (0, 1) if state == 0 else ()

    def legal_actions(self, state, player):
        return (0, 1) if player == 0 else (0,)

    def transitions(self, state, actions):
        return [Transition(Fraction(1), END, self._rewards(self.paid() * (actions[0] == 0)))]

    def paid(self):
        return 1 + float(np.sum(self.bonus))

    def __hash__(self):
        return 7

    def __eq__(self, other):
        return isinstance(other, Penny)


class Doubled(Penny):
    """The same fields, other payoffs."""

    def paid(self):
        return 2 * super().paid()


@dataclass(frozen=True)
class Stakes:
    """Is hashable, and equal to every other one."""

    points: float

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 3


def altered(**attributes):
    game = Penny()
    for name, value in attributes.items():
        object.__setattr__(game, name, value)
    return game


def same_name(paid):
    """A class of the same name as others, of another module."""
    return type("Penny", (Penny,), {"paid": lambda self: paid, "__module__": "elsewhere"})()


# Two games that compare equal, and what the best response gets in each.
PAIRS = {
    "a field that does not count": (Penny(), Penny(bonus=3), 1.0, 4.0),
    "a subclass": (Penny(), Doubled(), 1.0, 2.0),
    "one name, two modules": (same_name(5), same_name(6), 5.0, 6.0),
    "an attribute that is no field": (altered(paid=lambda: 2.5), altered(paid=lambda: 3.5), 2.5, 3.5),
    "a list": (Penny(bonus=[1]), Penny(bonus=[1, 1]), 2.0, 3.0),
    "an array": (Penny(bonus=np.array([1.0])), Penny(bonus=np.array([2.0])), 2.0, 3.0),
    "a value that is equal to all": (
        altered(bonus=Stakes(1.0), paid=lambda: 2.0), altered(bonus=Stakes(2.0), paid=lambda: 3.0), 2.0, 3.0
    ),
}  # fmt: skip


@each_row("name", PAIRS)
def test_games_that_compare_equal_but_pay_differently_share_nothing(name):
    first, second, *expected = PAIRS[name]
    assert first == second
    for game, value in zip((first, second, first), (*expected, expected[0]), strict=True):
        assert baselines.best_response(game, "uniform").value == value
        assert baselines.nash_conv(game, "uniform").payoffs[0] == value / 2
        assert baselines.solve(game).value == value
        assert baselines.exploitability(game, "equilibrium") == 0.0


def test_a_game_that_is_changed_is_another_game():
    game = Penny(bonus=[1])
    assert baselines.best_response(game, "uniform").value == 2.0
    game.bonus.append(1)
    assert baselines.best_response(game, "uniform").value == 3.0
    game = altered(bonus=7)
    assert baselines.best_response(game, "uniform").value == 8.0
    object.__setattr__(game, "bonus", 1)
    assert baselines.best_response(game, "uniform").value == 2.0
    assert baselines.best_response(Penny(bonus=7), "uniform").value == 8.0  # what was cached has not changed


def test_a_method_that_is_set_later_is_another_rule(monkeypatch):
    game = Doubled()
    assert baselines.best_response(game, "uniform").value == 2.0
    monkeypatch.setattr(Penny, "paid", lambda self: 4.0)
    assert baselines.best_response(game, "uniform").value == 8.0


class Paying(Penny):
    """Pays what stands in its class."""

    points = [1.0], {"extra": [0.5]}, np.array([[2.0]])

    def paid(self):
        (first,), second, third = self.points
        return first + sum(second["extra"]) + third.sum()


def test_data_of_a_class_that_changes_in_place_is_another_rule():
    game, value = Paying(), 3.5
    for change in (
        lambda points: None,
        lambda points: points[0].__setitem__(0, 2.0),
        lambda points: points[1]["extra"].append(1.0),
        lambda points: points[2].fill(3.0),
    ):
        change(game.points)
        assert baselines.best_response(game, "uniform").value == value
        value += 1.0


def test_private_rolls_and_rounds_are_kept_by_their_rules_too():
    for name, parameters in (("dice_poker", {"sides": 3}), ("war", {"ranks": 3, "discards": 1, "max_rounds": 4})):
        game, altered = make_game(name, **parameters), make_game(name, **parameters)
        before = baselines.best_response(game, "uniform").value
        object.__setattr__(altered, *{"dice_poker": ("ante", 2), "war": ("max_rounds", 3)}[name])
        assert baselines.best_response(altered, "uniform").value != before
        assert baselines.best_response(game, "uniform").value == before
        assert within_reach(altered)


@each_row("kind", GAMES.values())
def test_equal_games_of_the_suite_share_what_was_worked_out(kind):
    game = kind()
    assert game.facts.num_players > 0  # it has memoised something
    assert oracle_for(game) is oracle_for(kind())


def test_answers_are_kept_by_all_that_is_in_a_game():
    asked = []

    @cached_by_game(8)
    def question(game, *arguments):
        asked.append(game)
        return game

    numbers = [1, 1.0, True, -0.0, 0.0, 0, Fraction(1), np.float64(1), np.int64(1)]
    values = [*numbers, "1", (1,), (1.0,), None, frozenset({1})]
    for value in values:
        for _ in range(2):
            game = question(altered(bonus=value))
            assert type(game.bonus) is type(value)
    assert len(asked) == len(values), "each once"
