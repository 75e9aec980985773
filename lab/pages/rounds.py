"""A worked round of each game, which is replayed by the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cardwar_envs import Game, Transition, make_game


@dataclass(frozen=True)
class Round:
    """The moves of a worked round."""

    parameters: Mapping[str, Any]  # parameters of the game
    moves: Sequence[tuple[str, ...]]  # per joint move, the names of the acting players' actions
    outcomes: Sequence[int] = ()  # index of the chance outcome of each joint move; 0 if not given
    start: int = 0  # index of the outcome of the deal


ROUNDS: dict[str, Round] = {
    "jujitsu": Round({"num_cards": 4}, [("1", "4"), ("3", "3"), ("4", "2"), ("2", "1")]),
    "dinosaur_war": Round({"num_cards": 3}, [("1", "3"), ("2", "2"), ("3", "1")]),
    "dice_wars": Round({"num_cards": 3}, [("3", "2"), ("1", "3"), ("2", "1")], outcomes=(0, 1, 2)),
    "dice_poker": Round({}, [("raise", "call")], start=8),
    "war": Round(
        {"ranks": 4, "discards": 1},
        [("5", "2"), ("4", "4"), ("discards 2 and battles with 3", "discards 3 and battles with 5")],
    ),
    "goofspiel": Round({"num_cards": 3}, [("3", "2"), ("1", "1"), ("2", "3")], start=2),
    "oshi_zumo": Round({"coins": 5, "size": 1}, [("2", "1"), ("1", "3"), ("1", "1"), ("1", "0")]),
    "lowest_unique": Round({"rounds": 2}, [("1", "1", "4"), ("2", "2", "2")]),
}


def replayed(name: str) -> Iterator[tuple[Game[Any], str, Transition[Any]]]:
    """Replays a worked round: yields the game, each joint move as text ("" for the deal), and its outcome.

    Raises:
        ValueError: If a move is illegal.
    """
    given = ROUNDS[name]
    game = make_game(name, **given.parameters)
    outcome = game.initial()[given.start]
    yield game, "", outcome
    for number, plays in enumerate(given.moves):
        state, seats = outcome.state, game.acting_players(outcome.state)
        actions = {seat: _action(game, state, seat, play) for seat, play in zip(seats, plays, strict=True)}
        outcome = game.transitions(state, actions)[given.outcomes[number] if given.outcomes else 0]
        yield game, ", ".join(f"player_{seat}: {play}" for seat, play in zip(seats, plays, strict=True)), outcome


def _action(game: Game[Any], state: Any, player: int, play: str) -> int:
    words = {game.describe_action(action, player): action for action in game.legal_actions(state, player)}
    if play not in words:
        raise ValueError(f"{play} is not legal for player_{player}; the legal moves are {', '.join(words)}")
    return words[play]


def as_text(name: str) -> str:
    """Formats a worked round as in the terminal: the positions and, between positions, moves and payoffs."""
    blocks = []
    for game, played, outcome in replayed(name):
        if played:
            blocks.append(f"-> {played}; {_paid(outcome)}")
        blocks.append(game.describe(outcome.state))
    return "\n\n".join(blocks)


def _paid(outcome: Transition[Any]) -> str:
    paid = ", ".join(f"player_{seat} {points:+g}" for seat, points in enumerate(outcome.rewards))
    said = f"paid: {paid}" if any(outcome.rewards) else "nothing is paid"
    return said if outcome.probability == 1 else f"{said} (probability {float(outcome.probability):.4f})"
