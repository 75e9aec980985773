"""A game in one file: its data are the rules' and the oracle's everywhere, and no text of a game is markup."""

import base64
import gzip
import hashlib
import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from command import run, run_refused
from hostile import EVIL, Hostile
from toys import in_turn, paid_start

import baselines
from cardwar_envs import make_game
from cardwar_envs.drawing.svg import to_svg
from cardwar_play import one_file
from cardwar_play.judge import Judge
from cardwar_play.one_file import Listing, page_with, places_of
from cardwar_play.seating import table_for
from cardwar_play.trainer import revealed_at
from cardwar_play.view import outcome_of, picture_of


def undercut():
    sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
    try:
        return make_game("undercut:Undercut", rounds=2)
    finally:
        sys.path.pop(0)


GAMES = {
    "jujitsu": lambda: make_game("jujitsu", num_cards=3),
    "goofspiel": lambda: make_game("goofspiel", num_cards=3, prizes="descending"),
    "chance in moves": lambda: make_game("dice_wars", hand_0=(1, 2), hand_1=(1, 1), sides=3),
    "private rolls": lambda: make_game("dice_poker", sides=3),
    "hidden bids": lambda: make_game("goofspiel", num_cards=3, prizes="descending", bids="hidden"),
    "of another": undercut,
    "one waits": in_turn,
    "paid start": paid_start,
    "hostile": lambda: Hostile(num_cards=2),
}


def data_in(page):
    packed = re.search(r'id="data">(.*?)</script>', page)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def page_of(game, seat=0):
    """The solution, the places and the file."""
    solution, places = baselines.solve(game), places_of(game)
    return solution, list(places), page_with(Listing(table_for(game, seat, [], solution), places).data())


def drawn_shapes(game, data, picture, revealed):
    """Holds a picture to the scene that the served page shows."""
    scene = game.scene(revealed)
    root = ElementTree.fromstring(to_svg(scene))
    assert [data["shapes"][shape] for shape in picture["shapes"]] == [
        [e.tag.split("}")[1], {re.sub("{.*}", "xml:", k): v for k, v in e.attrib.items()}, e.text or ""]
        for e in root[2:]
    ]
    assert {key: picture[key] for key in ("size", "spots", "turned", "clickable")} == picture_of(scene)
    assert picture["outcome"] == outcome_of(scene)


@pytest.mark.parametrize("name", GAMES)
def test_every_place_is_that_of_the_rules_and_the_oracle(name):
    game, seat = GAMES[name](), len(name) % 2
    solution, places, page = page_of(game, seat)
    data, table, judge = data_in(page), table_for(game, seat, [], solution), Judge(solution)
    assert abs(data["value"] - (1 - 2 * seat) * solution.value) < 1e-12
    assert [start[:3] for start in data["starts"]] == [
        [float(start.probability), places.index((start.state, start.rewards)), start.rewards[seat]]
        for start in game.initial()
    ]
    number, reached = {place: at for at, place in enumerate(places)}, {start[1] for start in data["starts"]}
    for (state, payoffs), (kind, _, moves) in zip(places, data["places"], strict=True):
        entry, acting = data["states"][kind], game.acting_players(state)
        legal = [list(game.legal_actions(state, p)) if p in acting else [] for p in (seat, 1 - seat)]
        assert entry["actions"] == legal
        for who, player in enumerate((seat, 1 - seat)):
            assert entry["names"][who] == [game.describe_action(action, player) for action in legal[who]]
            if legal[who]:
                verdict = judge.verdict(state, player, legal[who][0])
                assert entry["costs"][who] == [verdict.costs[action] for action in legal[who]]
                assert entry["mixes"][who] == [verdict.mix[action] for action in legal[who]]
        assert entry["worth"] == (judge.to_go(state, seat) if acting else 0.0)
        joint = [(a, b) for a in legal[0] or [None] for b in legal[1] or [None]] if acting else []
        assert len(moves) == len(joint)
        for both, outcomes in zip(joint, moves, strict=True):
            actions = {p: a for p, a in zip((seat, 1 - seat), both, strict=True) if a is not None}
            for (p, to, paid, picture), outcome in zip(outcomes, game.transitions(state, actions), strict=True):
                after = tuple(np.add(payoffs, outcome.rewards).tolist())
                assert (p, paid) == (float(outcome.probability), outcome.rewards[seat])
                assert to == number[outcome.state, after]
                revealed = revealed_at(table, outcome.state, after, actions, state)
                drawn_shapes(game, data, data["pictures"][picture], revealed)
                reached.add(to)
    assert reached == set(range(len(places)))
    assert len(page) < 3e6


