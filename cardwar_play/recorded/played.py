"""Replays recorded games: every move must be legal, and the rules must list every outcome of chance."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from cardwar_envs import GAMES, Episode, Game, Transition, make_game
from cardwar_envs.core.parameters import shown
from cardwar_envs.games.by_name import OPENSPIEL, opens_files, parameters_in

# OpenSpiel's names with plain parameters: no games inside games, and no paths.
PLAIN = re.compile(rf"{OPENSPIEL}[a-z0-9_]+(\([A-Za-z0-9_=,.-]*\))?")
# Games that are kept, and joint actions: recorded games repeat themselves.
MOST_GAMES, MOST_CACHED = 16, 200_000
# Recorded payoffs may differ from those of the rules by rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Played:
    """A recorded game that the rules allow.

    Attributes:
        game: The rules.
        names: The players' names by seat.
        episode: The moves, states and payoffs.
        where: Where it was found, e.g. "games.jsonl, game 3"; "" until the reader of the file adds it.
    """

    game: Game[Any]
    names: tuple[str, ...]
    episode: Episode[Any]
    where: str = ""

    @property
    def over(self) -> bool:
        """Whether the record goes on to the end of the game."""
        return not self.game.acting_players(self.episode.states[-1])


def replayed(
    game: Game[Any], names: Sequence[str], dealt: Any, moves: Iterable[tuple[Mapping[int, Any], Any]]
) -> Played:
    """Replays a game by the rules.

    Args:
        game: The rules.
        names: The players' names by seat.
        dealt: The outcome of chance at the start: its index in the rules' list, fields of the state that it leads to,
            or None if there is only one.
        moves: Joint actions (seat -> number or name of an action), each with its outcome.

    Raises:
        ValueError: If the rules do not allow this; the error names the move.
    """
    states, joint, rewards = list[Any](), list[dict[int, int]](), list[tuple[float, ...]]()
    try:
        if len(names) != game.facts.num_players:
            raise ValueError(f"{len(names)} names are given for {game.facts.num_players} players")
        for name in names:
            if not name.isprintable():  # names are printed, and control characters could manipulate a terminal
                raise ValueError(f"the name {name!a} must contain only printable characters")
        deal = _outcome(_starts(game), dealt)
        states.append(deal.state)
        for given, chance in moves:
            actions, outcomes = _outcomes(game, states[-1], tuple(given.items()))
            outcome = _outcome(outcomes, chance)
            states.append(outcome.state)
            joint.append(actions)
            rewards.append(outcome.rewards)
    except ValueError as error:
        raise ValueError(f"{f'move {len(states)}' if states else 'the start'}: {error}") from None
    return Played(game, tuple(names), Episode(tuple(states), tuple(joint), deal.rewards, tuple(rewards)))


def game_of(name: str, parameters: Mapping[str, Any]) -> Game[Any]:
    """Makes the game that a file names; raises ValueError unless it is one of this package, or of OpenSpiel.

    OpenSpiel's must have plain parameters. So a file cannot have anything else imported or opened.
    """
    if name not in GAMES and not (PLAIN.fullmatch(name) and not opens_files(name)):
        raise ValueError(f"game ({shown(name)}) must be one of {', '.join(GAMES)}, or {OPENSPIEL}NAME(key=value,...)")
    own = parameters_in(name)  # records list them, too
    return _made(name, json.dumps({key: value for key, value in parameters.items() if own.get(key) != value}))


def require_payoffs(given: Sequence[Any], paid: Sequence[float]) -> None:
    """Raises ValueError unless the payoffs that a file gives are those that follow from its moves."""
    pairs = zip(given, paid, strict=False)
    near = (isinstance(a, float | int) and b - ROUNDING <= a <= b + ROUNDING for a, b in pairs)
    if len(given) != len(paid) or not all(near):
        raise ValueError(f"at the end: the payoffs ({shown(list(given))}) must be {list(paid)}")


@lru_cache(MOST_GAMES)
def _made(name: str, parameters: str) -> Game[Any]:
    return make_game(name, **{key: _tuples(value) for key, value in json.loads(parameters).items()})


# Files name games of this package only, in which `==` means equal rules.
@lru_cache(MOST_GAMES)
def _starts(game: Game[Any]) -> Sequence[Transition[Any]]:
    return game.initial()


@lru_cache(MOST_CACHED)
def _outcomes(
    game: Game[Any], state: Any, given: tuple[tuple[int, int | str], ...]
) -> tuple[dict[int, int], Sequence[Transition[Any]]]:
    """Returns the joint action, checked and by number, and the outcomes that the rules list for it."""
    acting, actions = game.acting_players(state), dict(given)
    if sorted(actions) != sorted(acting):
        must = sorted(acting) or "none, as the game was over"
        raise ValueError(f"players who move: {sorted(actions)}; players who must: {must}")
    numbers = {player: _legal(game, state, player, actions[player]) for player in acting}
    return numbers, game.transitions(state, numbers)


def _legal(game: Game[Any], state: Any, player: int, given: int | str) -> int:
    legal = {action: game.describe_action(action, player) for action in game.legal_actions(state, player)}
    fitting = [action for action, name in legal.items() if given in (action, name)]
    if len(fitting) != 1:
        problem = "names several actions" if fitting else "is not legal"
        raise ValueError(f"action {shown(given)} of player_{player} {problem}; its legal actions are {shown(legal)}")
    return fitting[0]


def _outcome(outcomes: Sequence[Transition[Any]], chance: Any) -> Transition[Any]:
    if chance is None and len(outcomes) > 1:
        raise ValueError(f"chance has {len(outcomes)} outcomes, and the record does not say which")
    if not isinstance(chance, Mapping):
        index = chance or 0
        if index not in range(len(outcomes)):
            raise ValueError(f"chance ({shown(chance)}) must be in 0..{len(outcomes) - 1}")
        return outcomes[index]
    fields = {name: _tuples(value) for name, value in chance.items()}
    fitting = [each for each in outcomes if all(getattr(each.state, name, ...) == fields[name] for name in fields)]
    if len(fitting) != 1:
        has = ", ".join(getattr(outcomes[0].state, "_fields", ())) or "no fields"
        fits = f"{shown(dict(chance))} fits {len(fitting)} of {len(outcomes)} outcomes, not 1"
        raise ValueError(f"chance: {fits}; the state has {has}")
    return fitting[0]


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
