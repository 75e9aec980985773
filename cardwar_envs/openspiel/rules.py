"""Adapts an OpenSpiel game to `Game`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game, GameFacts, Transition
from cardwar_envs.core.parameters import one_of, reading_state, whole_number
from cardwar_envs.core.scene import Revealed, Scene, plain_scene
from cardwar_envs.openspiel.listing import Key, Listing, Node, OpenSpielState, listing
from cardwar_envs.openspiel.loading import GameObject, canonical_name, is_hidden, load


def after_history(game: Any, history: Sequence[int]) -> Any | None:
    """OpenSpiel's state after a history; None if there is no such history."""
    state, rest = game.new_initial_state(), list(history)
    while rest:
        players = range(game.num_players()) if state.is_simultaneous_node() else [state.current_player()]
        actions, rest = rest[: len(players)], rest[len(players) :]
        legal = [state.legal_actions(player) or [0] for player in players]
        if state.is_terminal() or not all(map(list.__contains__, legal, actions)) or len(actions) < len(players):
            return None
        if state.is_simultaneous_node():
            state.apply_actions(actions)
        else:
            state.apply_action(actions[0])
    return state


# Observations hold the number of a state divided by this, which float32 represents exactly.
WHOLE = 2**24


@dataclass(frozen=True)
class OpenSpielGame(Game[OpenSpielState]):
    """An OpenSpiel game with simultaneous moves or turns; all states are enumerated.

    An observation has the state's number (divided by 2^24), the observer's seat, and OpenSpiel's tensor for the state's
    first history. If information is hidden, states are histories; an acting player sees the number of its information
    state and that state's tensor, and a waiting player sees zeros.

    Attributes:
        spiel: The game's name and parameters in OpenSpiel's syntax, or a game that these do not reproduce.
        state_key: Determines which histories are one state: None merges histories that are proven equal; "history"
            merges none; "string" merges histories with equal text after the same number of moves; a function of
            OpenSpiel's state merges histories for which it returns the same hashable key.

    Raises:
        ValueError: If the game does not exist or is too large or unsupported, or the key merges different states.
    """

    name: ClassVar[str] = "openspiel"

    spiel: str | GameObject
    state_key: Literal["history", "string"] | Key | None = None

    def __post_init__(self) -> None:
        if not callable(self.state_key):
            one_of("state_key", self.state_key, (None, "history", "string"))
        if not isinstance(self.spiel, GameObject):
            object.__setattr__(self, "spiel", canonical_name(self.spiel))
        if self.hidden and self.state_key not in (None, "history"):
            raise ValueError(
                f"state_key ({self.state_key}) must be None: openspiel:{self.spiel} has hidden information"
            )
        if len(self.listed.nodes) > WHOLE:
            raise ValueError(f"openspiel:{self.spiel} is too large")

    @cached_property
    def hidden(self) -> bool:
        """Whether players can know different things."""
        return is_hidden(load(self.spiel))

    @cached_property
    def listed(self) -> Listing:
        """All states of the game; copies of a game share them."""
        key = _text if self.state_key == "string" else self.state_key if callable(self.state_key) else None
        return listing(self.spiel, key, self.state_key is None and not self.hidden)

    @cached_property
    def facts(self) -> GameFacts:
        """OpenSpiel's declarations about the game, and how its states are identified."""
        listed, types = self.listed, self.listed.game.get_type()
        spiel = listed.game
        everyone = tuple(range(spiel.num_players()))
        chance = "none"
        if any(len(found) > 1 for node in listed.nodes for found in node.outcomes.values()):
            chance = "moves"
        elif len(listed.initial) > 1:
            chance = "deal"
        low, high = (tuple(end(self.listed.tensors, axis=(0, 1)).tolist()) for end in (np.min, np.max))
        return GameFacts(
            name=f"openspiel:{'object ' if isinstance(self.spiel, GameObject) else ''}{self.spiel}",
            version=0,
            num_players=len(everyone),
            num_actions=spiel.num_distinct_actions(),
            observation_low=(0.0, 0.0, *low),
            observation_high=(1.0, float(len(everyone) - 1), *high),
            min_payoff=spiel.min_utility(),
            max_payoff=spiel.max_utility(),
            zero_sum=types.utility.name == "ZERO_SUM",
            seat_symmetric=False,
            public_state=not self.hidden,
            max_length=max(listed.length, 1),
            chance=chance,  # type: ignore[arg-type]
            everyone_acts=all(node.acting in ((), everyone) for node in listed.nodes),
            state_identity=listed.identity
            + ("; chance probabilities are doubles divided by their sum" if listed.normalised else ""),
        )

    def parameters(self) -> dict[str, Any]:
        """The fields of this game as plain data, with the name of `state_key` if it is a function.

        Raises:
            ValueError: If the game is an object that OpenSpiel does not load by name.
        """
        if isinstance(self.spiel, GameObject):
            raise ValueError(
                f"{self.facts.name} cannot be stored or copied: OpenSpiel loads no equal game by the name {self.spiel}"
            )
        key = self.state_key.__qualname__ if callable(self.state_key) else self.state_key
        return {"spiel": self.spiel, "state_key": key}

    def __getstate__(self) -> dict[str, Any]:
        return self.parameters() | {"state_key": self.state_key}

    def initial(self) -> Sequence[Transition[OpenSpielState]]:
        return self.listed.initial

    @cached_property
    def _nodes(self) -> list[Node]:
        return self.listed.nodes

    def acting_players(self, state: OpenSpielState) -> tuple[int, ...]:
        return self._nodes[state.number].acting

    def legal_actions(self, state: OpenSpielState, player: int) -> tuple[int, ...]:
        node = self._nodes[state.number]
        return node.legal[node.acting.index(player)] if player in node.acting else ()

    def transitions(self, state: OpenSpielState, actions: Mapping[int, int]) -> Sequence[Transition[OpenSpielState]]:
        node = self._nodes[state.number]
        return node.outcomes[tuple([actions[player] for player in node.acting])]

    def spiel_state(self, state: OpenSpielState) -> Any:
        """OpenSpiel's state after the first history of a state."""
        return self._nodes[state.number].first.clone()

    def state_at(self, history: Sequence[int]) -> OpenSpielState:
        """The state of a history in the format of `pyspiel.State.history`, which must not end at a chance node.

        Raises:
            ValueError: If there is no such history.
        """
        state = after_history(self.listed.game, history)
        if state is None or state.is_chance_node():
            raise ValueError(f"history ({list(history)}) is not a history of {self.facts.name}")
        return self.listed.find(state)

    @cached_property
    def _observations(self) -> NDArray[np.float32]:
        """The observations of all states, `[states, players, observation_size]`."""
        states, players, _ = self.listed.tensors.shape
        numbers = np.arange(states).repeat(players).reshape(states, players, 1) / WHOLE
        if self.hidden:
            numbers = self._information_states()[:, :, None] / WHOLE
        seats = np.broadcast_to(np.arange(players)[:, None], numbers.shape)
        return np.concatenate([numbers, seats, self.listed.tensors], axis=2, dtype=np.float32)

    def _information_states(self) -> NDArray[np.int64]:
        """The number of the information state of each player who acts, from 1, `[states, players]`; else 0."""
        numbers: dict[tuple[int, str], int] = {}
        found = np.zeros(self.listed.tensors.shape[:2], dtype=np.int64)
        for row, node in enumerate(self.listed.nodes):
            for player in node.acting:
                seen = player, node.first.information_state_string(player)
                found[row, player] = numbers.setdefault(seen, len(numbers) + 1)
        return found

    def observation(self, state: OpenSpielState, player: int) -> NDArray[np.float32]:
        """The number of the state, the seat, and OpenSpiel's tensor.

        Entries:
            1: the number of the state, divided by 2^24; with hidden information, of the information state
            1: the seat
            all others: OpenSpiel's observation tensor for the state's first history, or else its information state
                tensor; nothing if OpenSpiel provides neither or there are too many states
        """
        seen: NDArray[np.float32] = self._observations[state.number, player].copy()
        return seen

    def state_of(self, observation: NDArray[np.float32]) -> tuple[OpenSpielState, int]:
        if self.hidden:
            return super().state_of(observation)  # raises
        return OpenSpielState(int(observation[0] * WHOLE)), int(observation[1])

    def check(self, state: OpenSpielState) -> None:
        with reading_state(state, "an OpenSpielState with the number of a state"):
            whole_number("number", state.number, range(len(self.listed.nodes)))

    def describe(self, state: OpenSpielState) -> str:
        """OpenSpiel's text for the state's first history."""
        merged = self.listed.merged[state.number]
        histories = f", the first of {merged:,} histories" if merged > 1 else ""
        return f"{self.spiel_state(state)}".strip() + f"\nstate {state.number}{histories}"

    def describe_revealed(self, revealed: Revealed[OpenSpielState]) -> str:
        """Like `Game`; with hidden information, OpenSpiel's text of the viewer's information state if it acts."""
        if not self.hidden:
            return super().describe_revealed(revealed)
        over = ["the game is over"] if revealed.over else []
        if revealed.viewer in self.acting_players(revealed.state):
            return "\n".join(
                [self.spiel_state(revealed.state).information_state_string(revealed.viewer).strip(), *over]
            )
        return "\n".join(over or ["other players act"])

    def scene(self, revealed: Revealed[OpenSpielState]) -> Scene:
        if not self.hidden:
            return super().scene(revealed)
        text = self.describe_revealed(revealed)
        return plain_scene(self.facts.name, "", text.splitlines(), text)

    def describe_action(self, action: int, player: int = 0) -> str:
        return self._action_words[player][action]

    @cached_property
    def _action_words(self) -> list[list[str]]:
        """Each action's text at its first occurrence, if the texts of a player's actions are distinct; else numbers."""
        return [self._words_of(player) for player in range(self.facts.num_players)]

    def _words_of(self, player: int) -> list[str]:
        words: dict[int, str] = {}
        for number, node in reversed(list(enumerate(self.listed.nodes))):
            if player in node.acting:
                legal = node.legal[node.acting.index(player)]
                if not words.keys() >= set(legal):
                    state = self.spiel_state(OpenSpielState(number))
                    words = {a: _action_text(state, player, a) for a in legal} | words
        total = self.facts.num_actions
        if len(set(words.values())) < len(words):
            words = {}
        return [words.get(action, str(action)) for action in range(total)]

    @property
    def how_to_play(self) -> str:
        """The default text, with the game's name and origin."""
        return f"{self.listed.game.get_type().long_name}, by the rules of OpenSpiel. {super().how_to_play}"


