"""The pictures in the documents are those that the games draw today."""

from pathlib import Path

import pytest

from cardwar_envs import to_svg
from lab.gallery import FOLDER, SHOWN, picture

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", SHOWN)
def test_pictures_are_drawn_anew(name):
    assert (ROOT / FOLDER / f"{name}.svg").read_text() == to_svg(picture(name)), "run python -m lab.gallery"
