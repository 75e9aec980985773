"""Runs the kit on every environment of the set, and writes what it caught into the page on it.

    python -m broken.measure [--processes 2] [--seconds 300] [--results FILE] [--document FILE]

Each environment runs in a process of its own, which is ended after `--seconds`. What is done is kept in a file of JSON
lines, so a killed run goes on where it was; a line counts for one source of the environment and one of the kit.
The document's generated sections (`<!-- generated: make broken, caught -->`) are rewritten.
"""

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache, partial
from pathlib import Path

from broken import frozen, tables
from broken.skins import AEC, Parallel

ROOT = Path(__file__).parents[1]


@cache
def kit_digest():
    files = sorted((ROOT / "src").rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def key_of(name, each):
    """What a stored result belongs to: the environment, its source, and the kit's."""
    source = "".join(map(frozen.digest, (each.game, AEC, Parallel)))
    return name, hashlib.sha256(source.encode()).hexdigest(), kit_digest()


def stored(path):
    """Key -> result, of a file of JSON lines, whose last line may be cut off."""
    found = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            result = json.loads(line)
        except json.JSONDecodeError:
            continue
        found[result["name"], result["source"], result["kit"]] = result
    return found


def checked(name, each, **looks):
    """Runs the kit on one environment, in this process; `looks` replace its defaults for seed, seconds and games.

    Returns (check, status, reason) of each check. None is run after the first that fails, which saves much time.
    """
    from zoocheck import CHECKS, load, run

    try:
        zero_sum = getattr(each.game, "zero_sum", None) or None
        subject = load(f"broken.environments:{name}", zero_sum=zero_sum, **looks)
    except ValueError as error:
        return [("load", "failed", str(error))]
    subject.budget.to_come, results = len(CHECKS), []
    for check in CHECKS:
        result = run(check, subject)
        results.append((result.check, result.status, result.reason))
        if result.status == "failed":
            break
    return results


def run_limited(command, seconds):
    """Runs a command and ends it, with all that it has started, after some seconds. Returns (end, stdout, stderr)."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, text=True, cwd=ROOT, start_new_session=True) as child:
        try:
            out, error = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return "time", "", ""
    return "crash" if child.returncode else "done", out, error


def measured(name, each, seconds):
    """Runs the kit on one environment in a process of its own."""
    began = time.monotonic()
    end, out, error = run_limited([sys.executable, "-m", "broken.measure", "--one", name], seconds)
    results = json.loads(out.splitlines()[-1]) if end == "done" else []
    name, source, kit = key_of(name, each)
    told = {"seconds": round(time.monotonic() - began, 2), "end": end, "error": error[-500:] * (end == "crash")}
    return {"name": name, "source": source, "kit": kit, **told, "results": results}


def measure(environments, path, processes, seconds):
    """Name -> result of each environment; those that `path` has already are not run again."""
    known = stored(path)
    results = {name: known.get(key_of(name, each)) for name, each in environments.items()}
    missing = [name for name, result in results.items() if result is None]
    print(f"{len(missing)} of {len(results)} environments are to be run, {processes} at once (--processes).")
    print(f"Results are kept in {path}: a run that was ended, by Ctrl-C or kill, goes on from there.", flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file, ThreadPoolExecutor(processes) as pool:
        file.write("\n" * bool(known))  # after a line that was cut off
        running = [pool.submit(measured, name, environments[name], seconds) for name in missing]
        try:
            for done in as_completed(running):
                result = done.result()
                results[result["name"]] = result
                print(json.dumps(result), file=file, flush=True)
                print(f"{result['name']}: {tables.verdict(result)} ({result['seconds']} s)", flush=True)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)  # those that run are waited for
            raise
    return results


def arguments(words):
    parser = argparse.ArgumentParser(prog="python -m broken.measure")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=300.0, help="limit for one environment")
    parser.add_argument("--results", type=Path, default=ROOT / "runs" / "broken" / "results.jsonl")
    parser.add_argument("--document", type=Path, default=ROOT / "docs" / "measured.md")
    parser.add_argument("--one", metavar="NAME", help="run the kit on this one here, and print its results as JSON")
    return parser.parse_args(words)


def main(words):
    from broken.environments import EVERY

    given = arguments(words)
    if given.one:
        print(json.dumps(checked(given.one, EVERY[given.one])))
        return
    results = measure(EVERY, given.results, given.processes, given.seconds)
    from broken.markdown import rewrite

    section = partial(tables.section, EVERY, results)
    given.document.write_text(rewrite(given.document.read_text(), "make broken", section))
    print(tables.summary(EVERY, results))


if __name__ == "__main__":
    main(sys.argv[1:])
