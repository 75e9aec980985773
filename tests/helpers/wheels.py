"""The archives of the project, and environments in which a wheel is installed outside of the checkout."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PACKAGES = ("baselines", "cardwar_envs", "train")
# As `python -m build` does it, but with the setuptools that is installed.
BUILD = "import sys; from setuptools import build_meta as b; to = sys.argv[1]; b.build_sdist(to); b.build_wheel(to)"
IGNORED = shutil.ignore_patterns("__pycache__", "*.egg-info")


def build(folder):
    """The wheel and the source archive of a copy of the checkout."""
    source, out = folder / "source", folder / "dist"
    for name in (*PACKAGES, "tests"):
        shutil.copytree(ROOT / name, source / name, ignore=IGNORED)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, source)
    subprocess.run([sys.executable, "-c", BUILD, str(out)], cwd=source, check=True, capture_output=True)
    return next(out.glob("*.whl")), next(out.glob("*.tar.gz"))


def plain(name):
    """A distribution's name in the one spelling that all are compared in."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(requirements):
    """The names of the distributions that requirements ask for, directly or not, ours left out."""
    seen, left = set(), [Requirement(each) for each in requirements]
    while left:
        each = left.pop()
        for extra in {"", *each.extras} - {extra for name, extra in seen if name == plain(each.name)}:
            seen.add((plain(each.name), extra))
            left += asked_for(each.name, extra)
    return {name for name, _ in seen} - {PROJECT["name"]}


def asked_for(name, extra):
    """What a distribution asks for directly; of ours only what the extra adds."""
    if name == PROJECT["name"]:
        return [Requirement(each) for each in PROJECT["optional-dependencies"].get(extra, [])]
    texts = map(Requirement, distribution(name).requires or [])
    return [each for each in texts if each.marker is None or each.marker.evaluate({"extra": extra})]


def environment(folder, wheel, extra=None, beside=()):
    """An environment with the wheel and what it asks for, in the versions that are installed here.

    Files are linked and not copied, and nothing is downloaded. What the wheel does not ask for is not there, but for
    the distributions in `beside` and what those ask for.

    Returns:
        The folder of its programs.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    site = next(folder.rglob("site-packages"))
    more = PROJECT["optional-dependencies"][extra] if extra else []
    for name in needed([*PROJECT["dependencies"], *more, *beside]):
        here = distribution(name)
        for file in here.files or []:
            if ".." not in file.parts and file.suffix != ".pyc":
                target = site / file
                target.parent.mkdir(parents=True, exist_ok=True)
                os.link(here.locate_file(file), target)
    words = ["--python", str(folder), "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    return programs
