"""The page "Your own game", done in an empty folder with a copy of what is installed (as tests/release shows)."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib

from cardwar_cli.own_game import GAME

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "your_own_game.md").read_text()
RULES, ENVIRONMENTS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines()]

# Runs in the folder: all commands in one process, as importing torch takes seconds, and then the environments.
PROGRAM = """
import shlex
import sys
import cardwar_envs, baselines, train
from cardwar_cli.main import main

assert all(each.__file__.startswith(sys.argv[1]) for each in (cardwar_envs, baselines, train))
for command in sys.argv[3:]:
    print("$", command, flush=True)
    try:
        main(shlex.split(command)[1:])
    except SystemExit as stopped:
        assert not stopped.code, command
assert "torch" in sys.modules and "torch._dynamo" not in sys.modules  # which takes seconds to import
exec(sys.argv[2])
env.reset(seed=0)
assert alone.reset(seed=0)[0]["observation"].tolist() == [2, 0]
assert games.reset().observations.shape == (1024, 2, 2)
"""


def test_the_page_shows_the_example_and_what_cardwar_new_writes():
    assert (ROOT / "examples" / "undercut.py").read_text() == GAME.read_text() == RULES


def test_a_game_in_one_file_is_checked_solved_learned_and_played(tmp_path):
    site, folder = tmp_path / "site", tmp_path / "empty"
    for name in ("cardwar_envs", "baselines", "train"):
        shutil.copytree(ROOT / name, site / name, ignore=shutil.ignore_patterns("*.nbi", "*.nbc", "*pytest*"))
    folder.mkdir()
    call = [sys.executable, "-P", "-c", PROGRAM, str(site), ENVIRONMENTS, *COMMANDS]
    # The game is tiny: compiling kernels anew would take longer than running them as plain Python.
    settings = {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(site), "PATH": "", "HOME": str(tmp_path), "COLUMNS": "100"}
    settings["MPLCONFIGDIR"] = matplotlib.get_cachedir()  # a new list of the machine's fonts takes a second
    done = subprocess.run(call, cwd=folder, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    printed = " ".join(done.stdout.split())
    for said in ("value 0.000000 to player_0", "exploitability 2.800000", "Its exploitability is 0.0075 payoff points"):
        assert said in printed
    assert "exploitability 2.800000" in PAGE
    assert "an exploitability of 0.0075 points" in PAGE
    assert (folder / "report.html").exists()
