"""Pictures of games: readable, of one size, within their frame, and silent about what is hidden."""

import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest
from thinning import each_row
from tiny_games import EVERY_GAME
from toys import Toy

from cardwar_envs import DicePokerState, DuelState, Episode, Revealed, WarState, make_game, play_episode, to_svg
from cardwar_envs.core.game import FORFEIT
from cardwar_envs.core.scene import WIDTH, Box, Disc, Scene, Text, fitted, in_points, plain_scene, text_width
from cardwar_envs.drawing.palette import PALETTE
from train.text.game_names import game_from_words

NASTY = 'a <b> & "c" ]]> \x00\x1b\ud800 ' + "Пример 例えば 🂡 " * 30


class Stranger(Toy):
    """Anybody's game, which brings no picture of its own, and whose texts are awkward."""

    def describe(self, state):
        return "\n".join([NASTY, "  indented", *(f"line {i}" for i in range(60))]) if state else f"state {state}"

    def describe_action(self, action, player=0):
        return NASTY


STRANGER = Stranger((((0, 1), {(a, b): [(1, 1, 2)] for a in (0, 1) for b in (0, 1)}),))
EXTREME = [
    make_game("jujitsu"),
    make_game("jujitsu", num_cards=9, view="word"),
    make_game("dinosaur_war", hand_0=tuple(range(81, 101)), hand_1=tuple(range(-99, -79))),
    make_game("dinosaur_war", hand_0=(10**12, 10**15), hand_1=(-(10**15), 10**12)),
    make_game("dinosaur_war", num_cards=60),
    make_game("dice_wars", hand_0=(40, 39, 3, 1), hand_1=(40, 38, 4, 2), sides=300),
    make_game("dice_poker", sides=100, ante=1e9, raise_size=123456.789),
    make_game("war", num_players=6, max_rounds=40),
    make_game("war", num_players=20, ranks=30, discards=1, max_rounds=20),
    make_game("war", num_players=3, ranks=60, discards=1, max_rounds=60),
    make_game("war", num_players=101, ranks=3, discards=0, max_rounds=4),
]
ALL = [*EVERY_GAME, *EXTREME, STRANGER]
# A table of 101 players takes as long to look at as all the others.
FEWER = [pytest.param(game, marks=[pytest.mark.wide] * (game.facts.num_players > 100)) for game in ALL]


def shown(game, most=5):
    """Some states of a random game, the first and the last among them, as a spectator and two seats see them."""
    course = play_episode(game, ["uniform_actions"] * game.facts.num_players, seed=0).revealed(game)
    places = sorted({*np.linspace(0, len(course) - 1, most).astype(int).tolist()})
    return [replace(course[place], viewer=v) for v in (None, 0, game.facts.num_players - 1) for place in places]


def forfeited(game):
    """The start, forfeited by player 0."""
    state = game.initial()[0].state
    actions = {player: game.legal_actions(state, player)[0] for player in game.acting_players(state)}
    payoffs = (game.facts.min_payoff, game.facts.max_payoff, *(0.0,) * (game.facts.num_players - 2))
    return Revealed(state, 1, {**actions, 0: FORFEIT}, payoffs, over=True, before=state)


@cache
def scenes(game):
    names = ("You", *(f"simple_minded_2 (seat {seat})" for seat in range(1, game.facts.num_players)))
    named = [replace(revealed, names=names) for revealed in shown(game) if revealed.viewer == 0]
    return [game.scene(revealed) for revealed in [*shown(game), forfeited(game), *named]]


def texts(scene):
    return [shape.text for shape in scene.shapes if isinstance(shape, Text)]


def inside(inner, outer):
    """Whether bounds lie within others, with a hundredth to spare."""
    return all(a >= b - 0.01 for a, b in zip(inner[:2], outer[:2], strict=True)) and all(
        a <= b + 0.01 for a, b in zip(inner[2:], outer[2:], strict=True)
    )


def require_frame(scene):
    frame = (0, 0, scene.width, scene.height)
    assert [shape for shape in scene.shapes if not inside(shape.bounds, frame)] == []
    assert scene.width == WIDTH
    assert scene.title
    assert scene.description


