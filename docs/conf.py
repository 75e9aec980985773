"""Sphinx's settings for the documentation site; `make docs` builds it."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # the notebooks' kernel would warn of frozen modules

import cardwar_envs

_about = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = _about["name"]
author = _about["authors"][0]["name"]
copyright = f"the authors of {project}, MIT license"  # noqa: A001  # Sphinx calls it so
release = cardwar_envs.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
if author != "OWNER":  # the placeholder leads nowhere
    html_theme_options = {"source_repository": _about["urls"]["Repository"], "source_branch": "main"}
    html_theme_options["source_directory"] = "docs/"
html_title = f"cardwar-envs {release}"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_show_sphinx = False
smartquotes = False  # words in quotes are often values of parameters

myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

# Docstrings are Google style with code in single backticks.
default_role = "code"
highlight_language = "text"
napoleon_use_ivar = True
napoleon_custom_sections = [("Entries", "params_style")]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"

# Our own names must be found; those of other packages are not looked for, which would need a network.
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!(cardwar_envs|baselines|train)\.).*"),
    ("py:.*", r".*\.(S|Views|Play)"),  # a type variable, an alias, and a class of the kit's inside, without pages
]


def indented_code(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Marks an indented block after a paragraph that ends in a colon as code, as Markdown reads it."""
    for number in range(len(lines) - 2):
        here, blank, after = lines[number : number + 3]
        if here.rstrip().endswith(":") and not blank.strip() and re.match(r" {4,}\S", after):
            lines[number] = here.rstrip() + ":"


def without_fields(app: Any, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Leaves out the fields of named tuples, which "Attributes:" describes already."""
    return True if str(getattr(thing, "__doc__", "")).startswith("Alias for field number") else None


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", indented_code)
    app.connect("autodoc-skip-member", without_fields)
