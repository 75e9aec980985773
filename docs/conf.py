"""Sphinx's settings for the documentation site; `make docs` builds it."""

from __future__ import annotations

import html
import os
import re
import sys
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
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
nb_execution_timeout = 600  # on a busy machine solvers take minutes to compile
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
    ("py:.*", r".*\.(A|S|Views|Outcomes|Play|BatchStep|Budget|Decision)"),  # names without pages
]

# The games that pages let you play, each at a size that a page can hold: play/NAME.html in the built site.
PLAYABLE: dict[str, list[str]] = {
    "jujitsu": ["num_cards=5"],
    "dinosaur_war": ["num_cards=5"],
    "dice_wars": ["hand_0=1,2,3", "hand_1=1,2,3"],
    "dice_poker": [],
    "war": ["ranks=3", "discards=1", "max_rounds=8"],
    "goofspiel": ["num_cards=3"],
    "oshi_zumo": ["coins=8"],
    "liars_dice": ["sides=3"],
}


def files_with_data(app: Any, error: Exception | None) -> None:
    """Writes the playable files and the page of recorded solutions beside the built pages."""
    from sphinx.util import logging

    from cardwar_cli.play import page
    from cardwar_play.one_file import solutions_page

    folder = Path(app.outdir, "play")
    if error or app.builder.format != "html":
        return
    folder.mkdir(exist_ok=True)
    for name, parameters in PLAYABLE.items():
        with redirect_stdout(StringIO()) as said, redirect_stderr(StringIO()):
            page(name, parameters, out=folder / f"{name}.html")
        logging.getLogger(__name__).info("play/%s.html: %s", name, said.getvalue().partition(". Open")[0])
    (folder / "solutions.html").write_text(solutions_page(), encoding="utf-8")


# Pages whose sections (and objects) are folded: open they are taller than anyone scrolls on a telephone.
FOLDED = {"learners"}


def folded(app: Any, doctree: Any, name: str) -> None:
    """Folds the sections without subsections, and the objects of the reference; a link to one opens it."""
    from docutils import nodes
    from sphinx import addnodes

    if app.builder.format != "html":
        return
    leaves: list[Any] = []
    if name in FOLDED:
        leaves += [each for each in doctree.findall(nodes.section) if len(list(each.findall(nodes.section))) == 1]
    if name.startswith("reference/"):
        leaves += [each for each in doctree.findall(addnodes.desc) if isinstance(each.parent, nodes.section)]
    for leaf in leaves:
        title = leaf[0].get("fullname") or leaf[0].astext()
        start = f'<details class="folded"><summary>{html.escape(title)}</summary>'
        parent, at = leaf.parent, leaf.parent.index(leaf)
        parent[at : at + 1] = [nodes.raw("", start, format="html"), leaf, nodes.raw("", "</details>", format="html")]


def indented_code(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Marks an indented block after a paragraph that ends in a colon as code, as Markdown reads it."""
    for number in range(len(lines) - 2):
        here, blank, after = lines[number : number + 3]
        if here.rstrip().endswith(":") and not blank.strip() and re.match(r" {4,}\S", after):
            lines[number] = here.rstrip() + ":"


def without_fields(app: Any, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Leaves out the fields of named tuples, which "Attributes:" describes already."""
    return True if str(getattr(thing, "__doc__", "")).startswith("Alias for field number") else None


def links_to_the_kit(app: Any, name: str, source: list[str]) -> None:
    """Points links to the documents of the kit, which are no part of the site, to the repository."""
    source[0] = re.sub(r"\]\((?:\.\./)+kit/", f"]({_about['urls']['Repository']}/blob/HEAD/kit/", source[0])


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", links_to_the_kit)
    app.connect("autodoc-process-docstring", indented_code)
    app.connect("autodoc-skip-member", without_fields)
    app.connect("doctree-resolved", folded)
    app.connect("build-finished", files_with_data)
