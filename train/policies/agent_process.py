"""Runs a program that answers queries, without a shell, with limits on time and output.

The program and its children are killed however this process ends.
"""

from __future__ import annotations

import atexit
import os
import selectors
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

# Prefix that marks a policy on the command line as the command of a program.
AGENT = "agent:"
# Environment variable: time limit in seconds for each answer of a program.
SECONDS_VARIABLE = "CARDWAR_AGENT_SECONDS"
# Environment variable set in processes whose arguments come from a file; these processes start no program.
FROM_FILE = "CARDWAR_ARGUMENTS_FROM_FILE"

# Environment variables that programs get, besides those that their commands name: where programs, libraries and
# temporary files are, and the language. Any other variable may hold a secret, whatever its name is.
PASSED = """
    PATH HOME USER LOGNAME SHELL PWD TERM TZ LANG LANGUAGE TMPDIR TMP TEMP
    LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_MONETARY LC_NUMERIC LC_TIME
    VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME PYTHONUTF8 PYTHONIOENCODING PYTHONUNBUFFERED NODE_PATH JAVA_HOME
    LD_LIBRARY_PATH DYLD_LIBRARY_PATH SSL_CERT_FILE SSL_CERT_DIR CUDA_VISIBLE_DEVICES OMP_NUM_THREADS
    XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR
    SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES
"""
# Time limit in seconds per answer, unless the environment variable is set.
SECONDS = 10.0
# Maximum size of an answer in bytes.
MOST_BYTES = 1 << 16
# Seconds that the program may take to end.
TO_END = 1.0


def was_typed(word: str) -> bool:
    """Returns whether a word is among this process's arguments, and these do not come from a file."""
    typed = {*sys.argv, *(argument.partition("=")[2] for argument in sys.argv)}  # --policy=agent:... is one argument
    return FROM_FILE not in os.environ and word in typed


class AgentError(ValueError):
    """An agent could not be started, or did not answer correctly."""