def from_openspiel(game: Any, state_key: Literal["history", "string"] | Key | None = None) -> OpenSpielGame:
    """Makes a `Game` from an OpenSpiel game.

    Args:
        game: A name, e.g. `"goofspiel(num_cards=4)"`, or a `pyspiel.Game`. If OpenSpiel loads no equal game by the
            object's name, e.g. for a matrix of your own, the result can be solved and measured, but not stored.
        state_key: See `OpenSpielGame`.

    Raises:
        ValueError: As for `OpenSpielGame`.
    """
    if isinstance(game, str):
        return OpenSpielGame(game, state_key)
    given = OpenSpielGame(GameObject(game), state_key)
    try:
        named = OpenSpielGame(str(game), state_key)
    except ValueError:
        return given
    return named if _equal(named, given) else given


def _equal(one: OpenSpielGame, other: OpenSpielGame) -> bool:
    """Whether two games have the same rules, observations and texts of actions."""
    if replace(one.facts, name="") != replace(other.facts, name="") or one.initial() != other.initial():
        return False
    rules, others = ([node[1:] for node in each.listed.nodes] for each in (one, other))
    tensors_agree = np.array_equal(one.listed.tensors, other.listed.tensors)
    return rules == others and tensors_agree and one._action_words == other._action_words


def _action_text(spiel_state: Any, player: int, action: int) -> str:
    text = " ".join(spiel_state.action_to_string(player, action).split())
    return text.removeprefix(f"[P{player}]") or str(action)


def _text(spiel_state: Any) -> tuple[int, str]:
    return spiel_state.move_number(), str(spiel_state)
