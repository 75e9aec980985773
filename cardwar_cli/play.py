"""`cardwar play` and `cardwar page`: play in the terminal, in a browser, or in one HTML file."""

from __future__ import annotations

import math
import secrets
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from baselines.oracles.answers.guards import tables_counted
from baselines.system.files import require_writable, write_atomically
from cardwar_cli.arguments import AgentSeconds, GameName, Words
from cardwar_cli.console import advancing, err, out, say, say_aside
from cardwar_envs import Game
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.rules import TooLargeError
from cardwar_play.account import Series
from cardwar_play.seating import (
    PATIENCE,
    WITHOUT_EQUILIBRIUM,
    TooLongError,
    check_opponents,
    find_equilibrium,
    smaller_instead,
    table_for,
)
from cardwar_play.terminal import QUIT, deal_again, introduce, play_in_terminal, show_rules, show_series
from cardwar_play.trainer import Table, Trainer
from train.policies.agent_process import exit_on_signals
from train.policies.by_word import split_policies
from train.text.game_names import game_from, game_from_words, game_in_words, game_with_players
from train.text.parsing import only_parameters

if TYPE_CHECKING:
    from baselines import Solution

PORT = 8765
MOST_GAMES = 1000


def play(
    game: Annotated[
        str | None,
        typer.Argument(metavar="[GAME]", help="A game, as in the other commands; optional with --web."),
    ] = None,
    words: Words = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="POLICY|RUN|level:N",
            help="An opponent; default the equilibrium. Repeat the option or use commas for several.",
        ),
    ] = None,
    seat: Annotated[int, typer.Option(help="Your seat.")] = 0,
    seed: Annotated[int | None, typer.Option(help="Seed for the opponents' moves and chance; default random.")] = None,
    games: Annotated[
        int | None,
        typer.Option(
            help="Number of games to play (with --web, of a best-of series); by default you are asked after each game."
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the game as JSON to this file when it ends or is interrupted."),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Compute the equilibrium without asking, even if that takes a long time.")
    ] = False,
    web: Annotated[bool, typer.Option("--web", help="Play in a browser on this machine.")] = False,
    port: Annotated[int | None, typer.Option(help=f"Port of the web page; default {PORT}, 0 picks a free one.")] = None,
    agent_seconds: AgentSeconds = None,
) -> None:
    """Play a game yourself.

    Reports what each move costs against an equilibrium opponent.
    """
    from train.storage.formats import MAX_SEED  # pydantic takes long to import

    _check_free(record)
    if seed is not None:
        whole_number("seed", seed, range(MAX_SEED + 1))
    if games is not None:
        whole_number("games", games, range(1, MOST_GAMES + 1))
    if port is not None and not web:
        raise ValueError(f"--port ({port}) requires --web")
    opponents = [name for given in against or [] for name in split_policies(given)]
    if game is None:
        _require_chooser(web, opponents, seat, seed, games)
    if not web:
        _play_here(_table(str(game), words or [], opponents, seat, yes, in_terminal=True), seed, games, record)
        return
    from cardwar_play.host import Host  # needs Starlette, from the extra `play`
    from cardwar_play.server import listening_at, serve

    with listening_at(PORT if port is None else port) as listening:  # before the equilibrium is computed
        table = None if game is None else _table(game, words or [], opponents, seat, yes, in_terminal=False)
        if table is not None:
            say(table.without_costs or f"Computed the equilibrium of {game_in_words(table.game)}.")
        exit_on_signals()
        serve(Host(table, seed, record, games), listening, say)


def _require_chooser(web: bool, opponents: list[str], seat: int, seed: int | None, games: int | None) -> None:
    """Raises a ValueError if no game is named, unless --web is given: the page lets the user choose one."""
    if not web:
        raise ValueError("name a game, as in cardwar play jujitsu; cardwar play --web lets you choose one")
    for option, given in (("--against", opponents), ("--seat", seat), ("--seed", seed is not None), ("--games", games)):
        if given:
            raise ValueError(f"{option} requires a game, as in cardwar play jujitsu --web {option} ...")


def _check_free(record: Path | None) -> None:
    """Checks before the game that its record can be written."""
    if record is not None and (record.exists() or record.is_symlink()):
        raise ValueError(f"--record {record} already exists; choose another file")
    if record is not None:
        require_writable(record)


def _table(name: str, words: list[str], opponents: list[str], seat: int, yes: bool, in_terminal: bool) -> Table:
    parameters = only_parameters(words, "; opponents are named by --against")
    game = game_with_players(name, parameters, 1 + len(opponents)) if opponents else game_from(name, parameters)
    check_opponents(game, seat, opponents)
    if in_terminal:
        show_rules(game, out)
    solution, reason = _equilibrium(game, opponents, yes)
    return table_for(game, seat, opponents, solution, reason)


