"""Converts OpenSpiel's policies to policies of this package, and back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import observation_keys
from cardwar_envs.core.policy_names import as_policies
from cardwar_envs.core.table_policy import TablePolicy
from cardwar_envs.openspiel.loading import require_pyspiel
from cardwar_envs.openspiel.rules import OpenSpielGame
from cardwar_envs.openspiel.to_openspiel import to_openspiel

# Maximum number of histories at which a policy is queried: about half a minute.
MOST_HISTORIES = 200_000
# Larger differences between two answers at one observation are not rounding.
SAME_TO = 1e-9


def from_openspiel_policy(policy: Any, game: Game[Any], spiel_game: Any = None) -> tuple[TablePolicy, ...]:
    """Makes a policy for each seat from a policy of OpenSpiel, which is queried at every history of the game.

    A policy here is a function of the observation, and in OpenSpiel of the information state, which may hold more.
    Where the policy distinguishes what an observation does not, no equal policy exists here. That is an error: no
    average over these information states has the same exploitability.

    Args:
        policy: An `open_spiel.python.policy.Policy` or a `pyspiel.Policy`, e.g. the average policy of a solver.
            Information states that it does not contain (a KeyError, or no actions) are missing from the table.
        game: A game that `to_openspiel` takes, or an OpenSpiel game of this package.
        spiel_game: The `pyspiel.Game` of the policy, with simultaneous moves or turns; by default `policy.game`.

    Returns:
        A table per seat, in seat order, as `baselines.exploitability` takes them.

    Raises:
        ValueError: If the policy is for another game, distinguishes states with equal observations, or returns unknown
            actions, or the game has more than 200,000 histories.
    """
    spiel = _game_of(policy, game, spiel_game)
    from cardwar_envs.openspiel.spiel_policy import seen_at

    tables: list[dict[bytes, tuple[str, Any]]] = [{} for _ in range(game.facts.num_players)]
    for state, player in _decisions(spiel):
        mix = _mix(policy, state, player, game.facts.num_actions)
        if mix is None:
            continue
        (key,) = observation_keys(seen_at(game, state, player)[0][None])
        text = " ".join(f"{state.information_state_string(player)}".split())
        first, known = tables[player].setdefault(key, (text, mix))
        if not (np.abs(mix - known) <= SAME_TO).all():
            raise ValueError(
                f"the policy mixes {mix.tolist()} at {text!r} and {known.tolist()} at {first!r}, where player_{player} "
                f"has the same observation in {game.facts.name}; {_remedy(game)}"
            )
    return tuple(TablePolicy({key: mix for key, (_, mix) in rows.items()}) for rows in tables)


def _remedy(game: Game[Any]) -> str:
    if not isinstance(game, OpenSpielGame):
        return 'measure it in from_openspiel(to_openspiel(game), "history"), which shows histories'
    if game.state_key == "history" or game.hidden:
        return "it must be a function of the information state"
    return 'make the game with state_key="history", which shows histories'


def to_openspiel_policy(policy: Any, game: Game[Any], spiel_game: Any = None) -> Any:
    """Makes a policy of OpenSpiel from a policy per seat.

    Its method `to_tabular()` makes OpenSpiel's `TabularPolicy`, if the game is small.

    Args:
        policy: One policy for all seats, or one per seat; objects or names.
        game: A game that `to_openspiel` takes, or an OpenSpiel game of this package.
        spiel_game: The policy's `pyspiel.Game`; by default OpenSpiel's game with turns, as its algorithms need.

    Returns:
        An `open_spiel.python.policy.Policy`, which plays the game with turns and with simultaneous moves.

    Raises:
        ValueError: If a policy cannot play the game, or `spiel_game` is another game.
    """
    both = _both(game)
    spiel = both[-1] if spiel_game is None else _require_one_of(spiel_game, both)
    from cardwar_envs.openspiel.spiel_policy import SpielPolicy

    return SpielPolicy(spiel, game, as_policies(policy, game))


def _both(game: Game[Any]) -> list[Any]:
    """Returns OpenSpiel's game and, if moves are simultaneous, its form in which players take turns."""
    pyspiel = require_pyspiel()
    spiel = game.listed.game if isinstance(game, OpenSpielGame) else to_openspiel(game)
    in_turns = spiel.get_type().dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    return [spiel] if in_turns else [spiel, pyspiel.convert_to_turn_based(spiel)]


def _game_of(policy: Any, game: Game[Any], spiel_game: Any) -> Any:
    if isinstance(policy, type) or not callable(getattr(policy, "action_probabilities", None)):
        raise ValueError(f"policy ({policy!r}) must be a policy of OpenSpiel")
    found = getattr(policy, "game", None) if spiel_game is None else spiel_game
    if found is None:
        raise ValueError(f"policy {type(policy).__name__} has no attribute game: give its pyspiel.Game as spiel_game")
    return _require_one_of(found, _both(game))


def _require_one_of(spiel: Any, allowed: list[Any]) -> Any:
    if str(spiel) not in map(str, allowed):
        raise ValueError(f"spiel_game ({spiel}) must be {' or '.join(map(str, allowed))}")
    return spiel


def _decisions(spiel: Any) -> Iterator[tuple[Any, int]]:
    """Yields each history at which a player has legal actions, and the player."""
    players, waiting, count = range(spiel.num_players()), [spiel.new_initial_state()], 0
    while waiting:
        state, count = waiting.pop(), count + 1
        if count > MOST_HISTORIES:
            raise ValueError(f"{spiel} is too large: it has more than {MOST_HISTORIES:,} histories")
        if state.is_terminal():
            continue
        if state.is_simultaneous_node():
            legal = [state.legal_actions(player) for player in players]
            yield from ((state, player) for player in players if legal[player])
            for joint in product(*(each or [0] for each in legal)):
                waiting.append(state.clone())
                waiting[-1].apply_actions(joint)
        elif state.is_chance_node():
            waiting.extend(state.child(action) for action, share in state.chance_outcomes() if share)
        else:
            yield state, state.current_player()
            waiting.extend(map(state.child, state.legal_actions()))


def _mix(policy: Any, state: Any, player: int, actions: int) -> Any:
    """Returns a policy's probabilities `[actions]`; None if it does not contain the state."""
    compiled = isinstance(policy, require_pyspiel().Policy)
    try:
        given = policy.action_probabilities(*((state,) if compiled else (state, player)))
    except KeyError:
        return None
    mix = np.zeros(actions)
    for action, probability in given.items():
        if action not in range(actions):
            raise ValueError(f"policy {type(policy).__name__}: action {action!r} must be in 0..{actions - 1}")
        mix[action] = probability
    return mix if given else None
