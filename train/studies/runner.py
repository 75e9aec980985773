"""Carries out the runs of a study: each in a process of its own, resumed if it was stopped, a failed one named."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from statistics import median
from typing import Any

from train.policies.files import POLICY_FILE
from train.reports.curves import PLOT_FILE
from train.reports.groups import Run, read_run
from train.storage.run_folder import CONFIG_FILE, RunFolder
from train.studies.study_file import StudyRun

LOGS, LOCK = "logs", ".lock"
PROGRAM = (sys.executable, "-m", "train.studies.study_run")
POLL_SECONDS = 0.5
# Runs of a study that was killed notice it at once, unless they are in the middle of a compiled computation.
PATIENCE_SECONDS = 10.0


class State(StrEnum):
    """How far a run has come."""

    NEW = "new"
    UNFINISHED = "unfinished"
    FINISHED = "finished"
    FAILED = "failed"


class StudyTask:
    """A run of the study and what its folder holds by now.

    Attributes:
        run: What is asked for.
        folder: Its folder.
        log: What it printed when it was last at work.
        reason: Why it has failed; None if it has not.
        held: Its folder as it was last read; None if there was nothing to read, or it is damaged.
    """

    def __init__(self, run: StudyRun, out: Path) -> None:
        """Reads the run's folder in the study's.

        Raises:
            ValueError: If it holds another run.
        """
        self.run, self.folder = run, out / run.name
        self.log = out / LOGS / f"{run.name}.log"
        self.reason: str | None = None
        self.held: Run | None = None
        self.damage: str | None = None
        self.read()
        if self.held is not None:
            RunFolder(self.folder).check_same(run.identity)

    def read(self) -> None:
        """Looks at the folder anew."""
        # What is damaged is the run's to complain about first; what is just being written is there the next time.
        self.damage = None
        try:
            if (self.folder / CONFIG_FILE).exists():
                self.held = read_run(self.folder)
        except ValueError as error:
            self.damage = str(error)

    @property
    def state(self) -> State:
        """How far it has come."""
        if self.reason is not None:
            return State.FAILED
        if self.held is None:
            return State.UNFINISHED if (self.folder / CONFIG_FILE).exists() else State.NEW
        # The policy and then the picture are the last that a run writes.
        ended = self.held.finished and all((self.folder / name).exists() for name in (POLICY_FILE, PLOT_FILE))
        return State.FINISHED if ended else State.UNFINISHED

    @property
    def share(self) -> float:
        """The part of its steps that has been taken, in [0, 1]."""
        if self.held is None or not self.held.rows:
            return 0.0
        return min(1.0, self.held.rows[-1]["steps"] / self.run.args.steps)

    @property
    def pace(self) -> float | None:
        """Seconds of a step so far; None before the first evaluation."""
        return self.held.rows[-1]["seconds"] / self.held.rows[-1]["steps"] if self.held and self.held.rows else None


Show = Callable[[Sequence[StudyTask], Sequence[StudyTask]], None]


def carry_out(chosen: Sequence[StudyTask], out: Path, jobs: int, show: Show) -> None:
    """Makes or goes on with those runs that have not finished.

    Args:
        chosen: The runs; their `held` and `reason` are kept up to date.
        out: The study's folder; there is one study at work in it at a time.
        jobs: How many processes at once.
        show: Called several times a second with the runs that are at work and those that have just ended.

    Raises:
        ValueError: If another study is at work in the folder.
    """
    (out / LOGS).mkdir(parents=True, exist_ok=True)
    waiting = [each for each in chosen if each.state is not State.FINISHED]
    working: dict[StudyTask, subprocess.Popen[bytes]] = {}
    with _locked(out) as lock:
        try:
            while waiting or working:
                while waiting and len(working) < jobs:
                    working[waiting[0]] = _start(waiting[0], lock)
                    waiting.pop(0)
                time.sleep(POLL_SECONDS)
                ended = [each for each, process in working.items() if process.poll() is not None]
                for each in working:
                    each.read()
                for each in ended:
                    _end(each, working.pop(each))
                show(list(working), ended)
        finally:
            for process in working.values():
                process.kill()
                process.wait()


@contextmanager
def _locked(out: Path) -> Iterator[int]:
    """Holds the folder for this study. Its runs hold it too, so that one that outlives it is waited for."""
    with open(out / LOCK, "w") as file:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise ValueError(f"{out}: another study is at work in this folder") from None
                time.sleep(POLL_SECONDS)
        yield file.fileno()


def _start(each: StudyTask, lock: int) -> subprocess.Popen[bytes]:
    words = each.run.words(each.folder)
    if (each.folder / CONFIG_FILE).exists():
        words.append("--resume")
    with open(each.log, "wb") as log:
        return subprocess.Popen(
            [*PROGRAM, *words],
            stdin=subprocess.PIPE,  # closed when the study ends, however that happens
            stdout=log,
            stderr=log,
            pass_fds=[lock],
        )


def _end(each: StudyTask, process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    each.read()
    if process.returncode < 0:
        each.reason = f"killed by signal {-process.returncode}"
    elif process.returncode == 0 and each.damage is not None:
        each.reason = each.damage
    elif process.returncode > 0 or each.state is not State.FINISHED:
        lines = each.log.read_text(errors="replace").split("\n")
        said = [line.strip() for line in lines if line.strip()]
        each.reason = said[-1].removeprefix("cardwar: ") if said else f"exit code {process.returncode}"


def seconds_left(all_runs: Sequence[StudyTask], chosen: Sequence[StudyTask], jobs: int) -> float | None:
    """An estimate of the time until the chosen runs have ended.

    A step of a run takes what it took so far; one of a run that has not begun what it takes in others of its
    game and algorithm. A run of which nothing like it is known takes the median of all.

    Args:
        all_runs: To go by.
        chosen: To be ended.
        jobs: How many are at work at once.

    Returns:
        Seconds; None as long as nothing is known of any run.
    """
    paces: dict[Any, list[float]] = defaultdict(list)
    for each in all_runs:
        if each.pace is not None:
            paces[each.run.game, each.run.algorithm].append(each.pace)
    if not paces:
        return None
    known = [each.pace * each.run.args.steps for each in all_runs if each.pace is not None]
    left = 0.0
    for each in chosen:
        if each.state in (State.NEW, State.UNFINISHED):
            like = [each.pace] if each.pace is not None else paces.get((each.run.game, each.run.algorithm))
            left += (1.0 - each.share) * (median(like) * each.run.args.steps if like else median(known))
    return left / jobs
