"""How this process ends: signals lead to a regular exit, and no end leaves an agent behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from types import FrameType
from typing import NoReturn

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


def exit_on_signals() -> None:
    """Makes SIGTERM and SIGHUP exit this process regularly, so that it stores its records and terminates its agents.

    Signals that are handled already, or ignored as after `nohup`, stay so. Does nothing outside the main thread.
    """

    def end(number: int, frame: FrameType | None) -> NoReturn:
        for each in ENDINGS:  # a second signal must not interrupt the work at the exit
            signal.signal(each, signal.SIG_IGN)
        sys.exit(128 + number)

    if threading.current_thread() is threading.main_thread():
        for each in ENDINGS:
            if signal.getsignal(each) is signal.SIG_DFL:
                signal.signal(each, end)
