"""Handles standard streams that are closed, not writable, or cannot encode all characters."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from contextlib import suppress

INTERRUPTED = 130
# What is printed instead of a character that standard output cannot encode; "?" for all others.
IN_ASCII = {"±": "+/-", "─": "-", "…": "...", "≈": "~"}


def open_standard_streams() -> None:
    """Opens the null device for each closed standard stream, which Python sets to None.

    Input is then empty and error output is discarded. Standard output is opened read-only, so losing results raises an
    error. Characters that the encoding of standard output lacks are replaced; otherwise one of them would lose results.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115  # for as long as the process lives
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        codecs.register_error("cardwar", _in_ascii)
        sys.stdout.reconfigure(errors="cardwar")


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Replaces characters that an encoding lacks; called by Python's encoders."""
    assert isinstance(error, UnicodeEncodeError)  # standard output only encodes
    return "".join(IN_ASCII.get(character, "?") for character in error.object[error.start : error.end]), error.end


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
