"""Puts one fault at a time into the code and counts which faults the tests notice: `make mutants`.

The faults ("mutants") are made by the tool cosmic-ray: another operator, a number that is one off, a condition
turned round. `mutants.toml` beside this file lists 200 of them, 50 of each of four kinds of code: rules, skins,
solvers and storage. The list is part of the repository, so that two states of the tests can be compared. It was
drawn at random with a fixed seed, and the kinds take turns in it. A mutant whose line was moved is found by its text;
one whose line was rewritten is reported as changed and skipped. `--draw` draws the list anew when too many are.

What a run does:

1. It copies the tree twice, to `build/mutants/`. Faults are put into these copies only.
2. It runs each test file by itself and records which lines it executes and how long it takes. Coverage does not see
   inside compiled kernels, so the tests marked `plain_kernels` are recorded with kernels as plain Python.
3. It tries each mutant on the chosen cases: the tests of its room first, then all others that execute its line, the
   fastest first, and stops at the first failure. Others than those of the room get `REST_SECONDS` of recorded time.
4. Each mutant that survived is tried on the remaining cases of the same test files (`--wide`). One that is killed
   only now is a hole: the chosen cases miss what the full list of cases would notice.

A run that was stopped goes on where it was. Results lie in two sessions of cosmic-ray, `default.sqlite` and
`wide.sqlite`, in a folder of `build/mutants/` for each state of code and tests. `--only 034-rules` tries named mutants,
`--first 20` the first twenty, `--tests 'tests/games/*.py'` looks at these test files only.
"""

import argparse
import ast
import functools
import hashlib
import json
import random
import shlex
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from queue import SimpleQueue

from cosmic_ray.ast import ast_nodes, get_ast_from_path
from cosmic_ray.mutating import mutate_code, use_mutation
from cosmic_ray.plugins import get_operator, operator_names
from cosmic_ray.testing import run_tests
from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome, WorkerOutcome, WorkItem, WorkResult
from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("mutants.toml")
BUILD = ROOT / "build" / "mutants"
SEED, OF_EACH_KIND = 15, 50
REST_SECONDS = 90.0
FIRST_SECONDS = 5.0  # a first call of pytest with the fastest tests saves most mutants from importing all others

STORAGE = ["train/storage/*.py", "baselines/files.py", "baselines/oracles/rank_games/layer_files.py"]
STORAGE_ROOMS = ("tests/train/storage/", "tests/train/words/", "tests/train/runs/", "tests/faults/")
KINDS = {
    "rules": ["cardwar_envs/games/**/*.py"],
    "skins": ["cardwar_envs/envs/**/*.py"],
    "solvers": ["baselines/**/*.py"],
    "storage": STORAGE,
}
NO_SOLVERS = ["baselines/papers/**/*.py", *STORAGE]
MARK = "mark.plain_kernels"
PLAIN = "plain kernels"  # stands for the tests that run with kernels as plain Python


def files_of(patterns, root=ROOT):
    return {path.relative_to(root).as_posix() for pattern in patterns for path in root.glob(pattern)}


# -- the list ------------------------------------------------------------------------------------


def spans_without_effect(source):
    """Line and column ranges in which a fault changes nothing that runs: annotations, docstrings, decorators."""
    nodes = []
    for node in ast.walk(ast.parse(source)):
        nodes += getattr(node, "decorator_list", [])
        nodes += [getattr(node, name) for name in ("annotation", "returns") if getattr(node, name, None)]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            nodes.append(node)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            nodes.append(node)
    return [((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)) for node in nodes]


def starts_of(path, operator):
    """Where each fault of an operator would begin, as (line, column), in cosmic-ray's order."""
    kind = get_operator(operator)()
    return [start for node in nodes_of(path) for start, _ in kind.mutation_positions(node)]


@functools.cache
def nodes_of(path):
    return list(ast_nodes(get_ast_from_path(path)))


