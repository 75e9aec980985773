"""`cardwar watch`: a game between policies on the terminal or as a moving picture."""

import re
import sys

import pytest
from command import run, run_refused
from thinning import each_row

GAME = ("watch", "jujitsu", "num_cards=3")
WRITTEN = """\
player_0  . . 3
player_1  . . 3
score +0 for player_0, carried ties 2
played  player_0 2  player_1 2
"""


def test_a_game_is_printed_move_by_move(capsys):
    code, out, err = run(capsys, *GAME, "lowest_card", "lowest_card")
    assert (code, err) == (0, "")
    assert WRITTEN in out
    assert re.findall(r"─ (start|move \d) ─", out) == ["start", "move 1", "move 2", "move 3"]
    assert out.index("the game is over") < out.index("what each player got")
    assert re.findall(r"(player_\d) │ (\w+) +│ ([-+.\d]+)", out) == [
        ("player_0", "lowest_card", "0.000000"),
        ("player_1", "lowest_card", "0.000000"),
    ]


def test_the_seed_decides_the_game_of_any_number_of_players(capsys):
    code, out, _ = run(capsys, "watch", "war", "ranks=3", "discards=0", "max_rounds=2", "min", "max", "dummie")
    assert (code, out.count("player_2  hand")) == (0, 3)
    first, again, other = (run(capsys, *GAME, "uniform", "uniform", "--seed", seed)[1] for seed in ("1", "1", "2"))
    assert first == again != other


def test_a_moving_picture_has_a_frame_for_each_state(capsys, tmp_path):
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("pygame")
    path = tmp_path / "game.gif"
    code, out, err = run(capsys, *GAME, "lowest_card", "highest_card", "--gif", str(path))
    assert (code, err) == (0, "")
    assert re.fullmatch(rf"{re.escape(str(path))}: 4 pictures, \d+ kB\n", out)
    times = []
    with image.open(path) as film:
        assert (film.format, film.n_frames, film.info["loop"]) == ("GIF", 4, 0)
        for frame in range(film.n_frames):
            film.seek(frame)
            times.append(film.info["duration"])
    assert times == [1000, 1000, 1000, 4000]
    assert list(tmp_path.iterdir()) == [path]


@each_row("module", ["pygame", "PIL"])
def test_a_missing_library_is_named_with_its_extra(capsys, monkeypatch, tmp_path, module):
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, module, None)
        said = run_refused(capsys, *GAME, "uniform", "uniform", "--gif", str(tmp_path / "x.gif"))
    assert said.endswith("the extra: pip install 'cardwar-envs[render]'\n")
    assert list(tmp_path.iterdir()) == []
