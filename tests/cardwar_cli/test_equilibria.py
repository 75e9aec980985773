"""`cardwar equilibria` and `cardwar export`."""

import json
from pathlib import Path

import command
import numpy as np
from thinning import each_row

from cardwar_envs import make_game

BEGINNINGS = {
    **{"csv": b",1,2", "json": b"{", "tex": rb"\begin{table}", "nfg": b"NFG 1 R"},
    **{"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG"},
}
PRIZE = ("lowest_unique", "num_players=2", "numbers=2", "payoff=prize")


def test_equilibria_are_listed_with_what_is_claimed(capsys):
    code, text, _ = command.run(capsys, "equilibria", *PRIZE)
    assert code == 0
    assert text.startswith("lowest_unique num_players=2 numbers=2 payoff=prize: all extreme equilibria, of which all")
    assert "player_0 1: 1; player_1 2: 1" in " ".join(text.split())
    data = json.loads(command.run(capsys, "equilibria", *PRIZE, "--json")[1])
    assert (data["game"], data["kind"], data["claim"]) == ("lowest_unique", "mixed", "all")
    assert [each["exact"] for each in data["equilibria"]] == [True] * len(data["equilibria"])


@each_row(
    ("options", "words"),
    [
        (("--kind=pure",), "all equilibria in pure strategies"),
        (("--kind=symmetric",), "one of possibly many symmetric equilibria"),
        (("--kind=logit", "--lambda=2"), "not Nash equilibria); by following the branch from uniform play to lambda 2"),
        (("--kind=correlated", "--selection=min"), "rationals, with the largest min of payoffs"),
        (("--kind=subgame_perfect", "--selection=first"), "selection 'first'"),
    ],
)
def test_kinds(capsys, options, words):
    code, text, _ = command.run(capsys, "equilibria", *PRIZE, *options)
    assert code == 0
    assert words in text


@each_row("ending", ["csv", "json", "tex", "nfg", "pdf", "svg", "png"])
@each_row("game", [("jujitsu", "num_cards=3"), PRIZE])
def test_export_writes_files(capsys, tmp_path, ending, game):
    path = tmp_path / f"game.{ending}"
    code, text, _ = command.run(capsys, "export", *game, "--out", str(path))
    assert (code, text.splitlines()[0]) == (0, f"wrote {path}")
    assert path.read_bytes().startswith(BEGINNINGS[ending])
    if ending == "csv":
        mixes = (tmp_path / "game-mixes.csv").read_text()
        assert "player_0" in mixes
    if ending == "json":
        assert json.loads(path.read_text()).keys() & {"strategies", "equilibria"}


def test_export_of_a_state_and_of_private_information(capsys, tmp_path):
    path = tmp_path / "play.csv"
    assert (
        command.run(capsys, "export", "jujitsu", "num_cards=3", "--state=hands=1,3/2,3 score=1", f"--out={path}")[0]
        == 0
    )
    assert path.read_text() == ",2,3\n1,0,1\n3,1,-1\n"  # as in the README
    assert command.run(capsys, "export", "dice_poker", f"--out={path}")[0] == 0
    assert path.read_text().startswith("player,sees,action,probability,lowest,highest\n")


@each_row(
    ("arguments", "message"),
    [
        (("jujitsu", "--out=a.doc"), "--out (a.doc) must end in one of .csv, .json, .tex, .nfg, .pdf, .svg, .png"),
        ((*PRIZE, "--state=1", "--out=a.csv"), "a complete state of lowest_unique"),
        (("dice_poker", "--out=a.nfg"), ".nfg is for one decision of all players, who see the state"),
        ((*PRIZE, "rounds=2", "--out=a.nfg"), ".nfg is for one decision of all players, who see the state"),
    ],
)
def test_export_refuses(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, _, err = command.run(capsys, "export", *arguments)
    assert code == 2
    assert message in err
    assert len(err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_export_of_a_state_of_a_game_with_several_equilibria(capsys, tmp_path):
    path = tmp_path / "rounds.csv"
    assert command.run(capsys, "export", *PRIZE, "rounds=2", "--state=rounds_left=2", f"--out={path}")[0] == 0
    # Player 0 wins the last round; so in the first one it gets 1 point more than this round pays.
    assert path.read_text() == ",1,2\n1,1;0,2;0\n2,1;1,1;0\n"
    mixes = (tmp_path / "rounds-mixes.csv").read_text().splitlines()
    assert len(mixes) == 5
    assert all("rounds_left=2" in line for line in mixes[1:])


def test_no_file_is_written_if_one_of_them_cannot_be(capsys, tmp_path):
    (tmp_path / "a-mixes.csv").mkdir()
    error = command.run_refused(capsys, "export", *PRIZE, f"--out={tmp_path}/a.csv")
    assert "a-mixes.csv is a folder" in error
    assert [path.name for path in tmp_path.iterdir()] == ["a-mixes.csv"]


@each_row(
    ("payoffs", "ending"),
    [
        ([["1/3", -2, 0], [4, "-1/2", 1]], "csv"),
        ([["1/3", -2, 0], [4, "-1/2", 1]], "nfg"),
        ([[[2, "1/7"], [0, 1]], [[1, 0], ["0.1", 2]]], "csv"),
        ([[[2, "1/7"], [0, 1]], [[1, 0], ["0.1", 2]]], "nfg"),
        ([[[[1, 2]], [[3, 4]]], [[[5, 6]], [[7, 8]]], [[[9, "1/3"]], [[0, -1]]]], "nfg"),
    ],
)
def test_what_is_exported_is_read_again_as_the_same_table(capsys, monkeypatch, tmp_path, payoffs, ending):
    monkeypatch.chdir(tmp_path)
    names = [[f"{'abc'[player]}{action}" for action in range(size)] for player, size in enumerate((2, 3, 2))]
    shape = np.shape(payoffs)[1:] if np.ndim(payoffs) > 2 else np.shape(payoffs)
    names = [own[:size] for own, size in zip(names, shape, strict=False)]
    players = ["Änn", "Bob", "Cy"][: len(shape)]
    Path("given.json").write_text(json.dumps({"payoffs": payoffs, "actions": names, "players": players}))
    code, _, error = command.run(capsys, "export", "table:given.json", "--out", f"again.{ending}")
    assert (code, error) == (0, "")
    given, again = make_game("table:given.json").table, make_game(f"table:again.{ending}").table
    assert (given.exact == again.exact).all()
    assert given.actions == again.actions
    assert ending == "csv" or again.players == tuple(players)
