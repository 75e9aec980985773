"""Skins of a game under odd input: one class each, whose `attempt` tries one input.

Those of PettingZoo are held to a model under refused input in `tests/envs/test_stateful.py`.
"""

import numpy as np
from odd import shuffled
from skins import choose, is_over, same, view

from cardwar_envs.core.play import random_state
from cardwar_envs.core.policy import checked_probabilities
from cardwar_envs.core.policy_names import named_policy
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.envs.single_agent import SingleAgentEnv
from cardwar_envs.envs.vector_env import GameVectorEnv


class Moody:
    """Plays uniformly, but for the answers that it is told to give."""

    def __init__(self, game):
        self._usual, self.answer = named_policy("uniform", game), None

    def action_probabilities(self, observations, action_masks):
        usual = self._usual.action_probabilities(observations, action_masks)
        return usual if self.answer is None else self.answer(usual)


class Skin:
    """What all skins have in common: resets with odd seeds, options and states."""

    def __init__(self, game, fuzz):
        self.game, self.fuzz = game, fuzz
        self.rng = np.random.default_rng(fuzz.random.randrange(2**32))
        self.env = self.made()
        self.env.reset(seed=fuzz.random.randrange(100))

    def look(self):
        return view(self.env)

    def trying(self, kind, tried):
        return self.fuzz.trying(kind, tried, self.look, same)

    def attempt(self):
        fuzz = self.fuzz
        if self.over() and fuzz.chance(0.9):
            self.env.reset()
        if fuzz.chance(0.2):
            self.attempt_reset()
        else:
            self.attempt_step()

    def attempt_reset(self):
        fuzz = self.fuzz
        seed = fuzz.odd() if fuzz.chance(0.2) else fuzz.random.choice([None, 0, 1])
        options = fuzz.odd() if fuzz.chance(0.1) else self.options()
        with self.trying("reset", (seed, options)):
            self.env.reset(seed=seed, options=options)

    def options(self):
        fuzz, options = self.fuzz, {}
        if fuzz.chance(0.5):
            state = random_state(self.game, self.rng)
            options["state"] = state if fuzz.chance(0.5) else shuffled(fuzz, state)
        if fuzz.chance(0.3):
            options["start"] = fuzz.random.choice(["initial", "random", fuzz.odd()])
        if fuzz.chance(0.3):
            options["unknown"] = fuzz.odd()
        return options

    def action(self, player):
        """Mostly what is legal, else what can be anything."""
        if self.fuzz.chance(0.5):
            legal = self.game.legal_actions(self.env._session.state, player)
            return legal[self.fuzz.random.randrange(len(legal))] if legal else None
        return (
            self.fuzz.random.randrange(-1, self.game.facts.num_actions + 1)
            if self.fuzz.chance(0.3)
            else self.fuzz.odd()
        )

    def over(self):
        return is_over(self.env)


class FuzzedSingle(Skin):
    def made(self):
        self.opponent = Moody(self.game)
        return SingleAgentEnv(self.game, opponent=self.opponent, seat=self.fuzz.random.randrange(2), render_mode="ansi")

    def attempt_step(self):
        action = self.action(self.env.seat)
        with self.trying("step", action):
            self.env.step(action)


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


class FuzzedAnswers(FuzzedSingle):
    """The opponent's answers are odd, the agent's actions are not."""

    def attempt(self):
        env, fuzz = self.env, self.fuzz
        if self.over():
            env.reset()
        action = choose(env, env.seat, self.rng)
        self.opponent.answer = odd_answer(fuzz) if fuzz.chance(0.6) else None
        with self.trying("answer", self.opponent.answer):
            env.step(action)
        self.opponent.answer = None


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


class FuzzedVector(Skin):
    """A vector environment of three games; the opponent is a policy of its own."""

    def made(self):
        self.opponent = Moody(self.game)
        return GameVectorEnv(self.game, 3, opponent=self.opponent, seat=self.fuzz.random.randrange(2))

    def look(self):
        games, engine = self.env._games, self.env._games.engine
        kept = games.views, games._paid, games._owed
        return [
            engine.states(),
            engine.streams.tolist(),
            *(np.array(each).tolist() for group in kept for each in group),
        ]

    def trying(self, kind, tried):
        return self.fuzz.trying(kind, tried, self.look)

    def over(self):
        return False

    def attempt_step(self):
        masks = self.env.action_masks()
        actions = np.array([self.rng.choice(np.flatnonzero(mask)) for mask in masks])
        self.opponent.answer = odd_answer(self.fuzz) if self.fuzz.chance(0.1) else None
        if self.opponent.answer is None:
            actions = distorted(self.fuzz, actions)
        with self.trying("step", (actions, self.opponent.answer)):
            self.env.step(actions)
        self.opponent.answer = None

    def attempt_reset(self):
        self.opponent.answer = None
        super().attempt_reset()


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


SKINS = [FuzzedSingle, FuzzedAnswers, FuzzedVector, FuzzedBatch, FuzzedRules]


def checked_answer(fuzz, game):
    """One odd answer to the question for a few states, asked as all of the package asks policies."""
    states = [random_state(game, np.random.default_rng(fuzz.random.randrange(100))) for _ in range(3)]
    player = game.acting_players(states[0])[0]
    states = [state for state in states if player in game.acting_players(state)]
    observations = np.array([game.observation(state, player) for state in states])
    masks = np.array([game.action_mask(state, player) for state in states])
    policy = Moody(game)
    policy.answer = odd_answer(fuzz)
    with fuzz.trying("checked answer", policy.answer):
        answer = checked_probabilities(policy, observations, masks)
        assert np.isfinite(answer).all()
        assert (answer >= 0.0).all()
        assert (answer[masks == 0] == 0.0).all()
        assert np.allclose(answer.sum(axis=1), 1.0)
