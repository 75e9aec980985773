"""Shared by all programs: tries something on every game, and prints the result as one line of JSON."""

import json
from collections.abc import Callable

import cardwar_envs

EVERY = tuple(cardwar_envs.GAMES)
GAMES = {name: cardwar_envs.make_game(name).smallest() for name in EVERY}


def say(ran: str, result: str) -> None:
    """Prints a row of the table."""
    print(json.dumps({"ran": ran, "result": result}), flush=True)


def on_each_game(
    ran: str, attempt: Callable[[cardwar_envs.Game], object], names: tuple[str, ...] = tuple(GAMES)
) -> None:
    """Tries something on every game at its smallest size, and prints which games failed and how."""
    failed = []
    for name in names:
        try:
            attempt(GAMES[name])
        except Exception as error:
            words = " ".join(f"{type(error).__name__}: {error}".split())
            failed.append(f"{name}: {words[:160]}")
    say(ran, f"{len(names) - len(failed)} of {len(names)} games pass" + "".join(f"; {each}" for each in failed))
