"""The wheel and the source archive: what is in them, and what they say of themselves."""

import re
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import PathDistribution

import pytest
from wheels import PACKAGES, PROJECT, ROOT, build

pytest.importorskip("setuptools", "77", reason="needs the extra release")

INSTALLED = {
    str(path.relative_to(ROOT)).replace("\\", "/")
    for package in PACKAGES
    for path in (ROOT / package).rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
} | {"pytest_cardwar.py"}
BESIDE = {"CHANGELOG.md", "CITATION.cff", "LICENSE", "MANIFEST.in", "README.md"} | {
    "constraints.txt",
    "pyproject.toml",
    "setup.py",
}


def test_both_archives_hold_all_that_is_installed_and_no_tests(tmp_path):
    wheel, source = build(tmp_path)
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        packed.extractall(tmp_path / "wheel")
    about = f"cardwar_envs-{PROJECT['version']}.dist-info/"
    assert {name for name in names if not name.startswith(about)} == INSTALLED
    assert about + "licenses/LICENSE" in names
    with tarfile.open(source) as packed:
        files = {member.name.partition("/")[2] for member in packed if member.isfile()}
    made = {"PKG-INFO", "setup.cfg"}
    assert {name for name in files if ".egg-info/" not in name} == INSTALLED | BESIDE | made
    check_metadata(PathDistribution(tmp_path / "wheel" / about))


@pytest.mark.slow
def test_the_checkers_of_archives_pass(tmp_path):
    pytest.importorskip("twine", reason="needs the extra release")
    pytest.importorskip("check_wheel_contents", reason="needs the extra release")
    wheel, source = build(tmp_path)
    for words in (["twine", "check", "--strict", str(wheel), str(source)], ["check_wheel_contents", str(wheel)]):
        done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def check_metadata(about):
    """Metadata of a wheel are those of pyproject.toml, and complete."""
    said = about.metadata
    assert said["License-Expression"] == "MIT"
    assert said.get_all("License-File") == ["LICENSE"]
    assert said["Author"] == PROJECT["authors"][0]["name"]
    assert said["Requires-Python"] == ">=3.11"
    assert {each.split(", ")[0] for each in said.get_all("Project-URL")} == {"Repository", "Issues", "Changelog"}
    assert set(said.get_all("Provides-Extra")) == set(PROJECT["optional-dependencies"])
    assert said["Description-Content-Type"] == "text/markdown"
    readme = said.get_payload()
    assert readme.startswith("# cardwar-envs")
    links = set(re.findall(r"\]\(([^)]*)\)", readme))
    repository = PROJECT["urls"]["Repository"]
    assert {f"{repository}/raw/HEAD/docs/exploitability.png", f"{repository}/blob/HEAD/docs/start.md#install"} <= links
    assert all(link.startswith("https://") for link in links)
    assert {each.group for each in about.entry_points} == {"console_scripts", *PROJECT["entry-points"]}
