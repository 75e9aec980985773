"""`cardwar page`: writes a game against its equilibrium as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from baselines.system.files import require_writable, write_atomically
from cardwar_cli.console import GameName, Words, advancing, say
from train.text.game_names import game_in_words, game_of_words


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
    from cardwar_play.seating import find_equilibrium, table_for

    require_writable(out)
    rules = game_of_words(game, words or [])
    if seat not in (0, 1):
        raise ValueError(f"seat ({seat}) must be 0 or 1")
    places = places_of(rules)
    with advancing("matrix games") as progress:
        solution = find_equilibrium(rules, patient=True, progress=progress)
    with advancing("positions", len(places)) as progress:
        content = page_with(Listing(table_for(rules, seat, [], solution), places, progress).data()).encode()
    write_atomically(out, content)
    say(f"{game_in_words(rules)}: {len(places):,} positions in {len(content) / 1e3:,.0f} kB. Open {out} in a browser.")
