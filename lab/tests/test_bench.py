"""The benchmarks: turns, ratios, who is skipped, and what is written; no times."""

import io
import json
from importlib import import_module

import pytest
from command import run, run_json, run_refused
from rich.console import Console
from thinning import each_row

import cardwar_cli.laboratory
from cardwar_envs import GAMES
from lab.benchmarks import duel_sizes, war_simulation
from lab.benchmarks.compare import report
from lab.benchmarks.comparison import QUICK, Comparison, Sample, Settings, as_data, in_child, measure
from lab.benchmarks.report import cells, for_terminal, markdown, plot
from lab.benchmarks.suite import GROUPS, ON_REQUEST


def scripted(*samples, log=None, name=None):
    """Makes a candidate that has those samples one after the other."""

    def make():
        left = iter(samples)

        def take():
            if log is not None:
                log.append(name)
            return next(left)

        return take

    return make


def missing():
    raise ModuleNotFoundError("No module named 'peer'")


def breaking():
    raise RuntimeError("out of\nmemory")


def compared(peers, rounds=1, **fields):
    ours = {"ours": scripted(*[Sample(10.0, 1.0, 2.0)] * rounds)}
    return measure(Comparison(**{"title": "Playing", "unit": "games", "ours": ours, "peers": peers, **fields}), rounds)


def printed(result):
    console = Console(width=200, file=io.StringIO())
    console.print(for_terminal(result))
    return console.file.getvalue()


def test_a_ratio_is_our_speed_over_the_peers_in_the_same_round():
    ours = {"ours": scripted(Sample(10, 1, 2), Sample(10, 2, 2), Sample(30, 1, 3))}
    peers = {"peer": scripted(Sample(10, 2, 1), Sample(1, 1, 1), Sample(2, 1, 1))}
    result = measure(Comparison(title="Playing", unit="games", ours=ours, peers=peers, against=("peer",)), rounds=3)
    row = next(row for row in as_data(result)["rows"] if row["name"] == "ours")
    assert row["ratios"] == {"peer": {"wall": [2.0, 5.0, 15.0], "processor": [0.5, 5.0, 5.0]}}
    assert row["median_per_second"] == 10.0
    headings, rows = cells(result)
    assert headings == ["", "games/s", "x peer"]
    assert rows == [["peer", "2", "1"], ["ours", "10", "5 (2..15)"]]
    headings, rows = cells(result, ("processor",))
    assert headings[2:] == ["x peer, processor"]
    assert rows[1][2:] == ["5 (0.5..5)"]


def test_times_are_for_one_and_a_ratio_above_1_is_still_faster():
    result = compared({"peer": scripted(Sample(1, 0.5, 0.25))}, against=("peer",), timed=True)
    headings, rows = cells(result)
    assert headings == ["", "time", "CPU time", "x peer"]
    assert rows == [["peer", "500 ms", "250 ms", "1"], ["ours", "100 ms", "200 ms", "5"]]


def test_candidates_take_turns_for_as_many_rounds_as_the_comparison_allows():
    log, sample = [], Sample(1, 1, 1)
    ours = {"ours": scripted(*[sample] * 5, log=log, name="ours")}
    peers = {"peer": scripted(*[sample] * 5, log=log, name="peer")}
    measure(Comparison(title="Playing", unit="games", ours=ours, peers=peers, rounds=2), 5)
    assert log == ["peer", "ours", "peer", "ours"]


@each_row(
    ("peer", "said"),
    [
        (missing, "not installed (No module named 'peer')"),
        (breaking, "failed: out of memory"),
        (lambda: breaking, "failed: out of memory"),
        (scripted(Sample(1, 1, 1)), "failed: StopIteration"),  # breaks in the second round
    ],
)
def test_a_peer_that_is_missing_or_fails_is_skipped_and_named(tmp_path, peer, said):
    result = compared({"peer": peer}, rounds=2, against=("peer",))
    data = as_data(result)
    assert data["skipped"] == {"peer": said}
    assert [(row["name"], row["ratios"]) for row in data["rows"]] == [("ours", {})]
    assert cells(result)[0] == ["", "games/s"]
    assert f"skipped: peer: {said}" in markdown(result)
    assert f"skipped: peer: {said}" in printed(result)
    assert not plot([result], tmp_path / "ratios.png"), "no picture without a peer"
    assert not (tmp_path / "ratios.png").exists()


def test_a_mistake_of_ours_is_not_skipped():
    with pytest.raises(RuntimeError, match="memory"):
        measure(Comparison(title="Playing", unit="games", ours={"ours": lambda: breaking}), rounds=1)


def test_what_was_given_up_bounds_ratios_and_is_not_tried_again():
    given_up = Sample(1, 60.0, 59.0, finished=False)
    result = compared(
        {"slow": scripted(given_up), "peer": scripted(Sample(1, 1, 1), Sample(1, 1, 1))},
        rounds=2,
        against=("slow", "peer"),
        timed=True,
    )
    assert cells(result)[1] == [
        ["slow", "over 60 s", "59 s", "1", "under 0.0167 (0.0167..0.0167)"],
        ["peer", "1 s", "1 s", "over 60 (60..60)", "1"],
        ["ours", "100 ms", "200 ms", "over 600 (600..600)", "10 (10..10)"],
    ]


