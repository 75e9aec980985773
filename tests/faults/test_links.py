"""Links, pipes and the like in place of files: not read, and nothing is written through them."""

import faulthandler
import os
import shutil
import signal
from contextlib import contextmanager

import pytest
from command import run_refused
from run_files import change_config
from small_runs import GAME, NAME, STUDY, contents, learned
from thinning import each_row

import train.runs.exploit as exploiting
from baselines.oracles.rank_games.solver import DuelTable
from baselines.system.files import open_inside, read_plain, write_atomically
from train.policies.files import load_policy
from train.reports.groups import read_run
from train.reports.page import write_report

SECONDS = 30
CHECK = ["check", "cardwar/jujitsu-v0", "num_cards=2", "--only", "metadata_say_what_is_offered", "--games", "1"]


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


def resumed(folder):
    return learned(folder, resume=True)


def policy_in(folder):
    return load_policy(folder, GAME)


READERS = [
    *((name, read_run) for name in ("config.json", "metadata.json", "metrics.csv", "checksums.txt")),
    ("checkpoint.safetensors", resumed),
    ("policy.safetensors", policy_in),
]
LINK = "is a link, which is not followed"
# What is put in place of a file, and the message; `whole` is the file itself, moved away.
INSTEAD = {
    "pipe": (lambda path, whole: os.mkfifo(path), "is a named pipe, not a plain file"),
    "device": (lambda path, whole: path.symlink_to("/dev/zero"), LINK),
    "link": (lambda path, whole: path.symlink_to(whole), LINK),
    "link to nothing": (lambda path, whole: path.symlink_to(whole.with_name("nothing")), LINK),
}


@each_row(("name", "read"), READERS)
@pytest.mark.parametrize("what", ["pipe", "device", "link"])
def test_only_plain_files_are_read(copy, name, read, what):
    path, whole = copy / name, copy.with_name(name)
    path.rename(whole)
    put, message = INSTEAD[what]
    put(path, whole)
    with no_waiting(), pytest.raises(ValueError, match=rf"{name} {message}"):
        read(copy)
    whole.replace(path)


def test_settings_that_are_a_link_to_nothing_are_refused_with_a_policy(copy):
    (copy / "config.json").unlink()
    (copy / "config.json").symlink_to(copy / "nothing")
    with pytest.raises(ValueError, match=f"config.json {LINK}"):
        policy_in(copy)


@each_row("name", ["checkpoint.safetensors", "metrics.csv", "policy.safetensors", "tensorboard"])
def test_a_run_does_not_write_through_links(copy, name):
    path, elsewhere = copy / name, copy.with_name("elsewhere")
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    before = contents(copy.parent)
    with pytest.raises(ValueError, match=rf"{name} {LINK}"):
        resumed(copy)
    assert contents(copy.parent) == before
    path.unlink()
    elsewhere.rename(path)


def test_half_written_files_that_are_links_are_not_followed(tmp_path, victim):
    folder = tmp_path / "run"
    folder.mkdir()
    for name in ("config.json", "metrics.csv", "checkpoint.safetensors"):
        (folder / f".{name}.new").symlink_to(victim)
    learned(folder)


@each_row("place", [".lock", "logs", f"logs/{NAME}.log", NAME])
def test_a_study_does_not_write_through_links(tmp_path, victim, capsys, monkeypatch, place):
    monkeypatch.setattr("train.studies.runner.PROGRAM", ("true",))
    (tmp_path / "study.toml").write_text(STUDY)
    folder, out = tmp_path / "folder", tmp_path / "out"
    folder.mkdir(exist_ok=True)
    shutil.rmtree(out, ignore_errors=True)
    link = out / place
    link.parent.mkdir(parents=True)
    link.symlink_to(folder if place in ("logs", NAME) else victim)
    assert f"{link} {LINK}" in run_refused(capsys, "study", str(tmp_path / "study.toml"), "--out", str(out))
    assert not list(folder.iterdir())


@each_row("name", ["manifest.json", "layer_1.bin", ".lock"])
@pytest.mark.parametrize("what", INSTEAD)
def test_a_cache_has_plain_files_only(tmp_path, victim, name, what):
    cache = tmp_path / f"cache {name}"
    cache.mkdir()
    INSTEAD[what][0](cache / name, victim)
    with no_waiting(), pytest.raises((ValueError, OSError), match=r"plain file|link|No such device"):
        DuelTable(GAME, folder=cache).solve()
    assert not (tmp_path / "nothing").exists()


def test_another_name_of_a_file_that_is_written_anew_keeps_its_content(tmp_path, victim):
    (tmp_path / "logs").mkdir()
    os.link(victim, tmp_path / "logs" / "run.log")
    with open_inside(tmp_path, "logs/run.log", "wb") as log:
        log.write(b"new")
    assert (tmp_path / "logs" / "run.log").read_text() == "new"


def test_a_lock_is_a_plain_file_of_its_own(tmp_path, victim):
    lock = tmp_path / ".lock"
    for make in (lambda: os.mkfifo(lock), lambda: os.link(victim, lock)):
        make()
        with no_waiting(), pytest.raises((ValueError, OSError), match=r"has other hard links|No such device"):
            open_inside(tmp_path, ".lock", "ab")
        lock.unlink()


