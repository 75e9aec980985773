"""`cardwar solve` with its options for large duels: layers on disk, few in memory, on a cluster."""

import io
import json
import os
import subprocess
import sys

import pytest
from command import run, run_json
from rich.console import Console
from thinning import each_row

from baselines.oracles.rank_games import cluster as duel_ray
from train.command import console, mixes

SOLVE = ("solve", "jujitsu", "num_cards=8")
KEYS = {
    "game", "parameters", "value", "gap", "strategies", "states", "solved_now", "seconds", "method",
}  # fmt: skip
WITHOUT_TIME = KEYS - {"seconds", "solved_now"}


def same(first, second):
    return all(first[key] == second[key] for key in WITHOUT_TIME)


def test_what_is_said_of_a_duel(capsys):
    answer = run_json(capsys, *SOLVE)
    assert set(answer) == KEYS
    assert answer["solved_now"] == answer["states"] == 2641


def test_other_games_have_no_engine(capsys):
    answer = run_json(capsys, "solve", "dice_wars")
    assert set(answer) == KEYS
    assert answer["solved_now"] == answer["states"]


def test_a_cache_is_used_and_mended(capsys, tmp_path):
    first = run_json(capsys, *SOLVE, "--cache", str(tmp_path / "layers"))
    again = run_json(capsys, *SOLVE, "--cache", str(tmp_path / "layers"))
    (tmp_path / "layers" / "layer_4.bin").write_bytes(b"torn")
    mended = run_json(capsys, *SOLVE, "--cache", str(tmp_path / "layers"))
    assert same(first, again)
    assert same(first, mended)
    assert (first["solved_now"], again["solved_now"]) == (2641, 0)
    assert 0 < mended["solved_now"] < 2641
    assert same(first, run_json(capsys, *SOLVE))


