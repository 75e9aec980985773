"""The data that the terminal and the web page show of a game, without sealed or private information."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from cardwar_envs import Game
from cardwar_envs.core.scene import Box, Revealed, Scene, in_sentence, spoken, with_names
from cardwar_play.account import account_of, decimals, in_points, paid
from cardwar_play.judge import BLUNDER, MISTAKE, Verdict, grade
from cardwar_play.trainer import Seal, Step, Table, Trainer
from train.text.game_names import fewest_parameters, parameters_in_words

# For decisions with more choices than this, only the relevant rows are shown.
MOST_ROWS = 15
# A text names at most this many moves.
MOST_NAMED = 3
# How games write several equal cards, e.g. "3x13".
COUNT = re.compile(r"^\d+x")
# Said where the equilibrium says nothing about moves, in games that hide information.
UNMET = "Moves are not judged here: an equilibrium opponent never brings you here, or the payoffs are decided."
# If there are more choices, or a search finds more, the page gets only this many.
MOST_LISTED, FEW_LISTED = 10_000, 12


def view_of(trainer: Trainer) -> dict[str, Any]:
    """Returns all data that is shown of a game."""
    table, decisions = trainer.table, len(trainer.decisions)
    account, result = account_of(trainer), _result(trainer)
    total = decimals(trainer.total, least=0) if decisions and table.judge else ""
    return {
        **table_view(table),
        "turn": turn_of(trainer),
        "number": trainer.number,
        "position": position_of(table, trainer.revealed()),
        "digest": trainer.digest,
        "last": _last(trainer),
        "worth": worth_of(trainer) if trainer.choices else "",
        "total": total,
        "given_away": total and f"points given away in {decisions} move{'' if decisions == 1 else 's'}",
        "result": result,
        "ending": account.sentence(*table.opponents.values()) if account else result,
        "account": account.rows(*table.opponents.values()) if account else [],
        "left": _opened(trainer.left),
        "earlier": _earlier(trainer),
        "review": _review(trainer) if trainer.ending else [],
    }


def table_view(table: Table) -> dict[str, Any]:
    """Returns the part of the data that is the same throughout a series."""
    return {
        "title": spoken(table.game.facts.name),
        "parameters": parameters_in_words(table.game, fewest_parameters(table.game)),
        "seat": table.game.seat_in_words(table.seat),
        "opponents": [in_sentence(table.name(player)) for player in table.opponents],
        "rules": table.game.how_to_play,
        "judged": table.judge is not None,
        "grades": grades_in_words(table) if table.judge else "",
        "conceals": table.conceals,
    }


def grades_in_words(table: Table) -> str:
    """States from which costs on a move is a mistake or a blunder."""
    facts = table.game.facts
    mistake, blunder = (in_points(share * (facts.max_payoff - facts.min_payoff)) for share in (MISTAKE, BLUNDER))
    return (
        f"A move that costs something is an inaccuracy, from {mistake} a mistake and from {blunder} a blunder: "
        f"{MISTAKE:.0%} and {BLUNDER:.0%} of the range of payoffs."
    )


def position_of(table: Table, revealed: Revealed[Any]) -> str:
    """Describes the state as the human player sees it."""
    return with_names(table.game.describe_revealed(replace(revealed, last_actions=None, before=None)), table.names)


def worth_of(trainer: Trainer) -> str:
    """Says what the human player can expect from here; or, if the equilibrium is not known, why it is not."""
    judge, seat = trainer.table.judge, trainer.table.seat
    if judge is None:
        return trainer.table.without_costs
    expected = judge.expected(trainer.state, seat)
    if expected is None:
        return UNMET
    return f"If both play the equilibrium, you get {in_points(expected, '+')} from here."


def outcome_of(scene: Scene) -> str:
    """Returns a picture's text on the outcome of the last moves and on the leader; empty before the first move."""
    return " ".join(f"{text}." for text in (scene.outcome, scene.title.partition(": ")[2]) if text)


def turn_of(trainer: Trainer) -> int:
    """Returns a number that changes with every move and at the end; requests contain it, to detect stale ones."""
    return 1 + len(trainer.steps) + (trainer.ending is not None)


def _last(trainer: Trainer) -> dict[str, Any] | None:
    """Returns the human player's last move, and later moves of the other players."""
    (*_, begin) = 0, *_decisions(trainer)
    return _told(trainer, begin, len(trainer.steps)) if trainer.steps else None


def _decisions(trainer: Trainer) -> list[int]:
    """The indices of the steps in which the human player moved."""
    return [index for index, step in enumerate(trainer.steps) if step.seal is not None]


