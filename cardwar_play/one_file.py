"""Pages as single files that contain all data and need no server: a playable game, and the recorded solutions.

A playable game is listed completely, so that the page needs no rules: every place, outcome, cost, text and picture. A
*place* is a state together with each player's payoff so far. Pictures, texts and descriptions of moves recur, so each
is listed once and referenced by index. In lists of two, the human player comes first and the opponent second.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from baselines.oracles.bayesian.solver import form_of, moves_once
from baselines.solutions.recorded import entries
from cardwar_envs import Game
from cardwar_envs.core.constant_sum import require_constant_sum
from cardwar_envs.core.game import Transition
from cardwar_envs.core.play import joint_actions
from cardwar_envs.core.scene import Scene, Shape
from cardwar_envs.drawing.svg import to_svg
from cardwar_play.account import LENGTHS
from cardwar_play.judge import Verdict
from cardwar_play.trainer import Table, revealed_at
from cardwar_play.view import UNMET, choices_in, outcome_of, picture_of, position_of, table_view, verdict_view
from train.text.game_names import game_in_words

PAGES = Path(__file__).with_name("page")
SCRIPTS = ("parts.js", "page.js", "picking.js", "wording.js", "file.js", "lobby.js")
# The links to the style sheet and the scripts in the head of the served page.
LINKS = re.compile(r'<link rel="icon".*</script>\n', re.DOTALL)
# Maximum number of outcomes of joint actions on a page; such a page has about 2 MB and is made in less than a minute.
MOST_OUTCOMES = 40_000

Place = tuple[Any, tuple[float, ...]]
# The continuations of a place: for each joint action (player 0's action varies slowest), its outcomes.
Listed = Mapping[Place, Sequence[tuple[dict[int, int], Sequence[Transition[Any]]]]]


def page_with(data: Mapping[str, Any], page: str = "page.html", scripts: Sequence[str] = SCRIPTS) -> str:
    """Fills a page with data; strings from the game are never interpreted as markup or script.

    Args:
        data: The result of `Listing.data`, or the data of another page.
        page: The HTML of the page.
        scripts: Its scripts.
    """
    style = _part("page.css")
    script = "".join(map(_part, scripts))
    packed = base64.b64encode(gzip.compress(json.dumps(data, separators=(",", ":")).encode(), mtime=0)).decode()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>\n'
    ends = f'<script type="text/plain" id="data">{packed}</script>\n<script>{script}</script>\n</body>'
    whole, found = LINKS.subn(lambda _: head, _part(page))
    assert found == 1
    return whole.replace("</body>", ends)


def solutions_page() -> str:
    """A page with the payoff matrix, the strategies and their ranges of probabilities for every recorded solution."""
    return page_with({"solutions": list(entries())}, "solutions.html", ("parts.js", "solutions.js"))


def _part(name: str) -> str:
    return (PAGES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def places_of(game: Game[Any]) -> Listed:
    """Lists every place of a two-player zero-sum game.

    Raises:
        ValueError: If the game is not zero-sum for two players, or too large; the error names the largest size that
            works.
    """
    more = game.parameters().get("num_players", 2) != 2
    require_constant_sum(game, "a page against the equilibrium", "; add num_players=2" if more else "")
    found = _places(game)
    if found is None:
        fitting = _largest(game)
        instead = "" if fitting is None else f"; the largest size that works is {game_in_words(fitting)}"
        said = f"is too large for a page, which can contain at most {MOST_OUTCOMES:,} outcomes of moves"
        raise ValueError(f"{game_in_words(game)} {said}{instead}")
    return found


def _places(game: Game[Any]) -> Listed | None:
    """Like `places_of`, but returns None if the game is too large."""
    if moves_once(game) and form_of(game).weights.size > MOST_OUTCOMES:  # too many to list
        return None
    found: dict[Place, list[tuple[dict[int, int], Sequence[Transition[Any]]]]] = {}
    waiting: list[Place] = [(start.state, start.rewards) for start in game.initial()]
    outcomes = len(waiting)
    while waiting:
        place = waiting.pop()
        if place in found:
            continue
        found[place] = []
        for actions in joint_actions(game, place[0]):
            listed = game.transitions(place[0], actions)
            found[place].append((actions, listed))
            waiting += [_after(place, outcome) for outcome in listed]
            outcomes += len(listed)
            if outcomes > MOST_OUTCOMES:
                return None
    return found


def _after(place: Place, outcome: Transition[Any]) -> Place:
    return outcome.state, tuple(paid + now for paid, now in zip(place[1], outcome.rewards, strict=True))


def _largest(game: Game[Any]) -> Game[Any] | None:
    """The largest game between the smallest one and this one that fits a page; None if none is found."""
    smallest = game.smallest()
    values = {field.name: getattr(game, field.name) for field in fields(game)}  # type: ignore[arg-type]  # a dataclass
    single = {name: value for name, value in values.items() if isinstance(value, (bool, int, float, str))}
    sizes = {name: value for name, value in single.items() if type(value) is int}
    least = {name: 1 if smallest is None else getattr(smallest, name) for name in sizes}

    def sized(step: int) -> Game[Any] | None:
        numbers = {name: min(value, least[name] + step) for name, value in sizes.items()}
        try:
            return type(game)(**{**single, **numbers})
        except ValueError:  # these parameters cannot be combined
            return None

    def too_large(step: int) -> bool:
        smaller = sized(step)
        return smaller is not None and _places(smaller) is None

    steps = max((value - least[name] for name, value in sizes.items()), default=0)
    found = bisect_left(range(steps), True, key=too_large)
    return sized(found - 1) if found else None


class _Numbered:
    """A list of distinct entries, compared as JSON text; calling it adds an entry and returns its index."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, entry: Any) -> int:
        return self._numbers.setdefault(json.dumps(entry), len(self._numbers))

    def entries(self) -> list[Any]:
        return list(map(json.loads, self._numbers))


