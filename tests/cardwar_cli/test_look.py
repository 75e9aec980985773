"""`cardwar games` and `cardwar rules`: every game that has a name, and how it is played."""

from dataclasses import dataclass, field
from importlib.metadata import EntryPoint

from command import run, run_json, run_refused
from thinning import each_row

from cardwar_envs import GAMES, make_game
from cardwar_envs.core.process import GAME_GROUP, installed
from cardwar_envs.games.jujitsu import Jujitsu
from train.text.game_names import game_with_players, json_parameters
from train.text.parsing import split_words


@dataclass(frozen=True)
class Rented(Jujitsu):
    """A game of another package, with a parameter that must be given."""

    name = "rented"
    rent: int = field(kw_only=True)


def test_games_lists_ours_and_those_of_other_packages(capsys, monkeypatch):
    for name, place in (("rented", f"{__name__}:Rented"), ("gone", "no_such_module:Gone")):
        monkeypatch.setitem(installed(GAME_GROUP), name, EntryPoint(name, place, GAME_GROUP))
    listed = {entry["name"]: entry for entry in run_json(capsys, "games")["games"]}
    assert list(listed) == [*GAMES, "rented", "gone"]
    for name in GAMES:
        defaults = {each["name"]: each["default"] for each in listed[name]["parameters"]}
        assert defaults == json_parameters(make_game(name))
        assert all(each["description"] for each in listed[name]["parameters"])
    assert "no module 'no_such_module'" in listed["gone"]["summary"]
    assert "default" not in next(each for each in listed["rented"]["parameters"] if each["name"] == "rent")
    code, out, err = run(capsys, "games")
    assert (code, err) == (0, "")
    for entry in listed.values():
        assert entry["name"] in out
        assert all(f"{each['name']}=" in out for each in entry["parameters"])
    assert "hand_0=1,...,13" in out
    assert "rent=..." in out


@each_row(
    "words",
    [
        "jujitsu hand_0=2,3,6 hand_1=1,3,5 ties=discard",
        "dice_wars num_cards=3 sides=4",
        "lowest_unique",
        "war num_players=3 ranks=4 discards=1",
    ],
)
def test_rules_are_those_of_the_game_that_the_last_line_plays(capsys, words):
    name, *given = words.split()
    told = run_json(capsys, "rules", name, *given)
    code, out, err = run(capsys, "rules", name, *given)
    assert (code, err) == (0, "")
    assert " ".join(told["how_to_play"].split()) in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80
    name, *given = out.splitlines()[-1].removeprefix("Play it: cardwar play ").split()
    game = game_with_players(name, split_words(given)[0], 2)
    assert json_parameters(game) == told["parameters"]
    assert game.how_to_play == told["how_to_play"]


def test_rules_of_no_game_are_refused(capsys):
    assert "did you mean 'jujitsu'" in run_refused(capsys, "rules", "jujitzu")
    assert "ties ('x') must be" in run_refused(capsys, "rules", "jujitsu", "ties=x")
