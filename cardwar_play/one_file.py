"""Pages as single files that contain all data and need no server: a playable game, and the recorded solutions."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from baselines.solutions.recorded import entries

PAGES = Path(__file__).with_name("page")
SCRIPTS = ("parts.js", "page.js", "picking.js", "wording.js", "file.js", "lobby.js")
# The links to the style sheet and the scripts in the head of the served page.
LINKS = re.compile(r'<link rel="icon".*</script>\n', re.DOTALL)


def page_with(data: Mapping[str, Any], page: str = "page.html", scripts: Sequence[str] = SCRIPTS) -> str:
    """Fills a page with data; strings from the game are never interpreted as markup or script.

    Args:
        data: The result of `Listing.data`, or the data of another page.
        page: The HTML of the page.
        scripts: Its scripts.
    """
    style = _part("page.css")
    script = "".join(map(_part, scripts))
    packed = base64.b64encode(gzip.compress(json.dumps(data, separators=(",", ":")).encode(), mtime=0)).decode()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>\n'
    ends = f'<script type="text/plain" id="data">{packed}</script>\n<script>{script}</script>\n</body>'
    whole, found = LINKS.subn(lambda _: head, _part(page))
    assert found == 1
    return whole.replace("</body>", ends)


def solutions_page() -> str:
    """A page with the payoff matrix, the strategies and their ranges of probabilities for every recorded solution."""
    return page_with({"solutions": list(entries())}, "solutions.html", ("parts.js", "solutions.js"))


def _part(name: str) -> str:
    return (PAGES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