def mutations(path):
    """Position -> the faults (operator, occurrence) that cosmic-ray knows to put there."""
    found, without_effect = defaultdict(list), spans_without_effect(path.read_text())
    for name in operator_names():
        if get_operator(name).arguments() or name.endswith("RemoveDecorator"):
            continue
        for occurrence, start in enumerate(starts_of(path, name)):
            if not any(first <= start < last for first, last in without_effect):
                found[start].append((name, occurrence))
    return found


def is_python(path, operator, occurrence):
    """Whether the file with the fault can be read at all: some operators take the star of `f(*, a)` for a product."""
    try:
        ast.parse(mutate_code(path.read_text(), get_operator(operator)(), occurrence))
    except SyntaxError:
        return False
    return True


def draw():
    """Writes the list: places at random, the kinds in turn, and one fault at random for each place."""
    chance, spare = random.Random(SEED), random.Random(SEED)
    lines, drawn, places = ["# Drawn by `python tests/mutation/mutants.py --draw`.\n"], [], {}
    for kind, patterns in KINDS.items():
        paths = files_of(patterns) - (files_of(NO_SOLVERS) if kind == "solvers" else set())
        places[kind] = [(path, *place) for path in sorted(paths) for place in sorted(mutations(ROOT / path).items())]
        drawn.append([(kind, *place) for place in chance.sample(places[kind], OF_EACH_KIND)])
    for kind, path, (line, _), faults in chain(*zip(*drawn, strict=True)):
        operator, occurrence = chance.choice(faults)
        while not is_python(ROOT / path, operator, occurrence):
            path, (line, _), faults = spare.choice(places[kind])
            operator, occurrence = spare.choice(faults)
        text = (ROOT / path).read_text().splitlines()[line - 1].strip()
        fields = {"kind": kind, "path": path, "operator": operator, "text": text}
        lines.append("[[mutant]]")
        lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
        before = [start[0] for start in starts_of(ROOT / path, operator)[:occurrence]]
        lines += [f"occurrence_in_line = {before.count(line)}", f"line = {line}", ""]
    LIST.write_text("\n".join(lines))


def located(mutant, root=ROOT):
    """The mutant with its line and occurrence in the code as it is now; None if its line is not there any more.

    A line that was moved is found by its text. If several lines have this text, the nearest is taken.
    """
    path = root / mutant["path"]
    written = path.read_text().splitlines() if path.is_file() else []
    same = [number for number, text in enumerate(written, 1) if text.strip() == mutant["text"]]
    if not same:
        return None
    line = min(same, key=lambda number: abs(number - mutant["line"]))
    starts = starts_of(path, mutant["operator"])
    there = [occurrence for occurrence, start in enumerate(starts) if start[0] == line]
    nth = mutant["occurrence_in_line"]
    return {**mutant, "line": line, "occurrence": there[nth]} if nth < len(there) else None


def read_list():
    """The mutants by name: those that can be tried, and those whose line has changed since they were drawn."""
    drawn = {f"{place:03}-{each['kind']}": each for place, each in enumerate(tomllib.loads(LIST.read_text())["mutant"])}
    mutants = {job: found for job, mutant in drawn.items() if (found := located(mutant))}
    return mutants, {job: mutant for job, mutant in drawn.items() if job not in mutants}


# -- copies of the tree ------------------------------------------------------------------------------


def tree():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def state_of(paths):
    """A short name for what stands in those files; documents and this program do not count."""
    counted = [path for path in sorted(paths) if path.suffix in (".py", ".toml") and path != Path(__file__).resolve()]
    return hashlib.sha256(b"".join(path.read_bytes() for path in counted)).hexdigest()[:12]


def copy_tree(folder):
    """A copy with the compiled kernels, whose times of change must stay for numba to take them."""
    shutil.rmtree(folder, ignore_errors=True)
    for path in [*tree(), *(path for room in ("cardwar_envs", "baselines") for path in compiled(ROOT / room))]:
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    return folder


def compiled(folder, module="*"):
    """Files in which numba keeps a module's compiled functions."""
    return [path for end in ("nbi", "nbc") for path in folder.glob(f"**/__pycache__/{module}.*.{end}")]


