"""Calls of the command `cardwar`, as tests make them."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cardwar_cli import console
from cardwar_cli.main import main

ROOT = Path(__file__).parents[2]


def run(capsys, *arguments):
    """Exit code, stdout and stderr of one call, without lines of progress: how long it takes depends on the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(console.AdvanceInLines, "FIRST_LINE", math.inf)
        with pytest.raises(SystemExit) as stopped:
            main(list(arguments))
    printed = capsys.readouterr()
    return stopped.value.code, printed.out, printed.err


def run_refused(capsys, *arguments):
    """The one line on stderr of a call with bad input."""
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("cardwar: ")
    assert err.count("\n") == 1
    return err


def run_plugin(folder, *arguments, path=ROOT):
    """pytest with the plugin in another process, which can import from `path`, too."""
    command = [sys.executable, "-m", "pytest", "-p", "pytest_cardwar", "-p", "no:cacheprovider", "-rs", *arguments]
    environment = {"PYTHONPATH": f"{ROOT}{os.pathsep}{path}", "PATH": ""}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def run_json(capsys, *arguments):
    code, out, err = run(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)
