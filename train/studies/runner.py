"""Executes the runs of a study, each in its own process, and resumes interrupted runs."""

from __future__ import annotations

import math
import os
import shutil
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

from filelock import lock_descriptor

from baselines.system.files import open_inside, refuse_links
from cardwar_envs.core.process import without_secrets
from train.policies.agent_process import FROM_FILE
from train.reports.groups import Run, read_run
from train.storage.formats import share_used
from train.storage.run_folder import CONFIG_FILE, MetricsRow, RunFolder
from train.studies.study_file import StudyRun

LOCK = ".lock"
# Free disk space that a run needs, in bytes.
LITTLE_ROOM = 1_000_000
# Without -P, modules in the working folder would shadow the modules of this package.
PROGRAM = (sys.executable, "-P", "-m", "cardwar_cli.main")
POLL_SECONDS = 0.5
# Seconds that runs have to notice the end of their study; running compiled code delays this.
PATIENCE_SECONDS = 10.0


class State(StrEnum):
    """The progress of a run."""

    NEW = "new"
    UNFINISHED = "unfinished"
    FINISHED = "finished"
    FAILED = "failed"


class StudyTask:
    """A run of the study and the current content of the run's folder, which is in the study's folder `out`."""

    def __init__(self, run: StudyRun, out: Path) -> None:
        """Reads the folder; raises ValueError if it contains another run, or if the folder or the log is a link."""
        self.run, self.out, self.folder = run, out, out / run.name
        self.log = out / "logs" / f"{run.name}.log"  # output of the latest process
        refuse_links(out, run.name)
        refuse_links(out, f"logs/{self.log.name}")
        self.reason: str | None = None  # why the run failed
        self.held: Run | None = None  # the folder as last read; None if it is missing or damaged
        self.damage: str | None = None  # why the folder could not be read
        self.read()
        if self.held is not None:
            RunFolder(self.folder).check_same(run.identity)

    def read(self) -> None:
        """Reads the folder of the run again."""
        # A resumed run reports damage itself. A file that is being written now can be read next time.
        self.damage = None
        try:
            if (self.folder / CONFIG_FILE).exists():
                self.held = read_run(self.folder)
        except ValueError as error:
            self.damage = str(error)

    @property
    def state(self) -> State:
        """The progress of the run."""
        if self.reason is not None:
            return State.FAILED
        if self.held is None:
            return State.UNFINISHED if (self.folder / CONFIG_FILE).exists() else State.NEW
        return State.FINISHED if self.held.finished else State.UNFINISHED

    @property
    def last(self) -> MetricsRow | None:
        """The newest row of metrics; None before the first evaluation."""
        return self.held.rows[-1] if self.held and self.held.rows else None

    @property
    def share(self) -> float:
        """The fraction of the budget that is used, in [0, 1]."""
        last = self.last
        return min(1.0, share_used(vars(self.run.args), last["steps"], last["cpu_seconds"])) if last else 0.0

    @property
    def pace(self) -> float | None:
        """Mean seconds per step; None before the first evaluation that follows step 0."""
        return self.last["seconds"] / self.last["steps"] if self.last and self.last["steps"] else None

    def whole(self, pace: float) -> float:
        """Estimates the seconds of the whole run, at a pace in seconds per step."""
        args = self.run.args
        return min(pace * args.steps, args.cpu_seconds or math.inf)


Show = Callable[[Sequence[StudyTask], Sequence[StudyTask]], None]


def carry_out(chosen: Sequence[StudyTask], out: Path, jobs: int, show: Show) -> None:
    """Starts or resumes the unfinished runs.

    Args:
        chosen: The runs; their `held` and `reason` are kept up to date.
        out: The study's folder.
        jobs: Number of parallel processes.
        show: Called several times a second with the active runs and the runs that have just ended.

    Raises:
        ValueError: If another study is active in the folder, or the lock file is a link.
    """
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
    """Locks the folder for this study. Its runs also hold the lock, so no study can start while a run is active."""
    with open_inside(out, LOCK, "ab") as file:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not lock_descriptor(file.fileno(), blocking=False):
            if time.monotonic() > deadline:
                raise ValueError(f"{out}: another study is active in this folder")
            time.sleep(POLL_SECONDS)
        yield file.fileno()


def _start(each: StudyTask, lock: int) -> subprocess.Popen[bytes]:
    words = each.run.words(each.folder)
    if (each.folder / CONFIG_FILE).exists():
        words.append("--resume")
    with open_inside(each.out, f"logs/{each.log.name}", "wb") as log:
        return subprocess.Popen(
            [*PROGRAM, *words],
            stdin=subprocess.PIPE,  # closed when the study ends in any way
            stdout=log,
            stderr=log,
            # Not possible on Windows, where runs also end with their study.
            pass_fds=[lock] if os.name == "posix" else [],
            env=without_secrets(CARDWAR_END_WITH_STDIN="1", **{FROM_FILE: "1"}),
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
        each.reason = said[-1].removeprefix("cardwar: ") if said else _unsaid(each, process.returncode)


def _unsaid(each: StudyTask, code: int) -> str:
    """Explains the failure of a run that could not write its log."""
    left = shutil.disk_usage(each.out).free
    return f"exit code {code}" + (f"; only {left:,} bytes are left on the disk" if left < LITTLE_ROOM else "")


def seconds_left(all_runs: Sequence[StudyTask], chosen: Sequence[StudyTask], jobs: int) -> float | None:
    """Estimates the seconds until the chosen runs end, if `jobs` run in parallel; None if no run has a pace yet.

    A run that has started continues at its own pace. For other runs, the estimate is the median pace of runs in
    `all_runs` with the same game and algorithm or, if there are none, the median time of all runs.
    """
    paces: dict[Any, list[float]] = defaultdict(list)
    for each in all_runs:
        if each.pace is not None:
            paces[each.run.game, each.run.algorithm].append(each.pace)
    if not paces:
        return None
    known = [each.whole(each.pace) for each in all_runs if each.pace is not None]
    left = 0.0
    for each in chosen:
        if each.state in (State.NEW, State.UNFINISHED):
            like = [each.pace] if each.pace is not None else paces.get((each.run.game, each.run.algorithm))
            left += (1.0 - each.share) * (each.whole(median(like)) if like else median(known))
    return left / jobs