def test_of_facts_the_largest_is_shown():
    ours = {"ours": scripted(Sample(1, 1, 1, {"gap": 1e-9}), Sample(1, 1, 1, {"gap": 1e-12}))}
    result = measure(Comparison(title="Playing", unit="games", ours=ours, facts={"gap": ".0e"}), rounds=2)
    assert cells(result)[1] == [["ours", "1", "1e-09"]]
    assert as_data(result)["rows"][0]["facts"] == {"gap": 1e-9}


def test_a_fresh_process_hands_back_its_sample_or_says_why_not():
    sample = in_child("lab.benchmarks.comparison:Sample", 2, 1.0, 0.5, {"gap": 0.25})()()
    assert sample == Sample(2, 1.0, 0.5, {"gap": 0.25})
    with pytest.raises(RuntimeError, match="has no attribute 'nothing'"):
        in_child("math:nothing")()()
    with pytest.raises(ModuleNotFoundError, match="no_such_peer"):
        in_child("math:sqrt", 2, needs=("no_such_peer",))()
    given_up = in_child("time:sleep", 60, limit=0.05)()()
    assert (given_up.finished, given_up.wall) == (False, 0.05)


@each_row("name", GROUPS + ON_REQUEST)
def test_every_group_compares_something_with_peers_that_it_has(name):
    comparisons = import_module(f"lab.benchmarks.{name}").comparisons(Settings(**QUICK | {"most_cards": 16}))
    assert comparisons
    for comparison in comparisons:
        assert comparison.ours
        assert set(comparison.against) <= set(comparison.peers)


def test_a_solved_duel_is_a_sample_with_its_facts():
    sample = duel_sizes.solve_here(4)
    assert set(sample.facts) == set(duel_sizes.FACTS)
    assert sample.facts["gap"] <= 1e-9


def test_the_command_measures_every_game_and_writes_json(capsys, tmp_path):
    data = run_json(capsys, "bench", "stepping", "--quick", "--seconds", "0.001", "--out", str(tmp_path))
    assert json.loads((tmp_path / "results.json").read_text())["groups"] == data["groups"]
    for comparison in data["groups"]["stepping"]:
        assert {f"{game}_v0" for game in GAMES} <= {row["name"] for row in comparison["rows"]}
        for row in comparison["rows"]:
            assert all(amount > 0 for amount in row["amounts"])
    assert data["settings"]["rounds"] == 1
    assert data["machine"]["processors"] >= 1
    assert data["machine"]["versions"]["numpy"] is not None
    assert str(tmp_path / "results.json") in data["files"]


@pytest.mark.slow
def test_a_group_runs_alone_and_prints_tables(capsys, tmp_path):
    code, shown, _ = run(capsys, "bench", "matrix_games", "--quick", "--out", str(tmp_path))
    assert code == 0
    assert "scipy" in shown
    report, data = (tmp_path / "report.md").read_text(), json.loads((tmp_path / "results.json").read_text())
    assert "| ours, 1,000 at once |" in report
    for comparison in data["groups"]["matrix_games"]:
        for row in comparison["rows"]:
            if row["name"].startswith(("ours", "scipy")):
                assert row["facts"]["worst gap"] <= 1e-9
    assert (tmp_path / "ratios.png").read_bytes().startswith(b"\x89PNG")


def test_what_cannot_be_measured_is_one_line(capsys, tmp_path, monkeypatch):
    words = ("bench", "speed", "--out", str(tmp_path / "bench"))
    said = run_refused(capsys, *words)
    assert all(name in said for name in ("'speed'", *GROUPS))
    monkeypatch.setattr(cardwar_cli.laboratory, "ROOT", tmp_path)
    assert "checkout" in run_refused(capsys, *words)
    assert not (tmp_path / "bench").exists()


def test_a_group_that_fails_is_one_line_and_the_others_are_kept(capsys, tmp_path, monkeypatch):
    sample = Sample(1.0, 1.0, 1.0)
    fine = Comparison(title="Playing", unit="games", ours={"ours": scripted(sample)}, peers={"peer": breaking})
    torn = Comparison(title="Losing", unit="games", ours={"ours": lambda: breaking})
    monkeypatch.setattr(war_simulation, "comparisons", lambda settings: [fine, torn])
    monkeypatch.setattr(duel_sizes, "comparisons", lambda settings: [fine])
    code, shown, said = run(capsys, "bench", "war_simulation", "duel_sizes", "--quick", "--out", str(tmp_path))
    assert code == 1
    assert said.splitlines() == [
        "war_simulation: failed: out of memory",
        "war_simulation: peer: failed: out of memory",
        "duel_sizes: peer: failed: out of memory",
    ]
    data = json.loads((tmp_path / "results.json").read_text())
    assert {name: len(group) for name, group in data["groups"].items()} == {"war_simulation": 1, "duel_sizes": 1}
    assert data["failed"] == said.splitlines()
    assert shown.count("Playing") == 2


def test_two_commits_are_compared_by_the_speeds_of_their_rounds(capsys):
    steady, job = [10.0, 11.0, 12.0], ("Playing", "ours")
    assert report({job: steady}, {job: [9.9, 10.0, 10.1]}) == 0, "the rounds overlap"
    assert report({job: steady}, {job: [9.0, 8.0, 7.0], ("Playing", "new"): steady}) == 1
    assert "  0.73 (0.58..0.90)  Playing: ours  SLOWER" in capsys.readouterr().out
