"""The standard streams, also where the command is started without them, and output that cannot be written."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress


def open_standard_streams() -> None:
    """Opens the null device for each standard stream that is closed, for which Python has None.

    Input is then at its end, and errors go nowhere. Output is opened for reading only: results that cannot be shown
    are an error, as they are for other programs.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115  # for as long as the process lives
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def unwritten_output() -> str:
    """Writes what is still buffered for standard output, and says why it cannot be written; "" if it can.

    Raises:
        SystemExit: With code 1 if nobody reads the output any more, as after `| head`.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        # What is buffered goes nowhere now, else Python would try to write it once more when it ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        if error.errno == errno.EPIPE:
            sys.exit(1)
        return f"standard output cannot be written: {error.strerror}"
    return ""


def complain(message: str) -> None:
    """Prints a line to stderr, if that can be written."""
    with suppress(OSError):
        print(f"cardwar: {message}", file=sys.stderr)
