"""The plain format of recorded games, which any program can write: one JSON object for each game, one game a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import AfterValidator, Field, WithJsonSchema

from cardwar_envs import Episode, Game, Transition
from cardwar_envs.core.parameters import shown
from cardwar_play.recorded.played import Action, Chance, Played, game_of, replayed
from train.storage.formats import Points, Text, Value
from train.text.game_names import json_parameters
from train.text.validation import Strict, one_line

# Recorded payoffs may differ from those of the rules by rounding.
ROUNDING = 1e-9


def _typed(said: str, *kinds: type) -> AfterValidator:
    """Accepts values of these types, no negative numbers; one error for all of them, unlike pydantic's unions."""

    def checked(value: Any) -> Any:
        if type(value) in kinds and not (type(value) is int and value < 0):
            return value
        raise ValueError(f"{shown(value)} must be {said}")

    return AfterValidator(checked)


Move = Annotated[
    Any,
    _typed("the name of an action, its number from 0, or null", str, int, type(None)),
    WithJsonSchema({"type": ["string", "integer", "null"]}),
]
Outcome = Annotated[
    Any,
    _typed("fields of a state, an index from 0, or null", dict, int, type(None)),
    WithJsonSchema({"type": ["object", "integer", "null"]}),
]


def _entry(text: str, **settings: Any) -> Any:
    return Field(description=text, **settings)


class PlainGame(Strict):
    """A recorded game."""

    game: Annotated[str, _entry("The game, as on the command line, e.g. goofspiel.")]
    parameters: Annotated[dict[str, Value], _entry("Parameters that are not the defaults.", default_factory=dict)]
    players: Annotated[list[Text], _entry("The players' names by seat.")]
    moves: Annotated[
        list[list[Move]],
        _entry(
            "Joint actions, each a list by seat: an action's name, its number from 0, or null for who does not act."
        ),
    ]
    chance: Annotated[
        list[Outcome] | None,
        _entry(
            "Outcomes of chance: the start's, then one for each joint action. Null where there is only one; or fields "
            "of the following state that fit only one outcome, e.g. {'prize': 3}; or an index into the rules' list, "
            "from 0. Omitted without chance.",
        ),
    ] = None
    payoffs: Annotated[list[Points] | None, _entry("Payoff points by seat, compared with the rules.")] = None
    unfinished: Annotated[bool, _entry("Whether the game was broken off.")] = False


def read(content: Mapping[str, Any], where: str) -> Played:
    """Reads and replays a game.

    Raises:
        ValueError: If it is not in this format, or the rules do not allow it; one line that begins with `where`.
    """
    try:
        with one_line():
            stored = PlainGame.model_validate(content)
        game, last = game_of(stored.game, stored.parameters), f"after move {len(stored.moves)}"
        chance = [None] * (len(stored.moves) + 1) if stored.chance is None else stored.chance
        if len(chance) != len(stored.moves) + 1:
            raise ValueError(f"chance has {len(chance)} outcomes; it needs the start's and {len(stored.moves)} others")
        played = replayed("", game, stored.players, chance[0], _moves(stored, chance[1:]))
        if played.over == stored.unfinished:
            state = "over" if played.over else "not over"
            raise ValueError(f"{last}: the game is {state}, but unfinished is {stored.unfinished}")
        paid, given = played.episode.payoffs, stored.payoffs
        if given is not None and not _agree(given, paid):
            raise ValueError(f"{last}: payoffs ({shown(given)}) must be {list(paid)}")
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return replace(played, where=where)


def _agree(given: Sequence[float], paid: Sequence[float]) -> bool:
    return len(given) == len(paid) and all(abs(a - b) <= ROUNDING for a, b in zip(given, paid, strict=True))


def _moves(stored: PlainGame, chance: Sequence[Chance]) -> Iterator[tuple[dict[int, Action], Chance]]:
    for joint, outcome in zip(stored.moves, chance, strict=True):
        if len(joint) != len(stored.players):
            raise ValueError(f"{len(joint)} actions are given for {len(stored.players)} players")
        yield {seat: action for seat, action in enumerate(joint) if action is not None}, outcome


def line_of(game: Game[Any], names: Sequence[str], episode: Episode[Any]) -> str:
    """Returns a game in this format, as one line; `names` are the players' names by seat."""
    chance = [_index(game.initial(), episode.states[0], episode.dealt)]
    for number, (actions, paid) in enumerate(zip(episode.actions, episode.rewards, strict=True)):
        outcomes = game.transitions(episode.states[number], actions)
        chance.append(_index(outcomes, episode.states[number + 1], paid))
    seats, named = range(game.facts.num_players), game.describe_action
    moves = [[named(joint[seat], seat) if seat in joint else None for seat in seats] for joint in episode.actions]
    content: dict[str, Any] = {
        "game": game.facts.name,
        "parameters": json_parameters(game),
        "players": names,
        "moves": moves,
    }
    content |= {"chance": chance} if any(each is not None for each in chance) else {}
    return json.dumps(content | {"payoffs": list(map(float, episode.payoffs))}) + "\n"


def _index(outcomes: Sequence[Transition[Any]], state: Any, paid: tuple[float, ...]) -> int | None:
    if len(outcomes) == 1:
        return None
    return next(i for i, each in enumerate(outcomes) if (each.state, each.rewards) == (state, paid))
