"""WAR 2017 recomputed: the curves, the claims about them, and what beats the adversary."""

from dataclasses import replace

import numpy as np
import pytest

from cardwar_envs.core.policy_names import named_policy
from cardwar_envs.games.war import War
from lab.papers.findings import Verdict
from lab.papers.war import PAPER
from lab.papers.war import adversary_search as war_adversary
from lab.papers.war import full_deck as war_full_deck
from lab.papers.war import paper as war_2017
from lab.papers.war import win_ratios as war_figures
from lab.papers.war.adversary_search import Result, chosen, follow, line_ups, search
from lab.papers.war.win_ratios import Estimate

DECK = War(ranks=3, discards=1, max_rounds=20)


@pytest.fixture(scope="module")
def points():
    return war_figures.play(games=150, opponents=(1, 5))


class Copycat:
    """Does what the only other player does, as long as it can."""

    def __init__(self, game, others):
        self.game, (self.other,) = game, others

    def action_probabilities(self, observations, action_masks):
        rows = []
        for observation, mask in zip(observations, action_masks, strict=True):
            state, _ = self.game.state_of(observation)
            action = chosen(self.game, state, 1, self.other) if 1 in self.game.acting_players(state) else 0
            rows.append(action if mask[action] else mask.argmax())
        return np.eye(action_masks.shape[1])[rows]


def lowest(game, others):
    return named_policy("min", game)


def test_points_count_games_and_wins_and_are_near_those_of_a_direct_program(points):
    """Rough figures of the published rules: 0.92 and 0.60, 0.93 and 0.78 against 1 and 5 random players."""
    assert [(p.strategy, p.opponents) for p in points] == [(s, n) for s in war_figures.STRATEGIES for n in (1, 5)]
    for point, expected in zip(points, (0.92, 0.60, 0.93, 0.78), strict=True):
        assert point.games == 150
        assert point.win_ratio.mean == point.wins / 150
        assert point.longest >= point.mean_rounds.mean > 1
        assert abs(point.win_ratio.mean - expected) <= 4 * point.win_ratio.error + 0.005


def test_an_interval_holds_the_truth_as_often_as_it_says():
    """Of a known mixture: the interval of a standard deviation, whose error comes from the fourth moment."""
    rng, hits = np.random.default_rng(0), 0
    truth = np.sqrt(20 * 20)  # of an exponential distribution with mean 20
    for _ in range(400):
        rounds = rng.exponential(20.0, size=3000)
        estimate = war_figures._point("s", 1, 3000, rounds).std_rounds
        hits += estimate.interval[0] <= truth <= estimate.interval[1]
    assert 0.91 <= hits / 400 <= 0.98


def test_the_table_and_the_picture_show_each_point(points):
    heading, *rows = war_figures.points_table(points)
    for row, point in zip(rows, points, strict=True):
        cells = dict(zip(heading, row, strict=True))
        assert cells["win_ratio_low"] < cells["win_ratio"] < cells["win_ratio_high"]
        assert cells["mean_rounds"] == point.mean_rounds.mean
    titles = [axes.get_title() for axes in war_figures.draw(points).axes]
    assert [title.split(":")[0] for title in titles] == [f"Figure {n}" for n in (2, 5, 3, 6, 4, 7)]


def test_claims_are_judged_by_what_was_played(points):
    same = [replace(p, win_ratio=Estimate(0.5, 0.01)) for p in points]
    better = [replace(p, win_ratio=Estimate(0.5 + 0.2 * p.strategy.endswith("2"), 0.01)) for p in points]
    assert war_2017.more_wins(better).verdict is Verdict.AGREES
    assert war_2017.more_wins(same).verdict is Verdict.WRONG
    apart = [replace(p, mean_rounds=Estimate(50.0 + 9 * p.strategy.endswith("2"), 0.1)) for p in points]
    claim = "no significant difference in the mean number of rounds"
    assert war_2017.same_rounds(apart, "mean_rounds", claim).verdict is Verdict.WRONG
    alike = [replace(p, mean_rounds=Estimate(50.0, 0.1)) for p in points]
    assert war_2017.same_rounds(alike, "mean_rounds", claim).verdict is Verdict.AGREES


