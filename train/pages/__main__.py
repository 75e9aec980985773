"""Regenerates the generated parts of the documents: `python -m train.pages`, in the top folder of the repository.

A generated part stands between two comments, as in `baselines.markdown`:

    <!-- generated: python -m train.pages, jujitsu parameters -->
    <!-- end -->
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from baselines.markdown import rewrite
from train.pages import checks, command, games

COMMAND = "python -m train.pages"
FOLDER = Path("docs")


def part_of(part: str) -> str:
    """A generated part in Markdown, named by a game, `cardwar` or `conformance`, and the part."""
    subject, what = part.split()
    others = {"cardwar": command.section, "conformance": checks.section}
    return others[subject](what) if subject in others else games.section(subject, what)


def pages(folder: Path = FOLDER) -> Iterator[Path]:
    """The pages with parts generated here."""
    return (page for page in sorted(folder.rglob("*.md")) if f"<!-- generated: {COMMAND}, " in page.read_text())


def main() -> None:
    """Rewrites all pages."""
    for page in pages():
        page.write_text(rewrite(page.read_text(), COMMAND, part_of))


if __name__ == "__main__":
    main()
