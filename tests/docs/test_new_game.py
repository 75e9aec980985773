"""A new game of the suite takes two files: its rules and its page."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAME = '    name: ClassVar[str] = "undercut"\n'
ADDED = f"""{NAME}    version: ClassVar[int] = 1
    worked_round = WorkedRound((("2", "3"),), "rounds=1")
"""
PAGE = "# Undercut\n\n<!-- generated: python -m lab.pages, undercut round -->\n<!-- end -->\n"
USES = """
import gymnasium, pettingzoo
import baselines, cardwar_envs
from cardwar_envs import undercut_v1
from cardwar_envs.undercut_v1 import parallel_env
game = cardwar_envs.make_game("undercut")
assert cardwar_envs.undercut_v1 is undercut_v1
assert undercut_v1.env(rounds=2).game.rounds == 2
assert parallel_env().game == game
assert pettingzoo.make("aec", "cardwar/undercut-v1").unwrapped.game == game
assert gymnasium.make("cardwar/Undercut-v1").unwrapped.game == game
print(round(baselines.exploitability(game, "uniform"), 6))
"""


def python(folder, *words):
    done = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*") if path.suffix != ".pyc"}


def test_everything_but_rules_and_page_is_generated(tmp_path):
    without = shutil.ignore_patterns("__pycache__", "_build", "*.png", "*.ipynb")
    for folder in ("cardwar_envs", "lab", "docs", "standings"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=without)
    before = files(tmp_path)
    imported = "from cardwar_envs.core.texts import WorkedRound\n"
    rules = (ROOT / "cardwar_cli/game.py.template").read_text().replace(NAME, ADDED)
    (tmp_path / "cardwar_envs/games/undercut.py").write_text(rules.replace("from typing", f"{imported}from typing", 1))
    (tmp_path / "docs/games/undercut.md").write_text(PAGE)
    python(tmp_path, "-m", "lab.pages")
    assert python(tmp_path, "-c", USES) == "4.2\n"
    after = files(tmp_path)
    changed = {str(path) for path, content in after.items() if before.get(path) != content}
    assert changed == {
        *("cardwar_envs/games/undercut.py", "cardwar_envs/undercut_v1.py", "cardwar_envs/__init__.pyi"),
        *("docs/games/undercut.md", "docs/games.md", "docs/pictures/undercut.svg"),
    }
    assert "-> player_0: 2, player_1: 3; paid: player_0 +5" in (tmp_path / "docs/games/undercut.md").read_text()
    assert "| `undercut` | 2 | -30 to 30 |" in (tmp_path / "docs/games.md").read_text()
    assert "from . import undercut_v1 as undercut_v1\n" in (tmp_path / "cardwar_envs/__init__.pyi").read_text()
