"""Records: what is written is read again and replayed; what cannot have happened is refused."""

import hashlib
import json
import re

import pytest
from command import run, run_refused
from thinning import each_row

from cardwar_envs import make_game
from cardwar_play.account import account_of
from cardwar_play.record import read_record, record_bytes, record_of, write_record
from cardwar_play.seating import table_for
from cardwar_play.trainer import Trainer
from train.text.printing import points


def test_a_record_is_replayed_move_by_move(finished, tmp_path):
    write_record(finished, tmp_path / "game.json")
    record = read_record(tmp_path / "game.json")
    assert record.game == finished.table.game
    assert (record.seat, record.names) == (0, ("you", "equilibrium"))
    assert record.episode.states == (finished.start, *(step.after for step in finished.steps))
    assert record.episode.actions == tuple(step.actions for step in finished.steps)
    assert record.episode.payoffs == finished.payoffs
    assert record.content["total_cost"] == finished.total
    assert record.account == account_of(finished)
    assert [step["verdict"]["costs"]["4"] for step in record.content["steps"][:1]] == [finished.steps[0].cost]


@pytest.mark.parametrize(
    ("name", "parameters", "against"),
    [
        ("dice_wars", {"num_cards": 3}, "uniform"),
        ("dice_poker", {}, "uniform"),
        ("war", {"num_players": 3, "ranks": 4, "discards": 1}, "dummie"),
    ],
)
def test_chance_and_wars_are_replayed_as_they_came_about(name, parameters, against, tmp_path):
    trainer = Trainer(table_for(make_game(name, **parameters), 1, [against], None, "No costs."), 4)
    while trainer.ending is None:
        trainer.play(trainer.choices[-1])
    write_record(trainer, tmp_path / "game.json")
    episode = read_record(tmp_path / "game.json").episode
    assert episode.states == (trainer.start, *(step.after for step in trainer.steps))
    assert episode.payoffs == trainer.payoffs


def test_a_game_that_was_given_up_shows_what_was_sealed(solution, trainer_of, tmp_path):
    trainer = trainer_of(solution)
    with pytest.raises(ValueError, match="a game can be recorded only when it has ended"):
        record_of(trainer)
    trainer.play(2)
    shown = trainer.digest
    trainer.stop("given up")
    write_record(trainer, tmp_path / "game.json")
    assert hashlib.sha256(read_record(tmp_path / "game.json").content["left"].encode()).hexdigest() == shown


def changed(content, place, value):
    *way, last = place
    inner = content
    for part in way:
        inner = inner[part]
    inner[last] = value
    return content


@each_row(
    ("place", "value", "problem"),
    [
        (["format"], 2, "format (2) must be 1"),
        (["game"], "os:system", "game ('os:system') must be one of"),
        (["parameters", "num_cards"], 6, "num_cards (6) must be the size of the hands given, 5"),
        (["parameters", "colour"], 6, "no parameter 'colour'"),
        (["parameters", "name"], "war", "no parameter 'name'"),
        (["seat"], 2, "seat (2) must be in 0..1"),
        (["seat"], 1, "opponents (1) must be all players but 1"),
        (
            ["opponents", "1"],
            "\x1b]0;title\x07",
            "the name '\\x1b]0;title\\x07' must contain only printable characters",
        ),
        (["opponents", "1"], "\ud800", "it contains an unpaired surrogate ('\\ud800')"),
        (["seed"], -1, "seed (-1) must be at least 0"),
        (["dealt"], 1, "the start: chance (1) must be in 0..0"),
        (["steps", 0, "actions", "0"], 9, "move 1: action 9 of player_0 is not legal"),
        (["steps", 0, "actions"], {"0": 4}, "move 1: players who move: [0]; players who must: [0, 1]"),
        (["steps", 0, "outcome"], 1, "move 1: chance (1) must be in 0..0"),
        (["steps", 0, "seal"], "nothing", "steps[0].seal commits to moves other than those played"),
        (["steps", 1, "seal"], None, "steps[1].seal must be given"),
        (["steps", 0, "verdict", "costs", "0"], -1.0, "must be at least 0"),
        (["steps", 0, "verdict", "costs", "0"], float("nan"), "must be a finite number"),
        (["payoffs"], [0.0, 0.0], "payoffs ([0.0, 0.0]) must be"),
        (["ending"], "given up", "ending ('given up') does not match the state"),
        (["account", "draws"], 0.5, "account: its result must be"),
        (["extra"], 1, "unknown name 'extra'"),
    ],
)
def test_what_cannot_have_happened_is_refused(finished, tmp_path, place, value, problem):
    content = changed(json.loads(record_bytes(finished)), place, value)
    (tmp_path / "game.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match=f"game.json is not the record of a game: .*{re.escape(problem)}"):
        read_record(tmp_path / "game.json")


@each_row("content", [b"", b"\xff\xfe", b"[]", b"{}", b"[" * 100_000, b'{"format": 1}'])
def test_what_is_no_record_is_refused(content, tmp_path):
    (tmp_path / "game.json").write_bytes(content)
    with pytest.raises(ValueError, match=r"game\.json is not the record of a game"):
        read_record(tmp_path / "game.json")


def test_a_record_is_watched_with_what_each_move_gave_away(finished, tmp_path, capsys):
    write_record(finished, tmp_path / "game.json")
    code, out, err = run(capsys, "watch", str(tmp_path / "game.json"))
    assert (code, err) == (0, "")
    said = re.findall(
        r"played  player_0 (\d)  player_1 (\d)(?:\nthe game is over)?\nplayer_0 gave away ([\d.]+) points", out
    )
    steps = finished.steps
    assert said == [(str(s.actions[0] + 1), str(s.actions[1] + 1), points(s.cost)) for s in steps]
    assert re.search(r"player_0 │ you +│ [-\d]", out)
    assert out.endswith(f"{account_of(finished).sentence('equilibrium')}\n")


@each_row("more", [["uniform"], ["num_cards=3"], ["--seed", "1"]])
def test_a_record_is_watched_as_it_is(finished, tmp_path, capsys, more):
    write_record(finished, tmp_path / "game.json")
    assert "cannot be used with a record" in run_refused(capsys, "watch", str(tmp_path / "game.json"), *more)


def test_a_file_that_is_no_record_is_not_watched(finished, tmp_path, capsys):
    kept = tmp_path / "game.json"
    kept.write_text("nothing")
    assert "is not the record of a game" in run_refused(capsys, "watch", str(kept))
    kept.write_text(json.dumps(json.loads(record_bytes(finished)) | {"opponents": {"\x1b[2J": "equilibrium"}}))
    said = run_refused(capsys, "watch", str(kept))
    assert r"opponents (\x1b[2J) must be" in said
    assert "\x1b" not in said, "what makes a terminal do things is not repeated"