class Listing:
    """The data of a table's game, in which the opponent plays the equilibrium."""

    def __init__(self, table: Table, places: Listed, progress: Callable[[int], None] | None = None) -> None:
        assert table.judge is not None  # the caller has solved the game
        self._table, self._game, self._judge, self._places = table, table.game, table.judge, places
        self._seats = (table.seat, 1 - table.seat)
        self._number = {place: number for number, place in enumerate(places)}
        self._texts, self._shapes, self._pictures, self._choices, self._verdicts = (_Numbered() for _ in range(5))
        self._states: dict[Any, int] = {}
        self._shape_numbers: dict[Shape, int] = {}
        self._progress = progress or (lambda done: None)

    def data(self) -> dict[str, Any]:
        """The game as JSON data, which `page/file.js` reads and describes."""
        table, seat = self._table, self._table.seat
        starts = [self._outcome(None, None, start) for start in self._game.initial()]
        places = []
        for number, (place, moves) in enumerate(self._places.items()):
            self._progress(number)
            state, payoffs = place
            text = self._texts(position_of(table, revealed_at(table, state, payoffs, None, None)))
            moves = sorted(moves, key=lambda move: [move[0].get(player, 0) for player in self._seats])
            outcomes = [[self._outcome(place, actions, each) for each in listed] for actions, listed in moves]
            places.append([self._states.setdefault(state, len(self._states)), text, outcomes])
        return {
            "view": {**table_view(table), "lengths": LENGTHS, "out": False, "unmet": UNMET},
            "names": [table.name(player) for player in self._seats],
            "seat": seat,
            "value": float(self._judge.value(seat)),
            "starts": starts,
            "places": places,
            "states": list(map(self._state, self._states)),
            "texts": self._texts.entries(),
            "choices": self._choices.entries(),
            "verdicts": self._verdicts.entries(),
            "pictures": self._pictures.entries(),
            "shapes": self._shapes.entries(),
        }

    def _outcome(self, place: Place | None, actions: Mapping[int, int] | None, outcome: Transition[Any]) -> list[Any]:
        """An outcome's probability, place, payment to the human player, and picture."""
        before, after = (None, outcome[1:]) if place is None else (place[0], _after(place, outcome))
        scene = self._game.scene(revealed_at(self._table, *after, actions, before))
        picture = {
            **picture_of(scene),
            "outcome": "" if actions is None else outcome_of(scene),
            "look": _drawn(scene, ()).attrib,
            "shapes": [self._shape(scene, shape) for shape in scene.shapes],
        }
        paid = float(outcome.rewards[self._table.seat])
        return [float(outcome.probability), self._number[after], paid, self._pictures(picture)]

    def _shape(self, scene: Scene, shape: Shape) -> int:
        """Adds an SVG element, as its name, attributes and text."""
        if shape not in self._shape_numbers:
            *_, drawn = _drawn(scene, (shape,))
            attributes = {re.sub(r"{.*}", "xml:", name): value for name, value in drawn.attrib.items()}
            self._shape_numbers[shape] = self._shapes([drawn.tag.rpartition("}")[2], attributes, drawn.text or ""])
        return self._shape_numbers[shape]

    def _state(self, state: Any) -> dict[str, Any]:
        """Each player's actions with names, probabilities and costs; the human player's prospects."""
        game, judge, acting = self._game, self._judge, self._game.acting_players(state)
        legal = [game.legal_actions(state, player) if player in acting else () for player in self._seats]
        legal = [() if actions and game.waits(actions[0]) else actions for actions in legal]
        own, other = (
            judge.verdict(state, player, actions[0]) if actions else Verdict(0, {}, {})
            for player, actions in zip(self._seats, legal, strict=True)
        )
        verdicts = [verdict_view(self._table, state, replace(own, played=action)) for action in legal[0]]
        return {
            "actions": legal,
            "names": [
                [game.describe_action(action, player) for action in actions]
                for player, actions in zip(self._seats, legal, strict=True)
            ],
            "mixes": [list(own.mix.values()), list(other.mix.values())],
            "costs": [list(own.costs.values()), list(other.costs.values())],
            "worth": float(judge.to_go(state, self._table.seat)) if acting else 0.0,
            "expected": judge.expected(state, self._table.seat) if legal[0] else 0.0,
            "choices": self._choices(choices_in(game, self._table.seat, legal[0])),
            "verdicts": list(map(self._verdicts, verdicts)),
        }


def _drawn(scene: Scene, shapes: tuple[Shape, ...]) -> ElementTree.Element:
    return ElementTree.fromstring(to_svg(replace(scene, shapes=shapes)))
