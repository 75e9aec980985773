"""The lines exchanged with agents, and how their answers are read (docs/agents.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from json import JSONDecoder
from typing import Any, Literal, NamedTuple

from pydantic import Field

from baselines.system.files import parse_object
from cardwar_envs.core.policy import SUM_TOLERANCE
from train.text.validation import Strict, one_line

PROTOCOL: Literal[1] = 1
# Tolerance for the sum of rounded probabilities.
ROUNDING = 0.02
# Words of numbers in answers, from 0, and of parts, as in "two thirds".
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
PARTS = {"": 1, "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4}


class Move(Strict):
    """A legal move."""

    action: int = Field(description="The number of this action in the environments of the game.")
    name: str = Field(description="The name of this move in answers.")


class Query(Strict):
    """A query to an agent, sent as one line."""

    protocol: Literal[1] = PROTOCOL
    query: int = Field(description="Number of this query in this process, from 1.")
    ask: Literal["mix", "any"] = Field(description='"mix": give probabilities. "any": give probabilities or a move.')
    game: str
    parameters: dict[str, Any]
    rules: str = Field(description="The rules of the game as text.")
    state: str = Field(description="What the player sees, as text; empty if the game cannot describe it.")
    observation: list[float] = Field(description="What the player sees, as an observation of the environments.")
    moves: list[Move] = Field(description="The legal moves; empty if the agent must find them in the rules.")


class Answer(Strict, extra="ignore"):
    """An agent's answer, one line with a move, with probabilities, or with a text that ends with such an object."""

    move: str | int | None = Field(None, description="The name of the move that the agent plays.")
    probabilities: dict[str, float | str] | None = Field(
        None, description="Name of a move -> its probability; missing moves have probability 0."
    )
    text: str | None = Field(
        None, description="The whole reply of a language model; its last JSON object that parses is the answer."
    )
    about: dict[str, str | int | float] | None = Field(
        None, description="Remarks on this answer, such as model and temperature; stored and reported, not used."
    )


class Reply(NamedTuple):
    """A valid answer.

    Attributes:
        probabilities: The probabilities of the legal moves, in order.
        lenient: The kinds of deviations from the protocol that were accepted (docs/agents.md).
        about: The agent's remarks.
    """

    probabilities: tuple[float, ...]
    lenient: frozenset[str]
    about: dict[str, str | int | float] | None


def lenient_in_words(counts: Mapping[str, int]) -> str:
    """Says how many answers needed each kind of leniency."""
    return f"answers read leniently: {', '.join(f'{kind} {number:,}' for kind, number in sorted(counts.items()))}"


def read_answer(line: bytes, query: Query) -> Reply:
    """Reads an agent's answer, and what it means where there is only one meaning.

    Raises:
        ValueError: If the line is not a valid answer to the query; the message is one line.
    """
    answer, lenient = _parsed(line)
    if (answer.move is None) == (answer.probabilities is None):
        raise ValueError('needs either "move" or "probabilities"')
    if answer.move is not None and query.ask == "mix":
        raise ValueError(
            f"names only a move ({answer.move!r}), which does not determine the strategy; "
            'exact figures need {"probabilities": {...}}'
        )
    names, given = [move.name for move in query.moves], dict[str, float]()
    for written, value in ({answer.move: 1.0} if answer.probabilities is None else answer.probabilities).items():
        name, probability = _named(written, names), _number(value)
        if name in given:
            raise ValueError(f"the move {name!r} has two probabilities")
        if not 0.0 <= probability <= 1.0 + SUM_TOLERANCE:
            raise ValueError(f"the probability of {name!r} ({value}) must be in 0..1")
        lenient |= {"move names"} if name != written else set()
        lenient |= {"number texts"} if isinstance(value, str) else set()
        given[name] = probability
    total = math.fsum(given.values())
    if abs(total - 1.0) > ROUNDING + SUM_TOLERANCE:
        raise ValueError(f"probabilities add up to {total:.9g}, not 1")
    lenient |= {"rounded"} if abs(total - 1.0) > SUM_TOLERANCE else set()
    return Reply(tuple(given.get(name, 0.0) / total for name in names), frozenset(lenient), answer.about)


def _parsed(line: bytes) -> tuple[Answer, set[str]]:
    """Finds the answer in a line, and the kinds of deviations from the protocol that it has so far."""
    content, lenient = _last_object(line.decode())
    if isinstance(content.get("text"), str) and not content.keys() & {"move", "probabilities"}:
        within, lenient = _last_object(content["text"])
        content = within | {"about": content.get("about")}
    with one_line():
        return Answer.model_validate(content), lenient


def _last_object(text: str) -> tuple[dict[str, Any], set[str]]:
    """Returns the last JSON object in a text that parses, and whether there is other text."""
    try:
        return parse_object(text), set()
    except ValueError:
        found, at = "", text.find("{")
    while at >= 0:
        try:
            end = JSONDecoder().raw_decode(text, at)[1]
            found = text[at:end]
        except (ValueError, RecursionError):
            end = at + 1
        at = text.find("{", end)
    if not found:
        raise ValueError(f"has no JSON object: {text[-80:]!r}")
    return parse_object(found), {"surrounding text"}  # refuses what JSON leaves open, such as a name that occurs twice


def _named(written: str | int | None, names: list[str]) -> str:
    """Returns the legal move of that name, or else the only one that differs in case, spaces or as a number word."""
    if written in names:
        return str(written)
    folded = " ".join(str(written).split()).casefold()
    number = str(WORDS.index(folded)) if folded in WORDS else folded
    close = [name for name in names if name.casefold() in (folded, number)]
    if len(close) != 1:
        raise ValueError(f"{written!r} is not a legal move; the legal moves are {', '.join(map(repr, names))}")
    return close[0]


def _number(value: float | str) -> float:
    """Reads a probability: a number, or a text such as "25%", "1/4", "0.25", "zero" or "one quarter"."""
    if not isinstance(value, str):
        return value
    text = value.strip().casefold()
    whole, _, part = text.replace("-", " ").partition(" ")
    if whole in WORDS and part in PARTS:
        return WORDS.index(whole) / PARTS[part]
    number, slash, divisor = text.removesuffix("%").partition("/")
    try:
        return float(number) / (float(divisor) if slash else 1.0) / (100.0 if text.endswith("%") else 1.0)
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"the probability {value[:40]!r} is not a number") from None
