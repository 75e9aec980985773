"""The cases that are chosen to run every time show what they are chosen for."""

import shutil
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest
from thinning import covering, each_row
from tiny_games import BY_PAIRS, CHOSEN, EVERY_GAME, TINY_GAMES, features


def shown(games, strength):
    """Everything that comes up in one of the games: values of features, or pairs of values of two features."""
    return {each for game in games for each in combinations(sorted(features(game).items()), strength)}


def test_the_chosen_games_show_each_value_and_of_older_games_each_pair():
    chosen = [TINY_GAMES[name] for name in CHOSEN]
    assert shown(chosen, 1) == shown(TINY_GAMES.values(), 1)
    assert shown([game for name, game in BY_PAIRS.items() if name in CHOSEN], 2) == shown(BY_PAIRS.values(), 2)
    assert {type(game) for game in chosen} == {type(game) for game in EVERY_GAME}
    assert len(chosen) <= len(TINY_GAMES) / 3


def test_few_cases_show_all_values_or_all_pairs():
    cases = [{"a": a, "b": b, "c": c} for a in range(3) for b in range(3) for c in range(3)]
    assert len(covering(cases, 1)) == 3
    chosen = [cases[place] for place in covering(cases, 2)]
    assert len(chosen) < 14
    for first, second in (("a", "b"), ("a", "c"), ("b", "c")):
        assert len({(case[first], case[second]) for case in chosen}) == 9


def test_a_row_that_fails_is_named():
    tried = []

    @each_row(("first", "second"), [(1, 1), (1, 2), (2, 2)])
    def rows(first, second):
        tried.append(first)
        assert first == second

    with pytest.raises(AssertionError) as error:
        rows()
    assert tried == [1, 1]
    assert error.value.__notes__ == ["on the row {'first': 1, 'second': 2}"]


PROJECT = """
import pytest

@pytest.mark.thin
@pytest.mark.parametrize("a", range(3))
@pytest.mark.parametrize("b", range(3))
def test_thin(a, b):
    pass

@pytest.mark.parametrize("a", [0, pytest.param(1, marks=pytest.mark.wide)])
def test_wide(a):
    pass
"""


@pytest.mark.parametrize(("options", "passed"), [((), 4), (("--wide",), 11), (("--wide", "-m", "wide"), 7)])
def test_the_option_wide_runs_all_cases(tmp_path, options, passed):
    """In a project of its own, with the settings of this one."""
    here = Path(__file__).parent
    shutil.copy(here / "conftest.py", tmp_path)
    shutil.copytree(here / "helpers", tmp_path / "helpers")
    (tmp_path / "test_project.py").write_text(PROJECT)
    command = [sys.executable, "-m", "pytest", "-c", here.parent / "pyproject.toml", "--rootdir", tmp_path, *options]
    done = subprocess.run([*command, "-p", "no:cacheprovider", tmp_path], capture_output=True, text=True)
    assert f" {passed} passed" in done.stdout, done.stdout + done.stderr
