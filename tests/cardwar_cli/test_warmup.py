"""`cardwar warmup`: afterwards nothing is left to compile."""

import os
import subprocess
import sys

import pytest

from cardwar_cli.main import main

REPEAT = """
import numba.core.event as event
from cardwar_cli.main import main
class Listener(event.Listener):
    def on_start(self, event): raise AssertionError(event.data["dispatcher"])
    def on_end(self, event): pass
event.register("numba:compile", Listener())
main(["warmup", "dice_poker"])
"""


def test_games_are_named_as_they_get_ready(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["warmup", "dice_poker"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("dice_poker: ready after ")


@pytest.mark.slow
def test_a_second_process_compiles_nothing(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-m", "cardwar_cli.main", "warmup", "dice_poker"], env=environment, check=True)
    assert any(tmp_path.rglob("*.nbc"))
    subprocess.run([sys.executable, "-c", REPEAT], env=environment, check=True)
