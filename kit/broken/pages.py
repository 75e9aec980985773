"""Regenerates parts of docs/checks.md: run `python -m broken.pages` in the folder of the kit."""

from pathlib import Path
from textwrap import fill

from broken import environments
from broken.markdown import rewrite
from zoocheck import CHECKS
from zoocheck.verdicts import explained

COMMAND = "python -m broken.pages"
PAGE = Path(__file__).parents[1] / "docs" / "checks.md"
WIDTH = 120


def section(part):
    """A generated part: "checks", one section per check, or "broken environments", a table."""
    return {"checks": lambda: "\n\n".join(map(_check, CHECKS)), "broken environments": environments.markdown}[part]()


def _check(name):
    told = explained(CHECKS[name])
    paragraphs = [told.demanded, *told.meaning, f"**Example of a violation:** {told.example}", f"**Fix:** {told.fix}"]
    return "\n\n".join([f"## `{name}`", *(fill(each, WIDTH, break_on_hyphens=False) for each in paragraphs)])


if __name__ == "__main__":
    PAGE.write_text(rewrite(PAGE.read_text(), COMMAND, section))
