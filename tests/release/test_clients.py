"""The clients that `lab.benchmarks.clients` runs, and the page that shows what came of it."""

import re

from thinning import each_row
from wheels import ROOT

from lab.benchmarks.clients.__main__ import table
from lab.benchmarks.clients.environments import PROGRAMS
from lab.benchmarks.clients.table import CLIENTS

PAGE = (ROOT / "docs" / "clients.md").read_text()


@each_row("client", CLIENTS)
def test_each_client_has_its_program_its_recipe_and_a_row(client):
    assert (PROGRAMS / f"{client.program}.py").exists()
    assert re.search(rf"^\| {client.name} \| \d[\w.]* \|", PAGE, re.MULTILINE)
    for words in filter(None, [client.recipe and f"docs/recipes/{client.recipe}.md", *client.example[:1]]):
        assert (ROOT / words).exists()
    if client.recipe:
        assert f"<!-- needs: {client.package} -->" in (ROOT / "docs" / "recipes" / f"{client.recipe}.md").read_text()


def test_a_client_is_named_in_the_first_of_its_rows():
    rows = [{"ran": "a", "result": "passed"}, {"ran": "b", "result": "failed: ValueError: 1 | 2"}]
    assert table([{"client": "Some", "version": "1.0", "rows": rows}]).splitlines()[2:] == [
        "| Some | 1.0 | a | passed |",
        r"|  |  | b | failed: ValueError: 1 \| 2 |",
    ]
