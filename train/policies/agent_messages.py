"""The lines exchanged with an agent, as described in docs/agents.md.

`python -m train.policies.agent_messages` prints their JSON schema.
"""

from __future__ import annotations

import json
import math
from typing import Any, Literal, NamedTuple

from pydantic import Field

from baselines.system.files import parse_object
from train.text.validation import Strict, one_line

PROTOCOL: Literal[1] = 1
# Tolerance for the sum of probabilities.
SUM_TOLERANCE = 1e-6


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
    moves: list[Move] = Field(description="The legal moves.")


class Answer(Strict):
    """An agent's answer, one line with either a move or probabilities."""

    move: str | None = Field(None, description="The name of the move that the agent plays.")
    probabilities: dict[str, float] | None = Field(
        None, description="Name of a move -> its probability; missing moves have probability 0."
    )
    about: dict[str, str | int | float] | None = Field(
        None, description="Remarks on this answer, such as model and temperature; stored and reported, not used."
    )


class Reply(NamedTuple):
    """A valid answer: the probabilities of the legal moves in order; `is_move` says that it only named a move."""

    probabilities: tuple[float, ...]
    is_move: bool


def read_answer(line: bytes, query: Query) -> Reply:
    """Parses an agent's answer.

    Raises:
        ValueError: If the line is not a valid answer to the query; the message is one line.
    """
    with one_line():
        answer = Answer.model_validate(parse_object(line))
    names = [move.name for move in query.moves]
    if (answer.move is None) == (answer.probabilities is None):
        raise ValueError('needs either "move" or "probabilities"')
    given = {answer.move: 1.0} if answer.probabilities is None else answer.probabilities
    for name, probability in given.items():
        if name not in names:
            raise ValueError(f"{name!r} is not a legal move; the legal moves are {', '.join(map(repr, names))}")
        if not 0.0 <= probability <= 1.0 + SUM_TOLERANCE:
            raise ValueError(f"the probability of {name!r} ({probability}) must be in 0..1")
    total = math.fsum(given.values())
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise ValueError(f"probabilities add up to {total:.9g}, not 1")
    if answer.move is not None and query.ask == "mix":
        raise ValueError(
            f"names only a move ({answer.move!r}), which does not determine the strategy; "
            'exact figures need {"probabilities": {...}}'
        )
    return Reply(tuple(given.get(name, 0.0) / total for name in names), answer.move is not None)


if __name__ == "__main__":
    print(json.dumps({"query": Query.model_json_schema(), "answer": Answer.model_json_schema()}, indent=2))
