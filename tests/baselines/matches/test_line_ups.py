"""Games between any number of policies: written results, what chance leaves open, and exact odds."""

import math
from fractions import Fraction

import numpy as np
import pytest
from thinning import each_row
from toys import END, Answering, Arbitrary, Toy, in_turn, paid_start, uniform_over

from baselines import cross_play, head_to_head, make_policy
from baselines.matches import games as loop
from baselines.matches import line_ups
from cardwar_envs import make_game
from cardwar_envs.core.play import play_episode
from cardwar_envs.core.policy_names import seated_policies

# Seat 0 first: rounds, winner. From the program in the appendix of WAR 2017.
WRITTEN = [
    (("min", "simple_minded_1"), 13, 0),
    (("max", "simple_minded_1"), 36, 0),
    (("simple_minded_1", "simple_minded_2"), 1, None),
]


@pytest.mark.parametrize(("line_up", "rounds", "winner"), WRITTEN)
def test_written_games(line_up, rounds, winner):
    result = cross_play(make_game("war"), line_up)
    assert (result.games, result.rounds, result.winner) == (1, rounds, winner)
    assert (result.mean_rounds, result.std_rounds, result.unfinished) == (rounds, 0.0, 0)
    assert result.nobody == (winner is None)
    assert result.wins == tuple(int(seat == winner) for seat in (0, 1))
    assert result.mean_rounds_won == tuple(rounds if seat == winner else None for seat in (0, 1))
    assert result.mean_payoffs == ((0.0, 0.0) if winner is None else (1.0, -1.0))
    assert result.payoff_errors == (0.0, 0.0)


def test_a_game_that_never_ends_is_stopped_by_the_limit():
    result = cross_play(make_game("war", max_rounds=51), ("min", "max"))
    assert (result.rounds, result.winner, result.unfinished, result.nobody) == (51, None, 1, 0)
    assert result.mean_rounds == 51


def test_seats_of_three_and_more():
    game = make_game("war", num_players=3)
    around = [("general_purpose_adversary", "min", "max"), ("min", "max", "general_purpose_adversary")]
    results = [cross_play(game, line_up) for line_up in around]
    assert [result.winner for result in results] == [0, 2]
    assert results[0].rounds == results[1].rounds
    assert results[1].mean_payoffs == (-0.5, -0.5, 1.0)
    assert cross_play(make_game("war", num_players=5), ["simple_minded_2"] * 5).nobody == 1


def test_the_same_game_as_an_episode():
    game = make_game("war", num_players=4)
    line_up = ("max", "simple_minded_2", "simple_minded_1_as_written", "min")
    result, episode = cross_play(game, line_up), play_episode(game, line_up)
    assert result.rounds == game.rounds - episode.states[-1].rounds_left
    assert result.mean_payoffs == episode.payoffs


def test_all_games_are_counted_and_a_seed_repeats_them():
    game = make_game("war", num_players=3, ranks=3, discards=0, max_rounds=15)
    line_up = ("dummie", "simple_minded_1_as_written", "dummie")
    done = []
    results = [cross_play(game, line_up, games=600, seed=seed, progress=done.append) for seed in (4, 4, 5)]
    assert results[0] == results[1] != results[2]
    for result in results:
        assert sum(result.wins) + result.nobody + result.unfinished == result.games == 600
        assert min(*result.wins, result.nobody, result.unfinished) > 0
        assert (result.rounds, result.winner) == (None, None)
        assert sum(result.mean_payoffs) == pytest.approx(0.0, abs=1e-12)
        assert all(0.0 < error < 1 / math.sqrt(600) for error in result.payoff_errors)
        won = [rounds for rounds in result.mean_rounds_won if rounds is not None]
        assert 0 < min(won) < result.mean_rounds < 15
    assert done[-1] == 600
    assert done[: done.index(600)] == sorted(done[: done.index(600)])


def test_fewer_games_side_by_side_change_nothing_but_the_draws(monkeypatch):
    game, line_up = make_game("war", ranks=4, discards=1, max_rounds=30), ("dummie", "simple_minded_1_as_written")
    wide = cross_play(game, line_up, games=400)
    monkeypatch.setattr(loop, "MOST_GAMES", 7)
    narrow = cross_play(game, line_up, games=400)
    assert narrow.games == sum(narrow.wins) + narrow.nobody + narrow.unfinished == 400
    error = math.hypot(wide.payoff_errors[0], narrow.payoff_errors[0])
    assert abs(wide.mean_payoffs[0] - narrow.mean_payoffs[0]) < 4.5 * error


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("line_up", [("dummie", "max"), ("simple_minded_2", "dummie"), ("uniform", "dummie")])
def test_odds_of_war_are_those_of_the_exact_oracle(line_up, compiled, monkeypatch):
    game = make_game("war", ranks=3, discards=1, max_rounds=5)
    if not compiled:
        monkeypatch.setattr(line_ups, "_simulated", lambda *_: None)
    exact, drawn = head_to_head(game, *line_up), cross_play(game, line_up, games=1500, seed=3)
    assert (drawn.mean_payoffs is None) is compiled
    for probability, count in zip((exact.win, exact.loss), drawn.wins, strict=True):
        assert abs(count / 1500 - probability) <= 4.5 * math.sqrt(probability * (1 - probability) / 1500)
    assert drawn.nobody + drawn.unfinished + sum(drawn.wins) == drawn.games == 1500
    assert 1 < drawn.mean_rounds < 5


