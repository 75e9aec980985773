"""Three small games of simultaneous moves, written against PettingZoo alone, that keep every promise.

Each is put into both skins by `skinned`. Broken environments derive from them.
"""

import copy
import sys
from functools import cache

import numpy as np
from gymnasium import spaces

from broken.skins import AEC, Parallel


class Base:
    """What the games share: names, spaces that stay the same objects, and a generator.

    Broken games may replace `prepare`, which `__init__` calls last, `refusal`, the error for an illegal action, and
    `read`, which returns the number that an action counts as.
    """

    players = ("player_0", "player_1")
    render_modes = ("ansi",)
    _fresh = ()  # further attributes with which each game begins, as a dict

    def __init__(self, render_mode=None):
        self.metadata = {
            "name": f"{self.title.lower()}_v0",
            "render_modes": list(self.render_modes),
            "is_parallelizable": True,
        }
        self.render_mode = render_mode
        self.possible_agents = list(self.players)
        self.agents = []
        self._rng = np.random.default_rng()
        self._observation_spaces = {agent: self.new_observation_space(agent) for agent in self.players}
        self._action_spaces = {agent: self.new_action_space(agent) for agent in self.players}
        self._games = 0  # begun so far
        self.prepare()

    def prepare(self):
        pass

    def observation_space(self, agent):
        return self._observation_spaces[agent]

    def action_space(self, agent):
        return self._action_spaces[agent]

    def begin(self, seed, options):
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._games += 1
        vars(self).update(copy.deepcopy(self._fresh))
        self.deal()

    def check(self, agent, action):
        if not self.action_space(agent).contains(self.read(action)):
            raise self.refusal(agent, f"{agent} cannot play {action!r}: it is not in {self.action_space(agent)}")

    def read(self, action):
        return action

    def refusal(self, agent, why):
        return ValueError(why)

    def cut(self):
        return set()

    def info(self, agent):
        return {}

    def others(self, agent):
        return [other for other in self.possible_agents if other != agent]

    def close(self):
        pass


class Bidding(Base):
    """Both hold the cards 1 to 5 and bid one for a prize, drawn by chance from 1 to 5. The higher card gets the prize
    from the other; at a tie nobody does. The last card is forced. Payoffs sum to zero."""

    cards = 5
    zero_sum = True

    def new_observation_space(self, agent):
        cards = {"observation": spaces.Box(-15, 15, (2 * self.cards + 2,), np.float32)}
        return spaces.Dict(cards | {"action_mask": spaces.Box(0, 1, (self.cards,), np.int8)})

    def new_action_space(self, agent):
        return spaces.Discrete(self.cards)

    @property
    def state_space(self):
        return spaces.Box(-15, 15, (2 * self.cards + 2,), np.float64)

    def deal(self):
        self._deck = [int(prize) for prize in self._rng.permutation(self.cards) + 1]
        self._round = 0
        self._hands = {agent: np.ones(self.cards, np.int8) for agent in self.players}
        self._score = 0.0  # to player_0

    def prize(self):
        return self._deck[self._round] if self._round < self.cards else 0

    def public_facts(self):
        """What both know; chance to come depends on nothing else."""
        hands = tuple(map(tuple, (self._hands[agent] for agent in self.players)))
        return hands, tuple(self._deck[: self._round + 1]), self._score

    def check(self, agent, action):
        super().check(agent, action)
        if not self.mask(agent)[self.read(action)]:
            raise self.refusal(agent, f"{agent} no longer holds card {action + 1}")

    def play(self, actions):
        actions = {agent: self.read(action) for agent, action in actions.items()}
        for agent, action in actions.items():
            self._hands[agent][action] = 0
        won = self.payment(actions["player_0"], actions["player_1"])
        self._score += won
        self._round += 1
        return {"player_0": won, "player_1": 0.0 - won}

    def payment(self, own, other):
        return float(self.prize() * (int(own > other) - int(own < other)))

    def out(self):
        return set(self.players) if self._round == self.cards else set()

    def hand(self, agent):
        return self._hands[agent]

    def score(self, agent):
        return self._score if agent == "player_0" else 0.0 - self._score

    def mask(self, agent):
        return self._hands[agent].copy()

    def observe(self, agent):
        (other,) = self.others(agent)
        numbers = [*self.hand(agent), *self._hands[other], self.prize(), self.score(agent)]
        return {"observation": np.array(numbers, np.float32), "action_mask": self.mask(agent)}

    def info(self, agent):
        return {"round": self._round}

    def state(self):
        return np.array([*self._hands["player_0"], *self._hands["player_1"], self.prize(), self._score], np.float64)

    def render(self):
        lines = [f"prize {self.prize()}, score {self._score:g}"]
        return "\n".join(lines + [f"{agent} holds {np.flatnonzero(self._hands[agent]) + 1}" for agent in self.players])


