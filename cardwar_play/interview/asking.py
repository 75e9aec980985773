"""Queries an agent for each answer that is not stored yet."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import baselines
from cardwar_envs import Game
from cardwar_envs.core.arrays import Masks, Observations, Probabilities
from cardwar_play.interview.answers import Answers
from train.policies.agent import Query, Reply, query_for, read_answer
from train.policies.agent_process import AgentError, AgentProcess

View = tuple[NDArray[np.float32], NDArray[np.int8]]  # an observation and a mask of legal actions


class Interviewer:
    """Queries an agent; the agent is started for the first query that has no stored answer.

    Args:
        game: The rules.
        command: The agent.
        answers: The stored answers.
        tries: Number of invalid answers to one query after which an error is raised.
        answered: Called after each new answer with the seconds that it took.
    """

    def __init__(
        self,
        game: Game[Any],
        command: str,
        answers: Answers,
        tries: int,
        answered: Callable[[float], object] = lambda seconds: None,
    ) -> None:
        self.game, self.answers = game, answers
        self._command, self._tries, self._asked, self._answered = command, tries, 0, answered
        self._process: AgentProcess | None = None

    def mix(self, key: str, view: View, ask: Literal["mix", "any"]) -> tuple[NDArray[np.float64], bool]:
        """Returns the probabilities `[num_actions]` in the answer, and whether the answer named only a move.

        Raises:
            AgentError: If the agent exits, exceeds the time limit or gives too many invalid answers; the answers so far
                remain stored.
        """
        query = query_for(self.game, *view, ask)
        reply = self.answers.get(key, query) or self._ask(key, query)
        mix = np.zeros(self.game.facts.num_actions)
        mix[[move.action for move in query.moves]] = reply.probabilities
        return mix, reply.is_move

    def close(self) -> None:
        """Terminates the agent."""
        if self._process is not None:
            self._process.close()

    def _ask(self, key: str, query: Query) -> Reply:
        since, why = time.monotonic(), ""
        if self._process is None:
            self._process = AgentProcess(self._command)
        for _ in range(self._tries):
            self._asked += 1
            line = self._process.ask(query.model_copy(update={"query": self._asked}).model_dump_json().encode())
            try:
                reply = read_answer(line, query)
            except ValueError as error:
                why = str(error)
                self.answers.keep(key, query, line.decode(errors="replace"), why)
                continue
            self.answers.keep(key, query, line.decode())
            self._answered(time.monotonic() - since)
            return reply
        raise AgentError(
            f"agent ({self._command}) gave {self._tries} invalid answers to {key}, the last one because it {why}"
        )


class Answered:
    """A policy that returns stored answers; it is undefined at all other information states."""

    def __init__(self, mixes: dict[tuple[bytes, bytes], NDArray[np.float64]]) -> None:
        self._mixes = mixes

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """Returns `[batch, num_actions]`; raises KeyError at an information state without an answer."""
        return np.stack([self._mixes[key_of(row, mask)] for row, mask in zip(observations, action_masks, strict=True)])


class _Listing:
    """A uniform policy that records the information states at which it is queried."""

    def __init__(self) -> None:
        self.views: dict[tuple[bytes, bytes], View] = {}

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        for row, mask in zip(observations, action_masks, strict=True):
            self.views.setdefault(key_of(row, mask), (row.copy(), mask.copy()))
        uniform: Probabilities = action_masks / action_masks.sum(axis=1, keepdims=True)
        return uniform


def key_of(observation: NDArray[np.float32], mask: NDArray[np.int8]) -> tuple[bytes, bytes]:
    """Returns a key that identifies an information state."""
    return (observation + np.float32(0.0)).tobytes(), np.asarray(mask, dtype=np.int8).tobytes()


def information_states(game: Game[Any]) -> dict[tuple[bytes, bytes], View]:
    """Lists all reachable information states of all players, in a fixed order.

    Raises:
        ValueError: If the game is too large for exact evaluation.
    """
    listing = _Listing()
    baselines.nash_conv(game, listing)
    return listing.views
