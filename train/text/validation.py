"""Strict validation by pydantic, with one-line errors that name the location, the value and the constraint."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from cardwar_envs.core.parameters import shown

# No conversion between types, no unknown names, finite numbers only.
STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
# Metrics are kept as floats, which hold every integer up to here.
MAX_INT = 2**53
# pydantic's error type -> our message; other errors keep pydantic's message.
PROBLEMS = {
    "bool_type": "must be true or false",
    "int_type": "must be an integer",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "string_type": "must be a string",
    "list_type": "must be a list",
    "dict_type": "must be a table of names and values",
    "model_type": "must be a table of names and values",
    "greater_than_equal": "must be at least {ge:.16g}",
    "less_than_equal": "must be at most {le:.16g}",
    "too_short": "must have at least {min_length} item",
    "string_too_short": "must not be empty",
    "string_pattern_mismatch": "must match {pattern}",
}

Content = TypeVar("Content")


class Strict(BaseModel):
    """A strict model whose error for an unknown name lists the known ones."""

    model_config = STRICT

    @model_validator(mode="before")
    @classmethod
    def _names_are_known(cls, content: Any) -> Any:
        if isinstance(content, dict) and cls.model_config["extra"] == "forbid":
            known = [field.alias or name for name, field in cls.model_fields.items()]
            for name in content:
                if name not in known:
                    raise ValueError(f"unknown name {name!r}; expected one of {', '.join(known)}")
        return content


@contextmanager
def one_line() -> Iterator[None]:
    """Turns a ValidationError into a ValueError with a one-line message, e.g. "args.steps (0) must be at least 1"."""
    try:
        yield
    except ValidationError as error:
        raise ValueError(" ".join(_first_problem(error).split())) from None


def check(kind: type[BaseModel], content: Content) -> Content:
    """Validates content and returns it unchanged; raises the same ValueError as `one_line`."""
    with one_line():
        kind.model_validate(content)
    return content


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    context = first.get("ctx", {})
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]).removeprefix(".")
    if first["type"] == "missing":
        return f"{place} is missing"
    if first["type"] == "value_error":
        return ": ".join(filter(None, (place, str(context["error"]))))
    said = first["msg"][0].lower() + first["msg"][1:]
    problem = PROBLEMS.get(first["type"], "").format(**context) or said.replace("input should be", "must be")
    given = first["input"]
    value = shown(given) if isinstance(given, int) else reprlib.repr(given)
    return f"{place} ({value}) {problem}".lstrip()
