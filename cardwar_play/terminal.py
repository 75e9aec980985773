"""Playing in a terminal: shows the state, prompts for a move, reports its cost, and finally explains the result."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Column
from rich.table import Table as Grid

from cardwar_envs import Game
from cardwar_envs.core.policy_names import names_a_policy, policy_summary
from cardwar_envs.core.scene import in_sentence
from cardwar_play.account import Series
from cardwar_play.trainer import Table, Trainer, player_name
from cardwar_play.view import Choices, view_of, worst_of, worth_of
from train.text.game_names import game_in_words

# Maximum number of choices in a list.
LISTED = 20
# Digits of a SHA-256 that are shown before every move.
SHORT = 16
HELP = """\
Type the name of a move and press Enter. Moves cannot be taken back.
{commands}  seal         shows the whole SHA-256 that seals the next move, and commands to verify the earlier ones
  help or ?    shows this
  give up      ends the game
  quit         ends the game, and a series with it
A move without an alternative is played for you; no line is read for it.
{costs}\
The opponents' moves are drawn before yours. "sealed" shows the first {digits} digits of the SHA-256 of a text with \
their moves and a random number. After your move, seal shows the text, in a command for any shell that prints its \
SHA-256."""
NUMBERS = "  #2           plays the move with this number; so does 2, unless numbers name moves\n"
SEARCH = """\
  some words   lists the moves whose names contain these words in this order:
               "{words}" finds "{name}"
"""
WORTH = "  value        shows your expected payoff from here if both play the equilibrium\n"
COSTS = """\
The cost of a move is the expected payoff it gives away against an opponent who plays the equilibrium. A move that \
some optimal strategy plays costs nothing, even if the equilibrium shown rarely plays it. An \
opponent whose moves cost nothing may still be predictable.
"""
GIVE_UP, QUIT, VALUE, SEAL = "give up", ("quit", "exit"), "value", "seal"


def show_rules(game: Game[Any], console: Console) -> None:
    """Prints the game and its rules, to be read while the equilibrium is computed."""
    _say(console, game_in_words(game))
    console.print(game.how_to_play, highlight=False)


def introduce(table: Table, console: Console) -> None:
    """Prints the opponents, and whether moves are judged."""
    opponents = " and ".join(in_sentence(table.name(player)) for player in table.opponents)
    _say(console, f"You play against {opponents}. {table.game.seat_in_words(table.seat)}".rstrip())
    for name in dict.fromkeys(table.opponents.values()):
        if names_a_policy(name):
            console.print(f"{player_name(name)}: {policy_summary(name)}", highlight=False)
    _say(console, table.without_costs or "Each move is judged by its cost against an equilibrium opponent.")
    _say(console, 'Type help for the rules again, how to name a move, and what "sealed" means.')


def play_in_terminal(trainer: Trainer, console: Console) -> bool:
    """Plays a game to its end; raises EOFError, without changing the trainer, if the input ends before the game.

    Returns:
        False after `quit`, otherwise True: the user may want another game.
    """
    view, goes_on = view_of(trainer), True
    _show_last(view, console)
    while not view["ending"]:
        action = _move_from_user(trainer, view, console)
        if isinstance(action, str):
            trainer.stop("given up")
            goes_on = action == GIVE_UP
            view = view_of(trainer)
        else:
            trainer.play(action)
            view = view_of(trainer)
            _show_last(view, console)
    _show_end(view, console)
    if trainer.ending == "out":
        trainer.watch()
        _say(console, f"The others played on. {view_of(trainer)['last']['outcome']}")
    return goes_on


def deal_again(trainer: Trainer, console: Console) -> bool:
    """Asks whether to play another game or to review this one; returns False at the end of the input."""
    _say(console)
    try:
        while True:
            answer = console.input("Play again? [Y/n, or r to review this game] ").strip().casefold()
            if answer in ("r", "review"):
                _show_review(view_of(trainer), console)
            elif answer in ("", "y", "yes", "n", "no", *QUIT):
                return answer in ("", "y", "yes")
    except EOFError:
        _say(console)
        return False


def _show_review(view: dict[str, Any], console: Console) -> None:
    """Shows the human player's decisions that cost something; all of them if none did."""
    review = view["review"]
    _say(console, view["grades"])
    for told in [told for told in review if told["verdict"] and told["verdict"]["lost"]] or review:
        _say(console)
        _say(console, f"Move {told['number']} of {len(review)}", "bold")
        _say(console, told["position"])
        _show_step(told, console)
        if told["verdict"] and told["verdict"]["why"]:
            _say(console, told["verdict"]["why"])


def show_series(series: Series, console: Console) -> None:
    """Prints the running total of the games so far."""
    _say(console)
    for sentence in series.sentences():
        _say(console, sentence)


def _say(console: Console, line: str = "", style: str | None = None) -> None:
    console.print(line, highlight=False, soft_wrap=not console.is_terminal, style=style)


def _say_dimly(console: Console, line: str) -> None:
    """Prints a line that users may copy, and therefore never wraps it."""
    console.print(line, highlight=False, soft_wrap=True, style="dim")


