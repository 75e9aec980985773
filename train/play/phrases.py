"""The texts that the terminal and the web page share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from train.play.trainer import Step, Table, Trainer
from train.words import points

# Decisions with more choices than this show only the relevant rows.
MOST_ROWS = 15
NOTHING = "That cost nothing."
REVIEW_FIRST = "The costliest move first"


@dataclass(frozen=True)
class Row:
    """An action in a verdict: its name, its probability in the equilibrium, its cost, and whether it was played."""

    name: str
    probability: float
    cost: float
    played: bool


def player_name(table: Table, player: int) -> str:
    """A player and its policy, e.g. `player_1 (equilibrium)`."""
    return f"player_{player} ({table.opponents.get(player, 'you')})"


def action_name(table: Table, action: int, player: int) -> str:
    """What a player does, as the game names it."""
    return table.game.describe_action(action, player)


def position(trainer: Trainer) -> str:
    """Where the game stands, as the person sees it."""
    return trainer.table.game.describe_revealed(replace(trainer.revealed(), last_actions=None, before=None))


def moves_in_words(table: Table, step: Step) -> list[tuple[str, str]]:
    """Who played what in a step."""
    return [(player_name(table, who), action_name(table, what, who)) for who, what in step.actions.items()]


def cost_in_words(table: Table, step: Step) -> str:
    """The cost of the person's move and the moves without cost; empty if it is not judged."""
    if step.verdict is None:
        return ""
    if step.cost == 0.0:
        return NOTHING
    return f"That gave away {points(step.cost)} points; {free_moves(table, step)} would have cost nothing."


def free_moves(table: Table, step: Step) -> str:
    """The moves that would have cost nothing, by name."""
    assert step.verdict is not None  # only judged moves are asked about
    free = [action_name(table, action, table.seat) for action, cost in step.verdict.costs.items() if cost == 0.0]
    shown = free if len(free) <= MOST_ROWS else [*free[:MOST_ROWS], f"{len(free) - MOST_ROWS} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def rows_of(table: Table, step: Step) -> list[Row]:
    """The person's options; with very many, those in the mix, the cheapest, and the one played."""
    verdict = step.verdict
    if verdict is None:
        return []
    actions: Sequence[int] = list(verdict.costs)
    if len(actions) > MOST_ROWS:
        best = sorted(actions, key=lambda each: (each != verdict.played, -verdict.mix[each], verdict.costs[each]))
        actions = sorted(best[:MOST_ROWS])
    return [
        Row(action_name(table, each, table.seat), verdict.mix[each], verdict.costs[each], each == verdict.played)
        for each in actions
    ]


def ending_in_words(trainer: Trainer) -> str:
    """How the game ended and what the person got; empty while it goes on."""
    amount = trainer.payoffs[trainer.table.seat]
    paid = f"{amount:+g} point{'' if abs(amount) == 1.0 else 's'}"
    if trainer.ending is None:
        return ""
    if trainer.ending == "over":
        return f"You get {paid}."
    if trainer.ending == "out":
        return f"You are out of the game: you get {paid}. The others play on without you."
    return f"The game was {trainer.ending}. You had {paid}."


def given_away(trainer: Trainer) -> str:
    """The unit of the total; or why moves are not judged."""
    if trainer.table.judge is None:
        return trainer.table.without_costs
    count = len(trainer.decisions)
    return f"points given away in {count} move{'' if count == 1 else 's'}"


def total_in_words(trainer: Trainer) -> str:
    """The cost of all moves so far; or why moves are not judged."""
    return given_away(trainer) if trainer.table.judge is None else f"{points(trainer.total)} {given_away(trainer)}"