def _equilibrium(game: Game[Any], opponents: list[str], yes: bool) -> tuple[Solution | None, str]:
    """Returns the equilibrium; or None, and the reason."""
    try:
        return _searched(game, yes), ""
    except TooLongError as wait:
        reason = f"computing the equilibrium of {game_in_words(game)} {wait}{smaller_instead(game)}"
        if err.is_terminal and sys.stdin.isatty() and _waits(reason, opponents or [WITHOUT_EQUILIBRIUM]):
            return _searched(game, True), ""
        return None, f"{reason}; --yes computes it"
    except TooLargeError as error:
        return None, f"{error}{smaller_instead(game)}"
    except ValueError as error:
        return None, str(error)


def _waits(reason: str, opponents: list[str]) -> bool:
    """Asks whether to compute the equilibrium; raises Exit if the answer is to quit."""
    say_aside(f"{reason[0].upper()}{reason[1:]}.")
    against = " and ".join(opponents)
    question = f"Wait for it (y), or play against {against} now, without the costs of moves (n)? (y, n, help or quit)"
    while True:
        answer = typer.prompt(question, default="n", err=True).strip().casefold()
        if answer in ("y", "yes", "n", "no"):
            return answer.startswith("y")
        if answer in QUIT:
            raise typer.Exit
        say_aside(f"y computes it and judges each move. n plays against {against} now, without judging moves.")


def _searched(game: Game[Any], patient: bool) -> Solution:
    if err.is_terminal:
        err.print("Computing the equilibrium.", soft_wrap=True)
    with advancing("matrix games") as progress:
        return find_equilibrium(game, progress, math.inf if patient else PATIENCE)


def _play_here(table: Table, seed: int | None, games: int | None, record: Path | None) -> None:
    """Plays `games` games, or asks after each whether to play another; each further game adds 1 to the seed."""
    series, asks = Series(table), games is None and out.is_terminal and sys.stdin.isatty()
    introduce(table, out)
    exit_on_signals()  # not before, because a compiled computation would have to finish first
    try:
        _play_series(series, seed, games, record, asks)
    except KeyboardInterrupt:
        for total in series.sentences()[:1]:
            say(total)
        say_aside("Interrupted: the game in progress does not count.")
        raise


def _play_series(series: Series, seed: int | None, games: int | None, record: Path | None, asks: bool) -> None:
    from cardwar_play.record import free_name  # pydantic, as above
    from train.storage.formats import MAX_SEED

    for number in count(1):
        if number > 1:
            say(f"\nGame {number}" + (f" of {games}" if games else ""))
        dealt = secrets.randbits(32) if seed is None else (seed + number - 1) % (MAX_SEED + 1)
        with tables_counted(series.table.policies.values()):
            trainer = Trainer(series.table, dealt)
            goes_on = _play_one(trainer, record and free_name(record, number))
        series.add(trainer)
        if number > 1:
            show_series(series, out)
        if not goes_on or not (deal_again(trainer, out) if asks else number < (games or 1)):
            break


def _play_one(trainer: Trainer, record: Path | None) -> bool:
    """Plays a game and writes its record, even if it is interrupted; returns whether to offer another."""
    from cardwar_play.record import write_record  # pydantic, as above

    try:
        goes_on = play_in_terminal(trainer, out)
    except (EOFError, KeyboardInterrupt) as ended:
        say("")  # ends the line of the prompt
        if isinstance(ended, KeyboardInterrupt):
            raise
        kept = "" if record is None else f"; the moves so far are in {record}"
        raise ValueError(f"the input ended before the game did, at move {trainer.number}{kept}") from None
    finally:
        trainer.stop("broken off")  # no effect if the game has ended
        if record is not None:
            write_record(trainer, record)
    if record is not None:
        say(f"The record is in {record}.")
    return goes_on


def page(
    game: GameName,
    words: Words = None,
    *,
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="HTML file to write; an existing file is replaced.")
    ],
    seat: Annotated[int, typer.Option(help="Seat of the human player.")] = 0,
) -> None:
    """Write a game as one HTML file, playable without a server.

    The file works offline in any browser: you play against the equilibrium and see what each move costs. The game
    must be small.
    """
    from cardwar_play.one_file import Listing, page_with, places_of

    require_writable(out)
    rules = game_from_words(game, words or [])
    places = places_of(rules)
    check_opponents(rules, seat, [])
    with advancing("matrix games") as progress:
        solution = find_equilibrium(rules, progress)
    with advancing("positions", len(places)) as progress:
        content = page_with(Listing(table_for(rules, seat, [], solution), places, progress).data()).encode()
    write_atomically(out, content)
    say(f"{game_in_words(rules)}: {len(places):,} positions in {len(content) / 1e3:,.0f} kB. Open {out} in a browser.")
