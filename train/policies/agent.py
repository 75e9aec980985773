"""Agents as policies, which the command line calls `agent:COMMAND`, and the lines exchanged with them (docs/agents.md).

`python -m train.policies.agent` prints the JSON schema of these lines.
"""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from baselines.oracles.bayesian.solver import form_of
from baselines.oracles.choice import QUICK_STATES
from baselines.oracles.state_graph.game_graph import full_graph
from baselines.system.files import parse_object
from cardwar_envs import Game
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.policy import Masks, Observations, Probabilities, observation_keys
from cardwar_envs.core.scene import Revealed
from train.policies.agent_process import AGENT, AgentError, AgentProcess, was_typed
from train.text.game_names import json_parameters
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


class AgentPolicy:
    """A program that plays; it is queried once per observation (see docs/agents.md).

    Args:
        game: The rules.
        command: The program and its arguments; they do not pass through a shell.

    Attributes:
        accepts_moves: Whether an answer may be a move, which suffices to sample games. Otherwise the agent must give
            probabilities, because a move does not determine its strategy.
        queries: Number of queries answered.

    Raises:
        AgentError: If the program cannot be started.
    """

    def __init__(self, game: Game[Any], command: str) -> None:
        self._game, self._command, self._process = game, command, AgentProcess(command)
        self.accepts_moves, self.queries = False, 0

    def __repr__(self) -> str:
        return f"<AgentPolicy: {self._command}>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """Returns the agent's probabilities `[batch, num_actions]`; raises AgentError if an answer is invalid."""
        probabilities = np.zeros(action_masks.shape)
        for row, observation in enumerate(observations):
            query = query_for(self._game, observation, action_masks[row], "any" if self.accepts_moves else "mix")
            query.query = self.queries = self.queries + 1
            line = self._process.ask(query.model_dump_json().encode())
            try:
                reply = read_answer(line, query)
            except ValueError as error:
                self._process.fail(f"answers {line[:80].decode(errors='replace')!r}: {error}")
            probabilities[row, [move.action for move in query.moves]] = reply.probabilities
        return probabilities

    @property
    def failed(self) -> bool:
        """Whether the program was terminated because of an error that it made."""
        return self._process.failed

    def restart(self) -> None:
        """Restarts the program after it failed."""
        self._process = AgentProcess(self._command)

    def close(self) -> None:
        """Ends the program."""
        self._process.close()


def typed_agent(word: str, game: Game[Any]) -> AgentPolicy:
    """Starts an agent that was typed on the command line; strings from files never start a program.

    Raises:
        AgentError: If the agent is not among this process's arguments, or the program cannot be started.
    """
    if not was_typed(word):
        raise AgentError(f"{word}: an agent must be typed on the command line; a file or a record cannot start it")
    return AgentPolicy(game, word.removeprefix(AGENT))


def query_for(
    game: Game[Any], observation: NDArray[np.float32], mask: NDArray[np.int8], ask: Literal["mix", "any"] = "mix"
) -> Query:
    """Makes the query for a player with this observation and these legal actions."""
    player, state = seen_in_words(game, observation, mask)
    actions = np.flatnonzero(mask).tolist()
    names = [game.describe_action(action, player) for action in actions]
    twice = {name for name in names if names.count(name) > 1}
    names = [f"{name} #{action}" if name in twice else name for name, action in zip(names, actions, strict=True)]
    return Query(
        query=0,
        ask=ask,
        game=game.facts.name,
        parameters=json_parameters(game),
        rules=game.how_to_play,
        state=state,
        observation=observation.tolist(),
        moves=[Move(action=action, name=name) for action, name in zip(actions, names, strict=True)],
    )


def seen_in_words(game: Game[Any], observation: NDArray[np.float32], mask: NDArray[np.int8]) -> tuple[int, str]:
    """Returns the seat that has this observation, and a description of the observation."""
    if game.facts.public_state:
        state, player = game.state_of(observation)
        return player, _from_seat(game, player, game.describe(state))
    with suppress(ValueError):  # there are no types if players move several times on private information
        form = form_of(game)
        for player in (0, 1):
            for kind, seen in zip(form.types[player], form.observations[player], strict=True):
                if np.array_equal(seen, observation) and {*np.flatnonzero(mask).tolist()} == {*form.actions[player]}:
                    return player, f"you see: {kind}"
    player, state = _observed(game).get(observation_keys(observation[None])[0], (0, None))
    if state is None:
        return 0, ""
    seen_by = Revealed(state, player, None, (0.0,) * game.facts.num_players, over=False)
    return player, _from_seat(game, player, game.describe_revealed(seen_by))


def _from_seat(game: Game[Any], player: int, text: str) -> str:
    text = text.replace(f"player_{player}", "you")
    return text.replace(f"player_{1 - player}", "opponent") if game.facts.num_players == 2 else text


@cached_by_game(4)
def _observed(game: Game[Any]) -> dict[bytes, tuple[int, Any]]:
    """Returns a seat and a state for each observation of a private game; none if its states are too many to list."""
    try:
        graph = full_graph(game, QUICK_STATES)
    except ValueError:
        return {}
    found: dict[bytes, tuple[int, Any]] = {}
    for player in range(game.facts.num_players):
        states, observations, _ = graph.seen_by(player)
        for state, key in zip(states, observation_keys(observations), strict=True):
            found.setdefault(key, (player, graph.states[state]))
    return found


if __name__ == "__main__":
    print(json.dumps({"query": Query.model_json_schema(), "answer": Answer.model_json_schema()}, indent=2))
