"""A game is found by its plain name, by an entry point, or by its module and class; a stored name imports nothing."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import gymnasium
import pettingzoo
import pytest
from thinning import each_row

from cardwar_envs import GAMES, make_game, register_game
from cardwar_envs.games.by_name import game_class, spelled_name
from cardwar_envs.games.jujitsu import Jujitsu

UNDERCUT = Path(__file__).parents[2] / "examples" / "undercut.py"

BROKEN = {
    "unfinished": (
        "from cardwar_envs import Game\nclass Own(Game): name = 'own'",
        r"it lacks acting_players\(self, state\), .*, facts \(a property\), initial\(self\), ",
    ),
    "no_game": ("class Own: pass", "is not a game: it must inherit from cardwar_envs.Game, as in class "),
    "a_number": ("Own = 3", "is not a game: it must inherit"),
    "not_there": ("", "module 'not_there' has no 'Own'"),
    "raises": ("1 / 0", "importing module 'raises' fails: ZeroDivisionError: division by zero"),
    "stops": ("raise SystemExit(3)", "importing module 'stops' fails: SystemExit: 3"),
    "wrong": ("def (", "importing module 'wrong' fails: SyntaxError: invalid syntax"),
    "needs_more": (
        "import no_such_package.part",
        "module 'needs_more' needs 'no_such_package', which is not",
    ),
    "thawed": ("from undercut import *\nclass Own(Undercut): pass", r"must be a frozen dataclass: write @dataclass\("),
    "melted": ("class Own:\n  class Own: pass", "is not a game"),
    "taken": (
        "from undercut import *\n@dataclass(frozen=True)\nclass Own(Undercut): name = 'jujitsu'",
        r"its name \('jujitsu'\) is that of another game, cardwar_envs\.games\.jujitsu:Jujitsu",
    ),
    "odd_name": (
        "from undercut import *\n@dataclass(frozen=True)\nclass Own(Undercut): name = '../Undercut'",
        r"its name \('\.\./Undercut'\) must consist of lower-case letters, digits and _",
    ),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder: it holds undercut.py, and what is imported from it is forgotten afterwards."""
    (tmp_path / "undercut.py").write_text(UNDERCUT.read_text())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    known, registered = set(sys.modules), set(GAMES)
    registries = (gymnasium.registry, pettingzoo.aec_registry, pettingzoo.parallel_registry)
    ids = [dict(registry) for registry in registries]
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]
    for name in set(GAMES) - registered:
        del GAMES[name]
    for registry, before in zip(registries, ids, strict=True):
        registry.clear()
        registry.update(before)


def test_a_class_of_a_module_in_the_working_folder(folder):
    game = make_game("undercut:Undercut", rounds=2)
    assert (type(game).__module__, game.facts.name, game.rounds, game.highest) == ("undercut", "undercut", 2, 5)
    assert spelled_name(game) == "undercut:Undercut"
    assert "undercut" not in GAMES
    with pytest.raises(ValueError, match=r"undercut:Undercut has no parameter 'coins'; it has rounds, highest$"):
        make_game("undercut:Undercut", coins=2)


def test_the_working_folder_is_looked_at_last(folder):
    (folder / "fractions.py").write_text("raise RuntimeError('taken for the module of the standard library')")
    make_game("undercut:Undercut")
    assert sys.path[-1] == str(folder)
    assert sys.path.count(str(folder)) == 1


@each_row("name", BROKEN)
def test_what_cannot_be_a_game_is_named_in_one_line(folder, name):
    source, message = BROKEN[name]
    (folder / f"{name}.py").write_text(source)
    with pytest.raises(ValueError, match=f"{name}:Own.*{message}") as caught:
        make_game(f"{name}:Own")
    assert "\n" not in str(caught.value)


