"""Folders and files from a stranger: links, pipes, names, files of other runs, and figures that cannot be."""

import faulthandler
import json
import os
import re
import shutil
import signal
from contextlib import contextmanager
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from command import run as command
from run_files import change_config, seal

import baselines.opponents.levels.level as level_files
import train.runs.exploit as exploiting
import train.storage.archive as archives
from baselines.files import open_inside, parse_object, read_plain
from baselines.oracles.rank_games.layer_files import LayerFolder
from baselines.oracles.rank_games.solver import DuelTable
from cardwar_envs import make_game
from train.algorithms.registry import ALGORITHMS
from train.policies.files import POLICY_FILE, load_policy, save_policy
from train.policies.networks import Network, SoftmaxPolicy
from train.reports.groups import read_run
from train.reports.page import write_report
from train.reports.tables import plain
from train.runs.loop import run
from train.storage.archive import Archive, read_archive, write_archive
from train.words import in_one_line

GAME = make_game("jujitsu", num_cards=3)
ESCAPE = "\x1b]0;owned\x07"
SECONDS = 30


class StillWaitingError(BaseException):
    """Not an OSError, as a TimeoutError is, which would be taken for a file that cannot be read."""


@contextmanager
def no_waiting():
    """Ends what waits for ever; where that does not listen to signals, all of the process."""

    def stop(*_):
        raise StillWaitingError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    faulthandler.dump_traceback_later(2 * SECONDS, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def learned(out, **changed):
    args = ALGORITHMS["cfr_plus"].args(steps=4, evaluate_every=2)
    return run(GAME, "cfr_plus", args, out, **changed)


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    out = tmp_path_factory.mktemp("real") / "run"
    learned(out)
    learned(out.with_name("other"), seed=1)
    return out


@pytest.fixture
def copy(real, tmp_path):
    return shutil.copytree(real, tmp_path / "run")


# -- links and pipes ----------------------------------------------------------------------------------

READERS = {
    "config.json": read_run,
    "metadata.json": read_run,
    "metrics.csv": read_run,
    "checksums.txt": read_run,
    "checkpoint.safetensors": lambda folder: learned(folder, resume=True),
    "policy.safetensors": lambda folder: load_policy(folder, GAME),
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("what", ["pipe", "device", "link"])
def test_only_plain_files_are_read(copy, name, what):
    path = copy / name
    if what == "link":
        path.rename(copy.with_name(name))
        path.symlink_to(copy.with_name(name))
    else:
        path.unlink()
        os.mkfifo(path) if what == "pipe" else path.symlink_to("/dev/zero")
    said = "is a named pipe, not a plain file" if what == "pipe" else "is a link, which is not followed"
    with no_waiting(), pytest.raises(ValueError, match=rf"{name} {said}"):
        READERS[name](copy)


@pytest.mark.parametrize("name", ["manifest.json", "layer_1.bin", ".lock"])
@pytest.mark.parametrize("what", ["pipe", "link"])
def test_a_cache_has_plain_files_only(tmp_path, name, what):
    (tmp_path / "cache").mkdir()
    path, victim = tmp_path / "cache" / name, tmp_path / "victim"
    victim.write_text("{}")
    os.mkfifo(path) if what == "pipe" else path.symlink_to(victim)
    with no_waiting(), pytest.raises((ValueError, OSError), match=r"plain file|link|No such device"):
        DuelTable(make_game("jujitsu", num_cards=3), folder=tmp_path / "cache").solve()
    assert victim.read_text() == "{}"


def test_another_name_of_a_file_that_is_written_anew_keeps_its_content(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    (tmp_path / "logs").mkdir()
    os.link(victim, tmp_path / "logs" / "run.log")
    with open_inside(tmp_path, "logs/run.log", "wb") as log:
        log.write(b"new")
    assert victim.read_text() == "untouched"
    assert (tmp_path / "logs" / "run.log").read_text() == "new"


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.link(path.with_name("victim"), path)])
def test_a_lock_is_a_plain_file_of_its_own(tmp_path, make):
    (tmp_path / "victim").write_text("untouched")
    make(tmp_path / ".lock")
    with no_waiting(), pytest.raises((ValueError, OSError), match=r"plain file with one name|No such device"):
        open_inside(tmp_path, ".lock", "ab")


def test_runs_of_responders_are_not_written_through_a_link(tmp_path):
    (tmp_path / "victim").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / exploiting.LEARNERS["dqn_response"]).symlink_to(tmp_path / "victim")
    with pytest.raises(ValueError, match="is a link, which is not followed"):
        exploiting.exploit(GAME, "uniform", tmp_path / "out", steps=10, games=100)
    assert not list((tmp_path / "victim").iterdir())
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_tables_beside_a_page_are_no_pipe(real, tmp_path):
    os.mkfifo(tmp_path / "page.md")
    with no_waiting(), pytest.raises(ValueError, match=r"page\.md is a named pipe, not a plain file"):
        write_report([real], tmp_path / "page.html")


