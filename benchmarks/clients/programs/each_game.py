"""What all programs share: they try something on every game, and say in one line of JSON what came of it."""

import json
from collections.abc import Callable

import cardwar_envs

EVERY = tuple(cardwar_envs.GAMES)
GAMES = {name: cardwar_envs.make_game(name).smallest() for name in EVERY}


def say(ran: str, result: str) -> None:
    """A row of the table."""
    print(json.dumps({"ran": ran, "result": result}), flush=True)


def on_each_game(
    ran: str, attempt: Callable[[cardwar_envs.Game], object], names: tuple[str, ...] = tuple(GAMES)
) -> None:
    """Tries something on every game of its smallest size, and says which of them failed and how."""
    failed = []
    for name in names:
        try:
            attempt(GAMES[name])
        except Exception as error:
            words = " ".join(f"{type(error).__name__}: {error}".split())
            failed.append(f"{name}: {words[:160]}")
    say(ran, f"{len(names) - len(failed)} of {len(names)} games pass" + "".join(f"; {each}" for each in failed))
