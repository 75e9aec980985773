"""Environments and batches beside the rules: after every call, all that they show must be what the rules say."""

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from skins import illegal_actions

from cardwar_envs import IllegalActionError
from cardwar_envs.core.play import random_state, sample_transition
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.session import own_stream
from cardwar_envs.envs.single_agent import SingleAgentEnv

ILLEGAL = 99
BAD_OPTIONS = [{"start": "middle"}, {"start": None}, {"state": "nowhere"}, {"state": 7, "start": "random"}]


def mask_by_rules(game, state, player):
    """What the player may play, by `legal_actions` alone."""
    mask = np.zeros(game.facts.num_actions, dtype=np.int8)
    if player in game.live_players(state):
        mask[list(game.legal_actions(state, player))] = 1
    return mask


def assert_shows(batch, views):
    """Holds to the rules what everybody sees in a batch, who acts and who is in the game."""
    game, everyone = batch.game, range(batch.game.facts.num_players)
    acting, live = batch.acting(), batch.live()
    for place, state in enumerate(batch.states()):
        for player in everyone:
            assert np.array_equal(views.observations[place, player], game.observation(state, player))
            assert np.array_equal(views.masks[place, player], mask_by_rules(game, state, player))
        assert tuple(np.flatnonzero(acting[place])) == game.acting_players(state)
        assert tuple(np.flatnonzero(live[place])) == game.live_players(state)


def step_by_the_rules(batch, actions):
    """Plays joint actions in a batch and holds all that it shows to the rules; returns its result."""
    game, before, step = batch.game, batch.states(), batch.step(actions)
    for place, (state, after) in enumerate(zip(before, batch.states(), strict=True)):
        joint = {player: int(actions[place, player]) for player in game.acting_players(state)}
        paid = [each.state for each in game.transitions(state, joint) if each.rewards == tuple(step.rewards[place])]
        assert any(not game.acting_players(each) for each in paid) if step.done[place] else after in paid
        assert game.acting_players(after)
    assert_shows(batch, step)
    return step


def outcomes_until_asked(game, state, seat, action):
    """All (paid, state) to which a seat's action can lead, all others playing their lowest, until it is asked again."""
    joint = {player: game.legal_actions(state, player)[0] for player in game.acting_players(state)}
    if action is not None:
        joint[seat] = action
    found = []
    for _, after, rewards in game.transitions(state, joint):
        if seat in game.live_players(after) and seat not in game.acting_players(after):
            found += [(rewards[seat] + paid, last) for paid, last in outcomes_until_asked(game, after, seat, None)]
        else:
            found.append((rewards[seat], after))
    return found


def single_by_the_rules(game, seat, lowest):
    """Holds a single-agent environment to the rules; `lowest` is the policy that plays the lowest legal action."""
    rng, env = np.random.default_rng(5), SingleAgentEnv(game, seat=seat, opponent=lowest)
    for seed in range(6):
        env.reset(seed=seed)
        over = False
        while not over:
            before, owed = env._session.state, env._owed
            assert np.array_equal(env.action_masks(), mask_by_rules(game, before, seat))
            action = int(rng.choice(game.legal_actions(before, seat)))
            seen, reward, over, _, info = env.step(action)
            after = env._session.state
            assert (reward - owed, after) in outcomes_until_asked(game, before, seat, action)
            assert over == (seat not in game.live_players(after))
            assert np.array_equal(seen["observation"], game.observation(after, seat))
            assert np.array_equal(info.pop("action_mask"), mask_by_rules(game, after, seat))
            assert info == game.info(after, seat)
        with pytest.raises(ResetNeeded):
            env.step(0)


class Pair:
    """A PettingZoo environment, and the same game by its rules alone, with the same random numbers.

    Attributes:
        agents: The players who are still in the environment's list of agents.
        dealt: What the deal pays and the environment has not paid yet.
        paid: What it must have paid.
        turns: Number of joint actions.
    """

    skin = None

    def __init__(self, game, **arguments):
        self.game, self.env = game, self.skin(game, render_mode="ansi", **arguments)
        with pytest.raises(ResetNeeded):
            self.env.render()

    def reset(self, seed, options):
        result = self.env.reset(seed=seed, options=options)
        if seed is not None:
            self.chance = own_stream(np.random.default_rng(seed))
        self.dealt = self.paid = np.zeros(self.game.facts.num_players)
        self.turns = 0
        if "state" in options:
            self.state = options["state"]
        elif options.get("start") == "random":
            self.state = random_state(self.game, self.chance)
        else:
            _, self.state, self.dealt = sample_transition(self.game.initial(), self.chance)
        self.agents = list(self.game.live_players(self.state))
        return result

    def any_reset(self, rng):
        somewhere = {"state": random_state(self.game, rng)}
        options = [{"start": "initial", "unknown": "ignored"}, {"start": "random"}, somewhere]
        self.reset([None, int(rng.integers(10))][rng.integers(2)], options[rng.integers(3)])

    def refused_reset(self, rng):
        with pytest.raises(ValueError, match=r"start|state"):
            self.env.reset(seed=int(rng.integers(10)), options=BAD_OPTIONS[rng.integers(len(BAD_OPTIONS))])

    def legal(self, player):
        return self.game.legal_actions(self.state, player)

    def illegal(self, player, rng):
        illegal = illegal_actions(self.game, self.state, player)
        return illegal[rng.integers(len(illegal))]

    def play(self, actions):
        """Plays what the acting players choose, out of the choices of all; returns what the environment must pay."""
        joint = {player: actions[player] for player in self.game.acting_players(self.state)}
        _, self.state, rewards = sample_transition(self.game.transitions(self.state, joint), self.chance)
        rewards, self.dealt = np.add(rewards, self.dealt), np.zeros(len(rewards))
        self.paid, self.turns = self.paid + rewards, self.turns + 1
        return rewards

    def assert_sees(self, player, seen, info):
        expected = self.game.observation(self.state, player), mask_by_rules(self.game, self.state, player)
        assert set(seen) == {"observation", "action_mask"}
        for shown, right in zip((*seen.values(), info["action_mask"]), (*expected, expected[1]), strict=True):
            assert shown.dtype == right.dtype
            assert np.array_equal(shown, right)

    def assert_same(self):
        assert self.env.agents == [f"player_{player}" for player in self.agents]
        whole = [self.game.observation(self.state, player) for player in range(self.game.facts.num_players)]
        assert np.array_equal(self.env.state(), np.concatenate(whole))
        assert self.env.render().startswith(self.game.describe(self.state))
        assert self.env._rng.bit_generator.state == self.chance.bit_generator.state