def test_a_verdict_is_by_information_state_and_the_picture_hides_the_others_roll():
    game = make_game("dice_poker")
    _, places, page = page_of(game)
    data = data_in(page)
    for roll in range(1, 7):
        mine = [at for at, (state, _) in enumerate(places) if game.acting_players(state) and state.rolls[0] == roll]
        assert len(mine) == 6
        assert len({str(data["states"][data["places"][at][0]]["verdicts"]) for at in mine}) == 1
    assert len({start[3] for start in data["starts"]}) == 6
    assert len({data["places"][start[1]][1] for start in data["starts"]}) == 6


def test_only_the_data_differ_between_games_and_only_hashed_code_runs():
    pages = [page_of(GAMES[name]())[2] for name in ("hostile", "jujitsu")]
    bare, other = (re.sub(r'(?<=id="data">)[A-Za-z0-9+/=]+(?=</script>)', "", page) for page in pages)
    assert bare == other
    assert EVIL in data_in(pages[0])["view"]["rules"]
    (script,), (style,) = (
        re.findall(r"<script>(.*?)</script>", bare, re.S),
        re.findall(r"<style>(.*?)</style>", bare, re.S),
    )
    hashes = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in (script, style)]
    policy = f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; "
    assert re.findall(r'Content-Security-Policy" content="(.*?)"', bare) == [
        policy + "base-uri 'none'; form-action 'none'"
    ]
    assert bare.index("Content-Security-Policy") < bare.index("<style>")
    assert bare.count("<script") == 2
    assert set(re.findall(r"https?:[^\"'\s]*", bare)) == {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/XML/1998/namespace",
    }  # names, which nothing loads
    markup = bare.replace(script, "").replace(style, "")
    assert not re.search(r"\son\w+=|style=|<link|\ssrc=", markup)
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|fetch\(|XMLHttp|import\(|eval\(|Function\(", script
    )
    assert not re.search(r"url\(|@import", style)


# -- the command ------------------------------------------------------------------------


def test_the_command_writes_the_file_and_says_how_to_play_it(capsys, tmp_path):
    out = tmp_path / "game.html"
    code, said, err = run(capsys, "page", "dice_poker", "sides=2", "--seat", "1", "--out", str(out))
    assert (code, err) == (0, "")
    assert f"Open {out} in a browser." in said
    assert data_in(out.read_text())["seat"] == 1
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("jujitsu num_cards=9", "the largest size that works is jujitsu num_cards=4"),
        ("dice_poker sides=100", "the largest size that works is dice_poker sides=14"),
        ("goofspiel payoff=win", "the largest size that works is goofspiel num_cards=3 payoff=win"),
        ("war num_players=3", "is for two-player zero-sum games; add num_players=2\n"),
        ("lowest_unique", "lowest_unique: a page against the equilibrium is for two-player zero-sum games; add num_pl"),
        ("jujitsu num_cards=3 --seat 2", "seat (2) must be in 0..1"),
        ("jujitsu num_cards=3 level:1", "level:1"),
        (
            "jujitsu num_cards=3 --out no/such/folder.html",
            "no/such/folder.html cannot be written: no/such is not an existing folder",
        ),
    ],
)
def test_what_has_no_page_is_refused_in_one_line(capsys, tmp_path, monkeypatch, words, message):
    monkeypatch.setattr(one_file, "MOST_OUTCOMES", 1000)
    out = [] if "--out" in words else ["--out", str(tmp_path / "game.html")]
    assert message in run_refused(capsys, "page", *words.split(), *out)
    assert list(tmp_path.iterdir()) == []