def test_what_is_too_long_is_not_read(tmp_path):
    with open(tmp_path / "file", "wb") as file:
        file.truncate(10**12)
    with pytest.raises(ValueError, match="file is longer than 30000000 bytes"):
        read_plain(tmp_path / "file")


# -- files of others, and files that say what cannot be ----------------------------------------------------


def test_settings_that_are_a_link_to_nothing_are_refused_with_a_policy(copy):
    (copy / "config.json").unlink()
    (copy / "config.json").symlink_to(copy / "nothing")
    with pytest.raises(ValueError, match=r"config.json is a link, which is not followed"):
        load_policy(copy, GAME)


def test_a_policy_of_another_run_is_refused(copy, real):
    shutil.copy(real.with_name("other") / POLICY_FILE, copy)
    with pytest.raises(ValueError, match=r"policy\.safetensors belongs to another run, with seed=1, not 0"):
        load_policy(copy, GAME)
    load_policy(copy / POLICY_FILE, GAME)  # a file by itself is no run's
    tensors, data = read_archive(copy / POLICY_FILE)
    write_archive(copy / POLICY_FILE, Archive(tensors, {**data, "run": {"seed": 0}}))
    with pytest.raises(ValueError, match="does not name its run"):
        load_policy(copy, GAME)


@pytest.mark.parametrize("name", ["config.json", "checkpoint.safetensors", POLICY_FILE])
def test_an_entry_that_is_null_is_not_one_that_is_missing(copy, name):
    if name == "config.json":
        change_config(copy, parameters__more=None)
    else:
        tensors, data = read_archive(copy / name)
        data["run"]["args"]["more"] = None
        write_archive(copy / name, Archive(tensors, data))
    with pytest.raises(ValueError, match=r"with more=(None, not nothing|nothing, not None)"):
        load_policy(copy, GAME) if name == POLICY_FILE else learned(copy, resume=True)


def test_metrics_that_are_gone_are_missed(copy):
    (copy / "metrics.csv").unlink()
    with pytest.raises(ValueError, match=r"metrics\.csv cannot be read.*--resume"):
        read_run(copy)


def lines_of(copy):
    heading, *lines = (copy / "metrics.csv").read_text().splitlines()
    return heading.split(","), [line.split(",") for line in lines]


@pytest.mark.parametrize(
    ("row", "name", "cell", "message"),
    [
        (1, "steps", "2", "rows[1] must have more steps than the row before"),
        (1, "seconds", "-0.0", "rows[1] must have more steps than the row before, and not fewer seconds"),
        (0, "exploitability", "-0.1", "exploitability (-0.1) must be at least 0"),
        (0, "nash_conv", "-0.1", "nash_conv (-0.1) must be at least 0"),
    ],
)
def test_figures_that_cannot_be_are_refused_with_right_checksums(copy, row, name, cell, message):
    names, lines = lines_of(copy)
    if name == "seconds":
        lines[0][names.index(name)] = "1"
    lines[row][names.index(name)] = cell
    (copy / "metrics.csv").write_text("\n".join(",".join(line) for line in [names, *lines]) + "\n")
    seal(copy)
    with pytest.raises(ValueError, match=re.escape(message)):
        read_run(copy)


