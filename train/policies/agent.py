"""Agents as policies, which the command line calls `agent:COMMAND`, and the lines exchanged with them (docs/agents.md).

`python -m train.policies.agent` prints the JSON schema of these lines.
"""

from __future__ import annotations

import atexit
import json
import sys
from collections import Counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.choice import QUICK_STATES
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import Game
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.policy import Masks, Observations, Probabilities, observation_keys
from cardwar_envs.core.scene import Revealed, with_names
from train.policies.agent_lines import Answer, Move, Query, lenient_in_words, read_answer
from train.policies.agent_process import AGENT, AgentError, AgentProcess, was_typed
from train.text.game_names import json_parameters
from train.text.printing import in_one_line


class AgentPolicy:
    """A program that plays; it is queried once per observation (see docs/agents.md).

    Args:
        game: The rules.
        command: The program and its arguments; they do not pass through a shell.

    Attributes:
        accepts_moves: Whether an answer may be a move, which suffices to sample games. Otherwise the agent must give
            probabilities, because a move does not determine its strategy.
        queries: Number of queries answered.
        lenient: How many answers needed each kind of leniency.

    Raises:
        AgentError: If the program cannot be started.
    """

    def __init__(self, game: Game[Any], command: str) -> None:
        self._game, self._command, self._process = game, command, AgentProcess(command)
        self.accepts_moves, self.queries, self.lenient = False, 0, Counter[str]()

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
            self.lenient.update(reply.lenient)
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

    def say_lenient(self) -> None:
        """Prints to stderr how many answers were read leniently, if any were."""
        if self.lenient:
            said = in_one_line(f"{AGENT}{self._command}: {lenient_in_words(self.lenient)}")
            print(said, file=sys.stderr)


def typed_agent(word: str, game: Game[Any]) -> AgentPolicy:
    """Starts an agent that was typed on the command line; strings from files never start a program.

    Raises:
        AgentError: If the agent is not among this process's arguments, or the program cannot be started.
    """
    if not was_typed(word):
        raise AgentError(f"{word}: an agent must be typed on the command line; a file or a record cannot start it")
    policy = AgentPolicy(game, word.removeprefix(AGENT))
    atexit.register(policy.say_lenient)
    return policy


def query_for(
    game: Game[Any], observation: NDArray[np.float32], mask: NDArray[np.int8], ask: Literal["mix", "any"] = "mix"
) -> Query:
    """Makes the query for a player with this observation and these legal actions."""
    player, state = seen_in_words(game, observation)
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


def seen_in_words(game: Game[Any], observation: NDArray[np.float32]) -> tuple[int, str]:
    """Returns the seat that has this observation, and what it sees as text, with the seat where the texts need it.

    The text is empty if the game has private information and too many states to look for the observation.
    """
    count, start = game.facts.num_players, game.initial()[0].state
    if game.facts.public_state:
        state, player = game.state_of(observation)
        text = game.describe(state)
        # Some games show every player a seat of its own as seat 0.
        known = game.state_of(game.observation(start, count - 1))[1] == count - 1
    else:
        (player, state), *others = _observed(game).get(observation_keys(observation[None])[0], {0: None}).items()
        if state is None:
            return 0, ""
        text, known = game.describe_revealed(Revealed(state, player, None, (0.0,) * count, over=False)), not others
    names = ["you" if seat == player else f"player_{seat}" for seat in range(count)]
    if count == 2:
        names[1 - player] = "opponent"
    text = with_names(text, names)
    seat = game.seat_in_words(player) or ("" if "you" in text.split() else f"You are in seat {player}.")
    return player, f"{seat.removesuffix('.')}\n{text}" if seat and known else text


@cached_by_game(4)
def _observed(game: Game[Any]) -> dict[bytes, dict[int, Any]]:
    """Returns a state per seat for each observation of a private game; none if its states are too many to list."""
    try:
        graph = full_graph(game, QUICK_STATES)
    except ValueError:
        return {}
    found: dict[bytes, dict[int, Any]] = {}
    for player in range(game.facts.num_players):
        states, observations, _ = graph.seen_by(player)
        for state, key in zip(states, observation_keys(observations), strict=True):
            found.setdefault(key, {}).setdefault(player, graph.states[state])
    return found


if __name__ == "__main__":
    print(json.dumps({"query": Query.model_json_schema(), "answer": Answer.model_json_schema()}, indent=2))
