"""Calls of the command `cardwar`, as tests make them."""

import json

import pytest

from train.cli import main


def run(capsys, *arguments):
    """Exit code, stdout and stderr of one call."""
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    printed = capsys.readouterr()
    return stopped.value.code, printed.out, printed.err


def run_json(capsys, *arguments):
    code, out, err = run(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def refusal(capsys, *arguments):
    """What a call says to a mistake: one line on stderr, with exit code 2 and nothing on stdout."""
    code, out, err = run(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("cardwar: ")
    return err