def test_the_rules_win_as_often_as_the_simulation_and_not_as_something_else(points, monkeypatch):
    monkeypatch.setattr(war_2017, "RULES_GAMES", 30)
    assert war_2017.rules_agree(points)
    assert not war_2017.rules_agree([replace(p, win_ratio=Estimate(0.5, 0.01)) for p in points])


def test_games_are_followed_to_their_end_or_round_in_circles():
    game = War()
    expected = {
        ("min", "simple_minded_1"): (Result.WON, 13, False),
        ("simple_minded_1", "min"): (Result.LOST, 13, False),
        ("max", "simple_minded_1"): (Result.WON, 36, False),
        ("simple_minded_1", "simple_minded_2"): (Result.TIED, 1, False),
    }
    for names, (result, rounds, endless) in expected.items():
        played = follow(game, names, [named_policy(name, game) for name in names])
        assert (played.result, played.rounds, played.endless) == (result, rounds, endless)
    played = follow(game, ("min", "max"), [named_policy(name, game) for name in ("min", "max")])
    assert (played.result, played.endless) == (Result.TIED, True)


def test_nobody_beats_who_copies_every_move():
    found = search(DECK, Copycat)
    assert (found.beaten_in, found.opponent, found.moves) == (None, None, ())
    assert found.positions > 1


def test_somebody_beats_who_always_plays_low_and_can_be_played_again():
    found = search(DECK, lowest)
    assert found.beaten_in == len([move for move in found.moves if "battles" not in move])
    policies = [named_policy("min", DECK), found.opponent]
    assert follow(DECK, ("min", "found"), policies).result is Result.LOST


def test_line_ups_are_all_multisets_of_the_deterministic_strategies(monkeypatch):
    monkeypatch.setattr(war_adversary, "MOST_OTHERS", 2)
    games = list(line_ups("general_purpose_adversary"))
    assert len({game.line_up for game in games}) == 4 + 10
    assert all(
        list(game.line_up[1:]) == sorted(game.line_up[1:], key=war_adversary.DETERMINISTIC.index) for game in games
    )


@pytest.fixture(scope="module")
def report():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(war_figures, "GAMES", 60)
        patch.setattr(war_figures.play, "__defaults__", (None, 60, (1, 2)))
        patch.setattr(war_2017, "RULES_GAMES", 20)
        patch.setattr(war_adversary, "MOST_OTHERS", 1)
        patch.setattr(war_adversary, "DECKS", ((2, 0), (4, 1)))
        patch.setattr(war_adversary, "MORE_DECKS", {})
        return war_2017.reproduce()


def test_every_published_figure_is_judged_once(report):
    judged = [(row.place, row.item) for row in report.findings if row.verdict is not Verdict.NEW]
    assert sorted(judged) == sorted(PAPER.figures)


def test_the_report_checks_itself_and_its_tables_are_rectangular(report):
    assert report.sound
    assert len(report.checks) == 2
    for table in report.tables.values():
        assert len(table) > 1
        assert len({len(row) for row in table}) == 1


def test_the_expected_gain_of_a_card_is_what_listing_the_others_cards_gives():
    game = War(ranks=4, discards=1)
    policy = war_full_deck.ExpectedGain(game, shift=1.0, power=2.0)
    other, pot = np.array([[2, 0, 1, 1]]) / 4, np.array([3.0])
    worth = np.array([1.0, 4.0, 9.0, 16.0])
    for card in range(4):
        listed = 0.0
        for rank in range(4):
            won = (worth[rank] + 3.0) if rank < card else -(worth[card] + 3.0) if rank > card else 0.0
            listed += other[0, rank] * won
        assert policy._gains(other, pot)[0, card] == pytest.approx(listed)


def test_whoever_never_mixes_can_be_beaten_for_certain():
    found = war_full_deck.bound("simple_minded_1")
    assert (found.won, found.least) == (1.0, 1.0)


def test_a_bound_is_below_what_was_won_where_there_is_chance(monkeypatch):
    monkeypatch.setattr(war_full_deck, "TRIAL_GAMES", 100)
    monkeypatch.setattr(war_full_deck, "FINAL_GAMES", 100)
    monkeypatch.setattr(war_full_deck, "TRIED", ((1.0, 2.0),))
    monkeypatch.setattr(war_full_deck, "STRATEGIES", ("dummie", "simple_minded_1"))
    found = war_full_deck.bound("dummie")
    assert found.response == "expected gain, (rank + 1)^2"
    assert 0.7 < found.least < found.won <= 1.0
