"""Every game's AEC and Parallel environment against the rules as a model, under any order of calls.

Resets (seeded or not, from any start), legal and illegal steps, looking, copying and pickling come in any order;
after each call everything that can be seen must be what the rules say, so what is refused has changed nothing.
"""

import copy
import pickle

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from knock_out import KnockOut
from tiny_games import EVERY_GAME

from cardwar_envs import IllegalActionError, make_game
from cardwar_envs.core.play import random_state, sample_transition
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.session import own_stream

GAMES = {game.facts.name: game for game in EVERY_GAME}
GAMES["war_for_three"] = make_game("war", num_players=3, ranks=3, discards=1, max_rounds=4)
GAMES["knock_out"] = KnockOut()
SETTINGS = settings(max_examples=15, stateful_step_count=30, deadline=None, derandomize=True)
NO_ACTIONS = st.sampled_from([-1, 10**6, 10**30, 0.0, float("nan"), "0", None, np.True_])
BAD_OPTIONS = st.sampled_from(
    [{"start": "middle"}, {"start": None}, {"state": "nowhere"}, {"state": 7, "start": "random"}]
)
SEEDS = st.integers(0, 9)


class Model:
    """A game by its rules alone, drawn from the stream that an environment with this seed draws from."""

    def __init__(self, game):
        self.game = game

    def reset(self, seed, options):
        if seed is not None:
            self.chance = own_stream(np.random.default_rng(seed))
        self.dealt = (0.0,) * self.game.facts.num_players
        if "state" in options:
            self.state = options["state"]
        elif options.get("start") == "random":
            self.state = random_state(self.game, self.chance)
        else:
            _, self.state, self.dealt = sample_transition(self.game.initial(), self.chance)
        self.pending = {}
        self.agents = list(self.game.live_players(self.state))
        self.rewards = self.owed = dict.fromkeys(self.agents, 0.0)
        self.owed = dict(self.owed)

    @property
    def acting(self):
        return self.game.acting_players(self.state)

    @property
    def dead(self):
        return [player for player in self.agents if player not in self.game.live_players(self.state)]

    @property
    def selected(self):
        return self.dead[0] if self.dead else self.acting[len(self.pending)]

    def legal(self, player):
        return [] if player in self.dead else self.game.legal_actions(self.state, player)

    def play(self, actions):
        """Plays what the acting players choose, out of the choices of all."""
        joint = {player: actions[player] for player in self.acting}
        _, self.state, rewards = sample_transition(self.game.transitions(self.state, joint), self.chance)
        rewards = np.add(rewards, self.dealt)
        self.dealt = (0.0,) * len(rewards)
        self.rewards = {player: rewards[player] for player in self.agents}
        for player in self.agents:
            self.owed[player] += rewards[player]

    def commit(self, action):
        """What one step of AEC does."""
        player = self.selected
        if player in self.dead:
            self.agents.remove(player)
            del self.owed[player]
            self.rewards = dict.fromkeys(self.agents, 0.0)
            return
        self.pending[player] = action
        self.owed[player] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if len(self.pending) == len(self.acting):
            actions, self.pending = self.pending, {}
            self.play(actions)

    def sees(self, player):
        mask = np.zeros(self.game.facts.num_actions, dtype=np.int8)
        mask[list(self.legal(player) if player in self.agents else [])] = 1
        return {"observation": self.game.observation(self.state, player), "action_mask": mask}


def named(player):
    return f"player_{player}"


def same_views(one, other):
    return set(one) == set(other) and all(
        one[key].dtype == other[key].dtype and np.array_equal(one[key], other[key]) for key in one
    )


class Machine(RuleBasedStateMachine):
    """What both kinds of environment have in common."""

    game, skin = None, None

    @initialize(seed=SEEDS)
    def begin(self, seed):
        self.env, self.model = self.skin(self.game, render_mode="ansi"), Model(self.game)
        with pytest.raises(ResetNeeded):
            self.env.render()
        self._reset(seed, {})

    @rule(seed=st.none() | SEEDS, start=st.sampled_from(["initial", "random"]))
    def reset(self, seed, start):
        self._reset(seed, {"start": start, "unknown": "ignored"})

    @rule(seed=st.none() | SEEDS, depth=SEEDS)
    def reset_to_a_state(self, seed, depth):
        self._reset(seed, {"state": random_state(self.game, np.random.default_rng(depth))})

    @rule(seed=SEEDS, options=BAD_OPTIONS)
    def refused_reset(self, seed, options):
        with pytest.raises(ValueError, match=r"start|state"):
            self.env.reset(seed=seed, options=options)

    @rule(duplicate=st.sampled_from([copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]), keep=st.booleans())
    def copied(self, duplicate, keep):
        """Goes on with the copy, or with the original after the copy has been played on."""
        twin = duplicate(self.env)
        if not keep:
            self.env, twin = twin, self.env
        twin.reset()

    @rule(agent=st.integers(0, 1))
    def looked_at(self, agent):
        self.env.render()
        self.env.state()
        self.env.observation_space(named(agent)).sample()

    @precondition(lambda self: not self.env.agents)
    @rule()
    def step_after_the_end(self):
        with pytest.raises(ResetNeeded):
            self.env.step({} if self.skin is ParallelGameEnv else None)

    @invariant()
    def shows_the_state(self):
        model, players = self.model, range(self.game.facts.num_players)
        assert self.env.agents == [named(player) for player in self.alive()]
        whole = [self.game.observation(model.state, player) for player in players]
        assert np.array_equal(self.env.state(), np.concatenate(whole))
        assert self.env.render().startswith(self.game.describe(model.state))
        assert self.env._rng.bit_generator.state == model.chance.bit_generator.state

    def alive(self):
        return self.model.agents

    def illegal(self, player, number):
        """The number as an action that is not legal, if there is one."""
        legal = self.model.legal(player)
        illegal = [action for action in range(self.game.facts.num_actions) if action not in legal]
        return illegal[number % len(illegal)] if illegal else self.game.facts.num_actions


