"""All joint actions from many states."""

import numpy as np
import pytest
from thinning import each_row
from toys import END, Toy

from cardwar_envs import make_game
from cardwar_envs.core.play import joint_actions
from cardwar_envs.core.rules import TooLargeError
from cardwar_envs.envs import branching
from cardwar_envs.envs.branching import Brancher, MovesLeft, distinct
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.games.goofspiel import Goofspiel

GAMES = [
    make_game("jujitsu", num_cards=4),
    make_game("jujitsu", num_cards=4, view="word"),
    make_game("dinosaur_war", hand_0=(1, 3, 3), hand_1=(2, 2, 4)),
    make_game("war", ranks=3, discards=1, max_rounds=6),
]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.facts.name)
def test_every_joint_action_is_played_once_from_every_state(game):
    views = GameBatch(game, 40, seed=1, start="random").reset()
    brancher = Brancher(game, lot=7)
    branches = brancher.all_joint(views)
    for number, seen in enumerate(views.observations):
        state, _ = game.state_of(seen[0])
        here = np.flatnonzero(branches.situations == number)
        joint = np.argwhere(np.outer(*views.masks[number]))
        assert np.array_equal(branches.joint[here], joint)
        for branch in here:
            chosen = {player: int(branches.joint[branch, player]) for player in game.acting_players(state)}
            (after,) = game.transitions(state, chosen)
            assert branches.rewards[branch] == after.rewards[0]
            assert branches.done[branch] == (not game.acting_players(after.state))
            if not branches.done[branch]:
                for player in (0, 1):
                    assert np.array_equal(branches.after[branch, player], game.observation(after.state, player))
                    assert np.array_equal(branches.masks_after[branch, player], game.action_mask(after.state, player))


@each_row("game", GAMES)
def test_what_one_player_sees_says_what_both_see(game):
    views = GameBatch(game, 23, seed=1, start="random").reset()
    brancher = Brancher(game, lot=5)
    again = brancher.views(views.observations[:, 0])
    assert np.array_equal(again.observations, views.observations)
    assert np.array_equal(again.masks, views.masks)
    turned = brancher.views(views.observations[:, 1])
    assert np.array_equal(turned.observations, views.observations[:, ::-1])
    assert np.array_equal(turned.masks, views.masks[:, ::-1])
    assert brancher.views(views.observations[:0, 0]).masks.shape == (0, 2, game.facts.num_actions)


def test_more_than_two_players_are_refused():
    with pytest.raises(ValueError, match=r"num_players \(3\) must be 2 to play all joint actions"):
        Brancher(make_game("war", num_players=3, ranks=3, discards=1), 8)


def test_chance_is_drawn_anew_for_every_branch():
    game = make_game("dice_wars", hand_0=(3,), hand_1=(3,), sides=6)
    views = GameBatch(game, 500, seed=1).reset()
    rewards = Brancher(game, lot=64).all_joint(views).rewards
    assert set(np.unique(rewards)) == {-1.0, 0.0, 1.0}


def some_views(game, count=40):
    return GameBatch(game, count, seed=1, start="random").reset()


IN_TURN = Toy((  # player 0 alone, then both, then player 1 alone
    ((0,), {(0,): [(1, 1, 0.5)], (1,): [("1/3", 1, 0), ("2/3", 2, 1)]}),
    ((0, 1), {(0, 0): [(1, 2, 1)], (0, 1): [(1, END, -1)], (1, 0): [(1, END, -2)], (1, 1): [(1, 2, 2)]}),
    ((1,), {(0,): [("1/2", END, 3), ("1/2", END, -1)], (2,): [(1, END, 2)]}),
))  # fmt: skip
WITH_CHANCE = [
    make_game("dice_wars", hand_0=(1, 3, 4), hand_1=(2, 2, 5), sides=3),
    make_game("goofspiel", num_cards=4),
    make_game("goofspiel", num_cards=4, ties="carry", payoff="win", view="word"),
    IN_TURN,
]


