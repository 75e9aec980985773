"""What pydantic finds wrong becomes one line."""

import re
from typing import Annotated, Literal

import pytest
from pydantic import Field
from thinning import each_row

from train.storage.formats import StoredMetadata
from train.text.validation import Strict, check


class Inner(Strict):
    size: Annotated[int, Field(ge=1, le=9)]
    rates: Annotated[list[float], Field(min_length=1)] = Field([0.5])


class Outer(Strict):
    name: Annotated[str, Field(min_length=1, pattern="^[a-z]*$")] = "x"
    kind: Literal["a", "b"] = "a"
    inner: list[Inner] = Field([])
    table: dict[str, int] = Field({})


@each_row(
    ("content", "message"),
    [
        (3, "(3) must be a table of names and values"),
        ({"nam": "x"}, "unknown name 'nam'; expected one of name, kind, inner, table"),
        ({"inner": [{"size": 1, "b": 2}]}, "inner[0]: unknown name 'b'; expected one of size, rates"),
        ({"inner": [{"size": 1}, {}]}, "inner[1].size is missing"),
        ({"inner": [{"size": 0}]}, "inner[0].size (0) must be at least 1"),
        ({"inner": [{"size": 10}]}, "inner[0].size (10) must be at most 9"),
        ({"inner": [{"size": 10**400}]}, "inner[0].size (100000…(401 digits)) must be at most 9"),
        ({"inner": [{"size": True}]}, "inner[0].size (True) must be an integer"),
        ({"inner": [{"size": "1"}]}, "inner[0].size ('1') must be an integer"),
        ({"inner": [{"size": 1.0}]}, "inner[0].size (1.0) must be an integer"),
        ({"inner": [{"size": 1, "rates": []}]}, "inner[0].rates ([]) must have at least 1 item"),
        ({"inner": [{"size": 1, "rates": [1, "1"]}]}, "inner[0].rates[1] ('1') must be a number"),
        ({"inner": [{"size": 1, "rates": [True]}]}, "inner[0].rates[0] (True) must be a number"),
        ({"inner": [{"size": 1, "rates": [float("nan")]}]}, "inner[0].rates[0] (nan) must be a finite number"),
        ({"inner": {}}, "inner ({}) must be a list"),
        ({"table": [1]}, "table ([1]) must be a table of names and values"),
        ({"table": {"a": None}}, "table.a (None) must be an integer"),
        ({"name": ""}, "name ('') must not be empty"),
        ({"name": "A"}, "name ('A') must match ^[a-z]*$"),
        ({"name": 3}, "name (3) must be a string"),
        ({"kind": "c"}, "kind ('c') must be 'a' or 'b'"),
    ],
)
def test_the_line_names_the_place_the_value_and_what_is_allowed(content, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$") as error:
        check(Outer, content)
    assert type(error.value) is ValueError


def test_what_is_right_is_given_back_as_it_is():
    content = {"inner": [{"size": 1, "rates": [1, 0.5]}]}
    assert check(Outer, content) is content
    assert [type(rate) for rate in content["inner"][0]["rates"]] == [int, float]


@each_row("seed", [-1, 2**32, 1.0, True, "1"])
def test_a_stored_seed_is_one_that_a_run_can_have(seed):
    check(StoredMetadata, {"seed": 0, "commit": None})
    check(StoredMetadata, {"seed": 2**32 - 1, "commit": None})
    with pytest.raises(ValueError, match="seed"):
        check(StoredMetadata, {"seed": seed, "commit": None})