@each_row("name", ["evil:Game", ":Game", "evil:", "undercut", "", "no.such:Game"])
def test_an_unknown_name_says_what_there_is_or_where_was_looked(name):
    looked = name in ("evil:Game", "no.such:Game")
    with pytest.raises(ValueError, match="there is no module" if looked else "known games are dice_poker, .* as"):
        make_game(name)


def test_a_field_without_a_default_must_be_given(folder):
    source = "@dataclass(frozen=True, kw_only=True)\nclass Bare(Undercut):\n  name = 'bare'\n  stake: int"
    (folder / "bare.py").write_text(f"from undercut import *\n{source}")
    with pytest.raises(ValueError, match=r"bare:Bare needs stake$"):
        make_game("bare:Bare")
    assert make_game("bare:Bare", stake=3).stake == 3


def test_a_registered_game_is_made_by_its_name_everywhere(folder):
    kind = game_class("undercut:Undercut")
    assert register_game(kind) is kind
    game = make_game("undercut", rounds=1)
    assert (type(game), spelled_name(game)) == (kind, "undercut")
    assert gymnasium.make("cardwar/Undercut-v0", rounds=1).unwrapped.game == game
    assert gymnasium.make_vec("cardwar/Undercut-v0", num_envs=2, rounds=1).unwrapped.game == game
    for skin in ("aec", "parallel"):
        assert pettingzoo.make(skin, "cardwar/undercut-v0", rounds=1).unwrapped.game == game
    del sys.modules["undercut"]  # as in a notebook, in which the cell runs again
    again = game_class("undercut:Undercut")
    assert again is not kind
    register_game(again)
    assert type(make_game("undercut")) is again


@dataclass(frozen=True)
class Variant(Jujitsu):
    """Has a name of its own."""

    name: ClassVar[str] = "by_name_variant"


def test_an_instance_is_not_registered():
    with pytest.raises(ValueError, match="is not a game"):
        register_game(make_game("jujitsu"))


@each_row("kind", ["aec", "parallel", "gymnasium"])
def test_any_game_by_one_id(folder, kind):
    make = gymnasium.make if kind == "gymnasium" else lambda *words, **rest: pettingzoo.make(kind, *words, **rest)
    assert make("cardwar/game-v0", game="undercut:Undercut", rounds=2).unwrapped.game.rounds == 2
    assert make("cardwar/game-v0", game="jujitsu", num_cards=2).unwrapped.game == make_game("jujitsu", num_cards=2)
    assert make("cardwar/game-v0", game=Variant(num_cards=2)).unwrapped.game == Variant(num_cards=2)


def test_games_of_installed_packages(tmp_path):
    """An installed package is a folder on the path with its metadata beside it."""
    (tmp_path / "undercut.py").write_text("print('imported')\n" + UNDERCUT.read_text())
    metadata = tmp_path / "undercut-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: undercut\nVersion: 1.0\n")
    points = "undercut = undercut:Undercut\njujitsu = undercut:Undercut\nbroken = undercut:Nothing\n"
    (metadata / "entry_points.txt").write_text(f"[cardwar_envs.games]\n{points}")
    code = f"""
import sys
sys.path.append({str(tmp_path)!r})
import cardwar_envs, gymnasium, pettingzoo
print("nothing so far")
game = cardwar_envs.make_game("undercut", rounds=2)
assert gymnasium.make("cardwar/Undercut-v0", rounds=2).unwrapped.game == game
assert pettingzoo.make("aec", "cardwar/undercut-v0", rounds=2).unwrapped.game == game
print(type(cardwar_envs.make_game("jujitsu")).__name__)
for name in ("broken", "nothing"):
    try:
        cardwar_envs.make_game(name)
    except ValueError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    before, imported, shipped, broken, unknown = done.stdout.splitlines()
    assert (before, imported, shipped) == ("nothing so far", "imported", "Jujitsu")
    assert broken == "broken: module 'undercut' has no 'Nothing'"
    assert unknown.startswith("unknown game 'nothing'; known games are dice_poker, ")
    assert ", undercut, broken; " in unknown
