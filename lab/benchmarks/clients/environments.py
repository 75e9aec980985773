"""Makes virtual environments for clients and runs programs in them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.benchmarks.clients.table import Client

ROOT = Path(__file__).parents[3]
PROGRAMS = Path(__file__).with_name("programs")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# An expression with the value that a page states, e.g. `games.num_envs  # 8`.
VALUE = re.compile(r"^([^\s#].*?)  # (-?\d+(?:\.\d+)?)$", re.MULTILINE)
PATIENCE = 1800  # seconds for one program


def build_wheel(folder: Path) -> Path:
    """Builds the wheel of the checkout, which is installed in all environments."""
    words = ["wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    return next(folder.glob("*.whl"))


def prepare(client: Client, folder: Path, wheel: Path) -> Path:
    """Installs the client's requirements, unless they are installed already, and our current wheel.

    Returns:
        The path of the environment's Python.
    """
    environment = folder / client.environment
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    ours = f"{wheel}[{client.extra}]" if client.extra else str(wheel)
    pins = ["-c", str(ROOT / client.constraints)] if client.constraints else []
    pip = [str(python), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, *pins, ours, *client.needs], check=True)
    subprocess.run([*pip, "--no-deps", "--force-reinstall", str(wheel)], check=True)
    return python


def run(client: Client, python: Path) -> dict[str, object]:
    """Runs the client's program and recipe in an empty folder.

    Returns:
        The client's name and version, Python's version, and each program with its result. The result of a program that
        fails is the last line of its error.
    """
    version = f"from importlib.metadata import version; print(version({client.package!r}))"
    rows = _rows(python, [str(PROGRAMS / f"{client.program}.py")], "its program")
    if client.recipe:
        page = f"docs/recipes/{client.recipe}.md"
        code = "\n".join(BLOCK.findall((ROOT / page).read_text(encoding="utf-8")))
        code = VALUE.sub(r"assert round(float(\1), 4) == \2, \2", code)
        rows += _rows(python, ["-c", code], f"the recipe [{client.recipe}](recipes/{client.recipe}.md)")
    if client.example:
        file, *words = client.example
        rows += _rows(python, [str(ROOT / file), *words], f"`{file}`")
    return {"client": client.name, "version": _call(python, ["-c", version]).stdout.strip(), "rows": rows}


def _rows(python: Path, words: list[str], what: str) -> list[dict[str, str]]:
    done = _call(python, words)
    said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"ran"')]
    if done.returncode:
        error = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        said.append({"ran": what, "result": f"failed: {error}"})
    return said or [{"ran": what, "result": "passed"}]


def _call(python: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, "SDL_VIDEODRIVER": "dummy"}
    settings.pop("PYTHONPATH", None)  # so that the wheel is run, not the checkout
    with tempfile.TemporaryDirectory() as empty:
        call = [str(python), "-W", "ignore", *words]
        return subprocess.run(
            call, cwd=empty, env=settings, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
