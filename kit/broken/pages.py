"""Regenerates parts of docs/checks.md: run `python -m broken.pages` in the folder of the kit."""

from collections import defaultdict
from pathlib import Path
from textwrap import fill
from urllib.parse import urlsplit

from broken import environments
from broken.markdown import rewrite, table
from zoocheck import CHECKS
from zoocheck.grounds import grounds
from zoocheck.verdicts import explained

COMMAND = "python -m broken.pages"
PAGE = Path(__file__).parents[1] / "docs" / "checks.md"
WIDTH = 120


def section(part):
    """A generated part of the page."""
    parts = {
        "checks": lambda: "\n\n".join(map(_check, CHECKS)),
        "sentences": lambda: _grounds(gymnasium=False),
        "sentences of Gymnasium": lambda: _grounds(gymnasium=True),
        "broken environments": environments.markdown,
    }
    return parts[part]()


def _check(name):
    told = explained(CHECKS[name])
    paragraphs = [told.demanded, *told.meaning, f"**Example of a violation:** {told.example}", f"**Fix:** {told.fix}"]
    return "\n\n".join([f"## `{name}`", *(fill(each, WIDTH, break_on_hyphens=False) for each in paragraphs)])


def _grounds(gymnasium):
    """A table of what the checks rest on."""
    checks = defaultdict(list)
    for check, ground in grounds(gymnasium).items():
        checks[ground].append(f"`{check}`")
    rows = [[ground.severity, cited(ground), ", ".join(names)] for ground, names in sorted(checks.items(), key=_page)]
    return table(["severity", "sentence", "checks"], rows)


def _page(row):
    return not row[0].page, row[0].page


def cited(ground):
    if not ground.page:
        return f"about learning: {ground.sentence}"
    page = urlsplit(ground.page)
    name = f"{page.netloc.partition('.')[0]}, {page.path.strip('/').rpartition('/')[2]}"
    return f"[{name}]({ground.page}): {ground.sentence}"


if __name__ == "__main__":
    PAGE.write_text(rewrite(PAGE.read_text(), COMMAND, section))
