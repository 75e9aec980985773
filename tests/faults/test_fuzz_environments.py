"""Odd input to batches of every game, and odd answers of policies: accepted, or refused in one line without a trace.

Environments of a single game are tested by `cardwar check` and in `tests/envs/test_env_errors.py`.
"""

import numpy as np
import pytest
from odd import Fuzz, briefly_or_long, shuffled
from tiny_games import EVERY_GAME

from cardwar_envs import make_game
from cardwar_envs.core.play import random_state
from cardwar_envs.core.policy_names import named_policy
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.envs.vector_env import GameVectorEnv


class Moody:
    """Plays uniformly, but for the answers that it is told to give."""

    def __init__(self, game):
        self._usual, self.answer = named_policy("uniform", game), None

    def action_probabilities(self, observations, action_masks):
        usual = self._usual.action_probabilities(observations, action_masks)
        return usual if self.answer is None else self.answer(usual)


def odd_answer(fuzz):
    """What a policy may answer by mistake, made of the right answer."""
    factor, number, odd = fuzz.random.choice([0.0, -1.0, 2.0, float("nan"), 1.0]), fuzz.random.random(), fuzz.odd()
    return fuzz.random.choice(
        [
            lambda usual: odd,
            lambda usual: usual * factor,
            lambda usual: usual[:, ::-1],
            lambda usual: usual[:-1],
            lambda usual: usual.tolist(),
            lambda usual: usual.astype(object),
            lambda usual: usual.astype(np.complex128),
            lambda usual: usual.astype(str),
            lambda usual: np.where(usual > 0, usual + 1e-12 * number, -1e-12),
            lambda usual: usual + number * np.eye(*usual.shape),
            lambda usual: [[odd] * usual.shape[1]] * len(usual),
        ]
    )


class FuzzedBatch:
    """A `GameBatch` of three games, by compiled rules where there are any."""

    engine = "auto"

    def __init__(self, game, fuzz):
        self.game, self.fuzz = game, fuzz
        self.rng = np.random.default_rng(fuzz.random.randrange(2**32))
        self.batch = GameBatch(game, 3, seed=0, engine=self.engine)
        self.batch.reset()

    def look(self):
        return self.batch.states(), self.batch.streams.tolist(), [each.tolist() for each in self.batch._engine.views()]

    def trying(self, kind, tried):
        return self.fuzz.trying(kind, tried, self.look)

    def attempt(self):
        fuzz = self.fuzz
        if fuzz.chance(0.2):
            states = [random_state(self.game, self.rng) for _ in range(3)]
            if fuzz.chance(0.7):
                place = fuzz.random.randrange(3)
                states[place] = shuffled(fuzz, states[place])
            if fuzz.chance(0.2):
                states = fuzz.random.choice([states[:2], tuple(states), fuzz.odd(), [fuzz.odd()] * 3])
            with self.trying("reset", states):
                self.batch.reset(states)
        elif fuzz.chance(0.35):
            streams = self.batch.streams if fuzz.chance(0.5) else fuzz.odd()
            with self.trying("streams", streams):
                self.batch.streams = streams
        else:
            actions = distorted(fuzz, self.batch.uniform_actions())
            with self.trying("step", actions):
                self.batch.step(actions)


class FuzzedRules(FuzzedBatch):
    engine = "rules"


class FuzzedVector:
    """A vector environment of three games; the opponent is a policy of its own."""

    def __init__(self, game, fuzz):
        self.game, self.fuzz = game, fuzz
        self.rng = np.random.default_rng(fuzz.random.randrange(2**32))
        self.opponent = Moody(game)
        self.env = GameVectorEnv(game, 3, opponent=self.opponent, seat=fuzz.random.randrange(2))
        self.env.reset(seed=fuzz.random.randrange(100))

    def look(self):
        games, engine = self.env._games, self.env._games.engine
        kept = engine.views(), games._paid, games._owed
        return [
            engine.states(),
            engine.streams.tolist(),
            *(np.array(each).tolist() for group in kept for each in group),
        ]

    def attempt(self):
        fuzz, self.opponent.answer = self.fuzz, None
        if fuzz.chance(0.2):
            seed = fuzz.odd() if fuzz.chance(0.2) else fuzz.random.choice([None, 0, 1])
            options = fuzz.odd() if fuzz.chance(0.1) else self.options()
            with fuzz.trying("reset", (seed, options), self.look):
                self.env.reset(seed=seed, options=options)
            return
        actions = np.array([self.rng.choice(np.flatnonzero(mask)) for mask in self.env.action_masks()])
        self.opponent.answer = odd_answer(fuzz) if fuzz.chance(0.1) else None
        if self.opponent.answer is None:
            actions = distorted(fuzz, actions)
        with fuzz.trying("step", (actions, self.opponent.answer), self.look):
            self.env.step(actions)

    def options(self):
        """Options of a reset, with odd values or odd states."""
        fuzz, options = self.fuzz, {}
        if fuzz.chance(0.5):
            state = random_state(self.game, self.rng)
            options["state"] = state if fuzz.chance(0.5) else shuffled(fuzz, state)
        if fuzz.chance(0.3):
            options["start"] = fuzz.random.choice(["initial", "random", fuzz.odd()])
        if fuzz.chance(0.3):
            options["unknown"] = fuzz.odd()
        return options


def distorted(fuzz, actions):
    """An array of legal actions, as it is or with something wrong."""
    if fuzz.chance(0.4):
        return actions
    number, odd = fuzz.random.choice([-1, 0, 1, 99, 2**40]), fuzz.odd()
    somewhere = fuzz.random.randrange(actions.size)
    changed = actions.copy()
    changed.flat[somewhere] = number
    return fuzz.random.choice(
        [
            changed,
            changed,
            changed.tolist(),
            changed.astype(fuzz.random.choice([np.int8, np.uint64, np.float64, object, str, bool, "m8[s]"])),
            changed[:-1],
            changed[..., None],
            np.asfortranarray(changed),
            odd,
        ]
    )


SKINS = [FuzzedVector, FuzzedBatch, FuzzedRules]


GAMES = [*EVERY_GAME, make_game("war", num_players=3, ranks=3, discards=1, max_rounds=4)]
QUICK, LONG = 60, 1800
NAMES = {f"{game.facts.name}-{game.facts.num_players}": game for game in GAMES}
CASES = {f"{skin.__name__}-{name}": (skin, game) for skin in SKINS for name, game in NAMES.items()}


@briefly_or_long("count", QUICK, LONG)
@pytest.mark.thin
@pytest.mark.parametrize(("skin", "game"), CASES.values(), ids=CASES)
def test_odd_input_is_refused_without_a_trace(skin, game, count):
    fuzz = Fuzz(f"{skin.__name__} {game.facts.name}")
    subject = skin(game, fuzz)
    for _ in range(count):
        subject.attempt()
    fuzz.check(least=1, rare=2 if count == QUICK else 0)