def overlap(first, second):
    return (
        min(first[2], second[2]) - max(first[0], second[0]) > 0.5 < min(first[3], second[3]) - max(first[1], second[1])
    )


def require_distance(scene):
    """No text lies on another."""
    lines = sorted((s for s in scene.shapes if isinstance(s, Text) and s.text), key=lambda line: line.y)
    near = ((line, other) for i, line in enumerate(lines) for other in lines[i + 1 : i + 30])
    assert [pair for pair in near if overlap(pair[0].bounds, pair[1].bounds)] == []


def luminance(colour):
    """Relative luminance, as WCAG 2.2 defines it."""
    parts = [int(PALETTE[colour][place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return np.dot([0.2126, 0.7152, 0.0722], linear)


def contrast(first, second):
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast("text", "card") == 1.0
    assert contrast("text", "player_0") == pytest.approx(7.15, abs=0.1)  # white on #00599c


def require_contrast(scene):
    """All text can be told from what it stands on."""
    pairs = set()
    for place, text in enumerate(scene.shapes[:300]):
        if isinstance(text, Text):
            left, top, right, bottom = text.bounds
            x, y = (left + right) / 2, (top + bottom) / 2
            below = [
                shape.fill
                for shape in scene.shapes[:place]
                if not isinstance(shape, Text) and shape.fill and inside((x, y, x, y), shape.bounds)
            ]
            pairs.add((text.colour, below[-1]))
    assert pairs
    assert {pair: contrast(*pair) for pair in pairs if contrast(*pair) < 4.5} == {}


def require_svg(scene):
    """As SVG it is XML that says what is shown, and nothing that runs or loads."""
    svg = to_svg(scene)
    root = ElementTree.fromstring(svg.encode())
    space = "{http://www.w3.org/2000/svg}"
    assert (root.tag, root.get("role")) == (f"{space}svg", "img")
    assert root.get("viewBox") == f"0 0 {scene.width} {scene.height}"
    assert [child.tag for child in root[:2]] == [f"{space}title", f"{space}desc"]
    assert len(root) == 2 + len(scene.shapes)
    assert " ".join(root[0].text.split()) == " ".join(scene.title.split())
    written = [each.text or "" for each in root.iter(f"{space}text")]
    assert written == [re.sub("[\x00\x1b\ud800]", "\ufffd", text) for text in texts(scene)]
    assert not {"href", "id", "script", "style", "image"} & set(re.findall(r"[a-z]+", re.sub(">[^<]*<", "><", svg)))


@pytest.mark.parametrize("game", FEWER, ids=lambda game: f"{game.facts.name}-{ALL.index(game)}")
def test_pictures_are_legible_and_of_one_size(game):
    drawn = scenes(game)
    assert len({(scene.width, scene.height) for scene in drawn}) == 1
    for place, scene in enumerate(drawn):
        require_frame(scene)
        require_distance(scene)
        require_contrast(scene)
        if place % 4 == 0:
            require_svg(scene)


PHONE = 351 / WIDTH  # pixels per unit of length


@each_row("words", ["jujitsu", "goofspiel", "dinosaur_war", "dice_wars", "war num_players=3"])
def test_cards_to_click_on_are_large_enough_for_a_finger(words):
    name, *given = words.split()
    game = game_from_words(name, given)
    for scene in (game.scene(Revealed(game.initial()[0].state, seat, None, (0.0,) * 3, False)) for seat in (0, 1)):
        picked = [shape for shape in scene.shapes if isinstance(shape, Box) and shape.pick]
        assert len(picked) == len(game.legal_actions(game.initial()[0].state, 0))
        assert min(min(box.width, box.height) * PHONE for box in picked) >= 44


@each_row("words", ["jujitsu", "goofspiel", "oshi_zumo", "lowest_unique", "war num_players=3", "dice_poker"])
def test_moves_just_made_are_turned_up(words):
    name, *given = words.split()
    game = game_from_words(name, given)
    course = play_episode(game, ["uniform_actions"] * game.facts.num_players, seed=0).revealed(game)
    scenes = [game.scene(revealed).shapes for revealed in course[:2]]
    turned = [sum(isinstance(shape, Box) and shape.turned for shape in shapes) for shapes in scenes]
    assert turned == [0, game.facts.num_players]


@each_row("game", ALL)
def test_players_go_by_their_names(game):
    named = [text for scene in scenes(game)[-2:] for text in [*texts(scene), scene.title]]
    assert not [text for text in named if "player_" in text or text.startswith("your ")]


@each_row("game", [*EVERY_GAME, STRANGER])
def test_pixels_have_the_size_of_the_scene(game):
    pytest.importorskip("pygame")
    from cardwar_envs.drawing.pixels import to_pixels

    for scene in scenes(game)[::8]:
        pixels = to_pixels(scene)
        assert (pixels.shape, pixels.dtype) == ((scene.height, scene.width, 3), np.uint8)
        assert len(np.unique(pixels @ np.array([1 << 16, 1 << 8, 1]))) > 10, "it shows something"
        assert np.array_equal(pixels, to_pixels(scene))


def test_the_estimate_of_a_text_s_width_holds_for_the_font_of_pixels():
    pygame = pytest.importorskip("pygame")
    pygame.font.init()
    font = pygame.font.Font(str(pygame.__file__).replace("__init__.py", pygame.font.get_default_font()), 100)
    for scene in (scene for game in ALL[:-1] for scene in scenes(game)[::5]):
        for text in texts(scene):
            assert font.size(text)[0] <= text_width(text, 100), text


def test_pixels_are_of_the_colours_asked_for():
    pytest.importorskip("pygame")
    from cardwar_envs.drawing.pixels import to_pixels

    shapes = (
        Box(0, 0, 40, 20, "table", radius=0),
        Box(4, 4, 12, 12, "card", "win", 2, radius=0),
        Disc(30, 10, 6, "player_1"),
    )
    pixels = to_pixels(Scene(40, 20, shapes, "colours"))
    for place, colour in (((1, 1), "table"), ((4, 10), "win"), ((10, 10), "card"), ((10, 30), "player_1")):
        assert "#" + bytes(pixels[place].tolist()).hex() == PALETTE[colour]
    assert "#" + bytes(pixels[10, 37].tolist()).hex() == PALETTE["table"]


# -- what pictures say --------------------------------------------------------------------


def framed(scene):
    """The texts on cards that a frame marks as the winner's."""
    frames = [shape.bounds for shape in scene.shapes if isinstance(shape, Box) and shape.stroke == "win"]
    words = [shape for shape in scene.shapes if isinstance(shape, Text) and shape.text]
    return [word.text for frame in frames for word in words if inside(word.bounds, frame)]


def cards(scene, player):
    """The texts in a player's colour, in reading order."""
    own = [s for s in scene.shapes if isinstance(s, Text) and s.colour == f"player_{player}"]
    return [shape.text for shape in sorted(own, key=lambda shape: (shape.y, shape.x))]


JUJITSU = make_game("jujitsu", num_cards=5)
AFTER = DuelState(((1, 2, 5), (1, 2, 3)), score=-1, ties=1)
TRICK = Revealed(AFTER, 0, {0: 3, 1: 3}, (0.0, 0.0), over=False, before=DuelState(((1, 2, 4, 5), (1, 2, 3, 4)), -1, 0))


@each_row(
    ("revealed", "said", "winning"),
    [
        (Revealed(DuelState(((1,), (2,)), 3), None, None, (0.0, 0.0), False), ["player_0 leads by 3"], []),
        (TRICK, ["player_1 leads by 1", "The trick is tied", "1 tied, the next counts 2", "2 of 5 tricks", "you"], []),
        (
            Revealed(DuelState(((1, 2), (2, 3)), -2), 1, {0: 2, 1: 4}, (0.0, 0.0), False),
            ["player_1 won the trick", "player_1 leads by 2"],
            ["5"],
        ),
        (
            Revealed(DuelState(((), ()), 1), 0, {0: 4, 1: 0}, (1.0, -1.0), True),
            ["player_0 wins", "3 tricks to 2", "payoff +1"],
            ["5"],
        ),
        (
            Revealed(DuelState(((), ()), 0, 1), 0, {0: 4, 1: 4}, (0.0, 0.0), True),
            ["A draw", "with 2 tricks each", "1 tied, won by nobody"],
            [],
        ),
        (
            Revealed(DuelState(((2,), (3,))), 0, {0: FORFEIT, 1: 1}, (-1.0, 1.0), True),
            ["player_1 wins", "forfeits"],
            [],
        ),
    ],
)
def test_duels(revealed, said, winning):
    scene = JUJITSU.scene(revealed)
    assert set(said) <= set(texts(scene))
    assert framed(scene) == winning
    hands = revealed.state.hands
    played = revealed.last_actions or {}
    for player in (0, 1):
        words = [JUJITSU.describe_play(played[player], player)] if played else []
        assert sorted(cards(scene, player)) == sorted([*map(str, hands[player]), *words])
    assert "committed" not in scene.description
    assert scene.clickable == "one of your cards"
    assert scene.description == JUJITSU.describe_revealed(revealed)


def test_of_a_card_held_twice_one_stays():
    game = make_game("dinosaur_war", hand_0=(2, 2, 3), hand_1=(1, 1, 1))
    scene = game.scene(Revealed(DuelState(((2, 3), (1, 1))), None, None, (0.0, 0.0), False))
    assert (cards(scene, 0), cards(scene, 1)) == (["2", "3"], ["1", "1"])


def test_the_viewer_sits_at_the_bottom():
    def lowest(viewer):
        scene = JUJITSU.scene(Revealed(DuelState(((1,), (2,))), viewer, None, (0.0, 0.0), False))
        names = [shape for shape in scene.shapes if isinstance(shape, Text) and re.fullmatch(r"player_\d", shape.text)]
        return max(names, key=lambda shape: shape.y).text

    assert [lowest(viewer) for viewer in (None, 0, 1)] == ["player_1", "player_0", "player_1"]


def test_the_title_says_by_how_much_somebody_won():
    game = make_game("dinosaur_war", num_cards=2)
    lost = Revealed(DuelState(((), ()), -1), 0, {0: 0, 1: 1}, (-1.0, 1.0), True, names=("You", "uniform"))
    scene, even = game.scene(lost), replace(lost, state=DuelState(((), ())))
    assert (scene.outcome, scene.title) == ("uniform won the trick", "Dinosaur War: uniform wins by 1 trick")
    assert game.scene(even).title == "Dinosaur War: A draw with equally many tricks"
    packed = make_game("dinosaur_war", num_cards=2, view="word").scene(even)
    assert packed.title == scene.title, "this state has no score"


def test_battles_of_dice_show_their_odds():
    """3 dice against 2: won with 6052, tied with 542, lost with 1182 of 6^5 rolls."""
    game = make_game("dice_wars", num_cards=3)
    before, after = DuelState(((1, 2, 3), (1, 2, 3))), DuelState(((1, 2), (1, 3)), score=-1)
    scene = game.scene(Revealed(after, None, {0: 2, 1: 1}, (-1.0, 1.0), False, before))
    assert {"78%", "15%", "player_1 won the battle", "dice", "1 of 3 battles"} <= set(texts(scene))
    assert framed(scene) == ["2", "dice"]
    unknown = game.scene(Revealed(after, None, {0: 2, 1: 1}, (-1.0, 1.0), False))
    assert framed(unknown) == [], "the state alone does not say who won"
    sure = make_game("dice_wars", hand_0=(40, 1), hand_1=(1, 1)).scene(
        Revealed(DuelState(((1,), (1,)), 1), None, {0: 1, 1: 0}, (1.0, -1.0), False, DuelState(((1, 40), (1, 1))))
    )
    assert not {"100%", ">99%"} & set(texts(sure)), "40 dice always beat one: there are no odds"
    assert [text for text in texts(sure) if text in ("die", "dice")] == ["dice", "die"]
    assert scene.clickable == "one of your stacks"


@each_row("viewer", [None, 0, 1])
def test_dice_poker_shows_the_own_roll(viewer):
    """That it shows no other, `check_game` looks at."""
    game = make_game("dice_poker", sides=20)
    shown = texts(game.scene(Revealed(DicePokerState((3, 7)), viewer, None, (0.0, 0.0), False)))
    assert [text for text in shown if text.isdigit()] == ([] if viewer is None else ["37"[viewer]])
    end = Revealed(DicePokerState((3, 7), (1, 1)), viewer, {0: 1, 1: 1}, (-2.0, 2.0), True)
    assert {"3", "7", "raise", "call"} <= {*texts(game.scene(end))}


def test_dice_have_pips():
    game = make_game("dice_poker")
    for roll in range(1, 7):
        scene = game.scene(Revealed(DicePokerState((roll, 1)), 0, None, (0.0, 0.0), False))
        assert sum(isinstance(shape, Disc) for shape in scene.shapes) == roll


WAR = make_game("war", num_players=3, ranks=3, discards=1, max_rounds=9)


def test_war_shows_the_pot_the_war_and_who_is_out():
    before = WAR.initial()[0].state
    tied = WarState([(2, 3), (2, 3), (3, 4)], [()] * 3, pot=(2, 4, 4), tied=(0, 1), live=(0, 1, 2), rounds_left=9)
    scene = WAR.scene(Revealed(tied, 0, {0: 2, 1: 2, 2: 0}, (0.0,) * 3, False, before))
    assert {"War between player_0 and player_1", "3 cards in the pot", "x2", "9 rounds left"} <= set(texts(scene))
    assert texts(scene).count("at war, hand 2 + won 0") == 2
    over = WarState([(2,) * 3 + (3,) * 3 + (4,) * 3, (), ()], [()] * 3, live=(0,), rounds_left=4)
    scene = WAR.scene(Revealed(over, 2, None, (1.0, -0.5, -0.5), True))
    said = {"player_0 wins 1 point", "All others are out of cards", "the pot is empty", "x3", "9 cards, payoff +1"}
    assert said <= set(texts(scene))
    assert texts(scene).count("out, payoff -0.5") == 2


def test_pictures_of_war_show_all_cards():
    """Cards won are shown with a plus, as outlines if no such card is in the hand; cards without room are counted."""
    game = make_game("war", num_players=3)
    state = WarState([(4,), (5,), (6,)], [(4, 7), (8,), (9, 9)], rounds_left=3)
    scene = game.scene(Revealed(state, 0, None, (0.0,) * 3, False))
    assert cards(scene, 0) == ["4"]
    assert {"1+1", "hand 1 + won 2"} <= set(texts(scene))
    assert [texts(scene).count(each) for each in ("+1", "+2")] == [2, 1]
    state = WarState([(4,), (5,), (6,)], [()] * 3, (2, *range(2, 14), *range(2, 14)), rounds_left=3)
    in_pot = texts(game.scene(Revealed(state, 0, {0: 2, 1: 3, 2: 4}, (0.0,) * 3, False)))
    assert {"25 cards in the pot", "+12"} <= set(in_pot), "ranks 2 to 7 and 12 more cards"
    assert (in_pot.count("x2"), in_pot.count("x3")) == (5, 1)


@each_row(
    ("won", "said"), [((), "lost them to the table. All others are out of cards"), ((2,), "lost them to the table")]
)
def test_a_tie_without_a_war_is_explained(won, said):
    before = WarState([(3,), (3,), (2, 3, 4)], [won, (), ()], (4,) * 2, rounds_left=5)
    after = WAR.transitions(before, {0: 1, 1: 1, 2: 0})[0].state
    over = len(after.live) == 1
    scene = WAR.scene(Revealed(after, 0, {0: 1, 1: 1, 2: 0}, (0.0,) * 3, over, before))
    assert scene.outcome == f"player_0 and player_1 tied with too few cards for a war and {said}"
    assert ("A tie without a war: the cards stay on the table" in texts(scene)) == (not over)


ALL_CARDS = (2, 2, 3, 3)


@each_row(
    ("state", "paid", "said"),
    [
        (WarState([ALL_CARDS, ()], [()] * 2, rounds_left=1), 1.0, ["uniform is out of cards", "You win 1 point"]),
        (WarState([(), ALL_CARDS], [()] * 2, rounds_left=0), -1.0, ["You are out of cards", "uniform wins 1"]),
        (WarState([(2, 3)] * 2, [()] * 2, rounds_left=0), 0.0, ["The limit of 2 rounds is reached", "A draw"]),
        (WarState([()] * 2, [()] * 2, ALL_CARDS, rounds_left=1), 0.0, ["ran out of cards at the same time", "A draw"]),
    ],
)
def test_the_end_of_war_has_a_reason(state, paid, said):
    game = make_game("war", ranks=2, discards=0, max_rounds=2)
    game.check(state)
    scene = game.scene(Revealed(state, 0, None, (paid, -paid), True, names=("You", "uniform")))
    for each, shown in zip(said, (scene.outcome, scene.title), strict=True):
        assert each in shown
        assert each in " ".join(texts(scene))


def test_payoffs_are_not_rounded_to_something_else():
    game = make_game("dice_poker", ante=1e9, raise_size=123456.789)
    over = Revealed(DicePokerState((3, 2), (1, 1)), None, {0: 1, 1: 1}, (1000123456.789, -1000123456.789), True)
    assert {"player_0 wins 1,000,123,456.789 with the higher roll", "ante 1,000,000,000, raise 123,456.789"} <= set(
        texts(game.scene(over))
    )
    assert [in_points(payoff) for payoff in (2.0, Fraction(-1, 3), 0.0, 100.0)] == ["+2", "-0.3333", "+0", "+100"]


# Words that make a game, the moves of all players by their names, what is then said.
WRITTEN = [
    ("dice_poker sides=2 ante=3", ["raise fold"], ["player_0 wins 3 after player_1's fold", "fold"]),
    ("dice_poker sides=2", ["check fold"], ["Nobody wins anything with equal rolls", "would fold"]),
    ("war ranks=2 discards=0", ["3 3"], ["War between player_0 and player_1", "pot", "x2"]),
    ("war ranks=2 discards=0", ["3 2"], ["player_0 takes 2 cards", "hand 1 + won 2"]),
    (
        "war ranks=4 discards=1",
        ["5 5", "discards_2_and_battles_with_4 discards_2_and_battles_with_3"],
        ["player_0 takes 6 cards", "discards 2"],
    ),
    ("goofspiel num_cards=4 prizes=descending", ["4 1"], ["player_0 leads by 4", "player_0 won 4 points"]),
    ("goofspiel num_cards=4 prizes=descending", ["4 4"], ["Nobody leads", "Nobody won the prize"]),
    ("goofspiel num_cards=3 ties=carry prizes=ascending", ["1 1"], ["carried points: 1"]),
    ("goofspiel num_cards=1", ["1 1"], ["A draw with equally many points"]),
    (
        "goofspiel num_cards=2 prizes=descending ties=carry payoff=win",
        ["2 1", "1 2"],
        ["player_0 wins 2 points to 1", "player_1 won 1 point"],
    ),
    ("goofspiel num_cards=2 prizes=descending", ["1 2", "2 1"], ["player_1 wins by 1 point"]),
    ("liars_dice sides=3", ["1x1 wait"], ["?", "player_1 bids next", "1x1"]),
    (
        "liars_dice sides=3",
        ["1x1 wait", "wait 2x1", "liar wait"],
        ["2 dice count as 1: the bid 2x1 is true", "player_1 wins", "liar"],
    ),
    ("oshi_zumo size=30", ["10 3"], ["player_0 wins farther on"]),
    (
        "oshi_zumo",
        ["10 3"],
        [
            "player_0 wins here",
            "player_1 wins here",
            "40 of 50 coins",
            "The wrestler stands 1 field on player_1's side",
        ],
    ),
    (
        "oshi_zumo coins=5 size=1",
        ["1 2", "1 2"],
        ["The wrestler is off the board at player_0's end", "player_1 wins", "the game is over"],
    ),
    ("oshi_zumo coins=4 size=1", ["3 2", "1 2"], ["The wrestler stands in the middle", "all coins are gone", "A draw"]),
    ("lowest_unique", ["1 1 5"], ["player_2 has the lowest unique number", "payoff +1", "payoff -0.5"]),
    ("lowest_unique rounds=2", ["1 1 5", "2 2 2"], ["player_2 has the highest payoff, +1", "Nobody won the round"]),
    ("lowest_unique rounds=2", ["1 1 5", "1 2 2"], ["2 players have the highest payoff, +0.5"]),
    ("lowest_unique rounds=2", ["2 2 2", "2 2 2"], ["A draw"]),
    ("lowest_unique num_players=20 numbers=30", [" ".join(map(str, range(1, 21)))], ["last moves", "player_1  2"]),
]


@each_row(("words", "plays", "said"), WRITTEN)
def test_what_pictures_say(words, plays, said):
    name, *given = words.split()
    game = game_from_words(name, given)
    outcomes, moves = [game.initial()[0]], []
    for play in plays:
        state = outcomes[-1].state
        named = [
            {game.describe_action(a, p): a for a in game.legal_actions(state, p)} for p in game.acting_players(state)
        ]
        moves.append({p: named[p][word.replace("_", " ")] for p, word in enumerate(play.split())})
        outcomes.append(game.transitions(state, moves[-1])[0])
    dealt, *paid = (outcome.rewards for outcome in outcomes)
    scene = game.scene(Episode(tuple(o.state for o in outcomes), tuple(moves), dealt, tuple(paid)).revealed(game)[-1])
    assert set(said) <= {*texts(scene), scene.outcome, scene.title.partition(": ")[2]}


@each_row("game", EVERY_GAME)
def test_a_forfeit_is_no_card_and_wins_nothing(game):
    scene = game.scene(forfeited(game))
    said = " ".join(texts(scene))
    assert "forfeit" in said
    assert not re.search("player_0 wins(?! here)|has the lowest", said)
    assert not framed(scene) or game.facts.name == "goofspiel", "a frame marks the winner; prizes have one"


def test_a_strangers_game_is_drawn():
    start, end = scenes(STRANGER)[:2]
    assert texts(start)[0] == "Toy"
    assert "state 0" in texts(start)
    assert "the game is over" in texts(end)
    assert any(text.startswith("... and ") for text in texts(end)), "more lines than fit are counted"
    brief = type("Brief", (Stranger,), {"describe": lambda *_: "few words", "describe_action": lambda *_: "moves"})
    shown = texts(brief(STRANGER.table).scene(Revealed(1, None, {0: 1, 1: 0}, (2.0, -2.0), True)))
    assert {"player_0  moves", "player_1  moves", "payoffs so far", "player_0  +2", "player_1  -2"} <= {*shown}


# -- text that fits ------------------------------------------------------------------------


def test_text_shrinks_and_is_cut_off_where_it_must():
    assert fitted("short", 20, 500) == ("short", 20)
    words, size = fitted("a word that is too long", 20, 150)
    assert (words, 9 < size < 20) == ("a word that is too long", True)
    words, size = fitted("word " * 100, 20, 150)
    assert (words[-1], size) == ("…", 9)
    assert words.startswith("word word")
    assert text_width(words, size) <= 150
    assert fitted("anything", 20, 1)[0] == ""
    assert fitted("", 20, 100) == ("", 20)


def test_columns_of_text_stay_columns():
    scene = plain_scene("t", "", ["1  10", "22  3"], "d")
    lines = [shape for shape in scene.shapes if isinstance(shape, Text) and shape.mono]
    assert len({(line.x, line.size) for line in lines}) == 1
    assert 'xml:space="preserve"' in to_svg(scene)
