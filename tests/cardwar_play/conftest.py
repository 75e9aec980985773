"""Five-card Jujitsu, solved once: small, and good play in it is mixed."""

import pytest

import baselines
from cardwar_envs import make_game
from cardwar_play.seating import table_for
from cardwar_play.trainer import Trainer


@pytest.fixture(scope="session")
def solution():
    return baselines.solve(make_game("jujitsu", num_cards=5))


@pytest.fixture
def trainer_of():
    """Makes a trainer in which the person sits in `seat` against the equilibrium."""

    def make(solved, seat=0, seed=0, against=()):
        return Trainer(table_for(solved.game, seat, against, solved), seed)

    return make


@pytest.fixture
def finished(solution, trainer_of):
    """A game in which the person has played the highest card throughout."""
    trainer = trainer_of(solution, seed=3)
    while trainer.ending is None:
        trainer.play(trainer.choices[-1])
    return trainer
