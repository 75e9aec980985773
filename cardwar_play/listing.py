"""A whole game as data, so that a page can play it without the rules: every place, outcome, cost, text and picture.

A *place* is a state together with each player's payoff so far. Pictures, texts and descriptions of moves recur, so each
is listed once and referenced by index. In lists of two, the human player comes first and the opponent second.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any
from xml.etree import ElementTree

from baselines.oracles.bayesian.solver import form_of
from cardwar_envs import Game
from cardwar_envs.core.game import Transition, require_two_zero_sum
from cardwar_envs.core.play import joint_actions
from cardwar_envs.core.scene import Revealed, Scene, Shape, spoken
from cardwar_envs.drawing.svg import to_svg
from cardwar_play.judge import Verdict
from cardwar_play.picking import choices_in, picture_of
from cardwar_play.trainer import Table
from cardwar_play.view import free_moves, outcome_in, position_of, seat_in_words, shown_verdict
from train.text.game_names import fewest_parameters, game_in_words, in_plain_words

# Maximum number of outcomes of joint actions on a page; such a page has about 2 MB and is made in less than a minute.
MOST_OUTCOMES = 40_000

Place = tuple[Any, tuple[float, ...]]
# The continuations of a place: for each joint action (player 0's action varies slowest), its outcomes.
Listed = Mapping[Place, Sequence[tuple[dict[int, int], Sequence[Transition[Any]]]]]


def places_of(game: Game[Any]) -> Listed:
    """Lists every place of a two-player zero-sum game.

    Raises:
        ValueError: If the game is not zero-sum for two players, or too large; the error names the largest size that
            works.
    """
    more = game.parameters().get("num_players", 2) != 2
    require_two_zero_sum(game, "a page against the equilibrium", "; add num_players=2" if more else "")
    found = _places(game)
    if found is None:
        fitting = _largest(game)
        instead = "" if fitting is None else f"; the largest size that works is {game_in_words(fitting)}"
        said = f"is too large for a page, which can contain at most {MOST_OUTCOMES:,} outcomes of moves"
        raise ValueError(f"{game_in_words(game)} {said}{instead}")
    return found


def _places(game: Game[Any]) -> Listed | None:
    """Like `places_of`, but returns None if the game is too large."""
    if not game.facts.public_state and form_of(game).weights.size > MOST_OUTCOMES:  # too many to list
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
        self._drawn_shapes: dict[Shape, int] = {}
        self._progress = progress or (lambda done: None)

    def data(self) -> dict[str, Any]:
        """The game as JSON data, which `page/file.js` reads."""
        table, game, seat = self._table, self._game, self._table.seat
        starts = [self._outcome(None, None, start) for start in game.initial()]
        places = []
        for number, (place, moves) in enumerate(self._places.items()):
            self._progress(number)
            state, payoffs = place
            revealed = Revealed(state, seat, None, payoffs, not moves, None, table.names)
            text, kind = self._texts(position_of(table, revealed)), self._states.setdefault(state, len(self._states))
            moves = sorted(moves, key=lambda move: [move[0].get(player, 0) for player in self._seats])
            outcomes = [[self._outcome(place, actions, each) for each in listed] for actions, listed in moves]
            places.append([kind, text, outcomes])
        states = list(map(self._state, self._states))
        return {
            "title": spoken(game.facts.name),
            "parameters": in_plain_words(game, fewest_parameters(game)),
            "seated": seat_in_words(table),
            "rules": game.how_to_play,
            "names": [table.name(player) for player in self._seats],
            "seat": seat,
            "value": float(self._judge.value(seat)),
            "starts": starts,
            "places": places,
            "states": states,
            "texts": self._texts.entries(),
            "choices": self._choices.entries(),
            "verdicts": self._verdicts.entries(),
            "pictures": self._pictures.entries(),
            "shapes": self._shapes.entries(),
        }

    def _outcome(self, place: Place | None, actions: Mapping[int, int] | None, outcome: Transition[Any]) -> list[Any]:
        """An outcome's probability, place, payment to the human player, and picture."""
        before, after = (None, outcome[1:]) if place is None else (place[0], _after(place, outcome))
        over = not self._game.acting_players(after[0])
        revealed = Revealed(after[0], self._table.seat, actions, after[1], over, before, self._table.names)
        scene = self._game.scene(revealed)
        picture = self._picture(scene, "" if actions is None else outcome_in(scene))
        return [float(outcome.probability), self._number[after], float(outcome.rewards[self._table.seat]), picture]

    def _picture(self, scene: Scene, outcome: str) -> int:
        """Adds a picture, as clickable areas and SVG elements with attributes and texts; returns its index."""
        shapes = [self._shape(scene, shape) for shape in scene.shapes]
        look = self._drawn(scene, ()).attrib
        return self._pictures({**picture_of(scene), "outcome": outcome, "look": look, "shapes": shapes})

    def _shape(self, scene: Scene, shape: Shape) -> int:
        if shape not in self._drawn_shapes:
            *_, made = self._drawn(scene, (shape,))
            self._drawn_shapes[shape] = self._shapes([made.tag, made.attrib, made.text or ""])
        return self._drawn_shapes[shape]

    @staticmethod
    def _drawn(scene: Scene, shapes: tuple[Shape, ...]) -> ElementTree.Element:
        return ElementTree.fromstring(to_svg(replace(scene, shapes=shapes)))

    def _state(self, state: Any) -> dict[str, Any]:
        """Each player's actions with names, probabilities and costs; the human player's prospects."""
        game, acting = self._game, self._game.acting_players(state)
        own, other = (game.legal_actions(state, player) if player in acting else () for player in self._seats)
        weighed = [
            self._judge.verdict(state, player, legal[0]) if legal else Verdict(0, {}, {})
            for player, legal in zip(self._seats, (own, other), strict=True)
        ]
        return {
            "actions": [own, other],
            "names": [self._named(own, self._seats[0]), self._named(other, self._seats[1])],
            "mixes": [[each.mix[action] for action in each.mix] for each in weighed],
            "costs": [[each.costs[action] for action in each.costs] for each in weighed],
            "worth": float(self._judge.to_go(state, self._table.seat)) if acting else 0.0,
            "expected": self._judge.expected(state, self._table.seat) if own else 0.0,
            "choices": self._choices(choices_in(game, self._table.seat, own)),
            "verdicts": [self._verdict(Verdict(action, weighed[0].costs, weighed[0].mix)) for action in own],
        }

    def _named(self, actions: Iterable[int], player: int) -> list[str]:
        return [self._game.describe_action(action, player) for action in actions]

    def _verdict(self, verdict: Verdict) -> int:
        return self._verdicts({**shown_verdict(self._table, verdict), "free": free_moves(self._table, verdict)})
