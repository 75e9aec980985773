"""Folders and files from a stranger: files of other runs, figures that cannot be, and names."""

import json
import shutil
from unittest.mock import Mock

import numpy as np
import pytest
from command import run as command
from command import run_refused
from run_files import change_config, seal
from small_runs import ESCAPE, GAME, NAME, STUDY, learned
from thinning import each_row

import baselines.opponents.levels.level as level_files
import train.storage.archive as archives
from baselines.system.files import parse_object
from baselines.system.layer_files import LayerFolder
from train.policies.files import POLICY_FILE, load_policy
from train.reports.groups import read_run
from train.reports.page import write_report
from train.reports.tables import plain
from train.storage.archive import Archive, read_archive, write_archive
from train.studies.study_file import read_study
from train.text.printing import in_one_line

# -- files of others, and files that say what cannot be ----------------------------------------------------


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


def write_metrics(folder, lines):
    (folder / "metrics.csv").write_text("\n".join(lines) + "\n")
    seal(folder)


def test_a_figure_that_stands_twice_is_refused(copy):
    lines = (copy / "metrics.csv").read_text().splitlines()
    last = lines[0].split(",")[-1]
    write_metrics(copy, [f"{line},{line.split(',')[-1]}" for line in lines])
    with pytest.raises(ValueError, match=f"its first line contains a name twice: .*{last}, {last}"):
        read_run(copy)


def test_matches_without_intervals_are_refused(copy):
    change_config(copy, measured="matches", figure="payoff_uniform", reference={})
    heading, row = "steps,seconds,cpu_seconds,measured,payoff_uniform", "2,1,1,matches,0.2"
    ends = ",payoff_uniform_low,payoff_uniform_high"
    for more, low_high, message in (
        ("", "", "must have the columns payoff_uniform"),
        (ends, ",0.3,0.4", r"\(0\.2\) must be from"),
    ):
        write_metrics(copy, [heading + more, row + low_high])
        with pytest.raises(ValueError, match=message):
            read_run(copy)


def test_a_second_copy_of_a_run_is_left_out_of_a_report(copy, real, tmp_path, undrawn):
    with pytest.raises(ValueError, match="have the same configuration and seed"):
        write_report([real, copy], tmp_path / "page.html")
    written = write_report([real, copy], tmp_path / "page.html", skip_damaged=True)
    assert len(written.skipped) == 1
    assert f"{copy} have the same configuration and seed (0)" in written.skipped[0]


@each_row(
    "text",
    ['{"a": 1, "b": {"c": 1, "c": 2}}', b'{"a": 1, "a": 1}', '{"a": "\\ud800"}', '{"a": "\\ud800"}'.encode("utf-16")],
)
def test_json_that_is_ambiguous_or_cannot_be_written_is_refused(text):
    with pytest.raises(ValueError, match=r"twice|unpaired surrogate|'utf-8' codec can't decode"):
        parse_object(text)
    assert parse_object('{"a": {"b": 1}, "b": "\\u00e4\\ud83d\\ude00"}')["b"] == "ä😀"


def test_a_byte_order_mark_changes_nothing(tmp_path):
    """Some editors begin text files with it."""
    for content, read in (
        ('{"a": {"b": "c"}}', lambda path: parse_object(path.read_bytes())),
        ('{"a": {"b": "c"}}', lambda path: parse_object(path.read_text(encoding="utf-8"))),
        (STUDY, read_study),
    ):
        read_files = []
        for mark in ("", "\ufeff"):
            path = tmp_path / "file"
            path.write_text(mark + content, encoding="utf-8")
            read_files.append(read(path))
        assert read_files[0] == read_files[1]


# -- solution caches and levels ------------------------------------------------------------------------------

LAYER = np.array([0.25, 0.5])
NOT_FINITE = (float("nan"), float("inf"))
GAPS = [(LAYER, gap) for gap in (*NOT_FINITE, -1e-9, "0", 10**400, True)]


@each_row(("values", "gap"), [*GAPS, *((np.array([0.0, value]), 0.0) for value in NOT_FINITE)])
def test_values_are_finite_and_gaps_not_negative_even_if_the_seal_is_right(tmp_path, values, gap):
    folder = LayerFolder(tmp_path, {"name": "a"})
    folder.write(1, LAYER, 0.0)
    assert folder.read(1, 2)[1] == 0.0
    folder.write(1, values, gap)
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


@each_row("says_so", [False, True])
def test_a_policy_of_many_terabytes_is_damaged(tmp_path, says_so):
    size = 10**13
    tensor = {"x": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}
    head = json.dumps(tensor).encode() if says_so else b""
    with open(tmp_path / "policy.safetensors", "wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        file.truncate(8 + len(head) + size)  # it holds nothing
    with pytest.raises(ValueError, match=r"policy.safetensors is missing or damaged: it is longer than"):
        load_policy(tmp_path / "policy.safetensors", GAME)


def test_a_file_that_cannot_be_mapped_is_one_clear_error(copy, monkeypatch):
    monkeypatch.setattr(archives, "safe_open", Mock(side_effect=RuntimeError("unable to mmap 12 bytes")))
    with pytest.raises(ValueError, match=r"policy.safetensors is missing or damaged: unable to mmap"):
        load_policy(copy, GAME)


LEVELS = level_files.FOLDER
SPOILT_LEVELS = [
    lambda path: path.unlink(),
    lambda path: path.write_bytes(path.read_bytes()[1:]),
    lambda path: path.write_bytes(b""),  # checksums that name no level hide none
]


@each_row("spoil", SPOILT_LEVELS)
@each_row("name", ["dice_poker_level_1.safetensors", "checksums.txt"])
def test_a_level_that_is_damaged_is_one_clear_error(tmp_path, monkeypatch, capsys, name, spoil):
    only_levels = shutil.ignore_patterns("*.py", "__pycache__")
    shutil.copytree(LEVELS, tmp_path / "levels", ignore=only_levels, dirs_exist_ok=True)
    monkeypatch.setattr(level_files, "FOLDER", tmp_path / "levels")
    spoil(tmp_path / "levels" / name)
    level_files.levels.cache_clear()
    try:
        said = run_refused(capsys, "levels")
    finally:
        level_files.levels.cache_clear()
    assert "damaged" in said
    assert "install the package again" in said


# -- names ---------------------------------------------------------------------------------------------------


def test_names_do_nothing_on_the_terminal_and_in_pages(real, tmp_path, capsys):
    odd = shutil.copytree(real, tmp_path / f"{ESCAPE}run")
    code, out, err = command(capsys, "playoffs", "jujitsu", "num_cards=3", str(odd), "--out", str(tmp_path / ESCAPE))
    assert (code, err) == (0, "")
    assert r"\x1b]0;owned\x07" in out
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
    (tmp_path / "study.toml").write_text(STUDY)
    folder = shutil.copytree(real, tmp_path / "out" / NAME)
    words = ["study", str(tmp_path / "study.toml"), "--out", str(tmp_path / "out"), "--dry-run"]
    assert "finished" in command(capsys, *words)[1]
    (folder / "metrics.csv").write_text("torn")
    code, out, _ = command(capsys, *words)
    assert code == 0
    assert f"Damaged: {folder.name}: {folder / 'metrics.csv'} cannot be read" in out