def _told(trainer: Trainer, begin: int, end: int) -> dict[str, Any]:
    """Returns the human player's move, if it begins these steps, and later moves of the other players."""
    table, (first, *later) = trainer.table, trainer.steps[begin:end]
    moved = first.seal is not None
    return {
        "moves": _moves(trainer, first) if moved else [],
        "outcome": outcome_of(table.game.scene(trainer.revealed(end))),
        "opened": None if trainer.conceals else _opened(first.seal),
        "verdict": first.verdict and verdict_view(table, first.before, first.verdict),
        "later": [_moves(trainer, step) for step in (later if moved else [first, *later])],
    }


def _review(trainer: Trainer) -> list[dict[str, Any]]:
    """Returns the human player's decisions in a game that has ended: what it saw, what was played, and the verdict."""
    game, bounds = trainer.table.game, [*_decisions(trainer), len(trainer.steps)]
    return [
        {
            **_told(trainer, begin, end),
            "number": number,
            "step": begin,
            "position": position_of(trainer.table, trainer.revealed(begin)),
            "picture": picture_of(game.scene(trainer.revealed(begin))),
        }
        for number, (begin, end) in enumerate(pairwise(bounds), start=1)
    ]


def worst_of(review: Sequence[dict[str, Any]]) -> tuple[int, str]:
    """The index of the costliest decision of a review, and a sentence on it; the sentence is empty without costs."""
    lost = [told["verdict"]["lost"] if told["verdict"] else 0.0 for told in review]
    at = max(range(len(review)), key=lost.__getitem__, default=0)
    if not any(lost):
        return at, ""
    number, verdict = review[at]["number"], review[at]["verdict"]
    return at, f"Your worst move was move {number}. {verdict['sentence']}"


def _moves(trainer: Trainer, step: Step) -> list[tuple[str, str]]:
    """Returns the moves of a step that the human player may see, as pairs of a player's name and the move."""
    table, game = trainer.table, trainer.table.game
    shown = [who for who in step.actions if who == table.seat or not trainer.conceals]
    moves = [(who, step.actions[who]) for who in shown if not game.waits(step.actions[who])]
    return [(table.name(who), game.describe_action(move, who)) for who, move in moves]


def _earlier(trainer: Trainer) -> list[str]:
    """Returns commands for the seals before the last one, at the end of a game that hid them."""
    if not trainer.table.conceals or trainer.conceals:
        return []
    return [step.seal.command for step in trainer.decisions[:-1] if step.seal is not None]


def _opened(sealed: Seal | None) -> dict[str, str] | None:
    if sealed is None:
        return None
    return {"digest": sealed.digest, "text": sealed.text, "command": sealed.command}


def verdict_view(table: Table, state: Any, verdict: Verdict) -> dict[str, Any]:
    """Returns the costs of a move and its alternatives; of many, only those that are likely, cheap or played."""
    actions, graded = list(verdict.costs), grade(verdict, table.game.facts)
    names = {action: table.game.describe_action(action, table.seat) for action in actions}
    free = _few([name for action, name in names.items() if verdict.costs[action] == 0.0])
    cost = in_points(verdict.cost, least=0)
    sentence = f"{graded.capitalize()}: {names[verdict.played]} cost {cost}; best was {free}."
    if graded == "best":
        sentence = "Best: it cost nothing." if any(verdict.costs.values()) else "Every move was equally good."
    elif graded == "only move":
        sentence, actions = "Only move.", []
    elif not graded:
        sentence, actions = UNMET, []
    if len(actions) > MOST_ROWS:
        best = sorted(actions, key=lambda a: (a != verdict.played, -verdict.mix[a], verdict.costs[a]))
        actions = sorted(best[:MOST_ROWS])
    rows = [
        {
            "name": names[action],
            "probability": decimals(verdict.mix[action]),
            "share": verdict.mix[action],
            "cost": decimals(verdict.costs[action], least=0),
            "free": verdict.costs[action] == 0.0,
            "played": action == verdict.played,
        }
        for action in actions
    ]
    why = _replies(table, state) if rows else ""
    return {"grade": graded, "sentence": sentence, "why": why, "lost": verdict.cost, "rows": rows}


def _few(names: Sequence[str]) -> str:
    """Lists a few moves, e.g. "1 or 2" or "1, 2, 3 and 5 more"."""
    more = len(names) - MOST_NAMED
    if more > 1:
        return f"{', '.join(names[:MOST_NAMED])} and {more} more"
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _replies(table: Table, state: Any) -> str:
    """Says how an equilibrium opponent plays in a state, likeliest moves first; empty if that may be hidden."""
    replies = {} if table.judge is None else table.judge.replies(state, table.seat)
    likely = sorted((reply for reply in replies if replies[reply] >= 0.005), key=lambda reply: -replies[reply])
    named = [f"{table.game.describe_action(reply, 1 - table.seat)} ({replies[reply]:.0%})" for reply in likely]
    return f"The perfect player's choice here: {_few(named)}." if named else ""


