"""The command `cardwar` in processes of its own that are forked from one that has everything imported.

A program of such calls runs in a process of its own as well: `run_program` starts it from a test.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).parents[1]


def start(*words, before=lambda: None):
    """The process id of `cardwar WORDS`, and the file that it writes its errors to."""
    from cardwar_cli.main import main

    descriptor, errors = tempfile.mkstemp()
    os.close(descriptor)
    child = os.fork()
    if child == 0:
        code = 70
        try:
            sys.stderr, sys.stdout = open(errors, "w"), open(os.devnull, "w")  # noqa: SIM115  # until it ends
            before()
            main([str(word) for word in words])
        except SystemExit as stopped:
            code = stopped.code or 0
        except BaseException as error:
            print(f"Traceback: {error!r}", file=sys.stderr)
        finally:
            sys.stderr.flush()
            os._exit(code)
    return child, Path(errors)


def finish(child, errors):
    """Exit code, or minus the signal, and what was written to stderr."""
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    text = errors.read_text()
    errors.unlink()
    return code, text


def cardwar(*words, before=lambda: None):
    return finish(*start(*words, before=before))


def run_program(name, *arguments, prefix=()):
    """Runs a program of `tests/faults`; what it prints is JSON."""
    command = [*prefix, sys.executable, str(TESTS / "faults" / name), *map(str, arguments)]
    path = os.pathsep.join(map(str, (TESTS / "faults", TESTS / "helpers", TESTS.parent)))
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])
