"""Where nothing can be written: one clear error, old files whole, and a run that goes on when there is room."""

import os
import resource
import shutil
import stat
import subprocess

import pytest
from command import run, run_refused
from forked import cardwar, run_program

from baselines.system.files import require_writable, write_atomically
from lab.papers.findings import Reproduction

TRAIN = ["train", "jujitsu", "num_cards=3", "--algorithm", "cfr_plus", "--steps", "4", "--evaluate-every", "2"]
OWN_MOUNTS = ["unshare", "--map-root-user", "--mount"]


def one_clear_error(code, errors):
    lines = [line for line in errors.splitlines() if not line.startswith("CFR+ on")]  # progress
    return code == 2 and len(lines) == 1 and lines[0].startswith("cardwar: ")


def test_a_file_that_finds_no_room_is_an_error_that_names_it(tmp_path):
    out, limit = tmp_path / "run", (3000, resource.RLIM_INFINITY)
    code, errors = cardwar(*TRAIN, "--out", out, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
    assert one_clear_error(code, errors), errors
    assert "File too large" in errors
    assert str(out / "checkpoint.safetensors") in errors
    assert not list(out.glob(".*"))
    assert cardwar(*TRAIN, "--out", out, "--resume")[0] == 0


def can_mount():
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*OWN_MOUNTS, "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.soak
def test_a_full_disk_is_one_clear_error_and_goes_on_when_there_is_room(tmp_path):
    if not can_mount():
        pytest.skip("no mount namespace of one's own is to be had here")
    refused = run_program("program_disk.py", tmp_path, prefix=OWN_MOUNTS)
    studies = {what: refused.pop(what) for what in list(refused) if what.startswith("study")}
    for what, (code, errors) in studies.items():  # its runs are processes of their own; each has a line
        assert code in (1, 2), (what, code, errors)
        assert "No space left on device" in errors or "bytes are left on the disk" in errors, (what, errors)
        assert "Traceback" not in errors, (what, errors)
    for what, (code, errors) in refused.items():
        assert code == 0 or one_clear_error(code, errors), (what, code, errors)
    for what in ("train 0", "train 8192", "report 0"):
        assert "No space left on device" in refused[what][1], what
    assert all(
        "Read-only file system" in errors for what, (_, errors) in refused.items() if what.startswith("read-only")
    )


def test_a_folder_that_cannot_be_is_one_clear_error(capsys, tmp_path):
    (tmp_path / "file").write_text("in the way")
    inside = str(tmp_path / "file" / "inside")
    for words in ([*TRAIN, "--out", inside], ["solve", "jujitsu", "num_cards=3", "--cache", inside]):
        assert inside in run_refused(capsys, *words)
    for words in (["reproduce", "war-full-deck"], ["playoffs", "jujitsu", "num_cards=3", "uniform", "equilibrium"]):
        assert "is a file" in run_refused(capsys, *words, "--out", str(tmp_path / "file"))  # said before the work
    assert (tmp_path / "file").read_text() == "in the way"


@pytest.mark.parametrize(
    ("words", "result"),
    [
        ("playoffs jujitsu num_cards=2 uniform --out OUT/new", "exploitability"),
        ("reproduce dice-wars --out OUT/new", "holds: all is well"),
    ],
)
def test_a_result_that_cannot_be_written_is_still_printed(capsys, tmp_path, monkeypatch, words, result):
    monkeypatch.setattr("os.fsync", full)
    monkeypatch.setattr("lab.papers.recompute", lambda *_: Reproduction((), {"all is well": True}))
    code, shown, errors = run(capsys, *words.replace("OUT", str(tmp_path)).split())
    assert one_clear_error(code, errors), errors
    assert "No space left on device" in errors
    assert result in shown


def full(*_):
    raise OSError(28, "No space left on device")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_atomically(path, b"old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*file'"):
        write_atomically(path, b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"old"


def test_a_folder_without_write_permission_is_found_before_the_work(tmp_path, monkeypatch):
    def denied(*_, **__):
        raise PermissionError(13, "Permission denied")

    require_writable(tmp_path / "new" / "file", new_folders=True)
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr("os.open", denied)  # the superuser may write everywhere
    with pytest.raises(PermissionError, match=r"Permission denied: '.*file'"):
        require_writable(tmp_path / "file")


def test_the_name_of_a_file_is_made_to_last_as_well(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(stat.S_ISDIR(os.fstat(descriptor).st_mode)))
    write_atomically(tmp_path / "file", b"content")
    assert synced == [False, True]
