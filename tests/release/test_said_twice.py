"""What stands in several files says the same in all of them: version, extras, pins."""

import re
import shlex
import subprocess
import sys
from importlib.metadata import packages_distributions
from itertools import chain

import pytest
from packaging.requirements import Requirement
from packaging.version import Version
from wheels import PROJECT, ROOT, needed, plain

import cardwar_envs
from cardwar_cli.main import EXTRAS

yaml = pytest.importorskip("yaml", reason="needs the extra lint")

CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
PUBLISH = yaml.safe_load((ROOT / ".github" / "workflows" / "publish.yml").read_text())["jobs"]
OWNER = PROJECT["authors"][0]["name"]
PINNED = re.compile(r"^([\w.-]+)==(\S+)$", re.MULTILINE)


def pins(file):
    return {plain(name): version for name, version in PINNED.findall((ROOT / file).read_text())}


def test_the_version_is_one():
    assert PROJECT["version"] == cardwar_envs.__version__ == str(CITATION["version"])
    assert f"## {PROJECT['version']} " in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="the step is for a shell")
def test_nothing_is_published_while_the_placeholder_stands(tmp_path):
    (step,) = (each["run"] for each in PUBLISH["build"]["steps"] if "placeholder" in each.get("name", ""))
    (replace,) = re.findall(r"^sed .*$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    for name in ("pyproject.toml", "CITATION.cff"):
        (tmp_path / name).write_text((ROOT / name).read_text().replace(f"github.com/{OWNER}/", "github.com/OWNER/"))
    refused = subprocess.run(["bash", "-e", "-c", step], cwd=tmp_path, capture_output=True, check=False)
    subprocess.run(shlex.split(replace), cwd=tmp_path, check=True)
    passed = subprocess.run(["bash", "-e", "-c", step], cwd=tmp_path, capture_output=True, check=False)
    assert (refused.returncode, passed.returncode) == (1, 0)
    assert PUBLISH["publish"]["needs"] == "build"


def test_the_extra_that_an_error_names_installs_the_module():
    installed = packages_distributions()
    for extra in set(EXTRAS.values()):
        brought = needed(PROJECT["optional-dependencies"][extra])
        for module in (each for each, named in EXTRAS.items() if named == extra):
            assert {plain(name) for name in installed[module]} & brought, module


def test_constraints_pin_what_is_asked_for_directly():
    pinned = pins("constraints.txt")
    for each in chain(PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()):
        wanted = Requirement(each)
        if wanted.name != "cardwar-envs":
            assert wanted.specifier.contains(pinned[plain(wanted.name)]), each


def test_the_lowest_versions_are_the_lower_ends_of_the_ranges():
    ranges = {plain(each.name): each.specifier for each in map(Requirement, PROJECT["dependencies"])}
    lower = {name: Version(end.version) for name, ends in ranges.items() for end in ends if end.operator == ">="}
    assert {name: Version(version) for name, version in pins("constraints-lowest.txt").items()} == lower


def test_rllib_is_tested_with_the_versions_of_everything_else_but_for_what_it_pins():
    common, own = pins("constraints.txt"), pins("constraints-rllib.txt")
    assert {name for name in common.keys() & own.keys() if common[name] != own[name]} == {"gymnasium"}
    assert {"ray", "torch", "pettingzoo", "numpy", "numba", "safetensors"} <= common.keys() & own.keys()
