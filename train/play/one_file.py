"""The page of `cardwar play --web` as one file, with the whole game in it as data instead of a server."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PAGES = Path(__file__).with_name("page")
SCRIPTS = ("page.js", "picking.js", "wording.js", "file.js", "lobby.js")
# The links to style and scripts in the head of the served page.
LINKS = re.compile(r'<link rel="icon".*</script>\n', re.DOTALL)


def page_with(data: Mapping[str, Any]) -> str:
    """The file, in which only the data depend on the game: no text of a game is markup or script.

    Args:
        data: What `Listing.data` returns.
    """
    style = _part("page.css")
    script = "".join(map(_part, SCRIPTS))
    packed = base64.b64encode(gzip.compress(json.dumps(data, separators=(",", ":")).encode(), mtime=0)).decode()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>\n'
    ends = f'<script type="text/plain" id="data">{packed}</script>\n<script>{script}</script>\n</body>'
    page, found = LINKS.subn(lambda _: head, _part("page.html"))
    assert found == 1
    return page.replace("</body>", ends)


def _part(name: str) -> str:
    return (PAGES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
