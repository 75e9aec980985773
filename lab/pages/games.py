"""Generates the parts of a game's page from the game's docstrings, facts, fields and policies."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Callable
from textwrap import fill
from typing import Any

from baselines.opponents.levels.level import levels
from baselines.opponents.strategies import fitting_policies
from cardwar_envs import Game, make_game
from cardwar_envs.core.parameters import block_below, described
from cardwar_envs.envs.registration import gymnasium_id, pettingzoo_id
from lab.pages.rounds import ROUNDS, as_text
from train.reports.markdown import table

HISTORY = "Version history:"
ENTRY = re.compile(r"^    ([\w* ]+?)(?: if (\w+)=\"(\w+)\")?: (.*(?:\n {8,}.*)*)", re.MULTILINE)
CHANCE = {"none": "none", "deal": "in the deal only", "moves": "when players move"}
# If there are more actions, only the first and the last of them are shown.
MOST_SHOWN = 15
WIDTH = 120


def section(name: str, part: str) -> str:
    """Generates a part (a key of `PARTS`) of a game's page, in Markdown."""
    return PARTS[part](make_game(name))


def _modules(game: Game[Any]) -> list[str]:
    """The docstrings of the modules that define the game's rules, including inherited rules."""
    kinds = type(game).__mro__
    kinds = kinds[: kinds.index(Game)]
    return [inspect.cleandoc(sys.modules[kind.__module__].__doc__ or "") for kind in kinds]


def how_to_play(game: Game[Any]) -> str:
    """How to play the game with its default parameters, and the command that explains other parameters."""
    name = game.facts.name
    rules = fill(game.how_to_play, WIDTH)
    return f"{rules}\n\nWith other parameters: `cardwar rules {name} KEY=VALUE ...`. To play: `cardwar play {name}`."


def rules(game: Game[Any]) -> str:
    """The docstrings of the game's rules, without the version history."""
    return "\n\n".join(text.partition(f"\n\n{HISTORY}")[0] for text in _modules(game))


def history(game: Game[Any]) -> str:
    """One line per version."""
    told = next(text for text in _modules(game) if HISTORY in text).partition(HISTORY)[2]
    return "\n".join(f"- Version {line.strip()}" for line in told.strip().splitlines())


def worked_round(game: Game[Any]) -> str:
    """The worked round of the game, with its parameters."""
    given = " ".join(f"{key}={value}" for key, value in ROUNDS[game.facts.name].parameters.items())
    played = f"Played with `{given}`:\n\n" if given else ""
    return f"{played}```text\n{as_text(game.facts.name)}\n```"


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
    """The meaning of each action; per player if the players' actions differ."""
    number, players = game.facts.num_actions, range(game.facts.num_players)
    words = [tuple(game.describe_action(action, player) for player in players) for action in range(number)]
    same = all(len(set(each)) == 1 for each in words)
    heading = ["action", "description"] if same else ["action", *(f"player_{player}" for player in players)]
    rows = [[str(action), *(each[:1] if same else each)] for action, each in enumerate(words)]
    if number > MOST_SHOWN:
        rows = [*rows[: MOST_SHOWN - 2], ["...", *("..." for _ in rows[0][1:])], rows[-1]]
    return f"`Discrete({number})` for the default game, with a mask of the legal ones.\n\n{table(heading, rows)}"


def facts(game: Game[Any]) -> str:
    """The facts that solvers know in advance, and the range of payoffs."""
    known = game.facts
    rows = [
        ["players", str(known.num_players)],
        ["payoff of a whole game, points", f"{known.min_payoff:g} to {known.max_payoff:g}"],
        ["zero-sum", _yes(known.zero_sum)],
        ["the same rules for every seat", _yes(known.seat_symmetric)],
        ["an observation shows the whole state", _yes(known.public_state)],
        ["chance", CHANCE[known.chance]],
        ["most joint actions in a game", f"{known.max_length:,}"],
    ]
    return table(["fact", "default game"], rows)


def environments(game: Game[Any]) -> str:
    """How to create the game's environments: ids and module."""
    name = game.facts.name
    rows = [
        ["PettingZoo AEC", f'`pettingzoo.make("aec", "{pettingzoo_id(name)}")` or `cardwar_envs.{name}_v0.env()`'],
        [
            "PettingZoo Parallel",
            f'`pettingzoo.make("parallel", "{pettingzoo_id(name)}")` or `cardwar_envs.{name}_v0.parallel_env()`',
        ],
        ["Gymnasium, one seat", f'`gymnasium.make("{gymnasium_id(name)}", opponent="uniform")`'],
        ["Gymnasium, many games", f'`gymnasium.make_vec("{gymnasium_id(name)}", num_envs=8, opponent="uniform")`'],
        ["rules alone", f'`cardwar_envs.make_game("{name}")`'],
    ]
    return table(["interface", "how to make it"], rows)


def policies(game: Game[Any]) -> str:
    """The named policies that can play the game."""
    fitting = fitting_policies(game)
    rows = [[f"`{name}`", _line((type(each).__doc__ or "").partition("\n\n")[0])] for name, each in fitting.items()]
    # Levels are in ascending order, so the last one with a title is the highest.
    most = {each.title: each.number for each in levels() if each.game == game.facts.name}
    rows += [[f"`level:1` to `level:{number}`", f"Learned for {title}."] for title, number in most.items()]
    return table(["name", "description"], rows)


def _line(text: str) -> str:
    return " ".join(text.split())


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


PARTS: dict[str, Callable[[Game[Any]], str]] = {
    "how_to_play": how_to_play,
    "rules": rules,
    "round": worked_round,
    "facts": facts,
    "parameters": parameters,
    "observation": observation,
    "actions": actions,
    "environments": environments,
    "policies": policies,
    "history": history,
}
