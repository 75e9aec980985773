"""`cardwar rules`: explains how to play a game."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from cardwar_cli.console import AsJson, GameName, Words, out, print_json, say
from cardwar_envs import Game
from cardwar_envs.core.parameters import described
from cardwar_envs.core.scene import spoken
from train.text.game_names import game_for, game_in_words, game_of_words, in_brief
from train.text.parsing import split_words

# Longer lines are hard to read.
WIDEST = 100


def rules(game: GameName, words: Words = None, as_json: AsJson = False) -> None:
    """Explain how to play and win a game with these parameters."""
    played = game_of_words(game, words or [])
    if as_json:
        print_json(played, how_to_play=played.how_to_play)
        return
    width = min(out.width, WIDEST)
    out.print(spoken(played.facts.name), style="bold", highlight=False)
    out.print(f"{played.how_to_play}\n", highlight=False, width=width)
    told, values = described(type(played)), played.parameters()
    if told:
        table = Table("parameter", "value", "description")
        for name, meaning in told.items():
            table.add_row(name, in_brief(values[name]), meaning)
        out.print(table, highlight=False, width=width)
    say(f"Play it: cardwar play {_to_play(played)}")


def _to_play(game: Game[Any]) -> str:
    """The arguments with which `cardwar play` plays this game, with two players if the game allows any number."""
    words = game_in_words(game)
    name, *given = words.split()
    parameters = split_words(given)[0]
    return words if game_for(name, parameters, 2) == game else f"{words} num_players={game.facts.num_players}"