def test_the_simulator_plays_only_what_it_knows():
    known = make_game("war", num_players=3)
    for line_up, game in [
        (("dummie", "min", "simple_minded_1_as_written"), known),
        (("min", "max", "simple_minded_1"), known),  # no chance
        (("dummie", "min", "max"), make_game("war", num_players=3, ranks=63, discards=0)),
        (("dummie", "min", "max"), known),
    ]:
        players = seated_policies(line_up, game)
        endings = line_ups._simulated(game, players, 5, 0)
        assert (endings is not None) is (game is known and line_up == ("dummie", "min", "max"))
    assert [len(each) for each in endings[:2]] == [5, 5]


@pytest.mark.parametrize("line_up", [("uniform", "highest_card"), ("second_lowest_card", "uniform")])
def test_odds_are_those_of_the_exact_oracle(line_up):
    game = make_game("jujitsu", num_cards=5)
    exact, drawn = head_to_head(game, *line_up), cross_play(game, line_up, games=4000)
    for probability, count in zip((exact.win, exact.loss, exact.tie), (*drawn.wins, drawn.nobody), strict=True):
        assert abs(count / 4000 - probability) <= 4.5 * math.sqrt(probability * (1 - probability) / 4000) + 1e-12
    assert abs(drawn.mean_payoffs[0] - exact.mean) < 4.5 * drawn.payoff_errors[0]
    assert drawn.mean_rounds == 5  # joint actions
    assert drawn.unfinished == 0


def test_chance_in_the_rules_or_in_the_deal_is_chance():
    game = make_game("dice_wars", num_cards=2, sides=2)
    assert cross_play(game, ("highest_card", "highest_card"), games=20).rounds is None
    always = Answering(lambda seen, masks: np.eye(3)[masks.argmax(axis=1)])
    result = cross_play(paid_start(), (always, always), games=400)
    assert result.rounds is None
    # Heads in a quarter of the games: 4 points at once, no joint action; tails pays 8 - 1.
    assert result.mean_payoffs[0] == pytest.approx(4 + 3 * result.mean_rounds)
    assert abs(result.mean_rounds - 0.75) < 4.5 * math.sqrt(0.1875 / 400)
    assert cross_play(in_turn(), (always, always), games=9).rounds == 2


def test_a_tie_for_the_most_has_no_winner():
    alone = Toy((((0,), {(0,): [(1, END, -2)]}),), players=4)  # payoffs -2, 2, 0, 0
    shared = Toy((((0,), {(0,): [(1, END, 0)]}),), players=4)
    policies = ["uniform"] * 4
    assert cross_play(alone, policies).winner == 1
    assert (cross_play(shared, policies).winner, cross_play(shared, policies).nobody) == (None, 1)


def test_chance_met_late_is_chance():
    """The first answers are certain, and the game only then depends on a draw."""
    late = Toy((((0,), {(0,): [(1, 1, 0)]}), ((0,), {(0,): [(1, END, 1)], (1,): [(1, END, -1)]})))
    result = cross_play(late, ("uniform", "uniform"), games=300)
    assert (result.games, result.rounds) == (300, None)
    assert min(result.wins) > 100
    split = Toy((((0,), {(0,): [(Fraction(1, 2), END, 1), (Fraction(1, 2), END, -1)]}),))
    assert min(cross_play(split, ("uniform", "uniform"), games=300).wins) > 100


def test_one_game_that_was_drawn_says_nothing_of_its_error():
    result = cross_play(make_game("war", ranks=3, discards=0, max_rounds=5), ("uniform_actions", "min"), games=1)
    assert (result.games, result.rounds) == (1, None)
    assert result.payoff_errors == (math.inf, math.inf)


def test_policies_are_asked_in_batches_and_a_shared_one_once_for_all_its_seats():
    sizes = []

    def counts(seen, masks):
        sizes.append(len(seen))
        return uniform_over(masks)

    policy = Answering(counts)
    cross_play(make_game("war", num_players=4, ranks=3, discards=0, max_rounds=5), [policy] * 4, games=100)
    assert sizes[:2] == [4, 400]  # the trial that finds that there is chance, and the first move of all games


@each_row(
    ("arguments", "message"),
    [
        ({"games": 0}, r"games \(0\) must be at least 1"),
        ({"games": -3}, r"games \(-3\) must be at least 1"),
        ({"games": True}, r"games \(True\) must be an integer"),
        ({"games": 2.5}, r"games \(2.5\) must be an integer"),
        ({"policies": ["min"]}, "1 policies given for 2 players"),
        ({"policies": ["min", "best"]}, "unknown policy 'best'"),
        ({"policies": ["dummie", Answering(lambda seen, masks: masks * 0.5)]}, "not to 1"),
        ({"policies": ["general_purpose_adversary", Arbitrary()]}, "needs deterministic opponents"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        cross_play(make_game("war"), **{"policies": ["min", "dummie"], **arguments})


def test_a_line_up_is_taken_by_the_other_ways_to_play_too():
    game = make_game("war")
    assert play_episode(game, ["min", "general_purpose_adversary"]).payoffs == (-1.0, 1.0)
    small = make_game("war", ranks=2, discards=0, max_rounds=3)
    told = make_policy("general_purpose_adversary", small, others=["max"])
    assert head_to_head(small, "general_purpose_adversary", "max") == head_to_head(small, told, "max")


def test_the_error_of_a_mean_is_that_of_the_drawn_payoffs():
    """The payoffs of Jujitsu are 1, 0 and -1, so the counts of wins say all."""
    result = cross_play(make_game("jujitsu", num_cards=3), ("uniform", "uniform"), games=50, seed=1)
    won, lost = result.wins
    mean = (won - lost) / 50
    variance = (won * (1 - mean) ** 2 + lost * (1 + mean) ** 2 + (50 - won - lost) * mean**2) / 49
    assert result.mean_payoffs == pytest.approx((mean, -mean))
    assert result.payoff_errors == pytest.approx((math.sqrt(variance / 50),) * 2)
