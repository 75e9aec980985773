"""The view of a game in progress for the page, as plain data without sealed or private information."""

from __future__ import annotations

from typing import Any

from cardwar_envs.core.scene import spoken
from train.play import phrases
from train.play.choices import Choices
from train.play.seal import Seal
from train.play.trainer import Step, Trainer
from train.words import game_in_words, points

# Up to MOST_BUTTONS choices are all shown as buttons; of more, the first few, and the filter finds others.
MOST_BUTTONS, FEW_BUTTONS = 40, 12


def view_of(trainer: Trainer, game_id: str) -> dict[str, Any]:
    """Everything that a page shows.

    Args:
        trainer: The game.
        game_id: Its name on this server.
    """
    table = trainer.table
    _, _, parameters = game_in_words(table.game).partition(" ")
    return {
        "game": game_id,
        "turn": turn_of(trainer),
        "number": trainer.number,
        "title": spoken(table.game.facts.name),
        "parameters": parameters,
        "you": f"player_{table.seat}",
        "opponents": [phrases.player_name(table, player) for player in table.opponents],
        "position": phrases.position(trainer),
        "digest": trainer.digest,
        "choices": choices_in(trainer, ""),
        "last": _last(trainer),
        "judged": table.judge is not None,
        "total": points(trainer.total),
        "given_away": phrases.given_away(trainer),
        "ending": phrases.ending_in_words(trainer),
        "left": _opened(trainer.left),
        "review": [
            {
                "number": number,
                "played": phrases.action_name(table, step.actions[table.seat], table.seat),
                "cost": points(step.cost),
                "free": phrases.free_moves(table, step),
            }
            for number, step in trainer.review()
        ],
    }


def turn_of(trainer: Trainer) -> int:
    """A number that changes with every move and at the end. Requests carry it, so that stale ones are refused."""
    return trainer.number + (trainer.ending is not None)


def choices_in(trainer: Trainer, text: str) -> dict[str, Any]:
    """The person's choices that match a text (see `Choices.matching`), and the number not shown."""
    choices = Choices(trainer.table.game, trainer.table.seat, trainer.choices)
    found, most = choices.matching(text), MOST_BUTTONS if len(choices.names) <= MOST_BUTTONS else FEW_BUTTONS
    shown = [{"action": action, "name": choices.names[action]} for action in found[:most]]
    return {"shown": shown, "more": len(found) - len(shown), "all": len(choices.names)}


def _last(trainer: Trainer) -> dict[str, Any] | None:
    """The person's last move, and the moves of others since."""
    places = [place for place, step in enumerate(trainer.steps) if step.seal is not None]
    since = trainer.steps[places[-1] if places else 0 :]
    if not since:
        return None
    moved, later = (since[0], since[1:]) if places else (None, since)
    return {
        "moves": [] if moved is None else phrases.moves_in_words(trainer.table, moved),
        "opened": None if moved is None else _opened(moved.seal),
        "verdict": None if moved is None else _verdict(trainer, moved),
        "later": [phrases.moves_in_words(trainer.table, step) for step in later],
    }


def _opened(sealed: Seal | None) -> dict[str, str] | None:
    return None if sealed is None else {"text": sealed.text, "digest": sealed.digest, "command": sealed.command}


def _verdict(trainer: Trainer, step: Step) -> dict[str, Any] | None:
    if step.verdict is None:
        return None
    rows = [
        {
            "name": row.name,
            "probability": points(row.probability),
            "share": row.probability,
            "cost": points(row.cost),
            "free": row.cost == 0.0,
            "played": row.played,
        }
        for row in phrases.rows_of(trainer.table, step)
    ]
    return {"sentence": phrases.cost_in_words(trainer.table, step), "cost": points(step.cost), "rows": rows}
