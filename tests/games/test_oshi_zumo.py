"""Oshi-Zumo: the rules on written games, and which states can be."""

from thinning import each_row

from cardwar_envs import make_game
from cardwar_envs.games.oshi_zumo import OshiZumoState

# Each row: bids of both players; coins, position and moves left after it; what player 0 is paid.
WRITTEN = [
    (  # the game on the page of oshi_zumo
        {"coins": 5, "size": 1},
        [((2, 1), (3, 4), 1, 4, 0), ((1, 3), (2, 1), 0, 2, 0), ((1, 1), (1, 0), 0, 1, 0), ((1, 0), (0, 0), 1, 0, 1)],
    ),
    ({"coins": 5, "size": 1}, [((1, 2), (4, 3), -1, 4, 0), ((1, 3), (3, 0), -2, 3, -1)]),
    ({"coins": 5, "size": 1, "horizon": 2}, [((1, 2), (4, 3), -1, 1, 0), ((2, 2), (2, 1), -1, 0, -1)]),
    ({"coins": 5, "size": 1, "horizon": 2, "alesia": True}, [((1, 2), (4, 3), -1, 1, 0), ((2, 2), (2, 1), -1, 0, 0)]),
    ({"coins": 2, "size": 1, "alesia": True}, [((2, 1), (0, 1), 1, 1, 0), ((0, 1), (0, 0), 0, 0, 0)]),
    ({"coins": 2, "size": 1, "min_bid": 0, "horizon": 9}, [((0, 0), (2, 2), 0, 8, 0), ((2, 2), (0, 0), 0, 7, 0)]),
    # 3 coins left and bids of at least 2: 1 coin is left over in the end, and the player bids 0 with it.
    ({"coins": 5, "size": 2, "min_bid": 2}, [((3, 2), (2, 3), 1, 1, 0), ((2, 2), (0, 1), 1, 0, 1)]),
    ({"coins": 5, "size": 2, "min_bid": 2}, [((4, 3), (1, 2), 1, 1, 0), ((0, 2), (1, 0), 0, 0, 0)]),
]


@each_row(("parameters", "rows"), WRITTEN)
def test_written_games(parameters, rows):
    game = make_game("oshi_zumo", **parameters)
    (start,) = game.initial()
    now = start.state
    for bids, coins, position, moves_left, paid in rows:
        assert game.acting_players(now) == (0, 1)
        for player, bid in enumerate(bids):
            assert bid in game.legal_actions(now, player)
        (outcome,) = game.transitions(now, dict(enumerate(bids)))
        now = outcome.state
        assert now == OshiZumoState(coins, position, moves_left)
        assert outcome.rewards == (paid, -paid)
        game.check(now)
    assert game.acting_players(now) == ()
    assert game.legal_actions(now, 0) == ()


def test_bids_start_at_the_least_bid_and_are_0_below_it():
    game = make_game("oshi_zumo", coins=6, min_bid=2)
    assert game.legal_actions(OshiZumoState((5, 1), 0, 2), 0) == (2, 3, 4, 5)
    assert game.legal_actions(OshiZumoState((5, 1), 0, 2), 1) == (0,)
    free = make_game("oshi_zumo", coins=6, min_bid=0)
    assert free.legal_actions(OshiZumoState((2, 0), 0, 9), 0) == (0, 1, 2)


def test_the_number_of_moves_is_bounded_by_coins_or_by_the_horizon():
    assert make_game("oshi_zumo").facts.max_length == 50
    assert make_game("oshi_zumo", min_bid=4).facts.max_length == 12
    assert make_game("oshi_zumo", horizon=7).facts.max_length == 7
    assert make_game("oshi_zumo", min_bid=0).facts.max_length == 1000
    assert make_game("oshi_zumo").facts.max_rounds is None
    assert make_game("oshi_zumo", min_bid=0).facts.max_rounds == 1000
