"""The rooms of the project, from the bottom to the top. Imports point down, and a light import stays light."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from thinning import each_row

ROOT = Path(__file__).parents[1]
GAMES = [
    f"games.{path.name}"
    for path in sorted((ROOT / "cardwar_envs/games").glob("[a-z]*"))
    if path.is_dir() and path.name != "duel"
]

# A room is a folder of Python files. Each may import those above it in this list, and its own files. A house's first
# folder is its top: it imports the rooms of the house, and none of them imports it.
ROOMS = {
    "cardwar_envs": f"""
        core drawing openspiel tables
        games.duel {" ".join(GAMES)} games
        envs.engines envs contract sb3 .
    """,
    "baselines": """
        system matrix_game display general_sum solutions opponents
        oracles.answers oracles.state_graph oracles.finite_horizon oracles.bayesian oracles.tree
        oracles.rank_games oracles
        matches opponents.levels search .
    """,
    "train": """
        text storage policies learner algorithms.experience algorithms
        measures runs standings reports studies .
    """,
    "cardwar_play": "recorded .",
    "cardwar_cli": ".",
    "lab": """
        papers papers.dice_wars papers.fetterman papers.rauscher papers.rhoads_bartholdi papers.sanwal_drechsler
        papers.war benchmarks.clients.programs benchmarks.clients benchmarks pages .
    """,
}
HOUSES = tuple(ROOMS)
ORDER = [house if room == "." else f"{house}.{room}" for house, rooms in ROOMS.items() for room in rooms.split()]
# Rooms that import nothing of the project but these.
ALONE = {
    "cardwar_envs.core": set(),
    "cardwar_envs.drawing": {"cardwar_envs.core"},
    "cardwar_envs.openspiel": {"cardwar_envs.core"},
    "cardwar_envs.tables": {"cardwar_envs.core", "cardwar_envs.openspiel"},
    "baselines.system": set(),
    "baselines.matrix_game": {
        "baselines.system",
        "cardwar_envs.core",
        "cardwar_envs.envs",
        "cardwar_envs.envs.engines",
    },
    "baselines.display": {"baselines.matrix_game", "cardwar_envs.core"},
}


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules():
    files = (path for house in HOUSES for path in (ROOT / house).rglob("*.py"))
    return {module_name(path): path for path in files if "tests" not in path.relative_to(ROOT).parts}


def imported(source, name="", is_package=False):
    """The full name of everything that a module imports, inside functions and for type checks as well."""
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
    return {full for full in found if full.split(".")[0] in HOUSES}


def room_of(full_name):
    """The folder of the module in which a full name is found: itself, or what it is imported from."""
    name = full_name if full_name in modules() else full_name.rpartition(".")[0]
    return ".".join(modules()[name].parent.relative_to(ROOT).parts)


def against_the_order(name, source, is_package=False):
    """The rooms that a module imports although they stand beside or above its own room."""
    room = room_of(name)
    rooms = {room_of(full) for full in imported(source, name, is_package)} - {room}
    return {other for other in rooms if ORDER.index(other) > ORDER.index(room)} | (rooms - ALONE.get(room, rooms))


def test_every_folder_has_its_place_in_the_order():
    assert {room_of(name) for name in modules()} == set(ORDER)


def test_imports_point_down():
    wrong = {
        name: against_the_order(name, path.read_text(), path.stem == "__init__") for name, path in modules().items()
    }
    assert not {name: rooms for name, rooms in wrong.items() if rooms}


@each_row(
    ("name", "source"),
    [
        ("cardwar_envs.core.game", "from cardwar_envs.games import make_game"),
        ("cardwar_envs.core.game", "import cardwar_envs"),
        ("cardwar_envs.core.game", "from ..games import duel"),
        ("cardwar_envs.games.duel.scene", "from cardwar_envs.drawing.svg import to_svg\nimport baselines"),
        ("cardwar_envs.games.duel.rules", "def f():\n    import baselines.matrix_game"),
        ("cardwar_envs.envs.aec", "from baselines import solve"),
        ("baselines.oracles.rank_games.solver", "from baselines.oracles.choice import within_reach"),
        ("baselines.questions", "from train.measures.exact import evaluate"),
        ("train.runs.loop", "from train.reports.curves import plot_runs"),
        ("train.text.parsing", "from train.policies.files import load_policy"),
        ("cardwar_play.trainer", "from cardwar_cli.console import say"),
        ("cardwar_cli.laboratory", "from lab.papers import recompute"),
    ],
)
def test_an_import_that_points_up_would_be_seen(name, source):
    assert against_the_order(name, source)


def circles(graph):
    """The strongly connected components of more than one node (R. Tarjan, 1972)."""
    index, low, stack, found = {}, {}, [], []

    def visit(name):
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in graph.get(name, ()):
            if other not in index:
                visit(other)
            if other in stack:
                low[name] = min(low[name], low[other])
        if low[name] == index[name]:
            component = [stack.pop()]
            while component[-1] != name:
                component.append(stack.pop())
            if len(component) > 1:
                found.append(sorted(component))

    for name in graph:
        if name not in index:
            visit(name)
    return found


def test_neither_folders_nor_files_import_each_other_in_a_circle():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    files, folders = {}, {}
    for name, path in modules().items():
        for full in imported(path.read_text(), name, path.stem == "__init__"):
            other = full if full in modules() else full.rpartition(".")[0]
            files.setdefault(name, set()).add(other)
            folders.setdefault(room_of(name), set()).add(room_of(other))
    assert circles({name: found - {name} for name, found in files.items()}) == []
    assert circles({room: found - {room} for room, found in folders.items()}) == []


# Outside these, nobody asks for a game's class: what is true of a game its facts and its rules say.
MAY_ASK = (
    "cardwar_envs.games",
    "baselines.oracles.rank_games",
    "baselines.oracles.finite_horizon",
    "baselines.matches.war_simulator",
    "baselines.opponents",
    "lab",
)


FAMILIES_OF_GAMES = {"Duel", "War", "DicePoker", "Goofspiel"}


def test_only_the_families_ask_for_the_class_of_a_game():
    asking = set()
    for name, path in modules().items():
        if not name.startswith(MAY_ASK):
            for node in ast.walk(ast.parse(path.read_text())):
                called = isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "same_rules_as")
                if called and FAMILIES_OF_GAMES & set(ast.unparse(node.args[1]).replace("|", " ").split()):
                    asking.add(name)
    assert asking == set()


def loaded_by(statement):
    """The modules of a fresh interpreter after a statement."""
    code = f"{statement}\nimport sys; print(' '.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(run.stdout.split())


CHECK = (
    "import contextlib, cardwar_cli.main\nwith contextlib.suppress(SystemExit):\n    cardwar_cli.main.main("
    "'check pettingzoo.classic.rps_v2 --games 1 --only metadata_say_what_is_offered'.split())"
)
SOLVE = "import baselines as b, cardwar_envs as c; b.solve(c.make_game('jujitsu', num_cards=3))"


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        (
            "import cardwar_envs; cardwar_envs.make_game('jujitsu')",
            {"torch", "pygame", "numba", "baselines", "train", "scipy", "matplotlib", "pydantic", "jinja2"},
        ),
        ("import cardwar_envs", {"cardwar_envs.games", "scipy"}),
        ("import baselines; baselines.solve", {"torch", "pygame", "numba", "scipy", "train", "pydantic", "jinja2"}),
        (SOLVE, {"torch", "train", "pydantic"}),
        (CHECK, {"numba", "scipy", "filelock", "safetensors", "torch"}),
        ("import cardwar_cli.main", {"torch", "matplotlib", "numba", "scipy", "numpy", "cardwar_envs"}),
    ],
)
def test_a_light_import_stays_light(statement, absent):
    loaded = loaded_by(statement)
    assert absent & {"numpy"} or "numpy" in loaded, "what is loaded was seen"
    assert not loaded & absent


def test_only_one_command_imports_the_kit():
    """It is a distribution of its own, which need not be installed."""
    importing = {name for name, path in modules().items() if re.search(r"\b(from|import) zoocheck", path.read_text())}
    assert importing == {"cardwar_cli.check"}


def test_every_package_says_that_it_is_typed():
    assert all((ROOT / package / "py.typed").exists() for package in HOUSES[:-1])
