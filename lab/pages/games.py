"""Generates the parts of a game's page from the game's docstrings, facts, fields and policies."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Sequence
from textwrap import fill
from typing import Any

from baselines.opponents.levels.level import levels
from baselines.opponents.strategies import fitting_policies
from cardwar_envs import GAMES, Game, make_game
from cardwar_envs.core.parameters import block_below, described
from cardwar_envs.envs.registration import gymnasium_id, pettingzoo_id
from lab.pages.rounds import as_text
from train.reports.markdown import table

HISTORY = "Version history:"
POLICIES = ("uniform", "uniform_actions")  # they play every game
ENTRY = re.compile(r"^    ([\w* ]+?)(?: if (\w+)=\"(\w+)\")?: (.*(?:\n {8,}.*)*)", re.MULTILINE)
CHANCE = {"none": "none", "deal": "in the deal only", "moves": "when players move"}
# If there are more actions, only the first two and the last are listed.
MOST_SHOWN = 3
WIDTH = 120


def section(name: str, part: str) -> str:
    """Generates a part of a page in Markdown: of a game's page (a key of `PARTS`), or of "games" (of `SHARED`)."""
    if name == "games":
        return SHARED[part](list(map(make_game, GAMES)))
    return {**PARTS, "family": family}[part](make_game(name))


def _text_of(kind: type) -> str:
    """The docstring of the module that defines a class, without the version history."""
    return inspect.cleandoc(sys.modules[kind.__module__].__doc__ or "").partition(f"\n\n{HISTORY}")[0]


def how_to_play(game: Game[Any]) -> str:
    """How to play the game with its default parameters."""
    return fill(game.how_to_play, WIDTH)


def rules(game: Game[Any]) -> str:
    """The docstring of the game's own rules."""
    return _text_of(type(game))


def family(game: Game[Any]) -> str:
    """The docstring of the rules that the game inherits."""
    return _text_of(type(game).__mro__[1])


def worked_round(game: Game[Any]) -> str:
    """The worked round of the game, with its parameters."""
    given = game.worked_round.parameters if game.worked_round else ""
    played = f"Played with `{given}`:\n\n" if given else ""
    return f"{played}```text\n{as_text(type(game))}\n```"


def parameters(game: Game[Any]) -> str:
    """Every field of the game's dataclass: its default, and its description from the docstrings."""
    told = described(type(game))
    fields = dataclasses.fields(type(game))  # type: ignore[arg-type]  # games are dataclasses
    rows = [[f"`{field.name}`", _default(field, game), told[field.name]] for field in fields]
    return table(["parameter", "default", "description"], rows)


def _default(field: dataclasses.Field[Any], game: Game[Any]) -> str:
    """A field's default; if that is None, with its effective value."""
    value = getattr(game, field.name)
    if field.default is not None:
        return f"`{value!r}`"
    return f"`None`: {value if isinstance(value, int) else f'{min(value)}, ..., {max(value)}'}"


def observation(game: Game[Any]) -> str:
    """The entries of an observation: their indices in the default game, their number, and their meaning."""
    rows, first = [], 0
    for size, count, meaning in observation_entries(game):
        places = "none" if not count else str(first) if count == 1 else f"{first} to {first + count - 1}"
        rows.append([places, size, _line(meaning)])
        first += count
    head = f"`float32[{game.facts.observation_size}]` for the default game.\n\n"
    return head + table(["index", "count", "description"], rows)


def observation_entries(game: Game[Any]) -> list[tuple[str, int, str]]:
    """Parses the docstring of `observation` into entries: (count as written, count in this game, meaning)."""
    found = []
    text = block_below(type(game).observation.__doc__ or "", "Entries:")
    for size, field, value, meaning in ENTRY.findall(text):
        count = 1 if not field or getattr(game, field) == value else 0
        for factor in size.split(" * "):
            count *= int(factor) if factor.isdecimal() else getattr(game, factor, None) or getattr(game.facts, factor)
        shown = size if size.isdecimal() else f"`{size}`"
        found.append((f'{shown}, if `{field}="{value}"`' if field else shown, count, meaning))
    return found


def actions(game: Game[Any]) -> str:
    """The meaning of the actions, per player if the players' actions differ."""
    number, players = game.facts.num_actions, range(game.facts.num_players)
    meanings = {player: [game.describe_action(action, player) for action in range(number)] for player in players}
    shown = range(number) if number <= MOST_SHOWN else (0, 1, number - 1)
    listed = {
        player: ", ".join(f"{'... ' if action > 2 else ''}{action} is `{each[action]}`" for action in shown)
        for player, each in meanings.items()
    }
    same = len(set(map(tuple, meanings.values()))) == 1
    text = listed[0] if same else "; ".join(f"for player_{player} {each}" for player, each in listed.items())
    return fill(f"`Discrete({number})` for the default game, with a mask of the legal ones: {text}.", WIDTH)


def facts(games: Sequence[Game[Any]]) -> str:
    """The facts that solvers know in advance, and the range of payoffs, one row per game."""
    heading = ["game", "players", "payoff, points", "zero-sum", "symmetric", "public state", "chance", "longest game"]
    rows = [
        [
            f"`{known.name}`",
            str(known.num_players),
            f"{known.min_payoff:g} to {known.max_payoff:g}",
            *map(_yes, (known.zero_sum, known.seat_symmetric, known.public_state)),
            CHANCE[known.chance],
            f"{known.max_length:,}",
        ]
        for known in (game.facts for game in games)
    ]
    return table(heading, rows)


def ids(games: Sequence[Game[Any]]) -> str:
    """The ids of the games' environments."""
    named = [(game.facts.name, game.facts.version) for game in games]
    rows = [[f"`{name}`", f"`{pettingzoo_id(name, of)}`", f"`{gymnasium_id(name, of)}`"] for name, of in named]
    return table(["game", "PettingZoo id", "Gymnasium id"], rows)


def policies(game: Game[Any]) -> str:
    """The named policies that can play the game, except those that play every game."""
    fitting = {name: each for name, each in fitting_policies(game).items() if name not in POLICIES}
    rows = [[f"`{name}`", _line((type(each).__doc__ or "").partition("\n\n")[0])] for name, each in fitting.items()]
    # Levels are in ascending order, so the last one with a title is the highest.
    most = {each.title: each.number for each in levels() if each.game == game.facts.name}
    rows += [[f"`level:1` to `level:{number}`", f"Learned for {title}."] for title, number in most.items()]
    return table(["name", "description"], rows) if rows else "Only those that [play every game](../games.md)."


def _line(text: str) -> str:
    return " ".join(text.split())


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


PARTS: dict[str, Callable[[Game[Any]], str]] = {
    "how_to_play": how_to_play,
    "rules": rules,
    "round": worked_round,
    "parameters": parameters,
    "observation": observation,
    "actions": actions,
    "policies": policies,
}
SHARED: dict[str, Callable[[Sequence[Game[Any]]], str]] = {"facts": facts, "ids": ids}