def _result(trainer: Trainer) -> str:
    """Says how the game ended and what the human player got; empty while the game is in progress."""
    if trainer.ending is None:
        return ""
    if trainer.ending not in ("over", "out"):
        return f"The game was {trainer.ending} and does not count."
    out = "You are out of the game; the others continue. " if trainer.ending == "out" else ""
    return f"{out}{paid(trainer.payoffs[trainer.table.seat])}."


class Choices:
    """A player's legal actions; `names` are the game's names for them."""

    def __init__(self, game: Game[Any], player: int, actions: Sequence[int]) -> None:
        self.names = {action: game.describe_action(action, player) for action in actions}

    def named(self, text: str) -> int | None:
        """The action with exactly this name, ignoring case; None if no action or several actions have it."""
        found = [action for action, name in self.names.items() if name.casefold() == text.strip().casefold()]
        return found[0] if len(found) == 1 else None

    def matching(self, text: str) -> list[int]:
        """The actions whose names contain the words of a text in the same order.

        Numbers must match exactly; for other words a prefix is enough: "2 3 with 9" matches
        "discards 2 3 4 and battles with 9". A 3 also matches "2x3", two threes. An empty text matches every action.
        """
        wanted, found = text.casefold().split(), []
        for action, name in self.names.items():
            words = iter(name.casefold().split())
            if all(any(_matches(word, want) for word in words) for want in wanted):
                found.append(action)
        return found


def _matches(word: str, wanted: str) -> bool:
    return wanted in (word, COUNT.sub("", word)) if wanted[0].isdigit() else word.startswith(wanted)


def choices_in(game: Game[Any], seat: int, legal: Sequence[int]) -> dict[str, Any]:
    """The choices of the human player in `seat`: actions, and the steps to pick them (see `Texts.picks`).

    Each entry of `actions` has its action and its steps: an index in the list `steps`, and indices in the list `items`.
    `more` is the number of omitted choices.
    """
    if len(legal) > MOST_LISTED:
        return _whole_choices(game, seat, legal)
    picks = [game.picks(action, seat) for action in legal]
    if len(set(picks)) < len(picks):  # the picks do not determine the action
        return _whole_choices(game, seat, legal, len(legal))
    steps = {step: 0 for pick in picks for step, _ in pick}
    items = {item: 0 for pick in picks for _, chosen in pick for item in chosen}
    for names in (steps, items):
        names.update(zip(names, range(len(names)), strict=True))
    actions = [
        [action, [[steps[step], [items[item] for item in chosen]] for step, chosen in pick]]
        for action, pick in zip(legal, picks, strict=True)
    ]
    return {"steps": list(steps), "items": list(items), "actions": actions, "more": 0}


def choices_found(trainer: Trainer, text: str) -> dict[str, Any]:
    """The first choices that match a search (see `Choices.matching`); one click picks a whole choice."""
    game, seat = trainer.table.game, trainer.table.seat
    return _whole_choices(game, seat, Choices(game, seat, trainer.choices).matching(text))


def _whole_choices(game: Game[Any], seat: int, found: Sequence[int], most: int = FEW_LISTED) -> dict[str, Any]:
    """Choices that are picked by a single click on the name of the action."""
    shown = found[:most]
    items = [game.describe_action(action, seat) for action in shown]
    actions = [[action, [[0, [index]]]] for index, action in enumerate(shown)]
    return {"steps": [""], "items": items, "actions": actions, "more": len(found) - len(shown)}


def picture_of(scene: Scene) -> dict[str, Any]:
    """The picture's `size`, so that the layout does not jump on loading, its items, and the moves just revealed.

    `clickable` names the items in "Click ...". A spot consists of an item and its left, top, width and height in
    percent of the picture; an entry of `turned` has only the latter.
    """
    across, down = 100 / scene.width, 100 / scene.height

    def place(box: Box) -> list[float]:
        return [box.x * across, box.y * down, box.width * across, box.height * down]

    boxes = [shape for shape in scene.shapes if isinstance(shape, Box)]
    return {
        "size": [scene.width, scene.height],
        "spots": [[box.pick, *place(box)] for box in boxes if box.pick],
        "turned": [place(box) for box in boxes if box.turned],
        "clickable": scene.clickable,
    }
