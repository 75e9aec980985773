"""Runs clients and writes the table of `docs/clients.md`.

    python -m lab.benchmarks.clients --envs FOLDER [--again] [CLIENT ...]

Virtual environments are made below FOLDER, several gigabytes in total. Results are stored in `runs/clients`, so an
interrupted run continues where it stopped; `--again` also runs clients that have a result. Without names, all clients
are run.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from baselines.system.files import write_atomically
from lab.benchmarks.clients.environments import ROOT, build_wheel, prepare, run
from lab.benchmarks.clients.table import CLIENTS, Client
from train.reports.markdown import rewrite
from train.reports.markdown import table as in_markdown

RESULTS = ROOT / "runs" / "clients"
PAGE = ROOT / "docs" / "clients.md"
COMMAND = "python -m lab.benchmarks.clients"


def table(results: Sequence[dict[str, Any]]) -> str:
    """Results as a Markdown table; only the first row of a client has its name."""
    rows = []
    for each in results:
        names = [each["client"], each["version"]]
        for row in each["rows"]:
            rows.append([*names, row["ran"], row["result"]])
            names = ["", ""]
    return in_markdown(["client", "version", "what was run", "result"], rows)


def kept(client: Client) -> Path:
    """The file with a client's results."""
    return RESULTS / f"{client.name}.json"


def run_client(client: Client, folder: Path, wheel: Path) -> None:
    """Runs a client and stores the result, which may be that the client cannot be installed."""
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
    """Runs the clients named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="CLIENT", help=", ".join(each.name for each in CLIENTS))
    parser.add_argument("--envs", type=Path, required=True, help="folder for the virtual environments")
    parser.add_argument("--again", action="store_true", help="also run clients that have a result")
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