class AECPair(Pair):
    skin = AECGameEnv

    def reset(self, seed, options):
        super().reset(seed, options)
        self.pending, self.rewards, self.owed = {}, *(dict.fromkeys(self.agents, 0.0) for _ in range(2))

    @property
    def dead(self):
        return [player for player in self.agents if player not in self.game.live_players(self.state)]

    @property
    def selected(self):
        return self.dead[0] if self.dead else self.game.acting_players(self.state)[len(self.pending)]

    def step(self, rng):
        player = self.selected
        action = None if self.dead else int(rng.choice(self.legal(player)))
        self.env.step(action)
        if action is None:
            self.agents.remove(player)
        else:
            self.pending[player], self.owed[player] = action, 0.0
        paid = np.zeros(self.game.facts.num_players)
        if self.pending and len(self.pending) == len(self.game.acting_players(self.state)):
            paid, self.pending = self.play(self.pending), {}
        self.rewards = {player: paid[player] for player in self.agents}
        self.owed = {player: self.owed[player] + paid[player] for player in self.agents}

    def refused_step(self, rng):
        if self.dead:
            with pytest.raises(ValueError, match="None"):
                self.env.step(0)
        else:
            with pytest.raises(IllegalActionError, match=f"player_{self.selected}"):
                self.env.step(self.illegal(self.selected, rng))

    def forfeit(self, offenders, rng):
        """All commit, the offenders to an illegal action; returns what each player is paid then."""
        while self.dead:
            self.step(rng)
        for player in self.game.acting_players(self.state):
            self.env.step(ILLEGAL if player in offenders else int(rng.choice(self.legal(player))))
        assert all(self.env.terminations.values())
        assert not any(self.env.observe(agent)["action_mask"].any() for agent in self.env.agents)
        return np.array([self.env.rewards.get(agent, 0.0) for agent in self.env.possible_agents])

    def assert_same(self):
        super().assert_same()
        for player, agent in zip(self.agents, self.env.agents, strict=True):
            self.assert_sees(player, self.env.observe(agent), self.env.infos[agent])
            assert self.env.terminations[agent] == (player in self.dead)
            assert self.env.rewards[agent] == pytest.approx(self.rewards[player])
        if self.agents:
            assert self.env.agent_selection == f"player_{self.selected}"
            assert self.env.last()[1] == pytest.approx(self.owed[self.selected])


class ParallelPair(Pair):
    skin = ParallelGameEnv

    def reset(self, seed, options):
        self.assert_all_see(*super().reset(seed, options))

    def assert_all_see(self, observations, infos):
        assert list(observations) == list(infos) == [f"player_{player}" for player in self.agents]
        for player, seen, info in zip(self.agents, observations.values(), infos.values(), strict=True):
            self.assert_sees(player, seen, info)

    def choices(self, rng):
        return {f"player_{player}": int(rng.choice(self.legal(player))) for player in self.agents}

    def step(self, rng):
        actions = self.choices(rng)
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        paid = self.play(dict(zip(self.agents, actions.values(), strict=True)))
        self.assert_all_see(observations, infos)
        live = self.game.live_players(self.state)
        assert rewards == pytest.approx({f"player_{player}": paid[player] for player in self.agents})
        assert terminations == {f"player_{player}": player not in live for player in self.agents}
        assert not any(truncations.values())
        self.agents = list(live)

    def forfeit(self, offenders, rng):
        """The offenders choose an illegal action; returns what each player is paid."""
        actions = self.choices(rng) | {f"player_{player}": ILLEGAL for player in offenders}
        observations, rewards, terminations, _, infos = self.env.step(actions)
        assert self.env.agents == []
        assert all(terminations.values())
        assert not any(shown["action_mask"].any() for shown in (*observations.values(), *infos.values()))
        return np.array([rewards.get(agent, 0.0) for agent in self.env.possible_agents])

    def refused_step(self, rng):
        actions, player = self.choices(rng), self.agents[rng.integers(len(self.agents))]
        error, message, given = [
            (IllegalActionError, f"player_{player}", actions | {f"player_{player}": self.illegal(player, rng)}),
            (ValueError, "must be given for", actions | {"player_9": 0}),
            (ValueError, "must be given for", {a: actions[a] for a in actions if a != f"player_{player}"}),
        ][rng.integers(3)]
        with pytest.raises(error, match=message):
            self.env.step(given)
