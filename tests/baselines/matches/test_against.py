"""Games in batches between policies: what they get agrees with exact results."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest
from thinning import each_row
from toys import END, Answering, Toy, in_turn

from baselines import cross_play, head_to_head, make_policy, match, mean_interval, play_games, share_interval
from cardwar_envs import make_game

JUJITSU = make_game("jujitsu", num_cards=4)
PAIRS = [
    (JUJITSU, "equilibrium", "uniform"),
    (JUJITSU, "lowest_card", "uniform"),
    (make_game("dinosaur_war", hand_0=(2, 3, 6), hand_1=(1, 3, 5)), "highest_card", "uniform_actions"),
    (make_game("dice_wars", hand_0=(1, 2, 2), hand_1=(1, 1, 3), sides=3), "uniform", "highest_card"),
    (make_game("dice_poker"), "equilibrium", "uniform"),
    (make_game("war", ranks=4, discards=1), "simple_minded_1", "dummie"),
]


@pytest.mark.parametrize(("game", "first", "second"), PAIRS, ids=lambda part: getattr(part, "name", part))
def test_a_match_holds_the_exact_payoff(game, first, second):
    exact = (head_to_head(game, first, second).mean - head_to_head(game, second, first).mean) / 2
    result = match(game, first, second, games=3_000, seed=3)
    assert result.games == 3_000
    assert result.payoff.low <= exact <= result.payoff.high
    assert result.payoff.high - result.payoff.low < 0.1 * (game.facts.max_payoff - game.facts.min_payoff)
    odds = head_to_head(game, first, second).win, head_to_head(game, second, first).loss
    assert result.wins.low <= sum(odds) / 2 <= result.wins.high


def test_games_that_end_late_count_as_often_as_those_that_end_early():
    game = make_game("war", ranks=3, discards=1)  # if the first games to end counted, this would be 9 errors off
    payoffs = play_games(game, ["max", "dummie"], 1_024, seed=1)
    exact = head_to_head(game, "max", "dummie").mean
    assert abs(payoffs[:, 0].mean() - exact) < 4 * payoffs[:, 0].std() / 32


def test_policies_with_certainty_need_one_game_in_each_seat():
    result = match(make_game("jujitsu", num_cards=5), "lowest_card", "highest_card", games=1000)
    assert (result.games, result.payoff, result.wins) == (1, (1.0, 1.0, 1.0), (1.0, 1.0, 1.0))
    assert result.payoff.exact
    unlike = make_game("dinosaur_war", hand_0=(2, 3, 6), hand_1=(1, 3, 5))
    assert match(unlike, "lowest_card", "highest_card").games == 2
    assert not match(JUJITSU, "lowest_card", "uniform").payoff.exact


class SaysNoChance(Toy):
    """A toy whose facts say that nothing is left to chance."""

    @property
    def facts(self):
        return replace(super().facts, chance="none")


def first_legal(observations, masks):
    return np.eye(masks.shape[1])[masks.argmax(axis=1)]


@pytest.mark.parametrize("kind", [Toy, SaysNoChance])
def test_certainty_is_what_was_observed_whatever_the_facts_allow(kind):
    """Both seats of a game without chance play one game; a coin, or a mixed answer in one seat, makes samples."""
    certain, first = kind(in_turn().table), Answering(first_legal)
    result = match(certain, first, first, games=40)
    assert (result.games, result.payoff, result.payoff.exact) == (2, (0.0, 0.0, 0.0), True)
    assert len(play_games(certain, [first, first], 40)) == 1
    assert cross_play(certain, [first, first], games=40).games == 1

    coin = Toy((((0, 1), {(0, 0): [("1/2", END, 1), ("1/2", END, -1)]}),))
    assert match(coin, first, first, games=40).games == 40

    # In seat 0 it surely gets 3; in seat 1 it loses 3 or wins 1.
    mixed_second = Answering(lambda seen, masks: np.where(seen[:, :1] == 0, first_legal(seen, masks), masks / 2))
    result = match(certain, mixed_second, first, games=4000)
    assert (result.games, result.payoff.exact) == (4000, False)
    assert result.payoff.mean == pytest.approx((3 + -1) / 2, abs=0.1)


def test_any_number_of_players_sits_round_the_table():
    game = make_game("war", num_players=3, ranks=4, discards=1, max_rounds=100)
    payoffs = play_games(game, ["simple_minded_1", "dummie", "min"], 300, seed=5)
    assert payoffs.shape == (300, 3)
    assert payoffs.sum(axis=1) == pytest.approx(np.zeros(300))
    known = cross_play(game, ["simple_minded_1", "dummie", "min"], games=600, seed=1)  # by the compiled simulator
    result = match(game, "simple_minded_1", ["dummie", "min"], games=300, seed=5)
    assert abs(result.wins.mean - known.wins[0] / 600) < 0.1
    assert result.payoff.mean == pytest.approx(payoffs[:, 0].mean())


def test_progress_counts_the_games_of_all_seats():
    counts = []
    match(make_game("dice_poker"), "uniform", "equilibrium", games=100, progress=counts.append)
    assert counts == sorted(counts)
    assert counts[-1] == 100


def test_what_cannot_be_played_is_refused():
    with pytest.raises(ValueError, match="games"):
        play_games(JUJITSU, ["uniform", "uniform"], 0)
    with pytest.raises(ValueError, match=r"games \(1\) must be at least 2, one for each seat"):
        match(make_game("dice_poker"), "uniform", "uniform", games=1)
    with pytest.raises(ValueError, match="2 policies given for the 1 other players"):
        match(JUJITSU, "uniform", ["uniform", "uniform"])

    class Wrong:
        def action_probabilities(self, observations, action_masks):
            return action_masks * 1.0

    with pytest.raises(ValueError, match="sum to 4"):
        match(JUJITSU, Wrong(), make_policy("uniform", JUJITSU))


@each_row("count", [2, 20, 500])
@each_row("draw", ["coin", "rare", "even"])
def test_intervals_hold_the_mean_at_least_as_often_as_they_say(count, draw):
    rng = np.random.default_rng(1)
    kinds = {
        "coin": ([-1, 1], [0.3, 0.7]),
        "rare": ([-1, 0, 1], [0.01, 0.985, 0.005]),
        "even": (np.linspace(-1, 1, 9), None),
    }
    values, weights = kinds[draw]
    truth = float(np.average(values, weights=weights))
    drawn = rng.choice(values, size=(1000, count), p=weights).astype(np.float64)
    missed = sum(not low <= truth <= high for _, low, high in (mean_interval(row, -1.0, 1.0) for row in drawn))
    too_high = sum(mean_interval(row, -1.0, 1.0, 0.98).low > truth for row in drawn)
    assert missed <= 10
    assert too_high <= 10


def test_intervals_shrink_with_the_samples_and_with_their_spread():
    rng = np.random.default_rng(2)
    coin = rng.choice([-1.0, 1.0], size=40_000)
    widths = [high - low for _, low, high in (mean_interval(coin[:n], -1.0, 1.0) for n in (100, 1_000, 40_000))]
    assert widths[0] > widths[1] > widths[2]
    assert widths[2] == pytest.approx(2 * np.sqrt(2 * np.log(400) / 40_000), rel=0.2)
    _, low, high = mean_interval(np.full(1000, 0.5), -1.0, 1.0)
    assert high - low < 0.06


@each_row(("successes", "trials"), [(0, 5), (5, 5), (3, 7), (940, 1000)])
def test_shares_have_the_exact_binomial_interval(successes, trials):
    known = binomtest(successes, trials).proportion_ci(0.99, "exact")
    assert share_interval(successes, trials) == pytest.approx((successes / trials, known.low, known.high))
