"""The plain format of recorded games, which any program can write: one JSON object for each game, one game a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from cardwar_envs import Episode, Game, Transition
from cardwar_envs.core.parameters import shown
from cardwar_play.recorded.played import Played, game_of, replayed, require_payoffs
from train.storage.formats import Points, Text, Value
from train.text.game_names import json_parameters
from train.text.validation import Strict, one_line


def _typed(said: str, *kinds: type) -> BeforeValidator:
    """Accepts values of these types only; one error for all of them, unlike pydantic's unions."""

    def checked(value: Any) -> Any:
        if type(value) not in kinds:
            raise ValueError(f"{shown(value)} must be {said}")
        return value

    return BeforeValidator(checked)


Move = Annotated[str | int | None, _typed("an action's name, its number from 0, or null", str, int, type(None))]
Outcome = Annotated[
    dict[str, Any] | int | None, _typed("fields of a state, an index from 0, or null", dict, int, type(None))
]


class PlainGame(Strict):
    """A recorded game."""

    game: Annotated[str, Field(description="As on the command line, e.g. goofspiel.")]
    parameters: Annotated[dict[str, Value], Field(description="Those that are not the defaults.", default_factory=dict)]
    players: Annotated[list[Text], Field(description="The players' names by seat.")]
    moves: Annotated[list[list[Move]], Field(description="Joint actions, each a list by seat; null: does not act.")]
    chance: Annotated[
        list[Outcome] | None,
        Field(
            description="Outcomes of chance: the start's, then one for each joint action. Null where there is only "
            "one; or fields of the following state that fit only one outcome, e.g. {'prize': 3}; or an index into the "
            "rules' list. Omitted without chance."
        ),
    ] = None
    payoffs: Annotated[list[Points] | None, Field(description="Payoff points by seat, compared with the rules.")] = None
    unfinished: Annotated[bool, Field(description="Whether the game was broken off.")] = False


def read(content: Mapping[str, Any]) -> Played:
    """Reads and replays a game; raises ValueError if it is not in this format, or the rules do not allow it."""
    with one_line():
        stored = PlainGame.model_validate(content)
    chance = [None] * (len(stored.moves) + 1) if stored.chance is None else stored.chance
    if len(chance) != len(stored.moves) + 1:
        raise ValueError(f"chance has {len(chance)} outcomes; it needs the start's and {len(stored.moves)} others")
    played = replayed(game_of(stored.game, stored.parameters), stored.players, chance[0], _moves(stored, chance[1:]))
    if played.over == stored.unfinished:
        state = "over" if played.over else "not over"
        raise ValueError(f"after move {len(stored.moves)}: the game is {state}, but unfinished is {stored.unfinished}")
    if stored.payoffs is not None:
        require_payoffs(stored.payoffs, played.episode.payoffs)
    return played


def _moves(stored: PlainGame, chance: Sequence[Any]) -> Iterator[tuple[dict[int, Any], Any]]:
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