@pytest.mark.parametrize("game", [*GAMES, *WITH_CHANCE], ids=lambda game: game.facts.name)
@pytest.mark.parametrize("engine", ["auto", "rules"])
def test_every_outcome_of_every_joint_action_is_listed(game, engine):
    views, brancher = some_views(game), Brancher(game, lot=7)
    brancher.batch = GameBatch(game, 7, engine=engine)
    branches = brancher.all_outcomes(views)
    for number, seen in enumerate(views.observations[:, 0]):
        state, _ = game.state_of(seen)
        expected = [
            (float(each.probability), each.rewards[0], not game.acting_players(each.state), *seen_at(game, each.state))
            for joint in joint_actions(game, state)
            for each in game.transitions(state, joint)
        ]
        here = np.flatnonzero(branches.situations == number)
        listed = zip(branches.probabilities[here], branches.rewards[here], branches.done[here], branches.after[here],
                     branches.masks_after[here], strict=True)  # fmt: skip
        found = [(round(p, 9), r, d, *(() if d else (o.tobytes(), m.tobytes()))) for p, r, d, o, m in listed]
        assert sorted(found) == sorted((round(p, 9), *rest) for p, *rest in expected)


def seen_at(game, state):
    """What both players see, unless the game is over."""
    if not game.acting_players(state):
        return ()
    masks = [game.action_mask(state, player) for player in (0, 1)]
    return np.stack([game.observation(state, p) for p in (0, 1)]).tobytes(), np.stack(masks).tobytes()


ZUMO = [make_game("oshi_zumo", coins=4, size=1), make_game("oshi_zumo", coins=2, size=1, min_bid=0, horizon=4)]


@pytest.mark.parametrize("game", [*GAMES, *WITH_CHANCE, *ZUMO], ids=lambda game: game.facts.name)
def test_fewer_moves_are_left_after_every_joint_action(game):
    views, moves_left = some_views(game), MovesLeft(game)
    branches = Brancher(game, lot=64).all_outcomes(views)
    before, goes_on = moves_left(views.observations[:, 0]), ~branches.done
    assert np.array_equal(before, moves_left(views.observations[:, 1]))
    assert before.min() >= 1
    assert before.max() <= game.facts.max_length
    assert (moves_left(branches.after[goes_on, 0]) < before[branches.situations[goes_on]]).all()
    assert goes_on.any()


class Undeclared(Goofspiel):
    def moves_left(self, observations):
        return None


def test_moves_left_follow_from_the_rules_if_they_are_not_declared(monkeypatch):
    game = Undeclared(num_cards=3)
    seen = some_views(game).observations[:, 0]
    assert np.array_equal(MovesLeft(game)(seen), make_game("goofspiel", num_cards=3).moves_left(seen))
    monkeypatch.setattr(branching, "MOST_STATES", 20)
    with pytest.raises(TooLargeError, match="goofspiel has more than 20 states and must declare moves_left"):
        MovesLeft(game)(seen)


INTEGERS = np.random.default_rng(3).integers(3, size=(9000, 6)).astype(np.float32)
REALS = np.random.default_rng(4).random(31).astype(np.float32)


@each_row(
    "rows",
    [
        INTEGERS,
        *(np.tile(REALS, (count, 1)) for count in (1, 2, 3, 5, 4095, 4097)),  # sums may be rounded differently
        np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, -1.0]], dtype=np.float32),
        np.zeros((0, 3), dtype=np.float32),
    ],
)
def test_equal_rows_have_one_number(rows):
    first, groups = distinct(rows)
    assert np.array_equal(rows[first][groups], rows)
    assert len(first) == len(np.unique(rows + 0.0, axis=0))


def test_rows_of_one_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr(branching, "row_hashes", lambda words: np.zeros(len(words), dtype=np.uint64))
    rows = np.array([[1, 2, 3], [3, 2, 1], [1, 2, 3]], dtype=np.float32)
    first, places = distinct(rows)
    assert sorted(first.tolist()) == [0, 1]
    assert np.array_equal(rows[first][places], rows)
