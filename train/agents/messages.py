"""The lines exchanged with an agent, as described in docs/agents.md.

`python -m train.agents.messages` prints their JSON schema.
"""

from __future__ import annotations

import json
import math
from typing import Any, Literal, NamedTuple

from pydantic import Field

from baselines.files import parse_object
from train.validation import Strict, one_line

PROTOCOL: Literal[1] = 1
# Tolerance for the sum of probabilities.
SUM_TOLERANCE = 1e-6


class Move(Strict):
    """A legal move."""

    action: int = Field(description="Its number in the environments of the game.")
    name: str = Field(description="What answers call it.")


class Query(Strict):
    """A query to an agent: one line."""

    protocol: Literal[1] = PROTOCOL
    query: int = Field(description="Counts the questions of this process, from 1.")
    ask: Literal["mix", "any"] = Field(description='"mix": only probabilities will do. "any": a move will do, too.')
    game: str
    parameters: dict[str, Any]
    rules: str = Field(description="How to play, in plain sentences.")
    state: str = Field(description="What the player sees, in words; empty if the game has none.")
    observation: list[float] = Field(description="What the player sees, as in the environments of the game.")
    moves: list[Move] = Field(description="The legal moves.")


class Answer(Strict):
    """An agent's answer: one line with a move or with probabilities."""

    move: str | None = Field(None, description="The name of the move that it plays now.")
    probabilities: dict[str, float] | None = Field(
        None, description="Of the moves by name; missing ones have 0, and the sum is 1."
    )
    about: dict[str, str | int | float] | None = Field(
        None, description="What it says of this answer, such as its model and temperature; kept, never judged."
    )


class Reply(NamedTuple):
    """A valid answer: the probability of each legal move, in order, and whether only a move was named."""

    probabilities: tuple[float, ...]
    is_move: bool


def read_answer(line: bytes, query: Query) -> Reply:
    """Parses an agent's answer.

    Raises:
        ValueError: If it is not a valid answer to the query; the message is one line.
    """
    with one_line():
        answer = Answer.model_validate(parse_object(line))
    names = [move.name for move in query.moves]
    if (answer.move is None) == (answer.probabilities is None):
        raise ValueError('needs either "move" or "probabilities"')
    given = {answer.move: 1.0} if answer.probabilities is None else answer.probabilities
    for name, probability in given.items():
        if name not in names:
            raise ValueError(f"{name!r} is not a legal move; legal are {', '.join(map(repr, names))}")
        if not 0.0 <= probability <= 1.0 + SUM_TOLERANCE:
            raise ValueError(f"the probability of {name!r} ({probability}) must be in 0..1")
    total = math.fsum(given.values())
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise ValueError(f"probabilities add up to {total:.9g}, not 1")
    if answer.move is not None and query.ask == "mix":
        raise ValueError(
            f"names a move ({answer.move!r}), which does not show how it mixes; "
            'exact figures need {"probabilities": {...}}'
        )
    return Reply(tuple(given.get(name, 0.0) / total for name in names), answer.move is not None)


if __name__ == "__main__":
    print(json.dumps({"query": Query.model_json_schema(), "answer": Answer.model_json_schema()}, indent=2))