class AgentProcess:
    """A running agent in its own process group, which is killed by `close` or when this process ends in any way.

    Processes that leave this group, for example by starting a session of their own, are not killed.

    Args:
        command: The program and its arguments, quoted as for a shell, but no shell is used. Of the environment
            variables, the program gets those in `PASSED`, and those that `-e NAME` names at the beginning.

    Attributes:
        failed: Whether the program was terminated because of an error that it made.

    Raises:
        AgentError: If the program cannot be started, an environment variable named by `-e` is not set, or the time
            limit is invalid.
    """

    def __init__(self, command: str) -> None:
        self._command, self._left, self._seconds = command, b"", _time_limit()
        self.failed = False
        exit_on_signals()
        try:
            words = shlex.split(command)
            passed = {name: os.environ[name] for name in PASSED.split() if name in os.environ}
            while words[:1] == ["-e"]:
                passed.update((name, os.environ[name]) for name in words[1:2])
                words = words[2:]
            if not words:
                raise ValueError("it names no program")
            with _exits_held():  # no agent may be left without a watchdog
                self._process = subprocess.Popen(
                    words,
                    env=passed,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    bufsize=0,
                    start_new_session=True,
                )
                self._watchdog = Watchdog(self._process.pid)
        except KeyError as error:
            raise AgentError(f"agent ({command}): the environment variable {error.args[0]} is not set") from None
        except (OSError, ValueError) as error:
            raise AgentError(f"agent ({command}) cannot be started: {error}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._into, self._out_of = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._into, False)
        os.set_blocking(self._out_of, False)
        atexit.register(self.close)
        _exit_if_asked()

    def ask(self, line: bytes) -> bytes:
        """Sends a line to the agent and returns the agent's next line, without the newline.

        Raises:
            AgentError: If the agent takes too long, exits, or writes too much; the agent is then terminated.
        """
        deadline = time.monotonic() + self._seconds
        if self._left:
            self.fail(f"writes more than one line per query: {self._left[:60]!r}")
        self._write(line + b"\n", deadline)
        while b"\n" not in self._left:
            self._wait(self._out_of, selectors.EVENT_READ, deadline)
            with suppress(BlockingIOError):
                read = os.read(self._out_of, MOST_BYTES)
                if not read:
                    self.fail(f"ended {'in the middle of' if self._left else 'before'} its answer{self._status()}")
                self._left += read
            if len(self._left) > MOST_BYTES:
                self.fail(f"answered with more than {MOST_BYTES:,} bytes")
        answer, _, self._left = self._left.partition(b"\n")
        return answer

    def close(self) -> None:
        """Terminates the agent and all processes in its group."""
        atexit.unregister(self.close)
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(TO_END)
        self._watchdog.close()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _write(self, line: bytes, deadline: float) -> None:
        while line:
            self._wait(self._into, selectors.EVENT_WRITE, deadline)
            try:
                line = line[os.write(self._into, line) :]
            except BlockingIOError:
                continue
            except OSError:
                self.fail(f"has ended{self._status()}")

    def _wait(self, descriptor: int, event: int, deadline: float) -> None:
        _exit_if_asked()
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, event)
            if not selector.select(max(deadline - time.monotonic(), 0.0)):
                how = f"--agent-seconds or {SECONDS_VARIABLE} sets the limit"
                self.fail(f"does not answer within {self._seconds:g} seconds ({how})")

    def _status(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            return f" with exit status {self._process.wait(TO_END)}"
        return ""

    def fail(self, why: str) -> NoReturn:
        """Terminates the agent because of an error that it made, which `why` describes."""
        self.failed = True
        self.close()
        raise AgentError(f"agent ({self._command}) {why}") from None


def _time_limit() -> float:
    text = os.environ.get(SECONDS_VARIABLE, str(SECONDS))
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < 1e9:
        raise AgentError(f"{SECONDS_VARIABLE} ({text}) must be a positive number of seconds")
    return seconds


# Signals that ask this process to end; Windows has no SIGHUP.
ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
# Stdin closes as soon as the process that started this program has ended.
WATCH = """
import os, signal, sys, time
sys.stdin.read()
for number in (signal.SIGTERM, signal.SIGKILL):
    os.killpg(int(sys.argv[1]), number)
    time.sleep(0.5)
"""


class Watchdog:
    """A process that kills a process group if this process ends without calling `close`, even by SIGKILL.

    It has a session of its own, which no signal from a terminal reaches. Unlike Linux's PR_SET_PDEATHSIG, it works on
    every POSIX system, kills the whole group, and does not depend on the thread that started the group.

    Args:
        group: The process group.

    Raises:
        OSError: If it cannot be started; the group is then killed.
    """

    def __init__(self, group: int) -> None:
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", WATCH, str(group)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            os.killpg(group, signal.SIGKILL)
            raise

    def close(self) -> None:
        """Ends the watch; the group has ended."""
        self._process.kill()
        self._process.communicate()


# The exit status that a signal has asked for. It is looked at again before each wait for an agent, because an exception
# that a handler raises can be lost, for example in C code that clears errors.
_status: int | None = None
# Whether the exit waits until an agent has been started.
_held = False


def exit_on_signals() -> None:
    """Makes SIGTERM and SIGHUP exit this process regularly, so that it stores its records and terminates its agents.

    Signals that are handled already, or ignored as after `nohup`, stay so. Does nothing outside the main thread.
    """

    def end(number: int, frame: FrameType | None) -> None:
        global _status
        _status = 128 + number
        if _held:
            return
        for each in ENDINGS:  # a second signal must not interrupt the work at the exit
            signal.signal(each, signal.SIG_IGN)
        sys.exit(_status)

    if threading.current_thread() is threading.main_thread():
        for each in ENDINGS:
            if signal.getsignal(each) is signal.SIG_DFL:
                signal.signal(each, end)


@contextmanager
def _exits_held() -> Iterator[None]:
    global _held
    _held = True
    try:
        yield
    finally:
        _held = False


def _exit_if_asked() -> None:
    if _status is not None:
        os.kill(os.getpid(), _status - 128)  # again, to the main thread: `sys.exit` in another one ends that one alone
        sys.exit(_status)
