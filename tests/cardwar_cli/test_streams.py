"""The command without one of its standard streams, or with a pipe that nobody reads."""

import io
import os
import subprocess
import sys
from functools import partial

import pytest
from forked import cardwar
from thinning import each_row

from cardwar_cli.console import advancing
from cardwar_cli.main import main

UNWRITTEN = "cardwar: standard output cannot be written: Bad file descriptor\n"
PLAY = "play jujitsu num_cards=3"


def without(*names):
    """Leaves this process as one that was started without these streams."""
    for name in names:
        setattr(sys, name, None)


def without_reader():
    reader, writer = os.pipe()
    os.close(reader)
    sys.stdout = open(writer, "w")  # noqa: SIM115  # until the process ends


@each_row(
    ("words", "before", "code", "said"),
    [
        (PLAY, partial(without, "stdin"), 2, "cardwar: the input ended before the game did, at move 1\n"),
        (f"{PLAY} --web --port 0", partial(without, "stdin", "stdout"), 2, UNWRITTEN),
        (PLAY, partial(without, "stdin", "stdout", "stderr"), 2, ""),
        ("nonsense", partial(without, "stderr"), 2, ""),
        ("--version", partial(without, "stderr"), 0, ""),
        ("levels", without_reader, 1, ""),
    ],
)
def test_a_closed_stream_is_one_clear_line(words, before, code, said):
    assert cardwar(*words.split(), before=before) == (code, said)


@each_row(
    ("words", "encoding", "shown"),
    [
        ("watch jujitsu num_cards=3 uniform uniform", "cp1252", "\n----------"),
        ("watch jujitsu num_cards=3 uniform uniform", "ascii", "\n----------"),
        ("match lowest_unique uniform uniform uniform --games 9", "ascii", " +/- "),
        ("match lowest_unique uniform uniform uniform --games 9", "utf-8", " ± "),
    ],
)
def test_output_in_any_encoding_loses_no_result(monkeypatch, words, encoding, shown):
    printed = io.BytesIO()
    with io.TextIOWrapper(printed, encoding=encoding) as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        with pytest.raises(SystemExit) as ended:
            main([*words.split(), "--seed", "1"])
        text = printed.getvalue().decode(encoding)
    assert (ended.value.code, "?" in text, shown in text) == (0, False, True)


def test_a_process_without_stdout_says_so_and_has_not_imported_what_it_does_not_need():
    script = """
import sys
import train.text.game_names
assert not {"torch", "pydantic"} & set(sys.modules)
import lab.papers.fetterman.paper
assert not {"torch", "matplotlib", "lab.papers.dice_wars"} & set(sys.modules)
from cardwar_cli.main import main
try:
    main(["solve", "jujitsu", "num_cards=3", "--json"])
finally:
    assert not {"torch", "stable_baselines3", "matplotlib"} & set(sys.modules)
"""
    close = partial(os.close, 1)
    done = subprocess.run([sys.executable, "-c", script], preexec_fn=close, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, UNWRITTEN)


def test_refusals_import_no_torch(tmp_path):
    script = """
import sys
from cardwar_cli.main import main
for words in (["report", "nowhere"], ["report", "."]):
    try:
        main(words)
    except SystemExit as ended:
        assert ended.code == 2 and not {"torch", "numba", "matplotlib", "jinja2"} & set(sys.modules), words
for words in ("--algoritm x", "--steps 0", "--measure nope",
    "--algorithm cfr_plus --wings 2", "--algorithm ppo --width=0"):
    try:
        main(["train", "jujitsu", "num_cards=3", *words.split()])
    except SystemExit as ended:
        assert ended.code == 2 and not {"torch", "numba"} & set(sys.modules), words
try:
    main(["study", "missing.toml"])
finally:
    assert "torch" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 8)


def test_long_work_tells_of_its_progress_without_a_terminal(capsys, monkeypatch):
    times = iter([0.0, 5.0, 11.0, 15.0, 23.0, 40.0])
    monkeypatch.setattr("cardwar_cli.console.time.monotonic", lambda: next(times))
    with advancing("states") as progress:
        progress(1_000)
        progress.expect(50_000)
        for done in (2_000, 3_000, 4_000, 5_000):
            progress(done)
    assert capsys.readouterr() == ("", "states: 2,000 of 50,000 after 11 s\nstates: 4,000 of 50,000 after 23 s\n")
