"""Play in a terminal: shows the state, prompts for a move, and reports its cost."""

from __future__ import annotations

from rich.console import Console
from rich.table import Column
from rich.table import Table as Grid

from train.play import phrases
from train.play.choices import Choices
from train.play.trainer import Step, Trainer
from train.words import game_in_words, points

# Choices listed at a time.
LISTED = 20
HELP = """\
Type the name of a move and press Enter. Moves cannot be taken back.
  #2           plays the move with this number
  some words   where there are many moves, lists those whose names have these words in this order:
               "2 3 with 9" finds "discards 2 3 4 and battles with 9"
  help         shows this
  give up      ends the game; so does quit
The cost of a move is the expected payoff it gives away against an opponent who plays the equilibrium. A move that
some optimal strategy plays costs nothing, even if the equilibrium shown rarely plays it.
The opponents' moves are drawn before yours. "sealed" is the SHA-256 of a text with their moves and a random
number. After your move you see the text, and the command after "check" computes the same SHA-256 in a shell."""
GIVE_UP = ("give up", "quit", "exit")


def play_in_terminal(trainer: Trainer, console: Console) -> None:
    """Plays a game to its end.

    Raises:
        EOFError: If the input ends before the game; the trainer is unchanged.
    """
    table = trainer.table
    _say(console, f"{game_in_words(table.game)}: you are player_{table.seat}")
    for player, name in table.opponents.items():
        _say(console, f"player_{player} is {name}")
    _say(console, table.without_costs or "Each move is judged by its cost against an equilibrium opponent.")
    _say(console, "Type help for help.")
    shown = 0
    while True:
        for step in trainer.steps[shown:]:
            _show_step(trainer, step, console)
        shown = len(trainer.steps)
        if trainer.ending is not None:
            break
        action = _asked(trainer, console)
        if action is None:
            trainer.stop("given up")
        else:
            trainer.play(action)
    _show_end(trainer, console)


def _say(console: Console, line: str = "") -> None:
    console.print(line, highlight=False, soft_wrap=True)


def _asked(trainer: Trainer, console: Console) -> int | None:
    """The move that the person chooses; None to give up."""
    choices = Choices(trainer.table.game, trainer.table.seat, trainer.choices)
    _say(console)
    console.print(f"Move {trainer.number}", style="bold", highlight=False)
    _say(console, phrases.position(trainer))
    _say(console, f"sealed {trainer.digest}")
    _show_choices(choices, list(choices.names), console)
    while True:
        text = console.input("Your move: ").strip()
        if text.casefold() in GIVE_UP:
            return None
        if text.casefold() == "help":
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


def _show_step(trainer: Trainer, step: Step, console: Console) -> None:
    table = trainer.table
    _say(console)
    for who, what in phrases.moves_in_words(table, step):
        _say(console, f"{who}: {what}")
    if step.seal is None:
        return
    _say(console, f"opened {step.seal.text}")
    _say(console, f"check  {step.seal.command}")
    if step.verdict is None:
        return
    _say(console, phrases.cost_in_words(table, step))
    grid = Grid("", "play", Column("equilibrium", justify="right"), Column("cost", justify="right"))
    for row in phrases.rows_of(table, step):
        grid.add_row("you" if row.played else "", row.name, points(row.probability), points(row.cost))
    console.print(grid)
    _say(console, phrases.total_in_words(trainer))


def _show_end(trainer: Trainer, console: Console) -> None:
    table = trainer.table
    _say(console)
    _say(console, phrases.position(trainer))
    console.print(phrases.ending_in_words(trainer), style="bold", highlight=False, soft_wrap=True)
    if trainer.left is not None:
        _say(console, f"opened {trainer.left.text}")
    _say(console, phrases.total_in_words(trainer))
    if trainer.review():
        grid = Grid("move", "you played", Column("cost", justify="right"), "cost nothing", title=phrases.REVIEW_FIRST)
        for number, step in trainer.review():
            played = phrases.action_name(table, step.actions[table.seat], table.seat)
            grid.add_row(str(number), played, points(step.cost), phrases.free_moves(table, step))
        console.print(grid)