def test_without_a_cache_nothing_is_stored(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [run_json(capsys, *SOLVE)["solved_now"] for _ in range(2)] == [2641, 2641]
    assert not list(tmp_path.iterdir())


def test_people_are_told_what_came_from_the_cache(capsys, tmp_path):
    first = run(capsys, *SOLVE, "--cache", str(tmp_path))
    again = run(capsys, *SOLVE, "--cache", str(tmp_path))
    assert "2,641 matrix games by" in first[1]
    assert "2,641 matrix games (0 now, the others before) by" in again[1]


def test_a_solve_that_was_killed_goes_on(capsys, tmp_path):
    killed = (
        "import os\n"
        "from baselines.oracles.rank_games.layer_files import LayerFolder\n"
        "from train.cli import main\n"
        "write = LayerFolder.write\n"
        "def fatal(self, cards, values, gap):\n"
        "    if cards == 6:\n"
        "        os.kill(os.getpid(), 9)\n"
        "    write(self, cards, values, gap)\n"
        "LayerFolder.write = fatal\n"
        f"main([*{SOLVE!r}, '--cache', {str(tmp_path)!r}])\n"
    )
    assert subprocess.run([sys.executable, "-c", killed], capture_output=True).returncode == -9
    assert sorted(path.name for path in tmp_path.glob("layer_*")) == [f"layer_{k}.bin" for k in range(1, 6)]
    answer = run_json(capsys, *SOLVE, "--cache", str(tmp_path))
    assert 0 < answer["solved_now"] < answer["states"]
    assert same(answer, run_json(capsys, *SOLVE))


def test_few_layers_in_memory_are_enough(capsys):
    assert same(run_json(capsys, *SOLVE, "--keep-layers", "2"), run_json(capsys, *SOLVE))


@pytest.mark.slow
def test_the_cluster_says_the_same(capsys):
    ray = pytest.importorskip("ray")
    ray.init(address="local", num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    try:
        answer = run_json(capsys, *SOLVE, "--engine", "ray")
        assert answer["engine"] == "ray"
        assert answer | {"seconds": 0} == run_json(capsys, *SOLVE) | {"seconds": 0, "engine": "ray"}
    finally:
        ray.shutdown()


@pytest.mark.slow
def test_lost_workers_leave_stdout_to_the_result(capsys, tmp_path, monkeypatch):
    ray = pytest.importorskip("ray")

    def mortal(*arguments):
        from baselines.oracles.rank_games.cluster import solve_range  # the worker's own

        if not (tmp_path / "grave").exists():
            (tmp_path / "grave").touch()
            os.kill(os.getpid(), 9)
        return solve_range(*arguments)

    monkeypatch.setattr(duel_ray, "solve_range", mortal)
    monkeypatch.setattr(duel_ray, "LEAST_WORDS_PER_TASK", 64)
    code, out, err = run(capsys, *SOLVE, "--engine", "ray", "--json")
    assert (code, out.count("\n")) == (0, 1)
    assert same(json.loads(out), run_json(capsys, *SOLVE) | {"engine": "ray"})
    assert (tmp_path / "grave").exists()
    assert "worker died" in err
    assert not ray.is_initialized()


def test_ray_that_is_not_installed_is_one_line_with_the_extra(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    code, out, err = run(capsys, *SOLVE, "--engine", "ray")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "pip install 'cardwar-envs[ray]'" in err


BAD = [
    (["--engine", "spark"], "engine (spark) must be threads or ray"),
    (["--keep-layers", "1"], "keep_layers (1) must be at least 2"),
    (["--keep-layers", "two"], "Invalid value for '--keep-layers'"),
    (["--cache", __file__], "File exists"),
    (["--exact", "--cache", "layers"], "cache (layers) is of no use here"),
    (["--exact", "--engine", "ray"], "engine (ray) is of no use here"),
]


@each_row(("options", "message"), BAD)
def test_bad_options_are_one_clear_line(capsys, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *SOLVE, *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not list(tmp_path.iterdir())


def test_options_for_large_duels_are_refused_for_other_games(capsys):
    code, _, err = run(capsys, "solve", "dice_poker", "--keep-layers", "3")
    assert code == 2
    assert "keep_layers (3) is of no use here" in err


def test_a_cache_of_another_game_is_refused(capsys, tmp_path):
    run_json(capsys, "solve", "jujitsu", "num_cards=4", "--cache", str(tmp_path))
    code, _, err = run(capsys, *SOLVE, "--cache", str(tmp_path))
    assert code == 2
    assert "another game" in err


@pytest.fixture
def terminal(monkeypatch):
    shown = Console(file=io.StringIO(), force_terminal=True, width=120)
    monkeypatch.setattr(console, "err", shown)
    return shown.file


def test_a_terminal_shows_how_far_it_is_and_how_long_it_will_take(terminal):
    with console.advancing("matrix games") as progress:
        progress(500)
        progress.expect(2000)
        progress(1000)
    assert "1,000 of 2,000" in terminal.getvalue()
    assert "left" in terminal.getvalue()


def test_a_bar_leaves_stdout_to_the_result(terminal, capsys):
    code, out, _ = run(capsys, *SOLVE, "--json")
    assert code == 0
    assert json.loads(out)["states"] == 2641
    assert "of 2,641" in terminal.getvalue()


def test_play_is_shown_at_each_state_in_which_a_game_can_start(capsys):
    """The first prize of Goofspiel is drawn. A lone optimal bid for the prizes 1 and 3 is the card of the same rank."""
    solved = run_json(capsys, "solve", "goofspiel", "num_cards=3")
    assert solved["strategies"] == []
    assert [start["probability"] for start in solved["starts"]] == ["1/3"] * 3
    for start, prize in zip(solved["starts"], (1, 2, 3), strict=True):
        assert f"prize={prize} " in start["state"]
        first = start["players"][0]
        assert first["actions"][str(prize)]["probability"] == pytest.approx(1.0)
        assert first["unique"] is (prize != 2)
    code, out, _ = run(capsys, "solve", "goofspiel", "num_cards=3")
    assert code == 0
    assert out.count("with probability 1/3, worth 0.000000 to player_0:") == 3


def test_of_many_starts_the_first_are_shown(capsys, monkeypatch):
    monkeypatch.setattr(mixes, "MAX_STARTS", 2)
    _, out, _ = run(capsys, "solve", "goofspiel", "num_cards=4")
    assert out.count("with probability 1/4") == 2
    assert "2 more initial states; --state shows play at each" in out
