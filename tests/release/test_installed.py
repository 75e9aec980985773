"""The wheel in an environment of its own, outside the checkout: what it runs, and what it says of what is missing."""

import os
import re
import shlex
import shutil
import subprocess

import pytest
from wheels import ROOT, build, environment

pytestmark = pytest.mark.slow
pytest.importorskip("setuptools", "77", reason="needs the extra release")

README = re.sub(r"<!-- not run.*?^```\n.*?^```\n", "", (ROOT / "README.md").read_text(), flags=re.M | re.S)
PYTHON = "\n".join(re.findall(r"^```python\n(.*?)^```$", README, re.M | re.S))
COMMANDS = "\n".join(re.findall(r"^```sh\n(.*?)^```$", README, re.M | re.S)).splitlines()

# What the bare wheel cannot do -> the extra, or the folder of a checkout, that it names.
MISSING = {
    "cardwar train jujitsu num_cards=3": "train",
    "cardwar study study.toml": "train",
    "cardwar exploit war --policy uniform --approximate --out found": "train",
    "cardwar report runs/mine": "report",
    "cardwar playoffs jujitsu num_cards=3 uniform highest_card": "plot",
    "cardwar reproduce rauscher-2017": "plot",
    "cardwar play jujitsu num_cards=3 --web": "play",
    "cardwar watch jujitsu num_cards=3 uniform uniform --gif game.gif": "render",
    "cardwar solve jujitsu num_cards=3 --engine ray": "ray",
    "cardwar check cardwar_envs.jujitsu_v0": "./kit",
}

NOTEBOOK = """
import sys, nbclient, nbformat
nbclient.NotebookClient(nbformat.read(sys.argv[1], as_version=4), timeout=300).execute()
"""


class Installed:
    """An environment, and the empty folder that its programs run in."""

    def __init__(self, folder, *what):
        self.folder = folder / "empty"
        self.folder.mkdir()
        self.programs = environment(folder / "environment", build(folder)[0], *what)

    def __call__(self, line):
        program, *arguments = shlex.split(line, comments=True)
        # Nothing but the environment is on the path, and nothing of this process's settings.
        settings = {"PATH": str(self.programs), "HOME": str(self.folder), "COLUMNS": "100"}
        settings |= {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
        call = [str(self.programs / program), *arguments]
        return subprocess.run(call, cwd=self.folder, env=settings, capture_output=True, text=True, check=False)

    def runs(self, line):
        done = self(line)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("bare"))


def test_the_bare_wheel_runs_the_lines_of_the_readme(bare):
    assert str(bare.folder.parent) in bare.runs("python -c 'import baselines; print(baselines.__file__)'")
    bare.runs(f"python -c {shlex.quote(PYTHON)}")
    assert len(COMMANDS) >= 3
    for line in [*COMMANDS, "cardwar check jujitsu num_cards=3", "cardwar levels"]:
        bare.runs(line)


@pytest.mark.parametrize(("line", "extra"), MISSING.items())
def test_what_is_missing_is_named_by_its_extra_in_one_line(bare, line, extra):
    (bare.folder / "study.toml").write_text((ROOT / "studies" / "quick.toml").read_text())
    done = bare(line)
    assert done.returncode == 2, done.stdout + done.stderr
    (said,) = done.stderr.splitlines()
    assert said.startswith("cardwar: ")
    assert said.endswith(f"pip install {extra}" if extra == "./kit" else f"pip install 'cardwar-envs[{extra}]'")


def test_the_wheel_with_train_learns_and_reports(tmp_path):
    installed = Installed(tmp_path, "train")
    installed.runs("cardwar train jujitsu num_cards=3 --algorithm minimax_q --steps 4000 --out run")
    assert "exploitability" in installed.runs("cardwar exploit jujitsu num_cards=3 --policy run")
    installed.runs("cardwar report run")
    assert (installed.folder / "report.html").exists()


def test_the_wheel_with_train_runs_the_notebooks_in_jupyter(tmp_path):
    for jupyter in ("ipykernel", "nbclient"):
        pytest.importorskip(jupyter, reason="needs the extra docs")
    installed = Installed(tmp_path, "train", ["ipykernel", "nbclient"])
    for notebook in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        shutil.copy(notebook, installed.folder)
        installed.runs(f"python -c {shlex.quote(NOTEBOOK)} {notebook.name}")
