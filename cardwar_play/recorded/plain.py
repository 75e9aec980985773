"""The plain format of recorded games, which any program can write: one JSON object for each game, one game a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from cardwar_envs import Episode, Game, Transition
from cardwar_play.recorded.played import Action, Chance, Played, game_of, replayed
from train.storage.formats import Points, Text, Value
from train.text.game_names import json_parameters
from train.text.printing import points
from train.text.validation import Strict, one_line

Whole = Annotated[int, Field(ge=0)]
# Recorded payoffs may differ from those of the rules by rounding.
ROUNDING = 1e-9


class PlainGame(Strict):
    """A recorded game."""

    game: Annotated[str, Field(description="The name of the game, as on the command line, e.g. goofspiel.")]
    parameters: Annotated[
        dict[str, Value], Field(default_factory=dict, description="Parameters that differ from the game's defaults.")
    ]
    players: Annotated[list[Text], Field(description="The players' names by seat.")]
    moves: Annotated[
        list[list[Whole | Text | None]],
        Field(
            description="Joint actions in order, each a list with the action of every seat: its name (a string) or its "
            "number, counted from 0; null for players who do not move."
        ),
    ]
    chance: Annotated[
        list[Whole | dict[Text, Any] | None] | None,
        Field(
            description="The outcomes of chance: first that of the start, then one for each joint action. An outcome "
            "is null where there is only one; fields of the state that it leads to, such as {'prize': 3}, which must "
            "fit exactly one outcome; or an index into the rules' list, counted from 0. Omitted without chance."
        ),
    ] = None
    payoffs: Annotated[
        list[Points] | None, Field(description="The payoff points of each seat, which are compared with the rules.")
    ] = None
    unfinished: Annotated[bool, Field(description="True if the game was broken off.")] = False


def read(content: Mapping[str, Any], where: str) -> Played:
    """Reads and replays a game.

    Raises:
        ValueError: If it is not in this format, or the rules do not allow it; one line that begins with `where`.
    """
    try:
        with one_line():
            stored = PlainGame.model_validate(content)
        game = game_of(stored.game, stored.parameters)
        chance = [None] * (len(stored.moves) + 1) if stored.chance is None else stored.chance
        if len(chance) != len(stored.moves) + 1:
            raise ValueError(f"chance has {len(chance)} outcomes; it needs the start's and {len(stored.moves)} others")
        played = replayed("", game, stored.players, chance[0], _moves(stored, chance[1:]))
        if played.over == stored.unfinished:
            state = "over" if played.over else "not over"
            raise ValueError(f"after move {len(stored.moves)} the game is {state}, but unfinished is {not played.over}")
        paid = played.episode.payoffs
        if stored.payoffs is not None and not (
            len(paid) == len(stored.payoffs)
            and all(abs(a - b) <= ROUNDING for a, b in zip(paid, stored.payoffs, strict=True))
        ):
            given, after = (", ".join(map(points, each)) for each in (stored.payoffs, paid))
            raise ValueError(f"payoffs ({given}) must be {after} after move {len(stored.moves)}")
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return Played(where, game, played.names, played.episode)


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
    seats = range(game.facts.num_players)
    moves = [
        [game.describe_action(joint[seat], seat) if seat in joint else None for seat in seats]
        for joint in episode.actions
    ]
    content = {"game": game.facts.name, "parameters": json_parameters(game), "players": list(names), "moves": moves}
    content |= {"chance": chance} if any(each is not None for each in chance) else {}
    return json.dumps(content | {"payoffs": list(map(float, episode.payoffs))}) + "\n"


def _index(outcomes: Sequence[Transition[Any]], state: Any, paid: tuple[float, ...]) -> int | None:
    if len(outcomes) == 1:
        return None
    return next(i for i, each in enumerate(outcomes) if (each.state, each.rewards) == (state, paid))
