"""Calls of the command and the plugin, as tests make them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from zoocheck.command import main

ROOT = Path(__file__).parents[1]


def run(capsys, *arguments):
    """Exit code, stdout and stderr of one call."""
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    printed = capsys.readouterr()
    return stopped.value.code, printed.out, printed.err


def run_refused(capsys, *arguments):
    """The one line on stderr of a call with bad input."""
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("zoocheck: ")
    assert err.count("\n") == 1
    return err


def run_json(capsys, *arguments):
    code, out, err = run(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def run_plugin(folder, *arguments):
    """pytest with the plugin in another process."""
    command = [sys.executable, "-m", "pytest", "-p", "zoocheck_pytest", "-p", "no:cacheprovider", "-rs", *arguments]
    environment = {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}", "PATH": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
