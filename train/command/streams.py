"""Handles standard streams that are closed or not writable."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress

INTERRUPTED = 130


def open_standard_streams() -> None:
    """Opens the null device for each closed standard stream, which Python sets to None.

    Input is then empty and error output is discarded. Standard output is opened read-only, so losing results raises an
    error.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115  # for as long as the process lives
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def unwritten_output() -> str:
    """Flushes standard output; returns the reason if that fails, else "".

    Raises:
        SystemExit: With code 1 if the reader has closed the pipe, as after `| head`.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        # Discard the buffer; otherwise Python would try to write it again at exit.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        if error.errno == errno.EPIPE:
            sys.exit(1)
        return f"standard output cannot be written: {error.strerror}"
    return ""


def complain(message: str) -> None:
    """Prints a line to stderr, unless stderr is not writable."""
    with suppress(OSError):
        print(f"cardwar: {message}", file=sys.stderr)