def keep_compiled(folder):
    """Takes the compiled kernels of a copy without faults into the tree, from where all copies have them."""
    for cached in compiled(folder):
        target = ROOT / cached.relative_to(folder)
        target.parent.mkdir(exist_ok=True)
        shutil.copy2(cached, target)


def forget_compiled(folder, path):
    """Removes compiled code that holds the mutated kernel: its own and that of kernels that call it."""
    stale, before = {path}, set()
    kernels = files_of(["cardwar_envs/**/*kernel.py", "baselines/**/*kernel.py"])
    while stale != before:
        before = set(stale)
        names = {name.removesuffix(".py").replace("/", ".") for name in stale}
        stale |= {each for each in kernels if any(name in imports_of(each) for name in names)}
    for each in stale:
        for cached in compiled((folder / each).parent, Path(each).stem):
            cached.unlink()


def imports_of(path):
    found = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return found


# -- what each test file executes ------------------------------------------------------------------------------


# Ends with 0 if there is no test (pytest's 5), and with what pytest ends with otherwise.
NO_TEST_IS_FINE = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]) % 5)"


def pytest_call(folder, words, coverage=None, plain=False):
    """A command that runs pytest in a copy of the tree, and on nothing but the code of that copy."""
    settings = [f"PYTHONPATH={folder}", *(["NUMBA_DISABLE_JIT=1"] if plain else [])]
    watched = ["coverage", "run", f"--data-file={coverage}", "--source=cardwar_envs,baselines,train", "-m"]
    call = ["env", "-C", str(folder), *settings, sys.executable, "-m", *(watched if coverage else []), "pytest"]
    call += ["-x", "-q", "-p", "no:cacheprovider", *words]
    return shlex.join([sys.executable, "-c", NO_TEST_IS_FINE, *call])


def words_for(name):
    """What pytest is told to run a test file, or the tests of plain kernels."""
    if name != PLAIN:
        return [name]
    marked = [path for path in sorted(files_of(["tests/*/**/test_*.py"])) if MARK in (ROOT / path).read_text()]
    return ["-m", "plain_kernels", *marked]


def record(folders, patterns, workers):
    """Test file -> seconds and the lines that it executes; those that fail without any fault are left out."""
    path = BUILD / "record.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    code = state_of([each for each in tree() if not each.name.startswith("test_")])
    names = [PLAIN, *sorted(files_of(patterns) - {"tests/test_plain_kernels.py"})]
    keys = {name: code + ("" if name == PLAIN else state_of([ROOT / name])) for name in names}
    lock = threading.Lock()

    def one(name):
        folder = folders.get()
        data = BUILD / f"{folder.name}.coverage"
        data.unlink(missing_ok=True)
        began = time.monotonic()
        outcome, output = run_tests(pytest_call(folder, words_for(name), data, name == PLAIN), 1800)
        found = CoverageData(str(data))
        found.read()
        lines = {Path(each).relative_to(folder).as_posix(): found.lines(each) for each in found.measured_files()}
        folders.put(folder)
        with lock:
            passed = outcome == TestOutcome.SURVIVED
            seconds = time.monotonic() - began
            known[name] = {"key": keys[name], "passed": passed, "seconds": seconds, "lines": lines}
            unfinished = path.with_suffix(".unfinished")  # a kill must not leave half of it
            unfinished.write_text(json.dumps(known))
            unfinished.replace(path)
            print(name, "passes" if passed else f"FAILS WITHOUT ANY FAULT\n{output[-2000:]}", flush=True)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, [name for name in names if known.get(name, {}).get("key") != keys[name]]))
    return {name: known[name] for name in names if known[name]["passed"]}


def not_recorded(patterns):
    """Stands for a record: each test file might execute every line, and takes long enough to be a call by itself."""
    return {name: {"seconds": 60.0, "lines": None} for name in [PLAIN, *sorted(files_of(patterns))]}


# -- one mutant ------------------------------------------------------------------------------


