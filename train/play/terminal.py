"""Play in a terminal: shows the state, prompts for a move, and reports its cost."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Column, Table

from train.play.choices import Choices
from train.play.trainer import Trainer
from train.play.view import view_of
from train.words import game_in_words

# Choices listed at a time.
LISTED = 20
HELP = """\
Type the name of a move and press Enter. Moves cannot be taken back.
  #2           plays the move with this number
  some words   where there are many moves, lists those whose names have these words in this order:
               "2 3 with 9" finds "discards 2 3 4 and battles with 9"
  help or ?    shows this
  give up      ends the game; so does quit
The cost of a move is the expected payoff it gives away against an opponent who plays the equilibrium. A move that
some optimal strategy plays costs nothing, even if the equilibrium shown rarely plays it.
The opponents' moves are drawn before yours. "sealed" is the SHA-256 of a text with their moves and a random
number. After your move you see the text, and the command after "check" computes the same SHA-256 in a shell."""
GIVE_UP = ("give up", "quit", "exit")


def play_in_terminal(trainer: Trainer, console: Console) -> None:
    """Plays a game to its end; EOFError if the input ends before, which leaves the trainer unchanged."""
    table = trainer.table
    _say(console, f"{game_in_words(table.game)}: you are player_{table.seat}")
    console.print(table.game.how_to_play, highlight=False)
    for player, name in table.opponents.items():
        _say(console, f"player_{player} is {name}")
    _say(console, table.without_costs or "Each move is judged by its cost against an equilibrium opponent.")
    _say(console, "Type help for the rules again and for how to name a move.")
    view = view_of(trainer)
    _show_last(view, console)
    while not view["ending"]:
        action = _asked(trainer, view, console)
        if action is None:
            trainer.stop("given up")
            view = view_of(trainer)
        else:
            trainer.play(action)
            view = view_of(trainer)
            _show_last(view, console)
    _show_end(view, console)


def _say(console: Console, line: str = "") -> None:
    console.print(line, highlight=False, soft_wrap=True)


def _asked(trainer: Trainer, view: dict[str, Any], console: Console) -> int | None:
    """The move that the person chooses; None to give up."""
    choices = Choices(trainer.table.game, trainer.table.seat, trainer.choices)
    _say(console)
    console.print(f"Move {view['number']}", style="bold", highlight=False)
    _say(console, view["position"])
    _say(console, f"sealed {view['digest']}")
    _show_choices(choices, list(choices.names), console)
    while True:
        text = console.input("Your move: ").strip()
        if text.casefold() in GIVE_UP:
            return None
        if text.casefold() in ("help", "?"):
            console.print(f"{trainer.table.game.how_to_play}\n", highlight=False)
            _say(console, HELP)
            continue
        action = _chosen(text, choices)
        if action is not None:
            return action
        found = choices.matching(text)
        if text and not found:
            _say(console, f"{text!r} is not one of your moves. Type help for help; your moves are:")
        _show_choices(choices, found or list(choices.names), console)


def _chosen(text: str, choices: Choices) -> int | None:
    """The action that a text names: by its name, or by its number, which is the same in every list of this turn."""
    if (action := choices.named(text)) is not None:
        return action
    numbers_are_names = any(word.isdigit() for name in choices.names.values() for word in name.split())
    number = text.removeprefix("#") if text.startswith("#") or not numbers_are_names else ""
    return {str(place): action for place, action in enumerate(choices.names, start=1)}.get(number)


def _show_choices(choices: Choices, listed: list[int], console: Console) -> None:
    names = [choices.names[action] for action in listed]
    if all(len(name) <= 3 for name in names):
        _say(console, f"Your moves: {' '.join(names)}")
        return
    numbers = {action: number for number, action in enumerate(choices.names, start=1)}
    for action in listed[:LISTED]:
        _say(console, f"  #{numbers[action]} {choices.names[action]}")
    if len(names) > LISTED:
        _say(console, f"  and {len(names) - LISTED:,} more; type some of the cards to find others")


def _show_last(view: dict[str, Any], console: Console) -> None:
    """The person's last move with its cost, and the moves of others since."""
    last = view["last"] or {"opened": None, "verdict": None, "later": []}
    if last["opened"]:
        _show_moves(last["moves"], console)
        _say(console, f"opened {last['opened']['text']}")
        _say(console, f"check  {last['opened']['command']}")
    if last["verdict"]:
        _say(console, last["verdict"]["sentence"])
        grid = Table("", "play", Column("equilibrium", justify="right"), Column("cost", justify="right"))
        for row in last["verdict"]["rows"]:
            grid.add_row("you" if row["played"] else "", row["name"], row["probability"], row["cost"])
        console.print(grid)
        _say(console, _total(view))
    for moves in last["later"]:
        _show_moves(moves, console)


def _show_moves(moves: list[tuple[str, str]], console: Console) -> None:
    _say(console)
    for who, what in moves:
        _say(console, f"{who}: {what}")


def _total(view: dict[str, Any]) -> str:
    """The cost of all moves so far; or why moves are not judged."""
    return f"{view['total']} {view['given_away']}" if view["judged"] else view["given_away"]


def _show_end(view: dict[str, Any], console: Console) -> None:
    _say(console)
    _say(console, view["position"])
    console.print(view["ending"], style="bold", highlight=False, soft_wrap=True)
    if view["left"]:
        _say(console, f"opened {view['left']['text']}")
    _say(console, _total(view))
    if view["review"]:
        cost = Column("cost", justify="right")
        grid = Table("move", "you played", cost, "cost nothing", title="The costliest move first")
        for each in view["review"]:
            grid.add_row(str(each["number"]), each["played"], each["cost"], each["free"])
        console.print(grid)
