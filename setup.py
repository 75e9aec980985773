"""The one thing that pyproject.toml cannot say: on a package index, README's links need the repository's address."""

import re
import tomllib
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).parent
REPOSITORY = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Repository"]


def for_an_index(readme: str) -> str:
    """README with absolute links to files and pictures of the repository."""
    readme = re.sub(r"!\[([^]]*)\]\((?!https?:)", rf"![\1]({REPOSITORY}/raw/HEAD/", readme)
    return re.sub(r"(?<!!)\[([^]]*)\]\((?!https?:|#)", rf"[\1]({REPOSITORY}/blob/HEAD/", readme)


setup(
    long_description=for_an_index((HERE / "README.md").read_text(encoding="utf-8")),
    long_description_content_type="text/markdown",
)