def _move_from_user(trainer: Trainer, view: dict[str, Any], console: Console) -> int | str:
    """Asks for the human player's move; returns it, or the command that ends the game."""
    choices = Choices(trainer.table.game, trainer.table.seat, trainer.choices)
    _say(console)
    _say(console, f"Move {view['number']}", "bold")
    _say(console, view["position"])
    _say_dimly(console, f"sealed {view['digest'][:SHORT]}")
    if len(choices.names) == 1:
        ((only, name),) = choices.names.items()
        _say(console, f"Your only move, {name}, is played for you.")
        return only
    _show_choices(choices, list(choices.names), console)
    while True:
        text = console.input("Your move: ").strip()
        if text.casefold() in (GIVE_UP, *QUIT):
            return text.casefold()
        if text.casefold() in ("help", "?"):
            console.print(f"{trainer.table.game.how_to_play}\n", highlight=False)
            _say(console, _help(choices, trainer.table.judge is not None))
            continue
        if text.casefold() == SEAL:
            _show_seals(trainer, console)
            continue
        if text.casefold() == VALUE:
            _say(console, worth_of(trainer))
            continue
        action = _chosen(text, choices)
        if action is not None:
            return action
        found = choices.matching(text)
        if text and not found:
            _say(console, f"{text!r} is not one of your moves. Type help for help; your moves are:")
        if text and len(found) == 1:
            number = list(choices.names).index(found[0]) + 1
            _say(console, f"Type #{number} or {choices.names[found[0]]} to play it.")
        else:
            _show_choices(choices, found or list(choices.names), console)


def _help(choices: Choices, judged: bool) -> str:
    """Explains how to name a move, with the commands that are of use at this decision."""
    commands, name = "" if _short(choices) else NUMBERS, list(choices.names.values())[-1]
    if len(choices.names) > LISTED and not _short(choices):
        commands += SEARCH.format(words=" ".join(dict.fromkeys((name.split()[0], name.split()[-1]))), name=name)
    commands += WORTH if judged else ""
    return HELP.format(commands=commands, costs=COSTS if judged else "", digits=SHORT)


def _show_seals(trainer: Trainer, console: Console) -> None:
    _say_dimly(console, f"sealed {trainer.digest}")
    for step in [] if trainer.conceals else trainer.decisions:
        if step.seal is not None:
            _say_dimly(console, step.seal.command)


def _chosen(text: str, choices: Choices) -> int | None:
    """The action with this name or number; numbers are the same in every list of a turn.

    A number without # is not accepted if numbers name moves, or if the name of exactly one other move contains it.
    """
    if (action := choices.named(text)) is not None:
        return action
    ambiguous = any(map(str.isdigit, choices.names.values())) or len(choices.matching(text)) == 1
    number = text.removeprefix("#") if text.startswith("#") or not ambiguous else ""
    return {str(index): action for index, action in enumerate(choices.names, start=1)}.get(number)


def _short(choices: Choices) -> bool:
    """Whether the names are short enough for one line, without numbers."""
    return all(len(name) <= 3 for name in choices.names.values())


def _show_choices(choices: Choices, listed: list[int], console: Console) -> None:
    names = [choices.names[action] for action in listed]
    if _short(choices):
        _say(console, f"Your moves: {' '.join(names)}")
        return
    numbers = {action: number for number, action in enumerate(choices.names, start=1)}
    for action in listed[:LISTED]:
        _say(console, f"  #{numbers[action]} {choices.names[action]}")
    if len(names) > LISTED:
        _say(console, f"  and {len(names) - LISTED:,} more; type some words of their names to find others")


def _show_last(view: dict[str, Any], console: Console) -> None:
    """Shows the human player's last move with its cost, later moves of other players, and what these moves led to."""
    if view["last"] is None:
        return
    _show_step(view["last"], console)
    if view["last"]["verdict"] and view["last"]["verdict"]["rows"]:
        _say(console, f"{view['total']} {view['given_away']}")


def _show_step(last: dict[str, Any], console: Console) -> None:
    if last["moves"]:
        _show_moves(last["moves"], console, "" if last["later"] else last["outcome"])
    if last["verdict"]:
        _say(console, last["verdict"]["sentence"])
    if last["verdict"] and last["verdict"]["rows"]:
        grid = Grid("", "play", Column("equilibrium", justify="right"), Column("cost", justify="right"))
        for row in last["verdict"]["rows"]:
            grid.add_row("you" if row["played"] else "", row["name"], row["probability"], row["cost"])
        console.print(grid)
    for number, moves in enumerate(last["later"], start=1):
        _show_moves(moves, console, last["outcome"] if number == len(last["later"]) else "")


def _show_moves(moves: list[tuple[str, str]], console: Console, outcome: str) -> None:
    _say(console)
    for who, what in moves:
        _say(console, f"{who}: {what}")
    if outcome:
        _say(console, outcome)


def _show_end(view: dict[str, Any], console: Console) -> None:
    _say(console)
    _say(console, view["position"])
    _say(console, view["ending"], "bold")
    if worst := worst_of(view["review"])[1]:
        _say(console, worst)
    for command in view["earlier"]:
        _say_dimly(console, f"to verify an earlier move: {command}")
    opened = view["left"] or (view["last"] and view["last"]["opened"])
    if opened:
        _say_dimly(console, f"to verify the last move: {opened['command']}")
    if view["account"]:
        grid = Grid(Column(), Column(justify="right"), Column(style="dim"), show_header=False, show_edge=False)
        for row in view["account"]:
            grid.add_row(*row, end_section=row in view["account"][-2:-1])
        console.print(grid)
    elif view["total"]:
        _say(console, f"{view['total']} {view['given_away']}")