def test_a_figure_that_stands_twice_is_refused(copy):
    names, lines = lines_of(copy)
    (copy / "metrics.csv").write_text("\n".join(",".join([*line, line[-1]]) for line in [names, *lines]) + "\n")
    seal(copy)
    with pytest.raises(ValueError, match=f"a name is twice in its first line: .*{names[-1]}, {names[-1]}"):
        read_run(copy)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"reference": {}}, "must have uniform_nash_conv, or value and uniform_exploitability"),
        ({"figure": "steps"}, "figure (steps) is none of the kind 'exact'"),
        ({"figure": f"exploitability{ESCAPE}"}, "must have printable characters"),
        ({"label": "x" * 10_001}, "at most 10000"),
        ({"parameters": {"num_cards": [0] * 10_001}}, "at most 10000 letters or items"),
        ({"args__opponent": "x" * 10_001}, "at most 10000 letters or items"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_right_checksums(copy, tmp_path, capsys, changes, message):
    change_config(copy, **changes)
    with pytest.raises(ValueError, match=re.escape(message)):
        read_run(copy)
    code, _, err = command(capsys, "report", str(copy), "--out", str(tmp_path / "page.html"), "--skip-damaged")
    assert (code, err.splitlines()[-1]) == (2, "cardwar: there must be at least one run to report on")


def test_matches_without_intervals_are_refused(copy):
    change_config(copy, measured="matches", figure="payoff_uniform", reference={})
    heading = "steps,seconds,measured,payoff_uniform"
    ends = ",payoff_uniform_low,payoff_uniform_high"
    for more, low_high, message in (("", "", "must have payoff_uniform"), (ends, ",0.3,0.4", r"\(0\.2\) must be from")):
        (copy / "metrics.csv").write_text(f"{heading}{more}\n2,1,matches,0.2{low_high}\n")
        seal(copy)
        with pytest.raises(ValueError, match=message):
            read_run(copy)


def test_a_second_copy_of_a_run_is_left_out_of_a_report(copy, real, tmp_path):
    with pytest.raises(ValueError, match="are runs of one configuration with one seed"):
        write_report([real, copy], tmp_path / "page.html")
    written = write_report([real, copy], tmp_path / "page.html", skip_damaged=True)
    assert len(written.skipped) == 1
    assert f"{copy} are runs of one configuration with one seed (0)" in written.skipped[0]


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, "b": {"c": 1, "c": 2}}', b'{"a": 1, "a": 1}', '{"a": "\\ud800"}', '{"a": "\\ud800"}'.encode("utf-16")],
)
def test_json_that_is_ambiguous_or_cannot_be_written_is_refused(text):
    with pytest.raises(ValueError, match=r"twice|half of a character|'utf-8' codec can't decode"):
        parse_object(text)
    assert parse_object('{"a": {"b": 1}, "b": "\\u00e4\\ud83d\\ude00"}')["b"] == "ä😀"


def table(rows, row, place, value):
    changed = rows.clone()
    changed[row, place] = value
    return changed


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda seen, rows: (seen, table(rows, 0, 0, -0.5)), "a row of its table is not a probability distribution"),
        (lambda seen, rows: (seen, 2 * rows), "a row of its table is not a probability distribution"),
        (lambda seen, rows: (torch.cat((seen, seen)), torch.cat((rows, rows))), "an observation has two rows"),
    ],
)
def test_a_table_has_probabilities_for_each_observation_once(copy, spoil, message):
    tensors, data = read_archive(copy / POLICY_FILE)
    seen, rows = spoil(tensors["observations"], tensors["probabilities"])
    write_archive(copy / POLICY_FILE, Archive({"observations": seen, "probabilities": rows}, data))
    with pytest.raises(ValueError, match=message):
        load_policy(copy, GAME)


def test_weights_that_are_too_large_are_refused_in_play(tmp_path):
    network = Network(GAME, 8, 1, GAME.facts.num_actions, "relu")
    for weights in network.parameters():
        weights.data.fill_(1e30)
    save_policy(tmp_path / "policy", SoftmaxPolicy(GAME, network))
    state = GAME.initial()[0].state
    with pytest.raises(ValueError, match="outputs are not finite"):
        load_policy(tmp_path / "policy", GAME).action_probabilities(
            GAME.observation(state, 0)[None], GAME.action_mask(state, 0)[None]
        )


# -- solution caches and levels ------------------------------------------------------------------------------

LAYER = np.array([0.25, 0.5])


@pytest.mark.parametrize("gap", [float("nan"), float("inf"), -1e-9, "0", 10**400, True])
def test_a_gap_is_finite_and_not_negative_even_if_its_seal_is_right(tmp_path, gap):
    folder = LayerFolder(tmp_path, {"name": "a"})
    folder.write(1, LAYER, 0.0)
    assert folder.read(1, 2)[1] == 0.0
    folder.write(1, LAYER, gap)
    assert folder.read(1, 2) is None


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_values_of_a_layer_are_finite(tmp_path, value):
    folder = LayerFolder(tmp_path, {"name": "a"})
    folder.write(1, np.array([0.0, value]), 0.0)
    assert folder.read(1, 2) is None


def test_layers_that_are_called_those_of_another_game_are_not_believed(tmp_path):
    LayerFolder(tmp_path, {"payoff": "win"}).write(1, LAYER, 0.0)
    manifest = tmp_path / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"win"', '"margin"'))
    assert LayerFolder(tmp_path, {"payoff": "margin"}).read(1, 2) is None
    content = json.loads(manifest.read_text())
    content["layers"]["2"] = content["layers"]["1"]
    manifest.write_text(json.dumps(content).replace('"margin"', '"win"'))
    shutil.copy(tmp_path / "layer_1.bin", tmp_path / "layer_2.bin")
    folder = LayerFolder(tmp_path, {"payoff": "win"})
    assert folder.read(1, 2) is not None
    assert folder.read(2, 2) is None


