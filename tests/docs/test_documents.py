"""The Python in the documents runs as it stands there, and comes to what the documents say.

The blocks of a page run one after another, as a reader would type them. What is compared: the value of an
expression on a line that ends in `# 0.1234`, to the digits given, and what a block prints with the `text` block that
follows it. On the pages in `GUIDES` every line that begins with `cardwar` runs, too. A block that does not run has a
comment above it that says why: `<!-- not run: two hours -->`. A page that begins with `<!-- needs: torchrl -->` runs
where that package is installed; `python -m lab.benchmarks.clients` runs it where it is not.
"""

import ast
import io
import re
import shlex
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from thinning import each_row

from cardwar_cli.main import main

ROOT = Path(__file__).parents[2]
RECIPES = sorted(f"docs/recipes/{path.name}" for path in (ROOT / "docs" / "recipes").glob("*.md"))
# What newcomers read and type.
GUIDES = ["README.md", "docs/start.md", "docs/tutorial.md", "docs/equilibria.md", *RECIPES]
PAGES = [
    *GUIDES,
    *(
        f"docs/{page}.md"
        for page in ("judge", "learners", "levels", "optimal_play", "payoff_tables", "play", "rendering")
    ),
]
NEEDS = re.compile(r"^<!-- needs: (\w+) -->\n")
NOT_RUN = re.compile(r"^<!-- not run: [^\n]+ -->\n```\w+\n.*?^```\n", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\s*^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"#\s+(-?\d+(?:\.(\d+))?)(?=[\s,;]|$)")


class Block(NamedTuple):
    line: int
    code: str
    printed: str | None


def blocks_of(text):
    return [Block(text[: found.start(1)].count("\n"), found[1], found[2]) for found in BLOCK.finditer(text)]


def expected_value(line):
    """The number after the `#`, and its digits after the point; None where the comment is another."""
    found = NUMBER.search(line)
    return found and (float(found[1]), len(found[2] or ""))


def run(block, names, page):
    """Runs a block; expressions are compared with the number on their last line, if there is one."""
    lines = block.code.splitlines()
    for statement in ast.increment_lineno(ast.parse(block.code), block.line).body:
        if not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), page, "exec"), names)
            continue
        value = eval(compile(ast.Expression(statement.value), page, "eval"), names)
        expected = expected_value(lines[statement.end_lineno - block.line - 1])
        if expected:
            said, digits = expected
            assert round(float(value), digits) + 0.0 == said, f"{page}, line {statement.end_lineno}: it is {value}"


def check(text, page):
    names = {"__name__": "__main__"}
    for block in blocks_of(text):
        out = io.StringIO()
        with redirect_stdout(out):
            run(block, names, page)
        if block.printed is not None:
            assert out.getvalue() == block.printed, f"{page}, below line {block.line}"


@pytest.fixture(autouse=True)
def same_threads_afterwards():
    """A page may tell torch how many threads to use."""
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("page", PAGES)
def test_the_python_of_a_page_runs_and_comes_to_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = NOT_RUN.sub("", (ROOT / page).read_text())
    if needed := NEEDS.match(text):
        pytest.importorskip(needed[1], reason="a client, which lab.benchmarks.clients installs")
    assert len(blocks_of(text)) == text.count("```python")
    check(text, page)


COMMANDS = [
    line
    for page in GUIDES
    for language, body in FENCED.findall(NOT_RUN.sub("", (ROOT / page).read_text()))
    for line in body.splitlines()
    if language == "sh"
]


@pytest.mark.parametrize("line", sorted(set(COMMANDS)))
def test_the_command_lines_of_a_page_run(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command, *arguments = shlex.split(line, comments=True)
    assert command == "cardwar"
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert not ended.value.code, capsys.readouterr().err


@each_row("page", GUIDES)
def test_blocks_are_of_a_kind_that_is_run_or_shown(page):
    kinds = {language for language, _ in FENCED.findall((ROOT / page).read_text())}
    assert kinds <= {"python", "sh", "text", "dockerfile", "yaml"}


@each_row(
    ("body", "error"),
    [
        ("1 / 2  # 0.6\n```\n", AssertionError),
        ("1 / 3  # 0.333, nearly\n```\n", None),
        ("1 / 3  # 0.334, nearly\n```\n", AssertionError),
        ("-1 / 3000  # 0.000\n```\n", None),
        ("1 / 3  # 3 is what it is divided by\n```\n", AssertionError),
        ("1 / 3  # a third, or 1 of 3\n```\n", None),
        ("print(\n    2\n)\n```\n\n```text\n2\n```\n", None),
        ("print(2)\n```\n\n```text\n3\n```\n", AssertionError),
        ("print(2)\n```\n\nSome words.\n\n```text\n3\n```\n", None),
        ("x = 1\n```\n\n```python\nx + 1  # 2\n```\n", None),
        ("nothing\n```\n", NameError),
    ],
)
def test_what_does_not_hold_is_seen(body, error):
    with pytest.raises(error) if error else nullcontext():
        check("# Page\n\n```python\n" + body, "page")
