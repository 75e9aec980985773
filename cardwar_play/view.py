"""The data that the terminal and the web page show of a game, without sealed or private information."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cardwar_envs.core.scene import Revealed, Scene, spoken
from cardwar_play.account import decimals, in_points, paid
from cardwar_play.judge import Verdict
from cardwar_play.seal import Seal
from cardwar_play.trainer import Step, Table, Trainer
from train.text.game_names import fewest_parameters, in_plain_words

# For decisions with more choices than this, only the relevant rows are shown.
MOST_ROWS = 15


def view_of(trainer: Trainer, game_id: str = "") -> dict[str, Any]:
    """Returns all data that is shown of a game; `game_id` is the game's name on this server."""
    table = trainer.table
    return {
        "game": game_id,
        "turn": turn_of(trainer),
        "number": trainer.number,
        "title": spoken(table.game.facts.name),
        "parameters": in_plain_words(table.game, fewest_parameters(table.game)),
        "seat": seat_in_words(table),
        "opponents": [table.name(player) for player in table.opponents],
        "position": position_of(table, trainer.revealed()),
        "digest": trainer.digest,
        "rules": table.game.how_to_play,
        "last": _last(trainer),
        "judged": table.judge is not None,
        "worth": worth_of(trainer) if trainer.choices and table.judge is not None else "",
        "total": decimals(trainer.total, least=0) if trainer.decisions else "",
        "given_away": _given_away(trainer),
        "ending": _ending(trainer),
        "account": _account(trainer),
        "left": _opened(trainer.left),
        "review": [
            {
                "number": number,
                "played": table.game.describe_action(step.actions[table.seat], table.seat),
                "cost": decimals(step.cost, least=0),
                "free": free_moves(table, step.verdict),
            }
            for number, step in trainer.review()
            if step.verdict is not None  # otherwise the move cost nothing
        ],
    }


def seat_in_words(table: Table) -> str:
    """Says which player of the rules the human player is, if the rules distinguish the seats."""
    return f"In the rules, you are in seat {table.seat}." if "seat 0" in table.game.how_to_play else ""


def position_of(table: Table, revealed: Revealed[Any]) -> str:
    """Describes the state as the human player sees it."""
    return table.named(table.game.describe_revealed(replace(revealed, last_actions=None, before=None)))


def worth_of(trainer: Trainer) -> str:
    """Says what the human player can expect from here; or, if the equilibrium is not known, why it is not."""
    judge, seat = trainer.table.judge, trainer.table.seat
    if judge is None:
        return trainer.table.without_costs
    return f"If both play the equilibrium, you get {in_points(judge.expected(trainer.state, seat), '+')} from here."


def outcome_of(table: Table, revealed: Revealed[Any]) -> str:
    """Returns the picture's text on the last moves' outcome and the leader; empty if there is none."""
    return "" if revealed.last_actions is None else outcome_in(table.game.scene(revealed))


def outcome_in(scene: Scene) -> str:
    """Returns a picture's text on the outcome of the last moves and on the leader."""
    return " ".join(f"{each}." for each in (scene.outcome, scene.title.partition(": ")[2]) if each)


def turn_of(trainer: Trainer) -> int:
    """Returns a number that changes with every move and at the end; requests contain it, to detect stale ones."""
    return 1 + len(trainer.steps) + (trainer.ending is not None)


def _last(trainer: Trainer) -> dict[str, Any] | None:
    """Returns the human player's last move, and later moves of the other players."""
    places = [place for place, step in enumerate(trainer.steps) if step.seal is not None]
    since = trainer.steps[places[-1] if places else 0 :]
    if not since:
        return None
    moved, later = (since[0], since[1:]) if places else (None, since)
    return {
        "moves": [] if moved is None else _moves(trainer.table, moved),
        "outcome": outcome_of(trainer.table, trainer.revealed()),
        "opened": None if moved is None else _opened(moved.seal),
        "verdict": None if moved is None or moved.verdict is None else shown_verdict(trainer.table, moved.verdict),
        "later": [_moves(trainer.table, step) for step in later],
    }


def _moves(table: Table, step: Step) -> list[tuple[str, str]]:
    """Returns the moves of a step, as pairs of a player's name and the move."""
    return [(table.name(who), table.game.describe_action(what, who)) for who, what in step.actions.items()]


def _opened(sealed: Seal | None) -> dict[str, str] | None:
    return None if sealed is None else {**sealed.opened, "command": sealed.command}


def shown_verdict(table: Table, verdict: Verdict) -> dict[str, Any]:
    """Returns the costs of a move and its alternatives; of many, only those that are likely, cheap or played."""
    sentence = "That cost nothing."
    if verdict.cost:
        lost = in_points(verdict.cost, least=0)
        sentence = f"That gave away {lost}; {free_moves(table, verdict)} would have cost nothing."
    actions = list(verdict.costs)
    if len(actions) > MOST_ROWS:
        best = sorted(actions, key=lambda each: (each != verdict.played, -verdict.mix[each], verdict.costs[each]))
        actions = sorted(best[:MOST_ROWS])
    rows = [
        {
            "name": table.game.describe_action(action, table.seat),
            "probability": decimals(verdict.mix[action]),
            "share": verdict.mix[action],
            "cost": decimals(verdict.costs[action], least=0),
            "free": verdict.costs[action] == 0.0,
            "played": action == verdict.played,
        }
        for action in actions
    ]
    return {"sentence": sentence, "cost": decimals(verdict.cost, least=0), "rows": rows}


def free_moves(table: Table, verdict: Verdict) -> str:
    """Lists the names of the moves that would have cost nothing."""
    free = [table.game.describe_action(action, table.seat) for action, cost in verdict.costs.items() if cost == 0.0]
    shown = free if len(free) <= MOST_ROWS else [*free[:MOST_ROWS], f"{len(free) - MOST_ROWS} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def _given_away(trainer: Trainer) -> str:
    """Returns the text beside the total cost, empty before the first move; or the reason why moves are not judged."""
    if trainer.table.judge is None:
        return trainer.table.without_costs
    count = len(trainer.decisions)
    return f"points given away in {count} move{'' if count == 1 else 's'}" if count else ""


def _ending(trainer: Trainer) -> str:
    """Says how the game ended, and explains the human player's payoff; empty while the game is in progress."""
    table, result = trainer.table, trainer.payoffs[trainer.table.seat]
    if trainer.ending is None:
        return ""
    if trainer.ending not in ("over", "out"):
        return f"The game was {trainer.ending} and does not count."
    if trainer.account:
        return " ".join(trainer.account.sentences(_only(table)))
    out = "You are out of the game; the others continue. " if trainer.ending == "out" else ""
    return f"{out}{paid(result)}. Luck and mistakes are not told apart, because the equilibrium is not known."


def _account(trainer: Trainer) -> list[tuple[str, str, str]]:
    """Returns the account of a finished game, as rows; empty if there is no account."""
    return trainer.account.rows(_only(trainer.table)) if trainer.account else []


def _only(table: Table) -> str:
    """Returns the name of the opponent in a two-player game."""
    (opponent,) = table.opponents
    return table.name(opponent)
