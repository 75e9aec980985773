"""Generates what follows from the games: run `python -m lab.pages` in the root folder of the repository.

It writes parts of the documentation, the pictures of the games, and their PettingZoo modules, which
`cardwar_envs/__init__.pyi` lists. A generated part of a page is enclosed by two comments, as in
`train.reports.markdown`:

    <!-- generated: python -m lab.pages, jujitsu parameters -->
    <!-- end -->
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from baselines.system.files import write_atomically
from cardwar_envs import GAMES, to_svg
from lab.pages import games, searches, standings, tables
from lab.pages.rounds import picture
from train.reports.markdown import rewrite

COMMAND = "python -m lab.pages"
DOCS, PACKAGE = Path("docs"), Path("cardwar_envs")
MODULE = '''\
"""{title}, version {version}: PettingZoo environments. `help(env)` describes observations and parameters."""

from cardwar_envs.envs.makers import makers

env, raw_env, parallel_env = makers("{name}")
'''
# The lines of the stub that list the modules of the package.
LISTED = re.compile(r"(?:from \. import \w+ as \w+\n)+")


def part_of(part: str) -> str:
    """Generates a part in Markdown; its name is a subject, such as a game, and what to show of it."""
    subject, what = part.split()
    others = {"cardwar": tables.commands, "searches": searches.section, "standings": standings.section}
    return others[subject](what) if subject in others else games.section(subject, what)


def generated() -> Iterator[tuple[Path, str]]:
    """Yields every file that is generated or has generated parts, and its text."""
    for page in sorted(DOCS.rglob("*.md")):
        if f"<!-- generated: {COMMAND}, " in (text := page.read_text()):
            yield page, rewrite(text, COMMAND, part_of)
    for name, kind in GAMES.items():
        yield DOCS / "pictures" / f"{name.replace('_', '-')}.svg", to_svg(picture(kind))
        title = re.split("[.;]", kind.__doc__ or name)[0]
        yield PACKAGE / f"{name}_v{kind.version}.py", MODULE.format(title=title, version=kind.version, name=name)
    yield DOCS / "learning-curves.svg", standings.curves()
    yield DOCS / "search-curves.svg", searches.curve_picture()
    stub = PACKAGE / "__init__.pyi"
    yield stub, LISTED.sub(_modules, stub.read_text(), count=1)


def _modules(listed: re.Match[str]) -> str:
    """The lines for the modules of the games and for those of other modules."""
    others = [name for name in re.findall(r"import (\w+)", listed[0]) if not re.search(r"_v\d+$", name)]
    ours = [f"{name}_v{kind.version}" for name, kind in GAMES.items()]
    return "".join(f"from . import {name} as {name}\n" for name in sorted([*others, *ours]))


def main() -> None:
    """Writes all files."""
    for path, text in generated():
        write_atomically(path, text.encode())


if __name__ == "__main__":
    main()