class AECMachine(Machine):
    skin = AECGameEnv

    def _reset(self, seed, options):
        self.env.reset(seed=seed, options=options)
        self.model.reset(seed, options)

    @precondition(lambda self: self.env.agents)
    @rule(number=st.integers(0, 99))
    def step(self, number):
        legal = self.model.legal(self.model.selected)
        action = legal[number % len(legal)] if legal else None
        self.env.step(action)
        self.model.commit(action)

    @precondition(lambda self: self.env.agents)
    @rule(number=st.integers(0, 99), nonsense=st.none() | NO_ACTIONS.map(lambda action: [action]))
    def refused_step(self, number, nonsense):
        player = self.model.selected
        if player in self.model.dead:
            with pytest.raises(ValueError, match="None"):
                self.env.step(0)
            return
        with pytest.raises(IllegalActionError, match=named(player)):
            self.env.step(nonsense[0] if nonsense else self.illegal(player, number))

    @invariant()
    def tells_what_the_rules_say(self):
        env, model = self.env, self.model
        for player in model.agents:
            assert same_views(env.observe(named(player)), model.sees(player))
            assert np.array_equal(env.infos[named(player)]["action_mask"], model.sees(player)["action_mask"])
            assert env.terminations[named(player)] == (player in model.dead)
            assert env.rewards[named(player)] == pytest.approx(model.rewards[player])
        if model.agents:
            assert env.agent_selection == named(model.selected)
            assert env.last()[1] == pytest.approx(model.owed[model.selected])


class ParallelMachine(Machine):
    skin = ParallelGameEnv

    def alive(self):
        return [player for player in self.model.agents if player not in self.model.dead]

    def _reset(self, seed, options):
        observations, infos = self.env.reset(seed=seed, options=options)
        self.model.reset(seed, options)
        self._compare(observations, infos, self.model.agents)

    def _compare(self, observations, infos, players):
        assert list(observations) == list(infos) == [named(player) for player in players]
        for player in players:
            assert same_views(observations[named(player)], self.model.sees(player))
            assert np.array_equal(infos[named(player)]["action_mask"], self.model.sees(player)["action_mask"])

    def _legal(self, numbers):
        legal = {player: self.model.legal(player) for player in self.alive()}
        return {player: actions[numbers[player] % len(actions)] for player, actions in legal.items()}

    @precondition(lambda self: self.env.agents)
    @rule(numbers=st.lists(st.integers(0, 99), min_size=3, max_size=3))
    def step(self, numbers):
        actions, model = self._legal(numbers), self.model
        observations, rewards, terminations, truncations, infos = self.env.step(
            {named(player): action for player, action in actions.items()}
        )
        model.agents = list(actions)
        model.play(actions)
        self._compare(observations, infos, model.agents)
        assert rewards == pytest.approx({named(player): reward for player, reward in model.rewards.items()})
        assert terminations == {named(player): player in model.dead for player in model.agents}
        assert not any(truncations.values())
        model.agents = self.alive()

    @precondition(lambda self: self.env.agents)
    @rule(
        numbers=st.lists(st.integers(0, 99), min_size=3, max_size=3), nonsense=st.none() | NO_ACTIONS.map(lambda a: [a])
    )
    def refused_step(self, numbers, nonsense):
        actions = self._legal(numbers)
        offender = list(actions)[numbers[0] % len(actions)]
        actions[offender] = nonsense[0] if nonsense else self.illegal(offender, numbers[1])
        with pytest.raises(IllegalActionError, match=named(offender)):
            self.env.step({named(player): action for player, action in actions.items()})

    @precondition(lambda self: self.env.agents)
    @rule(numbers=st.lists(st.integers(0, 99), min_size=3, max_size=3), missing=st.booleans())
    def step_of_the_wrong_agents(self, numbers, missing):
        actions = {named(player): action for player, action in self._legal(numbers).items()}
        if missing:
            del actions[self.env.agents[0]]
        else:
            actions["player_9"] = 0
        with pytest.raises(ValueError, match="must be given for"):
            self.env.step(actions)


for _place, (_name, _game) in enumerate(GAMES.items()):
    for _kind in (AECMachine, ParallelMachine):
        _machine = type(f"{_kind.__name__}_{_name}", (_kind,), {"game": _game})
        _machine.TestCase.settings = SETTINGS
        # Two players play in one kind of environment each, in turn.
        if _game.facts.num_players == 2 and (_kind is AECMachine) == _place % 2:
            _machine.TestCase.pytestmark = [pytest.mark.wide]
        globals()[f"Test{_kind.__name__}_{_name}"] = _machine.TestCase
