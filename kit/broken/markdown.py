"""Writes Markdown: tables, and the generated sections of documents.

A generated section stands between two comments, `<!-- generated: COMMAND, PART -->` and `<!-- end -->`.
"""

import re

SECTION = re.compile(
    r"<!-- generated: (?P<command>[^\n]+?), (?P<part>[^\n]+) -->\n(?P<body>.*?)<!-- end -->", re.DOTALL
)
HEADING = re.compile(r"^#+(?= )", re.MULTILINE)


def table(headings, rows):
    """A Markdown table."""
    lines = [headings, ["---"] * len(headings), *([str(cell).replace("|", r"\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rewrite(text, command, section):
    """Rewrites the sections of a document that one command generates.

    `section` maps a part to Markdown whose highest headings begin with `##`; they are moved one level below the heading
    above the section.
    """

    def written(found):
        if found["command"] != command:
            return found[0]
        above = HEADING.findall(text[: found.start()])[-1]
        body = HEADING.sub(lambda marks: above + marks[0][1:], section(found["part"]))
        return f"<!-- generated: {command}, {found['part']} -->\n\n{body.strip()}\n\n<!-- end -->"

    return SECTION.sub(written, text)
