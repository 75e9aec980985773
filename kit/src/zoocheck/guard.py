"""Runs checks in a child process: if the environment ends this process, only the current check fails."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from zoocheck import play, report
from zoocheck.explore import coverage
from zoocheck.kinds import spoken
from zoocheck.runner import run
from zoocheck.subject import PATIENCE, Subject, description, remade
from zoocheck.verdicts import FAILED, MORE, MOST, SKIPPED, Result, processor_seconds

# The time that a process takes to end once it has closed its output.
LAST_SECONDS = 10.0
# A process that does not return is ended after this multiple of the CPU seconds of the whole run.
MOST_OVERRUN = 2.0
# The size of the file with the last call, in bytes.
LONGEST = 4096
NO_ANSWER = "it did not return within the time limit, and its process was ended"
TIME_IS_UP = "an earlier check used up the time"


class Guard(contextlib.AbstractContextManager["Guard"]):
    """Runs checks of one subject in a child process, and starts a new one if the environment has ended it.

    `checks` is the number of checks that will be run, which share the time. Raises Skipped if another process cannot
    find the environment.
    """

    def __init__(self, subject: Subject, checks: int = 1) -> None:
        self.seen: dict[str, dict[str, int]] = {}  # the numbers of games, moves and situations, as `coverage` has them
        self.results: list[Result] = []
        self._subject, self._told = subject, description(subject)
        self._child: subprocess.Popen[str] | None = None
        self._trail = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # it has no name, so it goes with the process
        self._careful, self._draws, self._to_come = False, True, checks
        self._spent = 0.0  # CPU seconds of the processes that have ended
        self._limit = MOST * subject.seconds + MORE
        self._until: float | None = None  # when all checks must be done; the first one starts the clock

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the child process."""
        if self._child is not None:
            _reaped(self._child)
            self._child = None
        self._trail.close()

    def run(self, name: str) -> Result:
        """Runs one check, a key of `CHECKS`; it fails if the environment ends the process.

        Many checks make invalid calls and inspect the errors, or draw. If such a call ends the process, the check runs
        again without it, so that only the check that tests the call fails. Where there is no display, no check fails
        because drawing ends the process.
        """
        result, ended = self._run(name)
        if ended and self._draws and self._had_no_display():
            self._draws = False
            result, ended = self._run(name)
        if ended and not self._careful:
            self._careful = True
            result, _ = self._run(name)
        self._to_come -= 1
        self.results.append(result)
        return result

    def _had_no_display(self) -> bool:
        """Whether the last environment was to draw, and there is no display."""
        display = not sys.platform.startswith("linux") or {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ)
        return not display and "render_mode=" in self._last()

    def _last(self) -> str:
        """The last call that a child has made; empty if there is none."""
        self._trail.seek(0)
        return self._trail.read().decode(errors="replace").rstrip()

    def _run(self, name: str) -> tuple[Result, bool]:
        """The result of a check, and whether the environment ended the process."""
        if self._until is None:
            self._until = time.monotonic() + PATIENCE * self._limit
        if self._is_late():
            return Result(name, SKIPPED, TIME_IS_UP), False
        child = self._child = self._child or self._started()
        timer = threading.Timer(max(1.0, self._until - time.monotonic()), _kill, [child])
        timer.daemon = True  # an interrupt can come before it is cancelled, and this process must still end
        timer.start()
        try:
            answer = _answer(child, name)
        finally:
            timer.cancel()
        if answer is not None:
            self.seen |= answer["seen"]
            return Result(**answer["result"]), False
        began = processor_seconds()
        self._child, code = None, _reaped(child, LAST_SECONDS)
        self._spent += processor_seconds() - began
        return (Result(name, SKIPPED, NO_ANSWER), False) if self._is_late() else (self._ended(name, code), True)

    def _is_late(self) -> bool:
        """Whether the checks have used up their time, or a process that did not return has."""
        assert self._until is not None
        return time.monotonic() >= self._until or self._spent >= MOST_OVERRUN * self._limit

    def _started(self) -> subprocess.Popen[str]:
        budget = {"to_come": self._to_come, "spent": self._spent, "careful": self._careful, "draws": self._draws}
        files = [self._trail.fileno()] if os.name == "posix" else []  # elsewhere no child can inherit it
        told = {"parent": os.getpid(), "limit": MOST_OVERRUN * self._limit - self._spent, "trail": files}
        options: dict[str, Any] = {"text": True, "pass_fds": files, "start_new_session": True}
        options["env"] = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-m", "zoocheck.guard"]
        child = subprocess.Popen[str](command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        _tell(child, json.dumps({"subject": self._told, **told, "budget": budget}))
        return child

    def _ended(self, name: str, code: int) -> Result:
        """The failure of a check in which the environment ended the process."""
        last = self._last()
        end = f"ended its process with exit code {code}"
        if code < 0:
            named = -code in set(signal.Signals)
            end = f"killed its process with {signal.Signals(-code).name if named else f'signal {-code}'}"
        reason = f"{last and f'{last}: '}the environment {end}"
        reason = spoken(reason) if self._subject.gymnasium else reason
        return Result(name, FAILED, reason, script=report.script_of(self._subject, reason))


def _tell(child: subprocess.Popen[str], line: str) -> None:
    assert child.stdin is not None
    with contextlib.suppress(OSError):  # it has ended already, which reading its answer shows
        print(line, file=child.stdin, flush=True)


def _answer(child: subprocess.Popen[str], name: str) -> dict[str, Any] | None:
    """The child's answer; None if it has ended."""
    assert child.stdout is not None
    _tell(child, name)
    line = child.stdout.readline()
    return json.loads(line) if line.endswith("\n") else None


def _kill(child: subprocess.Popen[str]) -> None:
    """Kills a process and everything that it has started, unless it has ended."""
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg") and child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
        child.kill()


def _reaped(child: subprocess.Popen[str], patience: float = 0.0) -> int:
    """Kills a process, if it does not end within that many seconds; returns its exit code."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(patience)
    _kill(child)
    with contextlib.suppress(OSError):  # of a pipe that still has unwritten data
        child.communicate()
    return child.wait()


def _end_with(parent: int, limit: float) -> None:
    """Ends this process and everything that it has started, once its parent has ended or its CPU time is used up."""
    while os.getppid() == parent and time.process_time() < limit:
        time.sleep(1.0)
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _note(file: int, text: Callable[[], str]) -> None:
    """Replaces the content of a file, which outlives this process."""
    os.pwrite(file, text().encode()[:LONGEST].ljust(LONGEST), 0)


def _serve() -> None:
    """Runs, in the child, the checks that the parent names, until its input ends."""
    with os.fdopen(os.dup(0)) as asked, os.fdopen(os.dup(1), "w") as answers:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)  # some environments print
        told = json.loads(asked.readline())
        threading.Thread(target=_end_with, args=[told["parent"], told["limit"]], daemon=True).start()
        for file in told["trail"]:
            play.on_call = partial(_note, file)
        subject = remade(told["subject"])
        vars(subject.budget).update(told["budget"])
        for name in map(str.strip, asked):
            result = run(name, subject)
            print(json.dumps({"result": asdict(result), "seen": coverage(subject)}), file=answers, flush=True)


if __name__ == "__main__":
    _serve()
