"""Converts OpenSpiel's policies to policies of this package, and back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import checked_probabilities, observation_keys
from cardwar_envs.core.policy_names import as_policies
from cardwar_envs.core.table_policy import TablePolicy
from cardwar_envs.openspiel.loading import require_pyspiel
from cardwar_envs.openspiel.rules import OpenSpielGame
from cardwar_envs.openspiel.to_openspiel import to_openspiel

# Maximum number of histories at which a policy is queried: about half a minute.
MOST_HISTORIES = 200_000
# Larger differences between two answers at one observation are not rounding.
SAME_TO = 1e-9


def from_openspiel_policy(policy: Any, game: Game[Any]) -> tuple[TablePolicy, ...]:
    """Makes a policy for each seat from a policy of OpenSpiel, which is queried at every history of the game.

    A policy here is a function of the observation, and in OpenSpiel of the information state, which may hold more.
    Where the policy distinguishes what an observation does not, no equal policy exists here. That is an error: no
    average over these information states has the same exploitability.

    Args:
        policy: An `open_spiel.python.policy.Policy` of the game with simultaneous moves or turns, or a `pyspiel.Policy`
            of that with turns. Information states that it lacks (a KeyError, or no actions) are not in the table.
        game: Any game, of OpenSpiel or of this package.

    Raises:
        ValueError: If the policy is for another game or distinguishes states with equal observations, or the game has
            more than 200,000 histories.
    """
    forms = _forms(game)
    compiled = isinstance(policy, require_pyspiel().Policy)
    spiel = forms[-1] if compiled else getattr(policy, "game", None)  # a compiled policy does not know its game
    if str(spiel) not in map(str, forms):
        raise ValueError(f"the game of policy ({policy!r}), {spiel}, must be {' or '.join(map(str, forms))}")
    tables: list[dict[bytes, tuple[str, Any]]] = [{} for _ in range(game.facts.num_players)]
    for state, player in _decisions(spiel):
        try:
            given = policy.action_probabilities(*((state,) if compiled else (state, player)))
        except KeyError:
            continue
        if not given:
            continue
        mix = np.array([given.get(action, 0.0) for action in range(game.facts.num_actions)], dtype=np.float64)
        (key,) = observation_keys(_seen(game, state, player)[0][None])
        text = " ".join(state.information_state_string(player).split())
        first, known = tables[player].setdefault(key, (text, mix))
        if not np.allclose(mix, known, rtol=0.0, atol=SAME_TO, equal_nan=True):
            raise ValueError(
                f"the policy mixes {mix.tolist()} at {text!r} and {known.tolist()} at {first!r}, where player_{player} "
                f"has the same observation in {game.facts.name}; if its information states differ, use "
                'from_openspiel(SPIEL_GAME, "history"), a game that shows the history'
            )
    return tuple(TablePolicy({key: mix for key, (_, mix) in rows.items()}) for rows in tables)


def to_openspiel_policy(policy: Any, game: Game[Any]) -> Any:
    """Makes an `open_spiel.python.policy.Policy`, whose `to_tabular()` makes OpenSpiel's `TabularPolicy`.

    Its `game` is the `pyspiel.Game` with turns, which OpenSpiel's algorithms need. It plays the game with simultaneous
    moves as well.

    Args:
        policy: One policy for all seats, or one per seat; objects or names.
        game: Any game, of OpenSpiel or of this package.

    Raises:
        ValueError: If a policy cannot play the game.
    """
    from open_spiel.python.policy import Policy

    seats = as_policies(policy, game)

    class Seated(Policy):  # type: ignore[misc]  # open_spiel has no types
        def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
            player = state.current_player() if player_id is None else player_id
            if player not in self.player_ids:
                raise ValueError(f"player_id ({player_id}) must be in 0..{len(seats) - 1} where several players move")
            observation, mask = _seen(game, state, player)
            if not mask.any():
                return {0: 1.0}  # as OpenSpiel's policies do for a player who waits
            mix = checked_probabilities(seats[player], observation[None], mask[None])[0]
            return {action: mix.item(action) for action in np.flatnonzero(mask).tolist()}

    return Seated(_forms(game)[-1], list(range(len(seats))))


def _forms(game: Game[Any]) -> list[Any]:
    """Returns OpenSpiel's game and, if moves are simultaneous, its form in which players take turns."""
    pyspiel = require_pyspiel()
    spiel = game.listed.game if isinstance(game, OpenSpielGame) else to_openspiel(game)
    in_turns = spiel.get_type().dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    return [spiel] if in_turns else [spiel, pyspiel.convert_to_turn_based(spiel)]


def _seen(game: Game[Any], state: Any, player: int) -> Any:
    """Returns a player's observation and mask at a state of OpenSpiel's game."""
    together = state.simultaneous_game_state() if hasattr(state, "simultaneous_game_state") else state
    ours = game.listed.find(together) if isinstance(game, OpenSpielGame) else together.position
    return game.observation(ours, player), game.action_mask(ours, player)


def _decisions(spiel: Any) -> Iterator[tuple[Any, int]]:
    """Yields each history at which a player has legal actions, and the player."""
    waiting, count = [spiel.new_initial_state()], 0
    while waiting:
        state, count = waiting.pop(), count + 1
        if count > MOST_HISTORIES:
            raise ValueError(f"{spiel} is too large: it has more than {MOST_HISTORIES:,} histories")
        players = range(0 if state.is_chance_node() else spiel.num_players())
        legal = [state.legal_actions(player) for player in players]
        yield from ((state, player) for player, actions in enumerate(legal) if actions)
        if not state.is_simultaneous_node():
            waiting.extend(map(state.child, state.legal_actions()))
            continue
        for joint in product(*(actions or [0] for actions in legal)):
            waiting.append(state.clone())
            waiting[-1].apply_actions(joint)
