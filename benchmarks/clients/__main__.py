"""Runs clients and writes the table of `docs/clients.md`.

    python -m benchmarks.clients --envs FOLDER [--again] [CLIENT ...]

Environments are made below FOLDER, several gigabytes in all. What a client came to is kept in `runs/clients`, so a
broken run goes on where it stopped; `--again` runs clients that have been run. Without names all clients are run.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from baselines.files import write_atomically
from baselines.markdown import rewrite
from baselines.markdown import table as in_markdown
from benchmarks.clients.environments import ROOT, build_wheel, prepare, run
from benchmarks.clients.table import CLIENTS, Client

RESULTS = ROOT / "runs" / "clients"
PAGE = ROOT / "docs" / "clients.md"
COMMAND = "python -m benchmarks.clients"


def table(results: Sequence[dict]) -> str:
    """Results as a table in Markdown; a client's name stands in the first of its rows."""
    rows = []
    for each in results:
        names = [each["client"], each["version"]]
        for row in each["rows"]:
            rows.append([*names, row["ran"], row["result"]])
            names = ["", ""]
    return in_markdown(["client", "version", "what was run", "result"], rows)


def kept(client: Client) -> Path:
    """Where a client's results are kept."""
    return RESULTS / f"{client.name}.json"


def run_client(client: Client, folder: Path, wheel: Path) -> None:
    """Runs a client and keeps what came out; a client that cannot be installed is a result, too."""
    print(f"{client.name} ...", flush=True)
    try:
        result = run(client, prepare(client, folder, wheel))
    except subprocess.CalledProcessError as error:
        rows = [{"ran": f"pip install {' '.join(client.needs)}", "result": f"failed: exit code {error.returncode}"}]
        result = {"client": client.name, "version": "", "rows": rows}
    RESULTS.mkdir(parents=True, exist_ok=True)
    write_atomically(kept(client), json.dumps({**result, "python": platform.python_version()}, indent=2).encode())
    print(table([result]), flush=True)


def main() -> None:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="CLIENT", help=", ".join(each.name for each in CLIENTS))
    parser.add_argument("--envs", type=Path, required=True, help="folder of the environments")
    parser.add_argument("--again", action="store_true", help="run clients that have been run")
    asked = parser.parse_args()
    if unknown := set(asked.names) - {each.name for each in CLIENTS}:
        parser.error(f"no such client: {', '.join(sorted(unknown))}")
    chosen = [each for each in CLIENTS if not asked.names or each.name in asked.names]
    if left := [each for each in chosen if asked.again or not kept(each).exists()]:
        with tempfile.TemporaryDirectory() as folder:
            wheel = build_wheel(Path(folder))
            for client in left:
                run_client(client, asked.envs.resolve(), wheel)
    results = [json.loads(kept(each).read_text()) for each in CLIENTS if kept(each).exists()]
    PAGE.write_text(rewrite(PAGE.read_text(), COMMAND, lambda _: table(results)))


if __name__ == "__main__":
    main()
