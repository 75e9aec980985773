"""The helper modules of these tests lie beside this file; `skins` is that of the environments' tests."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "envs"))
sys.path.insert(0, str(Path(__file__).parent))

from small_runs import learned  # lies in the folder above


@pytest.fixture(scope="session")
def real(tmp_path_factory):
    """A finished run, to be copied; beside it `other`, one with another seed."""
    out = tmp_path_factory.mktemp("real") / "run"
    learned(out)
    learned(out.with_name("other"), seed=1)
    return out


@pytest.fixture
def copy(real, tmp_path):
    return shutil.copytree(real, tmp_path / "run")


@pytest.fixture
def victim(tmp_path):
    """A file that must stay as it is."""
    path = tmp_path / "victim"
    path.write_text("untouched")
    yield path
    assert path.read_text() == "untouched"


@pytest.fixture
def undrawn(monkeypatch):
    """Leaves out the pictures of reports, which take most of their time."""
    monkeypatch.setattr("train.reports.curves.draw_game", lambda game: b"<svg/>")