@pytest.mark.parametrize("says_so", [False, True])
def test_a_policy_of_many_terabytes_is_damaged(tmp_path, says_so):
    size = 10**13
    tensor = {"x": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}
    head = json.dumps(tensor).encode() if says_so else b""
    with open(tmp_path / "policy.safetensors", "wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        file.truncate(8 + len(head) + size)  # it holds nothing
    with pytest.raises(ValueError, match=r"policy.safetensors is missing or damaged: it is longer than"):
        load_policy(tmp_path / "policy.safetensors", make_game("jujitsu", num_cards=3))


def test_a_file_that_cannot_be_mapped_is_one_clear_error(copy, monkeypatch):
    monkeypatch.setattr(archives, "safe_open", Mock(side_effect=RuntimeError("unable to mmap 12 bytes")))
    with pytest.raises(ValueError, match=r"policy.safetensors is missing or damaged: unable to mmap"):
        load_policy(copy, GAME)


SPOILT_LEVELS = [
    lambda path: path.unlink(),
    lambda path: path.write_bytes(path.read_bytes()[1:]),
    lambda path: path.write_bytes(b""),  # checksums that name no level hide none
]


@pytest.mark.parametrize("spoil", SPOILT_LEVELS)
@pytest.mark.parametrize("name", ["dice_poker_level_1.safetensors", "checksums.txt"])
def test_a_level_that_is_damaged_is_one_clear_error(tmp_path, monkeypatch, capsys, name, spoil):
    shutil.copytree(level_files.FOLDER, tmp_path / "levels", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    monkeypatch.setattr(level_files, "FOLDER", tmp_path / "levels")
    spoil(tmp_path / "levels" / name)
    level_files.levels.cache_clear()
    try:
        code, _, err = command(capsys, "levels")
    finally:
        level_files.levels.cache_clear()
    assert (code, err.count("\n")) == (2, 1)
    assert "damaged" in err
    assert "install the package again" in err


# -- names ---------------------------------------------------------------------------------------------------


def test_names_do_nothing_on_the_terminal_and_in_pages(real, tmp_path, capsys):
    odd = shutil.copytree(real, tmp_path / f"{ESCAPE}run")
    code, out, err = command(capsys, "playoffs", "jujitsu", "num_cards=3", str(odd), "--out", str(tmp_path / ESCAPE))
    assert (code, err) == (0, "")
    assert r"\x1b]0;owned\x07run" in out
    bad = shutil.copytree(real, tmp_path / f"{ESCAPE}bad")
    change_config(bad, label=[ESCAPE])
    words = ["report", str(odd), str(bad), "--out", str(tmp_path / ESCAPE / "page.html"), "--skip-damaged"]
    code, out_of_report, err = command(capsys, *words)
    assert code == 0
    for text in (out, out_of_report, err, *(path.read_text() for path in (tmp_path / ESCAPE).glob("*.[mhc][dts]*"))):
        assert not [letter for letter in text if not letter.isprintable() and letter not in "\n\t"]


def test_what_means_something_in_markdown_is_escaped():
    text = "<b> &lt; ~~x~~ $y$ `z` http://a www.b c@d [e](f) *g* \x1b[31m \u202e"
    assert plain(text) == (
        r"\<b\> \&lt; \~\~x\~\~ \$y\$ \`z\` http\://a www\.b c\@d \[e\](f) \*g\* " r"\\x1b\[31m \\u202e"
    )


def test_a_message_is_one_line_of_moderate_length():
    line = in_one_line("a\nb\r\n" + "x" * 10**6 + "\x1b restore a copy")
    assert line.startswith("a b xxx")
    assert line.endswith(r"\x1b restore a copy")
    assert len(line) < 1100


def test_a_study_that_is_only_listed_names_what_is_damaged(real, tmp_path, capsys):
    study = '[[runs]]\ngames = ["jujitsu num_cards=3"]\nalgorithms = ["cfr_plus steps=4 evaluate_every=2"]\n'
    (tmp_path / "study.toml").write_text(study)
    folder = tmp_path / "out" / "jujitsu-num_cards=3-cfr_plus-steps=4-evaluate_every=2-seed=0"
    shutil.copytree(real, folder)
    words = ["study", str(tmp_path / "study.toml"), "--out", str(tmp_path / "out"), "--dry-run"]
    assert "finished" in command(capsys, *words)[1]
    (folder / "metrics.csv").write_text("torn")
    code, out, _ = command(capsys, *words)
    assert code == 0
    assert f"Damaged: {folder.name}: {folder / 'metrics.csv'} cannot be read" in out
