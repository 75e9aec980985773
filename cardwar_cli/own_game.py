"""`cardwar new` and `cardwar warmup`: an example game to modify, and kernels that are compiled ahead of time."""

from __future__ import annotations

import keyword
import re
import shlex
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from cardwar_cli.console import advancing, is_duel, say
from cardwar_envs import Game
from cardwar_envs.envs.registration import VERSIONS
from cardwar_envs.games.by_name import GAMES, NAME
from train.text.game_names import game_from_words

# A working game called Undercut, and its tests; the names are replaced. The private one is called Standoff.
GAME, TESTS, PRIVATE_GAME, PRIVATE_TESTS = (
    Path(__file__).with_name(f"{name}.py.template")
    for name in ("game", "game_test", "private_game", "private_game_test")
)


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the game and its file: lower-case letters, digits and _.")
    ],
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", file_okay=False, help="Folder for the two files.")
    ] = Path(),
    private: Annotated[
        bool, typer.Option("--private", help="Start from a game with private cards and three moves.")
    ] = False,
) -> None:
    """Write an example game to turn into your own, with its tests.

    The game is small but complete: check, solve and play it, then modify it. No file is overwritten.
    """
    templates, old = ((PRIVATE_GAME, PRIVATE_TESTS), "Standoff") if private else ((GAME, TESTS), "Undercut")
    rules, tests = (template.read_text(encoding="utf-8") for template in templates)
    kind = _class_named(name, rules.replace(old, ""))
    texts = {
        folder / path: text.replace(old, kind).replace(old.lower(), name)
        for path, text in ((f"{name}.py", rules), (f"test_{name}.py", tests))
    }
    for path in texts:
        if path.exists() or path.is_symlink():
            raise ValueError(f"{path} already exists; choose another name or another --out")
    _require_free(name)
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    game_file, test_file = texts
    enter = "" if folder == Path() else f"  cd {shlex.quote(str(folder))}\n"
    say(f"{game_file}: a small game; its comments explain what to change\n{test_file}: its tests\n\nNext:")
    say(f"{enter}  cardwar check {name}:{kind}\n  cardwar solve {name}:{kind}\n  cardwar play {name}:{kind} --web")
    say(f"  python -m pip install pytest\n  python -m pytest {test_file.name}")


def _class_named(name: str, rules: str) -> str:
    """The class name for the module `name`, such as `MyGame` for `my_game`; a ValueError if `rules` contain it."""
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise ValueError(
            f"NAME ({name!r}) must be lower-case letters, digits and _, not a Python keyword, as in my_game"
        )
    kind = "".join(part.capitalize() for part in name.split("_"))
    if keyword.iskeyword(kind) or re.search(rf"\b{kind}\b", rules):
        raise ValueError(
            f"NAME ({name!r}) would give the class the name {kind}, which is taken; choose another, as in my_{name}"
        )
    return kind


def _require_free(name: str) -> None:
    """Raises a ValueError if a game or a module already has that name."""
    if name in GAMES:
        raise ValueError(f"NAME ({name!r}) is the name of a game of the suite; choose another, as in my_{name}")
    found = find_spec(name)
    if found is not None and found.origin is not None:  # a folder without modules has none
        raise ValueError(f"NAME ({name!r}) is the name of a module, {found.origin}; choose another, as in my_{name}")


def warmup(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME ...]", help="Names of games, or module:Class; default all games."),
    ] = None,
) -> None:
    """Compile the kernels of these games and cache them for later processes."""
    from cardwar_envs.core.compiled import always_compiled  # imports numba

    games = [game_from_words(name, []) for name in names or VERSIONS]
    begin = time.perf_counter()
    with always_compiled(), advancing("games", len(games)) as progress:
        for done, game in enumerate(games, start=1):
            _run_kernels(game.smallest() or game)
            _search_in(game)
            say(f"{game.facts.name}: ready after {time.perf_counter() - begin:.0f} s")
            progress(done)


def _search_in(game: Game[Any]) -> None:
    """Searches a game with rules in tables and with compiled rules, whichever its sizes use."""
    import baselines
    from train.policies.search import search

    for each in {game.smallest() or game, game}:
        try:
            policy = search(each, "uct,simulations=1")
        except ValueError:  # the game is too large, or has private information or more than two players
            continue
        baselines.play_games(each, [policy] * 2, games=1, seed=0)


def _run_kernels(game: Game[Any]) -> None:
    """Plays, solves and measures a game in every way that uses kernels."""
    import numpy as np

    import baselines
    import cardwar_envs

    batch = cardwar_envs.GameBatch(game, 2)
    batch.reset()
    batch.step(batch.uniform_actions())
    baselines.play_games(game, ["uniform"] * game.facts.num_players, games=2, seed=0)
    if not baselines.within_reach(game):
        return
    baselines.nash_conv(game, "uniform")
    if is_duel(game):
        equilibrium = baselines.solve(game).policy
        baselines.nash_conv(game, equilibrium)
        baselines.head_to_head(game, equilibrium, "uniform")
        baselines.solve_matrix(np.vander(np.arange(1.0, 9.0) ** 4))  # the simplex in double-double precision
