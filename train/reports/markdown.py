"""Writes Markdown: tables, and the generated sections of documents.

A generated section stands between two comments. The first names the command that writes it, and which part of its
output goes here:

    <!-- generated: cardwar reproduce dice-wars, wrong -->
    | place | item | published | computed | reason |
    | --- | --- | --- | --- | --- |
    <!-- end -->
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

SECTION = re.compile(
    r"<!-- generated: (?P<command>[^\n]+?), (?P<part>[^\n]+) -->\n(?P<body>.*?)<!-- end -->", re.DOTALL
)
HEADING = re.compile(r"^#+(?= )", re.MULTILINE)


def escaped(value: object) -> str:
    """Escapes a value for a table cell."""
    return str(value).replace("|", r"\|")


def table(
    headings: Sequence[object], rows: Iterable[Iterable[object]], cell: Callable[..., str] = escaped, rule: str = "---"
) -> str:
    """Makes a Markdown table. `cell` formats headings and cells; `rule` aligns all columns except the first."""
    lines = [map(cell, headings), ["---", *[rule] * (len(headings) - 1)], *(map(cell, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rewrite(text: str, command: str, section: Callable[[str], str]) -> str:
    """Rewrites the sections of a document that one command generates.

    Args:
        text: A document.
        command: The command, as named in the comments that begin its sections.
        section: Maps a part of the output to Markdown, whose highest headings begin with `##`.

    Returns:
        The new document. Headings in a section are moved one level below the heading above that section.
    """

    def written(found: re.Match[str]) -> str:
        if found["command"] != command:
            return found[0]
        above = HEADING.findall(text[: found.start()])[-1]
        body = HEADING.sub(lambda marks: above + marks[0][1:], section(found["part"]))
        return f"<!-- generated: {command}, {found['part']} -->\n\n{body.strip()}\n\n<!-- end -->"

    return SECTION.sub(written, text)