class Lowest(Base):
    """Three players name a number from 1 to 4. The lowest number that one alone named wins 1 point. Each who named the
    same number as another loses one of two lives; who has none is out. Cut after 6 rounds. Not of zero sum, no chance,
    and no masks."""

    players = ("ann", "bob", "cy")
    render_modes = ("ansi", "rgb_array")
    numbers, lives, rounds = 4, 2, 6
    highest = 6  # number in an observation
    zero_sum = False

    def new_observation_space(self, agent):
        return spaces.Box(0, self.highest, (3 * len(self.players) + 1,), np.float32)

    def new_action_space(self, agent):
        return spaces.Discrete(self.numbers)

    @property
    def state_space(self):
        return spaces.Box(0, self.highest, (3 * len(self.players) + 1,), np.float64)

    def deal(self):
        self._round = 0
        self._lives = dict.fromkeys(self.players, self.lives)
        self._points = dict.fromkeys(self.players, 0.0)
        self._last = dict.fromkeys(self.players, 0)  # number named, 0 for none

    def public_facts(self):
        return self._round, tuple(self._lives.items()), tuple(self._points.items()), tuple(self._last.items())

    def play(self, actions):
        named = {agent: int(self.read(action)) + 1 for agent, action in actions.items()}
        shared = [agent for agent in named if list(named.values()).count(named[agent]) > 1]
        for agent in shared:
            self._lives[agent] -= 1
        alone = [agent for agent in self.players if agent in named and agent not in shared]
        rewards = self.share(min(alone, key=named.get) if alone else None, list(named))
        for agent, reward in rewards.items():
            self._points[agent] += reward
        self._last = {agent: named.get(agent, 0) for agent in self.players}
        self._round += 1
        return rewards

    def share(self, winner, agents):
        return {agent: float(agent == winner) for agent in agents}

    def out(self):
        left = [agent for agent in self.players if self._lives[agent] > 0]
        return set(self.players) - set(left) if len(left) > 1 else set(self.players)

    def cut(self):
        return set(self.players) - self.out() if self._round == self.rounds else set()

    def observe(self, agent):
        seats = [agent, *self.others(agent)]
        numbers = [value[seat] for value in (self._lives, self._points, self._last) for seat in seats]
        return np.array([*numbers, self._round], np.float32)

    def state(self):
        numbers = [value[seat] for value in (self._lives, self._points, self._last) for seat in self.players]
        return np.array([*numbers, self._round], np.float64)

    def render(self):
        if self.render_mode == "rgb_array":
            frame = np.full((8, 4 * len(self.players), 3), 255, np.uint8)
            for seat, agent in enumerate(self.players):
                frame[: 2 * self._lives[agent], 4 * seat : 4 * seat + 3] = 40 * self._last[agent]
            return frame
        drawn = [f"{agent}: {self._lives[agent]} lives, last {self._last[agent]}" for agent in self.players]
        return "; ".join(drawn)


class Pennies(Base):
    """Matching pennies, again and again: player_0 wins 1 point if both show the same side. Both see the last two
    rounds. After the third round a game goes on with probability 3/4, up to 12 rounds. Payoffs sum to zero, there are
    no masks, and state() is not offered."""

    render_modes = ("ansi", "human")
    shortest, longest = 3, 12
    zero_sum = True

    def new_observation_space(self, agent):
        return spaces.MultiDiscrete([3, 3, 3, 3, self.longest + 1])

    def new_action_space(self, agent):
        return spaces.Discrete(2)

    def deal(self):
        self._memory = [2, 2, 2, 2]  # two rounds of two seats; 2 for none
        self._round = 0
        self._over = False

    def public_facts(self):
        return tuple(self._memory), self._round, self._over

    def play(self, actions):
        sides = [int(self.read(actions[agent])) for agent in self.players]
        self._memory = [*sides, *self._memory[:2]]
        self._round += 1
        lasts = self._round >= self.shortest and self._rng.random() > 0.75
        self._over = bool(lasts) or self._round == self.longest
        return dict(zip(self.players, self.payoffs(*sides), strict=True))

    def payoffs(self, side_0, side_1):
        return (1.0, -1.0) if side_0 == side_1 else (-1.0, 1.0)

    def out(self):
        return set(self.players) if self._over else set()

    def seen(self, agent):
        a, b, c, d = self._memory
        return [a, b, c, d, self._round] if agent == "player_0" else [b, a, d, c, self._round]

    def observe(self, agent):
        return np.array(self.seen(agent), np.int64)

    def text(self):
        return f"round {self._round}: {self._memory}"

    def render(self):
        if self.render_mode == "ansi":
            return self.text()
        print(self.text())
        return None


BASES = (Bidding, Lowest, Pennies)


@cache
def skinned(game, skin):
    """The class of an environment: a game in a skin. It stands beside the game, where pickle looks for it."""
    name = f"{game.__name__}In{skin.title()}"
    members = {"__doc__": game.__doc__, "__module__": game.__module__, "title": game.__name__}
    made = type(name, (game, {"aec": AEC, "parallel": Parallel}[skin]), members)
    setattr(sys.modules[game.__module__], name, made)
    return made
