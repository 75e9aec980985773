"""Imports point one way, and a light import stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Part -> the parts of this project that it may import, with all that lies in them.
ALLOWED = {
    "cardwar_envs.core": {"cardwar_envs.core"},
    "cardwar_envs.games": {"cardwar_envs.core", "cardwar_envs.games"},
    "cardwar_envs.envs": {"cardwar_envs.core", "cardwar_envs.games", "cardwar_envs.envs"},
    "cardwar_envs": {"cardwar_envs"},
    "baselines": {"baselines", "cardwar_envs"},
    "train": {"train", "baselines", "cardwar_envs"},
}
PACKAGES = ("cardwar_envs", "baselines", "train")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(source, name="", is_package=False):
    """The full name of everything that a module imports, inside functions as well."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = name.split(".")[: len(name.split(".")) - node.level + is_package]
                base = ".".join([*above, *base.split(".")] if base else above)
            found |= {f"{base}.{alias.name}" for alias in node.names}
    return {each for each in found if each.split(".")[0] in PACKAGES}


def lies_in(name, part):
    return name == part or name.startswith(part + ".")


def upward(name, imports):
    part = max((part for part in ALLOWED if lies_in(name, part)), key=len)
    return {each for each in imports if not any(lies_in(each, allowed) for allowed in ALLOWED[part])}


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_point_one_way(path):
    name = module_name(path)
    assert not upward(name, imported(path.read_text(), name, path.name == "__init__.py"))


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("cardwar_envs.core.game", "from cardwar_envs.games import make_game"),
        ("cardwar_envs.core.game", "import cardwar_envs"),
        ("cardwar_envs.core.game", "from cardwar_envs import GAMES"),
        ("cardwar_envs.core.game", "from ..games import duel"),
        ("cardwar_envs.games.duel", "def f():\n    import baselines.matrix_game"),
        ("cardwar_envs.games.duel", "from cardwar_envs.envs import aec"),
        ("cardwar_envs.envs.aec", "from baselines import solve"),
        ("cardwar_envs.jujitsu_v0", "import train"),
        ("baselines.solution", "from train.runs.evaluate import evaluate"),
    ],
)
def test_an_upward_import_would_be_seen(name, source):
    assert upward(name, imported(source, name))


def loaded_by(statement):
    """The modules of a fresh interpreter after a statement."""
    code = f"{statement}; import sys; print(' '.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return {name.split(".")[0] for name in run.stdout.split()}


SOLVE = "import baselines as b, cardwar_envs as c; b.solve(c.make_game('jujitsu', num_cards=3))"


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import cardwar_envs", {"torch", "pygame", "numba", "baselines", "train", "scipy", "matplotlib"}),
        ("import cardwar_envs; cardwar_envs.make_game('jujitsu')", {"torch", "pygame", "numba", "baselines"}),
        ("import baselines", {"torch", "pygame", "numba", "train"}),
        (SOLVE, {"torch", "train"}),
    ],
)
def test_a_light_import_stays_light(statement, absent):
    loaded = loaded_by(statement)
    assert "numpy" in loaded
    assert not loaded & absent


def test_every_package_says_that_it_is_typed():
    assert all((ROOT / package / "py.typed").exists() for package in PACKAGES)