def test_runs_of_responders_are_not_written_through_a_link(tmp_path):
    (tmp_path / "victim").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / exploiting.LEARNERS["dqn_response"]).symlink_to(tmp_path / "victim")
    with pytest.raises(ValueError, match=LINK):
        exploiting.exploit(GAME, "uniform", tmp_path / "out", steps=10, games=100)
    assert not list((tmp_path / "victim").iterdir())
    assert len(list((tmp_path / "out").iterdir())) == 1


# Commands that write files: the words before the file or its folder, the file to obstruct, and the work before writing.
CHECKED = "zoocheck.command._checked"
WRITERS = {
    "page": (["page", "jujitsu", "num_cards=2", "--out"], "a.html", "cardwar_play.one_file.places_of"),
    "gif": (["watch", "jujitsu", "num_cards=2", "--gif"], "a.gif", "cardwar_cli.watch.play_episode"),
    "reproduce": ([*CHECK, "--reproduce"], "a.py", CHECKED),
    "record": (["play", "jujitsu", "num_cards=2", "--record"], "a.json", "cardwar_cli.play.find_equilibrium"),
    "report": (["report", "RUN", "--out"], "a.html", "train.reports.page.run_folders"),
    "tables of a report": (["report", "RUN", "--out", "OUT/a.html"], "a.md", "train.reports.page.run_folders"),
    "play-offs": (
        ["playoffs", "jujitsu", "num_cards=2", "uniform", "--out", "OUT"],
        *("playoffs.png", "cardwar_cli.playoffs.play_all"),
    ),
    "reproduction": (["reproduce", "war-full-deck", "--out", "OUT"], "rows.csv", "lab.papers.recompute"),
    "bound": (
        ["exploit", "war", "ranks=13", "--policy=uniform", "--approximate", "--out", "OUT"],
        *("bound.json", "train.runs.exploit.run"),
    ),
}


@each_row("what", [*INSTEAD, "a file in place of the folder"])
@pytest.mark.parametrize("writer", WRITERS)
def test_output_that_cannot_be_written_is_refused_before_the_work(
    real, tmp_path, victim, capsys, monkeypatch, what, writer
):
    words, name, work = WRITERS[writer]
    monkeypatch.setattr(work, lambda *_, **__: pytest.fail("the work began"))
    folder = tmp_path / what.replace(" ", "-")
    folder.mkdir()
    if what in INSTEAD:
        out, in_the_way = folder, folder / name
        INSTEAD[what][0](in_the_way, victim)
    else:
        out, in_the_way = folder / "file" / "new", folder / "file"
        in_the_way.write_text("in the way")
    before = os.lstat(in_the_way).st_ino
    words = [word.replace("OUT", str(out)).replace("RUN", str(real)) for word in words]
    said = run_refused(capsys, *words, *([] if str(out) in " ".join(words) else [str(out / name)]))
    assert str(in_the_way) in said or "file is not an existing folder" in said
    assert os.lstat(in_the_way).st_ino == before
    assert list(folder.iterdir()) == [in_the_way]


@pytest.mark.parametrize("what", INSTEAD)
def test_a_file_replaces_plain_files_only(tmp_path, victim, what):
    path = tmp_path / "file"
    INSTEAD[what][0](path, victim)
    with no_waiting(), pytest.raises(ValueError, match=r"a link, which is not followed|not a plain file"):
        write_atomically(path, b"content")
    assert list(tmp_path.glob(".*")) == []


def test_the_folder_itself_may_be_a_link_and_none_below_it(tmp_path):
    (tmp_path / "real" / "below").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with open_inside(tmp_path / "link", "new/file", "wb") as file:
        file.write(b"1")
    assert (tmp_path / "real" / "new" / "file").read_bytes() == b"1"
    (tmp_path / "real" / "way").symlink_to(tmp_path / "real" / "below")
    with pytest.raises(ValueError, match=f"way {LINK}"):
        open_inside(tmp_path / "link", "way/file", "wb")
    assert not list((tmp_path / "real" / "below").iterdir())


def test_names_in_settings_do_not_decide_where_is_written(copy, tmp_path, undrawn):
    change_config(copy, **dict.fromkeys(("game", "algorithm", "title", "label", "step"), "../../escaped"))
    before = contents(tmp_path)
    written = write_report([copy], tmp_path / "page" / "report.html")
    after = contents(tmp_path)
    assert set(after) - set(before) == {tmp_path / "page", written.page, written.tables}
    assert {path: after[path] for path in before} == before
    with pytest.raises(ValueError, match=r"game='\.\./\.\./escaped', not 'jujitsu'"):
        resumed(copy)
    assert contents(tmp_path) == after


def test_what_is_too_long_is_not_read(tmp_path):
    with open(tmp_path / "file", "wb") as file:
        file.truncate(10**12)
    with pytest.raises(ValueError, match="file is longer than 30000000 bytes"):
        read_plain(tmp_path / "file")


def test_a_link_that_appears_after_the_check_is_not_followed(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").write_text("kept")
    (tmp_path / "run.log").symlink_to(tmp_path / "elsewhere")
    monkeypatch.setattr("baselines.system.files.refuse_links", lambda folder, name: None)
    for mode in ("ab", "rb"):
        with pytest.raises(OSError, match="symbolic link"):
            open_inside(tmp_path, "run.log", mode)
    assert (tmp_path / "elsewhere").read_text() == "kept"
