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
from cardwar_envs.games.by_name import OPENSPIEL, opens_files

# An action by number or by name, and an outcome of chance by its index in the rules' list, by fields of the state that
# it leads to, or None where there is only one.
Action = int | str
Chance = int | Mapping[str, Any] | None
# OpenSpiel's names with plain parameters: no games inside games, and no paths.
PLAIN = re.compile(rf"{OPENSPIEL}[a-z0-9_]+(\([A-Za-z0-9_=,.-]*\))?")
# Games that are kept, and joint actions for each of them: recorded games repeat themselves.
MOST_GAMES, MOST_CACHED = 16, 200_000
# Legal actions that an error lists.
MOST_NAMED = 10


@dataclass(frozen=True)
class Played:
    """A recorded game that the rules allow.

    Attributes:
        where: Where it was found, e.g. "games.jsonl, game 3", which begins every error about it.
        game: The rules.
        names: The players' names by seat.
        episode: The moves, states and payoffs.
    """

    where: str
    game: Game[Any]
    names: tuple[str, ...]
    episode: Episode[Any]

    @property
    def over(self) -> bool:
        """Whether the record goes on to the end of the game."""
        return not self.game.acting_players(self.episode.states[-1])


def replayed(
    where: str,
    game: Game[Any],
    names: Sequence[str],
    dealt: Chance,
    moves: Iterable[tuple[Mapping[int, Action], Chance]],
) -> Played:
    """Replays a game by the rules.

    Args:
        where: See `Played`; "" if the caller adds it.
        game: The rules.
        names: The players' names by seat.
        dealt: The start.
        moves: Joint actions (seat -> action), each with its outcome.

    Raises:
        ValueError: If the rules do not allow this; one line that names the game and the move.
    """
    rules, states = _rules(game), list[Any]()
    joint, rewards = list[dict[int, int]](), list[tuple[float, ...]]()
    try:
        _check_names(names, game.facts.num_players)
        deal = _outcome(rules.starts, dealt)
        states.append(deal.state)
        for given, chance in moves:
            actions, outcomes = rules.outcomes(states[-1], tuple(given.items()))
            outcome = _outcome(outcomes, chance)
            states.append(outcome.state)
            joint.append(actions)
            rewards.append(outcome.rewards)
    except ValueError as error:
        move = f"move {len(states)}" if states else "the start"
        raise ValueError(": ".join(filter(None, (where, move, str(error))))) from None
    return Played(where, game, tuple(names), Episode(tuple(states), tuple(joint), deal.rewards, tuple(rewards)))


def game_of(name: str, parameters: Mapping[str, Any]) -> Game[Any]:
    """Makes the game that a file names.

    Raises:
        ValueError: If it is not a game of this package or of OpenSpiel with plain parameters. So a file cannot have
            anything else imported or opened.
    """
    if name not in GAMES and not (PLAIN.fullmatch(name) and not opens_files(name)):
        raise ValueError(f"game ({shown(name)}) must be one of {', '.join(GAMES)}, or {OPENSPIEL}NAME(key=value,...)")
    return _made(name, json.dumps(parameters))


@lru_cache(MOST_GAMES)
def _made(name: str, parameters: str) -> Game[Any]:
    return make_game(name, **{key: _tuples(value) for key, value in json.loads(parameters).items()})


class _Rules:
    """The start of a game and the outcomes of its joint actions."""

    def __init__(self, game: Game[Any]) -> None:
        self._game, self.starts = game, game.initial()
        self.outcomes = lru_cache(MOST_CACHED)(self._outcomes)

    def _outcomes(
        self, state: Any, given: tuple[tuple[int, Action], ...]
    ) -> tuple[dict[int, int], Sequence[Transition[Any]]]:
        """Returns the joint action, checked and by number, and the outcomes that the rules list for it."""
        acting, actions = self._game.acting_players(state), dict(given)
        if sorted(actions) != sorted(acting):
            must = f"players who must: {_listed(acting)}" if acting else "the game was over"
            raise ValueError(f"players who move: {_listed(sorted(actions)) or 'none'}; {must}")
        numbers = {player: self._legal(state, player, actions[player]) for player in acting}
        return numbers, self._game.transitions(state, numbers)

    def _legal(self, state: Any, player: int, given: Action) -> int:
        actions, named = self._game.legal_actions(state, player), self._game.describe_action
        legal = {action: named(action, player) for action in actions}
        fitting = [action for action, name in legal.items() if given == (name if isinstance(given, str) else action)]
        if len(fitting) != 1:
            problem = "names several actions" if fitting else "is not legal"
            known = [f"{action} ({name})" for action, name in legal.items()]
            can = ", ".join(known[:MOST_NAMED]) + ", ..." * (len(known) > MOST_NAMED)
            raise ValueError(f"action {shown(given)} of player_{player} {problem}; its legal actions are {can}")
        return fitting[0]


_rules = lru_cache(MOST_GAMES)(_Rules)  # a file names games of this package only, in which `==` means equal rules


def _outcome(outcomes: Sequence[Transition[Any]], chance: Chance) -> Transition[Any]:
    if chance is None and len(outcomes) > 1:
        raise ValueError(f"chance has {len(outcomes)} outcomes, and the record does not say which")
    if not isinstance(chance, Mapping):
        index = chance or 0
        if index not in range(len(outcomes)):
            raise ValueError(f"chance ({shown(chance)}) must be in 0..{len(outcomes) - 1}")
        return outcomes[index]
    fields = {name: _tuples(value) for name, value in chance.items()}
    if unknown := [name for name in fields if not hasattr(outcomes[0].state, name)]:
        has = ", ".join(getattr(outcomes[0].state, "_fields", ())) or "none"
        raise ValueError(f"chance: the state has no field {shown(unknown[0])}; it has {has}")
    fitting = [each for each in outcomes if all(getattr(each.state, name) == fields[name] for name in fields)]
    if len(fitting) != 1:
        raise ValueError(f"chance: {shown(dict(chance))} fits {len(fitting)} of {len(outcomes)} outcomes, not 1")
    return fitting[0]


def _check_names(names: Sequence[str], players: int) -> None:
    if len(names) != players:
        raise ValueError(f"{len(names)} names are given for {players} players")
    for name in names:
        if not name.isprintable():  # names are printed, and control characters could manipulate a terminal
            raise ValueError(f"the name {name!a} must contain only printable characters")


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _listed(players: Iterable[int]) -> str:
    return ", ".join(map(str, players))
