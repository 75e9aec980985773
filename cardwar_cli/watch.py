"""`cardwar watch`: shows a game between policies or a recorded game, in the terminal or as an animated GIF."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.rule import Rule
from rich.table import Column, Table

from baselines.oracles.answers.guards import tables_counted
from baselines.system.files import require_writable, write_atomically
from cardwar_cli.arguments import AgentSeconds
from cardwar_cli.console import advancing, out, say
from cardwar_envs import GAMES, Game, Revealed, Scene, play_episode
from cardwar_envs.drawing.pixels import to_gif
from train.policies.by_word import accept_moves, line_up_from
from train.policies.learned_policy import labelled
from train.text.game_names import game_from, game_with_players
from train.text.parsing import parameters_and_names
from train.text.printing import points

# Longer GIFs take minutes and many megabytes.
MOST_FRAMES = 500


def watch(
    game: Annotated[
        str, typer.Argument(metavar="GAME|RECORD", help=f"One of {', '.join(GAMES)}; or a record of `cardwar play`.")
    ],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KEY=VALUE ...] POLICY POLICY ...",
            help="Parameters of the game, then the policies; default uniform in every seat.",
        ),
    ] = None,
    gif: Annotated[Path | None, typer.Option(help="Write an animated GIF to this file instead.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed for chance and the policies' actions; default 0.")
    ] = None,
    agent_seconds: AgentSeconds = None,
) -> None:
    """Watch one game move by move in the terminal, or write it as an animated GIF."""
    parameters, policies = parameters_and_names(words or [])
    if gif is not None:
        if gif.suffix.lower() != ".gif":
            raise ValueError(f"--gif ({gif}) must be a file whose name ends in .gif")
        require_writable(gif)
    remarks: Sequence[str] = ()
    what_happened: Sequence[str] = ()
    if game not in GAMES and Path(game).is_file():
        if words or seed is not None:
            raise ValueError(
                f"{words[0] if words else '--seed'} cannot be used with a record, which determines the whole game"
            )
        from cardwar_play.record import read_record  # pydantic takes long to import

        record = read_record(Path(game))
        rules, policies, shown, remarks = record.game, list(record.names), record.revealed(), record.remarks()
        if record.account is not None:
            what_happened = [record.account.sentence(policies[1 - record.seat])]
    else:
        policies = policies or ["uniform"] * game_from(game, parameters).facts.num_players
        rules = game_with_players(game, parameters, len(policies))
        line_up = line_up_from(policies, rules)
        accept_moves(line_up)
        policies = list(map(labelled, policies, line_up))
        with tables_counted(line_up):
            shown = play_episode(rules, line_up, seed or 0).revealed(rules)
    if gif is None:
        print_game(rules, policies, shown, remarks)
        for sentence in what_happened:
            say(sentence)
    else:
        write_gif(rules, shown, gif)


def print_game(
    game: Game[Any], names: Sequence[str], shown: Sequence[Revealed[Any]], remarks: Sequence[str] = ()
) -> None:
    """Prints each state of a game with its remark, the moves that led to it, and each player's payoff.

    `names` are the policies by seat; empty remarks are omitted.
    """
    for number, revealed in enumerate(shown):
        out.print(Rule(f"move {number}" if number else "start", style="dim"))
        say(game.describe_revealed(revealed))
        if any(remarks[number : number + 1]):
            say(remarks[number])
    out.print(Rule(style="dim"))
    table = Table("", "policy", Column("payoff", justify="right"), title="what each player got")
    for player, (name, paid) in enumerate(zip(names, shown[-1].payoffs, strict=True)):
        table.add_row(f"player_{player}", name, points(paid))
    out.print(table)


def write_gif(game: Game[Any], shown: Sequence[Revealed[Any]], path: Path) -> None:
    """Writes an animated GIF with a frame per state.

    Raises:
        ValueError: If there are too many states.
        OSError: If the file cannot be written; an existing file is left unchanged.
    """
    if len(shown) > MOST_FRAMES:
        shorter = "; max_rounds=... makes the game shorter" if game.facts.max_rounds is not None else ""
        raise ValueError(f"this game has {len(shown):,} states, but --gif shows at most {MOST_FRAMES}{shorter}")
    with advancing("pictures", len(shown)) as progress:
        content = to_gif(_drawn(game, shown, progress))
    write_atomically(path, content)
    say(f"{path}: {len(shown)} pictures, {len(content) / 1000:,.0f} kB")


def _drawn(game: Game[Any], shown: Sequence[Revealed[Any]], progress: Callable[[int], None]) -> Iterator[Scene]:
    for number, revealed in enumerate(shown):
        yield game.scene(revealed)
        progress(number + 1)
