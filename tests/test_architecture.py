"""The rooms of the project: what each may import. Imports point one way, and a light import stays light."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from thinning import each_row

ROOT = Path(__file__).parents[1]
PACKAGES = ("cardwar_envs", "baselines", "train")

ENVS = {"cardwar_envs", "cardwar_envs.core", "cardwar_envs.games", "cardwar_envs.drawing", "cardwar_envs.envs"}
DOORS = {"baselines", "baselines.questions", "baselines.matches"}
ANSWERS = {f"baselines.oracles.{room}" for room in ("consistency", "exact_queries", "protocol", "results")}
FAMILIES = {f"baselines.oracles.{room}" for room in ("bayesian", "rank_games", "state_graph", "finite_horizon")}
FILES = {"baselines.files"}
# What learners need of the oracles' insides: the enumerated states of a small game, and its arrays.
INSIDES = {"baselines.oracles.state_graph", "baselines.oracles.bayesian", "baselines.opponents"}

# Room -> the rooms that it may import besides itself. A room is a folder or a file; files that no row names
# belong to the folder that they stand in. Widen a row only with a reason, beside the row.
ROOMS = {
    "cardwar_envs.core": set(),
    # pyspiel is imported when one of its games is made.
    "cardwar_envs.openspiel": {"cardwar_envs.core"},
    "cardwar_envs.games": {"cardwar_envs.core"},
    "cardwar_envs.drawing": {"cardwar_envs.core"},
    "cardwar_envs.envs": {"cardwar_envs.core", "cardwar_envs.games", "cardwar_envs.drawing"},
    # Compiled rules are held to the rules by stepping batches.
    "cardwar_envs.contract": {"cardwar_envs.core", "cardwar_envs.games", "cardwar_envs.envs"},
    # Stable-Baselines3 comes with an extra; solvers are found by entry points.
    "cardwar_envs.sb3": ENVS,
    "cardwar_envs": ENVS | {"cardwar_envs.contract"},
    "baselines.threads": set(),
    "baselines.files": set(),
    "baselines.markdown": set(),
    # All kernels get numba's compiler from one place, which announces the wait.
    "baselines.matrix_game": {"baselines.threads", "cardwar_envs.core"},
    "baselines.display": {"baselines.matrix_game"},
    "baselines.opponents": ENVS,
    # A level that was learned on interleavings plays cards as interleavings.
    "baselines.opponents.levels": ENVS
    | FILES
    | {"baselines.matches", "baselines.opponents", "baselines.oracles.rank_games"},
    "baselines.oracles.legal_part": ENVS,
    "baselines.oracles.recording": ENVS,
    # A policy that is queried may be a table, which must know the observation.
    "baselines.oracles.consistency": ENVS
    | {"baselines.oracles.legal_part", "baselines.oracles.recording", "baselines.opponents"},
    # Results show themselves, and say how often policies were queried.
    "baselines.oracles.results": ENVS
    | {"baselines.oracles.consistency", "baselines.oracles.legal_part", "baselines.display"},
    "baselines.oracles.exact_queries": ENVS | {"baselines.oracles.results"},
    "baselines.oracles.protocol": ENVS | {"baselines.oracles.results"},
    # A best response is a table of observations, which is a policy.
    "baselines.oracles.state_graph": ENVS
    | ANSWERS
    | {"baselines.estimates", "baselines.matrix_game", "baselines.opponents"},
    # Measuring a policy of a large game announces how long it takes.
    "baselines.oracles.rank_games": ENVS
    | ANSWERS
    | FILES
    | {"baselines.estimates", "baselines.matrix_game", "baselines.threads"},
    "baselines.oracles.finite_horizon": ENVS | ANSWERS | {"baselines.matrix_game", "baselines.threads"},
    "baselines.oracles.bayesian": ENVS | ANSWERS | {"baselines.matrix_game", "baselines.opponents"},
    "baselines.oracles.goofspiel": ENVS | ANSWERS | {"baselines.oracles.rank_games", "baselines.oracles.state_graph"},
    "baselines.oracles.choice": ENVS | FAMILIES | {"baselines.oracles.goofspiel", "baselines.oracles.protocol"},
    "baselines.oracles": set(),
    # The estimate of how long solving takes goes by the processors that there are.
    "baselines.estimates": ANSWERS | {"baselines.threads"},
    "baselines.questions": ENVS | ANSWERS | {"baselines.estimates", "baselines.oracles.choice"},
    "baselines.war": ENVS | {"baselines.threads"},
    # How far its games have come is reported as solvers report it; look-ahead solves matrix games.
    "baselines.matches": ENVS
    | {"baselines.oracles.consistency", "baselines.oracles.protocol"}
    | {"baselines.opponents", "baselines.matrix_game", "baselines.war"},
    "baselines.solutions": ENVS | FILES | {"baselines.display"},
    "baselines.reproduction": {"baselines.papers"},  # its former place, for documented paths
    # The source of WAR is about simulated games.
    "baselines.papers": ENVS
    | DOORS
    | FAMILIES
    | ANSWERS
    | FILES
    | {"baselines.display", "baselines.markdown", "baselines.opponents", "baselines.matrix_game"}
    | {"baselines.solutions", "baselines.threads", "baselines.war"},
    "baselines": ENVS
    | DOORS
    | ANSWERS
    | {"baselines.oracles.legal_part", "baselines.matrix_game", "baselines.opponents", "baselines.oracles.choice"},
    "train.words": ENVS,
    "train.kinds": set(),
    "train.state_words": ENVS | {"train.words"},
    # It makes what stands in the room of levels.
    "train.levels": ENVS
    | DOORS
    | FILES
    | {"baselines.opponents.levels", "train.words", "train.algorithms", "train.runs"}
    | {"train.command"},
    "train.validation": {"cardwar_envs.core"},
    # A stored payoff is within the limits of a payoff.
    "train.storage": ENVS | FILES | {"train.kinds", "train.words", "train.validation", "baselines.matrix_game"},
    # Levels encode observations as networks do.
    "train.policies": ENVS
    | DOORS
    | FILES
    | INSIDES
    | {"baselines.matches", "baselines.opponents.levels", "train.agents", "train.storage", "train.words"},
    # A program is told its private type in words.
    "train.agents": ENVS | FILES | {"baselines.oracles.bayesian", "train.validation", "train.words"},
    "train.interview": ENVS
    | DOORS
    | FILES
    | {"baselines.matches", "train.agents", "train.play", "train.storage", "train.validation"},
    # Learners of best responses ask whether exact figures can be had.
    "train.algorithms": ENVS
    | DOORS
    | INSIDES
    | {"baselines.matches", "baselines.oracles.choice"}
    | {"train.policies", "train.storage", "train.words", "train.validation", "cardwar_envs.sb3"},
    # Who exploits a policy is looked for among the strategies with names, too.
    "train.measures": ENVS
    | DOORS
    | ANSWERS
    | {"baselines.opponents", "train.algorithms", "train.kinds", "train.policies", "train.words", "cardwar_envs.sb3"},
    "train.runs": ENVS
    | DOORS
    | ANSWERS
    | FILES
    | {"baselines.opponents"}
    | {f"train.{room}" for room in ("kinds", "measures", "algorithms", "policies", "storage", "validation", "words")},
    # A command is shown without the options that have the learner's defaults.
    "train.reports": ENVS
    | DOORS
    | FILES
    | {"baselines.markdown", "train.algorithms"}
    | {f"train.{room}" for room in ("kinds", "storage", "words", "runs", "policies")},
    "train.studies": ENVS
    | FILES
    | {f"train.{room}" for room in ("agents", "reports", "runs", "algorithms", "policies", "storage", "words")}
    | {"train.validation"},
    # Moves on private information are judged by the arrays that were solved.
    "train.play": ENVS
    | DOORS
    | ANSWERS
    | FILES
    | {
        "baselines.oracles.bayesian",
        "baselines.opponents",
        "baselines.opponents.levels",
        "baselines.estimates",
        "baselines.solutions",
        "train.policies",
        "train.storage",
        "train.words",
    }
    | {"train.validation"},
    "train.command": ENVS
    | DOORS
    | ANSWERS
    | FILES
    | {"baselines.papers", "baselines.display", "baselines.opponents.levels"}
    | {"cardwar_envs.contract", "train.state_words", "train.play", "baselines.estimates"}
    | {
        f"train.{room}"
        for room in ("agents", "interview", "words", "storage", "policies", "algorithms", "runs", "reports", "studies")
    },
    "train.cli": {"cardwar_envs", "train.command", "train.words"},  # it says the version
    "train.demo": ENVS | DOORS | {"train.algorithms", "train.runs", "train.reports", "train.words", "train.command"},
    "train.gallery": ENVS | FILES,
    "train.solutions": ENVS | DOORS | FILES | {"baselines.solutions", "train.command", "train.words"},
    # Pages of documents: a game's, and the command's.
    "train.pages": ENVS
    | {"baselines.markdown", "baselines.opponents", "baselines.opponents.levels"}
    | {"train.algorithms", "train.cli"},
    "train.optimal_gallery": ENVS | DOORS | {"baselines.display", "train.command"},
    # The shipped results are read as documents hold them.
    "train.results": {"baselines.files", "baselines.markdown"},
    "train": set(),
}


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules():
    return {module_name(path): path for package in PACKAGES for path in (ROOT / package).rglob("*.py")}


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
    return {each for each in found if each.split(".")[0] in PACKAGES}


def file_of(name):
    """The module in which a full name is found: itself, or what it is imported from."""
    return name if name in modules() else name.rpartition(".")[0]


def room_of(name):
    return max((room for room in ROOMS if name == room or name.startswith(room + ".")), key=len)


@cache
def imports():
    """Module -> the modules that it imports."""
    return {
        name: {file_of(each) for each in imported(path.read_text(), name, path.name == "__init__.py")} - {name}
        for name, path in modules().items()
    }


def beyond(name, imports_of_it):
    """Which of a module's imports its room's row does not name."""
    allowed = ROOMS[room_of(name)] | {room_of(name)}
    return {each for each in imports_of_it if room_of(each) not in allowed}


def test_a_room_imports_only_what_its_row_names():
    broken = {name: beyond(name, found) for name, found in imports().items()}
    assert not {name: found for name, found in broken.items() if found}


@each_row(
    ("name", "source"),
    [
        ("cardwar_envs.core.game", "from cardwar_envs.games import make_game"),
        ("cardwar_envs.core.game", "import cardwar_envs"),
        ("cardwar_envs.core.game", "from ..games import duel"),
        ("cardwar_envs.games.duel.scene", "from cardwar_envs.drawing.svg import to_svg"),
        ("cardwar_envs.games.duel.rules", "def f():\n    import baselines.matrix_game"),
        ("cardwar_envs.envs.aec", "from baselines import solve"),
        ("baselines.questions", "from baselines.oracles.rank_games.solver import DuelTable"),
        ("baselines.oracles.rank_games.solver", "from baselines.oracles.state_graph.game_graph import END"),
        ("baselines.questions", "from train.measures.exact import evaluate"),
        ("train.runs.loop", "from train.reports.curves import plot_runs"),
        ("train.words", "from train.policies.files import load_policy"),
    ],
)
def test_an_import_beyond_its_row_would_be_seen(name, source):
    assert beyond(name, {file_of(each) for each in imported(source, name)})


def circles(graph):
    """The strongly connected components of more than one module (R. Tarjan, 1972)."""
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


def test_no_files_import_each_other_in_a_circle():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert circles(imports()) == []


# Outside these, nobody asks for a game's class: what is true of a game its facts and its rules say.
MAY_ASK = (
    "cardwar_envs.games",
    "baselines.oracles.goofspiel",
    "baselines.oracles.rank_games",
    "baselines.oracles.finite_horizon",
    "baselines.war",
    "baselines.opponents",
    "baselines.papers",
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
    "import contextlib, train.cli\nwith contextlib.suppress(SystemExit):\n    train.cli.main("
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
        ("import train.cli", {"torch", "matplotlib", "numba", "scipy", "numpy", "cardwar_envs"}),
    ],
)
def test_a_light_import_stays_light(statement, absent):
    loaded = loaded_by(statement)
    assert absent & {"numpy"} or "numpy" in loaded, "what is loaded was seen"
    assert not loaded & absent


def test_only_one_command_imports_the_kit():
    """It is a distribution of its own, which need not be installed."""
    importing = {name for name, path in modules().items() if re.search(r"\b(from|import) zoocheck", path.read_text())}
    assert importing == {"train.command.check"}


def test_every_package_says_that_it_is_typed():
    assert all((ROOT / package / "py.typed").exists() for package in PACKAGES)