def rooms(mutant):
    """The folders of tests that are tried first.

    That is the deepest folder of `tests` that is named like a folder of the mutant's path. What stores files has no
    such folder of its own: it is tested by what writes and reads them.
    """
    parts = Path(mutant["path"].removeprefix("cardwar_envs/")).parent.parts
    folders = [Path("tests", *parts[:depth]).as_posix() for depth in range(len(parts), 0, -1)]
    own = next(folder for folder in [*folders, "tests"] if (ROOT / folder).is_dir())
    if mutant["kind"] != "storage":
        return (f"{own}/",)
    return (*([f"{own}/"] if own.count("/") > 1 else []), *STORAGE_ROOMS)


def calls(mutant, recorded):
    """The test files to try, in order, as lists for one call of pytest each."""
    path, line, kernel = mutant["path"], mutant["line"], mutant["path"].endswith("kernel.py")
    home = rooms(mutant)
    if kernel:  # compiled, its lines are not seen: all of the room, and what plays games in batches
        home = (*home, "tests/envs/test_game_batch")
    executing = {name for name, each in recorded.items() if each["lines"] and line in each["lines"].get(path, [])}
    if kernel or recorded[PLAIN]["lines"] is None:
        executing = {name for name in recorded if name.startswith(home)} | (executing & {PLAIN})
    if kernel and recorded[PLAIN]["lines"] is None:
        executing |= {PLAIN}

    def order(name):
        about = path.removesuffix(".py").replace("/", ".") in (ROOT / name).read_text()
        return recorded[name]["seconds"], not about, (ROOT / name).stat().st_size

    fastest = sorted(executing - {PLAIN}, key=order)
    own = [name for name in fastest if name.startswith(home)]
    quick, spent = [], 0.0
    for name in own:
        spent += recorded[name]["seconds"]
        quick += [name] if spent < 2 * FIRST_SECONDS or not quick else []
    rest, spent = [], 0.0
    for name in fastest:
        if name not in own:
            spent += recorded[name]["seconds"]
            rest += [name] if spent < REST_SECONDS or not rest else []
    return [[PLAIN]] * (PLAIN in executing) + [each for each in (quick, own[len(quick) :], rest) if each]


def try_mutant(mutant, folder, pristine, recorded, wide):
    """Puts the fault into the copy, runs the tests until one fails, and takes the fault out again."""
    kernel, target = mutant["path"].endswith("kernel.py"), folder / mutant["path"]
    outcome, output = TestOutcome.SURVIVED, "no test executes this line"
    operator = get_operator(mutant["operator"])()
    with use_mutation(target, operator, mutant["occurrence"]) as (_, mutated):
        if mutated is None:
            return WorkResult(WorkerOutcome.NO_TEST)
        if kernel:
            forget_compiled(folder, mutant["path"])
        for names in calls(mutant, recorded):
            plain = names == [PLAIN]
            if wide and plain:
                continue
            seconds = 60.0 + 4.0 * sum(recorded[name]["seconds"] for name in names) + 240.0 * (kernel and not plain)
            words = [word for name in names for word in words_for(name)]
            words += ["--wide", "-m", "wide and not slow and not soak"] if wide else []
            outcome, output = run_tests(pytest_call(folder, words, plain=plain), seconds)
            if outcome != TestOutcome.SURVIVED:
                break
    shutil.copy2(pristine / mutant["path"], target)  # with its time of change, by which numba knows it
    if kernel:
        forget_compiled(folder, mutant["path"])
        for cached in compiled(pristine):
            copy = folder / cached.relative_to(pristine)
            if not copy.exists():
                shutil.copy2(cached, copy)
    return WorkResult(WorkerOutcome.NORMAL, output[-3000:], outcome, change(mutant))


def change(mutant):
    """The line before and after."""
    source = (ROOT / mutant["path"]).read_text()
    after = mutate_code(source, get_operator(mutant["operator"])(), mutant["occurrence"]).splitlines()
    return f"{mutant['path']}:{mutant['line']}\n- {mutant['text']}\n+ {after[mutant['line'] - 1].strip()}"


