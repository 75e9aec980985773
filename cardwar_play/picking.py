"""Selecting a move on the page, by clicking items of the picture or buttons with the moves' names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardwar_envs import Game
from cardwar_envs.core.scene import Box, Scene
from cardwar_play.choices import Choices
from cardwar_play.trainer import Trainer

# If there are more choices, or a search finds more, the page gets only this many.
MOST_LISTED, FEW_LISTED = 10_000, 12


def choices_in(game: Game[Any], seat: int, legal: Sequence[int]) -> dict[str, Any]:
    """The choices of the human player in `seat`: actions, and the steps to pick them (see `Texts.picks`).

    Each entry of `actions` has its action and its steps: an index in the list `steps`, and indices in the list `items`.
    `more` is the number of omitted choices.
    """
    if len(legal) > MOST_LISTED:
        return _wholes(game, seat, legal[:FEW_LISTED], len(legal))
    picks = [game.picks(action, seat) for action in legal]
    if len(set(picks)) < len(picks):  # the picks do not determine the action
        return _wholes(game, seat, legal, len(legal))
    steps = list(dict.fromkeys(step for each in picks for step, _ in each))
    items = list(dict.fromkeys(item for each in picks for _, chosen in each for item in chosen))
    number = {item: place for place, item in enumerate(items)}
    actions = [
        [action, [[steps.index(step), [number[item] for item in chosen]] for step, chosen in each]]
        for action, each in zip(legal, picks, strict=True)
    ]
    return {"steps": steps, "items": items, "actions": actions, "more": 0}


def choices_found(trainer: Trainer, text: str) -> dict[str, Any]:
    """The first choices that match a search (see `Choices.matching`); one click picks a whole choice."""
    game, seat = trainer.table.game, trainer.table.seat
    found = Choices(game, seat, trainer.choices).matching(text)
    return _wholes(game, seat, found[:FEW_LISTED], len(found))


def _wholes(game: Game[Any], seat: int, shown: Sequence[int], found: int) -> dict[str, Any]:
    items = [game.describe_action(action, seat) for action in shown]
    actions = [[action, [[0, [place]]]] for place, action in enumerate(shown)]
    return {"steps": [""], "items": items, "actions": actions, "more": found - len(shown)}


def picture_of(scene: Scene) -> dict[str, Any]:
    """The picture's `size`, so that the layout does not jump on loading, and its items: their name and positions.

    `clickable` names them in "Click ...". A spot consists of an item and its left, top, width and height in percent of
    the picture.
    """
    across, down = 100 / scene.width, 100 / scene.height
    spots = [
        [box.pick, box.x * across, box.y * down, box.width * across, box.height * down]
        for box in scene.shapes
        if isinstance(box, Box) and box.pick
    ]
    return {"size": [scene.width, scene.height], "spots": spots, "clickable": scene.clickable}
