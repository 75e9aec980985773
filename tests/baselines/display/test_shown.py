"""How results look in notebooks and pictures, and what policies call themselves."""

import re
import sys
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import matplotlib
import numpy as np
import pytest
from toys import in_turn

from baselines import best_response, head_to_head, make_policy, nash_conv, solve
from baselines.display import html
from cardwar_envs import DuelState, make_game
from cardwar_envs.core.policy_names import policy_names
from cardwar_envs.games.jujitsu import Jujitsu

matplotlib.use("Agg")
GAME = make_game("jujitsu", num_cards=3)


class Balanced(HTMLParser):
    """Reads HTML, and says whether all its elements are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.names = [], [], set()
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.names.add(tag)
        assert {name for name, _ in attrs} <= {"style", "colspan"}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data.strip())


def shown(result):
    page = Balanced(result._repr_html_())
    assert page.names <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}  # no scripts
    colours = result._repr_html_().replace("color: inherit", "")
    assert "color" not in colours  # so that it suits light and dark notebooks
    return [text for text in page.texts if text]


def test_results_have_tables_for_notebooks():
    assert shown(solve(GAME))[:3] == ["an equilibrium of jujitsu", "value to player_0, payoff points", "0.000000"]
    assert shown(solve(GAME, exact=True))[2:5] == ["0", "certificate", "exact"]
    assert "0.200000" in shown(solve(GAME))
    poker = shown(solve(make_game("dice_poker")))
    assert "raise" in poker
    assert poker[-3:] == ["with type 4: call", "1/3 (0.333333)", "1"]  # a range, the last of player 1's
    # Uniform play's exploitability is 1/2 with 3 cards.
    assert shown(nash_conv(GAME, "uniform"))[0] == "NashConv 1.000000 payoff points"
    result = head_to_head(GAME, "highest_card", "lowest_card")
    assert shown(result)[1:5] == ["P(win)", "P(loss)", "P(tie)", "mean payoff"]
    assert "at the start (probability)" in shown(solve(in_turn()))


def test_reprs_are_short_and_say_how_exact_they_are():
    floats, exact, poker = solve(GAME), solve(GAME, exact=True), solve(make_game("dice_poker"))
    trick = DuelState(((1, 3), (2, 3)), score=1)
    response, duel = best_response(GAME, "uniform"), head_to_head(GAME, "highest_card", "lowest_card")
    results = [floats, exact, poker, floats.at(), exact.at(trick), nash_conv(GAME, "uniform"), response, duel]
    for result in results:
        assert re.fullmatch(r"<[^\n]{20,300}>", repr(result))
        assert not re.search(r"array\(| at 0x|None", repr(result))
        assert replace(result) == result or result is exact or "PlayAt" in repr(result)
    assert "certified to" in repr(floats)
    assert "value 5/54 (0.092593) to player_0, exact" in repr(poker)
    assert "value to go 1/3 (0.333333) to player_0, exact; player_0 1: 2/3 (0.666667), 3: 1/3" in repr(exact.at(trick))


def test_long_fractions_are_rounded_and_say_so():
    long = Fraction(2 * 10**5000 + 1, 10**5000)
    assert html.number(long) == "≈2.000000"
    assert html.fraction(long) == f"2{'0' * 4999}1/1{'0' * 5000}"  # Python itself refuses to write so many digits
    assert [html.number(Fraction(2, 3)), html.number(-0.0, Fraction(-4)), html.number(-1e-9)] == [
        "2/3 (0.666667)",
        "-4",
        "0.000000",
    ]


class Hostile(Jujitsu):
    name = "<script>alert(1)</script>"

    def describe_action(self, action, player=0):
        return f"<b onload='x'>&{action}"


def test_whatever_a_game_is_called_is_escaped():
    text = solve(Hostile(num_cards=3))._repr_html_()
    assert "<script" not in text
    assert "<b" not in re.sub("<tbody>", "", text)
    assert "&lt;script&gt;" in text
    assert "&lt;b onload=&#x27;x&#x27;&gt;&amp;0" in text


def test_long_tables_are_cut():
    rows = [(str(place), -1e-9) for place in range(html.MOST_ROWS + 2)]
    page = Balanced(html.table("long", ("place", "payoff"), rows))
    assert "and 2 more" in page.texts
    assert "0.000000" in page.texts  # never -0.000000


def labels(figure):
    every = [axes for part in (figure, *figure.subfigs) for axes in part.axes]
    return {(axes.get_xlabel(), axes.get_ylabel()) for axes in every}


@pytest.mark.parametrize("cards", [3, pytest.param(11, marks=pytest.mark.wide)])
def test_a_picture_of_a_state(cards, tmp_path):
    figure = solve(make_game("dinosaur_war", num_cards=cards)).show()
    assert labels(figure) >= {
        ("player_0 plays", "probability"),
        ("player_1 plays", "probability"),
        ("player_1 plays", "player_0 plays"),
        ("", "payoff points"),
    }
    bars, matrix = figure.subfigs[0].axes, figure.subfigs[1].axes[0]
    names = [str(card) for card in range(1, cards + 1)]
    for axes in (*bars, matrix):
        assert [tick.get_text() for tick in axes.get_xticklabels()] == names
    assert [bar.get_height() for bar in bars[0].patches] == pytest.approx([1 / cards] * cards)
    assert np.asarray(matrix.images[0].get_array()).shape == (cards, cards)
    figure.savefig(tmp_path / "picture.png")  # draws all of it; a warning would be an error


def test_a_picture_in_fractions(tmp_path):
    figure = solve(GAME, exact=True).show(DuelState(((1, 3), (2, 3)), score=1))
    bars, matrix = figure.subfigs[0].axes, figure.subfigs[1].axes[0]
    assert [[text.get_text() for text in axes.texts] for axes in (*bars, matrix)] == [
        ["2/3", "1/3"],
        ["2/3", "1/3"],
        ["0", "1", "1", "-1"],
    ]
    assert "value to go 1/3 to player_0" in figure.get_suptitle()
    figure.savefig(tmp_path / "picture.png")


def test_a_picture_of_the_first_of_several_starts_says_how_to_see_another():
    solution = solve(make_game("goofspiel", num_cards=3))
    title = solution.show().get_suptitle().replace("\n", " ")
    first, second, _ = (start.state for start in solution.game.initial())
    assert f"the first of 3 initial states; another: show({second!r})" in title
    assert "first of" not in solution.show(first).get_suptitle()
    with pytest.raises(ValueError, match=r"name one of them, such as GoofspielState\("):
        solution.labelled()


def test_a_picture_of_many_optimal_mixes():
    figure = solve(make_game("jujitsu", num_cards=5)).show(DuelState(((1, 2, 3), (1, 2, 3)), score=2))
    assert [axes.get_title() for axes in figure.subfigs[0].axes] == ["one of many optimal strategies"] * 2
    ranges = figure.subfigs[0].axes[0].containers
    assert len(ranges) == 2  # bars, and lines that show how far they can vary


def test_pictures_without_ranges_that_are_not_determined():
    figure = solve(make_game("war", ranks=4, discards=1)).show()
    assert {axes.get_title() for axes in figure.subfigs[0].axes} == {
        "an optimal strategy; others are not determined in floats"
    }
    figures = [figure.subfigs[0], solve(make_game("dice_poker", ante=0.1)).show()]
    for bars in (axes.containers for each in figures for axes in each.axes):
        assert all(type(container).__name__ == "BarContainer" for container in bars)


def test_a_picture_by_private_information(tmp_path):
    figure = solve(make_game("dice_poker")).show()
    assert labels(figure) == {("player_0 sees", "probability"), ("player_1 sees", "probability")}
    assert [text.get_text() for text in figure.axes[1].get_legend().get_texts()] == ["call", "fold"]
    figure.savefig(tmp_path / "picture.png")


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"cardwar-envs\[plot\]"):
        solve(GAME).show()


@pytest.mark.parametrize("game", [GAME, make_game("war", ranks=3, discards=1, max_rounds=4), make_game("dice_poker")])
def test_policies_say_what_they_are(game):
    told = {
        "general_purpose_adversary": {"others": ["min"]},
        "general_purpose_adversary_as_written": {"others": ["min"]},
    }
    made = [best_response(game, "uniform").policy]
    for name in policy_names():
        try:
            made.append(make_policy("level:1" if name == "level" else name, game, **told.get(name, {})))
        except ValueError:
            continue  # it plays other games
    assert len(made) > 3
    for policy in made:
        assert re.fullmatch(r"<.*>", repr(policy))
        assert " object at 0x" not in repr(policy)
