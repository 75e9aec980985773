"""How a person picks a move on the page: by clicks on items of the picture, or on buttons with their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardwar_envs import Game
from cardwar_envs.core.scene import Box, Scene
from train.play.choices import Choices
from train.play.trainer import Trainer

# Of more choices than the page can hold, and of those that a search finds, it gets the first few.
MOST_LISTED, FEW_LISTED = 10_000, 12


def choices_in(game: Game[Any], seat: int, legal: Sequence[int]) -> dict[str, Any]:
    """The choices of the person in `seat`: actions, and how they are picked (see `Texts.picks`).

    Each of `actions` has its action and the steps of its picks: a place in the list `steps`, and places in the list
    `items`. `more` is the number of choices that are not listed.
    """
    if len(legal) > MOST_LISTED:
        return _wholes(game, seat, legal[:FEW_LISTED], len(legal))
    picks = [game.picks(action, seat) for action in legal]
    if len(set(picks)) < len(picks):  # they do not tell the actions apart
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
    """The first choices that match a text (see `Choices.matching`), each picked as a whole."""
    game, seat = trainer.table.game, trainer.table.seat
    found = Choices(game, seat, trainer.choices).matching(text)
    return _wholes(game, seat, found[:FEW_LISTED], len(found))


def _wholes(game: Game[Any], seat: int, shown: Sequence[int], found: int) -> dict[str, Any]:
    items = [game.describe_action(action, seat) for action in shown]
    actions = [[action, [[0, [place]]]] for place, action in enumerate(shown)]
    return {"steps": [""], "items": items, "actions": actions, "more": found - len(shown)}


def picture_of(scene: Scene) -> dict[str, Any]:
    """The picture's `size`, so that nothing moves when it is loaded, and `spots`: where it shows what can be picked.

    A spot has its item and, in hundredths of the picture, left, top, width and height.
    """
    across, down = 100 / scene.width, 100 / scene.height
    spots = [
        [box.pick, box.x * across, box.y * down, box.width * across, box.height * down]
        for box in scene.shapes
        if isinstance(box, Box) and box.pick
    ]
    return {"size": [scene.width, scene.height], "spots": spots}
