"""Odd input to environments of every game: accepted, or refused in one line and without a trace."""

import pytest
from fuzzed_skins import SKINS, checked_answer
from odd import ODD, Fuzz
from tiny_games import EVERY_GAME

from cardwar_envs import make_game
from cardwar_envs.envs.parallel import ParallelGameEnv

GAMES = [*EVERY_GAME, make_game("war", num_players=3, ranks=3, discards=1, max_rounds=4)]
QUICK, LONG = 60, 1800
CASES = [(skin, game) for skin in SKINS for game in GAMES]
every_case = pytest.mark.parametrize(
    ("skin", "game"),
    CASES,
    ids=[f"{skin.__name__}-{game.facts.name}-{game.facts.num_players}" for skin, game in CASES],
)


def fuzzed(skin, game, count):
    fuzz = Fuzz(f"{skin.__name__} {game.facts.name}")
    subject = skin(game, fuzz)
    for _ in range(count):
        subject.attempt()
    fuzz.check(least=1, rare=2 if count == QUICK else 0)
    return fuzz


@pytest.mark.thin
@every_case
def test_odd_input_is_refused_without_a_trace(skin, game):
    fuzzed(skin, game, QUICK)


@pytest.mark.soak
@every_case
def test_a_lot_of_odd_input_is_refused_without_a_trace(skin, game):
    fuzz = fuzzed(skin, game, LONG)
    assert sum(fuzz.counts.values()) == LONG


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.facts.name}-{game.facts.num_players}")
def test_odd_answers_of_policies_are_refused(game):
    fuzz = Fuzz(game.facts.name)
    for _ in range(150):
        checked_answer(fuzz, game)
    fuzz.check()


def test_joint_actions_that_are_no_dict_are_refused():
    env = ParallelGameEnv(GAMES[0])
    env.reset(seed=0)
    for odd in ODD:
        with pytest.raises(ValueError, match="actions"):
            env.step(odd)
