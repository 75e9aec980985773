"""The page about search: what is measured is stored at once, never twice, and told in tables; no figures."""

import pytest

from lab.benchmarks.searches import COUNTS, GAMES, PARTS, Task, _payoff, _searched, add, read_rows
from lab.pages import searches

GAME = "jujitsu num_cards=2"


def task(policy, count, seed, figure, kind="curves"):
    return Task((kind, GAME, policy, count, seed), lambda: (figure, 2.0))


def never():
    raise KeyboardInterrupt


def test_a_killed_measurement_continues(tmp_path):
    file, tasks = tmp_path / "rows.csv", [task("uct", count, 0, 0.5) for count in (10, 100)]
    with pytest.raises(KeyboardInterrupt):
        add([tasks[0], Task(tasks[1].key, never)], file)
    assert [row[:6] for row in read_rows(file)] == [("curves", GAME, "uct", 10, 0, 0.5)]
    add([Task(tasks[0].key, never), tasks[1]], file)
    assert [row.simulations for row in read_rows(file)] == [10, 100]


def test_the_plan_has_every_selection_three_times():
    keys = [each.key for part in PARTS.values() for each in part()]
    assert len(keys) == len(set(keys))
    for game, most in GAMES.items():
        planned = [key for key in keys if key[:2] == ("curves", game) and key[3]]
        assert len(planned) == 4 * 3 * sum(count <= most for count in COUNTS)


def test_searches_are_measured_and_a_match_has_two_sides():
    figure, micros = _searched(GAME, "matrix", 100, 0)
    assert figure == pytest.approx(0.0, abs=1e-6)
    assert micros > 0.0
    payoff = _payoff("jujitsu num_cards=3", "regret uct", 5, 0)[0]
    assert payoff == pytest.approx(-_payoff("jujitsu num_cards=3", "uct regret", 5, 0)[0], abs=1e-12)
    assert payoff != 0.0


def test_tables_tell_medians_ranges_and_rankings(tmp_path, monkeypatch):
    file = tmp_path / "rows.csv"
    rows = [task("uniform", 0, 0, 0.3)]
    rows += [task("uct", 10, seed, figure) for seed, figure in enumerate((0.4, 0.2, 0.5))]
    rows += [task(policy, 10, 0, figure) for policy, figure in (("matrix", 0.0), ("regret", 0.1), ("exp3", 0.25))]
    pairs = {"matrix regret": 0.1, "matrix uct": -0.2, "matrix exp3": 0.0}
    pairs |= {"regret uct": -0.3, "regret exp3": 0.0, "uct exp3": 0.4}
    rows += [task(pair, 10, 0, figure, "matches") for pair, figure in pairs.items()]
    rows += [task(policy, 10, 0, rate, "speed") for policy, rate in (("uct", 1e6), (searches.OPENSPIEL, 2.5e5))]
    add(rows, file)
    for name, value in {"FILE": file, "GAMES": {GAME: 10}, "SPEED": {GAME: ""}, "PAIRED": 10}.items():
        monkeypatch.setattr(searches, name, value)
    told = searches.section("curves")
    assert "| simulations | 10 | µs |" in told
    assert "| `uct` | *0.4000 (0.2000 to 0.5000)* | 2.00 |" in told
    assert "| `exp3` | 0.2500 (one seed) | 2.00 |" in told
    ranked = "`uct` +0.300, `matrix` -0.033, `regret` -0.133, `exp3` -0.133"
    assert f"{ranked} | `matrix` 0.000, `regret` 0.100, `exp3` 0.250, `uct` 0.400 |" in searches.section("matches")
    assert "| `uct` | +0.200 | +0.300 |  | +0.400 |" in searches.section("pairs")
    assert "| 1,000,000 (4 x) |  | 250,000 |" in searches.section("speed")
    assert "exact matrix games" in searches.curve_picture()


def test_an_unknown_part_is_refused():
    with pytest.raises(ValueError, match="'bids' must be one of curves, matches, pairs, leaf, speed"):
        searches.section("bids")
