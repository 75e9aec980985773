"""Every public function that takes a game says what it got if that is no game."""

import inspect

import pytest
from thinning import each_row

import baselines
import cardwar_envs
from cardwar_envs.games.jujitsu import Jujitsu
from train.measures.exact import evaluate
from train.policies.files import load_policy
from train.runs.exploit import exploit
from train.runs.log import ExploitabilityLog
from train.runs.loop import run

OF_PACKAGES = [getattr(package, name) for package in (baselines, cardwar_envs) for name in package.__all__]
FUNCTIONS = [
    each for each in OF_PACKAGES if inspect.isfunction(each) and "game" in inspect.signature(each).parameters
] + [evaluate, exploit, run, load_policy, ExploitabilityLog]


def test_there_are_such_functions():
    assert {"solve", "exploitability", "best_response", "within_reach", "check_game"} <= {f.__name__ for f in FUNCTIONS}


@each_row("function", FUNCTIONS)
def test_what_is_no_game_is_named_with_how_to_make_one(function):
    needed = [each.name for each in inspect.signature(function).parameters.values() if each.default is each.empty]
    for wrong, said in (
        ("jujitsu", r"game \('jujitsu'\) must be .* cardwar_envs.make_game\(\"jujitsu\", .*; it is a str"),
        (Jujitsu, r"must be a game, .*; it is a class"),
        ([], r"game \(\[\]\) must be a game, .*; it is a list"),
    ):
        with pytest.raises(ValueError, match=said):
            function(**{**dict.fromkeys(needed), "game": wrong})