def item_of(job, mutant):
    line = mutant["line"]
    fault = MutationSpec(mutant["path"], mutant["operator"], mutant["occurrence"], (line, 0), (line, 1))
    return WorkItem.single(job, fault)


def run_session(name, mutants, folders, pristine, recorded, until, workers):
    """Tries those mutants that the session has no result for; what was tried, as a dict job -> result."""
    results = BUILD / state_of(tree())
    results.mkdir(exist_ok=True)
    with use_db(results / f"{name}.sqlite") as session:
        known = {item.job_id for item in session.work_items}
        session.add_work_items(item_of(job, mutant) for job, mutant in mutants.items() if job not in known)
        done, lock = {job for job, _ in session.results}, threading.Lock()

        def one(job):
            if time.monotonic() > until:
                return
            folder, began = folders.get(), time.monotonic()
            try:
                result = try_mutant(mutants[job], folder, pristine, recorded, name == "wide")
            finally:
                folders.put(folder)  # or the other workers would wait for it for ever
            with lock:
                session.set_result(job, result)
                print(f"{name} {job} {result.test_outcome} {time.monotonic() - began:.0f} s", flush=True)

        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(one, [job for job in mutants if job not in done]))
        return {job: result for job, result in session.results if job in mutants}


def report(mutants, default, wide, changed):
    """Prints what became of them."""
    killed = {job for job, result in default.items() if result.test_outcome == TestOutcome.KILLED}
    holes = {job for job, result in wide.items() if result.test_outcome == TestOutcome.KILLED}
    for kind in KINDS:
        jobs = {job for job, mutant in mutants.items() if mutant["kind"] == kind}
        counts = f"{len(jobs & default.keys())} of {len(jobs)} tried, {len(jobs & killed)} killed"
        moved = sum(mutant["kind"] == kind for mutant in changed.values())
        print(f"{kind}: {counts}, {len(jobs & holes)} by --wide only; {moved} changed and skipped")
    for job, mutant in changed.items():
        print(f"changed: {job} {mutant['path']}:{mutant['line']} {mutant['text']}")
    survivors = default.keys() - killed
    for title, jobs in (
        ("killed by --wide only", holes),
        ("survives", survivors & wide.keys() - holes),
        ("survives the chosen cases, not tried on all", survivors - wide.keys()),
    ):
        for job in sorted(jobs):
            print(f"{title}: {job} {default[job].diff}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draw", action="store_true", help="draw the list anew and stop")
    parser.add_argument("--minutes", type=float, default=90.0, help="begin no mutant after this time")
    parser.add_argument("--workers", type=int, default=2, help="how many mutants are tried at a time")
    parser.add_argument("--first", type=int, help="try only so many from the start of the list; kinds take turns")
    parser.add_argument("--only", nargs="+", default=[], help="try these mutants only, such as 034-rules")
    parser.add_argument("--tests", nargs="+", default=["tests/**/test_*.py"], help="try these test files only")
    parser.add_argument("--rooms-only", action="store_true", help="record nothing, and try the tests of the room only")
    args = parser.parse_args()
    if args.draw:
        return draw()
    until, (mutants, changed) = time.monotonic() + 60.0 * args.minutes, read_list()
    mutants = {job: mutants[job] for job in args.only or list(mutants)[: args.first]}
    BUILD.mkdir(parents=True, exist_ok=True)
    folders = SimpleQueue()
    for number in range(args.workers):
        folders.put(copy_tree(BUILD / f"copy-{number}"))
    recorded = not_recorded(args.tests) if args.rooms_only else record(folders, args.tests, args.workers)
    keep_compiled(BUILD / "copy-0")
    pristine = copy_tree(BUILD / "pristine")
    default = run_session("default", mutants, folders, pristine, recorded, until, args.workers)
    survivors = {job: mutants[job] for job, each in default.items() if each.test_outcome == TestOutcome.SURVIVED}
    wide = run_session("wide", survivors, folders, pristine, recorded, until, args.workers)
    report(mutants, default, wide, changed)


if __name__ == "__main__":
    main()
